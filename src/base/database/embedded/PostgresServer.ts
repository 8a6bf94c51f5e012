/** The server process of a cluster: starts, stops, and finds it by its pid file. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { randomInt } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { DatabaseStartError } from "../Database.ts"
import type { Folder } from "./Folder.ts"
import { passwordFile } from "./Folder.ts"
import { isAlive, isZombie, readIfThere } from "./Processes.ts"
import type { Runner } from "./Runner.ts"
import { attempt, commandTimeoutMs, failed, run } from "./Runner.ts"
import type { Tools } from "./Tools.ts"

/** How to connect to an embedded server. */
export interface EmbeddedConfig extends PgClient.PgClientConfig {
  readonly port: number
  readonly password: Redacted.Redacted
}

/**
 * First port of the servers, and how many there are: below those that systems give to connections and listeners by
 * themselves, so that nobody is given a server's port while it is restarted.
 */
const firstPort = 10_000
const ports = 10_000

/** Ports tried before a start is refused. */
const portTries = 100

/**
 * How a server is stopped, and how long each may take: by a shutdown that writes all its memory; where a disk is too
 * slow for that, at once, which loses no commit: the next start reads them from the log. PostgreSQL kills after 5 s
 * what does not end then.
 */
const stops = [
  { mode: "fast", seconds: 3 },
  { mode: "immediate", seconds: 10 }
] as const

/** Looks whether a server has ended that is told to end at once, and the pause between two, ms: 1 s in all. */
const endLooks = 50
const endLookMs = 20

/** A free port. */
export const freePort = Effect.callback<number, DatabaseStartError>((resume) => {
  const port = firstPort + randomInt(ports)
  const server = net.createServer()
  server.once("error", (error) => resume(Effect.fail(failed(`No free port: ${error.message}`))))
  server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.retry({ times: portTries - 1 }))

/** A quarter of memory, 128 MB to 1 GB. */
const sharedBuffersMb = () => Math.max(128, Math.min(1024, Math.floor(os.totalmem() / 4 / 1024 / 1024)))

/** Most connections to the server of a service, with those of commands beside it. */
export const mostConnections = 50

const serverOptions = (port: number, connections: number): string =>
  Object.entries({
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: connections,
    shared_buffers: `${sharedBuffersMb()}MB`,
    max_wal_size: "4GB",
    // WAL files are kept for reuse: commits wait while a new one is created.
    min_wal_size: "4GB",
    wal_init_zero: "off",
    checkpoint_timeout: "15min",
    // The supervision restarts it. If PostgreSQL restarts itself on a full disk, it can wait for ever for a recovery
    // process that has ended, even after space is free again.
    restart_after_crash: "off",
    jit: "off",
    log_min_messages: "warning",
    log_checkpoints: "off"
  })
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(" ")

/** The server of one data folder. */
export class PostgresServer {
  private readonly runner: Runner
  private readonly tools: Tools
  private readonly folder: Folder
  private readonly connections: number

  constructor(runner: Runner, tools: Tools, folder: Folder, connections: number) {
    this.runner = runner
    this.tools = tools
    this.folder = folder
    this.connections = connections
  }

  private get pidFile(): string {
    return path.join(this.folder.data, "postmaster.pid")
  }

  /** The process id in the pid file; 0 without a file. */
  private get pid(): number {
    return Number(readIfThere(this.pidFile)?.split("\n")[0] ?? 0)
  }

  get isAlive(): boolean {
    const { pid } = this
    return pid > 0 && isAlive(pid)
  }

  /** Removes a pid file that names another program or a zombie: it would prevent every start. */
  get dropStalePid() {
    return attempt(`The server's pid file in ${this.folder.data}`, () => {
      const { pid } = this
      const program = pid > 0 ? readIfThere(`/proc/${pid}/comm`)?.trim() : undefined
      if (program === undefined || (program === "postgres" && !isZombie(pid))) return
      fs.rmSync(this.pidFile, { force: true })
    })
  }

  get isRunning(): Effect.Effect<boolean> {
    return Effect.map(run(this.runner, this.tools.pg_ctl, ["status", "-D", this.folder.data]), ({ code }) => code === 0)
  }

  /** Waits until a server that a concurrent start has started is ready. */
  get awaitReady() {
    return attempt(`The server's pid file in ${this.folder.data}`, () => {
      const status = fs.readFileSync(this.pidFile, "utf8").split("\n")[7]
      if (status?.trim() !== "ready") throw new Error(`the server is ${status?.trim() ?? "not ready"}`)
    }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: commandTimeoutMs / 50 }))
  }

  /** True if this call started the server; false if a concurrent start was faster. */
  readonly start = Effect.fnUntraced({ self: this }, function* (this: PostgresServer, port: number) {
    const { folder, runner, tools } = this
    const started = yield* run(runner, tools.pg_ctl, [
      "start",
      "--wait",
      `--timeout=${commandTimeoutMs / 1000}`,
      "-D",
      folder.data,
      "-l",
      folder.log,
      "-o",
      serverOptions(port, this.connections)
    ])
    if (started.code === 0) return true
    // The server of a concurrent start is used.
    if (yield* this.isRunning) return false
    const log = fs.existsSync(folder.log) ? fs.readFileSync(folder.log, "utf8").split("\n").slice(-15).join("\n") : ""
    return yield* failed(`PostgreSQL did not start in ${folder.data}:\n${started.output}\n${log}`)
  })

  get stop(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let output = ""
      for (const { mode, seconds } of stops) {
        if (!this.isAlive) return
        const how = ["--wait", `--mode=${mode}`, `--timeout=${seconds}`, "-D", this.folder.data]
        output = (yield* run(this.runner, this.tools.pg_ctl, ["stop", ...how])).output
      }
      if (this.isAlive) yield* Effect.logWarning(`PostgreSQL did not stop: ${output}`)
    })
  }

  /** Ends the server at once, and holds this process until it has ended, for `endLooks` at most. */
  readonly endNow = (): void => {
    if (this.isAlive) process.kill(this.pid, "SIGQUIT")
    const never = new Int32Array(new SharedArrayBuffer(4))
    for (let look = 0; look < endLooks && this.isAlive; look++) Atomics.wait(never, 0, 0, endLookMs)
  }

  /** Connection settings of the running server. Its port is in line 4 of the pid file. */
  get clientConfig(): Effect.Effect<EmbeddedConfig, DatabaseStartError> {
    return attempt(`The server's pid file and password in ${this.folder.data}`, () => ({
      host: "127.0.0.1",
      port: Number(fs.readFileSync(this.pidFile, "utf8").split("\n")[3]),
      username: "lotbook",
      password: Redacted.make(fs.readFileSync(path.join(this.folder.data, passwordFile), "utf8")),
      database: "postgres"
    }))
  }
}
