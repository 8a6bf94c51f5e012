/** Reservations, captures, reversals and expired holds (contract/redemptions.md *Reserve*, *Capture*, *Reverse*). */
import { Effect } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Reward } from "../../contract/protocol/Program.ts"
import { toMillis } from "../../contract/Values.ts"
import { dueWithinMs, maxAwaitedHoldSeconds, pollEveryMs } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import { machineNow } from "../Clock.ts"
import * as Earned from "../Earned.ts"
import type { Probe } from "../Probe.ts"
import { entriesOf, summary } from "../Probe.ts"
import type { Entry, OwnMember } from "../World.ts"
import { wholeLedger } from "./Ledger.ts"

const needs = ["member.enroll", "account.get", "ledger.manual_adjustment", "redemption.reserve"] as const
const rule = "contract/redemptions.md *Reserve*, *Capture*, *Reverse*"
const reverseNeeds = [...needs, "redemption.reverse"] as const
const captureNeeds = [...reverseNeeds, "redemption.capture"] as const
const reason = "lotbook verify"

const isOpen = ({ available_from, available_until }: Reward, now: number): boolean =>
  (available_from === undefined || toMillis(available_from) <= now) &&
  (available_until === undefined || now <= toMillis(available_until))

/** The time of the host's clock. */
const hostNow = (probe: Probe) =>
  Effect.map(probe.ok("program.get", { program_id: probe.program_id }), ({ value }) =>
    toMillis(value.context.processed_at)
  )

/** The smallest order that the cases reserve rewards for, minor units. */
const smallestOrder = 1_000

/** Reasons that come from limits of the programme, which `programs/get` does not show. */
const limits: ReadonlySet<string> = new Set(["limit_reached", "below_minimum_points"])

/** False if a member with one less than the cost meets another obstacle than the cost, on the smallest order. */
const isUsable = (probe: Probe, { cost, reward_id }: Reward): Effect.Effect<boolean, CaseError> =>
  Effect.gen(function* () {
    const { served, usable } = probe.world
    const known = usable.get(reward_id)
    if (known !== undefined) return known
    if (!served.has("order.evaluate")) return true
    const member = yield* probe.member()
    if (cost.amount > 1) yield* probe.fund(member, { ...cost, amount: cost.amount - 1 })
    const order = yield* probe.order([{ subtotal: smallestOrder }], { status: "open" })
    const { value } = yield* probe.ok("order.evaluate", { member_id: member.member_id, order })
    const shown = value.rewards.find((reward) => reward.reward_id === reward_id)
    const found = !(shown?.unavailable_reasons ?? []).some((one) => limits.has(one))
    usable.set(reward_id, found)
    return found
  })

/** The cheapest available reward with a cost, of any account or of one. */
export const reservable = (probe: Probe, unit?: string): Effect.Effect<Reward, CaseError> =>
  Effect.gen(function* () {
    const now = yield* hostNow(probe)
    const open = probe.world.program.rewards.filter(
      (reward) => reward.cost.amount > 0 && isOpen(reward, now) && (unit === undefined || reward.cost.unit === unit)
    )
    for (const reward of open.sort((a, b) => a.cost.amount - b.cost.amount))
      if (yield* isUsable(probe, reward)) return reward
    return yield* probe.skip("no reward with a cost is available now")
  })

/** A member with enough points for a reward, and some more. */
const funded = Effect.fnUntraced(function* (probe: Probe, spare: number) {
  const reward = yield* reservable(probe)
  const member = yield* probe.member()
  yield* probe.fund(member, { unit: reward.cost.unit, amount: reward.cost.amount + spare })
  return { member, reward, unit: reward.cost.unit, cost: reward.cost.amount, funds: reward.cost.amount + spare }
})

const reserve = Effect.fnUntraced(function* (
  probe: Probe,
  { member_id }: OwnMember,
  reward_id: string,
  issued_reward_id?: string
) {
  const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
  return yield* probe.ok("redemption.reserve", {
    redemption_id: probe.id("redemption"),
    member_id,
    reward_id,
    order,
    ...(issued_reward_id === undefined ? {} : { issued_reward_id })
  })
})

