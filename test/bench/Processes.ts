/** The processes that a benchmark starts; none outlives its scope, nor the benchmark itself. */
import { Effect } from "effect"
import { type ChildProcess, fork, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { setPriority } from "node:os"
import * as path from "node:path"
import { demoProgram } from "../../src/cli/Settings.ts"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import { programId } from "./Bodies.ts"
import type { FromLoad, Job, JobResult, ToLoad } from "./Job.ts"
import type { Postgres } from "./Postgres.ts"
import type { ProfilerAnswer, ProfilerOrder } from "./Profile.ts"

export const token = "bench-token-of-lotbook"

const here = import.meta.dirname
/** Longest wait for a server to listen, ms. */
const startMs = 60_000
/** Longest wait for the service to know the claims of ended eras, ms: 20,000,000 take 24 s. */
const learnMs = 300_000
/** Longest wait for a process to end in order, ms: above the service's own. */
const stopMs = 15_000
/** Niceness of the load, besides its policy (`giveWay`): with 10 it came late itself, 1.3 times the p99 at half. */
const loadNiceness = 5
/** What is kept of what a process said, characters. */
const keptOutput = 4_000

export interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Where it keeps what it is told, if anywhere. */
  readonly postgres: Postgres | undefined
}

interface Started {
  readonly child: ChildProcess
  /** The last that it said. */
  readonly output: () => string
}

interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly nodeFlags?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
}

const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const late = setTimeout(() => child.kill("SIGKILL"), stopMs)
    child.once("exit", () => {
      clearTimeout(late)
      resume(Effect.void)
    })
    child.kill("SIGTERM")
  })

const start = (script: string, { args = [], environment = {}, nodeFlags = [] }: StartOptions) =>
  Effect.acquireRelease(
    Effect.sync((): Started => {
      const { PATH, HOME } = process.env
      const child = fork(script, args, {
        execArgv: ["--disable-warning=ExperimentalWarning", ...nodeFlags],
        env: { PATH, HOME, ...environment },
        // Of a process group of its own: a Ctrl-C reaches the benchmark alone, which ends the others in order.
        detached: true,
        stdio: ["ignore", "pipe", "pipe", "ipc"]
      })
      let output = ""
      const keep = (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-keptOutput)
      }
      child.stdout?.on("data", keep)
      child.stderr?.on("data", keep)
      return { child, output: () => output }
    }),
    ({ child }) => stop(child)
  )

/** Waits until the process tells its port, by a message or by what it prints. */
const listening = (name: string, { child, output }: Started): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const settle = (port: number) => {
      child.off("message", onMessage)
      child.stdout?.off("data", onOutput)
      child.off("exit", onExit)
      resume(Effect.succeed(port))
    }
    const onMessage = (message: { readonly port?: number }) => {
      if (message.port !== undefined) settle(message.port)
    }
    const onOutput = () => {
      const port = /Listening on http:\/\/[^:\s]+:(\d+)/.exec(output())?.[1]
      if (port !== undefined) settle(Number(port))
    }
    const onExit = () => resume(Effect.die(new Error(`${name} ended at its start:\n${output()}`)))
    child.on("message", onMessage)
    child.stdout?.on("data", onOutput)
    child.on("exit", onExit)
  }).pipe(
    Effect.timeoutOrElse({
      duration: startMs,
      orElse: () => Effect.die(new Error(`${name} did not listen within ${startMs} ms:\n${output()}`))
    })
  )

const serverOf = Effect.fnUntraced(function* (name: string, started: Started, postgres?: Postgres) {
  const port = yield* listening(name, started)
  const { pid } = started.child
  if (pid === undefined) throw new Error(`${name} has no process`)
  return { name, pid, port, postgres } satisfies Server
})

export const echo = Effect.fnUntraced(function* () {
  return yield* serverOf("echo", yield* start(path.join(here, "echo.ts"), {}))
})

export const fastify = Effect.fnUntraced(function* (postgres: Postgres, members: { prefix: string; count: number }) {
  const environment = {
    NODE_ENV: "production",
    DATABASE_URL: postgres.url,
    TOKEN: token,
    PROGRAM: programId,
    MEMBER_PREFIX: members.prefix,
    MEMBER_COUNT: String(members.count)
  }
  return yield* serverOf("fastify", yield* start(path.join(here, "fastify.ts"), { environment }), postgres)
})

const startLotbook = (postgres: Postgres, preloads: ReadonlyArray<string>) =>
  start(path.join(here, "..", "..", "src", "main.ts"), {
    args: ["serve", "--port", "0"],
    environment: {
      DATABASE_URL: postgres.url,
      PROGRAMS: demoProgram,
      [environmentName("TOKEN")]: token,
      LOG_FORMAT: "json"
    },
    nodeFlags: preloads.flatMap((script) => ["--import", path.join(here, script)])
  })

