/**
 * Publishes definitions (decisions.md §5, admin.md Programmes): what is checked,
 * written and told to the service when one takes the place of another, and what
 * a start does with its files.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Clock, Effect, Schema } from "effect"
import { environmentName } from "../contract/protocol/Protocol.ts"
import type { Change } from "./Changes.ts"
import * as Changes from "./Changes.ts"
import type { Program } from "./Program.ts"
import type { LoadedFile } from "./ProgramFiles.ts"
import { ProgramsInvalid } from "./ProgramFiles.ts"
import { Programs } from "./Programs.ts"
import type { Publication, StoredProgram } from "./ProgramStore.ts"
import * as ProgramStore from "./ProgramStore.ts"
import { nothingInUse, ProgramUse } from "./ProgramUse.ts"

/** A definition changes what cannot change (admin.md, Blocking changes). */
export class IncompatibleChange extends Schema.TaggedError<IncompatibleChange>()("IncompatibleChange", {
  blocking: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** Another version is in force than the publisher expected. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  /** 0 where there is no such programme. */
  version: Schema.Int
}) {}

/** What a definition would change of the version in force, and what of it is not allowed. */
export interface Comparison {
  readonly changes: ReadonlyArray<Change>
  readonly blocking: IncompatibleChange["blocking"]
}

/** Compares a checked definition with the version in force; everything is new where there is none. */
export const compare = Effect.fn("Publishing.compare")(function* (inForce: Program | undefined, next: Program) {
  if (inForce === undefined) return { changes: [], blocking: [] } satisfies Comparison
  const changes = Changes.changes(inForce.file, next.file)
  const removed = Changes.removed(inForce.file, next.file)
  const use = yield* ProgramUse
  const inUse = removed.units.length + removed.rewards.length === 0 ? nothingInUse : yield* use.of(next.id, removed)
  return { changes, blocking: Changes.blocking(inForce.file, next.file, inUse) } satisfies Comparison
})

/**
 * Publishes a checked definition as the newest version of its programme, and
 * tells this service. With `expected`, only while that version is in force.
 * Returns the new version's number.
 */
export const publish = Effect.fn("Publishing.publish")(function* (
  next: Program,
  publication: Publication,
  expected?: number
) {
  const programs = yield* Programs
  const at = yield* Clock.currentTimeMillis
  const version = yield* ProgramStore.alone(
    Effect.fnUntraced(function* (connection) {
      const stored = (yield* ProgramStore.read(connection, next.id)).get(next.id)
      const last = stored?.program.version ?? 0
      if (expected !== undefined && expected !== last) return yield* new VersionConflict({ version: last })
      const { blocking } = yield* compare(stored?.program, next)
      if (blocking.length > 0) return yield* new IncompatibleChange({ blocking })
      yield* ProgramStore.write(connection, next, publication, last, at)
      return last + 1
    })
  )
  yield* programs.refresh
  return version
})

/** Retires a programme, or takes it back: captures, reversals, refunds, expirations and reads go on meanwhile. */
export const retire = Effect.fn("Publishing.retire")(function* (programId: string, by: string, reason: string) {
  const programs = yield* Programs
  yield* ProgramStore.retire(programId, by, reason, yield* Clock.currentTimeMillis)
  yield* programs.refresh
})

export const restore = Effect.fn("Publishing.restore")(function* (programId: string) {
  const programs = yield* Programs
  yield* ProgramStore.restore(programId)
  yield* programs.refresh
})

/** What a start does with a file: `Otherwise` where the version in force was published otherwise and stays. */
export type Plan = "Publish" | "Same" | "Otherwise"

/**
 * A changed file takes the place of the definition that it was changed from.
 * `lastRead` is the checksum of the file at the last start.
 */
export const planOf = (
  file: Program,
  inForce: Program | undefined,
  lastRead: string | undefined,
  publishAll: boolean
): Plan => {
  if (inForce === undefined) return "Publish"
  if (Changes.changes(inForce.file, file.file).length === 0) return "Same"
  if (publishAll) return "Publish"
  return Changes.checksum(inForce.file) === lastRead ? "Publish" : "Otherwise"
}

