/** contract/operators.md *Limits*: which limit a gift exceeds, and what the refusal says. */
import { assert, describe, it } from "vitest"
import type { Role } from "../../../src/contract/Roles.ts"
import type { Amounts, Limits } from "../../../src/desk/surface/Limits.ts"
import { detailOf, exceeded } from "../../../src/desk/surface/Limits.ts"

const all: ReadonlyArray<Limits> = [
  { role: "support", points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10 },
  { role: "manager", points_per_action: 50_000, points_per_day: 500_000, rewards_per_day: 500 }
]
const points = (amount: number): Amounts => ({ points: amount, rewards: 0, moves: 0 })
const rewards = (amount: number): Amounts => ({ points: 0, rewards: amount, moves: 0 })

/** The refusal of `asked` after `given`; undefined: it may be given. */
const said = (role: Role, given: Amounts, asked: Amounts, limits = all) => {
  const limit = exceeded(limits, { role }, given, asked)
  return limit && detailOf({ role }, limit, asked)
}

describe("limits of a role", () => {
  it("allow what they say, and not one more", () => {
    assert.isUndefined(said("support", points(0), points(1_000)))
    assert.isUndefined(said("support", points(4_000), points(1_000)))
    assert.isUndefined(said("support", rewards(9), rewards(1)))
    assert.strictEqual(
      said("support", points(0), points(1_001)),
      "The role support may give or take 1000 points at once; this is 1001. At most now: 1000. Roles that may: owner, manager."
    )
    assert.strictEqual(
      said("support", points(4_001), points(1_000)),
      "The role support may give or take 5000 points a day; this is 1000. Left today: 999. Roles that may: owner, manager."
    )
    assert.strictEqual(
      said("support", rewards(10), rewards(1)),
      "The role support may give or take 10 rewards a day; this is 1. Left today: 0. Roles that may: owner, manager."
    )
  })

  it("tell the part that campaigns give because of it", () => {
    const all = { ...points(5_300), rewards: 11, byCampaigns: { ...points(5_000), rewards: 10 } }
    assert.include(said("support", points(0), all), "; this is 5300, 5000 of it from campaigns. At most now: 1000.")
    assert.include(said("support", points(0), { ...all, points: 0 }), "; this is 11, 10 of it from campaigns. Left")
  })

  it("name the roles that are wide enough for the request", () => {
    assert.deepStrictEqual(exceeded(all, { role: "support" }, points(0), points(60_000)), {
      name: "points_per_action",
      allowed: 1_000,
      left: 1_000,
      roles: ["owner"]
    })
    assert.deepStrictEqual(exceeded(all, { role: "manager" }, points(480_000), points(30_000))?.roles, ["owner"])
    // A manager may give or take less at once than a clerk.
    const odd = all.map((one) => (one.role === "manager" ? { ...one, points_per_action: 10 } : one))
    assert.deepStrictEqual(exceeded(odd, { role: "manager" }, points(0), points(500))?.roles, ["owner", "support"])
  })

  it("leave for one request what both leave", () => {
    assert.deepInclude(exceeded(all, { role: "support" }, points(4_700), points(2_000)), {
      name: "points_per_action",
      left: 300
    })
    assert.deepInclude(exceeded(all, { role: "support" }, points(6_000), points(2_000)), {
      name: "points_per_action",
      left: 0
    })
  })

  it("may be 0, and may be absent", () => {
    const limits = [{ role: "support" as const, points_per_day: 0 }]
    assert.strictEqual(
      said("support", points(0), points(1), limits),
      "The role support may give or take 0 points a day; this is 1. Left today: 0. Roles that may: owner, manager."
    )
    assert.isUndefined(said("support", rewards(900), rewards(1), limits))
    assert.isUndefined(said("owner", points(10_000_000), points(10_000_000_000)))
    assert.isUndefined(said("support", points(10_000_000), points(10_000_000_000), []))
  })
})
