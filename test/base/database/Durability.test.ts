/** contract/databases.md *Confirmed durability*: what the log says while PostgreSQL confirms nothing. */
import { assert, describe, it } from "@effect/vitest"
import { waitsFor } from "../../../src/base/database/Durability.ts"

describe("why PostgreSQL does not confirm", () => {
  it("blames a standby only where one is asked for", () => {
    assert.notInclude(waitsFor("", 0), "standby of")
    assert.include(waitsFor("", 0), "disk or machine")
    assert.include(
      waitsFor("standby_a", 12),
      "12 sessions wait for a standby of synchronous_standby_names = 'standby_a'"
    )
  })
})
