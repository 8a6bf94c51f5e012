/** Each role begins at its own work (contract/people.md *Roles*). */
import { assert, describe, it } from "@effect/vitest"
import { firstPageOf } from "../../../src/console/app/firstPage.ts"

const all = ["/restaurants", "/today", "/counter", "/members", "/audience", "/developers", "/finance"].map((to) => ({
  to
}))

describe("the console's first page", () => {
  it("is the role's own", () => {
    const shown = all.slice(1)
    assert.strictEqual(firstPageOf("owner", shown)?.to, "/today")
    assert.strictEqual(firstPageOf("analyst", shown)?.to, "/today")
    assert.strictEqual(firstPageOf("support", shown)?.to, "/counter")
    assert.strictEqual(firstPageOf("marketer", shown)?.to, "/audience")
    assert.strictEqual(firstPageOf("developer", shown)?.to, "/developers")
    assert.strictEqual(firstPageOf("finance", shown)?.to, "/finance")
    assert.strictEqual(firstPageOf("franchisee", all)?.to, "/restaurants")
    assert.strictEqual(firstPageOf(undefined, shown)?.to, "/today")
  })

  it("is the first one that the session may open where the role's is not among them", () => {
    assert.strictEqual(firstPageOf("developer", all.slice(3, 5))?.to, "/members")
    assert.strictEqual(firstPageOf("owner", []), undefined)
  })
})
