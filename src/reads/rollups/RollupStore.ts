/** The statements with which the rollups are written (migrations/0006_rollups.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../base/database/Database.ts"
import { int8, int8s, oneOf, optional, rowsOf, xid8 } from "../../base/database/Values.ts"
import { MemberStatus } from "../../contract/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import * as ReservationId from "../../core/account/ReservationId.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { type AccountNumber, type JournalUnavailable, unavailableBy } from "../../core/journal/Records.ts"
import { madeHolds } from "../feed/FeedSql.ts"
import type * as Position from "../feed/Position.ts"
import type { Change, SortedLadder } from "./Change.ts"
import type { Hold } from "./Holds.ts"
import * as Holds from "./Holds.ts"
import * as LadderOf from "./Ladder.ts"
import type { MemberRollup } from "./Member.ts"
import * as Member from "./Member.ts"
import * as OlderOrders from "./OlderOrders.ts"

/** The state of the rollups' progress through the feed. */
export interface Progress {
  /** Number of changes so far. If it differs, another writer has changed the rollups. */
  readonly changes: number
  /** The position after the last record that the rollups include. */
  readonly position: Position.Position
  readonly ladders: ReadonlyMap<string, SortedLadder>
}

/** `moved`: another writer changed the rollups. `replaced`: this service is no longer active. Neither writes anything. */
export type Written = typeof Written.Type

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
>()("lotbook/reads/rollups/RollupStore") {}

/** The columns of a member, from the table `member_rollups`. */
export const memberColumns = `account, seq, program_id AS program, member_id AS member, status, joined, tier_id, tier_period,
  period, units`

export const MemberColumns = Schema.Struct({
  account: Schema.Number,
  seq: Schema.Number,
  program: Schema.String,
  member: Schema.String,
  status: MemberStatus,
  joined: Schema.Number,
  tier_id: Schema.String,
  tier_period: Schema.Number,
  period: optional(Schema.Number),
  units: Schema.String
})

export const memberOf = ({
  account,
  joined,
  member,
  period,
  program,
  seq,
  status,
  tier_id,
  tier_period,
  units
}: typeof MemberColumns.Type): MemberRollup => ({
  account,
  seq,
  program,
  member,
  status,
  joined,
  tier: { tier: tier_id, period: tier_period },
  period,
  ...Member.unitsOf(units)
})

const memberRows = rowsOf(MemberColumns)

/** Reads members and the number of changes in one snapshot. Returns a row even if there is no member. */
const membersStatement = `SELECT p.changes, m.* FROM rollup_progress p
  LEFT JOIN (SELECT ${memberColumns} FROM member_rollups WHERE account = ANY ($1)) m ON true`
const changesOfMembers = rowsOf(
  Schema.Union([
    Schema.Struct({ changes: Schema.Number, account: Schema.Null }),
    Schema.Struct({ changes: Schema.Number, ...MemberColumns.fields })
  ])
)

/** The columns of the rollups' position and ladders, from the table `rollup_progress`. */
export const progressColumns = `epoch, transaction, account, seq, (SELECT coalesce(json_agg(json_build_object(
    'program', program_id, 'ladder', ladder, 'sortedTo', sorted_to, 'since', since)), '[]') FROM rollup_ladders) AS ladders`

export const PositionColumns = Schema.Struct({
  epoch: Schema.Number,
  transaction: Schema.BigInt,
  account: Schema.Number,
  seq: Schema.Number
})

export const ProgressColumns = Schema.Struct({
  ...PositionColumns.fields,
  ladders: Schema.Array(
    Schema.Struct({
      program: Schema.String,
      ladder: Schema.String,
      sortedTo: Schema.NullOr(Schema.Number),
      since: Schema.Number
    })
  )
})

export const progressOf = ({ ladders, ...position }: typeof ProgressColumns.Type): Omit<Progress, "changes"> => ({
  position,
  ladders: new Map(
    ladders.map(({ ladder, program, since, sortedTo }) => [
      program,
      { ladder: LadderOf.fromText(ladder), sortedTo, since }
    ])
  )
})

const progressRow = oneOf(Schema.Struct({ changes: Schema.Number, ...ProgressColumns.fields }))

const reservedRows = rowsOf(
  Schema.Struct({ account: Schema.Number, seq: Schema.Number, version: Schema.Number, events: Schema.String })
)

const Written = Schema.Literals(["changed", "moved", "replaced"])
const writtenRow = oneOf(Schema.Struct({ written: Written }))

/** For the service `holder` (undefined: a command). */
export const layer: Layer.Layer<RollupStore, DatabaseStartError, Database> = Layer.effect(
  RollupStore,
  Effect.gen(function* () {
    const { holder } = yield* Database
    const files = yield* ArchiveFiles
    const pool = yield* Connect.pool({ name: "rollups", settings: { enable_seqscan: "off", jit: "off" } })
    const query = (statement: string, parameters?: ReadonlyArray<unknown>) =>
      Effect.mapError(pool.query(statement, parameters), unavailableBy)
    return RollupStore.of({
      progress: Effect.map(
        progressRow(query(`SELECT changes, ${progressColumns} FROM rollup_progress`)),
        ({ changes, ...row }) => ({ changes, ...progressOf(row) })
      ),
      members: ({ changes }, accounts) =>
        Effect.map(changesOfMembers(query(membersStatement, [int8s(accounts)])), (rows) => {
          if (rows.some((row) => row.changes !== changes)) return undefined
          return new Map(rows.flatMap((row) => (row.account === null ? [] : [[row.account, memberOf(row)]])))
        }),
      holds: (reservations) => {
        const places = reservations.flatMap((id) => ReservationId.placeOf(id) ?? [])
        const asked = [int8s(places.map(({ account }) => account)), int8s(places.map(({ seq }) => seq))]
        return Effect.map(reservedRows(query(madeHolds, asked)), (rows) => {
          const holds = new Map<string, Hold>()
          for (const row of rows) Holds.note(holds, decodeEvents(row))
          return holds
        })
      },
      membersAfter: (account, limit) =>
        Effect.map(
          memberRows(
            query(`SELECT ${memberColumns} FROM member_rollups WHERE account > $1 ORDER BY account LIMIT $2`, [
              int8(account),
              int8(limit)
            ])
          ),
          (rows) => rows.map(memberOf)
        ),
      write: Effect.fnUntraced(function* ({ changes, position }, { account, epoch, seq, transaction }, change) {
        const restored = yield* OlderOrders.restoredFor({ query, files }, position, change.orders)
        const { moved, ...rest } = change.toJson()
        const { adjusted, merged } = rest
        const { written } = yield* writtenRow(
          query("SELECT count_promotions(count_rollups($1, $2, $3, $4, $5, $6, $7, $8), $9) AS written", [
            PgTypes.text(holder ?? null),
            int8(changes),
            PgTypes.int4(epoch),
            xid8(transaction),
            int8(account),
            int8(seq),
            PgTypes.json(rest),
            PgTypes.json({ restored, merged, adjusted, moved }),
            PgTypes.json(change.sums.rows("rollup_promotions"))
          ])
        )
        return written
      }),
      reset: Effect.asVoid(query("SELECT reset_rollups()"))
    })
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)
