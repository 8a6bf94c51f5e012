/**
 * Publishes programme definitions (contract/programmes.md *Publishing*): checks a
 * new version, writes it, refreshes this service. Also publishes the files of a start.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import * as Connect from "../../base/database/Connect.ts"
import { isOlder } from "../../base/database/Migrations.ts"
import { rowsOf } from "../../base/database/Values.ts"
import { serviceNow } from "../../base/time/Times.ts"
import { environmentName } from "../../contract/protocol/Protocol.ts"
import type { AuditEntry } from "../../core/journal/Audit.ts"
import { auditText, changesChain } from "../../core/journal/Audit.ts"
import type { Publication, StoredProgram } from "../../core/programs/ProgramStore.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import { ProgramsInvalid } from "../../core/programs/ProgramStore.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Change, Removed } from "../../core/rules/Changes.ts"
import * as Changes from "../../core/rules/Changes.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as ProgramFile from "../../core/rules/ProgramFile.ts"
import type { LoadedFile } from "./ProgramFiles.ts"
import * as ProgramUse from "./ProgramUse.ts"
import type { Writer } from "./ProgramWrites.ts"
import * as ProgramWrites from "./ProgramWrites.ts"

/** The new definition has changes that are not allowed (contract/programmes.md *Blocking changes*). */
export class IncompatibleChange extends Schema.TaggedError<IncompatibleChange>()("IncompatibleChange", {
  blocking: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** Another version is in force than the publisher expected. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  /** 0 if there is no such programme. */
  version: Schema.Int
}) {}

/** There is no such programme, or it has no such version. */
export class NoSuchVersion extends Schema.TaggedError<NoSuchVersion>()("NoSuchVersion", {
  programId: Schema.String,
  version: Schema.optional(Schema.Int)
}) {}

/** A node of an older version runs, which could not read the definition (contract/programmes.md *Publishing*). */
export class OlderNode extends Schema.TaggedError<OlderNode>()("OlderNode", {
  version: Schema.String
}) {
  override get message() {
    return (
      `A node of version ${this.version} runs, which might not read this definition and then would refuse every request. ` +
      "Publish once all nodes run this version."
    )
  }
}

/** The oldest version that reads all that a definition may have. */
const readableSince = "0.4.0"

const versionRows = rowsOf(Schema.Struct({ version: Schema.String }))

/**
 * Hazard: a node that cannot read a definition decides nothing any more, for any programme. So there is no such node when
 * one is published. Requires: appends wait, so no older node joins unseen.
 */
const refuseBesideOlder = Effect.fnUntraced(function* (connection: Connection) {
  const running = yield* versionRows(connection.query("SELECT DISTINCT version FROM nodes WHERE NOT dead ORDER BY 1"))
  const older = running.find(({ version }) => isOlder(version, readableSince))
  if (older !== undefined) return yield* new OlderNode(older)
})

/** The changes of a new definition, and those that are not allowed. */
interface Comparison {
  readonly changes: ReadonlyArray<Change>
  readonly blocking: IncompatibleChange["blocking"]
}

/** A finished search: no record before `since` uses the removed accounts and rewards. */
interface Searched {
  readonly removed: Removed
  readonly since: ProgramUse.Horizon
}

const isWithin = ({ rewards, units }: Removed, before: Removed): boolean =>
  units.every((unit) => before.units.includes(unit)) && rewards.every((reward) => before.rewards.includes(reward))

/**
 * Compares a valid definition with the version in force. Without one, there are no
 * changes. Reads every member if accounts or rewards are removed; after a search
 * (`searched`) only members that were written to since.
 */
export const compare = Effect.fn("Publishing.compare")(function* (
  connection: Connection,
  inForce: Program | undefined,
  next: Program,
  now: number,
  searched?: Searched
) {
  if (inForce === undefined) return { changes: [], blocking: [] } satisfies Comparison
  const changes = Changes.changes(inForce.file, next.file)
  const removed = Changes.removed(inForce.file, next.file)
  const since = searched !== undefined && isWithin(removed, searched.removed) ? searched.since : undefined
  const inUse = yield* ProgramUse.of(connection, next.id, removed, now, since)
  return { changes, blocking: Changes.blocking(inForce.file, next.file, inUse) } satisfies Comparison
})

