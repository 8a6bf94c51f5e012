/** A connection that writes groups: one call of `append_keyed`, one transaction, one fsync a group. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Schema, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { answerWithin } from "../../../base/database/Answer.ts"
import { watchCancelled } from "../../../base/database/CancelledWaits.ts"
import * as Connect from "../../../base/database/Connect.ts"
import type { Database } from "../../../base/database/Database.ts"
import * as Durability from "../../../base/database/Durability.ts"
import { int4s, oneOf, register, rowsOf, uuids } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import { type Verdict, type Write, WriteFailed } from "../GroupCommit.ts"
import type { Hash128, JournalRecord } from "../Records.ts"
import * as AppendedRows from "./AppendedRows.ts"
import type { EndedClaims } from "./EndedClaims.ts"
import type { InDoubtSessions } from "./InDoubtSessions.ts"
import type { KeyFilters } from "./KeyFilters.ts"
import { settings } from "./Session.ts"

const appendStatement =
  "SELECT * FROM append_keyed($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)"

/** The keys that may be claimed in an ended era, by its filter. */
const maybeEnded = (group: ReadonlyArray<JournalRecord>, ended: EndedClaims): ReadonlyArray<Hash128> => {
  const maybe: Array<Hash128> = []
  for (const { claims } of group) for (const { key } of claims) if (ended.mayHold(key)) maybe.push(key)
  return maybe
}

/** The keys with an end that may be claimed in spans that are over, by their filters: a key and a span each. */
const maybeKeyed = (group: ReadonlyArray<JournalRecord>, filters: KeyFilters) => {
  const [keys, spans]: [Array<Hash128>, Array<number>] = [[], []]
  for (const { claims } of group)
    for (const { hasEnd, key } of claims) {
      if (hasEnd !== true) continue
      for (const span of filters.placesOf(key)) {
        keys.push(key)
        spans.push(span)
      }
    }
  return { keys, spans }
}

/** Never in force: a linked pair that was decided under two revisions is outdated. */
const noRevision = -1

/** The revision of the programmes that a group was decided under. */
const revisionOf = (group: ReadonlyArray<JournalRecord>): number => {
  const [first, last] = [group[0], group.at(-1)]
  return first !== undefined && first.revision === last?.revision ? first.revision : noRevision
}

const rejectedRows = rowsOf(
  Schema.Union([
    Schema.Struct({
      outcome: Schema.Literal("taken"),
      account: Schema.Number,
      seq: Schema.Number,
      key: Schema.String,
      fingerprint: Schema.String,
      holder_account: Schema.Number,
      holder_seq: Schema.Number
    }),
    Schema.Struct({
      outcome: Schema.Literals(["stale", "superseded", "frozen", "unavailable", "outdated"]),
      account: Schema.Number,
      seq: Schema.Number
    }),
    // The known claims are another database's.
    Schema.Struct({ outcome: Schema.Literal("other_stamps") })
  ])
)

const beganRow = oneOf(Schema.Struct({ began: Schema.String }))

type Row = Effect.Success<ReturnType<typeof rejectedRows>>[number]
type Rejected = Exclude<Row, { readonly outcome: "other_stamps" }>

const verdict = (row: Rejected): Verdict => {
  if (row.outcome !== "taken") return { _tag: row.outcome }
  const { fingerprint, holder_account, holder_seq, key } = row
  return { _tag: "taken", holder: { key, fingerprint, account: holder_account, seq: holder_seq } }
}

const committed: Verdict = { _tag: "committed" }
const superseded: Verdict = { _tag: "superseded" }
const unavailable: Verdict = { _tag: "unavailable" }

/** The verdicts of rejected records, in the order of the group; undefined for the others. */
const verdicts = (
  group: ReadonlyArray<JournalRecord>,
  rows: ReadonlyArray<Rejected>
): ReadonlyArray<Verdict | undefined> => {
  const all: Array<Verdict | undefined> = group.map(() => undefined)
  for (const row of rows) {
    const place = group.findIndex(({ account, seq }) => account === row.account && seq === row.seq)
    if (place < 0) throw new Error("append_keyed returned a record that is not in the group")
    all[place] = verdict(row)
  }
  return all
}

const logRefused = ([record]: ReadonlyArray<JournalRecord>, cause: unknown) =>
  Effect.annotateLogs(Effect.logError("PostgreSQL refuses a record; nothing of it was written", cause), {
    account: record?.account,
    seq: record?.seq
  })

/**
 * Sends a group. If a claim is taken, `append_keyed` has written nothing, and the records without a verdict are sent
 * again. If PostgreSQL refuses a row, the records are sent one by one, so that the fault of one fails no other.
 */
