/** The processes that a benchmark starts; none outlives its scope, nor the benchmark itself. */
import { Effect } from "effect"
import { type ChildProcess, execFileSync, fork } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { environmentName } from "../../src/contract/protocol/Protocol.ts"
import { programId } from "./Bodies.ts"
import type { FromLoad, Job, JobResult, ToLoad } from "./Job.ts"

export const token = "bench-token-of-lotbook"
export const adminKey = "bench-admin-key-of-lotbook"

const here = import.meta.dirname
/** The checkout that the benchmark is part of. */
export const thisCheckout = path.join(here, "..", "..")
/** Clock ticks a second, the unit of `/proc/<pid>/stat`. */
const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))
/** Longest wait for a server to listen, ms. */
const startMs = 60_000
/** Longest wait for a process to end in order, ms: above the service's own. */
const stopMs = 15_000
/** Output of a process that is kept, characters. */
const keptOutput = 4_000

export interface Server {
  readonly pid: number
  readonly port: number
}

interface Started {
  readonly child: ChildProcess
  /** The end of its output. */
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

/** Waits until the process sends its port in a message or prints it. */
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

const serverOf = Effect.fnUntraced(function* (name: string, started: Started) {
  const port = yield* listening(name, started)
  const { pid } = started.child
  if (pid === undefined) throw new Error(`${name} has no process`)
  return { pid, port } satisfies Server
})

export const echo = Effect.fnUntraced(function* () {
  return yield* serverOf("echo", yield* start(path.join(here, "echo.ts"), {}))
})

/** A receiver of webhooks, see `receiver.ts`. */
export const receiver = Effect.fnUntraced(function* () {
  return yield* serverOf("receiver", yield* start(path.join(here, "receiver.ts"), {}))
})

export const fastify = Effect.fnUntraced(function* (url: string, members: { prefix: string; count: number }) {
  const environment = {
    NODE_ENV: "production",
    DATABASE_URL: url,
    TOKEN: token,
    PROGRAM: programId,
    MEMBER_PREFIX: members.prefix,
    MEMBER_COUNT: String(members.count)
  }
  return yield* serverOf("fastify", yield* start(path.join(here, "fastify.ts"), { environment }))
})

/** The words of a checkout's \`npm start\`. */
const startOf = (checkout: string): ReadonlyArray<string> => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(checkout, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string }
  }
  return scripts.start.split(" ")
}

/** The service of a checkout, as \`npm start\` runs it. */
export const service = Effect.fnUntraced(function* (
  checkout: string,
  database: { readonly DATA_DIR: string } | { readonly DATABASE_URL: string }
) {
  const words = startOf(checkout)
  const started = yield* start(path.join(checkout, words.find((word) => /main\.[jt]s$/.test(word)) ?? ""), {
    args: ["serve", "--port", "0"],
    environment: {
      ...database,
      PROGRAMS: path.join(thisCheckout, "src", "app", "demo", "program.demo.json"),
      [environmentName("TOKEN")]: token,
      [environmentName("ADMIN_KEY")]: adminKey,
      [environmentName("SEED_DEMO")]: "false",
      [environmentName("WEBHOOK_PRIVATE")]: "true",
      LOG_FORMAT: "json"
    },
    nodeFlags: [...words.filter((word) => word.startsWith("--")), "--import", path.join(here, "lifeline.ts")]
  })
  return yield* serverOf(checkout, started)
})

/** CPU that a process has used, seconds; its children aside. */
export const cpuSeconds = (pid: number): number => {
  const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
  // The second field may hold spaces and brackets; utime and stime are the 14th and the 15th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

export interface Load {
  readonly run: (job: Job) => Effect.Effect<JobResult>
}

/** The process that makes the load, the same one for all servers. */
export const load = Effect.fnUntraced(function* () {
  const { child, output } = yield* start(path.join(here, "load.ts"), {})
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
  return { run } satisfies Load
})

/** The output of a script, which is run to its end. */
export const scriptOutput = Effect.fnUntraced(function* (script: string, options: StartOptions) {
  const { child, output } = yield* start(script, options)
  const code = yield* Effect.callback<number | null>((resume) => {
    child.once("close", (code) => resume(Effect.succeed(code)))
  })
  if (code !== 0) throw new Error(`${script} failed:\n${output()}`)
  return output()
}, Effect.scoped)
