/**
 * Two versions of the service, each on an embedded PostgreSQL of its own, under
 * the same load in turns. The figure is a ratio, this checkout over the other:
 * what else happens on the machine meets both.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { watch } from "../postgres.ts"
import { spread } from "./Figures.ts"
import type { Job, JobResult, Members, Workload } from "./Job.ts"
import type { Options } from "./Options.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"

export const workloads = ["accruals", "mix", "hot", "overload", "large"] as const
export type AgainstWorkload = (typeof workloads)[number]

/** Accounts that the load is not on need no memory of the load process; these are loaded. */
const prefix = "m-"
/** Rounds before any counts: code gets compiled, pages and accounts get into memory. */
const warmRounds = 2
const warmSeconds = 3
/** Accounts and entries of full tables. */
const full = { accounts: 100_000, entries: 1_000_000 }

interface Side {
  readonly name: "this" | "other"
  readonly port: number
  readonly pid: number
  readonly load: Processes.Load
  jobs: number
}

const thisCheckout = path.join(import.meta.dirname, "..", "..")

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** A data folder that goes with the scope, and with this process however it ends. */
const temporaryFolder = Effect.acquireRelease(
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
const fill = (checkout: string, dataDir: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const args = ["--data-dir", dataDir, "--accounts", String(full.accounts), "--entries", String(full.entries)]
    const child = spawn(process.execPath, [path.join(checkout, "test", "bench", "generate.ts"), ...args], {
      stdio: ["ignore", "ignore", "inherit"]
    })
    child.once("exit", (code) =>
      resume(code === 0 ? Effect.void : Effect.die(new Error(`filling the tables of ${checkout} failed`)))
    )
  })

const send = Effect.fnUntraced(function* (side: Side, job: Omit<Job, "port" | "token" | "tag" | "seed">) {
  const number = ++side.jobs
  return yield* side.load.run({
    port: side.port,
    token: Processes.token,
    tag: `against-${number}`,
    seed: number,
    ...job
  })
})

/** Carries out a workload of a known length; an answer that is not good ends the benchmark. */
const prepare = Effect.fnUntraced(function* (side: Side, workload: Workload) {
  const pace = { type: "closed" } as const
  const { samples, total } = yield* send(side, { workload, pace, connections: 64, warmupMs: 0, measureMs: 600_000 })
  if (total.good > 0 && total.bad + total.busy === 0) return
  throw new Error([`${workload.type} on the ${side.name} checkout was refused`, ...samples].join("\n"))
})

const members = (count: number, first = 1, stride = 1): Members => ({ prefix, first, stride, count })

/** One turn of one side. */
interface Turn {
  /** Good answers a second. */
  readonly rate: number
  /** CPU of the service's process for 1,000 good answers, ms: steadier than the rate while others use the machine. */
  readonly cpuMs: number
}

const turn = Effect.fnUntraced(function* (
  side: Side,
  name: AgainstWorkload,
  round: number,
  seconds: number,
  options: Options
) {
  const { connections, overloadConnections } = options
  const spreadOver =
    name === "large"
      ? members(options.members, 1, Math.floor(full.accounts / options.members))
      : members(options.members)
  const workload: Workload =
    name === "mix"
      ? { type: "mix", members: spreadOver }
      : { type: "accruals", members: name === "hot" ? members(1, 1 + (round % options.members)) : spreadOver }
  const window = { workload, warmupMs: 500, measureMs: seconds * 1000 }
  const measured = Effect.fnUntraced(function* (job: Parameters<typeof send>[1]) {
    const before = Machine.ownCpuSeconds(side.pid)
    const result = yield* send(side, job)
    const cpu = Machine.ownCpuSeconds(side.pid) - before
    const rate = (result.window.good * 1000) / result.windowMs
    return { rate, cpuMs: (cpu * 1_000_000) / result.total.good, result } satisfies Turn & { result: JobResult }
  })
  const saturated = yield* measured({ ...window, pace: { type: "closed" }, connections })
  const { samples, total } = saturated.result
  if (total.bad > 0) throw new Error(`${name} on the ${side.name} checkout: ${samples.join("\n")}`)
  if (name !== "overload") return saturated
  const pace = { type: "open", rate: 2 * saturated.rate } as const
  return yield* measured({ ...window, pace, connections: overloadConnections, freshRequestIds: true })
})

const startSide = Effect.fnUntraced(function* (
  name: Side["name"],
  checkout: string,
  load: Processes.Load,
  options: Options
) {
  const { folder } = yield* temporaryFolder
  if (options.only.has("large")) {
    yield* print(`Filling the tables of the ${name} checkout: ${full.accounts} members, ${full.entries} entries`)
    yield* fill(checkout, folder)
  }
  const { pid, port } = yield* Processes.checkoutOf(checkout, folder)
  const side: Side = { name, port, pid, load, jobs: 0 }
  if (!options.only.has("large")) {
    const everybody = members(options.members)
    yield* prepare(side, { type: "enroll", members: everybody })
    yield* prepare(side, { type: "credit", members: everybody })
  }
  return side
})

const digits = (value: number) => value.toFixed(value < 10 ? 3 : 0)

const compared = (title: string, turns: Readonly<Record<Side["name"], ReadonlyArray<Turn>>>, of: keyof Turn) => {
  const ratios = spread(turns.this.map((own, round) => own[of] / turns.other[round]![of]))!
  const [own, other] = [spread(turns.this.map((one) => one[of]))!, spread(turns.other.map((one) => one[of]))!]
  return (
    `  ${title.padEnd(20)} this ${digits(own.median)}, other ${digits(other.median)}, ratio ${digits(own.median / other.median)}; ` +
    `rounds: median ${digits(ratios.median)}, ${digits(ratios.min)} to ${digits(ratios.max)}`
  )
}

/** Loads this checkout and another one in turns and prints the ratio of their medians. */
export const run = Effect.fnUntraced(function* (other: string, options: Options) {
  const load = yield* Processes.load()
  const sides = [
    yield* startSide("this", thisCheckout, load, options),
    yield* startSide("other", path.resolve(other), load, options)
  ] as const
  const named = workloads.filter((name) => options.only.has(name))
  for (const name of named) {
    for (let round = 0; round < warmRounds; round++) {
      for (const side of sides) yield* turn(side, name, round, warmSeconds, options)
    }
    const turns = { this: [] as Array<Turn>, other: [] as Array<Turn> }
    for (let round = 0; round < options.rounds; round++) {
      // Who goes first changes, so that neither always follows the other's writes.
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        turns[side.name].push(yield* turn(side, name, warmRounds + round, options.seconds, options))
      }
    }
    yield* print(`${name}\n${compared("good/s", turns, "rate")}\n${compared("service CPU ms/1000", turns, "cpuMs")}`)
  }
}, Effect.scoped)
