/** Refunds, voids and corrections of orders that earned (contract/orders.md *Adjusting an order*). */
import { Effect } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import * as Earned from "../Earned.ts"
import type { Exchange } from "../Host.ts"
import type { Probe } from "../Probe.ts"
import { entriesOf, isSuccess, summary } from "../Probe.ts"
import type { OwnMember } from "../World.ts"
import { reachTier } from "./Earning.ts"

const needs = ["member.enroll", "account.get", "accrual.post", "order.adjust"] as const
const rule = "contract/orders.md *Adjusting an order*"

/** The account that earns by spend; skips a programme in which no order can earn. */
const spendAccount = Effect.fnUntraced(function* (probe: Probe) {
  const { program } = probe.world
  const spends = Earned.spendRule(program)
  if (spends === undefined) return yield* probe.skip("no account of the programme earns by spend")
  const sells = !program.earning.exclusions.product_ids.includes("verify-product")
  const earns = Earned.eligibleChannel(program) !== undefined && Earned.eligibleKind(program) !== undefined && sells
  return earns ? spends : yield* probe.skip("no order that this command can write earns")
})

interface Sold {
  readonly member: OwnMember
  readonly order: Order
  readonly spend: number
  /** Points that the order earned on the account that earns by spend. */
  readonly earned: number
  readonly unit: string
  /** The multiplier of the accrual: that of the tier before it. */
  readonly bps: number
  /** Gifts of promotions on other accounts. */
  readonly promoted: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
}

/** A member with one order of the given eligible spend. */
const memberWithOrder = (probe: Probe, spend: number, member?: OwnMember): Effect.Effect<Sold, CaseError> =>
  Effect.gen(function* () {
    const { unit } = yield* spendAccount(probe)
    const owner = member ?? (yield* probe.member())
    const { value: before } = yield* probe.account(owner)
    const bps = Earned.multiplierBps(probe.world.program, before.member.tier_id)
    const order = yield* probe.order([{ subtotal: spend }])
    const { exchange, value } = yield* probe.ok("accrual.post", { member_id: owner.member_id, order })
    const entry = entriesOf(value).find((one) => one.unit === unit && one.operation === "accrual")
    if (entry === undefined) return yield* probe.stop(exchange, `an accrual in ${unit}`, summary(exchange))
    const promoted = value.promotions ?? []
    if (promoted.some((one) => one.unit === unit))
      return yield* probe.skip(
        `promotions of the programme give ${unit} to every order; programs/get does not tell their rules`
      )
    return { member: owner, order, spend, earned: entry.amount, unit, bps, promoted }
  })

const unevenSpend = (probe: Probe): number =>
  probe.world.program.earning.minimum_eligible_spend.amount + probe.number(1_000, 99_999)

/** Points that an adjustment moved on the account that earns by spend. */
const moved = Effect.fnUntraced(function* (probe: Probe, exchange: Exchange, unit: string) {
  const { value } = yield* probe.succeeded("order.adjust", exchange)
  return entriesOf(value)
    .filter((entry) => entry.unit === unit && entry.operation === "adjustment")
    .reduce((sum, { amount }) => sum + amount, 0)
})

