/**
 * Seeds two months of history of the demo programme into an empty database, before the
 * service takes requests. Sends the requests of `DemoPlan` to the use cases that also
 * serve tills and marketing systems, with accounts of its own and a clock in the past.
 *
 * Invariant: an account's requests are sent in order of time, so its clock never runs
 * backwards. Requests of different guests on one day overlap, so that they share
 * commits.
 */
import { Effect, Fiber, Layer, Semaphore } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import * as Times from "../../base/time/Times.ts"
import { CampaignRuns } from "../../capabilities/campaigns/CampaignRuns.ts"
import * as Campaigns from "../../capabilities/campaigns/Campaigns.ts"
import * as Events from "../../capabilities/events/Events.ts"
import * as Imports from "../../capabilities/imports/Imports.ts"
import * as Profiles from "../../capabilities/members/Profiles.ts"
import * as Noting from "../../capabilities/products/Noting.ts"
import { SoldProducts } from "../../capabilities/products/SoldProducts.ts"
import * as Segments from "../../capabilities/segments/Segments.ts"
import type { OperationId, RequestOf } from "../../contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import * as HandlersOf from "../../core/protocol/Handlers.ts"
import type { Program } from "../../core/rules/Program.ts"
import { inForce } from "../../core/rules/TierPolicies.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as EventFeed from "../../reads/feed/EventFeed.ts"
import * as PgFeed from "../../reads/feed/PgFeed.ts"
import * as RollupStore from "../../reads/rollups/RollupStore.ts"
import { Rollups } from "../../reads/rollups/Rollups.ts"
import * as Demo from "./Demo.ts"
import type { Guest } from "./DemoGuests.ts"
import type { Day, DemoPlan, GuestRequest } from "./DemoPlan.ts"
import { planOf } from "./DemoPlan.ts"

/** The programme of the history. The plan uses its rewards. */
const programId = "demo-foodservice"
const campaignId = "dollar-off-for-subscribers"
/** Events in one batch. */
const batchEvents = 500
/** Most accounts with something due at the end of a day; the demo has fewer. */
const dueAccounts = 1_000

/** Operations that may read the journal before they are decided. */
const readingJournal: ReadonlySet<OperationId> = new Set([
  "member.enroll",
  "issued_reward.list",
  "order.adjust",
  "redemption.reverse"
])

const caller: RequestCaller = {
  kind: "system",
  keyId: "demo",
  name: "demo",
  scopes: new Set(["protocol:read", "protocol:write", "platform:read", "platform:write"] as const),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
}

const contextOf = (at: number, key: string) =>
  ({
    protocol_version: protocolVersion,
    profile,
    request_id: `seed-${key}`,
    idempotency_key: `demo-seed-${key}`,
    occurred_at: fromMillis(at),
    source: { system: "lotbook-demo" }
  }) as const

const logged = (what: string) => (error: Refused) => Effect.logWarning(`Demo data: ${what}: ${error.detail}`)

const profileOf = ({ birthDate, email, id, marketing, name, phone }: Guest) => ({
  member_id: id,
  external_id: `app-${id}`,
  display_name: name,
  ...(email === undefined ? undefined : { email }),
  ...(phone === undefined ? undefined : { phone }),
  ...(birthDate === undefined ? undefined : { birth_date: birthDate }),
  consent: { marketing, source: "app" }
})

/** The parts of one seeding. */
const partsOf = Effect.fnUntraced(function* (clock: Times.StandingTime, program: Program, plan: DemoPlan) {
  return {
    clock,
    program,
    plan,
    handlers: yield* Handlers,
    campaigns: yield* Campaigns.make,
    events: yield* Events.make,
    imports: yield* Imports.make,
    profiles: yield* Profiles.make((yield* WorkPool).query),
    segments: yield* Segments.make,
    runs: yield* CampaignRuns,
    rollups: yield* Rollups,
    accounts: yield* Accounts.Accounts,
    journal: yield* Journal,
    /** The reservation of each redemption. */
    reservations: new Map<string, string>(),
    /** Held while the clock must not move. */
    turn: Semaphore.makeUnsafe(1)
  }
})

type Parts = Effect.Success<ReturnType<typeof partsOf>>

/** Sends all requests of the plan, each at its time on `clock`. */
const sendAll = Effect.fnUntraced(function* (clock: Times.StandingTime, program: Program, plan: DemoPlan) {
  const parts = yield* partsOf(clock, program, plan)
  clock.set(plan.start)
  yield* Demo.enrolments
  for (const one of plan.days) yield* day(parts, one)
  yield* Effect.catch(recordEvents(parts), logged("events"))
  yield* Effect.orDie(parts.rollups.catchUp())
})

/**
 * Sends a request at a time on the clock. Most are decided synchronously, so the clock can be set again at once.
 * Those that may read the journal first keep the clock until they are answered.
 */
