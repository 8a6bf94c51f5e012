/**
 * Guests, orders and gifts that stand out, and audiences that wait (contract/operators.md *Attention*). Orders are counted along an index of business days,
 * gifts along that of the audit's actions: neither scans the ledger.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Attention } from "../../contract/admin/Attention.ts"
import { fromMillis, Unit } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dateAt, dayMs } from "../../core/rules/Calendar.ts"
import { fewRewards } from "../../core/rules/RewardsPerOrder.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Alike from "../../reads/rollups/AlikeOrders.ts"

/** Days whose guests and gifts are told, with the present one. */
const toldDays = 7
/** Orders of a guest on a business day: more than one person eats, fewer than a card that a cashier uses for others gets. */
const manyOrders = 40
/** A gift is unusual from this amount on, if it is also over `timesMedian` the median of `medianDays`. */
const bigGift = 1_000
const timesMedian = 3
const medianDays = 30
/** Fewer gifts have no median that says something. */
const fewestGifts = 5
/** Moves of a member's orders: more than a mistake at the till and its mending. */
const manyMoves = 3
/** Most rows of each list. */
const mostTold = 20
/** Most adjustments, and moves, of all programmes that are read, newest first: 30 days of one every four minutes. */
const mostAdjustments = 10_000

/** Newest receipts whose days are looked through. */
const mostReceipts = 500

/** Newest orders of the week whose rewards are counted: some tens of milliseconds. */
const mostOrders = 5_000

const { text } = PgTypes

const guestsStatement = `WITH busy AS (
    SELECT account, business, count(*) AS orders FROM rollup_orders WHERE program_id = $1 AND business >= $2
      GROUP BY account, business HAVING count(*) >= ${manyOrders}
      ORDER BY business DESC, orders DESC, account LIMIT ${mostTold}
  )
  SELECT m.member_id, b.business, b.orders, (
      SELECT o.location_id FROM rollup_orders o
        WHERE o.program_id = $1 AND o.business = b.business AND o.account = b.account AND o.location_id IS NOT NULL
        GROUP BY o.location_id ORDER BY count(*) DESC, o.location_id LIMIT 1
    ) AS location_id
    FROM busy b JOIN member_rollups m USING (account) ORDER BY b.business DESC, b.orders DESC, b.account`
const guestRows = rowsOf(
  Schema.Struct({
    member_id: Schema.String,
    business: Schema.Number,
    orders: Schema.Number,
    location_id: optional(Schema.String)
  })
)

const giftsStatement = `WITH newest AS (
    SELECT audit_id, at, program_id, subject_id, actor_name, changes FROM audit WHERE action = 'member.adjust'
      ORDER BY audit_id DESC LIMIT ${mostAdjustments}
  ), adjusted AS (
    SELECT *, changes::json -> 'after' AS facts FROM newest WHERE program_id = $1 AND at >= $2
  ), gifts AS (
    SELECT audit_id, at, subject_id, actor_name, coalesce(facts ->> 'unit', $4) AS unit,
        (facts ->> 'amount')::bigint AS amount
      FROM adjusted WHERE (facts ->> 'amount')::bigint > 0
  ), usual AS (
    SELECT unit, CASE WHEN count(*) >= ${fewestGifts} THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY amount) END AS median
      FROM gifts GROUP BY unit
  )
  SELECT audit_id, at, subject_id, actor_name, unit, amount, median FROM gifts JOIN usual USING (unit)
    WHERE at >= $3 AND amount >= ${bigGift} AND (median IS NULL OR amount > ${timesMedian} * median)
    ORDER BY audit_id DESC LIMIT ${mostTold}`
const giftRows = rowsOf(
  Schema.Struct({
    audit_id: Schema.Number,
    at: Schema.Number,
    subject_id: Schema.String,
    actor_name: Schema.String,
    unit: Unit,
    amount: Schema.Number,
    median: optional(Schema.Number)
  })
)

/**
 * The cards and challenges that an order fills are issued in its record, so at its instant, to the account that earned it. If the
 * order was moved since, the audit has the member that it was taken from. What a move fills is issued in its own record, to the
 * member that got the order.
 */