const held = Effect.fnUntraced(function* (probe: Probe, spare = 0) {
  const owner = yield* funded(probe, spare)
  const { exchange, value } = yield* reserve(probe, owner.member, owner.reward.reward_id)
  return { ...owner, exchange, reservation: value.reservation, balances: value.balances }
})

const amountsOf = Effect.fnUntraced(function* (probe: Probe, member: OwnMember, unit: string) {
  const { amount, available, reserved } = yield* probe.balance(member, unit)
  return [amount, reserved, available]
})

const entriesOfReservation = Effect.fnUntraced(function* (
  probe: Probe,
  member: OwnMember,
  operation: Entry["operation"]
) {
  return (yield* wholeLedger(probe, member)).filter((entry) => entry.operation === operation)
})

/** Captures a reservation for its own order. */
const capture = (probe: Probe, reservation: { readonly reservation_id: string; readonly order_id: string }) =>
  probe.call("redemption.capture", { reservation_id: reservation.reservation_id, order_id: reservation.order_id })

const reverse = (probe: Probe, { reservation_id }: { readonly reservation_id: string }) =>
  probe.call("redemption.reverse", { reservation_id, reason })

/** Shares of an amount by largest remainder; ties by party type, then id. */
const fundedAmounts = (reward: Reward, value: number): ReadonlyArray<number> => {
  const parts = reward.funding.map((party, index) => {
    const product = BigInt(value) * BigInt(party.share_bps)
    return { index, party, amount: product / 10_000n, remainder: product % 10_000n }
  })
  let missing = BigInt(value) - parts.reduce((sum, { amount }) => sum + amount, 0n)
  const text = ({ party }: (typeof parts)[number]) => `${party.party_type} ${party.party_id}`
  const byRemainder = [...parts].sort((a, b) =>
    a.remainder !== b.remainder ? (a.remainder > b.remainder ? -1 : 1) : text(a) < text(b) ? -1 : 1
  )
  for (const part of byRemainder) {
    if (missing <= 0n) break
    part.amount += 1n
    missing -= 1n
  }
  return parts.map(({ amount }) => Number(amount))
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "redemption.expires",
    level: "base",
    rule: "contract/redemptions.md *Capture*",
    title: "a hold expires: its points become available again, and it cannot be captured",
    needs: captureNeeds,
    run: Effect.fnUntraced(function* (probe) {
      if (probe.world.isSandbox) return yield* probe.skip("the host's clock is moved by hand")
      const hold = yield* held(probe)
      const { created_at, expires_at } = hold.reservation
      const lifeMs = toMillis(expires_at) - toMillis(created_at)
      if (lifeMs > maxAwaitedHoldSeconds * 1_000) {
        yield* reverse(probe, hold.reservation)
        return yield* probe.skip(
          `holds last ${lifeMs / 1_000} s here; the case waits at most ${maxAwaitedHoldSeconds} s`
        )
      }
      yield* Effect.sleep(lifeMs + pollEveryMs)
      const until = (yield* machineNow) + dueWithinMs
      while ((yield* probe.balance(hold.member, hold.unit)).reserved > 0) {
        if ((yield* machineNow) > until) break
        yield* Effect.sleep(pollEveryMs)
      }
      const after = yield* amountsOf(probe, hold.member, hold.unit)
      probe.equal(hold.exchange, "amount, reserved, available after its end", after, [hold.funds, 0, hold.funds])
      const captured = yield* capture(probe, hold.reservation)
      probe.refusedSomehow(captured, 409, "expired")
      probe.refusedSomehow(yield* reverse(probe, hold.reservation), 409, "expired")
      const last = yield* amountsOf(probe, hold.member, hold.unit)
      probe.equal(captured, "amount, reserved, available", last, [hold.funds, 0, hold.funds])
    })
  },
  {
    id: "redemption.reserve",
    level: "base",
    rule: "contract/redemptions.md *Reserve*; contract/resources.md *Balance*",
    title: "a reservation holds the cost: reserved rises, available falls, the amount stays",
    needs: reverseNeeds,
    run: Effect.fnUntraced(function* (probe) {
      const { cost, exchange, funds, member, reservation, reward, unit } = yield* held(probe, probe.number(1, 500))
      probe.equal(exchange, "status", reservation.status, "reserved")
      probe.equal(exchange, "member_id", reservation.member_id, member.member_id)
      probe.equal(exchange, "reward_id", reservation.reward_id, reward.reward_id)
      probe.equal(exchange, "cost", reservation.cost, reward.cost)
      probe.equal(exchange, "effect", reservation.effect, reward.effect)
      const isLater = toMillis(reservation.expires_at) > toMillis(reservation.created_at)
      probe.check(exchange, isLater, "an expires_at after created_at", reservation.expires_at)
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(exchange, "amount, reserved, available", after, [funds, cost, funds - cost])
    })
  },
  {
    id: "redemption.release",
    level: "base",
    rule: "contract/redemptions.md *Reverse*",
    title: "reversing a reservation releases what it held",
    needs: [...reverseNeeds, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { funds, member, reservation, unit } = yield* held(probe, probe.number(1, 500))
      const exchange = yield* reverse(probe, reservation)
      const { value } = yield* probe.succeeded("redemption.reverse", exchange)
      probe.equal(exchange, "reservation_id", value.reservation.reservation_id, reservation.reservation_id)
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(exchange, "amount, reserved, available", after, [funds, 0, funds])
      if (!probe.strict) return
      probe.equal(exchange, "status", value.reservation.status, "reversed")
      probe.check(exchange, value.reservation.reversed_at !== undefined, "a reversed_at", value.reservation)
      probe.equal(exchange, "entries of the release", yield* entriesOfReservation(probe, member, "reversal"), [])
    })
  },
  {
    id: "redemption.capture",
    level: "base",
    rule: "contract/resources.md *Reservation*; contract/redemptions.md *Reverse*",
    title: "capturing spends what the reservation held",
    needs: [...captureNeeds, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { cost, funds, member, reservation, unit } = yield* held(probe, probe.number(1, 500))
      const exchange = yield* capture(probe, reservation)
      const { value } = yield* probe.succeeded("redemption.capture", exchange)
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(exchange, "amount, reserved, available", after, [funds - cost, 0, funds - cost])
      if (!probe.strict) return
      probe.equal(exchange, "status", value.reservation.status, "captured")
      probe.check(exchange, value.reservation.captured_at !== undefined, "a captured_at", value.reservation)
      const entries = yield* entriesOfReservation(probe, member, "redemption")
      const posted = entries.map(({ amount, reservation_id }) => [amount, reservation_id])
      probe.equal(exchange, "redemption entries", posted, [[-cost, reservation.reservation_id]])
    })
  },
  {
    id: "redemption.refund",
    level: "base",
    rule: "contract/redemptions.md *Reverse*",
    title: "reversing a captured redemption gives its points back",
    needs: [...captureNeeds, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { cost, funds, member, reservation, unit } = yield* held(probe, probe.number(1, 500))
      yield* probe.succeeded("redemption.capture", yield* capture(probe, reservation))
      const exchange = yield* reverse(probe, reservation)
      const { value } = yield* probe.succeeded("redemption.reverse", exchange)
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(exchange, "amount, reserved, available", after, [funds, 0, funds])
      if (!probe.strict) return
      probe.equal(exchange, "status", value.reservation.status, "reversed")
      const entries = yield* entriesOfReservation(probe, member, "reversal")
      const posted = entries.map(({ amount, reservation_id }) => [amount, reservation_id])
      probe.equal(exchange, "reversal entries", posted, [[cost, reservation.reservation_id]])
    })
  },
  {
    id: "redemption.insufficient",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "a reservation that costs more than is available is refused and holds nothing",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { funds, member, reward, unit } = yield* funded(probe, -1)
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const { member_id } = member
      const { reward_id } = reward
      const body = { redemption_id: probe.id("redemption"), member_id, reward_id, order }
      const exchange = yield* probe.call("redemption.reserve", body)
      probe.refusedSomehow(exchange, 409, "insufficient_balance")
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(exchange, "amount, reserved, available", after, [funds, 0, funds])
    })
  },
  {
    id: "redemption.unknown-reward",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "a reward that the programme does not have is 404 not_found",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const body = { redemption_id: probe.id("redemption"), member_id, reward_id: probe.id("reward"), order }
      probe.refused(yield* probe.call("redemption.reserve", body), 404, "not_found")
    })
  },
  {
    id: "redemption.window",
    level: "strict",
    rule,
    title: "a reward outside its availability window is 409 reward_not_available",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const now = yield* hostNow(probe)
      const shut = probe.world.program.rewards.find((reward) => !isOpen(reward, now))
      if (shut === undefined) return yield* probe.skip("no reward of the programme is outside its availability window")
      const member = yield* probe.member()
      yield* probe.fund(member, shut.cost)
      const { member_id } = member
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const body = { redemption_id: probe.id("redemption"), member_id, reward_id: shut.reward_id, order }
      probe.refused(yield* probe.call("redemption.reserve", body), 409, "reward_not_available")
    })
  },
  {
    id: "redemption.order",
    level: "strict",
    rule,
    title: "no reward is held for an order that is refunded or voided, and no free item for one without it",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member, reward } = yield* funded(probe, 0)
      const { member_id } = member
      const reserveFor = (reward_id: string, order: Order) =>
        probe.call("redemption.reserve", { redemption_id: probe.id("redemption"), member_id, reward_id, order })
      for (const status of ["refunded", "voided"] as const) {
        const over = yield* probe.order([{ subtotal: 2_000 }], { status })
        probe.refused(yield* reserveFor(reward.reward_id, over), 409, "invalid_state")
      }
      const now = yield* hostNow(probe)
      const item = probe.world.program.rewards.find(
        ({ effect, ...one }) =>
          isOpen({ effect, ...one }, now) &&
          effect.type === "free_item" &&
          (effect.product_ids !== undefined || effect.category_ids !== undefined)
      )
      if (item === undefined) return
      const order = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const without = { ...order, lines: order.lines.slice(0, 1) }
      probe.refused(yield* reserveFor(item.reward_id, without), 409, "reward_not_available")
      const { exchange, value } = yield* probe.ok("order.evaluate", { member_id, order: without })
      const shown = value.rewards.find(({ reward_id }) => reward_id === item.reward_id)
      const reasons = shown?.unavailable_reasons ?? []
      probe.check(exchange, reasons.includes("no_matching_item"), "no_matching_item", reasons)
    })
  },
  {
    id: "redemption.funding",
    level: "strict",
    rule,
    title: "funding shares a reward's value by largest remainder; a custom effect has no amounts",
    needs: reverseNeeds,
    run: Effect.fnUntraced(function* (probe) {
      const now = yield* hostNow(probe)
      const open = probe.world.program.rewards.filter((reward) => isOpen(reward, now))
      if (open.length === 0) return yield* probe.skip("no reward is available now")
      for (const reward of open) {
        const { effect, funding, reward_id } = reward
        if (!(yield* isUsable(probe, reward))) continue
        const member = yield* probe.member()
        yield* probe.fund(member, reward.cost)
        const { exchange, value } = yield* reserve(probe, member, reward_id)
        const worth =
          effect.type === "discount" ? effect.amount : effect.type === "free_item" ? effect.max_value : undefined
        const amounts = worth && fundedAmounts(reward, worth.amount)
        const expected = funding.map((party, index) => [party.party_id, party.share_bps, amounts?.[index]])
        const got = value.reservation.funding.map((party) => [party.party_id, party.share_bps, party.amount?.amount])
        probe.equal(exchange, `funding of ${reward_id}`, got, expected)
        probe.equal(exchange, "location_id", value.reservation.location_id, "verify-location")
      }
    })
  },
  {
    id: "redemption.other-order",
    level: "strict",
    rule,
    title: "capturing for another order is 409 conflict, and the hold stays",
    needs: captureNeeds,
    run: Effect.fnUntraced(function* (probe) {
      const { cost, member, reservation, unit } = yield* held(probe)
      const { reservation_id } = reservation
      const exchange = yield* probe.call("redemption.capture", { reservation_id, order_id: probe.id("other-order") })
      probe.refused(exchange, 409, "conflict")
      probe.equal(exchange, "reserved", (yield* probe.balance(member, unit)).reserved, cost)
    })
  },
  {
    id: "redemption.states",
    level: "strict",
    rule,
    title: "capturing or reversing twice returns the first result; capturing after a reversal is 409 invalid_state",
    needs: [...captureNeeds, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      const { funds, member, reservation, unit } = yield* held(probe)
      const first = yield* probe.succeeded("redemption.capture", yield* capture(probe, reservation))
      const repeated = yield* probe.succeeded("redemption.capture", yield* capture(probe, reservation))
      probe.equal(repeated.exchange, "reservation", repeated.value.reservation, first.value.reservation)
      probe.equal(repeated.exchange, "status", repeated.exchange.status, 200)
      const released = yield* probe.succeeded("redemption.reverse", yield* reverse(probe, reservation))
      const twice = yield* probe.succeeded("redemption.reverse", yield* reverse(probe, reservation))
      probe.equal(twice.exchange, "reservation", twice.value.reservation, released.value.reservation)
      probe.refused(yield* capture(probe, reservation), 409, "invalid_state")
      const posted = yield* entriesOfReservation(probe, member, "redemption")
      probe.equal(repeated.exchange, "number of redemption entries", posted.length, 1)
      const after = yield* amountsOf(probe, member, unit)
      probe.equal(twice.exchange, "amount, reserved, available", after, [funds, 0, funds])
    })
  },
  {
    id: "redemption.honoured",
    level: "strict",
    rule,
    title: "an open hold can be captured even if a clawback has reduced the balance below it",
    needs: [...captureNeeds, "accrual.post", "order.adjust"],
    run: Effect.fnUntraced(function* (probe) {
      const { program } = probe.world
      const rule = Earned.spendRule(program)
      if (rule === undefined) return yield* probe.skip("no account earns by spend")
      const { cost, reward_id } = yield* reservable(probe, rule.unit)
      if (Earned.eligibleChannel(program) === undefined) return yield* probe.skip("no channel of the programme earns")
      const step = Earned.exactStep(program, 10_000)
      const worth = Math.max(1, Earned.points(rule, step, 10_000))
      const spend = Math.max(Earned.exactSpend(program, 10_000, 1), Math.ceil(cost.amount / worth) * step)
      const member = yield* probe.member()
      const { member_id } = member
      const order = yield* probe.order([{ subtotal: spend }])
      const accrual = yield* probe.ok("accrual.post", { member_id, order })
      if (entriesOf(accrual.value).some((one) => one.operation !== "accrual")) {
        return yield* probe.skip("an accrual posts further entries here")
      }
      const { exchange, value } = yield* reserve(probe, member, reward_id)
      yield* probe.succeeded("order.adjust", yield* probe.adjust(member, order, "partial_refund", -spend))
      const captured = yield* capture(probe, value.reservation)
      probe.check(captured, captured.status === 200, "200: the capture succeeds", summary(captured))
      const balance = yield* probe.balance(member, cost.unit)
      probe.equal(exchange, "amount, reserved", [balance.amount, balance.reserved], [-cost.amount, 0])
    })
  }
]