const paths = (changes: ReadonlyArray<Change>): string => {
  const some = changes.slice(0, maxToldChanges).map(({ path }) => path)
  return changes.length > some.length ? `${some.join(", ")} and ${changes.length - some.length} more` : some.join(", ")
}

/** Changes that a line of the log names. */
const maxToldChanges = 5

const publisherOf = (stored: StoredProgram): string => {
  const { by, source } = stored.versions.at(-1)!
  return source === "file" ? "a file" : `${by} (${source})`
}

interface Step {
  readonly file: string
  readonly program: Program
  readonly stored: StoredProgram | undefined
  readonly plan: Plan
  readonly changes: ReadonlyArray<Change>
  readonly faults: ReadonlyArray<string>
}

const stepOf = Effect.fnUntraced(function* (
  { file, program }: LoadedFile,
  stored: StoredProgram | undefined,
  lastRead: string | undefined,
  publishAll: boolean
) {
  const inForce = stored?.program
  const plan = planOf(program, inForce, lastRead, publishAll)
  const changes = inForce === undefined ? [] : Changes.changes(inForce.file, program.file)
  const { blocking } = plan === "Publish" ? yield* compare(inForce, program) : { blocking: [] }
  const faults = blocking.map(({ message, path }) => `${file}: ${path}: ${message}`)
  return { file, program, stored, plan, changes, faults } satisfies Step
})

const tell = ({ changes, file, plan, program: { id }, stored }: Step): Effect.Effect<void> => {
  if (stored === undefined) return Effect.logInfo(`Programme ${id}: published version 1 from ${file}`)
  const { version } = stored.program
  switch (plan) {
    case "Same":
      return Effect.void
    case "Publish":
      return Effect.logInfo(`Programme ${id}: published version ${version + 1} from ${file}: ${paths(changes)}`)
    case "Otherwise":
      return Effect.logWarning(
        `Programme ${id} goes on with version ${version}, published by ${publisherOf(stored)}: ${file} differs from it at ${paths(changes)}. To publish the file, start with ${publishVariable}=true.`
      )
  }
}

const publishVariable = environmentName("PROGRAMS_PUBLISH")

/** What a start would do with each file, with every fault of all files. */
const stepsOf = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  files: ReadonlyArray<LoadedFile>,
  publishAll: boolean
) {
  const stored = yield* ProgramStore.read(connection)
  const lastRead = yield* ProgramStore.filesRead(connection)
  const steps = yield* Effect.forEach(files, (one) =>
    stepOf(one, stored.get(one.program.id), lastRead.get(one.program.id), publishAll)
  )
  const faults = steps.flatMap((step) => step.faults)
  if (faults.length > 0) return yield* new ProgramsInvalid({ message: faults.join("\n") })
  const withFile = new Set(files.map(({ program }) => program.id))
  return { steps, without: [...stored.values()].filter(({ id }) => !withFile.has(id)) }
})

/** Refuses files that `publishFiles` would refuse now; writes nothing. */
export const checkFiles = Effect.fn("Publishing.checkFiles")((files: ReadonlyArray<LoadedFile>, publishAll: boolean) =>
  Effect.asVoid(ProgramStore.connected((connection) => stepsOf(connection, files, publishAll)))
)

/**
 * Publishes the files that have changed since they were last read, all or none;
 * with `publishAll` every file that differs from the version in force. Programmes
 * without a file go on with their version in force.
 */
export const publishFiles = Effect.fn("Publishing.publishFiles")(function* (
  files: ReadonlyArray<LoadedFile>,
  publishAll: boolean
) {
  const at = yield* Clock.currentTimeMillis
  const done = yield* ProgramStore.alone(
    Effect.fnUntraced(function* (connection) {
      const found = yield* stepsOf(connection, files, publishAll)
      for (const { plan, program, stored } of found.steps) {
        if (plan === "Publish") {
          yield* ProgramStore.write(connection, program, fromFile, stored?.program.version ?? 0, at)
        }
        yield* ProgramStore.rememberFile(connection, program.id, Changes.checksum(program.file))
      }
      return found
    })
  )
  for (const step of done.steps) yield* tell(step)
  for (const { id, program } of done.without) {
    yield* Effect.logWarning(`Programme ${id} has no file; it goes on with version ${program.version}.`)
  }
})

const fromFile: Publication = { by: "system", source: "file" }