const nothingRemoved: Removed = { units: [], rewards: [] }

/** Number of searches before appends must wait. The second one reads only members written to since the first began. */
const searches = 2

/** Fails if publishing would fail now. Leaves few members to read while appends wait. */
const search = Effect.fnUntraced(function* (
  connection: Connection,
  next: Program,
  expected: number | undefined,
  now: number
) {
  const inForce = (yield* ProgramStore.read(connection, next.id)).get(next.id)?.program
  yield* requireVersion(inForce, expected)
  if (inForce === undefined) return undefined
  const removed = Changes.removed(inForce.file, next.file)
  let searched: Searched | undefined
  for (let round = 0; round < searches; round++) {
    const since = yield* ProgramUse.horizon(connection)
    const { blocking } = yield* compare(connection, inForce, next, now, searched)
    if (blocking.length > 0) return yield* new IncompatibleChange({ blocking })
    searched = { removed, since }
  }
  return searched
})

const requireVersion = (inForce: Program | undefined, expected: number | undefined) => {
  const version = inForce?.version ?? 0
  return expected === undefined || expected === version ? Effect.void : new VersionConflict({ version })
}

/**
 * The change is committed: a failed refresh must not look like a failed change. Decisions refresh before they count.
 */
const refreshed = (programs: Programs["Service"]) =>
  Effect.catch(programs.refresh, (error) => Effect.logWarning("Refreshing the programmes failed", error))

/** Statements at the end of a change's transaction: its entry of the audit. */
export type BeforeCommit<A, E, R> = (connection: Connection, done: A) => Effect.Effect<void, E, R>

const nothing = () => Effect.void

export interface Published {
  readonly version: number
  /** From the version before; none for a new programme. */
  readonly changes: ReadonlyArray<Change>
}

export interface PublishOptions<E, R> {
  /** Publishes only while this version is in force; 0: while there is no such programme. */
  readonly expected?: number | undefined
  readonly beforeCommit?: BeforeCommit<Published, E, R> | undefined
}

/**
 * Publishes a valid definition as the newest version of its programme, and
 * refreshes this service's programmes.
 */
export const publish = Effect.fn("Publishing.publish")(function* <F, E = never, R = never>(
  writer: Writer<F>,
  next: Program,
  publication: Publication,
  { expected, beforeCommit = nothing }: PublishOptions<E, R> = {}
) {
  const programs = yield* Programs
  const now = yield* writer.now
  const known = programs.get(next.id)
  const searched =
    known === undefined || isWithin(Changes.removed(known.file, next.file), nothingRemoved)
      ? undefined
      : yield* writer.apart((connection) => search(connection, next, expected, now))
  const published = yield* writer.transaction((connection) =>
    Effect.gen(function* () {
      yield* ProgramWrites.holdAppends(connection)
      yield* refuseBesideOlder(connection)
      const inForce = (yield* ProgramStore.read(connection, next.id)).get(next.id)?.program
      yield* requireVersion(inForce, expected)
      const at = yield* writer.now
      const { blocking, changes } = yield* compare(connection, inForce, next, at, searched)
      if (blocking.length > 0) return yield* new IncompatibleChange({ blocking })
      const last = inForce?.version ?? 0
      yield* ProgramWrites.write(connection, next, publication, last, at)
      const done: Published = { version: last + 1, changes }
      yield* beforeCommit(connection, done)
      return done
    })
  )
  yield* writer.onCommit(refreshed(programs))
  return published
})

