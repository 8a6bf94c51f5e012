/** A stop, for every way of starting: within 10 s the service has ended with 0, and no process is left. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { isAlive } from "../../../src/base/database/embedded/Processes.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import * as Folders from "../../Folders.ts"
import { descendantsOf, familyOf, runFolder, signal, until } from "../../faults/Processes.ts"

const root = path.join(import.meta.dirname, "..", "..", "..")
const launcher = path.join(root, "src", "lotbook.cjs")
/** Written by a build of the console, which empties the folder first: other test files start services that read it. */
const built = path.join(root, ".console", "index.html.br")
const { scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string }
}

/** The service's own limit for a stop, ms; on a busy machine processes are a little later. */
const stopMs = 10_000
const slackMs = 5_000

interface Started {
  readonly child: ChildProcess
  readonly port: number
  /** The child, all that it started, and the PostgreSQL of its folder. */
  readonly processes: ReadonlyArray<number>
  readonly output: () => string
}

/** Embedded clusters are made once; that each service finds the last one's folder free is part of the test. */
let world: ReturnType<typeof runFolder>
beforeAll(() => {
  world = runFolder(Folders.make("lotbook-stop-"))
})
afterAll(() => world.remove())

const start = async (
  command: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<Started> => {
  const dataDir = path.join(world.folder, "data")
  const { npm_lifecycle_event: _, ...inherited } = process.env
  const bin = path.join(root, "node_modules", ".bin")
  const env = {
    ...inherited,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    PORT: "0",
    DATA_DIR: dataDir,
    LOG_FORMAT: "json",
    PROTO_SEED_DEMO: "false",
    // npx installs a link to this package where its cache has none, which would run our `prepare`.
    npm_config_cache: path.join(world.folder, "npm"),
    npm_config_ignore_scripts: "true",
    ...variables
  }
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const listening = /Listening on http:\/\/127\.0\.0\.1:(\d+)/
  const port = await until("the service listens", () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`)
    return listening.exec(output)?.[1]
  })
  await until("the service is ready", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    await response?.arrayBuffer()
    return response?.status === 200
  })
  const postmaster = Number(fs.readFileSync(path.join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  const processes = [...descendantsOf(child.pid ?? 0), postmaster]
  return { child, port: Number(port), processes, output: () => output }
}

interface Line {
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A line of the log; what is none fails the test. */
const parsed = (line: string): Line => {
  const json = { annotations: {}, cause: undefined, ...(JSON.parse(line) as Partial<Line>) }
  assert.hasAllKeys(json, ["timestamp", "level", "message", "annotations", "cause"])
  assert.notInclude(line, '"annotations":{}')
  return json as Line
}

const allGone = async ({ output, processes }: Started, limitMs = stopMs + slackMs) => {
  try {
    await until("all processes have ended", () => !processes.some(isAlive), limitMs)
  } catch (error) {
    signal(processes.filter(isAlive), "SIGKILL")
    assert.fail(`${String(error)}:\n${output()}`)
  }
}

const ended = (child: ChildProcess) =>
  new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) =>
    child.once("exit", (code, name) => resolve({ code, signal: name }))
  )

describe.skipIf(process.platform === "win32")("SIGTERM", () => {
  const ways: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["the script of npm start", "/bin/sh", ["-c", scripts.start]],
    ["the launcher", process.execPath, [launcher, "serve"]]
  ]
  for (const [name, command, args] of ways) {
    it(`to ${name}: it ends with 0 and leaves no process`, async () => {
      const started = await start(command, args)
      const end = ended(started.child)
      started.child.kill("SIGTERM")
      assert.deepStrictEqual(await end, { code: 0, signal: null }, started.output())
      await allGone(started)
      const lines = started.output().trim().split("\n").map(parsed)
      const events = lines.flatMap(({ annotations: { event } }) => (event === undefined ? [] : [event]))
      assert.deepStrictEqual(events, ["start", "joined", "stopping", "stopped"])
      const [{ version, environment, database } = {}] = lines.flatMap(({ annotations }) =>
        annotations["event"] === "start" ? [annotations] : []
      )
      assert.deepStrictEqual([version, environment], [softwareVersion, "live"])
      assert.isString(database)
      const joined = lines.find(({ annotations }) => annotations["event"] === "joined")
      assert.deepStrictEqual(joined?.annotations["programs"], { "demo-foodservice": 1 })
      // Where the first person goes, and with which key.
      const console = `The console is at http://localhost:${started.port}/console – sign in with proto-dev-admin-key`
      assert.include(
        lines.map(({ message }) => message),
        console
      )
    })
  }

  const npmWays: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["npm start", "npm", ["start"]],
    ["npx lotbook serve", "npx", ["lotbook", "serve"]]
  ]
  for (const [name, command, args] of npmWays) {
    it(`to ${name}: no process is left, and the console was not built anew`, async () => {
      const builtAt = fs.statSync(built).mtimeMs
      const started = await start(command, args)
      started.child.kill("SIGTERM")
      await allGone(started)
      assert.strictEqual(fs.statSync(built).mtimeMs, builtAt)
    })
  }

  it("a launcher killed with SIGKILL takes its service along", async () => {
    // Without the precedence of the flag, the service would not log where it listens.
    const started = await start(process.execPath, [launcher, "serve", "--log-level", "info"], { LOG_LEVEL: "error" })
    started.child.kill("SIGKILL")
    await allGone(started)
  })

  it("with a PostgreSQL that hangs, callers get an answer, and the service still ends with 0", async () => {
    const started = await start(process.execPath, [launcher, "serve"])
    const postmaster = started.processes.at(-1) ?? 0
    const post = (route: string, body: object) =>
      fetch(`http://127.0.0.1:${started.port}/proto/v1/${route}`, {
        method: "POST",
        headers: { Authorization: "Bearer proto-dev-token", "Content-Type": "application/json" },
        body: JSON.stringify({ context: { ...Testing.context(), idempotency_key: randomUUID() }, ...body })
      })
    const member = { member_id: "member-1", program_id: "demo-foodservice" }
    assert.strictEqual(
      (await post("members/enroll", { ...member, identity: { type: "loyalty_id", value: "1" } })).status,
      201
    )
    const server = familyOf(postmaster)
    signal(server, "SIGSTOP")
    try {
      const answered = post("accruals", {
        member_id: "member-1",
        order: Testing.order("order-1", 1000, Testing.placedNow)
      })
      // Another connection's answer: by then the service has the request.
      await (await fetch(`http://127.0.0.1:${started.port}/health`)).arrayBuffer()
      const end = ended(started.child)
      const toldAt = Date.now()
      started.child.kill("SIGTERM")
      assert.strictEqual((await answered).status, 503)
      assert.deepStrictEqual(await end, { code: 0, signal: null }, started.output())
      assert.isBelow(Date.now() - toldAt, stopMs + slackMs)
      const last = parsed(started.output().trim().split("\n").at(-1) ?? "")
      assert.strictEqual(last.annotations["event"], "stopped", started.output())
    } finally {
      signal(server, "SIGCONT")
    }
    await allGone(started)
  })
})
