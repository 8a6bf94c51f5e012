/** Reads and writes orders without a guest (migrations/0073_kept_orders.sql). Times are ms. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "../../base/database/Locks.ts"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Order, OrderAdjustment } from "../../contract/protocol/Order.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { AccountNumber, Hash128 } from "../../core/journal/Records.ts"
import type { Rule } from "../../core/retention/Retention.ts"
import * as Bounds from "./Bounds.ts"

const { text, uuid } = PgTypes

const Columns = Schema.Struct({
  program_id: Schema.String,
  order_id: Schema.String,
  facts: Schema.String,
  body: Schema.String,
  state: Schema.Literals(["open", "withdrawn", "claiming", "claimed"]),
  expires_at: Schema.Number,
  account: optional(Schema.Number),
  claimed_at: optional(Schema.Number),
  actor: optional(Schema.String)
})

/** A kept order. `account`: the one that has it, or that asks for it while it is `claiming`. */
export type Kept = typeof Columns.Type

const columns = "program_id, order_id, facts, body, state, expires_at, account, claimed_at, actor"
const keptRow = firstOf(Columns)
const keptRows = rowsOf(Columns)

type Read<A> = Effect.Effect<A, Refused>

export const orderOf = ({ body }: Pick<Kept, "body">): Order => JSON.parse(body)

export interface NewOrder {
  readonly program: string
  readonly order: Order
  readonly code: Hash128
  readonly facts: Hash128
  readonly keptAt: number
  readonly expiresAt: number
}

/** The order's row, locked until the transaction ends; undefined: there is none. */
export const lock = (query: Query, program: string, order: string): Read<Kept | undefined> =>
  keptRow(
    query(`SELECT ${columns} FROM kept_orders WHERE program_id = $1 AND order_id = $2 FOR UPDATE`, [
      text(program),
      text(order)
    ])
  )

/** The order's row without a lock. */
export const find = (query: Query, program: string, order: string): Read<Kept | undefined> =>
  keptRow(
    query(`SELECT ${columns} FROM kept_orders WHERE program_id = $1 AND order_id = $2`, [text(program), text(order)])
  )

export const findByCode = (query: Query, code: Hash128): Read<Kept | undefined> =>
  keptRow(query(`SELECT ${columns} FROM kept_orders WHERE code = $1`, [uuid(code)]))

