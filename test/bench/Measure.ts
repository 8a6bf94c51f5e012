/** One measurement: a load on one server, and what it cost there. */
import { Effect, Fiber, Ref, Schedule } from "effect"
import * as Disk from "./Disk.ts"
import type { Percentiles } from "./Histogram.ts"
import type { Job, JobResult, Pace, Workload } from "./Job.ts"
import * as Machine from "./Machine.ts"
import * as Pauses from "./Pauses.ts"
import type { Load, Server } from "./Processes.ts"
import { token } from "./Processes.ts"

/** Between two looks at the memory of a server under load, ms. */
const lookMs = 250

export interface Cost {
  /** CPU seconds for 1,000 requests. */
  readonly serverCpu: number
  readonly postgresCpu: number
  readonly loadCpu: number
  /** Cores that others on the machine used meanwhile: with more than a few hundredths, figures are noisy. */
  readonly othersCores: number
  /** Cores that the machine's host gave to other machines meanwhile. */
  readonly stolenCores: number
  /** Share of the time in which the machine stood still, whatever its host says. */
  readonly paused: number
  /** Share of the time in which PostgreSQL's disk stood still. Undefined where there is none, or the system does not tell. */
  readonly diskStill: number | undefined
  /** Memory of the server before, at its highest and after, MB. */
  readonly residentMb: { readonly before: number; readonly highest: number; readonly after: number }
  readonly postgresMb: number
  /** For each ledger entry. Undefined where nothing was posted. */
  readonly fsyncs: number | undefined
  readonly walBytes: number | undefined
  readonly fullPageImages: number | undefined
  /** Records in a group. */
  readonly groupSize: number | undefined
}

export interface Measurement {
  readonly pace: Pace
  /** Good answers a second. */
  readonly rate: number
  readonly latency: Percentiles
  readonly result: JobResult
  readonly cost: Cost
}

export interface Measuring {
  readonly workload: Workload
  readonly pace: Pace
  readonly connections: number
  readonly warmupMs: number
  readonly measureMs: number
  readonly requests?: number
  /** Whether a checkpoint is made first: until its page has been written once after one, each write logs a whole page. */
  readonly fromCheckpoint?: boolean
  /** Requests before anything is measured. */
  readonly settling?: number
}

const mb = (bytes: number) => bytes / 2 ** 20

/** What the server and its PostgreSQL have used and written so far. */
const look = Effect.fnUntraced(function* ({ pid, postgres }: Server, load: Load) {
  const ownCpu = process.cpuUsage()
  return {
    at: performance.now(),
    everybody: Machine.allCpuSeconds(),
    bench: (ownCpu.user + ownCpu.system) / 1_000_000,
    load: Machine.cpuSeconds(load.pid),
    server: Machine.cpuSeconds(pid),
    postgres: postgres === undefined ? 0 : Machine.cpuSeconds(postgres.pid),
    counters: postgres === undefined ? undefined : yield* postgres.counters
  }
})

type Look = Effect.Success<ReturnType<typeof look>>

const cores = (seconds: number, before: Look, after: Look): number =>
  Math.max(0, (seconds * 1000) / (after.at - before.at))

/** Cores used by nobody of ours between two looks. */
const othersCores = (before: Look, after: Look): number => {
  const used = (of: "bench" | "load" | "server" | "postgres") => after[of] - before[of]
  const everybody = after.everybody.used - before.everybody.used
  return cores(everybody - used("bench") - used("load") - used("server") - used("postgres"), before, after)
}

const perEntry = (before: Look, after: Look, entries: number) => {
  const from = before.counters
  const to = after.counters
  if (from === undefined || to === undefined || entries === 0) {
    return { fsyncs: undefined, walBytes: undefined, fullPageImages: undefined, groupSize: undefined }
  }
  // Backends tell all their counts together, but late: among each other they agree, with what was answered they may not.
  const told = to.entries - from.entries
  const appends = to.appends - from.appends
  return {
    fsyncs: told > 0 ? (to.fsyncs - from.fsyncs) / told : undefined,
    walBytes: (to.wal - from.wal) / entries,
    fullPageImages: told > 0 ? (to.fullPageImages - from.fullPageImages) / told : undefined,
    groupSize: appends > 0 ? (to.records - from.records) / appends : undefined
  }
}

let jobs = 0

/** Identifiers of two benchmarks on the same data must differ, too. */
const started = Date.now().toString(36)

export const jobOf = (port: number, measuring: Measuring): Job => {
  const number = ++jobs
  return { port, token, tag: `${started}-${number}`, seed: number, ...measuring }
}

/** Carries a job out that is no measurement; anything but good answers ends the benchmark. */
export const prepare = Effect.fnUntraced(function* (load: Load, server: Server, workload: Workload) {
  const measuring = { workload, pace: { type: "closed" } as const, connections: 64, warmupMs: 0, measureMs: 600_000 }
  const result = yield* load.run(jobOf(server.port, measuring))
  if (result.total.good === 0 || result.total.bad + result.total.busy > 0) {
    const { bad, busy, good } = result.total
    const told = `${good} good answers, ${busy} told to come again, ${bad} others`
    throw new Error([`${workload.type} on ${server.name} was refused: ${told}`, ...result.samples].join("\n"))
  }
  return result
})

/** Puts the load on the server, as it is, right after a checkpoint, or once it has settled after one. */
export const measure = Effect.fnUntraced(function* (load: Load, server: Server, measuring: Measuring) {
  const { fromCheckpoint = false, settling, ...measured } = measuring
  if (fromCheckpoint && server.postgres !== undefined) yield* server.postgres.checkpoint
  if (settling !== undefined) {
    const first = {
      ...measured,
      pace: { type: "closed" },
      requests: settling,
      warmupMs: 0,
      measureMs: 600_000
    } as const
    yield* load.run(jobOf(server.port, first))
  }
  const memory = () => Machine.residentBytes(server.pid)
  const residentBefore = memory()
  const highest = yield* Ref.make(residentBefore)
  const watch = Ref.update(highest, (bytes) => Math.max(bytes, memory()))
  const before = yield* look(server, load)
  const watching = yield* Effect.forkChild(Effect.repeat(watch, Schedule.spaced(lookMs)))
  const {
    pausedMs,
    value: { stillMs, value: result }
  } = yield* Pauses.watching(Disk.watching(server.postgres?.folder, load.run(jobOf(server.port, measured))))
  yield* watch
  yield* Fiber.interrupt(watching)
  const after = yield* look(server, load)
  const requests = result.total.good + result.total.busy + result.total.bad
  const measurement: Measurement = {
    pace: measuring.pace,
    rate: (result.window.good * 1000) / result.windowMs,
    latency: result.latency,
    result,
    cost: {
      serverCpu: ((after.server - before.server) * 1000) / requests,
      postgresCpu: ((after.postgres - before.postgres) * 1000) / requests,
      loadCpu: (result.cpuSeconds * 1000) / requests,
      othersCores: othersCores(before, after),
      stolenCores: cores(after.everybody.stolen - before.everybody.stolen, before, after),
      paused: pausedMs / (after.at - before.at),
      diskStill: stillMs === undefined ? undefined : stillMs / (after.at - before.at),
      residentMb: { before: mb(residentBefore), highest: mb(yield* Ref.get(highest)), after: mb(memory()) },
      postgresMb: server.postgres === undefined ? 0 : mb(Machine.proportionalBytes(server.postgres.pid)),
      ...perEntry(before, after, result.entries)
    }
  }
  return measurement
})
