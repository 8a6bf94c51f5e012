/** Earnings of orders, computed from the host's own programme (contract/orders.md *Earning*). */
import { Effect } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Unit } from "../../contract/Values.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { maxClockSkewMs } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import * as Earned from "../Earned.ts"
import type { Line } from "../OrderMaker.ts"
import type { Answered, Probe } from "../Probe.ts"
import { display, entriesOf } from "../Probe.ts"
import type { OwnMember } from "../World.ts"

export const dayMs = 86_400_000

/** The dates of an order placed at an instant, ms. */
export const dated = (at: number) => ({ placed_at: fromMillis(at), business_date: fromMillis(at).slice(0, 10) })

export const needs = ["member.enroll", "account.get", "accrual.post"] as const

const reasonsInOrder = [
  "already_accrued",
  "channel_not_eligible",
  "no_eligible_lines",
  "below_minimum_spend",
  "rounded_to_zero",
  "limit_reached"
]

/** Skips a programme in which no order of this command can earn. */
export const earns = Effect.fnUntraced(function* (probe: Probe) {
  const { program } = probe.world
  if (Earned.eligibleChannel(program) === undefined) return yield* probe.skip("no channel of the programme earns")
  if (Earned.eligibleKind(program) === undefined) return yield* probe.skip("every kind of line is excluded")
  if (program.earning.exclusions.product_ids.includes("verify-product")) {
    return yield* probe.skip("the programme excludes the product that this command sells")
  }
})

export const tierOf = (probe: Probe, member: OwnMember) =>
  Effect.map(probe.account(member), ({ value }) => value.member.tier_id)

const accrualOf = (answer: Answered<"accrual.post">) =>
  entriesOf(answer.value).filter(({ operation }) => operation === "accrual")

/** Gifts of promotions on an account: `programs/get` does not tell them. */
const promotedOf = ({ value }: Answered<"accrual.post">, unit: Unit): number =>
  (value.promotions ?? []).filter((one) => one.unit === unit).reduce((sum, { amount }) => sum + amount, 0)

/** Compares an accrual's entries with the expected amounts at a tier, without what promotions gave. */
const comparePoints = (
  probe: Probe,
  answer: Answered<"accrual.post">,
  order: Order,
  tier: string | undefined
): void => {
  const entries = accrualOf(answer)
  for (const { amount, unit } of Earned.expected(probe.world.program, order, tier)) {
    const entry = entries.find((one) => one.unit === unit)
    const earned = entry === undefined ? undefined : entry.amount - promotedOf(answer, unit)
    probe.equal(answer.exchange, `amount earned in ${unit}`, earned, amount)
  }
}

export const accrue = Effect.fnUntraced(function* (probe: Probe, member: OwnMember, order: Order) {
  const tier = yield* tierOf(probe, member)
  const answer = yield* probe.ok("accrual.post", { member_id: member.member_id, order })
  comparePoints(probe, answer, order, tier)
  return answer
})

/** Checks that an order earns nothing: no balance changes. */
const earnsNothing = Effect.fnUntraced(function* (probe: Probe, order: Order) {
  const member = yield* probe.member()
  const exchange = yield* probe.call("accrual.post", { member_id: member.member_id, order })
  const { value } = yield* probe.account(member)
  const zeros = value.balances.map(() => 0)
  probe.equal(
    exchange,
    "the balances after it",
    value.balances.map(({ amount }) => amount),
    zeros
  )
})

/** Checks that an order that earns nothing by spend posts a zero entry with reasons. */
const hasReason = Effect.fnUntraced(function* (probe: Probe, order: Order, reason: string) {
  const member = yield* probe.member()
  const answer = yield* probe.ok("accrual.post", { member_id: member.member_id, order })
  const { exchange } = answer
  probe.equal(exchange, "status", exchange.status, 201)
  const { value } = yield* probe.account(member)
  comparePoints(probe, answer, order, value.member.tier_id)
  const { ineligible_reasons: reasons } = exchange.body as { readonly ineligible_reasons?: unknown }
  const list: ReadonlyArray<unknown> = Array.isArray(reasons) ? reasons : []
  const ordered = reasonsInOrder.filter((one) => list.includes(one))
  probe.check(exchange, list.includes(reason), `ineligible_reasons with ${reason}`, display(reasons))
  probe.equal(exchange, "ineligible_reasons, in the documented order,", list, ordered)
})