const rewardsStatement = `WITH newest AS (
    SELECT account, order_id, earned_by, at FROM rollup_orders WHERE program_id = $1 AND at >= $2
      ORDER BY at DESC LIMIT ${mostOrders}
  ), moves AS (
    SELECT changes::json -> 'before' AS before, changes::json -> 'after' ->> 'member_id' AS receiver FROM audit WHERE action = 'order.move' AND program_id = $1 AND at >= $3
      ORDER BY audit_id DESC LIMIT ${mostAdjustments}
  ), holders AS (
    SELECT account, order_id, at, earned_by AS holder FROM newest
    UNION SELECT o.account, o.order_id, o.at, a.number FROM newest o
      JOIN moves v ON v.before ->> 'order_id' = o.order_id
      JOIN accounts a ON a.program_id = $1 AND a.member_id = v.before ->> 'member_id'
  )
  SELECT m.member_id, told.order_id, told.at, max(told.rewards) AS rewards FROM (
      SELECT o.account, o.order_id, o.at, given.rewards FROM holders o CROSS JOIN LATERAL (
          SELECT count(*) AS rewards FROM issued_rewards r WHERE r.account = o.holder AND r.issued_at = o.at
        ) given
        WHERE given.rewards > ${fewRewards}
      UNION ALL
      SELECT v.account, v.order_id, given.at, given.rewards FROM (
          SELECT DISTINCT a.number AS account, v.before ->> 'order_id' AS order_id
            FROM moves v JOIN accounts a ON a.program_id = $1 AND a.member_id = v.receiver
        ) v CROSS JOIN LATERAL (
          SELECT r.issued_at AS at, count(*) AS rewards FROM issued_rewards r
            WHERE r.account = v.account AND r.issued_at >= $2 GROUP BY r.issued_at HAVING count(*) > ${fewRewards}
        ) given
        WHERE EXISTS (
          SELECT FROM journal j CROSS JOIN LATERAL json_array_elements(j.events::json) event
            WHERE j.account = v.account AND j.at = given.at
              AND event ->> 'type' = 'order_received' AND event ->> 'order' = v.order_id
        )
    ) told
    JOIN member_rollups m ON m.account = told.account
    GROUP BY m.member_id, told.account, told.order_id, told.at ORDER BY told.at DESC, told.account LIMIT ${mostTold}`
const rewardRows = rowsOf(
  Schema.Struct({ member_id: Schema.String, order_id: Schema.String, at: Schema.Number, rewards: Schema.Number })
)

/** Each move has an entry for each of its two members. */
const movesStatement = `WITH newest AS (
    SELECT audit_id, at, subject_id, actor_name, program_id, changes::json -> 'before' ->> 'member_id' = subject_id AS is_taken
      FROM audit WHERE action = 'order.move' ORDER BY audit_id DESC LIMIT ${mostAdjustments}
  )
  SELECT subject_id, count(*) FILTER (WHERE is_taken) AS taken, count(*) FILTER (WHERE NOT is_taken) AS received,
      max(at) AS at, (array_agg(actor_name ORDER BY audit_id DESC))[1] AS actor_name
    FROM newest WHERE program_id = $1 AND at >= $2 GROUP BY subject_id
    HAVING greatest(count(*) FILTER (WHERE is_taken), count(*) FILTER (WHERE NOT is_taken)) >= ${manyMoves}
    ORDER BY max(audit_id) DESC LIMIT ${mostTold}`
const moveRows = rowsOf(
  Schema.Struct({
    subject_id: Schema.String,
    taken: Schema.Number,
    received: Schema.Number,
    at: Schema.Number,
    actor_name: Schema.String
  })
)

/**
 * A member that was merged since has the orders no more: its heir has. The orders of a receipt's day are found along the index
 * rollup_orders_places. Another guest's order is alike as where the receipt was added.
 */
const receiptsStatement = `WITH newest AS (
    SELECT audit_id, at, program_id, subject_id, changes FROM audit WHERE action = 'member.receipt'
      ORDER BY audit_id DESC LIMIT ${mostAdjustments}
  ), added AS (
    SELECT n.audit_id, n.changes::json -> 'after' AS facts, coalesce(g.into_account, a.number) AS account
      FROM newest n JOIN accounts a ON a.program_id = $1 AND a.member_id = n.subject_id
        LEFT JOIN rollup_merges g ON g.account = a.number
      WHERE n.program_id = $1 AND n.at >= $2 ORDER BY n.audit_id DESC LIMIT ${mostReceipts}
  )
  SELECT m.member_id, r.facts ->> 'order_id' AS order_id, o.order_id AS other_id, o.at,
      CASE WHEN o.account <> r.account THEN h.member_id END AS other_member_id
    FROM added r JOIN member_rollups m ON m.account = r.account CROSS JOIN LATERAL (
        SELECT d.order_id, d.at, d.account FROM rollup_orders d WHERE d.program_id = $1 AND d.counts
          AND d.location_id = r.facts ->> 'location_id' AND d.order_id NOT LIKE 'receipt:%'
          AND d.business = (extract(epoch FROM (r.facts ->> 'business_date')::date) * 1000)::bigint
          AND (d.account = r.account OR ${Alike.condition({
            order: "d",
            ending: Alike.endingOf("r.facts ->> 'number'"),
            amount: "(r.facts -> 'amount' ->> 'amount')::bigint",
            at: "(extract(epoch FROM (r.facts ->> 'placed_at')::timestamptz) * 1000)::bigint"
          })})
      ) o LEFT JOIN member_rollups h ON h.account = o.account
    ORDER BY r.audit_id DESC, o.at LIMIT ${mostTold}`
