/** Holds contract/redemptions.md *Limits of an order*, *Paying with points*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { RewardEffect } from "../../../../src/contract/protocol/Program.ts"
import type { Reserved } from "../../../../src/core/account/domain/AccountEvent.ts"
import { evaluationOf } from "../../../../src/core/protocol/Orders.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import { compile } from "../../../../src/core/rules/Program.ts"
import { capture, issue, manual, reserve, reverse, Scenario, second } from "./Scenario.ts"

type File = Program["file"]

const usd = (amount: number) => ({ amount, currency: "USD" })

/** 100 points take 1.00 off, in two parts. */
const effect: RewardEffect = {
  type: "discount",
  target: "line",
  amount: usd(100),
  allocations: [
    { line_id: "a", amount: usd(70) },
    { line_id: "b", amount: usd(30) }
  ]
}

/** The demo's programme with a wallet of points, and these rules. */
const programWith = (rules: Pick<File, "redemption" | "limits">): Program => {
  const { file } = Testing.demoProgram
  const [one] = file.rewards
  if (one === undefined) throw new Error("the demo has rewards")
  const wallet = { ...one, reward_id: "wallet", cost: { unit: "points", amount: 100 } as const, effect }
  return compile({ ...file, rewards: [...file.rewards, wallet], ...rules })
}

const half = { reward_id: "wallet", max_share_bps: 5000 }
const wallet = programWith({ redemption: { pay_with_points: half } })

/** An order of 11.00: points may pay 5.50 of it, which is five times. */
const order = Testing.order("meal", 1_100, { status: "open" })

const pay = (n: number, points?: number, more: Parameters<typeof reserve>[1] = {}) =>
  reserve(n, { reward: "wallet", order, ...(points === undefined ? undefined : { points }), ...more })

const heldBy = (scenario: Scenario, action: ReturnType<typeof pay>): Reserved => {
  const held = scenario.when(action).events.find((event) => event.type === "reserved")
  if (held === undefined) throw new Error("nothing was held")
  return held
}

/** The reward in an evaluation of the order now. */
const shown = (scenario: Scenario, reward = "wallet", of = order) => {
  const found = evaluationOf(
    scenario.state,
    scenario.program,
    { ...of, ...Testing.placedAt(scenario.now) },
    scenario.now
  )
  if ("code" in found) throw new Error(found.code)
  const one = found.rewards.find(({ reward_id }) => reward_id === reward)
  return { reasons: one?.unavailable_reasons ?? [], most: one?.max_points }
}

const refusedAt = (scenario: Scenario, action: ReturnType<typeof pay>, path: string) =>
  assert.deepNestedInclude(scenario.decide(action), { code: "validation_failed", "errors[0].path": path })

describe("Paying with points", () => {
  it("without minimum_points a balance below zero is insufficient, and no limit", () => {
    const scenario = new Scenario().given(manual(-50, { classification: "correction" }))
    scenario.refuses(reserve(1), "insufficient_balance")
  })

  it("discount and parts grow with the points, which are held and spent whole", () => {
    const ada = new Scenario(wallet).given(manual(450))
    const held = heldBy(ada, pay(1, 300))
    assert.strictEqual(held.cost, 300)
    assert.deepStrictEqual(held.effect, {
      ...effect,
      amount: usd(300),
      allocations: [
        { line_id: "a", amount: usd(210) },
        { line_id: "b", amount: usd(90) }
      ]
    })
    assert.deepStrictEqual(ada.posts(capture(1, "meal")), [["redemption", "points", -300]])
    assert.deepStrictEqual(ada.posts(reverse(1)), [["reversal", "points", 300]])
    assert.deepStrictEqual(ada.balance(), [450, 0])
  })

  it("without points the reward is held once", () => {
    const held = heldBy(new Scenario(wallet).given(manual(450)), pay(1))
    assert.deepStrictEqual([held.cost, held.effect], [100, effect])
  })

  it("points are a multiple of the cost, for that reward alone, and no wallet reward pays beside them", () => {
    const ada = new Scenario(wallet).given(manual(450), issue("gift", { reward: "wallet" }))
    refusedAt(ada, pay(1, 150), "/points")
    refusedAt(ada, reserve(1, { order, points: 100 }), "/points")
    refusedAt(new Scenario().given(manual(450)), reserve(1, { order, points: 100 }), "/points")
    ada.refuses(pay(1, 100, { issued: "gift" }), "invalid_state")
    ada.refuses(pay(1, 500), "insufficient_balance")
  })

  it("points take at most their share of the order's total, over all of its holds, open or captured", () => {
    const ada = new Scenario(wallet).given(manual(2_000))
    ada.refuses(pay(1, 600), "reward_not_available")
    ada.given(pay(1, 200), capture(1, "meal"), pay(2, 200))
    ada.refuses(pay(3, 200), "reward_not_available")
    ada.given(pay(3, 100))
    ada.refuses(pay(4), "reward_not_available")
    ada.given(reverse(1), pay(4, 200))
    assert.deepStrictEqual(shown(ada), { reasons: ["limit_reached"], most: undefined })
    // Another order has a share of its own.
    ada.given(pay(5, 500, { order: { ...order, order_id: "dessert" } }))
  })

  it("a hold that expired leaves its share to the next one", () => {
    const ada = new Scenario(wallet).given(manual(2_000), pay(1, 500))
    ada.refuses(pay(2), "reward_not_available")
    ada.wait(120 * second).given(pay(2, 500))
  })

  it("a wallet reward takes nothing of the share", () => {
    const ada = new Scenario(wallet).given(manual(500), issue("gift", { reward: "wallet" }), pay(1, 500))
    ada.given(pay(2, undefined, { issued: "gift" }))
  })
})

