/** The same request several times at once. */
import { Effect } from "effect"
import { racers } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import * as Earned from "../Earned.ts"
import type { Exchange, NoAnswer } from "../Host.ts"
import type { Probe } from "../Probe.ts"
import { codeOf, entriesOf, isSuccess, summary, withoutContext } from "../Probe.ts"
import { wholeLedger } from "./Ledger.ts"
import { reservable } from "./Redemptions.ts"

const specRule = "contract/idempotency.md *Keys*"
const rule = "contract/idempotency.md *Business identifiers*"
const needs = ["member.enroll", "account.get", "ledger.list"] as const

/** Sends `racers` concurrent requests. */
const race = (send: (index: number) => Effect.Effect<Exchange, NoAnswer>) =>
  Effect.all(
    Array.from({ length: racers }, (_, index) => send(index)),
    { concurrency: "unbounded" }
  )

/** Checks that every answer is a success with the same body, except the context. */
const allTheSame = (probe: Probe, answers: ReadonlyArray<Exchange>): void => {
  const [first] = answers
  for (const answer of answers) {
    if (!isSuccess(answer)) probe.differs(answer, "the same success for all", summary(answer))
    else probe.equal(answer, "the body without its context", withoutContext(answer.body), withoutContext(first?.body))
  }
}

/** The accruals of an answer: one an account. Promotions may add accounts that the rules do not tell. */
const accrualsOf = (probe: Probe, answer: Exchange | undefined) =>
  Effect.gen(function* () {
    if (answer === undefined) return []
    const { value } = yield* probe.succeeded("accrual.post", answer)
    return entriesOf(value).filter(({ operation }) => operation === "accrual")
  })

const order = (probe: Probe) => probe.order([{ subtotal: Earned.exactSpend(probe.world.program, 10_000, 3) }])

export const cases: ReadonlyArray<Case> = [
  {
    id: "race.same-key",
    level: "base",
    rule: specRule,
    title: "concurrent retries with one key post once and all return that result",
    needs: [...needs, "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const body = { member_id: member.member_id, order: yield* order(probe) }
      const key = probe.id("key")
      const answers = yield* race(() => probe.call("accrual.post", body, { key }))
      allTheSame(probe, answers)
      const accruals = (yield* wholeLedger(probe, member)).filter((entry) => entry.operation === "accrual")
      const told = yield* accrualsOf(probe, answers[0])
      probe.equal(answers[0], "number of accruals posted", accruals.length, told.length)
    })
  },
  {
    id: "race.key-with-other-payloads",
    level: "base",
    rule: specRule,
    title: "of concurrent different payloads with one key one succeeds, all others are 409 idempotency_conflict",
    needs: [...needs, "ledger.manual_adjustment"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const key = probe.id("key")
      const answers = yield* race((index) =>
        probe.call("ledger.manual_adjustment", probe.manual(member, index + 1), { key })
      )
      const won = answers.filter(isSuccess)
      probe.equal(answers[0], "number of successes", won.length, 1)
      for (const answer of answers) {
        if (!isSuccess(answer)) probe.refused(answer, 409, "idempotency_conflict")
      }
      const credits = (yield* wholeLedger(probe, member)).filter((entry) => entry.operation === "manual")
      probe.equal(won[0], "number of credits posted", credits.length, 1)
    })
  },
  {
    id: "race.overdraw",
    level: "base",
    rule: "contract/points.md *Balances*; contract/redemptions.md *Reserve*",
    title: "concurrent reservations never hold more than is available",
    needs: [...needs, "ledger.manual_adjustment", "redemption.reserve"],
    run: Effect.fnUntraced(function* (probe) {
      const { cost, reward_id } = yield* reservable(probe)
      const member = yield* probe.member()
      const { member_id } = member
      const affordable = 3
      yield* probe.fund(member, { unit: cost.unit, amount: cost.amount * affordable })
      const paid = yield* probe.order([{ subtotal: 2_000 }], { status: "open" })
      const answers = yield* race(() =>
        probe.call("redemption.reserve", {
          redemption_id: probe.id("redemption"),
          member_id,
          reward_id,
          order: { ...paid, order_id: probe.id("order") }
        })
      )
      probe.equal(answers[0], "number of reservations", answers.filter(isSuccess).length, affordable)
      for (const answer of answers) {
        if (!isSuccess(answer)) probe.refusedSomehow(answer, 409, "insufficient_balance")
      }
      const { available, reserved } = yield* probe.balance(member, cost.unit)
      probe.equal(answers[0], "reserved, available", [reserved, available], [cost.amount * affordable, 0])
    })
  },
  {
    id: "race.same-order",
    level: "strict",
    rule,
    title: "concurrent accruals of one order under different keys accrue once",
    needs: [...needs, "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const body = { member_id: member.member_id, order: yield* order(probe) }
      const answers = yield* race(() => probe.call("accrual.post", body))
      const ids = new Set<string>()
      const units = new Set<string>()
      for (const answer of answers)
        for (const { entry_id, unit } of yield* accrualsOf(probe, answer)) {
          ids.add(entry_id)
          units.add(unit)
        }
      probe.equal(answers[0], "number of accruals, one an account", ids.size, units.size)
    })
  },
  {
    id: "race.same-identity",
    level: "strict",
    rule: "contract/operations.md *Enrolment*",
    title: "concurrent enrolments of one identity make one member",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const identity = probe.identity()
      const answers = yield* race((index) =>
        probe.call("member.enroll", { program_id, identity, member_id: probe.id(`till-${index}`) })
      )
      const ids = new Set<string>()
      for (const answer of answers) {
        const { value } = yield* probe.succeeded("member.enroll", answer)
        ids.add(value.member.member_id)
      }
      probe.equal(answers[0], "number of members", ids.size, 1)
      probe.equal(answers[0], "number of answers with 201", answers.filter(({ status }) => status === 201).length, 1)
      for (const id of ids) probe.register(id, identity)
    })
  },
  {
    id: "race.capture-and-reverse",
    level: "strict",
    rule: "contract/redemptions.md *Reserve*, *Capture*, *Reverse*",
    title: "concurrent captures and reversals spend the points once or not at all",
    needs: [...needs, "ledger.manual_adjustment", "redemption.reserve", "redemption.capture", "redemption.reverse"],
    run: Effect.fnUntraced(function* (probe) {
      const { cost, reward_id } = yield* reservable(probe)
      const member = yield* probe.member()
      yield* probe.fund(member, cost)
      const held = yield* probe.ok("redemption.reserve", {
        redemption_id: probe.id("redemption"),
        member_id: member.member_id,
        reward_id,
        order: yield* order(probe)
      })
      const { order_id, reservation_id } = held.value.reservation
      const answers = yield* race((index) =>
        index % 2 === 0
          ? probe.call("redemption.capture", { reservation_id, order_id })
          : probe.call("redemption.reverse", { reservation_id, reason: "lotbook verify" })
      )
      for (const answer of answers) {
        const isExpected = isSuccess(answer) || codeOf(answer) === "invalid_state"
        probe.check(answer, isExpected, "success or 409 invalid_state", summary(answer))
      }
      const entries = yield* wholeLedger(probe, member)
      const sum = (operation: string) =>
        entries.filter((entry) => entry.operation === operation).reduce((total, { amount }) => total + amount, 0)
      const spent = sum("redemption")
      probe.check(answers[0], spent === 0 || spent === -cost.amount, `0 or ${-cost.amount} spent`, spent)
      probe.equal(answers[0], "points given back", sum("reversal"), -spent)
    })
  }
]
