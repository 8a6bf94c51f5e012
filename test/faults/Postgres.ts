/** The process of the PostgreSQL under test: kills it, and waits until it accepts connections. */
import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import * as TestPostgres from "../TestPostgres.ts"
import { familyOf, signal, until } from "./Processes.ts"

/** Longest wait for the first byte of a server's answer, ms. */
const answerMs = 500

/** A startup packet of protocol 3.0: any answer but an error means that the server takes connections. */
const startupPacket = () => {
  const text = Buffer.from("user\0lotbook\0database\0postgres\0application_name\0lotbook probe\0\0")
  const head = Buffer.alloc(8)
  head.writeInt32BE(text.length + 8, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, text])
}

export class Postgres {
  private readonly base: string

  /** The data folder as `DATA_DIR` names it. */
  constructor(base: string) {
    this.base = base
  }

  /** Process and port, from the file that PostgreSQL keeps while it runs; undefined where it does not. */
  private running(): { readonly pid: number; readonly port: number } | undefined {
    try {
      const [pid, , , port] = fs.readFileSync(path.join(this.base, "postgres", "postmaster.pid"), "utf8").split("\n")
      // A file that is being written names nothing yet; 0 would mean ourselves.
      return Number(pid) > 1 && Number(port) > 0 ? { pid: Number(pid), port: Number(port) } : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
      return undefined
    }
  }

  get password(): string {
    return fs.readFileSync(path.join(this.base, "postgres", "lotbook.password"), "utf8")
  }

  /** The postmaster first, then what it started. */
  processes(): ReadonlyArray<number> {
    const running = this.running()
    return running === undefined ? [] : familyOf(running.pid)
  }

  /** All of it at once, as when the machine's memory is short. */
  kill(): void {
    signal(this.processes(), "SIGKILL")
  }

  query(statement: string): Promise<ReadonlyArray<PgConnection.Row>> {
    return this.session((query) => query(statement))
  }

  /** Statements over one session, which costs more than most of them. Fails once it is broken. */
  session<A>(use: (query: Postgres["query"]) => Promise<A>): Promise<A> {
    const config = TestPostgres.configOf(this.running()?.port ?? 0, this.password)
    return PgConnection.make({ ...config, applicationName: "lotbook faults" }).pipe(
      Effect.flatMap((connection) =>
        Effect.promise(() =>
          use((statement) => Effect.runPromise(Effect.map(connection.query(statement, [], false), ({ rows }) => rows)))
        )
      ),
      Effect.scoped,
      Effect.runPromise
    )
  }

  /** The backends of the service's writers. */
  async writers(): Promise<ReadonlyArray<number>> {
    const rows = await this.query("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'lotbook journal%'")
    return rows.map((row) => Number(row["pid"]))
  }

  private takesConnections(): Promise<boolean> {
    const port = this.running()?.port
    if (port === undefined) return Promise.resolve(false)
    return new Promise((resolve) => {
      const socket = net.connect({ host: "127.0.0.1", port, timeout: answerMs })
      const end = (answer: boolean) => {
        resolve(answer)
        socket.destroy()
      }
      socket.on("connect", () => socket.write(startupPacket()))
      socket.on("data", (bytes) => end(bytes[0] === "R".charCodeAt(0)))
      socket.on("error", () => end(false))
      socket.on("timeout", () => end(false))
      socket.on("close", () => end(false))
    })
  }

  /** Waits until it takes connections; the moment, ms. */
  async returned(): Promise<number> {
    await until("PostgreSQL takes connections", () => this.takesConnections())
    return Date.now()
  }
}
