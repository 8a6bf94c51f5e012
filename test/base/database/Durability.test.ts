/** contract/databases.md *Confirmed durability*: what the log says while PostgreSQL confirms nothing. */
import { assert, describe, it } from "@effect/vitest"
import { waitsFor } from "../../../src/base/database/Durability.ts"

describe("why PostgreSQL does not confirm", () => {
  it("blames a standby only where one is asked for", () => {
    const slow = waitsFor("", 0)
    assert.strictEqual(slow.reason, "slow")
    assert.notInclude(slow.text, "standby of")
    assert.include(slow.text, "disk or machine")
    assert.deepStrictEqual(waitsFor("standby_a", 12), {
      reason: "standby",
      text: "12 sessions wait for a standby of synchronous_standby_names = 'standby_a'"
    })
  })

  it("blames a standby where sessions wait for one that the setting does not name, as after a promotion", () => {
    assert.strictEqual(waitsFor("", 1).reason, "standby")
  })
})
