/** Names of log lines: the guide lists each one, and none else. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { logEvents, reasonOf } from "../../../src/base/metrics/LogEvent.ts"

const guide = path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "operating.md")

it("the guide lists every event", () => {
  const [, table = ""] = fs.readFileSync(guide, "utf8").split("| event | when | facts |\n|---|---|---|\n")
  const [rows = ""] = table.split("\n\n")
  const listed = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, event]) => event)
  assert.deepStrictEqual(listed, [...logEvents])
})

it("the reason is the message of the innermost cause", () => {
  const refused = new Error("connect ECONNREFUSED")
  assert.strictEqual(
    reasonOf(new Error("SqlError", { cause: new Error("outer", { cause: refused }) })),
    refused.message
  )
  assert.strictEqual(reasonOf("cut"), "cut")
  assert.include(reasonOf(new Error("SqlError", { cause: new Error("Connection timed out") })), "lacks processors")
})
