/**
 * Retries with a key, and business identifiers that prevent duplicates under any key
 * (contract/idempotency.md *Business identifiers*).
 */
import { Effect } from "effect"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import * as Earned from "../Earned.ts"
import type { Exchange } from "../Host.ts"
import type { Probe } from "../Probe.ts"
import { display, isSuccess, summary, withoutContext } from "../Probe.ts"
import { reservable } from "./Redemptions.ts"

const specRule = "contract/idempotency.md *Keys*"
const rule = "contract/idempotency.md *Business identifiers*"
const reason = "lotbook verify"

type Body = Readonly<Record<string, unknown>>

/** The body of a write, and a second body with another business payload. */
interface Write {
  readonly body: Body
  readonly other: Body
}

interface Scenario {
  readonly id: OperationId
  readonly needs: ReadonlyArray<OperationId>
  readonly prepare: (probe: Probe) => Effect.Effect<Write, CaseError>
}

const orderOf = Effect.fnUntraced(function* (probe: Probe) {
  const { member_id } = yield* probe.member()
  const order = yield* probe.order([{ subtotal: Earned.exactSpend(probe.world.program, 10_000, probe.number(2, 20)) }])
  return { member_id, order }
})

const reserving = Effect.fnUntraced(function* (probe: Probe) {
  const { cost, reward_id } = yield* reservable(probe)
  const member = yield* probe.member()
  yield* probe.fund(member, { unit: cost.unit, amount: 2 * cost.amount })
  const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
  return { redemption_id: probe.id("redemption"), member_id: member.member_id, reward_id, order }
})

const issuing = Effect.fnUntraced(function* (probe: Probe) {
  const [reward] = probe.world.program.rewards
  if (reward === undefined) return yield* probe.skip("the programme has no rewards")
  const { member_id } = yield* probe.member()
  const { program_id } = probe
  return { issued_reward_id: probe.id("issued"), member_id, program_id, reward_id: reward.reward_id }
})

const scenarios: ReadonlyArray<Scenario> = [
  {
    id: "member.enroll",
    needs: ["member.enroll"],
    prepare: (probe) =>
      Effect.sync(() => {
        const { program_id } = probe
        return { body: { program_id, identity: probe.identity() }, other: { program_id, identity: probe.identity() } }
      })
  },
  {
    id: "ledger.manual_adjustment",
    needs: ["member.enroll", "ledger.manual_adjustment"],
    prepare: (probe) =>
      Effect.map(probe.member(), (member) => {
        const body = probe.manual(member, probe.number(10, 500))
        return { body, other: { ...body, amount: body.amount + 1 } }
      })
  },
  {
    id: "accrual.post",
    needs: ["member.enroll", "accrual.post"],
    prepare: (probe) =>
      Effect.map(orderOf(probe), (body) => ({ body, other: { ...body, order: { ...body.order, order_number: "7" } } }))
  },
  {
    id: "order.adjust",
    needs: ["member.enroll", "accrual.post", "order.adjust"],
    prepare: Effect.fnUntraced(function* (probe) {
      const { member_id, order } = yield* orderOf(probe)
      yield* probe.ok("accrual.post", { member_id, order })
      const adjustment = yield* probe.adjustment(order, "partial_refund", -order.totals.total.amount)
      const body = { member_id, program_id: probe.program_id, adjustment }
      return { body, other: { ...body, adjustment: { ...adjustment, reason: "another reason" } } }
    })
  },
  {
    id: "redemption.reserve",
    needs: ["member.enroll", "ledger.manual_adjustment", "redemption.reserve"],
    prepare: (probe) =>
      Effect.map(reserving(probe), (body) => ({ body, other: { ...body, redemption_id: probe.id("redemption") } }))
  },
  {
    id: "redemption.capture",
    needs: ["member.enroll", "ledger.manual_adjustment", "redemption.reserve", "redemption.capture"],
    prepare: Effect.fnUntraced(function* (probe) {
      const { value } = yield* probe.ok("redemption.reserve", yield* reserving(probe))
      const { order_id, reservation_id } = value.reservation
      return { body: { reservation_id, order_id }, other: { reservation_id, order_id: probe.id("order") } }
    })
  },
  {
    id: "redemption.reverse",
    needs: ["member.enroll", "ledger.manual_adjustment", "redemption.reserve", "redemption.reverse"],
    prepare: Effect.fnUntraced(function* (probe) {
      const { value } = yield* probe.ok("redemption.reserve", yield* reserving(probe))
      const { reservation_id } = value.reservation
      return { body: { reservation_id, reason }, other: { reservation_id, reason: "another reason" } }
    })
  },
  {
    id: "issued_reward.issue",
    needs: ["member.enroll", "issued_reward.issue"],
    prepare: (probe) =>
      Effect.map(issuing(probe), (body) => ({ body, other: { ...body, issued_reward_id: probe.id("issued") } }))
  },
  {
    id: "issued_reward.cancel",
    needs: ["member.enroll", "issued_reward.issue", "issued_reward.cancel"],
    prepare: Effect.fnUntraced(function* (probe) {
      const { value } = yield* probe.ok("issued_reward.issue", yield* issuing(probe))
      const { issued_reward_id } = value.issued_reward
      return { body: { issued_reward_id, reason }, other: { issued_reward_id, reason: "another reason" } }
    })
  }
]

