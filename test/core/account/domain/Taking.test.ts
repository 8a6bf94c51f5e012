/** Holds contract/redemptions.md *Taking into the wallet*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Reward } from "../../../../src/contract/protocol/Program.ts"
import { announcements } from "../../../../src/core/account/domain/Announced.ts"
import { hindrance } from "../../../../src/core/account/domain/Taking.ts"
import { compile, type Program } from "../../../../src/core/rules/Program.ts"
import { cancel, capture, day, issue, manual, reserve, reverse, Scenario, second, start, status } from "./Scenario.ts"

const [one] = Testing.demoProgram.file.rewards

const reward = (more: Partial<Reward>): Reward => {
  if (one === undefined) throw new Error("the demo has rewards")
  return { ...one, reward_id: "cake", cost: { unit: "points", amount: 100 }, ...more }
}

const programWith = (more: Partial<Reward> = {}, rules: Partial<Program["file"]> = {}): Program => {
  const { file } = Testing.demoProgram
  return compile({ ...file, rewards: [...file.rewards, reward(more)], ...rules })
}

const take = (issued: string) => issue(issued, { reward: "cake", isPaid: true })
const until = (ms: number) => new Date(start + ms).toISOString()

describe("Taking into the wallet", () => {
  it("posts the cost and issues the reward in one record", () => {
    const ada = new Scenario(programWith()).given(manual(150))
    const { events, reply } = ada.when(take("w-1"))
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["posted", "reward_issued"]
    )
    assert.deepStrictEqual(ada.balance(), [50, 0])
    assert.deepInclude(ada.ledger.at(-1), { op: "redemption", amount: -100, wallet: "w-1" })
    assert.deepInclude(reply, { type: "reward", created: true })
    assert.deepStrictEqual(ada.replayed, ada.state)
    assert.deepStrictEqual(
      announcements(events).map(({ name, why }) => [name, why]),
      [
        ["balance.changed", "wallet"],
        ["issued-reward.issued", undefined]
      ]
    )
  })

  it("is refused as too little, outside its window, below the minimum, and of rewards for the till alone", () => {
    const given = (program: Program, points = 150) => new Scenario(program).given(manual(points))
    given(programWith(), 99).refuses(take("w-1"), "insufficient_balance")
    given(programWith({ available_from: until(day) })).refuses(take("w-1"), "reward_not_available")
    given(programWith({ available_until: until(-1) })).refuses(take("w-1"), "reward_not_available")
    given(programWith({}, { redemption: { minimum_points: 151 } })).refuses(take("w-1"), "reward_not_available")
    given(programWith({ cost: { unit: "points", amount: 0 } })).refuses(take("w-1"), "reward_not_available")
    const money = { amount: 100, currency: "USD" }
    const effect = { type: "discount", target: "order", amount: money, allocations: [{ amount: money }] } as const
    const pay = { redemption: { pay_with_points: { reward_id: "cake", max_share_bps: 5000 } } }
    given(programWith({ effect }, pay)).refuses(take("w-1"), "reward_not_available")
    given(programWith()).given(status("suspended")).refuses(take("w-1"), "member_not_active")
    given(programWith()).refuses(issue("w-1", { reward: "none", isPaid: true }), "not_found")
  })

  it("counts what open holds keep as spent", () => {
    const ada = new Scenario(programWith()).given(manual(150), reserve(1, { reward: "cake" }))
    ada.refuses(take("w-1"), "insufficient_balance")
    ada.given(reverse(1), take("w-1"))
    assert.deepStrictEqual(ada.balance(), [50, 0])
  })

  it("agrees with what is shown before, at every balance", () => {
    const program = programWith({}, { redemption: { minimum_points: 120 } })
    for (const points of [1, 99, 100, 119, 120, 200]) {
      const ada = new Scenario(program).given(manual(points))
      const why = hindrance(ada.state, program, program.rewards.get("cake")!, ada.now)
      const decision = ada.decide(take("w-1"))
      assert.strictEqual(decision._tag === "Decided", why === undefined, `${points}`)
    }
  })

  it("ends with the reward's window", () => {
    const ada = new Scenario(programWith({ available_until: until(day) })).given(manual(150), take("w-1"))
    assert.strictEqual(ada.state.rewards.at(-1)?.expires, start + day)
  })

  it("is used for an order without a cost, and comes back when the order is reversed", () => {
    const ada = new Scenario(programWith()).given(manual(100), take("w-1"))
    ada.given(reserve(1, { reward: "cake", issued: "w-1" }), capture(1))
    assert.deepStrictEqual(ada.balance(), [0, 0])
    ada.given(reverse(1))
    assert.strictEqual(ada.state.rewards.at(-1)?.status, "issued")
    assert.deepStrictEqual(ada.posts(cancel("w-1")), [["reversal", "points", 100]])
  })

  it("gives the points back to their lots when it is cancelled, once", () => {
    const ada = new Scenario(programWith()).given(manual(60), manual(60))
    const before = ada.lots()
    ada.given(take("w-1"))
    assert.deepStrictEqual(ada.posts(cancel("w-1")), [["reversal", "points", 100]])
    assert.deepStrictEqual(ada.lots(), before)
    assert.strictEqual(ada.decide(cancel("w-1"))._tag, "DoneBefore")
    assert.deepStrictEqual(ada.replayed, ada.state)
    const gift = new Scenario(programWith()).given(issue("g-1", { reward: "cake" }))
    assert.deepStrictEqual(gift.posts(cancel("g-1")), [])
  })

  it("expires points that return to lots that are over by then", () => {
    const expires = start + 10 * second
    const ada = new Scenario(programWith()).given(manual(100, { expires }), take("w-1"))
    ada.wait(20 * second)
    assert.deepStrictEqual(ada.posts(cancel("w-1")), [
      ["reversal", "points", 100],
      ["expiration", "points", -100]
    ])
    assert.deepStrictEqual(ada.balance(), [0, 0])
  })

  it("moves with a merge: the heir's cancellation returns the points to the lots that the merge brought", () => {
    const program = programWith()
    const from = new Scenario(program, "bob", 2).given(manual(130), take("w-1"))
    const heir = new Scenario(program).given(manual(10))
    heir.merge(from)
    assert.deepStrictEqual(heir.balance(), [40, 0])
    assert.deepStrictEqual(heir.posts(cancel("w-1")), [["reversal", "points", 100]])
    assert.deepStrictEqual(heir.balance(), [140, 0])
    assert.deepStrictEqual(
      heir.lots().map(([, left]) => left),
      [130, 10]
    )
    assert.deepStrictEqual(heir.replayed, heir.state)
  })

  it("of a used reward that has left memory, the points return after its reversal, after a merge too", () => {
    const program = programWith()
    const from = new Scenario(program, "bob", 2).given(manual(130), take("w-1"))
    from.given(reserve(1, { reward: "cake", issued: "w-1" }), capture(1))
    for (let n = 0; n < 6; n++) from.given(issue(`g-${n}`, { reward: "cake" }), cancel(`g-${n}`))
    const heir = new Scenario(program).given(manual(10))
    heir.merge(from)
    heir.given(reverse(1))
    assert.deepStrictEqual(heir.posts(cancel("w-1")), [["reversal", "points", 100]])
    assert.deepStrictEqual(heir.balance(), [140, 0])
  })
})