const writing = (send: (...group: Parameters<Write>) => Effect.Effect<ReadonlyArray<Rejected>, WriteFailed>): Write => {
  const writeEach = Effect.fnUntraced(function* (group: ReadonlyArray<JournalRecord>) {
    const all: Array<Verdict> = []
    const rejected = new Set<number>()
    for (const record of group) {
      const [one] = rejected.has(record.account) ? [superseded] : yield* write([record])
      if (one === undefined) throw new Error("a record was written without a verdict")
      if (one._tag !== "committed") rejected.add(record.account)
      all.push(one)
    }
    return all
  })
  const write: Write = (group, isLinked) =>
    send(group, isLinked).pipe(
      Effect.flatMap((rows) => judged(group, isLinked, rows)),
      Effect.catchIf(
        ({ sent }) => !sent,
        ({ cause }) =>
          group.length > 1 && isLinked !== true
            ? writeEach(group)
            : Effect.as(
                logRefused(group, cause),
                group.map(() => unavailable)
              )
      )
    )
  const judged = (...[group, isLinked, rows]: [...Parameters<Write>, ReadonlyArray<Rejected>]) =>
    Effect.suspend(() => {
      const rejected = verdicts(group, rows)
      const rest = rejected.some((one) => one?._tag === "taken")
        ? group.filter((_, place) => rejected[place] === undefined)
        : []
      if (rest.length === 0) return Effect.succeed(rejected.map((one) => one ?? committed))
      return Effect.map(write(rest, isLinked), (later) => {
        let place = 0
        return rejected.map((one) => one ?? later[place++]!)
      })
    })
  return write
}

/** True if the transaction was rolled back for a race with another node: a retry sees the other's rows. */
const isRace = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" ||
  error.reason._tag === "DeadlockError" ||
  error.reason._tag === "SerializationError"

/**
 * True if PostgreSQL refused a value or a row (SQLSTATE 22, 23): nothing was written, and the session can be used
 * again.
 */
const isRefused = (error: unknown): boolean => {
  const cause: unknown = error instanceof SqlError.SqlError ? error.reason.cause : undefined
  return typeof cause === "object" && cause !== null && "code" in cause && /^2[23]/.test(String(cause.code))
}

/** The claims and keys of the database that a node knows. */
export interface Known {
  /** The claims of ended eras. */
  readonly ended: EndedClaims
  /** The keys with an end of spans that are over: a span is their era. */
  readonly keys: KeyFilters
  /** Learns again: the database is not the one that was learnt. */
  readonly relearn: () => void
}

/** The part of the client's connection that tells of its end. Private there: a changed client fails the first connection. */
interface Ending {
  readonly session: { readonly socket: { once: (event: "close", listener: () => void) => void } }
}

/**
 * Opens a connection that writes groups, once everything that the database shows is durable, and calls `lost` when it ends. A
 * group that may have reached the disk although it failed adds its session to `inDoubt`.
 */
export const open = (
  database: Database["Service"],
  inDoubt: InDoubtSessions,
  { ended, keys, relearn }: Known,
  lost: () => void
): Effect.Effect<Write, WriteFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { durability = Durability.none, holder, lineage } = database
    const types = PgTypes.makeRegistry()
    register(types)
    const { statementTimeoutMs } = Bounds
    const connection = yield* PgConnection.make({
      ...Connect.session(database, { name: "journal", settings, statementTimeoutMs }),
      types
    })
    const { socket } = (connection as unknown as Ending).session
    socket.once("close", lost)
    if (lineage !== undefined) yield* lineage.check(connection)
    yield* durability.confirmed
    const isCancelled = watchCancelled(connection)
    const { began } = yield* beganRow(
      connection.query("SELECT backend_start::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()")
    )
    const encode = yield* AppendedRows.encoderFor(connection, types)
    const parameters = (...[group, isLinked]: Parameters<Write>) => {
      const maybe = maybeKeyed(group, keys)
      return [
        ...encode(group),
        PgTypes.bool(isLinked ?? false),
        uuids(maybeEnded(group, ended)),
        PgTypes.int4(ended.before),
        PgTypes.uuid(ended.stamp),
        PgTypes.text(holder ?? null),
        PgTypes.int4(revisionOf(group)),
        uuids(maybe.keys),
        int4s(maybe.spans),
        PgTypes.int2(keys.before),
        PgTypes.uuid(keys.stamp)
      ]
    }
    return writing((...group) =>
      answerWithin(
        Effect.retry(
          Effect.suspend(() => connection.query(appendStatement, parameters(...group))),
          { while: isRace, times: Bounds.maxGroupTries }
        ),
        Bounds.answerTimeoutMs
      ).pipe(
        Effect.filterOrFail(
          () => !isCancelled(),
          () => new Error("the wait for the standby was cancelled")
        ),
        Effect.mapError((cause) => {
          if (isRefused(cause)) return new WriteFailed({ sent: false, cause })
          inDoubt.add(connection.processId, began)
          // Until it is resolved, no connection is opened again: its groups would wait for the same standby.
          durability.doubt()
          return new WriteFailed({ sent: true, cause })
        }),
        rejectedRows,
        Effect.map((rows) => {
          const rejected = rows.filter((row) => row.outcome !== "other_stamps")
          if (rejected.length < rows.length) relearn()
          return rejected
        })
      )
    )
  }).pipe(Effect.mapError((cause) => new WriteFailed({ sent: false, cause })))