const send = (probe: Probe, id: OperationId, body: Body, key: string) => probe.call(id, body as never, { key })

const processedAt = ({ body }: Exchange): unknown =>
  (body as { readonly context?: { readonly processed_at?: unknown } } | undefined)?.context?.processed_at

/** Remembers an enrolled member, so that it is closed like the others. */
const claim = (probe: Probe, { body }: Exchange): void => {
  const { member } = (body ?? {}) as { readonly member?: { readonly member_id: string } }
  if (member !== undefined) probe.register(member.member_id, probe.identity())
}

const replays: ReadonlyArray<Case> = scenarios.map(({ id, needs, prepare }) => ({
  id: `replay.${id}`,
  level: "base",
  rule: specRule,
  title: "a retry with the same key and payload returns the original result, whatever its request_id and occurred_at",
  needs,
  run: Effect.fnUntraced(function* (probe) {
    const { body } = yield* prepare(probe)
    const key = probe.id("key")
    const first = yield* send(probe, id, body, key)
    if (!isSuccess(first)) return yield* probe.stop(first, "success", summary(first))
    claim(probe, first)
    for (let count = 0; count < 2; count++) {
      const repeated = yield* send(probe, id, body, key)
      if (!isSuccess(repeated)) return yield* probe.stop(repeated, "the original success", summary(repeated))
      probe.equal(repeated, "the body without its context", withoutContext(repeated.body), withoutContext(first.body))
    }
  })
}))

const conflicts: ReadonlyArray<Case> = scenarios.map(({ id, needs, prepare }) => ({
  id: `conflict.${id}`,
  level: "base",
  rule: specRule,
  title: "the same key with another payload is 409 idempotency_conflict, and the original result stands",
  needs,
  run: Effect.fnUntraced(function* (probe) {
    const { body, other } = yield* prepare(probe)
    const key = probe.id("key")
    const first = yield* send(probe, id, body, key)
    if (!isSuccess(first)) return yield* probe.stop(first, "success", summary(first))
    claim(probe, first)
    probe.refused(yield* send(probe, id, other, key), 409, "idempotency_conflict")
    const repeated = yield* send(probe, id, body, key)
    probe.equal(repeated, "the body without its context", withoutContext(repeated.body), withoutContext(first.body))
  })
}))

/** The header of an answer that marks a replay. */
const replayed = ({ headers }: Exchange): string | undefined => headers["idempotent-replayed"]

const marked: Case = {
  id: "replay.marked",
  level: "strict",
  rule: "contract/transport.md *Headers*; contract/idempotency.md *Keys*",
  title: "a replay has the original's status and processed_at, and the header Idempotent-Replayed: true",
  needs: [...new Set(scenarios.flatMap(({ needs }) => needs))],
  run: Effect.fnUntraced(function* (probe) {
    for (const { id, prepare } of scenarios) {
      const { body } = yield* prepare(probe)
      const key = probe.id("key")
      const first = yield* send(probe, id, body, key)
      claim(probe, first)
      probe.equal(first, "Idempotent-Replayed of the first answer", replayed(first), undefined)
      const repeated = yield* send(probe, id, body, key)
      probe.equal(repeated, "the status", repeated.status, first.status)
      probe.equal(repeated, "processed_at, the original's,", processedAt(repeated), processedAt(first))
      probe.equal(repeated, "Idempotent-Replayed", replayed(repeated), "true")
    }
  })
}

