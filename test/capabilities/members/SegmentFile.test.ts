/** The name of the file of a segment's members. */
import { assert, describe, it } from "@effect/vitest"
import { fileNameOf } from "../../../src/capabilities/members/Members.ts"

describe("the file of a segment", () => {
  const date = Date.UTC(2026, 10, 28)

  it("has its name and the day", () => {
    assert.strictEqual(fileNameOf("Regulars who stay away!", "seg", date), "regulars-who-stay-away-2026-11-28")
    assert.strictEqual(fileNameOf('Café "Süd"\r\nx', "seg", date), "cafe-sud-x-2026-11-28")
  })

  it("has the id where the name has no letter that a header may have", () => {
    assert.strictEqual(fileNameOf("常连", "seg_1", date), "seg_1-2026-11-28")
  })
})
