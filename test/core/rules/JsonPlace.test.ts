import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hasRepeatedName, namesIn } from "../../../src/contract/RepeatedNames.ts"
import { firstFault } from "../../../src/core/rules/JsonPlace.ts"

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    const names = namesIn(Buffer.from(text))
    return typeof value !== "object" || value === null || typeof names !== "number" || !hasRepeatedName(names, value)
  } catch {
    return false
  }
}

describe("a file that is not JSON: where and why", () => {
  it.each([
    ["", "line 1, column 1: a value is expected"],
    ['{\n  "a": nope\n}', "line 2, column 8: a value is expected"],
    ["[1, 2,]", "line 1, column 7: a value is expected"],
    ['{"a": 1,}', "line 1, column 9: a property name is expected"],
    ['{"a" 1}', "line 1, column 6: a colon is expected"],
    ['{"a": 1 "b": 2}', "line 1, column 9: a comma or end is expected"],
    ["{'a': 1}", "line 1, column 2: a property name or } is expected"],
    ['{"a": [1}', "line 1, column 9: a comma or end is expected"],
    ["{} {}", "line 1, column 4: the end is expected"],
    ['{"a": "b', "line 1, column 7: a value is expected"],
    ["[01]", "line 1, column 3: a comma or end is expected"],
    ['{"a": 1,\n "b": {"a": 1}, "\\u0061": 2}', "line 2, column 17: another property name is expected"]
  ])("%j: %s", (text, expected) => {
    expect(firstFault(text)).toBe(expected)
  })

  it("there is one exactly where JSON.parse refuses or a name is repeated, on JSON spoilt anywhere", () => {
    const spoilt = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.nat(3),
        fc.constantFrom("", ",", "]", "}", '"', ":", "0", "\\", " ", "x")
      )
      .map(([text, at, length, put]) => {
        const from = at % (text.length + 1)
        return text.slice(0, from) + put + text.slice(from + length)
      })
    fc.assert(
      fc.property(fc.oneof(fc.json(), spoilt), (text) => {
        expect([text, firstFault(text) === undefined]).toEqual([text, isJson(text)])
      }),
      { numRuns: 1000 }
    )
  })
})