/** Publishes the definition of an earlier version again, as the newest version. */
export const rollBack = Effect.fn("Publishing.rollBack")(function* <F, E = never, R = never>(
  writer: Writer<F>,
  programId: string,
  version: number,
  publication: Omit<Publication, "source">,
  options?: PublishOptions<E, R>
) {
  const [former] = yield* writer.apart((connection) => ProgramStore.definitions(connection, programId, version + 1, 1))
  if (former?.version !== version) return yield* new NoSuchVersion({ programId, version })
  const next = ProgramFile.validate(former.file)
  // The rules have changed since it was published.
  if (Result.isFailure(next)) return yield* new IncompatibleChange({ blocking: next.failure })
  return yield* publish(writer, next.success, { ...publication, source: "rollback" }, options)
})

/** Retires or restores a programme. `beforeCommit` gets false if it was so already. */
const setRetired = Effect.fnUntraced(function* <F, E, R>(
  writer: Writer<F>,
  programId: string,
  isRetired: boolean,
  change: (connection: Connection, at: number) => Effect.Effect<unknown, SqlError.SqlError>,
  beforeCommit: BeforeCommit<boolean, E, R>
) {
  yield* writer.transaction((connection) =>
    Effect.gen(function* () {
      yield* ProgramWrites.holdAppends(connection)
      const stored = (yield* ProgramStore.read(connection, programId)).get(programId)
      if (stored === undefined) return yield* new NoSuchVersion({ programId })
      yield* change(connection, yield* writer.now)
      yield* beforeCommit(connection, stored.program.isRetired !== isRetired)
    })
  )
  yield* writer.onCommit(refreshed(yield* Programs))
})

/** Retires a programme: only captures, reversals, refunds, expirations and reads remain possible. */
export const retire = Effect.fn("Publishing.retire")(
  <F, E = never, R = never>(
    writer: Writer<F>,
    programId: string,
    by: string,
    reason: string,
    beforeCommit: BeforeCommit<boolean, E, R> = nothing
  ) =>
    setRetired(
      writer,
      programId,
      true,
      (connection, at) => ProgramWrites.retire(connection, programId, by, reason, at),
      beforeCommit
    )
)

/** Ends a retirement. */
export const restore = Effect.fn("Publishing.restore")(
  <F, E = never, R = never>(
    writer: Writer<F>,
    programId: string,
    beforeCommit: BeforeCommit<boolean, E, R> = nothing
  ) => setRetired(writer, programId, false, (connection) => ProgramWrites.restore(connection, programId), beforeCommit)
)

/** The action of a start for a file. `KeepStored`: the version in force was not published from this file, and stays. */
type FilePlan = "Publish" | "Unchanged" | "KeepStored"

/**
 * The files that are published: all that differ from the version in force; those that have changed since the last start; or
 * only programmes that the database lacks, because a further node changes no rules.
 */
export type Which = "all" | "changed" | "new"

/**
 * A changed file is published only over the version that the same file had at the
 * last start. `lastRead` is its checksum at that start.
 */
