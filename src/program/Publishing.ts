/**
 * Publishes programme definitions (decisions.md §5, admin.md Programmes): checks a
 * new version, writes it, refreshes this service. Also publishes the files of a start.
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

/** The new definition has changes that are not allowed (admin.md, Blocking changes). */
export class IncompatibleChange extends Schema.TaggedError<IncompatibleChange>()("IncompatibleChange", {
  blocking: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** Another version is in force than the publisher expected. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  /** 0 if there is no such programme. */
  version: Schema.Int
}) {}

/** The changes of a new definition, and those that are not allowed. */
export interface Comparison {
  readonly changes: ReadonlyArray<Change>
  readonly blocking: IncompatibleChange["blocking"]
}

/** Compares a valid definition with the version in force. Without one, there are no changes. */
export const compare = Effect.fn("Publishing.compare")(function* (inForce: Program | undefined, next: Program) {
  if (inForce === undefined) return { changes: [], blocking: [] } satisfies Comparison
  const changes = Changes.changes(inForce.file, next.file)
  const removed = Changes.removed(inForce.file, next.file)
  const use = yield* ProgramUse
  const inUse = removed.units.length + removed.rewards.length === 0 ? nothingInUse : yield* use.of(next.id, removed)
  return { changes, blocking: Changes.blocking(inForce.file, next.file, inUse) } satisfies Comparison
})

/**
 * Publishes a valid definition as the newest version of its programme, and
 * refreshes this service's programmes. With `expected`, fails unless that version
 * is in force. Returns the new version's number.
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

/** Retires a programme: only captures, reversals, refunds, expirations and reads remain possible. */
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

/** What a start does with a file. `KeepStored`: the version in force was not published from this file, and stays. */
export type Plan = "Publish" | "Unchanged" | "KeepStored"

/**
 * A changed file is published only over the version that the same file had at the
 * last start. `lastRead` is its checksum at that start.
 */
export const planOf = (
  file: Program,
  inForce: Program | undefined,
  lastRead: string | undefined,
  publishAll: boolean
): Plan => {
  if (inForce === undefined) return "Publish"
  if (Changes.changes(inForce.file, file.file).length === 0) return "Unchanged"
  if (publishAll) return "Publish"
  return Changes.checksum(inForce.file) === lastRead ? "Publish" : "KeepStored"
}

const paths = (changes: ReadonlyArray<Change>): string => {
  const some = changes.slice(0, maxLoggedChanges).map(({ path }) => path)
  return changes.length > some.length ? `${some.join(", ")} and ${changes.length - some.length} more` : some.join(", ")
}

/** Most changes in a line of the log. */
const maxLoggedChanges = 5

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

const logStep = ({ changes, file, plan, program: { id }, stored }: Step): Effect.Effect<void> => {
  if (stored === undefined) return Effect.logInfo(`Programme ${id}: published version 1 from ${file}`)
  const { version } = stored.program
  switch (plan) {
    case "Unchanged":
      return Effect.void
    case "Publish":
      return Effect.logInfo(`Programme ${id}: published version ${version + 1} from ${file}: ${paths(changes)}`)
    case "KeepStored":
      return Effect.logWarning(
        `Programme ${id} keeps version ${version}, published by ${publisherOf(stored)}; ${file} differs at ${paths(changes)}. To publish the file, start with ${publishVariable}=true.`
      )
  }
}

const publishVariable = environmentName("PROGRAMS_PUBLISH")

/** Plans a start for each file; fails with every fault of all files. */
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

/** Fails if `publishFiles` would fail now; writes nothing. */
export const checkFiles = Effect.fn("Publishing.checkFiles")((files: ReadonlyArray<LoadedFile>, publishAll: boolean) =>
  Effect.asVoid(ProgramStore.connected((connection) => stepsOf(connection, files, publishAll)))
)

/**
 * Publishes all files that changed since the last start, or none. With
 * `publishAll`, publishes every file that differs from the version in force.
 * Programmes without a file keep their version.
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
  for (const step of done.steps) yield* logStep(step)
  for (const { id, program } of done.without) {
    yield* Effect.logWarning(`Programme ${id} has no file; it keeps version ${program.version}.`)
  }
})

const fromFile: Publication = { by: "system", source: "file" }