export const baseBps = (probe: Probe, tier: string | undefined) => Earned.multiplierBps(probe.world.program, tier)

/** Lines that the programme excludes, one for each kind of exclusion. */
const excludedLines = (probe: Probe): ReadonlyArray<Line> => {
  const { category_ids, line_kinds, product_ids, tags } = probe.world.program.earning.exclusions
  const subtotal = probe.number(500, 5_000)
  return [
    { subtotal, overrides: { loyalty_eligible: false } },
    ...product_ids.slice(0, 1).map((product_id) => ({ subtotal, overrides: { product_id } })),
    ...category_ids.slice(0, 1).map((category) => ({ subtotal, overrides: { category_ids: ["verify", category] } })),
    ...tags.slice(0, 1).map((tag) => ({ subtotal, overrides: { tags: [tag, "verify"] } })),
    ...line_kinds.slice(0, 1).map((kind) => ({ subtotal, overrides: { kind } }))
  ]
}

/**
 * Brings a member into a tier with another multiplier, by qualifying credits.
 * Returns the tier; skips if the programme has no such tier.
 */
export const reachTier = Effect.fnUntraced(function* (probe: Probe, member: OwnMember) {
  const { program } = probe.world
  const before = yield* probe.account(member)
  const progress = before.value.tier_progress
  const from = baseBps(probe, before.value.member.tier_id)
  const target = program.tiers.find((tier) => (tier.earn_multiplier_bps ?? 10_000) !== from)
  if (progress === undefined || target === undefined) return yield* probe.skip("no tier has another multiplier")
  const metric = program.metrics.find(({ metric_id }) => metric_id === target.qualification_metric_id)
  const missing = target.minimum - progress.current_amount
  if (metric === undefined || missing <= 0) return yield* probe.skip("the tier cannot be reached by credits")
  const { unit } = metric
  yield* probe.ok("ledger.manual_adjustment", probe.manual(member, missing, { unit, qualifies_for_tier: true }))
  const after = yield* probe.account(member)
  const reached = after.value.member.tier_id
  if (reached !== target.tier_id) {
    if (!probe.strict) return yield* probe.skip(`a qualifying credit of ${missing} ${unit} did not change the tier`)
    return yield* probe.stop(
      after.exchange,
      `tier ${target.tier_id} after ${missing} ${unit} that qualify`,
      display(reached)
    )
  }
  return reached
})

