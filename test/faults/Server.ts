/** PostgreSQL servers of the tests' own, out of the embedded binaries: one streams to another, which can be promoted. */
import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Cluster from "../../src/base/database/embedded/Cluster.ts"
import * as Folder from "../../src/base/database/embedded/Folder.ts"
import * as Runner from "../../src/base/database/embedded/Runner.ts"
import * as Tools from "../../src/base/database/embedded/Tools.ts"
import * as TestPostgres from "../TestPostgres.ts"
import { familyOf, freePort, signal, until } from "./Processes.ts"

type Settings = Readonly<Record<string, string | number>>

/** The name by which a standby is known to its primary. */
const standbyName = "standby"

export class Server {
  readonly port: number
  private readonly folder: Folder.Folder
  private readonly runner: Runner.Runner
  private readonly tools: Tools.Tools

  private constructor(runner: Runner.Runner, tools: Tools.Tools, folder: Folder.Folder, port: number) {
    this.runner = runner
    this.tools = tools
    this.folder = folder
    this.port = port
  }

  private static async at(base: string): Promise<Server> {
    const runner = await Effect.runPromise(Runner.find)
    const tools = await Effect.runPromise(Tools.find(runner))
    return new Server(runner, tools, await Effect.runPromise(Folder.reach(runner, base)), await freePort())
  }

  /** A new cluster, started. */
  static async create(base: string): Promise<Server> {
    const server = await Server.at(base)
    await Effect.runPromise(Cluster.initialise(server.runner, server.tools, server.folder))
    await server.start()
    return server
  }

  get password(): string {
    return fs.readFileSync(path.join(this.folder.data, Folder.passwordFile), "utf8")
  }

  private get pid(): number {
    return Number(fs.readFileSync(path.join(this.folder.data, "postmaster.pid"), "utf8").split("\n")[0])
  }

  private async control(...args: ReadonlyArray<string>): Promise<void> {
    const { code, output } = await Effect.runPromise(
      Runner.run(this.runner, this.tools.pg_ctl, [...args, "-D", this.folder.data])
    )
    if (code !== 0) throw new Error(`pg_ctl ${args.join(" ")}: ${output}`)
  }

  async start(settings: Settings = {}): Promise<void> {
    const all: Settings = {
      port: this.port,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: 60,
      shared_buffers: "64MB",
      min_wal_size: "80MB",
      wal_keep_size: "512MB",
      jit: "off",
      ...settings
    }
    const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`)
    await this.control("start", "--wait", "-l", this.folder.log, "-o", options.join(" "))
  }

  /** The processes at once, as when its machine is lost. */
  async kill(): Promise<void> {
    const { pid } = this
    signal(familyOf(pid), "SIGKILL")
    await until("the server has ended", () => !fs.existsSync(`/proc/${pid}/stat`) || isDefunct(pid))
    fs.rmSync(path.join(this.folder.data, "postmaster.pid"), { force: true })
  }

  /** In order, with everything on the disk. */
  stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    return this.control("stop", "--wait", `--mode=${mode}`)
  }

  async stopIfRunning(): Promise<void> {
    if (fs.existsSync(path.join(this.folder.data, "postmaster.pid")))
      await this.stop("immediate").catch(() => undefined)
  }

  /** Makes it a primary on a new timeline; returns once it takes writes. */
  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()")
    await until("the standby is promoted", async () => {
      const [row] = await this.query("SELECT pg_is_in_recovery() AS waits")
      return row?.["waits"] === false
    })
  }

  private get config() {
    return { ...TestPostgres.configOf(this.port, this.password), applicationName: "lotbook faults" }
  }

  /** The server's URL. `port`: a proxy's. */
  urlAt(port: number): string {
    return TestPostgres.urlOf(this.config, port)
  }

  query(statement: string): Promise<ReadonlyArray<PgConnection.Row>> {
    return Effect.runPromise(TestPostgres.query(this.config, statement))
  }

  /** Changes a setting of the running server. */
  async configure(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`)
    await this.query("SELECT pg_reload_conf()")
    await until(`${name} is ${value}`, async () => {
      const [row] = await this.query(`SELECT current_setting('${name}') AS now`)
      return row?.["now"] === value
    })
  }

  /** The embedded binaries have no pg_basebackup: a copy of the files between the two calls of a backup. */
  async makeStandby(base: string, replicationPort: number): Promise<Server> {
    const standby = await Server.at(base)
    const { data } = standby.folder
    const { folder, password } = this
    const label = await Effect.runPromise(
      Effect.scoped(
        Effect.gen({ self: this }, function* () {
          const session = yield* PgConnection.make(this.config)
          yield* session.query("SELECT pg_backup_start('standby', true)::text")
          // Files may go while they are copied: the WAL has what is missing.
          yield* Effect.sync(() => copyFolder(folder.data, data))
          const { rows } = yield* session.query("SELECT labelfile AS label FROM pg_backup_stop(false)")
          return String(rows[0]?.["label"])
        })
      )
    )
    fs.rmSync(path.join(data, "postmaster.pid"), { force: true })
    this.write(path.join(data, "backup_label"), label)
    this.write(path.join(data, "standby.signal"), "")
    const where = `host=127.0.0.1 port=${replicationPort} user=lotbook password=${password}`
    const conninfo = `${where} application_name=${standbyName} sslmode=disable gssencmode=disable`
    this.write(path.join(data, "postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`)
    await standby.start()
    return standby
  }

  private write(file: string, text: string): void {
    fs.writeFileSync(file, text, { mode: 0o600 })
    const { gid, uid } = this.runner
    if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid)
  }

  /** Keeps a copy of the files of the stopped server, as a cold backup does. */
  keepCopy(): void {
    copyFolder(this.folder.data, `${this.folder.data}.kept`)
  }

  /** Replaces the files of the stopped server by the copy. */
  swapIn(): void {
    fs.rmSync(this.folder.data, { recursive: true })
    fs.renameSync(`${this.folder.data}.kept`, this.folder.data)
  }

  /** Waits until the standby has everything that this primary has written so far. */
  async caughtUp(standby: Server): Promise<void> {
    const [row] = await this.query("SELECT pg_current_wal_insert_lsn()::text AS at")
    await until("the standby has caught up", async () => {
      const [there] = await standby.query(`SELECT pg_last_wal_replay_lsn() >= '${String(row?.["at"])}' AS is`)
      return there?.["is"] === true
    })
  }

  remove(): void {
    fs.rmSync(this.folder.base, { recursive: true, force: true })
  }
}

const isDefunct = (pid: number): boolean => {
  try {
    return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""))
  } catch {
    return true
  }
}

const copyFolder = (from: string, to: string): void => {
  try {
    execFileSync("cp", ["-a", from, to], { stdio: "ignore" })
  } catch (error) {
    if (!fs.existsSync(path.join(to, "PG_VERSION"))) throw error
  }
}