const receiptRows = rowsOf(
  Schema.Struct({
    member_id: Schema.String,
    order_id: Schema.String,
    other_id: Schema.String,
    at: Schema.Number,
    other_member_id: optional(Schema.String)
  })
)

/** Campaigns that use a segment as it was before a change: what waits for a confirmation (`capabilities/segments/Pinned.ts`). */
const audiencesStatement = `SELECT c.campaign_id, c.name, array_agg(p.segment_id ORDER BY p.segment_id) AS segments
  FROM campaigns c JOIN campaign_audiences p USING (campaign_id) JOIN segments s ON s.segment_id = p.segment_id
  WHERE c.program_id = $1 AND c.status IN ('active', 'paused') AND c.archived_at IS NULL AND s.version <> p.version
  GROUP BY c.n, c.campaign_id, c.name ORDER BY c.n DESC LIMIT ${mostTold}`
const audienceRows = rowsOf(
  Schema.Struct({ campaign_id: Schema.String, name: Schema.String, segments: Schema.Array(Schema.String) })
)

export const layer = HttpApiBuilder.group(AdminApi, "attention", (handlers) =>
  Effect.gen(function* () {
    const { query: run } = yield* WorkPool
    const programs = yield* Programs
    const { now } = yield* serviceTime
    return handlers.handle("attention", ({ query: { program_id } }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const id = program_id ?? Visible.programsOf(programs, caller)[0]?.id
        if (id === undefined) return yield* refuse("not_found", "There is no programme that the caller may see.")
        const { primaryUnit, zone } = yield* Visible.named(programs, caller, id)
        const may = (scope: "audience:read" | "members:read" | "audit:read") =>
          caller.scopes.has(scope) || caller.scopes.has("admin:read")
        const firstDay = dateAt(zone, now()) - (toldDays - 1) * dayMs
        const machine = yield* machineNow
        const since = (days: number) => int8(machine - days * dayMs)
        const guests = yield* guestRows(run(guestsStatement, [text(id), int8(firstDay)]))
        const asked = [text(id), since(medianDays), since(toldDays), text(primaryUnit)]
        const gifts = yield* giftRows(run(giftsStatement, asked))
        const orders = yield* rewardRows(
          run(rewardsStatement, [text(id), int8(now() - toldDays * dayMs), since(toldDays)])
        )
        const moves = yield* moveRows(run(movesStatement, [text(id), since(toldDays)]))
        const receipts = yield* receiptRows(run(receiptsStatement, [text(id), since(toldDays)]))
        const mayAim = may("audience:read") || caller.scopes.has("platform:read")
        const audiences = mayAim ? { audiences: yield* audienceRows(run(audiencesStatement, [text(id)])) } : undefined
        const member = (member_id: string) => (may("members:read") ? { member_id } : undefined)
        return {
          program_id: id,
          ...audiences,
          guests: guests.map(({ business, location_id, member_id, orders }) => ({
            ...member(member_id),
            business_date: fromMillis(business).slice(0, 10),
            orders,
            ...(location_id === undefined ? undefined : { location_id })
          })),
          orders: orders.map(({ at, member_id, order_id, rewards }) => ({
            ...member(member_id),
            order_id,
            at: fromMillis(at),
            rewards
          })),
          gifts: gifts.map(({ actor_name, amount, at, audit_id, median, subject_id, unit }) => ({
            audit_id: `aud_${audit_id}`,
            ...member(subject_id),
            at: fromMillis(at),
            amount,
            unit,
            ...(median === undefined ? undefined : { median }),
            ...(may("audit:read") ? { by: actor_name } : undefined)
          })),
          receipts: receipts.map(({ at, member_id, order_id, other_id, other_member_id: other }) => ({
            ...member(member_id),
            order_id,
            other_id,
            ...(other === undefined || !may("members:read") ? undefined : { other_member_id: other }),
            at: fromMillis(at)
          })),
          moves: moves.map(({ actor_name, at, received, subject_id, taken }) => ({
            ...member(subject_id),
            taken,
            received,
            at: fromMillis(at),
            ...(may("audit:read") ? { by: actor_name } : undefined)
          }))
        } satisfies Attention
      })
    )
  })
)
