/** How the service is started: what V8 is told on the command line reaches the process, by every way of starting it. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { startFlags } from "../StartFlags.ts"

const launcher = path.join(import.meta.dirname, "..", "..", "src", "lotbook.cjs")

/** The command line of the one child of a process, once it has one. */
const childOf = async (pid: number): Promise<ReadonlyArray<string>> => {
  while (true) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
    const words = child === "" ? [] : readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0")
    if (words.some((word) => word.endsWith("main.ts"))) return words
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("the collector's flags", () => {
  it("are known to the Node that runs, and there are two", () => {
    assert.deepStrictEqual(startFlags, ["--v8-pool-size=1", "--no-memory-reducer"])
    assert.strictEqual(
      execFileSync(process.execPath, [...startFlags, "--print", "6 * 7"], { encoding: "utf8" }),
      "42\n"
    )
  })

  it.skipIf(process.platform !== "linux")("leave the collector one helper", () => {
    const script = `require("node:fs").readdirSync("/proc/self/task").map((thread) =>
      require("node:fs").readFileSync("/proc/self/task/" + thread + "/comm", "utf8").trim()).join()`
    const threads = execFileSync(process.execPath, [...startFlags, "--print", script], { encoding: "utf8" })
    assert.strictEqual(threads.split(",").filter((name) => name.trim() === "V8Worker").length, 1)
  })

  for (const [command, flags] of [
    ["serve", startFlags],
    ["journal", []]
  ] as const)
    it.skipIf(process.platform !== "linux")(`the launcher runs ${command} with ${flags.length} of them`, async () => {
      const started = spawn(process.execPath, [launcher, command, "--help"], { stdio: "ignore" })
      const words = await childOf(started.pid ?? 0)
      await new Promise((resolve) => started.once("exit", resolve))
      assert.deepStrictEqual(words.slice(1, 1 + flags.length), flags)
      assert.isTrue(words[1 + flags.length]?.endsWith("main.ts"), words.join(" "))
    })
})
