/** The statements with which the rollups are written (migrations/0006_rollups.sql). */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { decodeEvents } from "../account/Codec.ts"
import * as Rows from "../account/Rows.ts"
import type { Event } from "../account/domain/Event.ts"
import type { MemberStatus } from "../contract/Values.ts"
import * as Connect from "../database/Connect.ts"
import { Database, DatabaseStartError } from "../database/Database.ts"
import type * as Position from "../feed/Position.ts"
import { type AccountNumber, JournalUnavailable } from "../journal/Records.ts"
import { numbers } from "../journal/postgres/Parameters.ts"
import type { Change, SortedLadder } from "./Change.ts"
import type { Hold } from "./Holds.ts"
import * as Holds from "./Holds.ts"
import * as LadderOf from "./Ladder.ts"
import type { MemberRollup } from "./Member.ts"
import * as Member from "./Member.ts"

/** The state of the rollups' progress through the feed. */
export interface Progress {
  /** Number of changes so far. If it differs, another writer has changed the rollups. */
  readonly changes: number
  /** The position after the last record that the rollups include. */
  readonly position: Position.Position
  readonly ladders: ReadonlyMap<string, SortedLadder>
}

/** `moved`: another writer changed the rollups. `replaced`: this service is no longer active. Neither writes anything. */
export type Written = "changed" | "moved" | "replaced"