/** Keeps an order; undefined: there is a row of it. */
export const insert = (
  query: Query,
  { code, expiresAt, facts, keptAt, order, program }: NewOrder
): Read<Kept | undefined> =>
  keptRow(
    query(
      `INSERT INTO kept_orders (program_id, order_id, code, facts, body, state, kept_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, 'open', $6, $7) ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [
        text(program),
        text(order.order_id),
        uuid(code),
        uuid(facts),
        text(JSON.stringify(order)),
        int8(keptAt),
        int8(expiresAt)
      ]
    )
  )

/** Gives an order that nobody has other amounts. One that was taken away is open again. */
export const replace = (query: Query, { facts, order, program }: NewOrder): Read<void> =>
  Effect.asVoid(
    query(`UPDATE kept_orders SET facts = $3, body = $4, state = 'open' WHERE program_id = $1 AND order_id = $2`, [
      text(program),
      text(order.order_id),
      uuid(facts),
      text(JSON.stringify(order))
    ])
  )

export const withdraw = (query: Query, program: string, order: string): Read<void> =>
  Effect.asVoid(
    query("UPDATE kept_orders SET state = 'withdrawn' WHERE program_id = $1 AND order_id = $2", [
      text(program),
      text(order)
    ])
  )

interface Beginning {
  readonly account: AccountNumber
  readonly actor: string
  /** By the service's time; undefined: the order accrued otherwise. */
  readonly claimedAt: number | undefined
  /** By the machine's time. */
  readonly at: number
}

/** Gives an order to an account, with everything that it is to have still missing. */
export const begin = (query: Query, { order_id, program_id }: Kept, { account, actor, at, claimedAt }: Beginning) =>
  Effect.asVoid(
    query(
      `UPDATE kept_orders SET state = 'claiming', account = $3, actor = $4, claimed_at = coalesce($5, claimed_at), begun_at = $6
        WHERE program_id = $1 AND order_id = $2`,
      [text(program_id), text(order_id), int8(account), text(actor), int8(claimedAt ?? null), int8(at)]
    )
  )

/** Gives an order back that an account was refused. */
export const release = (query: Query, { account, order_id, program_id }: Kept): Read<void> =>
  Effect.asVoid(
    query(
      `UPDATE kept_orders SET state = 'open', account = NULL, claimed_at = NULL, begun_at = NULL
        WHERE program_id = $1 AND order_id = $2 AND state = 'claiming' AND account = $3`,
      [text(program_id), text(order_id), int8(account ?? null)]
    )
  )

/** Ends a claim. Requires the lock on the row, and that no adjustment is open. Of another account it was no claim. */
export const end = (
  query: Query,
  { order_id, program_id }: Kept,
  account: AccountNumber,
  earnedNothing: boolean
): Read<void> =>
  Effect.asVoid(
    query(
      `UPDATE kept_orders SET state = 'claimed', account = $3, begun_at = NULL, earned_nothing = $4,
          claimed_at = CASE WHEN account = $3 THEN claimed_at END
        WHERE program_id = $1 AND order_id = $2`,
      [text(program_id), text(order_id), int8(account), PgTypes.bool(earnedNothing)]
    )
  )

/** Lets claims of a guest come one after the other, until the transaction ends: she could claim more than are allowed. */
export const holdGuest = (query: Query, account: AccountNumber): Read<void> =>
  Effect.asVoid(query(`SELECT pg_advisory_xact_lock(${Locks.claims}, hashint8($1))`, [int8(account)]))

const countRow = oneOf(Schema.Struct({ n: Schema.Number }))

/** Orders that accounts have claimed since an instant, but for those that earned nothing. */
export const claimedSince = (query: Query, accounts: ReadonlyArray<AccountNumber>, since: number): Read<number> =>
  Effect.map(
    countRow(
      query(
        "SELECT count(*) AS n FROM kept_orders WHERE account = ANY ($1) AND claimed_at >= $2 AND NOT earned_nothing",
        [int8s(accounts), int8(since)]
      )
    ),
    ({ n }) => n
  )

/** Claims that have not ended and that nobody works on any more: begun before `until`. */
export const abandoned = (query: Query, until: number): Read<ReadonlyArray<Kept>> =>
  keptRows(
    query(
      `SELECT ${columns} FROM kept_orders WHERE state = 'claiming' AND begun_at < $1
        ORDER BY begun_at LIMIT ${Bounds.roundClaims}`,
      [int8(until)]
    )
  )

/** Puts a claim behind the others, so that one that cannot end keeps none of them waiting. */
export const postpone = (query: Query, { order_id, program_id }: Kept, at: number): Read<void> =>
  Effect.asVoid(
    query("UPDATE kept_orders SET begun_at = $3 WHERE program_id = $1 AND order_id = $2 AND state = 'claiming'", [
      text(program_id),
      text(order_id),
      int8(at)
    ])
  )

const adjustmentRow = firstOf(Schema.Struct({ order_id: Schema.String, facts: Schema.String }))
const adjustmentRows = rowsOf(Schema.Struct({ body: Schema.String }))

export const findAdjustment = (query: Query, program: string, adjustment: string) =>
  adjustmentRow(
    query("SELECT order_id, facts FROM kept_adjustments WHERE program_id = $1 AND adjustment_id = $2", [
      text(program),
      text(adjustment)
    ])
  )

/** Keeps an adjustment; undefined: its id is taken. */
export const insertAdjustment = (query: Query, program: string, adjustment: OrderAdjustment, facts: Hash128) =>
  adjustmentRow(
    query(
      `INSERT INTO kept_adjustments (program_id, adjustment_id, order_id, facts, body) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING RETURNING order_id, facts`,
      [
        text(program),
        text(adjustment.adjustment_id),
        text(adjustment.original_order_id),
        uuid(facts),
        text(JSON.stringify(adjustment))
      ]
    )
  )

/** True if an order has adjustments. */
export const isAdjusted = (query: Query, program: string, order: string): Read<boolean> =>
  Effect.map(
    query("SELECT FROM kept_adjustments WHERE program_id = $1 AND order_id = $2 LIMIT 1", [text(program), text(order)]),
    ({ length }) => length > 0
  )

/** The adjustments that are not posted, in the order in which they came. */
export const openAdjustments = (query: Query, { order_id, program_id }: Kept): Read<ReadonlyArray<OrderAdjustment>> =>
  Effect.map(
    adjustmentRows(
      query("SELECT body FROM kept_adjustments WHERE program_id = $1 AND order_id = $2 AND is_open ORDER BY n", [
        text(program_id),
        text(order_id)
      ])
    ),
    (rows) => rows.map(({ body }): OrderAdjustment => JSON.parse(body))
  )

/** An adjustment is posted, or refused for good. */
export const closeAdjustment = (query: Query, program: string, adjustment: string): Read<void> =>
  Effect.asVoid(
    query("UPDATE kept_adjustments SET is_open = false WHERE program_id = $1 AND adjustment_id = $2", [
      text(program),
      text(adjustment)
    ])
  )

/** PostgreSQL's time, ms. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
const isInHour = `began > ${now} - ${Bounds.wrongMs}`

/** Counts a wrong code of an account, and forgets some of ended hours. Waits for no count of another account. */
export const countWrong = (query: Query, account: AccountNumber): Read<void> =>
  Effect.asVoid(
    query(
      `WITH old AS (DELETE FROM wrong_claims WHERE account IN (
          SELECT account FROM wrong_claims WHERE NOT ${isInHour} AND account <> $1
            LIMIT ${Bounds.swept} FOR UPDATE SKIP LOCKED))
        INSERT INTO wrong_claims AS w (account, began, count) VALUES ($1, ${now}, 1)
        ON CONFLICT (account) DO UPDATE SET began = CASE WHEN w.${isInHour} THEN w.began ELSE excluded.began END,
          count = CASE WHEN w.${isInHour} THEN w.count ELSE 0 END + 1`,
      [int8(account)]
    )
  )

const waitRow = firstOf(Schema.Struct({ ms: Schema.Number }))

/** Time until codes of an account are looked at again, ms; undefined: they are. */
export const waitOf = (query: Query, account: AccountNumber): Read<number | undefined> =>
  Effect.map(
    waitRow(
      query(
        `SELECT (began + ${Bounds.wrongMs} - ${now})::float8 AS ms FROM wrong_claims
          WHERE account = $1 AND ${isInHour} AND count >= ${Bounds.mostWrong}`,
        [int8(account)]
      )
    ),
    (row) => row?.ms
  )

const placeRow = firstOf(Schema.Struct({ place: Schema.String }))

/** The place up to which accruals were looked for; undefined: none yet. */
export const placeRead = (query: Query): Read<string | undefined> =>
  Effect.map(placeRow(query("SELECT place FROM kept_orders_read")), (row) => row?.place)

export const forgetPlace = (query: Query): Read<void> => Effect.asVoid(query("DELETE FROM kept_orders_read"))

/** An accrual that the feed tells of. */
export interface Accrued {
  readonly program: string
  readonly order: string
  readonly account: AccountNumber
}

/** Moves the place on. Orders that have accrued otherwise than by a claim are theirs who have them, to be finished by a round. */
export const advance = (query: Query, accrued: ReadonlyArray<Accrued>, place: string): Read<void> =>
  Effect.asVoid(
    query(
      `WITH had AS (
          UPDATE kept_orders k SET state = 'claiming', account = a.account, begun_at = 0
          FROM unnest($1, $2, $3) a(program_id, order_id, account)
          WHERE k.program_id = a.program_id AND k.order_id = a.order_id AND k.state IN ('open', 'withdrawn')
        )
        INSERT INTO kept_orders_read (place) VALUES ($4) ON CONFLICT (only_one) DO UPDATE SET place = excluded.place`,
      [
        texts(accrued.map(({ program }) => program)),
        texts(accrued.map(({ order }) => order)),
        int8s(accrued.map(({ account }) => account)),
        text(place)
      ]
    )
  )

/** Claims that have not ended stay until they have. */
export const retention: Rule = {
  kept: "kept_orders",
  clock: "service",
  deletes: `WITH old AS MATERIALIZED (
      SELECT program_id, order_id FROM kept_orders WHERE expires_at < $1 AND state <> 'claiming' ORDER BY expires_at LIMIT $2
    ), gone AS (
      DELETE FROM kept_orders k USING old WHERE k.program_id = old.program_id AND k.order_id = old.order_id
        AND k.state <> 'claiming' RETURNING 1
    )
    SELECT count(*) AS deleted, count(*) >= $2 AS more FROM gone`,
  oldest: "SELECT (SELECT expires_at FROM kept_orders ORDER BY expires_at LIMIT 1) AS oldest"
}