/** What another checkout says of the flags that `npm start` runs it with. */
const startFlagsOf = (checkout: string): ReadonlyArray<string> => {
  const about = JSON.parse(fs.readFileSync(path.join(checkout, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string }
  }
  return about.scripts.start.split(" ").filter((word) => word.startsWith("--"))
}

/** The service of a checkout, as `npm start` runs it, on an embedded PostgreSQL of its own. */
export const checkoutOf = Effect.fnUntraced(function* (checkout: string, dataDir: string) {
  const started = yield* start(path.join(checkout, "src", "main.ts"), {
    args: ["serve", "--port", "0"],
    environment: {
      DATA_DIR: dataDir,
      [environmentName("TOKEN")]: token,
      LOG_FORMAT: "json",
      [environmentName("SEED_DEMO")]: "false"
    },
    nodeFlags: [...startFlagsOf(checkout), "--import", path.join(here, "lifeline.ts")]
  })
  return yield* serverOf(checkout, started)
})

/** Waits until the process has said something. */
const hasSaid = (name: string, { child, output }: Started, what: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (!output().includes(what)) return
      child.stdout?.off("data", look)
      resume(Effect.void)
    }
    child.stdout?.on("data", look)
    look()
  }).pipe(
    Effect.timeoutOrElse({
      duration: learnMs,
      orElse: () => Effect.die(new Error(`${name} did not say "${what}" within ${learnMs} ms:\n${output()}`))
    })
  )

/** The service, once it knows from memory what was claimed in eras that have ended: seconds after it listens, at most. */
export const lotbook = Effect.fnUntraced(function* (postgres: Postgres) {
  const started = yield* startLotbook(postgres, ["lifeline.ts"])
  const server = yield* serverOf("lotbook", started, postgres)
  const era = yield* postgres.era
  if (era > 0) yield* hasSaid(server.name, started, `before ${era} are known`)
  return server
})

/** The service, and how to profile it while an effect runs. */
export const profiledLotbook = Effect.fnUntraced(function* (postgres: Postgres) {
  const started = yield* startLotbook(postgres, ["lifeline.ts", "profiler.ts"])
  const server = yield* serverOf("lotbook", started, postgres)
  const order = (profile: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const onMessage = (message: Partial<ProfilerAnswer>) => {
        if (message.profiled === undefined) return
        started.child.off("message", onMessage)
        resume(Effect.void)
      }
      started.child.on("message", onMessage)
      started.child.send({ profile } satisfies ProfilerOrder)
    })
  const profile = <A>(file: string, run: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.flatMap(order("start"), () => Effect.tap(run, () => order(file)))
  return { server, profile }
})

/**
 * Lets the load give way to what it measures. It would be on another machine; here each answer wakes it on the core of
 * whoever answers, and it would take that core at once, hundreds of times a second. As a batch process it waits until a
 * core is free or its turn has come. Where the kernel shares cores out by sessions (autogroup), niceness counts within a
 * session only, so that its session is told as well: under overload 1.1 times as much was answered well, as the load
 * took half a core from two that were busy. Answers whether all of it could be said.
 */
const giveWay = (pid: number): boolean => {
  setPriority(pid, loadNiceness)
  const isBatch = spawnSync("chrt", ["-b", "-p", "0", String(pid)]).status === 0
  const session = `/proc/${pid}/autogroup`
  if (!fs.existsSync(session)) return isBatch
  try {
    fs.writeFileSync(session, String(loadNiceness))
  } catch {
    // The report says so.
    return false
  }
  return isBatch
}

export interface Load {
  readonly pid: number
  /** Whether it gives way to what it measures. */
  readonly givesWay: boolean
  readonly run: (job: Job) => Effect.Effect<JobResult>
}

/** The process that makes the load, the same one for all servers. */
export const load = Effect.fnUntraced(function* () {
  const { child, output } = yield* start(path.join(here, "load.ts"), {})
  const pid = child.pid ?? 0
  const givesWay = giveWay(pid)
  let id = 0
  const run = (job: Job): Effect.Effect<JobResult> =>
    Effect.callback<JobResult>((resume) => {
      const own = ++id
      const onMessage = (message: FromLoad) => {
        if (message.id !== own) return
        child.off("message", onMessage)
        child.off("exit", onExit)
        if ("result" in message) resume(Effect.succeed(message.result))
        else resume(Effect.die(new Error(`the load failed: ${message.error}`)))
      }
      const onExit = () => resume(Effect.die(new Error(`the load process ended:\n${output()}`)))
      child.on("message", onMessage)
      child.on("exit", onExit)
      child.send({ id: own, job } satisfies ToLoad)
    })
  return { pid, givesWay, run } satisfies Load
})

/** Runs a script to its end; what it prints. */
export const scriptOutput = Effect.fnUntraced(function* (script: string, options: StartOptions) {
  const { child, output } = yield* start(path.join(here, script), options)
  const code = yield* Effect.callback<number | null>((resume) => {
    child.once("close", (code) => resume(Effect.succeed(code)))
  })
  if (code !== 0) throw new Error(`${script} failed:\n${output()}`)
  return output()
}, Effect.scoped)