const needsCredit = ["member.enroll", "ledger.manual_adjustment"] as const
const needsReserve = [...needsCredit, "redemption.reserve", "redemption.reverse"] as const

const others: ReadonlyArray<Case> = [
  {
    id: "replay.after-capture",
    level: "base",
    rule: specRule,
    title: "replaying a reservation after its capture returns the original result, not the present state",
    needs: [...needsReserve, "redemption.capture"],
    run: Effect.fnUntraced(function* (probe) {
      const body = yield* reserving(probe)
      const key = probe.id("key")
      const first = yield* probe.ok("redemption.reserve", body, { key })
      const { order_id, reservation_id } = first.value.reservation
      yield* probe.ok("redemption.capture", { reservation_id, order_id })
      const repeated = yield* probe.call("redemption.reserve", body, { key })
      probe.equal(
        repeated,
        "the body without its context",
        withoutContext(repeated.body),
        withoutContext(first.exchange.body)
      )
    })
  },
  {
    id: "replay.property-order",
    level: "strict",
    rule,
    title: "the order of properties and context.source.instance do not belong to the payload",
    needs: needsCredit,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const body = probe.manual(member, 5)
      const key = probe.id("key")
      const first = yield* probe.ok("ledger.manual_adjustment", body, { key })
      const turned = Object.fromEntries(Object.entries(body).reverse())
      const context = yield* probe.context({ key })
      const source = { ...context.source, instance: "another" }
      const repeated = yield* probe.post("ledger.manual_adjustment", { ...turned, context: { ...context, source } })
      probe.equal(
        repeated,
        "the body without its context",
        withoutContext(repeated.body),
        withoutContext(first.exchange.body)
      )
    })
  },
  {
    id: "key.scope",
    level: "strict",
    rule,
    title: "a key is unique per programme, source.system and operation",
    needs: [...needsCredit, "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const { member_id } = member
      const key = probe.id("key")
      const first = yield* probe.ok("ledger.manual_adjustment", probe.manual(member, 5), { key })
      const system = "lotbook-verify-2"
      const second = yield* probe.ok("ledger.manual_adjustment", probe.manual(member, 5), { key, system })
      const isNew = first.value.entry.entry_id !== second.value.entry.entry_id
      probe.check(second.exchange, isNew, "another entry for another system", second.value.entry.entry_id)
      const order = yield* probe.order([{ subtotal: 1_000 }])
      const accrual = yield* probe.call("accrual.post", { member_id, order }, { key })
      probe.check(accrual, isSuccess(accrual), "success for another operation", summary(accrual))
    })
  },
  {
    id: "key.after-refusal",
    level: "strict",
    rule,
    title: "a refused request can be retried with its key once the cause is gone",
    needs: needsReserve,
    run: Effect.fnUntraced(function* (probe) {
      const { cost, reward_id } = yield* reservable(probe)
      const member = yield* probe.member()
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const body = { redemption_id: probe.id("redemption"), member_id: member.member_id, reward_id, order }
      const key = probe.id("key")
      probe.refused(yield* probe.call("redemption.reserve", body, { key }), 409, "insufficient_balance")
      yield* probe.fund(member, cost)
      const repeated = yield* probe.call("redemption.reserve", body, { key })
      probe.check(repeated, isSuccess(repeated), "success", summary(repeated))
    })
  },
  {
    id: "business.order",
    level: "strict",
    rule,
    title:
      "an order accrues once: the same facts are answered 200 with the first entry and the balances of now; others are 409 conflict",
    needs: ["member.enroll", "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const body = yield* orderOf(probe)
      const other = yield* probe.member()
      const first = yield* probe.ok("accrual.post", body)
      yield* probe.ok("accrual.post", { ...body, order: { ...body.order, order_id: probe.id("order") } })
      const now = yield* probe.ok("account.get", { member_id: body.member_id, program_id: probe.program_id })
      const repeated = yield* probe.ok("accrual.post", body)
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      probe.equal(repeated.exchange, "the balance", repeated.value.balances[0]?.amount, now.value.balances[0]?.amount)
      probe.equal(repeated.exchange, "entry_id", repeated.value.entry.entry_id, first.value.entry.entry_id)
      const changed = { ...body, order: { ...body.order, order_number: "7" } }
      probe.refused(yield* probe.call("accrual.post", changed), 409, "conflict")
      const elsewhere = { ...body, member_id: other.member_id }
      probe.refused(yield* probe.call("accrual.post", elsewhere), 409, "conflict")
    })
  },
  {
    id: "business.adjustment",
    level: "strict",
    rule,
    title: "an adjustment_id is unique, over order adjustments and manual ones together",
    needs: [...needsCredit, "accrual.post", "order.adjust"],
    run: Effect.fnUntraced(function* (probe) {
      const { member_id, order } = yield* orderOf(probe)
      const { program_id } = probe
      const member = probe.register(member_id, probe.identity())
      const manual = probe.manual(member, 5)
      const first = yield* probe.ok("ledger.manual_adjustment", manual)
      const repeated = yield* probe.ok("ledger.manual_adjustment", manual)
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      probe.equal(repeated.exchange, "entry_id", repeated.value.entry.entry_id, first.value.entry.entry_id)
      probe.refused(yield* probe.call("ledger.manual_adjustment", { ...manual, amount: 6 }), 409, "conflict")
      yield* probe.ok("accrual.post", { member_id, order })
      const adjustment = yield* probe.adjustment(order, "partial_refund", -100)
      const shared = { ...adjustment, adjustment_id: manual.adjustment_id }
      probe.refused(yield* probe.call("order.adjust", { member_id, program_id, adjustment: shared }), 409, "conflict")
      const refund = yield* probe.ok("order.adjust", { member_id, program_id, adjustment })
      const twice = yield* probe.ok("order.adjust", { member_id, program_id, adjustment })
      probe.equal(twice.exchange, "status", twice.exchange.status, 200)
      probe.equal(twice.exchange, "entry_id", twice.value.entry.entry_id, refund.value.entry.entry_id)
    })
  },
  {
    id: "business.redemption",
    level: "strict",
    rule,
    title: "a repeated redemption_id returns the reservation's present state with 200; other facts are 409 conflict",
    needs: needsReserve,
    run: Effect.fnUntraced(function* (probe) {
      const body = yield* reserving(probe)
      const first = yield* probe.ok("redemption.reserve", body)
      probe.equal(first.exchange, "status", first.exchange.status, 201)
      const { reservation_id } = first.value.reservation
      yield* probe.ok("redemption.reverse", { reservation_id, reason })
      const repeated = yield* probe.ok("redemption.reserve", body)
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      probe.equal(repeated.exchange, "reservation_id", repeated.value.reservation.reservation_id, reservation_id)
      probe.equal(repeated.exchange, "the reservation's status", repeated.value.reservation.status, "reversed")
      const changed = { ...body, order: { ...body.order, order_number: "7" } }
      probe.refused(yield* probe.call("redemption.reserve", changed), 409, "conflict")
    })
  },
  {
    id: "business.issued-reward",
    level: "strict",
    rule,
    title: "a repeated issued_reward_id returns the reward as it was issued, with 200; other facts are 409 conflict",
    needs: ["member.enroll", "issued_reward.issue"],
    run: Effect.fnUntraced(function* (probe) {
      const body = yield* issuing(probe)
      const other = yield* probe.member()
      const first = yield* probe.ok("issued_reward.issue", body)
      const repeated = yield* probe.ok("issued_reward.issue", body)
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      probe.equal(repeated.exchange, "issued_reward", repeated.value.issued_reward, first.value.issued_reward)
      const elsewhere = { ...body, member_id: other.member_id }
      const exchange = yield* probe.call("issued_reward.issue", elsewhere)
      probe.refused(exchange, 409, "conflict")
      probe.equal(exchange, "what was issued", display(repeated.value.issued_reward.member_id), display(body.member_id))
    })
  }
]

export const cases: ReadonlyArray<Case> = [...replays, marked, ...conflicts, ...others]
