/** Parts that the use cases of orders without a guest share. */
import { Effect, Metric } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Series from "../../base/metrics/Series.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Refusal } from "../../core/account/domain/Refusal.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Caller } from "../../core/protocol/Handler.ts"
import * as KeptOrders from "../../core/protocol/KeptOrders.ts"
import * as Limited from "../../core/protocol/Limited.ts"
import { SoldOrders } from "../../core/protocol/SoldOrders.ts"
import type { Program } from "../../core/rules/Program.ts"
import { orUnavailable, refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import { CurrentSite } from "../staff/Site.ts"
import * as Store from "./KeptStore.ts"

const outcomes = ["kept", "claimed", "wrong_code"] as const
type Outcome = (typeof outcomes)[number]

const claimsTotal = (program: string, outcome: Outcome) =>
  Metric.counter("lotbook_claims_total", {
    description: "Orders without a guest that were kept, those that guests have claimed, and codes that no order has",
    attributes: { program, outcome },
    incremental: true
  })

export const needed = Effect.gen(function* () {
  const { claimKey, holders } = yield* Journal
  const { query, transaction } = yield* PeoplePool
  const programs = yield* Programs
  for (const { claims, id } of programs.all())
    if (claims !== undefined) for (const outcome of outcomes) yield* Series.begin(claimsTotal(id, outcome))
  return {
    accounts: yield* Accounts,
    claimKey,
    holders,
    kept: yield* KeptOrders.make,
    noteSold: yield* SoldOrders,
    programs,
    query,
    transaction,
    siteUrl: (yield* CurrentSite).url,
    /** The service's time, ms. */
    now: (yield* serviceTime).now,
    /** The machine's time, ms. */
    machineNow: (yield* machineTime).now
  }
})
export type Parts = Effect.Success<typeof needed>

export const count = (program: string, outcome: Outcome) => Metric.update(claimsTotal(program, outcome), 1)

/** How a programme keeps orders; refused if it keeps none. */
export const claimsOf = ({ claims, id }: Program): Effect.Effect<NonNullable<Program["claims"]>, Refused> =>
  claims === undefined
    ? refuse("claims_off", said`Programme ${id} keeps no orders without a guest.`)
    : Effect.succeed(claims)

/** True if the order has accrued for somebody. */
export const hasAccrued = ({ claimKey, holders }: Parts, program: string, order: string) =>
  Effect.map(orUnavailable(holders([ClaimKeys.order(claimKey, program, order)])), ({ length }) => length > 0)

/** An order that has accrued, with the member that has it; undefined: it has not. */
export const accrued = Effect.fnUntraced(function* ({ accounts }: Parts, program: string, order: string) {
  const found = yield* accounts.order(program, order)
  if (found === undefined || found._tag === "FoundOrder") return found
  return yield* refusedBy(found)
})

export type Reaching = Pick<Caller, "restaurants">

/**
 * Refuses a caller that is limited to other restaurants than that of a kept order, by its row. Requires: the order has not
 * accrued. A till may keep another restaurant's next order under its own.
 */
export const mustReachRow = (
  { restaurants }: Reaching,
  row: Store.Kept | undefined,
  otherwise: Refusal
): Effect.Effect<void, Refused> => {
  const refused = row === undefined ? undefined : Limited.beyond(restaurants, Store.orderOf(row), otherwise)
  return refused === undefined ? Effect.void : refusedBy(refused)
}

/** Refuses one that is limited to others than where an order has accrued. Returns whether it has. */
export const mustReachAccrued = Effect.fnUntraced(function* (
  { accounts }: Parts,
  { restaurants }: Reaching,
  program: string,
  order: string,
  otherwise: Refusal
) {
  if (restaurants === undefined) return false
  const place = yield* accounts.orderPlace(program, order)
  if (place === undefined) return false
  const refused = Limited.ofPlace(restaurants, place, otherwise)
  return refused === undefined ? true : yield* refusedBy(refused)
})

/** Refuses one that is limited to others than that of an order: where it accrued, else where it was kept, else none. */
export const mustReach = Effect.fnUntraced(function* (
  parts: Parts,
  caller: Reaching,
  program: string,
  order: string,
  path: string
) {
  const refused = Limited.elsewhere(path)
  if (caller.restaurants === undefined || (yield* mustReachAccrued(parts, caller, program, order, refused))) return
  const row = yield* Store.find(parts.query, program, order)
  return row === undefined ? yield* refusedBy(refused) : yield* mustReachRow(caller, row, refused)
})
