/**
 * By hand: three nodes behind haproxy or nginx, with the files of `src/app/operations`, under load and faults. Needs the
 * program on the path.
 *
 *     node test/app/operations/balancers.ts haproxy|nginx [rounds]
 *
 * A line for each fault: what callers saw of it. At the end every acknowledged order must be in the ledger once.
 */

import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { freePort, runFolder, until } from "../../faults/Processes.ts"
import { Service } from "../../faults/Service.ts"
import * as TestPostgres from "../../TestPostgres.ts"

const [balancer = "haproxy", roundsText = "3"] = process.argv.slice(2)
const rounds = Number(roundsText)
const callers = 12
/** Pause of a caller between two requests, and before a repetition, ms. */
const pauseMs = 40
const retryMs = 250
/** How long a caller waits for an answer, as tills do, ms. */
const answerMs = 10_000
/** Load around each fault, ms. */
const settleMs = 8_000
const stopMs = 5_000

const operations = path.join(import.meta.dirname, "..", "..", "..", "src", "app", "operations")

/** Answers that callers saw since the last fault. */
interface Seen {
  requests: number
  /** Requests with another answer than 2xx, or without one. */
  failed: number
  readonly answers: Map<string, number>
  /** Longest time in which no caller had a success, ms. */
  gapMs: number
  /** Longest time until an answer, ms. */
  longestMs: number
  /** Requests that took over a second. */
  slow: number
}
const nothing = (): Seen => ({ requests: 0, failed: 0, answers: new Map(), gapMs: 0, longestMs: 0, slow: 0 })

/** Members with the orders that were acknowledged. */
const acknowledged = new Map<string, number>()
let seen = nothing()
let lastSuccess = performance.now()
let isOver = false

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends once; the status, or the name of the error. */
const send = (agent: http.Agent, port: number, route: string, body: string): Promise<string> =>
  new Promise((resolve) => {
    const headers = { authorization: "Bearer proto-dev-token", "content-type": "application/json" }
    const target = { agent, host: "127.0.0.1", port, path: `/proto/v1/${route}`, method: "POST", headers }
    const request = http.request(target, (response) => {
      response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      response.on("end", () => resolve(String(response.statusCode)))
      response.resume()
    })
    request.setTimeout(answerMs, () => request.destroy(new Error("no answer")))
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    request.end(body)
  })

/** Sends until it succeeds, with the same key, and counts each attempt. */
const attempt = async (agent: http.Agent, port: number, route: string, body: object): Promise<void> => {
  const text = JSON.stringify({ context: { ...Testing.context() }, ...body })
  while (!isOver) {
    const startedAt = performance.now()
    const answer = await send(agent, port, route, text)
    const now = performance.now()
    seen.requests++
    seen.longestMs = Math.max(seen.longestMs, now - startedAt)
    if (now - startedAt > 1_000) seen.slow++
    if (answer.startsWith("2")) {
      seen.gapMs = Math.max(seen.gapMs, now - lastSuccess)
      lastSuccess = now
      return
    }
    seen.failed++
    seen.answers.set(answer, (seen.answers.get(answer) ?? 0) + 1)
    await pause(retryMs)
  }
}

/** A till: two accruals and a read, on one connection. */
const caller = async (port: number, member: string): Promise<void> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const identity = { type: "loyalty_id", value: member }
  await attempt(agent, port, "members/enroll", { member_id: member, program_id: "demo-foodservice", identity })
  for (let count = 1; !isOver; count++) {
    const order = Testing.order(`${member}-${count}`, 1_000, Testing.placedNow)
    await attempt(agent, port, "accruals", { member_id: member, order })
    if (!isOver) acknowledged.set(member, count)
    if (count % 2 === 0)
      await attempt(agent, port, "accounts/get", { member_id: member, program_id: "demo-foodservice" })
    await pause(pauseMs)
  }
  agent.destroy()
}

/** The file of the balancer with the ports of this run. */
const configuration = (port: number, ports: ReadonlyArray<number>, folder: string): string => {
  const name = balancer === "haproxy" ? "haproxy.cfg" : "nginx.conf"
  const text = fs
    .readFileSync(path.join(operations, name), "utf8")
    .replace("3210", String(port))
    .replaceAll(/321[123]/g, (former) => String(ports[Number(former) - 3211]))
    .replace("/run/nginx.pid", path.join(folder, "nginx.pid"))
  const file = path.join(folder, name)
  fs.writeFileSync(file, text)
  return file
}

