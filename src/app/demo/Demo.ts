/**
 * Seeds the members, tokens, segment, campaigns and person that the documentation's examples
 * use. Every request has a fixed idempotency key and fixed ids, so seeding twice posts nothing twice.
 */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { serviceNow } from "../../base/time/Times.ts"
import * as CampaignStore from "../../capabilities/campaigns/CampaignStore.ts"
import { conditionsOf, ruleOf } from "../../capabilities/segments/Rules.ts"
import * as SegmentStore from "../../capabilities/segments/SegmentStore.ts"
import { exampleUser } from "../../contract/admin/Staff.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { AuditEntry } from "../../core/journal/Audit.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Handled } from "../../core/protocol/Handler.ts"
import { Handlers } from "../../core/protocol/Handler.ts"
import * as Audit from "../../desk/surface/Audit.ts"

const members = [
  { id: "member-001", name: "Ada", orders: [1250, 980, 2200] },
  { id: "member-002", name: "Ben", orders: [5400, 6100] },
  { id: "member-003", name: "Chi", orders: [15_900, 8700, 4300, 2500] },
  { id: "member-004", name: "Dina", orders: [450] },
  { id: "member-005", name: "Emre", orders: [3100, 3100, 3100] },
  { id: "member-006", name: "Fay", orders: [] }
] as const

const usd = (amount: number) => ({ amount, currency: "USD" })

/** The time at which a part of the seed is sent: the service takes no orders from long ago. */
const present = Effect.map(serviceNow, fromMillis)

const context = (key: string, at: string) =>
  ({
    protocol_version: protocolVersion,
    profile,
    request_id: `seed-${key}`,
    idempotency_key: `demo-seed-${key}`,
    occurred_at: at,
    source: { system: "lotbook-demo" }
  }) as const

/** A paid order of one bowl. `amount`: its price, minor units. */
const order = (program: string, id: string, amount: number, at: string): RequestOf<"accrual.post">["order"] => ({
  order_id: id,
  scope: { program_id: program, brand_id: "corner-bowl", merchant_id: "merchant-west", location_id: "location-42" },
  channel: "counter",
  status: "paid",
  business_date: at.slice(0, 10),
  placed_at: at,
  lines: [
    {
      line_id: "line-1",
      kind: "item",
      product_id: "bowl-classic",
      quantity: 1,
      unit_price: usd(amount),
      subtotal: usd(amount),
      discount: usd(0),
      tax: usd(0),
      category_ids: ["bowls"]
    }
  ],
  totals: {
    subtotal: usd(amount),
    discount: usd(0),
    tax: usd(0),
    tip: usd(0),
    service_charge: usd(0),
    total: usd(amount)
  }
})

const caller = { name: "demo", scopes: new Set(["protocol:read", "protocol:write"] as const), programs: undefined }

/** The body of a request's answer; undefined if it was refused, which is logged. */
export const answered = <Body extends object>(
  effect: Effect.Effect<Handled<Body>>,
  what: string
): Effect.Effect<Body | undefined> =>
  Effect.flatMap(effect, (handled) => {
    if (handled._tag === "Answer") return Effect.succeed(handled.body)
    const why = handled._tag === "Refusal" ? handled.detail : handled._tag
    return Effect.as(Effect.logWarning(`Demo data: ${what}: ${why}`), undefined)
  })

/** Sends requests for the first programme. A key that an earlier start used, at its own time of the orders, is done. */
const sender = Effect.gen(function* () {
  const handlers = yield* Handlers
  const program = (yield* Programs).all()[0]?.id ?? ""
  const call = <Id extends OperationId>(id: Id, request: RequestOf<Id>) =>
    Effect.flatMap(handlers[id](request, caller), (handled) =>
      handled._tag === "Refusal" && handled.code === "idempotency_conflict"
        ? Effect.undefined
        : answered(Effect.succeed(handled), id)
    )
  return { call, program }
})

const enrol = Effect.fnUntraced(function* ({ id, name }: (typeof members)[number]) {
  const { call, program } = yield* sender
  const at = yield* present
  yield* call("member.enroll", {
    context: context(`enroll-${id}`, at),
    program_id: program,
    identity: { type: "loyalty_id", value: `card-${id}`, issuer: "corner-bowl" },
    member_id: id,
    attributes: { first_name: name }
  })
})

/**
 * Enrols the members. Before every other guest, so that their accounts have the first numbers: ids of reservations are
 * made of these, and the documentation's examples name two.
 */
export const enrolments = Effect.forEach(members, enrol, { discard: true })

const enrolAndEarn = Effect.fnUntraced(function* (member: (typeof members)[number]) {
  const { id, orders } = member
  yield* enrol(member)
  const { call, program } = yield* sender
  const at = yield* present
  for (const [index, amount] of orders.entries()) {
    const key = `${id}-${index}`
    yield* call("accrual.post", {
      context: context(`accrue-${key}`, at),
      member_id: id,
      order: order(program, `demo-${key}`, amount, at)
    })
  }
})

const rewards = Effect.gen(function* () {
  const { call, program } = yield* sender
  const at = yield* present
  yield* call("ledger.manual_adjustment", {
    context: context("gift", at),
    member_id: "member-006",
    program_id: program,
    adjustment_id: "demo-welcome-gift",
    amount: 50,
    classification: "gift",
    reason: "Welcome",
    qualifies_for_tier: false
  })
  // The documentation's examples use these ids (src/contract/protocol/Examples.ts).
  for (const issued_reward_id of ["demo-birthday-bowl", "demo-sent-twice"]) {
    yield* call("issued_reward.issue", {
      context: context(`issue-${issued_reward_id}`, at),
      issued_reward_id,
      member_id: "member-003",
      program_id: program,
      reward_id: "free-bowl"
    })
  }
  for (const n of [1, 2]) {
    const order_id = `demo-reward-order-${n}`
    const reserved = yield* call("redemption.reserve", {
      context: context(`reserve-${n}`, at),
      redemption_id: `demo-redemption-${n}`,
      member_id: "member-003",
      reward_id: "one-off",
      order: order(program, order_id, 1100, at)
    })
    if (reserved === undefined) continue
    yield* call("redemption.capture", {
      context: context(`capture-${n}`, at),
      reservation_id: (reserved as ResponseOf<"redemption.reserve">).reservation.reservation_id,
      order_id
    })
  }
})

