/** The collector gives way to requests: in a process of its own, as priorities are a process's. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

const script = `
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import * as Collector from ${JSON.stringify(new URL("../../src/cli/Collector.ts", import.meta.url).href)}

await Effect.runPromise(Collector.giveWay)
const threads = readdirSync("/proc/self/task").map((thread) => [
  readFileSync("/proc/self/task/" + thread + "/comm", "utf8").trim(),
  getPriority(Number(thread)) - getPriority(process.ppid)
])
console.log(JSON.stringify(threads))
`

describe.skipIf(process.platform !== "linux")("the collector's helpers", () => {
  it("run at a lower priority, and nothing else does", () => {
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" })
    const threads = JSON.parse(said) as ReadonlyArray<readonly [name: string, lower: number]>
    const helpers = threads.filter(([name]) => name === "V8Worker")
    assert.isAbove(helpers.length, 0)
    for (const [, lower] of helpers) assert.strictEqual(lower, 10)
    for (const [name, lower] of threads) if (name !== "V8Worker") assert.strictEqual(lower, 0, name)
  })
})