const startBalancer = async (port: number, ports: ReadonlyArray<number>, folder: string): Promise<ChildProcess> => {
  const file = configuration(port, ports, folder)
  const flags = balancer === "haproxy" ? ["-db", "-f", file] : ["-c", file, "-g", "daemon off;"]
  const child = spawn(balancer, flags, { stdio: ["ignore", "ignore", "inherit"] })
  await until(`${balancer} answers`, async () => {
    if (child.exitCode !== null) throw new Error(`${balancer} ended with ${child.exitCode}`)
    return (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.status === 200
  })
  return child
}

/** Runs a fault under load, waits until things are quiet, and tells what callers saw. */
const during = async (name: string, fault: () => Promise<unknown>): Promise<void> => {
  seen = nothing()
  lastSuccess = performance.now()
  await fault()
  await pause(settleMs)
  const { answers, failed, gapMs, longestMs, requests, slow } = seen
  const told = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(", ")
  process.stdout.write(
    `${balancer}: ${name}: ${requests} requests, ${failed} failed${told === "" ? "" : ` (${told})`}, ` +
      `gap ${Math.round(gapMs)} ms, longest ${Math.round(longestMs)} ms, ${slow} over 1 s\n`
  )
}

/** All nodes answer for all accounts. */
const settled = (nodes: ReadonlyArray<Service>) => Promise.all(nodes.map((node) => node.returned()))

const round = async (nodes: ReadonlyArray<Service>): Promise<void> => {
  const [first, second, third] = nodes as [Service, Service, Service]
  const joins = async (node: Service) => {
    node.resume()
    await node.returned()
  }
  await during("no fault", () => Promise.resolve())
  await during("kill -9", () => first.pause())
  await during("a join", () => joins(first))
  await during("SIGSTOP for 5 s", async () => {
    second.signal("SIGSTOP")
    await pause(stopMs)
    second.signal("SIGCONT")
  })
  await settled(nodes)
  await during("SIGTERM", () => third.stop())
  await during("a join", () => joins(third))
  await settled(nodes)
  const restarts = nodes.map((node) => node.restarts).join(", ")
  process.stdout.write(`${balancer}: ends by themselves of each node, which a supervisor followed: ${restarts}\n`)
}

const { folder, remove } = runFolder()
const nodes: Array<Service> = []
let server: Awaited<ReturnType<typeof TestPostgres.start>> | undefined
let proxy: ChildProcess | undefined
try {
  server = await TestPostgres.start(path.join(folder, "data"))
  const url = TestPostgres.urlOf(server.clientConfig)
  for (const name of ["a", "b", "c"]) {
    fs.mkdirSync(path.join(folder, name))
    const flags = ["--database-url", url, "--trusted-proxies", "127.0.0.1"]
    const node = await Service.start(path.join(folder, name), flags)
    node.keepRunning()
    nodes.push(node)
  }
  const port = await freePort()
  proxy = await startBalancer(
    port,
    nodes.map((node) => node.port),
    folder
  )
  const load = Promise.all(Array.from({ length: callers }, (_, index) => caller(port, `guest-${index}`)))
  await pause(settleMs)
  for (let count = 1; count <= rounds; count++) await round(nodes)
  isOver = true
  await load
  const rows = (await Effect.runPromise(
    TestPostgres.query(
      server.clientConfig,
      "SELECT count(*)::int AS entries, count(DISTINCT order_id)::int AS orders FROM ledger_entries"
    )
  )) as ReadonlyArray<{ readonly entries: number; readonly orders: number }>
  const { entries = 0, orders = 0 } = rows[0] ?? {}
  const told = [...acknowledged.values()].reduce((sum, count) => sum + count, 0)
  process.stdout.write(`${balancer}: ${told} orders acknowledged, ${orders} in the ledger, ${entries} entries\n`)
  // An order that was on its way at the end is in the ledger without an acknowledgement.
  process.exitCode = entries === orders && orders >= told && orders <= told + callers ? 0 : 1
} finally {
  isOver = true
  proxy?.kill(balancer === "haproxy" ? "SIGTERM" : "SIGQUIT")
  await Promise.all(nodes.map((node) => node.stop()))
  await server?.stop()
  remove()
}
