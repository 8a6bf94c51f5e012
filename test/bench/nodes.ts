/**
 * Cost of many nodes: `node test/bench/nodes.ts [--rounds 6] [--seconds 4]`.
 *
 * In turns of one run, on one PostgreSQL: accruals at a node for its own accounts, and for those of another one; then
 * accruals over three nodes that share this machine, and over one that is alone. CPU is that of all nodes, and of
 * PostgreSQL, for a thousand acknowledged accruals.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as Testing from "../../src/app/testing/Testing.ts"
import { Postgres } from "../faults/Postgres.ts"
import { runFolder, until } from "../faults/Processes.ts"
import { Service } from "../faults/Service.ts"
import * as TestPostgres from "../TestPostgres.ts"

const { values } = parseArgs({ options: { rounds: { type: "string" }, seconds: { type: "string" } } })
const rounds = Number(values.rounds ?? 6)
const seconds = Number(values.seconds ?? 4)

/** Connections at once, and members of each node. */
const connections = 64
const membersEach = 200

/** Clock ticks of a process so far, of 10 ms each. */
const ticks = (pid: number): number => {
  const [, fields = ""] = /\) (.*)$/s.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  const [user, system] = fields.split(" ").slice(11, 13).map(Number)
  return (user ?? 0) + (system ?? 0)
}

const agent = new http.Agent({ keepAlive: true, maxSockets: connections })

let sent = 0

const post = (port: number, route: string, body: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const context = { ...Testing.context(`bench-${process.pid}-${++sent}`) }
    const text = JSON.stringify({ context, ...body })
    const request = http.request({
      agent,
      host: "127.0.0.1",
      port,
      path: `/proto/v1/${route}`,
      method: "POST",
      headers: {
        authorization: "Bearer proto-dev-token",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text)
      }
    })
    request.on("response", (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    })
    request.on("error", reject)
    request.end(text)
  })

const program_id = "demo-foodservice"

/** Enrols members at a node, which are its own. */
const enrol = async (service: Service, name: string): Promise<ReadonlyArray<string>> => {
  const members = Array.from({ length: membersEach }, (_, index) => `${name}-${index}`)
  await Promise.all(
    members.map((member_id) =>
      post(service.port, "members/enroll", {
        program_id,
        member_id,
        identity: { type: "loyalty_id", value: member_id }
      })
    )
  )
  return members
}

interface Turn {
  /** Acknowledged a second. */
  readonly rate: number
  /** CPU ms for a thousand of them. */
  readonly nodes: number
  readonly postgres: number
}

const turn = async (
  targets: ReadonlyArray<{ readonly port: number; readonly members: ReadonlyArray<string> }>,
  services: ReadonlyArray<Service>,
  postgres: Postgres
): Promise<Turn> => {
  const pids = services.map(({ pid }) => pid)
  const cpu = (all: ReadonlyArray<number>) =>
    all.reduce((sum, pid) => sum + (fs.existsSync(`/proc/${pid}`) ? ticks(pid) : 0), 0)
  const before = [cpu(pids), cpu(postgres.processes())] as const
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let good = 0
  await Promise.all(
    Array.from({ length: connections }, async (_, lane) => {
      for (let n = lane; performance.now() < endsAt; n++) {
        const target = targets[n % targets.length]!
        const member_id = target.members[(n * 7 + lane) % target.members.length]!
        const order = Testing.order(`o-${process.pid}-${++sent}`, 1_000, Testing.placedNow)
        const status = await post(target.port, "accruals", { member_id, order })
        if (status === 201) good++
        else if (status !== 503) throw new Error(`an accrual was answered ${status}`)
      }
    })
  )
  const took = (performance.now() - startedAt) / 1000
  const perThousand = (from: number, to: number) => ((to - from) * 10_000) / good
  return {
    rate: good / took,
    nodes: perThousand(before[0], cpu(pids)),
    postgres: perThousand(before[1], cpu(postgres.processes()))
  }
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

const say = (name: string, one: ReadonlyArray<Turn>, other: ReadonlyArray<Turn>): void => {
  const ratio = (of: (turn: Turn) => number) => {
    const all = one.map((turn, index) => of(turn) / of(other[index]!))
    return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`
  }
  process.stdout.write(
    `${name}: rate ${ratio(({ rate }) => rate)}, CPU of nodes ${ratio(({ nodes }) => nodes)}, of PostgreSQL ${ratio(({ postgres }) => postgres)}; ` +
      `medians ${median(one.map(({ nodes }) => nodes)).toFixed(0)} and ${median(other.map(({ nodes }) => nodes)).toFixed(0)} ms of nodes, ` +
      `${median(one.map(({ postgres }) => postgres)).toFixed(0)} and ${median(other.map(({ postgres }) => postgres)).toFixed(0)} ms of PostgreSQL for 1,000\n`
  )
}

const { folder, remove } = runFolder()
const data = path.join(folder, "data")
const server = await TestPostgres.start(data)
const postgres = new Postgres(data)
const flags = ["--database-url", TestPostgres.urlOf(server.clientConfig), "--leave-seconds", "0"]
const services: Array<Service> = []
try {
  for (const name of ["a", "b", "c"]) {
    fs.mkdirSync(path.join(folder, name))
    services.push(await Service.start(path.join(folder, name), flags))
  }
  await until("the partitions are placed", async () => {
    const [row] = await postgres.query("SELECT count(DISTINCT owner) AS n FROM partitions WHERE owner IS NOT NULL")
    return Number(row?.["n"]) === services.length
  })
  const members: Array<ReadonlyArray<string>> = []
  for (const [index, service] of services.entries()) members.push(await enrol(service, `m${index}`))
  const [a] = services as [Service]
  const own = [{ port: a.port, members: members[0]! }]
  const others = [{ port: a.port, members: members[1]! }]
  const [local, forwarded]: [Array<Turn>, Array<Turn>] = [[], []]
  for (let round = 0; round <= rounds; round++)
    for (const kind of round % 2 === 0 ? ["local", "forwarded"] : ["forwarded", "local"]) {
      const one = await turn(kind === "local" ? own : others, services, postgres)
      // The first round warms.
      if (round > 0) (kind === "local" ? local : forwarded).push(one)
    }
  say("forwarded / local", forwarded, local)
  const spread = services.map(({ port }) => ({ port, members: members.flat() }))
  const three: Array<Turn> = []
  for (let round = 0; round <= rounds; round++) {
    const one = await turn(spread, services, postgres)
    if (round > 0) three.push(one)
  }
  // Kept connections to nodes that stop would break.
  agent.destroy()
  for (const service of services.slice(1)) await service.stop()
  const alone: Array<Turn> = []
  for (let round = 0; round <= rounds; round++) {
    const one = await turn([{ port: a.port, members: members.flat() }], [a], postgres)
    if (round > 0) alone.push(one)
  }
  say("three nodes / one", three, alone)
} finally {
  for (const service of services) await service.stop()
  agent.destroy()
  await server.stop()
  remove()
}