export const cases: ReadonlyArray<Case> = [
  {
    id: "earning.rate",
    level: "base",
    rule: "contract/orders.md *Earning*",
    title: "a paid order earns at the programme's rate, and the balance includes it",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const member = yield* probe.member()
      const tier = yield* tierOf(probe, member)
      const spend = Earned.exactSpend(probe.world.program, baseBps(probe, tier), probe.number(1, 30))
      const order = yield* probe.order([{ subtotal: spend }])
      const answer = yield* accrue(probe, member, order)
      for (const { amount, member_id, operation, order_id, unit } of accrualOf(answer)) {
        probe.equal(answer.exchange, "operation", operation, "accrual")
        probe.equal(answer.exchange, "member_id", member_id, member.member_id)
        probe.equal(answer.exchange, "order_id", order_id, order.order_id)
        if (entriesOf(answer.value).length !== accrualOf(answer).length) continue
        const balance = yield* probe.balance(member, unit)
        probe.equal(answer.exchange, `the balance of ${unit} after it`, balance.amount, amount)
      }
    })
  },
  {
    id: "earning.rounding",
    level: "strict",
    rule: "contract/orders.md *Earning*",
    title: "points are rounded down, once per order",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const minimum = Math.max(1, probe.world.program.earning.minimum_eligible_spend.amount)
      const spends = [minimum, minimum + 1, minimum + probe.number(2, 99), minimum + probe.number(100, 99_999)]
      for (const spend of spends) {
        const member = yield* probe.member()
        // Several lines: rounding by line would show.
        const parts =
          spend > 3 ? [spend - 2 * Math.floor(spend / 3), Math.floor(spend / 3), Math.floor(spend / 3)] : [spend]
        yield* accrue(probe, member, yield* probe.order(parts.map((subtotal) => ({ subtotal }))))
      }
    })
  },
  {
    id: "earning.minimum",
    level: "base",
    rule: "contract/orders.md *Earning*",
    title: "an order below the minimum earns nothing",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const minimum = probe.world.program.earning.minimum_eligible_spend.amount
      if (minimum <= 1) return yield* probe.skip("the programme has no minimum spend")
      yield* earnsNothing(probe, yield* probe.order([{ subtotal: minimum - 1 }]))
    })
  },
  {
    id: "earning.channel",
    level: "base",
    rule: "contract/orders.md *Earning*",
    title: "an order through another channel earns nothing",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const channel = Earned.otherChannel(probe.world.program)
      if (channel === undefined) return yield* probe.skip("every channel earns")
      const spend = Earned.exactSpend(probe.world.program, 10_000, 5)
      yield* earnsNothing(probe, yield* probe.order([{ subtotal: spend }], { channel }))
    })
  },
  {
    id: "earning.ineligible-reasons",
    level: "strict",
    rule: "contract/operations.md *Accrual and adjustment of orders*; contract/orders.md *Earning*",
    title: "an accrual that earns nothing by spend posts a zero entry with 201 and the reasons",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const { program } = probe.world
      if (Earned.spendRule(program) === undefined) return yield* probe.skip("no account earns by spend")
      yield* hasReason(probe, yield* probe.order(excludedLines(probe)), "no_eligible_lines")
      const minimum = program.earning.minimum_eligible_spend.amount
      if (minimum > 1) {
        yield* hasReason(probe, yield* probe.order([{ subtotal: minimum - 1 }]), "below_minimum_spend")
      }
      const small = Math.max(1, minimum)
      const spends = Earned.rules(program).filter(({ mode }) => mode === "spend")
      if (spends.every((one) => Earned.points(one, small, 10_000) === 0)) {
        yield* hasReason(probe, yield* probe.order([{ subtotal: small }]), "rounded_to_zero")
      }
      const channel = Earned.otherChannel(program)
      if (channel === undefined) return
      const elsewhere = yield* probe.order([{ subtotal: Earned.exactSpend(program, 10_000, 5) }], { channel })
      yield* hasReason(probe, elsewhere, "channel_not_eligible")
    })
  },
  {
    id: "earning.exclusions",
    level: "base",
    rule: "contract/orders.md *Eligible spend*",
    title: "excluded products, categories, tags, kinds and ineligible lines earn nothing; other lines of the order do",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const member = yield* probe.member()
      const tier = yield* tierOf(probe, member)
      const spend = Earned.exactSpend(probe.world.program, baseBps(probe, tier), probe.number(1, 20))
      yield* accrue(probe, member, yield* probe.order([{ subtotal: spend }, ...excludedLines(probe)]))
    })
  },
  {
    id: "earning.discount",
    level: "strict",
    rule: "contract/orders.md *Eligible spend*",
    title: "eligible spend is subtotal less discount; tax, tip and service charge earn nothing",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const member = yield* probe.member()
      const { program } = probe.world
      const spend = program.earning.minimum_eligible_spend.amount + probe.number(500, 9_999)
      const discount = probe.number(1, 400)
      const order = yield* probe.order([
        { subtotal: (spend + discount) * 2, discount: discount * 2, tax: probe.number(1, 900), quantity: 2 }
      ])
      const { totals } = order
      const tip = { amount: probe.number(1, 500), currency: program.currency }
      const service_charge = { amount: probe.number(1, 500), currency: program.currency }
      const total = { ...totals.total, amount: totals.total.amount + tip.amount + service_charge.amount }
      yield* accrue(probe, member, { ...order, totals: { ...totals, tip, service_charge, total } })
    })
  },
  {
    id: "earning.multiplier",
    level: "base",
    rule: "contract/orders.md *Earning*",
    title: "a member of a higher tier earns with that tier's multiplier",
    needs: [...needs, "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const member = yield* probe.member()
      const tier = yield* reachTier(probe, member)
      const spend = Earned.exactSpend(probe.world.program, baseBps(probe, tier), probe.number(1, 20))
      yield* accrue(probe, member, yield* probe.order([{ subtotal: spend }]))
    })
  },
  {
    id: "earning.tier-progress",
    level: "strict",
    rule: "contract/orders.md *Earning*",
    title: "the tier follows its metric; progress goes from the tier's minimum to the next tier's",
    needs: ["member.enroll", "account.get", "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      const { metrics, tiers } = probe.world.program
      const [lowest] = tiers
      if (lowest === undefined) return yield* probe.skip("the programme has no tiers")
      const unit = metrics.find(({ metric_id }) => metric_id === lowest.qualification_metric_id)?.unit
      if (unit === undefined) return yield* probe.skip("the programme does not list the tiers' metric")
      const ladder = [...tiers].sort((a, b) => a.minimum - b.minimum)
      const member = yield* probe.member()
      for (const step of [0, probe.number(1, 50), ...ladder.slice(1).map(({ minimum }) => minimum)]) {
        const { value: before } = yield* probe.account(member)
        const missing = step - (before.tier_progress?.current_amount ?? 0)
        if (missing > 0) {
          const credit = probe.manual(member, missing, { unit, qualifies_for_tier: true })
          yield* probe.ok("ledger.manual_adjustment", credit)
        }
        const { exchange, value } = yield* probe.account(member)
        const metric = value.metrics.find(({ metric_id }) => metric_id === lowest.qualification_metric_id)
        const amount = Math.max(0, metric?.amount ?? 0)
        const index = ladder.findLastIndex(({ minimum }) => minimum <= amount)
        const current = ladder[index] ?? lowest
        const next = ladder[index + 1]
        probe.equal(exchange, "tier_id", value.member.tier_id, current.tier_id)
        const bps = next && Math.floor(((amount - current.minimum) * 10_000) / (next.minimum - current.minimum))
        probe.equal(exchange, "tier_progress", value.tier_progress, {
          current_tier_id: current.tier_id,
          qualification_metric_id: lowest.qualification_metric_id,
          current_amount: amount,
          progress_bps: bps ?? 10_000,
          is_top_tier: next === undefined,
          ...(next === undefined ? {} : { next_tier_id: next.tier_id, remaining_to_next: next.minimum - amount })
        })
      }
    })
  },
  {
    id: "earning.not-paid",
    level: "strict",
    rule: "contract/orders.md *Earning*",
    title: "only a paid order accrues",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      for (const status of ["open", "authorized", "refunded", "voided"] as const) {
        const order = yield* probe.order([{ subtotal: 1_000 }], { status })
        probe.refused(yield* probe.call("accrual.post", { member_id, order }), 409, "invalid_state")
      }
    })
  },
  {
    id: "earning.clock",
    level: "strict",
    rule: "contract/points.md *Time of entries*",
    title: "an entry's occurred_at is the service's clock, not the order's date",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const today = yield* probe.order([{ subtotal: 1_000 }])
      const order = { ...today, ...dated(toMillis(today.placed_at) - 300 * dayMs) }
      const { exchange, value } = yield* probe.ok("accrual.post", { member_id, order })
      const { processed_at } = value.context
      const apart = Math.abs(toMillis(value.entry.occurred_at) - toMillis(processed_at))
      probe.check(exchange, apart <= maxClockSkewMs, `occurred_at near ${processed_at}`, value.entry.occurred_at)
    })
  },
  {
    id: "earning.identity",
    level: "strict",
    rule: "contract/operations.md *Naming the member by identity*",
    title: "evaluations and accruals take an identity; the same accrual by member_id is a repeat; nobody has it: 404",
    needs: [...needs, "order.evaluate"],
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const order = yield* probe.order([{ subtotal: 1_000 }])
      const { value: account } = yield* probe.ok("account.get", { member_id, program_id: probe.program_id })
      const [identity] = account.member.identities
      if (identity === undefined) return yield* Effect.die("a member that was enrolled has an identity")
      const evaluated = yield* probe.ok("order.evaluate", { identity, order })
      probe.equal(evaluated.exchange, "member_id", evaluated.value.member_id, member_id)
      const first = yield* probe.ok("accrual.post", { identity, order })
      const repeated = yield* probe.ok("accrual.post", { member_id, order })
      probe.equal(repeated.exchange, "entry", repeated.value.entry, first.value.entry)
      const both = yield* probe.call("accrual.post", { member_id, identity, order })
      probe.refused(both, 422, "validation_failed")
      const stranger = { ...identity, value: probe.id("nobody") }
      const other = yield* probe.order([{ subtotal: 1_000 }])
      probe.refused(yield* probe.call("accrual.post", { identity: stranger, order: other }), 404, "not_found")
      probe.refused(yield* probe.call("order.evaluate", { identity: stranger, order: other }), 404, "not_found")
    })
  },
  {
    id: "evaluate.estimate",
    level: "strict",
    rule: "contract/operations.md *Evaluation*",
    title: "an evaluation estimates exactly what the accrual posts, and writes nothing",
    needs: [...needs, "order.evaluate", "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const { program_id } = probe
      const member = yield* probe.member()
      const { member_id } = member
      const minimum = probe.world.program.earning.minimum_eligible_spend.amount
      const order = yield* probe.order([{ subtotal: minimum + probe.number(1, 9_999) }])
      const { exchange, value } = yield* probe.ok("order.evaluate", { member_id, order })
      const ledger = yield* probe.ok("ledger.list", { member_id, program_id })
      probe.equal(ledger.exchange, "entries after the evaluation", ledger.value.entries, [])
      const answer = yield* accrue(probe, member, order)
      const estimated = value.estimated_accruals ?? [value.estimated_accrual]
      for (const { amount, unit } of accrualOf(answer)) {
        const estimate = estimated.find((one) => one.unit === unit)
        probe.equal(exchange, `the estimate in ${unit}`, estimate?.amount, amount)
      }
    })
  },
  {
    id: "evaluate.rewards",
    level: "strict",
    rule: "contract/operations.md *Evaluation*",
    title: "an evaluation lists every reward, and those that cost more than is available as unavailable",
    needs: ["member.enroll", "order.evaluate"],
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const order = yield* probe.order([{ subtotal: 1_000 }], { status: "open" })
      const { exchange, value } = yield* probe.ok("order.evaluate", { member_id, order })
      const { rewards } = probe.world.program
      const ids = rewards.map(({ reward_id }) => reward_id).sort()
      probe.equal(exchange, "rewards", value.rewards.map(({ reward_id }) => reward_id).sort(), ids)
      for (const { cost, reward_id, status, unavailable_reasons } of value.rewards) {
        if (cost.amount <= 0) continue
        probe.equal(exchange, `status of ${reward_id} without points`, status, "unavailable")
        const reasons = unavailable_reasons ?? []
        probe.check(exchange, reasons.length > 0, `unavailable_reasons of ${reward_id}`, reasons)
      }
    })
  }
]