/** The parts of the seed, in order: one for each member with its orders, then rewards. */
export const parts: ReadonlyArray<Effect.Effect<void, never, Handlers | Programs>> = [
  ...members.map(enrolAndEarn),
  rewards
]

/** Seeds the first programme. */
export const seed = Effect.all(parts, { discard: true })

/** The tokens of the documentation's examples (src/contract/admin/Tokens.ts). Their secrets are random and not kept. */
export const seedTokens = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const now = yield* serviceNow
  for (const { name, token_id } of [
    { token_id: "tok_DEMOEAST", name: "Till at East" },
    { token_id: "tok_DEMOWEST", name: "Till at West" }
  ]) {
    const secret = randomBytes(32)
    const token = query(
      `INSERT INTO tokens (token_id, name, scopes, programs, created_at, created_by)
        VALUES ($1, $2, '{protocol:read,protocol:write}', ARRAY[$3::text], $4, 'demo')
        ON CONFLICT DO NOTHING RETURNING token_id`,
      [token_id, name, "demo-foodservice", int8(now)]
    )
    const secretOf = query("INSERT INTO token_secrets (hash, token_id, hint) VALUES (decode($1, 'hex'), $2, 'demo')", [
      secret.toString("hex"),
      token_id
    ])
    const entry: AuditEntry = {
      at: now,
      actor: { kind: "system", name: "demo" },
      action: "token.create",
      subject: { type: "token", id: token_id },
      changes: { after: { name, scopes: ["protocol:read", "protocol:write"], programs: ["demo-foodservice"] } }
    }
    const told = query(Audit.appendStatement, Audit.appendParameters(entry))
    yield* transaction(
      Effect.flatMap(token, (made) => (made.length === 0 ? Effect.void : Effect.andThen(secretOf, Effect.asVoid(told))))
    )
  }
})

const regulars = { all: [{ status: ["active"] }, { order: { minimum_count: 3, within_days: 90 } }] }

/** The segment of the documentation's examples (src/contract/platform/segmentExamples.json), unless one has its id. */
export const seedSegment = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const program = (yield* Programs).all()[0]?.id ?? ""
  const now = yield* serviceNow
  if ((yield* SegmentStore.find(query, "regulars")) !== undefined) return
  const segment = {
    id: "regulars",
    program,
    name: "Regulars",
    rules: regulars,
    conditions: conditionsOf(ruleOf(regulars)).length,
    references: [],
    accounts: []
  }
  yield* transaction(SegmentStore.put(query, segment, now))
})

/**
 * The campaign and the draft of the documentation's examples (src/contract/platform/campaignExamples.json), unless the campaign
 * is there.
 */
export const seedCampaign = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const program = (yield* Programs).all()[0]
  const now = yield* serviceNow
  if (program?.rewards.has("free-bowl") !== true) return
  if ((yield* CampaignStore.find(query, "bowl-for-regulars")) !== undefined) return
  const campaign = {
    id: "bowl-for-regulars",
    program: program.id,
    name: "A bowl for regulars",
    guestName: "A bowl on us",
    guestText: "Thank you for coming so often: the next bowl is free.",
    guestTexts: undefined,
    guestDays: undefined,
    mail: undefined,
    segment: "regulars",
    trigger: undefined,
    frequency: undefined,
    action: { issue_reward: { reward_id: "free-bowl", expires_in_seconds: 14 * 86_400 } },
    startsAt: undefined,
    endsAt: undefined,
    repeat: undefined,
    holdoutPercent: 0,
    limitRewards: 5_000,
    limitAmount: undefined,
    attributionDays: 14
  }
  const draft = {
    ...campaign,
    id: "idea-for-summer",
    name: "An idea for the summer",
    guestName: undefined,
    guestText: undefined,
    guestTexts: undefined,
    guestDays: undefined,
    mail: undefined,
    action: { issue_reward: { reward_id: "free-bowl" } },
    limitRewards: undefined,
    attributionDays: 7
  }
  yield* transaction(
    Effect.all([
      CampaignStore.put(query, campaign, undefined, now),
      CampaignStore.setStatus(query, campaign.id, "active", undefined, now),
      CampaignStore.put(query, draft, undefined, now)
    ])
  )
})

/** The person of the documentation's examples (src/contract/admin/Staff.ts), who has no invitation: nobody can sign in as her. */
export const seedPerson = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const now = yield* serviceNow
  const { email, name, role, user_id } = exampleUser
  const person = query(
    `INSERT INTO users (user_id, email, name, role, status, created_at, created_by)
      VALUES ($1, $2, $3, $4, 'invited', $5, 'demo') ON CONFLICT DO NOTHING RETURNING user_id`,
    [user_id, email, name, role, int8(now)]
  )
  const entry: AuditEntry = {
    at: now,
    actor: { kind: "system", name: "demo" },
    action: "staff.invite",
    subject: { type: "user", id: user_id },
    changes: { after: { role, status: "invited" } }
  }
  const told = query(Audit.appendStatement, Audit.appendParameters(entry))
  yield* transaction(Effect.flatMap(person, (made) => (made.length === 0 ? Effect.void : Effect.asVoid(told))))
})
