/** Turns of load on one server: its members are prepared, then each turn is measured. */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { watch } from "../TestPostgres.ts"
import type { TillAddress } from "./Bodies.ts"
import type { Job, JobResult, Members, Workload } from "./Job.ts"
import type { Options } from "./Options.ts"
import * as Processes from "./Processes.ts"

/** Rounds before any counts: code gets compiled, pages and accounts get into memory. */
export const warmRounds = 2
const warmupMs = 500
/** Longest time for a job that ends by itself, ms. */
const longMs = 600_000
const overloadFactor = 4

/** Accounts and entries of full tables. */
const full = { accounts: 100_000, entries: 1_000_000 }

export interface Side {
  readonly name: string
  readonly load: Processes.Load
  readonly server: Processes.Server
  /** Members that the load is spread over. */
  readonly members: Members
  readonly till?: TillAddress
}

/** The result of one turn. */
export interface Turn {
  /** Good answers a second. */
  readonly rate: number
  /** Of good answers, ms; from the moment at which a request was due, where the pace is open. */
  readonly p99: number
  /** CPU of the server's own process for 1,000 good answers, ms: steadier than the rate while others use the machine. */
  readonly cpuMs: number
}

/** A data folder that goes with the scope, and with this process however it ends. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-bench-"))
    // PostgreSQL may run as another user.
    fs.chmodSync(folder, 0o755)
    return { folder, watcher: watch(folder) }
  }),
  ({ folder, watcher }) =>
    Effect.sync(() => {
      fs.rmSync(folder, { recursive: true, force: true })
      watcher.stdin.end()
    })
)

/** Fills a data folder with the checkout's own generator, as formats differ between versions. */
export const fill = (checkout: string, dataDir: string): Effect.Effect<string> =>
  Processes.scriptOutput(path.join(checkout, "test", "bench", "generate.ts"), {
    args: ["--data-dir", dataDir, "--accounts", String(full.accounts), "--entries", String(full.entries)]
  })

export const members = (count: number, first = 1, stride = 1): Members => ({ prefix: "m-", first, stride, count })

/** Members spread evenly over full tables. */
export const fullMembers = (count: number): Members => members(count, 1, Math.floor(full.accounts / count))

let jobs = 0

const send = Effect.fnUntraced(function* (side: Side, job: Omit<Job, "port" | "token" | "till" | "tag" | "seed">) {
  const number = ++jobs
  const { load, server, till } = side
  return yield* load.run({
    port: server.port,
    till,
    token: Processes.token,
    tag: `bench-job-${number}`,
    seed: number,
    ...job
  })
})

const refused = (side: Side, { samples, total }: JobResult) =>
  new Error(
    [`${side.name}: ${total.good} good answers, ${total.busy} of 503, ${total.bad} others`, ...samples].join("\n")
  )

/** Carries out a workload of a known length; an answer that is not good ends the benchmark. */
export const carryOut = Effect.fnUntraced(function* (side: Side, workload: Workload, requests?: number) {
  const limit = requests === undefined ? {} : { requests }
  const pace = { type: "closed" } as const
  const result = yield* send(side, { workload, pace, connections: 64, warmupMs: 0, measureMs: longMs, ...limit })
  if (result.total.good === 0 || result.total.bad + result.total.busy > 0) throw refused(side, result)
  return result
})

/** Enrols the side's members and gives them points to spend. */
export const enrol = Effect.fnUntraced(function* (side: Side) {
  yield* carryOut(side, { type: "enroll", members: side.members })
  yield* carryOut(side, { type: "credit", members: side.members })
})

const measured = Effect.fnUntraced(function* (side: Side, job: Parameters<typeof send>[1]) {
  const { pid } = side.server
  const before = Processes.cpuSeconds(pid)
  const result = yield* send(side, job)
  const cpu = Processes.cpuSeconds(pid) - before
  // An overloaded service may close connections; what it does not answer is no good answer.
  if (result.total.bad > 0 && job.freshRequestIds !== true) throw refused(side, result)
  const turn: Turn = {
    rate: (result.window.good * 1000) / result.windowMs,
    p99: result.latency.p99,
    cpuMs: (cpu * 1_000_000) / result.total.good
  }
  return turn
})

/** As fast as the answers come. */
export const saturated = (
  side: Side,
  workload: Workload,
  options: Pick<Options, "connections" | "seconds">
): Effect.Effect<Turn> =>
  measured(side, {
    workload,
    pace: { type: "closed" },
    connections: options.connections,
    warmupMs,
    measureMs: options.seconds * 1000
  })

/** At so many requests a second, whatever the answers do. */
export const offered = (
  side: Side,
  workload: Workload,
  rate: number,
  options: Pick<Options, "connections" | "seconds">
): Effect.Effect<Turn> =>
  measured(side, {
    workload,
    pace: { type: "open", rate },
    connections: options.connections,
    warmupMs,
    measureMs: options.seconds * 1000
  })

/** At twice the saturation; every request has an id of its own, so that no two heads are the same bytes. */
export const overloaded = (side: Side, workload: Workload, peak: number, options: Options): Effect.Effect<Turn> =>
  measured(side, {
    workload,
    pace: { type: "open", rate: 2 * peak },
    connections: overloadFactor * options.connections,
    freshRequestIds: true,
    warmupMs,
    measureMs: options.seconds * 1000
  })

/** The accruals of one member, another one in each round: an account that is hot for ever is another matter. */
export const hot = (side: Side, round: number): Workload => ({
  type: "accruals",
  members: { ...side.members, first: 1 + (round % side.members.count), count: 1 }
})