const planOf = (file: Program, inForce: Program | undefined, lastRead: string | undefined, which: Which): FilePlan => {
  if (inForce === undefined) return "Publish"
  if (Changes.changes(inForce.file, file.file).length === 0) return "Unchanged"
  if (which !== "changed") return which === "all" ? "Publish" : "KeepStored"
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

interface PlannedFile {
  readonly file: string
  readonly program: Program
  readonly stored: StoredProgram | undefined
  readonly plan: FilePlan
  readonly changes: ReadonlyArray<Change>
  readonly faults: ReadonlyArray<string>
}

const planFile = Effect.fnUntraced(function* (
  connection: Connection,
  { file, program }: LoadedFile,
  stored: StoredProgram | undefined,
  lastRead: string | undefined,
  which: Which
) {
  const inForce = stored?.program
  const plan = planOf(program, inForce, lastRead, which)
  const changes = inForce === undefined ? [] : Changes.changes(inForce.file, program.file)
  const { blocking } =
    plan === "Publish" ? yield* compare(connection, inForce, program, yield* serviceNow) : { blocking: [] }
  const faults = blocking.map(({ message, path }) => `${file}: ${path}: ${message}`)
  return { file, program, stored, plan, changes, faults } satisfies PlannedFile
})

const logPlanned = ({ changes, file, plan, program: { id }, stored }: PlannedFile): Effect.Effect<void> => {
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
const planFiles = Effect.fnUntraced(function* (connection: Connection, files: ReadonlyArray<LoadedFile>, which: Which) {
  const stored = yield* ProgramStore.read(connection)
  const lastRead = yield* ProgramWrites.filesRead(connection)
  const planned = yield* Effect.forEach(files, (one) =>
    planFile(connection, one, stored.get(one.program.id), lastRead.get(one.program.id), which)
  )
  const faults = planned.flatMap((one) => one.faults)
  if (faults.length > 0) return yield* new ProgramsInvalid({ message: faults.join("\n") })
  const withFile = new Set(files.map(({ program }) => program.id))
  // A definition that was published by other means needs no file.
  const isGone = ({ id, versions }: StoredProgram) =>
    versions.at(-1)?.source === "file" && lastRead.has(id) && !withFile.has(id)
  return { files: planned, gone: [...stored.values()].filter(isGone) }
})

/** Fails if `publishFiles` would fail now; writes nothing. */
export const checkFiles = Effect.fn("Publishing.checkFiles")((files: ReadonlyArray<LoadedFile>, which: Which) =>
  Effect.asVoid(Connect.apart((connection) => planFiles(connection, files, which)))
)

/** Logs each file that differs from the version in force, which a further node keeps. */
export const reportFiles = Effect.fn("Publishing.reportFiles")(function* (files: ReadonlyArray<LoadedFile>) {
  const found = yield* Connect.apart((connection) => planFiles(connection, files, "new"))
  for (const one of found.files) if (one.plan === "KeepStored") yield* logPlanned(one)
})

const writeFile = Effect.fnUntraced(function* (
  connection: Connection,
  { plan, program, stored }: PlannedFile,
  at: number
) {
  if (plan === "Publish") yield* ProgramWrites.write(connection, program, fromFile, stored?.program.version ?? 0, at)
  yield* ProgramWrites.rememberFile(connection, program.id, Changes.checksum(program.file))
})

/**
 * Publishes these files, or none.
 * Programmes without a file keep their version.
 */
export const publishFiles = Effect.fn("Publishing.publishFiles")(function* (
  files: ReadonlyArray<LoadedFile>,
  which: Which
) {
  const writer = yield* ProgramWrites.ownWriter
  const done = yield* writer.transaction((connection) =>
    Effect.gen(function* () {
      yield* ProgramWrites.holdAppends(connection)
      const found = yield* planFiles(connection, files, which)
      if (found.files.some(({ plan }) => plan === "Publish")) yield* refuseBesideOlder(connection)
      for (const one of found.files) yield* writeFile(connection, one, yield* writer.now)
      // Last, because the audit's chain is locked from here on.
      for (const one of found.files) {
        if (one.plan === "Publish") yield* appendEntry(connection, one)
      }
      return found
    })
  )
  for (const one of done.files) yield* logPlanned(one)
  for (const { id, program } of done.gone) {
    yield* Effect.logWarning(`Programme ${id} has no file any more; it keeps version ${program.version}.`)
  }
})

const fromFile: Publication = { by: "system", source: "file" }

/**
 * Appends the audit's entry of a file that a start published: the service itself
 * is the actor. Dated by the database, because the service's clock may be a sandbox's.
 */
const appendEntry = (connection: Connection, { changes, program: { id }, stored }: PlannedFile) => {
  const last = stored?.program.version ?? 0
  const entry: AuditEntry = {
    at: 0,
    actor: { kind: "system", name: fromFile.by },
    action: "program.publish",
    subject: { type: "program", id },
    programId: id,
    changes: {
      before: last === 0 ? undefined : { version: last },
      // JSON leaves out undefined properties; the changes themselves are JSON.
      after: JSON.parse(JSON.stringify({ version: last + 1, source: fromFile.source, changes }))
    }
  }
  return connection.query(
    `SELECT append_audit($1, $2::jsonb ||
        jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000)::bigint))`,
    [PgTypes.int4(changesChain), PgTypes.text(auditText(entry))]
  )
}
