/** Campaigns with triggers on a clock of the test. */
import { PgTypes } from "@effect/sql-pg"
import type { Layer } from "effect"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Store from "../../../src/capabilities/campaigns/CampaignStore.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import type { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import type { Trigger } from "../../../src/contract/platform/Triggers.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { Sandbox } from "../../../src/core/expiry/Sandbox.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { EventFeed } from "../../../src/reads/feed/EventFeed.ts"
import * as PlaceOf from "../../../src/reads/feed/Place.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import { operator } from "../../Operator.ts"
import type { layer } from "./CampaignWorld.ts"
import { program_id } from "./CampaignWorld.ts"

/** The location of the orders of `Testing.order`. */
export const location = Testing.order("any", 100).scope.location_id ?? ""

export const points = (amount: number) => ({ credit: { amount, reason: "thanks" } })

/** A campaign that issues `free-bowl`, unless `more` says another action. */
export const trigger = (campaign_id: string, on: Trigger, more: Partial<CampaignFacts> = {}): CampaignFacts => ({
  campaign_id,
  name: campaign_id,
  program_id,
  ...(more.action === undefined ? { reward_id: "free-bowl" } : undefined),
  trigger: on,
  ...more
})

export const active = Effect.fnUntraced(function* (id: string, on: Trigger, more: Partial<CampaignFacts> = {}) {
  const campaigns = yield* Campaigns.make
  yield* campaigns.put(trigger(id, on, more))
  yield* campaigns.setStatus({ campaign_id: id, status: "active" })
  return campaigns
})

/** Parts that a test of triggers needs. */
export type Parts = Layer.Success<typeof layer>

/** Withdraws all campaigns, so that they give nothing for the events of the next test. */
export const rest = Effect.gen(function* () {
  const campaigns = yield* Campaigns.make
  const found = yield* campaigns.list({ program_id, limit: "200" })
  if (!("campaigns" in found)) throw new Error("all campaigns were asked for")
  for (const { campaign_id } of found.campaigns) yield* campaigns.setStatus({ campaign_id, status: "draft" })
}).pipe(Effect.orDie)

export const balance = (member: string) => Effect.map(Guests.balanceOf(member), ({ amount }) => amount)

/** Moves the service's clock on. */
export const later = (ms: number) =>
  Effect.flatMap(Sandbox, ({ move }) =>
    move(
      (now) => now + ms,
      () => Effect.void
    )
  )

/** Goes on until a campaign has read every record, and nothing that is due is left. */
export const goOn = Effect.fnUntraced(function* (id: string) {
  const { round } = yield* CampaignRuns
  const { query } = yield* PeoplePool
  const feed = yield* EventFeed
  const { catchUp } = yield* Rollups
  for (;;) {
    yield* catchUp()
    const result = yield* round
    const place = PlaceOf.fromText((yield* Store.find(query, id))?.place ?? "")
    const isRead = place === undefined || (yield* feed.oldestAfter(place)) === undefined
    if (isRead && (result === "idle" || result === "stopped")) return
    // Transactions of other tests hold records back for a moment.
    yield* Effect.yieldNow
  }
})

/** Returns once a campaign that stopped has read everything from before. */
export const closed = Effect.fnUntraced(function* (id: string) {
  const { round } = yield* CampaignRuns
  const { query } = yield* PeoplePool
  while ((yield* Store.find(query, id))?.place !== undefined) yield* round
})

/** Outcomes of a campaign's events. */
export const triggered = Effect.fnUntraced(function* (id: string) {
  const campaigns = yield* Campaigns.make
  const { triggered } = yield* campaigns.report(id)
  if (triggered === undefined) throw new Error(`campaign ${id} has no trigger`)
  return triggered
})

export const order = Guests.earn

let adjustments = 0

export const adjust = (
  member_id: string,
  original_order_id: string,
  type: "void" | "partial_refund" | "correction",
  amount: number
) =>
  Guests.body(
    Effect.flatMap(serviceNow, (now) =>
      Testing.call("order.adjust", {
        context: Testing.context(),
        member_id,
        program_id,
        adjustment: {
          adjustment_id: `change-${++adjustments}`,
          original_order_id,
          type,
          reason: "test",
          occurred_at: new Date(now).toISOString(),
          order_total_delta: { amount, currency: "USD" },
          eligible_spend_delta: { amount, currency: "USD" }
        }
      })
    )
  )

/** Enrols a member whose attribute names a referrer. */
export const befriend = (member_id: string, referred_by: string) =>
  Guests.body(
    Testing.call("member.enroll", {
      context: Testing.context(),
      program_id,
      identity: { type: "loyalty_id", value: `card-${member_id}`, issuer: "x" },
      member_id,
      attributes: { referred_by }
    })
  )

/** Enrols a member as an import does. */
export const imported = (member: string) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.enroll({ program: program_id, member, via: "import", identity: { type: "external", value: member } })
  )

export const merge = (from: string, into: string) =>
  Effect.flatMap(Accounts, (accounts) => accounts.merge(program_id, { from, into }))

export const moveOrder = (from: string, order: string, into: string) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.moveOrder(program_id, { order, from, into, reason: "the wrong card" })
  )

export const suspend = (member: string) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.execute(program_id, member, {
      action: { type: "set_status", status: "suspended", reason: "t" },
      guards: {}
    })
  )

/** Erases what is personal of a member, and closes it. */
export const erase = Effect.fnUntraced(function* (member_id: string) {
  const profiles = yield* Profiles.make((yield* PeoplePool).query)
  const program = (yield* Programs).get(program_id)
  if (program === undefined) return yield* Effect.die(new Error("the tests' programme is there"))
  yield* Effect.provideService(profiles.erase(program, { member_id, reason: "asked" }), CurrentCaller, operator)
})

/** Adds a member to a static segment. */
export const list = (segment: string, member: string) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    query(
      `INSERT INTO segment_members (segment_id, account)
        SELECT $1::text, number FROM accounts WHERE member_id = $2::text`,
      [PgTypes.text(segment), PgTypes.text(member)]
    )
  )
