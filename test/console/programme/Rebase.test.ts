/** A draft of a programme is carried over to a version that somebody else has published meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { rebase } from "../../../src/console/programme/rebase.ts"

const base = {
  name: "Club",
  description: "Old",
  tiers: [
    { tier_id: "vip", minimum: 1_500, name: "VIP" },
    { tier_id: "regular", minimum: 500, name: "Regular" }
  ],
  stacking: ["a", "b"]
}
const [vip, regular] = base.tiers as [(typeof base.tiers)[0], (typeof base.tiers)[0]]

describe("a draft on a newer version", () => {
  it("has the changes of both where they are of different things", () => {
    const mine = { ...base, description: "New", tiers: [vip, { ...regular, name: "Friend" }] }
    const theirs = { ...base, name: "Winter Club", tiers: [{ ...vip, minimum: 1_200 }, regular] }
    assert.deepStrictEqual(rebase(base, mine, theirs), {
      draft: {
        ...base,
        name: "Winter Club",
        description: "New",
        tiers: [
          { ...vip, minimum: 1_200 },
          { ...regular, name: "Friend" }
        ]
      },
      both: []
    })
  })

  it("keeps what either added, and has no more what either removed", () => {
    const added = { tier_id: "gold", minimum: 3_000, name: "Gold" }
    const theirs = { ...base, tiers: [added, ...base.tiers] }
    const mine = { ...base, tiers: [vip] }
    assert.deepStrictEqual(rebase(base, mine, theirs).draft.tiers, [added, vip])
    assert.deepStrictEqual(
      rebase(base, theirs, mine).draft.tiers.toSorted((a, b) => b.minimum - a.minimum),
      [added, vip]
    )
  })

  it("keeps its own of what both changed, and names it", () => {
    const mine = { ...base, name: "Summer Club", tiers: [{ ...vip, minimum: 1_000 }, regular], stacking: ["a"] }
    const theirs = { ...base, name: "Winter Club", tiers: [{ ...vip, minimum: 1_200 }], stacking: ["b"] }
    assert.deepStrictEqual(rebase(base, mine, theirs), {
      draft: { ...mine, tiers: [{ ...vip, minimum: 1_000 }] },
      both: ["/name", "/tiers/0/minimum", "/stacking"]
    })
    // A person who changed an item that another removed has it still.
    const removed = rebase(base, { ...base, tiers: [vip, { ...regular, name: "Friend" }] }, theirs)
    assert.deepStrictEqual(removed.both, ["/tiers/1"])
    assert.strictEqual(removed.draft.tiers[1]?.name, "Friend")
  })

  it("is the one where only one changed anything, whatever it is", () => {
    const some = fc.dictionary(fc.constantFrom("name", "tiers", "limits", "note"), fc.jsonValue())
    fc.assert(
      fc.property(some, some, (one, other) => {
        assert.deepStrictEqual(rebase(one, other, one), { draft: other, both: [] })
        assert.deepStrictEqual(rebase(one, one, other), { draft: other, both: [] })
        assert.deepStrictEqual(rebase(one, other, other), { draft: other, both: [] })
      })
    )
  })
})