/** Splits a number into random parts of at least 1. */
const split = (probe: Probe, whole: number, parts: number): ReadonlyArray<number> => {
  const list: Array<number> = []
  let left = whole
  for (let more = parts - 1; more > 0; more--) {
    const part = probe.number(1, Math.max(1, Math.floor((2 * (left - more)) / (more + 1))))
    list.push(part)
    left -= part
  }
  return [...list, left]
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "adjusting.whole",
    level: "base",
    rule: "contract/orders.md *Adjusting an order*",
    title: "a refund of the whole spend takes back everything that the order earned",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { earned, member, order, spend, unit } = yield* memberWithOrder(
        probe,
        Earned.exactSpend(probe.world.program, 10_000, probe.number(1, 20))
      )
      const exchange = yield* probe.adjust(member, order, "partial_refund", -spend)
      probe.equal(exchange, `${unit} taken back`, -(yield* moved(probe, exchange, unit)), earned)
      const { value } = yield* probe.succeeded("order.adjust", exchange)
      probe.equal(exchange, "order_id", value.entry.order_id, order.order_id)
    })
  },
  {
    id: "adjusting.part",
    level: "base",
    rule: "contract/orders.md *Adjusting an order*",
    title: "a refund of a part takes back what that part earned",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const spends = yield* spendAccount(probe)
      const { program } = probe.world
      const member = yield* probe.member()
      const { value } = yield* probe.account(member)
      const bps = Earned.multiplierBps(program, value.member.tier_id)
      const step = Earned.exactStep(program, bps)
      const { earned, order, spend, unit } = yield* memberWithOrder(
        probe,
        2 * Earned.exactSpend(program, bps, probe.number(2, 20)),
        member
      )
      const part = step * probe.number(1, Math.floor(spend / step) - 1)
      const exchange = yield* probe.adjust(member, order, "partial_refund", -part)
      const expected = earned - Earned.kept(program, spends, spend - part, bps)
      probe.equal(exchange, `${unit} taken back`, -(yield* moved(probe, exchange, unit)), expected)
    })
  },
  {
    id: "adjusting.parts",
    level: "strict",
    rule,
    title: "refunds in parts give the same sum as one refund, and refunding everything leaves 0",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const spend = unevenSpend(probe)
      const rest = probe.world.program.earning.minimum_eligible_spend.amount + probe.number(1, 100)
      const inParts = yield* memberWithOrder(probe, spend)
      const atOnce = yield* memberWithOrder(probe, spend)
      const exchange = yield* probe.adjust(atOnce.member, atOnce.order, "partial_refund", rest - spend)
      const kept = atOnce.earned + (yield* moved(probe, exchange, atOnce.unit))
      const spends = yield* spendAccount(probe)
      const expected = Earned.points(spends, rest, atOnce.bps)
      probe.equal(exchange, `${atOnce.unit} that the member keeps`, kept, expected)
      let left = inParts.earned
      let last = exchange
      for (const part of split(probe, spend - rest, 5)) {
        last = yield* probe.adjust(inParts.member, inParts.order, "partial_refund", -part)
        left += yield* moved(probe, last, inParts.unit)
      }
      probe.equal(last, `${inParts.unit} left after five parts`, left, kept)
      const ended = yield* probe.adjust(inParts.member, inParts.order, "partial_refund", -rest)
      probe.equal(ended, `${inParts.unit} left of the order`, left + (yield* moved(probe, ended, inParts.unit)), 0)
    })
  },
  {
    id: "adjusting.minimum",
    level: "strict",
    rule,
    title: "what is left below the minimum spend earns nothing on any account, and what comes back over it earns again",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { program } = probe.world
      const minimum = program.earning.minimum_eligible_spend.amount
      if (minimum === 0) return yield* probe.skip("the programme has no minimum spend")
      const spends = yield* spendAccount(probe)
      const { bps, earned, member, order, promoted, spend, unit } = yield* memberWithOrder(probe, unevenSpend(probe))
      const below = yield* probe.adjust(member, order, "partial_refund", minimum - 1 - spend)
      probe.equal(below, `${unit} left below the minimum`, earned + (yield* moved(probe, below, unit)), 0)
      const { value } = yield* probe.succeeded("order.adjust", below)
      for (const rule of Earned.rules(program)) {
        const taken = entriesOf(value).filter((entry) => entry.unit === rule.unit && entry.order_id === order.order_id)
        const sum = taken.reduce((total, { amount }) => total + amount, 0)
        const given = promoted.reduce((all, one) => (one.unit === rule.unit ? all + one.amount : all), 0)
        probe.equal(below, `${rule.unit} taken back`, 0 - sum, Earned.points(rule, spend, bps) + given)
      }
      const repeated = yield* probe.adjust(member, order, "correction", 1)
      probe.equal(
        repeated,
        `${unit} at the minimum`,
        yield* moved(probe, repeated, unit),
        Earned.points(spends, minimum, bps)
      )
    })
  },
  {
    id: "adjusting.closed",
    level: "strict",
    rule,
    title: "a full refund or a void takes back everything and closes the order",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      for (const type of ["full_refund", "void"] as const) {
        const { earned, member, order, spend, unit } = yield* memberWithOrder(probe, unevenSpend(probe))
        const first = yield* probe.adjust(member, order, "partial_refund", -probe.number(1, 99))
        const taken = yield* moved(probe, first, unit)
        const whole = yield* probe.adjust(member, order, type, -spend)
        probe.equal(whole, `${unit} left after ${type}`, earned + taken + (yield* moved(probe, whole, unit)), 0)
        const later = yield* probe.adjust(member, order, "partial_refund", -1)
        probe.equal(later, `${unit} moved by a later refund`, yield* moved(probe, later, unit), 0)
        probe.refused(yield* probe.adjust(member, order, "correction", 100), 409, "invalid_state")
      }
    })
  },
  {
    id: "adjusting.original-rate",
    level: "base",
    rule: "contract/orders.md *Adjusting an order*",
    title: "a refund uses the multiplier of the accrual, not that of the member's present tier",
    needs: [...needs, "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      const { earned, member, order, spend, unit } = yield* memberWithOrder(
        probe,
        Earned.exactSpend(probe.world.program, 10_000, probe.number(1, 20))
      )
      yield* reachTier(probe, member)
      const exchange = yield* probe.adjust(member, order, "partial_refund", -spend)
      probe.equal(exchange, `${unit} taken back`, -(yield* moved(probe, exchange, unit)), earned)
    })
  },
  {
    id: "adjusting.unknown-order",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "an adjustment of an order without an accrual of this member is 404 not_found",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const unknown = yield* probe.order([{ subtotal: 1_000 }])
      probe.refused(yield* probe.adjust(member, unknown, "partial_refund", -100), 404, "not_found")
      const { order } = yield* memberWithOrder(probe, unevenSpend(probe))
      probe.refused(yield* probe.adjust(member, order, "partial_refund", -100), 404, "not_found")
    })
  },
  {
    id: "adjusting.must-not-raise",
    level: "strict",
    rule,
    title: "a refund that would raise spend is 409 invalid_state",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member, order } = yield* memberWithOrder(probe, unevenSpend(probe))
      for (const type of ["partial_refund", "full_refund", "void"] as const) {
        probe.refused(yield* probe.adjust(member, order, type, 100), 409, "invalid_state")
      }
    })
  },
  {
    id: "adjusting.what-is-left",
    level: "strict",
    rule,
    title: "a refund or correction that takes more than is left is 409 invalid_state, and changes nothing",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { earned, member, order, spend, unit } = yield* memberWithOrder(probe, unevenSpend(probe))
      probe.refused(yield* probe.adjust(member, order, "partial_refund", -spend - 1), 409, "invalid_state")
      const part = probe.number(1, 999)
      const first = yield* probe.adjust(member, order, "partial_refund", -part)
      const taken = yield* moved(probe, first, unit)
      probe.refused(yield* probe.adjust(member, order, "correction", part - spend - 1), 409, "invalid_state")
      const rest = yield* probe.adjust(member, order, "partial_refund", part - spend)
      probe.equal(rest, `${unit} left`, earned + taken + (yield* moved(probe, rest, unit)), 0)
    })
  },
  {
    id: "adjusting.lines",
    level: "strict",
    rule,
    title: "deltas of opposite sign, and lines or quantities that the order does not have, are 409 invalid_state",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member, order, spend } = yield* memberWithOrder(probe, unevenSpend(probe))
      const { currency } = probe.world.program
      const adjust = Effect.fnUntraced(function* (
        line_id: string,
        quantity_delta: number,
        subtotal: number,
        total: number
      ) {
        const adjustment = yield* probe.adjustment(order, "partial_refund", -1)
        const lines = [{ line_id, quantity_delta, subtotal_delta: { amount: subtotal, currency } }]
        const order_total_delta = { amount: total, currency }
        return yield* probe.call("order.adjust", {
          member_id: member.member_id,
          program_id: probe.program_id,
          adjustment: { ...adjustment, order_total_delta, lines }
        })
      })
      const [line] = order.lines
      if (line === undefined) return yield* probe.skip("the order has no line")
      for (const [id, quantity, subtotal, total] of [
        [line.line_id, 0, -1, 1],
        [line.line_id, 1, -1, -1],
        ["another-line", -1, -1, -1],
        [line.line_id, -2, -1, -1],
        [line.line_id, -1, -spend - 1, -1]
      ] as const)
        probe.refused(yield* adjust(id, quantity, subtotal, total), 409, "invalid_state")
      const fitting = yield* adjust(line.line_id, -1, -1, -1)
      probe.check(fitting, isSuccess(fitting), "success", summary(fitting))
      probe.refused(yield* adjust(line.line_id, -1, -1, -1), 409, "invalid_state")
    })
  },
  {
    id: "adjusting.currency",
    level: "strict",
    rule: "contract/orders.md *Orders that add up*; contract/transport.md *Problem codes*",
    title: "a refund in another currency is 409 currency_mismatch",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member, order } = yield* memberWithOrder(probe, unevenSpend(probe))
      const adjustment = yield* probe.adjustment(order, "partial_refund", -100)
      const delta = { amount: -100, currency: probe.world.program.currency === "XTS" ? "XXX" : "XTS" }
      const exchange = yield* probe.call("order.adjust", {
        member_id: member.member_id,
        program_id: probe.program_id,
        adjustment: { ...adjustment, order_total_delta: delta, eligible_spend_delta: delta }
      })
      probe.refused(exchange, 409, "currency_mismatch")
    })
  },
  {
    id: "adjusting.correction",
    level: "strict",
    rule,
    title: "corrections in both directions add up",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { bps, earned, member, order, spend, unit } = yield* memberWithOrder(probe, unevenSpend(probe))
      const spends = yield* spendAccount(probe)
      let total = earned
      let now = spend
      for (const delta of [
        -probe.number(1, 100),
        probe.number(200, 5_000),
        -probe.number(1, 99),
        probe.number(1, 999)
      ]) {
        now += delta
        const exchange = yield* probe.adjust(member, order, "correction", delta)
        total += yield* moved(probe, exchange, unit)
        probe.equal(exchange, `${unit} of the order`, total, Earned.points(spends, now, bps))
      }
    })
  },
  {
    id: "adjusting.below-zero",
    level: "strict",
    rule: "contract/points.md *Balances*",
    title: "a clawback of spent points makes the balance negative, and later credits pay it off first",
    needs: [...needs, "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      const { earned, member, order, spend, unit } = yield* memberWithOrder(
        probe,
        Earned.exactSpend(probe.world.program, 10_000, probe.number(3, 20))
      )
      if (unit === "stamps") return yield* probe.skip("a stamp card may change the account as well")
      yield* probe.ok("ledger.manual_adjustment", probe.manual(member, -earned, { unit: unit as "points" }))
      yield* moved(probe, yield* probe.adjust(member, order, "partial_refund", -spend), unit)
      const hole = yield* probe.balance(member, unit)
      probe.equal(undefined, `${unit} after the clawback`, hole.amount, -earned)
      const more = probe.number(1, 500)
      yield* probe.ok("ledger.manual_adjustment", probe.manual(member, earned + more, { unit: unit as "points" }))
      const { exchange, value } = yield* probe.account(member)
      const balance = yield* probe.balanceIn(exchange, value.balances, unit)
      probe.equal(exchange, `${unit} available`, balance.available, more)
      const lots = value.expiring_balances.filter((one) => one.account_id === balance.account_id)
      const expiring = lots.reduce((sum, { amount }) => sum + amount, 0)
      probe.check(exchange, expiring <= more, `at most ${more} ${unit} that expire`, expiring)
    })
  },
  {
    id: "adjusting.read-back",
    level: "base",
    rule: "contract/resources.md *Ledger entry*",
    title: "an adjustment is in the ledger, linked to its order",
    needs: [...needs, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const { member, order, spend } = yield* memberWithOrder(probe, Earned.exactSpend(probe.world.program, 10_000, 3))
      const exchange = yield* probe.adjust(member, order, "partial_refund", -spend)
      probe.check(exchange, isSuccess(exchange), "success", summary(exchange))
      const { member_id } = member
      const ledger = yield* probe.ok("ledger.list", { member_id, program_id })
      const orders = new Set(ledger.value.entries.map(({ order_id }) => order_id))
      probe.equal(ledger.exchange, "orders of the entries", [...orders], [order.order_id])
    })
  }
]
