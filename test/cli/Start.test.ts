/** How the service is started: what Node and V8 are told on the command line reaches the process, by every way of starting it. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { startFlags } from "../StartFlags.ts"

const launcher = path.join(import.meta.dirname, "..", "..", "src", "lotbook.cjs")

/** Makes the process that runs the service say which flags it has got. */
const probe = `process.argv[1]?.endsWith("main.ts") && console.log(JSON.stringify(process.execArgv))`

/** Whether the system gives large pages to whoever asks for them. */
const hasLargePages = (): boolean => {
  const file = "/sys/kernel/mm/transparent_hugepage/enabled"
  return (
    process.platform === "linux" &&
    process.arch === "x64" &&
    fs.existsSync(file) &&
    !fs.readFileSync(file, "utf8").includes("[never]")
  )
}

describe("the flags of Node's", () => {
  it("are known to the Node that runs, and there are four", () => {
    assert.deepStrictEqual(startFlags, [
      "--use-largepages=silent",
      "--v8-pool-size=1",
      "--no-memory-reducer",
      "--max-semi-space-size=32"
    ])
    assert.strictEqual(
      execFileSync(process.execPath, [...startFlags, "--print", "6 * 7"], { encoding: "utf8" }),
      "42\n"
    )
  })

  it.skipIf(!hasLargePages())("take Node's own code out of its file, to where large pages can hold it", () => {
    // Whether there are large pages at the moment is the system's matter.
    const codeInFile = (flags: ReadonlyArray<string>): number => {
      const script = `require("node:fs").readFileSync("/proc/self/maps", "utf8")`
      const mappings = execFileSync(process.execPath, [...flags, "--print", script], { encoding: "utf8" })
      const own = mappings.split("\n").filter((line) => / r-xp /.test(line) && line.endsWith(process.execPath))
      return own.reduce((sum, line) => {
        const [from = "", to = ""] = line.split(/[- ]/)
        return sum + Number.parseInt(to, 16) - Number.parseInt(from, 16)
      }, 0)
    }
    assert.isBelow(codeInFile(startFlags), codeInFile([]) / 2)
  })

  it.skipIf(process.platform !== "linux")("leave the collector one helper", () => {
    const script = `require("node:fs").readdirSync("/proc/self/task").map((thread) =>
      require("node:fs").readFileSync("/proc/self/task/" + thread + "/comm", "utf8").trim()).join()`
    const threads = execFileSync(process.execPath, [...startFlags, "--print", script], { encoding: "utf8" })
    assert.strictEqual(threads.split(",").filter((name) => name.trim() === "V8Worker").length, 1)
  })

  it("bound the young generation, whatever survives in it: two halves of 32 MB", () => {
    // When V8 lets it grow hangs on how its marking falls in with the load: so it is loaded again until it has grown.
    const grown = (flags: ReadonlyArray<string>, target: number): number => {
      const script = `
        const young = () =>
          require("node:v8").getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size
        const load = () => { for (let i = 0, kept = []; i < 8e6; i++) kept[i % 2e6] = [i] }
        for (let loads = 0; loads < 20 && young() < ${target}; loads++) load()
        load()
        young()`
      return Number(execFileSync(process.execPath, [...flags, "--print", script], { encoding: "utf8" }))
    }
    const most = 2 * 32 * 2 ** 20
    assert.strictEqual(grown(startFlags, most), most)
    assert.isAbove(
      grown(
        startFlags.map((flag) => flag.replace("=32", "=64")),
        2 * most
      ),
      most
    )
  })

  for (const [command, flags] of [
    ["serve", startFlags],
    ["journal", []]
  ] as const)
    it(`the launcher runs ${command} with ${flags.length} of them`, () => {
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(probe)}`
      const env = { ...process.env, NODE_OPTIONS }
      const said = execFileSync(process.execPath, [launcher, command, "--help"], { encoding: "utf8", env })
      assert.deepStrictEqual(JSON.parse(said.split("\n")[0] ?? ""), flags)
    })
})
