/** contract/transport.md *Bodies*: a name twice in one object is `invalid_json`. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { hasRepeatedName } from "../../src/contract/RepeatedNames.ts"
import { firstFault } from "../../src/program/JsonPlace.ts"

const repeats = (text: string): boolean => {
  const isFound = hasRepeatedName(Buffer.from(text), JSON.parse(text))
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

  it("are sought without recursion: depth is the caller's choice", () => {
    const depth = 200_000
    const text = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`
    assert.isFalse(hasRepeatedName(Buffer.from(text), JSON.parse(text)))
  })
})