describe("Limits of an order", () => {
  it("rewards_per_order refuses the next hold, also of a wallet reward, until one of them is given back", () => {
    const ada = new Scenario(programWith({ limits: { rewards_per_order: 2 } })).given(manual(900), issue("gift"))
    ada.given(reserve(1, { order }), capture(1, "meal"), reserve(2, { order, issued: "gift" }))
    ada.refuses(reserve(3, { order }), "reward_not_available")
    assert.deepStrictEqual(shown(ada, "one-off").reasons, ["limit_reached"])
    ada.given(reserve(4), reverse(2), reserve(3, { order }))
  })

  it("below minimum_points no reward that costs points is held; what the order itself holds counts as available", () => {
    const ada = new Scenario(programWith({ redemption: { minimum_points: 300 } })).given(manual(299), issue("gift"))
    ada.refuses(reserve(1, { order }), "reward_not_available")
    assert.deepStrictEqual(shown(ada, "one-off").reasons, ["below_minimum_points"])
    ada.given(reserve(2, { order: { ...order, order_id: "other" }, issued: "gift" }))
    ada.given(manual(1), reserve(3, { order }), capture(3, "meal"), reserve(4, { order }))
    ada.refuses(reserve(5), "reward_not_available")
    assert.deepStrictEqual(shown(ada, "one-off", { ...order, order_id: "hold-5" }).reasons, ["below_minimum_points"])
  })
})

/** A repeatable sequence of numbers from 0 to below 1. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe("Limits of an order, in random histories", () => {
  it("an evaluation is available exactly where reserve holds, max_points is the most that it takes", () => {
    const program = programWith({
      redemption: { minimum_points: 250, pay_with_points: half },
      limits: { rewards_per_order: 2 }
    })
    let held = 0
    let refused = 0
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomOf(seed)
      const ada = new Scenario(program).given(manual(200 + random(800)))
      const open: Array<number> = []
      for (let n = 1; n <= 25; n++) {
        const total = 300 + random(6) * 200
        const of = Testing.order(`order-${random(2)}`, total, { status: "open" })
        const { most, reasons } = shown(ada, "wallet", of)
        const once = ada.decide(pay(n, undefined, { order: of }))
        assert.strictEqual(once._tag === "Decided", reasons.length === 0, `seed ${seed}: ${reasons.join()}`)
        assert.strictEqual(most !== undefined, reasons.length === 0)
        if (most !== undefined) {
          assert.strictEqual(ada.decide(pay(n, most, { order: of }))._tag, "Decided", `seed ${seed}`)
          assert.strictEqual(ada.decide(pay(n, most + 100, { order: of }))._tag, "Refusal", `seed ${seed}`)
          ada.given(pay(n, 100 * (1 + random(most / 100)), { order: of }))
          open.push(n)
          held++
        } else refused++
        const last = open.at(-1)
        if (last !== undefined && random(3) === 0) {
          ada.given(random(2) === 0 ? reverse(last) : capture(last, orderOf(ada, last)))
          open.pop()
        }
        if (random(6) === 0) ada.wait(121 * second).given(manual(random(300) + 1))
        const [posted, reserved] = ada.balance()
        assert.isAtLeast(posted - reserved, 0)
        assert.deepStrictEqual(ada.replayed.reservations, ada.state.reservations)
        if (ada.state.reservations.every(({ status }) => status !== "reserved")) open.length = 0
      }
    }
    assert.isAbove(held, 200)
    assert.isAbove(refused, 200)
  })
})

const orderOf = (scenario: Scenario, n: number): string =>
  scenario.state.reservations.find(({ reservation }) => reservation === `rsv-${n}`)?.order ?? ""
