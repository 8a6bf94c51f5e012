/** contract/operators.md *Assistants*: messages of older revisions. */
import { assert, describe, it } from "@effect/vitest"
import * as Revisions from "../../../src/edge/mcp/Revisions.ts"

const greeting = { serverInfo: {}, capabilities: {}, instructions: "" }

describe("a method of an older revision", () => {
  it("that names something needs its name", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }
    const step = Revisions.step({ message, headers: {} }, greeting)
    assert.deepStrictEqual(step, {
      _tag: "Answered",
      message: { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "tools/call needs the parameter name." } }
    })
  })

  it("is looked up among methods alone, not among the properties of every object", () => {
    for (const method of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const step = Revisions.step({ message: { jsonrpc: "2.0", id: 1, method, params: {} }, headers: {} }, greeting)
      assert.strictEqual(step._tag, "Passed", method)
    }
  })
})
