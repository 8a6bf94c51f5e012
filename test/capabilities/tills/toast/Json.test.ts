/** Bodies are read as JSON is, but for their numbers, which stay text. Holds contract/tills.md *Toast*. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { objectOf } from "../../../../src/capabilities/tills/toast/Json.ts"
import * as RandomOf from "../../../model/Random.ts"

const read = (text: string): unknown => {
  const found = objectOf(Buffer.from(text))
  return Result.isSuccess(found) ? found.success : found.failure[0]?.message
}

/** The same by the parser's own account of each number's text. */
const expected = (text: string): unknown => {
  const keepText = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? context?.source : value
  try {
    return JSON.parse(text, keepText as never)
  } catch {
    return "is not JSON"
  }
}

const body = `{ "a\\"b\\\\": "1\\\\", "n": [0, -0, 10.50, 1e5,2E-3 ,123456789012345678.90, "7", [], {"x":{"y":-1.0}}],
  "t": true, "f": [false], "s": "\\u0031 : 2, [3]", "3": 4, "é": "ü 5" }`

describe("a body", () => {
  it("keeps the text of its numbers, and all else as JSON has it", () => {
    assert.deepStrictEqual(read(body), expected(body))
  })

  it("that is no JSON is none, however it is broken", () => {
    for (const text of [
      `{1:2}`,
      `{"a":1,2:3}`,
      `{"a":1 2}`,
      `{"a":01}`,
      `{"a":1.}`,
      `{"a":-}`,
      `{"a":.5}`,
      `{"a":1e}`,
      `{"a":"1}`,
      `{"a":+1}`,
      `{12.5 : 1}`,
      `{"a":nul1}`
    ])
      assert.strictEqual(read(text), "is not JSON", text)
    const random = RandomOf.make(68, "bodies")
    const letters = [...`0123456789-+.eE"\\{}[],: tn`]
    for (let round = 0; round < 5_000; round++) {
      const place = random.whole(1, body.length - 2)
      const taken = random.whole(0, 2)
      const text = body.slice(0, place) + random.pick(letters) + body.slice(place + taken)
      const wanted = expected(text)
      const found = read(text)
      // Repeated names, and what is no object, are refused after it was parsed.
      if (typeof found === "string" && wanted !== "is not JSON")
        assert.include(["has a name twice in one object"], found)
      else assert.deepStrictEqual(found, wanted, text)
    }
  })

  it("has no nulls, and nothing of a property that would change what its object is", () => {
    assert.deepStrictEqual(read(`{"a":null,"b":[null,1,{"c":null}],"__proto__":{"d":1}}`), { b: ["1", {}] })
  })

  it("of many digits takes no time", () => {
    const digits = "1".repeat(1_000_000)
    assert.strictEqual(read(`{${digits}:1}`), "is not JSON")
    assert.deepStrictEqual(read(`{"a":${digits}}`), { a: digits })
  })
})