export class RollupStore extends Context.Service<
  RollupStore,
  {
    readonly progress: Effect.Effect<Progress, JournalUnavailable>
    /** Members as of `from`; undefined if another writer has changed the rollups since. */
    readonly members: (
      from: Progress,
      accounts: ReadonlyArray<AccountNumber>
    ) => Effect.Effect<ReadonlyMap<AccountNumber, MemberRollup> | undefined, JournalUnavailable>
    /** The facts of holds, from the records that made them. */
    readonly holds: (
      reservations: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Hold>, JournalUnavailable>
    /** Members after an account number, sorted by number. */
    readonly membersAfter: (
      account: AccountNumber,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MemberRollup>, JournalUnavailable>
    /** Writes a change that was computed on `from` and moves the position, in one transaction. */
    readonly write: (
      from: Progress,
      to: Position.Position,
      change: Change
    ) => Effect.Effect<Written, JournalUnavailable>
    /** Empties the rollups. */
    readonly reset: Effect.Effect<void, JournalUnavailable>
  }
>()("lotbook/rollups/RollupStore") {}

const { float8, text } = PgTypes

export const memberColumns = `account::float8 AS account, seq::float8 AS seq, program_id, member_id, status::text AS status,
  joined::float8 AS joined, tier_id, tier_period::float8 AS tier_period, period::float8 AS period, units`

export const memberOf = (row: PgConnection.Row): MemberRollup => ({
  account: Number(row["account"]),
  seq: Number(row["seq"]),
  program: String(row["program_id"]),
  member: String(row["member_id"]),
  // The column is an enumeration.
  status: row["status"] as MemberStatus,
  joined: Number(row["joined"]),
  tier: { tier: String(row["tier_id"]), period: Number(row["tier_period"]) },
  period: row["period"] === null ? undefined : Number(row["period"]),
  units: Member.unitsOf(String(row["units"]))
})

/** Reads members and the number of changes in one snapshot. Returns a row even if there is no member. */
const membersStatement = `SELECT p.changes::float8 AS changes, m.* FROM rollup_progress p
  LEFT JOIN (SELECT ${memberColumns} FROM member_rollups WHERE account = ANY ($1::float8[]::bigint[])) m ON true`

const progressStatement = `SELECT changes::float8 AS changes, epoch::float8 AS epoch, transaction::text AS transaction,
    account::float8 AS account, seq::float8 AS seq,
    (SELECT json_agg(json_build_array(program_id, ladder, sorted_to, since)) FROM rollup_ladders)::text AS ladders
  FROM rollup_progress`

export const positionOf = (row: PgConnection.Row): Position.Position => ({
  epoch: Number(row["epoch"]),
  transaction: BigInt(String(row["transaction"])),
  account: Number(row["account"]),
  seq: Number(row["seq"])
})

type LadderText = readonly [program: string, ladder: string, sortedTo: number | null, since: number]

export const laddersOf = (value: unknown): ReadonlyMap<string, SortedLadder> =>
  new Map(
    (JSON.parse(String(value ?? "[]")) as ReadonlyArray<LadderText>).map(([program, ladder, sortedTo, since]) => [
      program,
      { ladder: LadderOf.fromText(ladder), sortedTo, since }
    ])
  )

const reservedStatement = `SELECT j.account::float8 AS account, j.seq::float8 AS seq, j.version::float8 AS version, j.events
  FROM unnest($1::float8[]::bigint[], $2::float8[]::bigint[]) p(account, seq)
    JOIN journal j ON j.account = p.account AND j.seq = p.seq`

const eventsOf = (row: PgConnection.Row): ReadonlyArray<Event> =>
  decodeEvents({
    account: Number(row["account"]),
    seq: Number(row["seq"]),
    version: Number(row["version"]),
    events: String(row["events"])
  })

const writeStatement = `SELECT change_rollups($1, $2::float8::bigint, $3::float8::int, $4::text::xid8, $5::float8::bigint,
  $6::float8::bigint, $7::text::json) AS written`

/** For the service `holder` (undefined: a command). */
export const layer: Layer.Layer<RollupStore, DatabaseStartError, Database> = Layer.effect(
  RollupStore,
  Effect.gen(function* () {
    const { holder } = yield* Database
    const pool = yield* Connect.pool({ name: "rollups", settings: { enable_seqscan: "off", jit: "off" } })
    const query = (statement: string, parameters?: ReadonlyArray<unknown>) =>
      Effect.mapError(pool.query(statement, parameters), (cause) => new JournalUnavailable({ cause }))
    return RollupStore.of({
      progress: Effect.map(query(progressStatement), ([row]) => {
        if (row === undefined) throw new Error("rollup_progress has one row")
        return { changes: Number(row["changes"]), position: positionOf(row), ladders: laddersOf(row["ladders"]) }
      }),
      members: ({ changes }, accounts) =>
        Effect.map(query(membersStatement, [numbers(accounts)]), (rows) => {
          if (rows.some((row) => Number(row["changes"]) !== changes)) return undefined
          const there = rows.filter((row) => row["account"] !== null)
          return new Map(there.map((row) => [Number(row["account"]), memberOf(row)]))
        }),
      holds: (reservations) => {
        const places = reservations.flatMap((id) => Rows.reservationPlace(id) ?? [])
        const asked = [numbers(places.map(({ account }) => account)), numbers(places.map(({ seq }) => seq))]
        return Effect.map(query(reservedStatement, asked), (rows) => {
          const holds = new Map<string, Hold>()
          for (const row of rows) Holds.note(holds, eventsOf(row))
          return holds
        })
      },
      membersAfter: (account, limit) =>
        Effect.map(
          query(
            `SELECT ${memberColumns} FROM member_rollups WHERE account > $1::float8::bigint
              ORDER BY member_rollups.account LIMIT $2::float8::bigint`,
            [float8(account), float8(limit)]
          ),
          (rows) => rows.map(memberOf)
        ),
      write: ({ changes }, { account, epoch, seq, transaction }, change) =>
        Effect.map(
          query(writeStatement, [
            text(holder ?? null),
            float8(changes),
            float8(epoch),
            text(String(transaction)),
            float8(account),
            float8(seq),
            text(change.toJson())
          ]),
          // One of the three that `change_rollups` returns.
          ([row]) => row?.["written"] as Written
        ),
      reset: Effect.asVoid(query("SELECT reset_rollups()"))
    })
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)
