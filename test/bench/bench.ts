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
import { Client } from "pg"
import { watch } from "../postgres.ts"
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

/** Accounts whose memory is measured, and the open lots of each. */
const weighed = 2_200
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

interface Large {
  readonly server: Processes.Server
  readonly entries: number
  readonly accounts: number
}

const prepared = Effect.fnUntraced(function* (dataDir: string) {
  const postgres = yield* Postgres.make(dataDir)
  const server = yield* Processes.lotbook(postgres)
  const client = new Client({ connectionString: postgres.url })
  const { rows } = yield* Effect.promise(async () => {
    await client.connect()
    const counted = await client.query(
      "select (select count(*) from ledger_entries)::int as entries, (select count(*) from accounts where member_id ~ '^m-[0-9]+$')::int as accounts"
    )
    await client.end()
    return counted
  })
  return { server, entries: Number(rows[0]?.entries), accounts: Number(rows[0]?.accounts) } satisfies Large
})

/** As many members as the other load has, spread over all that there are. */
const membersOf = ({ accounts }: Large, { members }: Options) =>
  Rounds.members("m-", Math.min(members, accounts), 1, Math.max(1, Math.floor(accounts / members)))

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

/** Runs accruals and the mix, each on a service of its own that keeps a profile. */
const profile = Effect.fnUntraced(function* (
  load: Processes.Load,
  postgres: Postgres.Postgres,
  folder: string,
  options: Options
) {
  fs.mkdirSync(folder, { recursive: true })
  const everybody = Rounds.members("m-", options.members)
  for (const type of ["accruals", "mix"] as const) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const server = yield* Processes.lotbook(postgres, [
          "--cpu-prof",
          `--cpu-prof-dir=${folder}`,
          `--cpu-prof-name=${type}.cpuprofile`
        ])
        const { rate } = yield* measure(load, server, {
          workload: { type, members: everybody },
          pace: { type: "closed" },
          connections: options.connections,
          warmupMs: 1_000,
          measureMs: options.seconds * 1000
        })
        yield* print(`\nProfile of ${type} (${rate.toFixed(0)} a second while profiled), the most time of their own:`)
      })
    )
    yield* print(Profile.lines(path.join(folder, `${type}.cpuprofile`)))
  }
})

const program = Effect.fnUntraced(function* (options: Options) {
  const { only } = options
  const load = yield* Processes.load()
  const postgres = yield* temporaryPostgres
  const service = yield* restartable(postgres)
  const large = options.dataDir === undefined ? undefined : yield* prepared(options.dataDir)
  const field: Field = {
    load,
    service,
    echo: only.has("echo") ? yield* Processes.echo() : undefined,
    fastify: only.has("fastify")
      ? yield* Processes.fastify(yield* temporaryPostgres, { prefix: "m-", count: options.members })
      : undefined,
    large: large === undefined ? undefined : { server: large.server, members: membersOf(large, options) }
  }
  const machine = { ...Machine.machine(), postgres: postgres.version }
  yield* print(
    `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, ` +
      `${machine.postgres}; load average before ${machine.loadAverage.toFixed(2)}; everything on this machine`
  )
  yield* Rounds.enrol(field, options)
  if (field.large !== undefined) yield* Rounds.touch(load, field.large.server, field.large.members)
  const taken = yield* Rounds.run(field, options, (one) => print(Report.line(one)))
  const wal = only.has("wal")
    ? yield* WalPerAccrual.take(
        load,
        large?.server ?? service.server,
        field.large?.members ?? Rounds.members("m-", options.members),
        options.walAccruals,
        large?.entries ?? 0
      )
    : undefined
  const memory = only.has("memory") ? yield* weigh(field) : undefined
  const results = { taken, wal, memory, largeEntries: large?.entries }
  yield* print(`\n${Report.report(results)}`)
  const settings = { ...options, only: [...only] }
  fs.writeFileSync(
    options.json,
    JSON.stringify({ machine, settings, headlines: headlines(results), ...results }, null, 1)
  )
  yield* print(`\nAll figures: ${options.json}`)
  if (options.cpuProf !== undefined) yield* profile(load, postgres, path.resolve(options.cpuProf), options)
}, Effect.scoped)

const options = parse(process.argv.slice(2), path.join(os.tmpdir(), "bench.json"))
if (options === undefined) process.stdout.write(help)
else if (typeof options === "string") {
  process.stderr.write(`${options}\n`)
  process.exitCode = 1
} else NodeRuntime.runMain(program(options))