const send = <Id extends OperationId>({ clock, handlers, turn }: Parts, at: number, id: Id, request: RequestOf<Id>) => {
  const answer = Effect.suspend(() => {
    clock.set(at)
    return Demo.answered(handlers[id](request, caller), id)
  })
  return readingJournal.has(id)
    ? turn.withPermits(1)(answer)
    : Effect.flatMap(turn.withPermits(1)(Effect.forkChild(answer, { startImmediately: true })), Fiber.join)
}

const reserve = Effect.fnUntraced(function* (
  parts: Parts,
  at: number,
  request: Omit<RequestOf<"redemption.reserve">, "context">
): Effect.fn.Return<void> {
  const { reservations } = parts
  const context = contextOf(at, request.redemption_id)
  const answer = yield* send(parts, at, "redemption.reserve", { context, ...request })
  if (answer !== undefined) reservations.set(request.redemption_id, answer.reservation.reservation_id)
})

const capture = (parts: Parts, at: number, redemption: string, order_id: string) =>
  send(parts, at, "redemption.capture", {
    context: contextOf(at, `capture-${redemption}`),
    reservation_id: parts.reservations.get(redemption) ?? redemption,
    order_id
  })

const accrue = (parts: Parts, at: number, member_id: string, order: RequestOf<"accrual.post">["order"]) =>
  send(parts, at, "accrual.post", { context: contextOf(at, order.order_id), member_id, order })

/** Redeems the campaign's reward, if it is in the guest's wallet. */
const redeemCampaignReward = Effect.fnUntraced(function* (
  parts: Parts,
  member_id: string,
  { at, order, redemption }: GuestRequest & { type: "campaign_reward" }
) {
  const { idempotency_key: _, ...context } = contextOf(at, redemption)
  const wallet = yield* send(parts, at, "issued_reward.list", {
    context,
    member_id,
    program_id: programId,
    statuses: ["issued"]
  })
  const issued = wallet?.issued_rewards.find(({ reward_id }) => reward_id === "one-off")
  if (issued === undefined) return
  const { issued_reward_id } = issued
  const open = { ...order, status: "open" } as const
  yield* reserve(parts, at, {
    redemption_id: redemption,
    member_id,
    reward_id: "one-off",
    order: open,
    issued_reward_id
  })
  yield* capture(parts, at + 40_000, redemption, order.order_id)
  yield* accrue(parts, at + 60_000, member_id, order)
})

const sendOne = (parts: Parts, member_id: string, request: GuestRequest): Effect.Effect<unknown> => {
  const { program, reservations } = parts
  const { at } = request
  const program_id = programId
  switch (request.type) {
    case "accrue":
      return accrue(parts, at, member_id, request.order)
    case "reserve":
      return reserve(parts, at, {
        redemption_id: request.redemption,
        member_id,
        reward_id: request.reward,
        order: request.order
      })
    case "capture":
      return capture(parts, at, request.redemption, request.order)
    case "reverse":
      return send(parts, at, "redemption.reverse", {
        context: contextOf(at, `reverse-${request.redemption}`),
        reservation_id: reservations.get(request.redemption) ?? request.redemption,
        reason: request.reason
      })
    case "refund": {
      const delta = { amount: -request.amount, currency: program.currency }
      return send(parts, at, "order.adjust", {
        context: contextOf(at, `refund-${request.order}`),
        member_id,
        program_id,
        adjustment: {
          adjustment_id: `refund-${request.order}`,
          original_order_id: request.order,
          type: request.isFull ? "full_refund" : "partial_refund",
          reason: request.isFull ? "Order never came" : "An item was missing",
          occurred_at: fromMillis(at),
          order_total_delta: delta,
          eligible_spend_delta: delta
        }
      })
    }
    case "welcome":
      return send(parts, at, "ledger.manual_adjustment", {
        context: contextOf(at, `welcome-${member_id}`),
        member_id,
        program_id,
        adjustment_id: `welcome-${member_id}`,
        amount: request.amount,
        classification: "gift",
        reason: "Welcome",
        qualifies_for_tier: false,
        expires_at: fromMillis(request.expiresAt)
      })
    case "issue":
      return send(parts, at, "issued_reward.issue", {
        context: contextOf(at, request.issued),
        issued_reward_id: request.issued,
        member_id,
        program_id,
        reward_id: request.reward,
        expires_at: fromMillis(request.expiresAt)
      })
    case "campaign_reward":
      return redeemCampaignReward(parts, member_id, request)
  }
}

const join = Effect.fnUntraced(function* (parts: Parts, { at, guest }: Day["joins"][number]) {
  const { profiles, program } = parts
  yield* send(parts, at, "member.enroll", {
    context: contextOf(at, `enroll-${guest.id}`),
    program_id: programId,
    identity: { type: "loyalty_id", value: `card-${guest.id}`, issuer: "corner-bowl" },
    member_id: guest.id
  })
  yield* Effect.catch(
    profiles.upsert(program, profileOf(guest), { via: "platform", actor: caller.name }),
    logged(`profile of ${guest.id}`)
  )
})

