/**
 * The benchmark: the service on an embedded PostgreSQL of its own, loaded from
 * another process, in turns with a plain `node:http` server (the limit) and a
 * Fastify + `pg` server (what people would write).
 *
 * Everything it starts and every folder it makes goes when it ends, also when
 * it is interrupted or killed.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Exit, Scope } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { watch } from "../postgres.ts"
import * as Against from "./Against.ts"
import type { AccountMemory } from "./Figures.ts"
import { headlines } from "./Figures.ts"
import * as Machine from "./Machine.ts"
import { measure, prepare } from "./Measure.ts"
import type { Options } from "./Options.ts"
import { help, parse } from "./Options.ts"
import * as Postgres from "./Postgres.ts"
import * as Processes from "./Processes.ts"
import * as Profile from "./Profile.ts"
import * as Report from "./Report.ts"
import type { Field } from "./Rounds.ts"
import * as Rounds from "./Rounds.ts"
import * as WalPerAccrual from "./WalPerAccrual.ts"

/** Accounts whose memory is measured, the first thousand to get warm, and the open lots of each. */
const weighed = 10_000
const lotsEach = 20

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

const temporaryPostgres = Effect.flatMap(temporaryFolder, ({ folder }) => Postgres.make(folder))

/** The service, and how to start it again with an empty memory. */
const restartable = Effect.fnUntraced(function* (postgres: Postgres.Postgres) {
  const parent = yield* Effect.scope
  let own: Scope.Closeable | undefined
  const restart = Effect.suspend(() =>
    Effect.gen(function* () {
      if (own !== undefined) yield* Scope.close(own, Exit.void)
      own = yield* Scope.fork(parent)
      return yield* Scope.provide(Processes.lotbook(postgres), own)
    })
  )
  return { server: yield* restart, restart }
})

/** The service on a prepared data folder; the load is on as many of its members as on the other one, spread over all. */
const prepared = Effect.fnUntraced(function* (dataDir: string, { members }: Options) {
  const postgres = yield* Postgres.make(dataDir)
  const server = yield* Processes.lotbook(postgres)
  const [entries, accounts] = yield* Effect.all([postgres.entryCount, postgres.memberCount("m-")])
  if (accounts === 0) throw new Error(`${dataDir} has no members m-1, m-2, …`)
  const stride = Math.max(1, Math.floor(accounts / members))
  return { server, entries, accounts, members: Rounds.members("m-", Math.min(members, accounts), 1, stride) }
})

const weigh = Effect.fnUntraced(function* ({ load, service }: Field) {
  const { server } = service
  const who = Rounds.members("q-", weighed)
  yield* prepare(load, server, { type: "enroll", members: who })
  yield* prepare(load, server, { type: "accruals", members: who, each: lotsEach })
  const output = yield* Processes.scriptOutput("memory.ts", {
    nodeFlags: ["--expose-gc"],
    environment: {
      DATABASE_URL: server.postgres?.url ?? "",
      MEMBER_PREFIX: who.prefix,
      MEMBER_COUNT: String(who.count)
    }
  })
  return JSON.parse(output) as AccountMemory
})

/** Runs accruals and the mix on a warm service that keeps a profile of each. */
const profile = Effect.fnUntraced(function* (load: Processes.Load, postgres: Postgres.Postgres, options: Options) {
  if (options.cpuProf === undefined) return
  const folder = path.resolve(options.cpuProf)
  fs.mkdirSync(folder, { recursive: true })
  const everybody = Rounds.members("m-", options.members)
  const { profile, server } = yield* Processes.profiledLotbook(postgres)
  yield* Rounds.touch(load, server, everybody)
  yield* Rounds.touch(load, server, everybody)
  for (const type of ["accruals", "mix"] as const) {
    const file = path.join(folder, `${type}.cpuprofile`)
    const measuring = {
      workload: { type, members: everybody },
      pace: { type: "closed" },
      connections: options.connections,
      warmupMs: 0,
      measureMs: options.seconds * 1000
    } as const
    const { rate } = yield* profile(file, measure(load, server, measuring))
    yield* print(`\nProfile of ${type} (${rate.toFixed(0)} a second while profiled), the most time of their own:`)
    yield* print(Profile.lines(file))
  }
}, Effect.scoped)

const program = Effect.fnUntraced(function* (options: Options) {
  const { only } = options
  const load = yield* Processes.load()
  const postgres = yield* temporaryPostgres
  const service = yield* restartable(postgres)
  const large = options.dataDir === undefined ? undefined : yield* prepared(options.dataDir, options)
  const field: Field = {
    load,
    service,
    echo: only.has("echo") ? yield* Processes.echo() : undefined,
    fastify: only.has("fastify")
      ? yield* Processes.fastify(yield* temporaryPostgres, { prefix: "m-", count: options.members })
      : undefined,
    large
  }
  const machine = { ...Machine.machine(), postgres: postgres.version }
  yield* print(
    `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, ` +
      `${machine.postgres}; load average before ${machine.loadAverage.toFixed(2)}; everything on this machine` +
      (load.givesWay ? "" : "; no chrt, or /proc not to be written: the load disturbs what it measures")
  )
  yield* Rounds.enrol(field, options)
  if (field.large !== undefined) yield* Rounds.touch(load, field.large.server, field.large.members)
  const taken = yield* Rounds.run(field, options, (one) => print(Report.line(one)))
  const wal = only.has("wal")
    ? yield* WalPerAccrual.take(
        load,
        large?.server ?? service.server,
        field.large?.members ?? Rounds.members("m-", options.members),
        options.walAccruals
      )
    : undefined
  const memory = only.has("memory") ? yield* weigh(field) : undefined
  const results = { taken, wal, memory, large: large && { entries: large.entries, accounts: large.accounts } }
  yield* print(`\n${Report.report(results)}`)
  const settings = { ...options, only: [...only] }
  fs.writeFileSync(
    options.json,
    JSON.stringify({ machine, settings, headlines: headlines(results), ...results }, null, 1)
  )
  yield* print(`\nAll figures: ${options.json}`)
  yield* profile(load, postgres, options)
}, Effect.scoped)

const options = parse(process.argv.slice(2), path.join(os.tmpdir(), "bench.json"))
if (options === undefined) process.stdout.write(help)
else if (typeof options === "string") {
  process.stderr.write(`${options}\n`)
  process.exitCode = 1
} else {
  const { against } = options
  NodeRuntime.runMain(against === undefined ? program(options) : Against.run(against, options))
}
