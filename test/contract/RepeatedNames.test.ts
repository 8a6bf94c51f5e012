/** contract/transport.md *Bodies*: a name twice in one object is `invalid_json`. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { hasRepeatedName, maxLevels, maxNames, namesIn } from "../../src/contract/RepeatedNames.ts"
import { firstFault } from "../../src/core/rules/JsonPlace.ts"

const repeats = (text: string): boolean => {
  const names = namesIn(Buffer.from(text))
  if (typeof names !== "number") throw new Error(`${names}: ${text}`)
  const isFound = hasRepeatedName(names, JSON.parse(text))
  // The slow search that tells the place agrees with the fast one.
  assert.strictEqual(firstFault(text) !== undefined, isFound, text)
  return isFound
}

describe("repeated names", () => {
  it("are found at every depth, in whatever spelling and place", () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"b":2,"a":3}',
      '{"a":{"b":[{"c":1,"c":2}]}}',
      '{"member_id":"x","member\\u005fid":"y"}',
      '{"\\u0061":1,"a":2}',
      '{"":1,"":2}',
      '{"a" : 1 , "a"\n:\t2}',
      '{"a":"\\"","a":"{"}',
      '{"a\\"b":1,"a\\u0022b":1}',
      '{"__proto__":1,"__proto__":2}',
      '{"a":{"x":":"},"a":{}}',
      '{"a":{"x":1,"y":2},"a":0}',
      '{"é":1,"\\u00e9":2}',
      '{"1":0,"1":0}'
    ])
      assert.isTrue(repeats(text), text)
  })

  it("are not seen where the same name is in another object, or in a string", () => {
    for (const text of [
      "{}",
      '{"a":{"a":{"a":1}}}',
      '[{"a":1},{"a":1}]',
      '{"a":"\\"a\\":1,\\"a\\":2"}',
      '{"a":"\\\\","b":":"}',
      '{"a":"\\\\\\"","b":"{\\"b\\":1}"}',
      '{"a:":":","b":"::"}',
      '{"a":1,"A":1,"ä":1,"a ":1}',
      '{"__proto__":1,"constructor":2}',
      '{"a":["a","a",":"]}'
    ])
      assert.isFalse(repeats(text), text)
  })

  it("are told from strings with any characters, in random values", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", ":", "{", "}", "a", ",", "\n", "é", "😀", " ") })
    const value = fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)], maxDepth: 4 })
    fc.assert(fc.property(value, (one) => !repeats(JSON.stringify(one))))
    fc.assert(
      fc.property(value, text, text, (one, name, other) => {
        const members = JSON.stringify({ ...one, [name]: other }).slice(1)
        return repeats(`{${JSON.stringify(name)}:${JSON.stringify(other)},${members}`)
      })
    )
  })
})

describe("the bounds of a JSON text", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
  const named = (names: number) =>
    `{${Array.from({ length: names }, (_, i) => `"${i}":${i % 2 === 0 ? '":{["' : "[]"}`).join(",")}}`

  it("are levels of nesting, and names of all objects", () => {
    assert.strictEqual(namesIn(Buffer.from(nested(maxLevels))), 1)
    assert.strictEqual(namesIn(Buffer.from(nested(maxLevels + 1))), "too_deep")
    assert.strictEqual(namesIn(Buffer.from(`{"a":${nested(maxLevels - 1)}}`)), 2)
    assert.strictEqual(namesIn(Buffer.from(`{"a":${nested(maxLevels)}}`)), "too_deep")
    assert.strictEqual(namesIn(Buffer.from(named(maxNames))), maxNames)
    assert.strictEqual(namesIn(Buffer.from(named(maxNames + 1))), "too_many_names")
  })

  it("are looked for in every text, also one that is no JSON", () => {
    for (const text of ['{"a', '{"a\\', '{"a\\"', "]]]]", "", '"', "\\", '{"a":"'])
      assert.isNumber(namesIn(Buffer.from(text)), text)
    assert.strictEqual(namesIn(Buffer.from("[".repeat(500_000))), "too_deep")
    assert.strictEqual(namesIn(Buffer.from(":".repeat(90_000))), "too_many_names")
  })
})
