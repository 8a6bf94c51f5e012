/** The PostgreSQL under test: its processes, its sessions, and whether it takes connections. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
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

  private read(name: string): string {
    return fs.readFileSync(path.join(this.base, "postgres", name), "utf8")
  }

  get port(): number {
    return Number(this.read("postmaster.pid").split("\n")[3])
  }

  get password(): string {
    return this.read("lotbook.password")
  }

  /** The postmaster first, then what it started. */
  processes(): ReadonlyArray<number> {
    return familyOf(Number(this.read("postmaster.pid").split("\n")[0]))
  }

  /** All of it at once, as when the machine's memory is short. */
  kill(): void {
    const [postmaster = 0, ...children] = this.processes()
    signal([postmaster, ...children], "SIGKILL")
  }

  query(statement: string, parameters: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<PgConnection.Row>> {
    const { password, port } = this
    return Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const session = yield* PgConnection.make({
            host: "127.0.0.1",
            port,
            username: "lotbook",
            password: Redacted.make(password),
            database: "postgres",
            applicationName: "lotbook faults"
          })
          return (yield* session.query(statement, parameters)).rows
        })
      )
    )
  }

  /** The backends of the service's writers. */
  async writers(): Promise<ReadonlyArray<number>> {
    const rows = await this.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'lotbook journal'")
    return rows.map((row) => Number(row["pid"]))
  }

  private takesConnections(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = net.connect({ host: "127.0.0.1", port: this.port, timeout: answerMs })
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
    await until(
      "PostgreSQL takes connections",
      () => fs.existsSync(path.join(this.base, "postgres", "postmaster.pid")) && this.takesConnections()
    )
    return Date.now()
  }
}
