/**
 * Which database this process knows, and which history of it.
 *
 * What a process has in memory holds for one server, one timeline and everything that it has acknowledged. A promoted
 * standby has another timeline; a restored copy, or a standby that was promoted too early, lacks the newest records.
 * Every new connection is checked for that. Invariant: once a check has found another history, `isCurrent` is false for
 * good, so no answer leaves, and memory ends. The log names what was lost.
 */

import type { PgClient } from "@effect/sql-pg"
import { PgConnection } from "@effect/sql-pg"
import { Deferred, Effect, Redacted, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as LogEvent from "../metrics/LogEvent.ts"
import { closedWithin } from "./Answer.ts"
import { isRefusedSignIn } from "./Credentials.ts"
import { sessionName } from "./SessionName.ts"
import * as SpanOf from "./SpanOf.ts"
import { int8s, oneOf, rowsOf, uuids } from "./Values.ts"

/** Limit of a connection that only checks, ms. */
const connectMs = 2_000
/** Limit of such a connection with its check, ms. */
const answerMs = 5_000
/** Limit of the check before another connection, ms: half of what that one has in all. */
const guardMs = 1_000
/** Time between two connections that only check, ms: how long a moved address may go unnoticed while old connections live. */
const probeMs = 2_000
/** How often a server that does not answer is asked again before memory ends, and the longest time of all of it, ms. */
const settleRetries = 2
const settleMs = 2_000
/** Limit of naming what was lost, ms: callers get 503 meanwhile. */
const reportMs = 15_000
/** Pause before another try to connect for it, ms: a server that was promoted just now ends and refuses connections. */
const reportPauseMs = 250

/** The database has another history than the one in memory; the message is for the operator. */
export class HistoryChanged extends Schema.TaggedError<HistoryChanged>()("HistoryChanged", {
  message: Schema.String,
  /** True: the same server on another timeline, with every record that was acknowledged, as after a planned switchover. */
  isWhole: Schema.Boolean
}) {}

/** A record that was acknowledged: a database without it has another history. */
export interface Stamp {
  readonly account: number
  readonly seq: number
  readonly hash: string
}

/** An account in memory and the seq of its newest record. */
export type Resident = readonly [account: number, seq: number]

/** Names in the log what was acknowledged and is not in the database of the connection. Returns the number of records. */
export type Report = (
  connection: PgConnection.PgConnection,
  resident: ReadonlyArray<Resident>
) => Effect.Effect<number, SqlError.SqlError>

/** The memory that ends with the history. */
export interface Memory {
  /** Records that prove, if the database has them, that it has every acknowledged one. */
  readonly stamps: () => ReadonlyArray<Stamp>
  readonly report: Report
}

const Place = Schema.Struct({ server: Schema.String, timeline: Schema.String })
type Place = typeof Place.Type

/** Another history, as a check has found it. */
interface Change {
  readonly why: string
  /** Where it was found. */
  readonly place: Place
  /** True: the same server, on another timeline. */
  readonly isTimeline: boolean
}

/** The server at the address is not yet the one of the other history. */
class NotThere extends Schema.TaggedError<NotThere>()("NotThere", {}) {}

const placeRow = oneOf(Place)

/** The control file still has the former timeline just after a promotion; the name of the present WAL file has the new one. */
const placeStatement = `SELECT system_identifier::text AS server,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline FROM pg_control_system()`

/** Parameters that name records. */
export const stampParameters = (stamps: ReadonlyArray<Stamp>) => [
  int8s(stamps.map(({ account }) => account)),
  int8s(stamps.map(({ seq }) => seq)),
  uuids(stamps.map(({ hash }) => hash))
]

/** The places, from 1, of the records that neither the journal nor, as it seems, an archived span has. */
export const missingStatement = `SELECT k.place FROM unnest($1, $2, $3) WITH ORDINALITY k(account, seq, hash, place)
    ${SpanOf.joinRecords("k")}
  WHERE j.hash IS DISTINCT FROM k.hash AND NOT EXISTS (SELECT FROM archived_spans x WHERE x.span = lies.span)
  ORDER BY k.place`
export const missingRows = rowsOf(Schema.Struct({ place: Schema.Number }))

export class Lineage {
  private readonly config: PgClient.PgClientConfig
  private known: Place | undefined
  private memory: Memory | undefined
  private resident: () => Iterable<Resident> = () => []
  private readonly change = Deferred.makeUnsafe<Change>()
  private isSame = true
  private refused: Effect.Effect<void> = Effect.void

  /** `config`: how to connect, without a check of its own. */
  constructor(config: PgClient.PgClientConfig, holder: string) {
    this.config = { ...config, applicationName: sessionName("check", holder), connectTimeout: connectMs }
  }

  /** False once the database was found to have another history. */
  isCurrent(): boolean {
    return this.isSame
  }

  /** Takes the memory of acknowledged records, from now on. */
  remember(memory: Memory): void {
    this.memory = memory
  }

  /** Acknowledged records are no longer in memory, and need not be in the database: a sandbox is started over. */
  forget(): void {
    this.memory = undefined
    this.resident = () => []
  }

  /** The accounts in memory. */
  holds(resident: () => Iterable<Resident>): void {
    this.resident = resident
  }

  /** Checks the server of a connection. The first check decides which history is known. */
  check(connection: PgConnection.PgConnection): Effect.Effect<void, SqlError.SqlError | HistoryChanged> {
    return Effect.gen({ self: this }, function* () {
      const { memory } = this
      const stamps = memory?.stamps() ?? []
      const place = yield* placeRow(connection.query(placeStatement))
      this.known ??= place
      const { server, timeline } = this.known
      if (place.server !== server)
        return yield* this.changed(`it is another server (${place.server} instead of ${server})`, place)
      if (place.timeline !== timeline)
        return yield* this.changed(`it is on another timeline (${place.timeline} instead of ${timeline})`, place)
      if (stamps.length === 0) return
      const missing = yield* missingRows(connection.query(missingStatement, stampParameters(stamps)))
      if (missing.length > 0 && this.memory === memory)
        return yield* this.changed("it lacks records that were acknowledged", place)
      if (!this.isSame)
        return yield* new HistoryChanged({ message: "The database has another history.", isWhole: false })
    })
  }

  /** Runs an effect after each sign-in of a probe that PostgreSQL has refused. */
  onRefused(effect: Effect.Effect<void>): void {
    this.refused = effect
  }

  /** Opens a connection that only checks. A server that does not answer is no other history. */
  get probe(): Effect.Effect<void> {
    const checked = Effect.flatMap(PgConnection.make(this.config), (own) => this.check(own))
    return closedWithin(checked, answerMs).pipe(
      Effect.tapError((error) => (isRefusedSignIn(error) ? this.refused : Effect.void)),
      Effect.ignore
    )
  }

  /**
   * Asks a last time, before memory ends for another reason. With another history it never returns: `ended` fails once
   * the log has named what was lost.
   */
  get settled(): Effect.Effect<void> {
    const checked = Effect.flatMap(PgConnection.make(this.config), (own) => this.check(own))
    return closedWithin(checked, answerMs).pipe(
      Effect.retry({ times: settleRetries, while: () => this.isSame }),
      // A node that is cut off from PostgreSQL must not wait for it.
      Effect.timeout(settleMs),
      Effect.ignore,
      Effect.andThen(Effect.suspend(() => (this.isSame ? Effect.void : Effect.never)))
    )
  }

  /** Notices a moved address also while every connection to the former server lives. */
  get watch(): Effect.Effect<never> {
    return Effect.forever(Effect.andThen(Effect.sleep(probeMs), this.probe))
  }

  /**
   * The settings of connections that others open, as pools do: each is preceded by a check, then by `opened`. There is
   * nothing to check before there is memory.
   */
  guarded(config: PgClient.PgClientConfig, opened: () => void): PgClient.PgClientConfig {
    const { password = Redacted.make("") } = config
    const given = Effect.isEffect(password) ? password : Effect.succeed(password)
    const check = Effect.suspend(() =>
      this.memory === undefined ? Effect.void : Effect.ignore(Effect.timeout(this.probe, guardMs))
    )
    return { ...config, password: check.pipe(Effect.andThen(Effect.sync(opened)), Effect.andThen(given)) }
  }

  /** Fails once the database has another history and the log has named what was lost. */
  get ended(): Effect.Effect<never, HistoryChanged> {
    return Effect.flatMap(Deferred.await(this.change), (change) =>
      this.report(change).pipe(
        Effect.timeout(reportMs),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("The lost records could not be listed", cause), endsBy(change, undefined))
        ),
        Effect.flatMap((error) => Effect.fail(error))
      )
    )
  }

  private changed(why: string, place: Place): Effect.Effect<never, HistoryChanged> {
    return Effect.suspend(() => {
      this.isSame = false
      const { known = place } = this
      const isTimeline = place.server === known.server && place.timeline !== known.timeline
      const change = { why, place, isTimeline }
      Deferred.doneUnsafe(this.change, Effect.succeed(change))
      // Nobody knows yet whether it lost something: `history_changed` tells.
      return Effect.fail(new HistoryChanged({ message: messageOf(why), isWhole: false }))
    })
  }

  private report(change: Change) {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        // The count of what was lost must not wait for a standby, which is often away then.
        const config = { ...this.config, startupParameters: { synchronous_commit: "local" } }
        const there = Effect.tap(PgConnection.make(config), (connection) =>
          Effect.flatMap(placeRow(connection.query(placeStatement)), ({ server, timeline }) =>
            server === change.place.server && timeline === change.place.timeline ? Effect.void : new NotThere()
          )
        )
        const connection = yield* Effect.retry(there, { schedule: Schedule.spaced(reportPauseMs) })
        const lost = yield* this.memory?.report(connection, [...this.resident()]) ?? Effect.succeed(0)
        const error = endsBy(change, lost)
        yield* LogEvent.of("history_changed", { reason: error.message, lost_records: lost, ends: !error.isWhole })(
          lost === 0
            ? Effect.logWarning(`${error.message} It has every acknowledged record that was in memory.`)
            : Effect.logError(`${error.message} ${lost} acknowledged records are lost. The lines above list them.`)
        )
        return error
      })
    )
  }
}

/** `lost`: number of records; undefined: nobody knows. */
const endsBy = ({ isTimeline, why }: Change, lost: number | undefined): HistoryChanged => {
  const isWhole = isTimeline && lost === 0
  const then = isWhole
    ? "The service reads everything anew and goes on."
    : "The service stops; its supervisor restarts it with an empty memory."
  return new HistoryChanged({ message: `${messageOf(why)} ${then}`, isWhole })
}

const messageOf = (why: string): string =>
  `The database is not the one that this service knows: ${why}. It was promoted, restored or replaced.`
