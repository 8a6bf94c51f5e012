/** Writes by a session's cookie (contract/operators.md *Sessions*), behind a proxy that sends a `Host` of its own. */
import { assert, describe, it } from "vitest"
import * as Csrf from "../../../src/edge/http/Csrf.ts"

const publicUrl = "https://points.example.com"
const faultOf = (origin: string, of?: string) =>
  Csrf.faultOf({ headers: { host: "127.0.0.1:3210", origin, "x-csrf-token": "token" } }, "token", of)

describe("the origin of a write", () => {
  it("may be the service's address for browsers, and no other one", () => {
    assert.isUndefined(faultOf(publicUrl, publicUrl))
    assert.isUndefined(faultOf("http://127.0.0.1:3210", publicUrl))
    for (const origin of [
      "http://points.example.com",
      "https://points.example.com.evil.example",
      "https://evil.example",
      "null"
    ])
      assert.match(faultOf(origin, publicUrl) ?? "", /another origin/, origin)
    assert.match(faultOf(publicUrl) ?? "", /another origin/)
  })
})