const importGuests = Effect.fnUntraced(function* (
  { clock, imports }: Parts,
  { at, guests }: NonNullable<Day["imported"]>
) {
  clock.set(at)
  const rows = guests.map((guest) => ({
    ...profileOf(guest),
    identity: { type: "loyalty_id", value: `card-${guest.id}`, issuer: "corner-bowl" },
    ...(guest.opening === 0 ? undefined : { opening_balance: guest.opening })
  }))
  // A row that is refused, so that the import shows an error.
  const faulty = { member_id: `guest-of-${guests.length}`, email: "no address" }
  const idempotency_key = `demo-seed-import-${guests.length}`
  yield* imports.importMembers({ idempotency_key, program_id: programId, rows: [...rows, faulty] }, {})
})

const campaign = Effect.fnUntraced(function* ({ campaigns, clock, plan, rollups, runs, segments }: Parts, at: number) {
  clock.set(at)
  yield* Effect.orDie(rollups.catchUp())
  yield* segments.put({
    segment_id: "subscribers",
    program_id: programId,
    name: "Subscribers",
    rules: { all: [{ status: ["active"] }, { consent: { purpose: "marketing" } }] }
  })
  yield* campaigns.put({
    campaign_id: campaignId,
    program_id: programId,
    name: "A dollar off for subscribers",
    segment_id: "subscribers",
    action: { issue_reward: { reward_id: "one-off", expires_in_seconds: plan.campaignRewardSeconds } },
    holdout_percent: 20,
    attribution_days: 9
  })
  yield* campaigns.setStatus({ campaign_id: campaignId, status: "active" })
  const run = yield* Effect.forkChild(campaigns.run({ campaign_id: campaignId }), { startImmediately: true })
  while (run.pollUnsafe() === undefined) {
    yield* runs.drain
    yield* Effect.yieldNow
  }
  yield* Fiber.join(run)
})

/** Posts everything due by `at`. No scheduler runs, because the clock jumps between the times of different guests. */
const postDue = Effect.fnUntraced(function* ({ accounts, clock, journal }: Parts, at: number) {
  clock.set(at)
  const due = yield* journal.due(at, dueAccounts, [])
  yield* Effect.forEach(due, ({ account }) => accounts.wake(account), { concurrency: "unbounded", discard: true })
})

const day = Effect.fnUntraced(function* (parts: Parts, { campaignAt, end, imported, joins, part, requests }: Day) {
  const { clock } = parts
  if (imported !== undefined) yield* Effect.catch(importGuests(parts, imported), logged("import"))
  for (const one of joins) yield* join(parts, one)
  if (campaignAt !== undefined) yield* Effect.catch(campaign(parts, campaignAt), logged("campaign"))
  const demo = part === undefined ? undefined : Demo.parts[part.index]
  if (part !== undefined && demo !== undefined) {
    clock.set(part.at)
    yield* demo
  }
  yield* Effect.forEach(
    requests,
    ([member, list]) => Effect.forEach(list, (request) => sendOne(parts, member, request), { discard: true }),
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.orDie(postDue(parts, end))
})

const recordEvents = Effect.fnUntraced(function* ({ events, plan }: Parts) {
  const all = plan.behaviour.map(({ at, guest, key, location, properties, type }) => ({
    idempotency_key: `demo-seed-${key}`,
    type,
    member_id: guest,
    program_id: programId,
    occurred_at: fromMillis(at),
    source: "app",
    properties,
    ...(location === undefined ? undefined : { location_id: location })
  }))
  for (let from = 0; from < all.length; from += batchEvents) {
    yield* events.recordBatch(all.slice(from, from + batchEvents))
  }
})

/** The products of the orders, which the service notes of others. */
const noteProducts = ({ days }: DemoPlan) => {
  const sold = new SoldProducts()
  for (const [, requests] of days.flatMap((one) => [...one.requests]))
    for (const one of requests) if (one.type === "accrue") sold.note(programId, one.order.lines, one.at)
  return Effect.catch(Noting.write(sold), logged("products"))
}

/** The services of the history. They end with it, and the service builds its own. */
const services = CampaignRuns.layer.pipe(
  Layer.provideMerge(HandlersOf.layer),
  // Accounts stay in memory, so that `send` decides synchronously.
  Layer.provideMerge(Accounts.layer({ idleMs: Number.POSITIVE_INFINITY })),
  Layer.provideMerge(Rollups.layer),
  Layer.provideMerge(EventFeed.layer),
  Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
  Layer.provideMerge(Layer.succeed(CurrentCaller, caller))
)

/**
 * Does nothing if the database has a record or lacks the programme. If the service is killed meanwhile, the history
 * stays shorter.
 */
export const seed = Effect.gen(function* () {
  const program = (yield* Programs).get(programId)
  if (program === undefined || (yield* (yield* Journal).newestAt) !== undefined) return
  const now = yield* Times.serviceNow
  const zone = inForce(program.tierPolicies, now)?.period.time_zone ?? "UTC"
  const plan = planOf(now, zone)
  const clock = new Times.StandingTime(plan.start)
  yield* sendAll(clock, program, plan).pipe(Effect.provide(services, { local: true }), Times.at(clock))
  yield* noteProducts(plan)
})
