/** The network between nodes: each link goes through a relay that can be cut. */
import * as net from "node:net"
import type { Postgres } from "./Postgres.ts"

/** Pause between two looks at the addresses of new nodes, ms. */
const lookMs = 50
const pause = () => new Promise((resolve) => setTimeout(resolve, lookMs))

/** The bytes that a cut loses: those to the node, those of it, or both. */
export type Lost = "to" | "from" | "both"

/** Passes bytes on to a port, both ways. */
class Relay {
  private readonly sockets = new Set<net.Socket>()
  private readonly listener: net.Server
  lost: Lost | undefined

  constructor(port: number) {
    this.listener = net.createServer((client) => {
      const server = net.connect({ host: "127.0.0.1", port })
      for (const [one, other] of [
        [client, server],
        [server, client]
      ] as const) {
        this.sockets.add(one)
        one.on("data", (bytes) => {
          // Bytes sent into a cut network arrive nowhere, and nobody is told.
          if (this.lost !== "both" && this.lost !== (one === client ? "to" : "from")) other.write(bytes)
        })
        one.on("error", () => one.destroy())
        one.on("close", () => {
          this.sockets.delete(one)
          other.destroy()
        })
      }
    })
  }

  listen(): Promise<number> {
    return new Promise((resolve) =>
      this.listener.listen(0, "127.0.0.1", () => {
        const address = this.listener.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    )
  }

  /** Ends the cut: connections that it met are gone. */
  mend(): void {
    this.lost = undefined
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.listener.close()
  }
}

export class Wires {
  private readonly postgres: Postgres
  private readonly relays = new Map<string, Relay>()
  private readonly known = new Set<string>()
  private readonly looking: Promise<void>
  private isClosed = false

  constructor(postgres: Postgres) {
    this.postgres = postgres
    this.looking = this.lookAgain()
  }

  /**
   * One look after the other: looks that are begun by the clock pile up behind a slow one, and `close` waits for all.
   */
  private async lookAgain(): Promise<void> {
    while (!this.isClosed) {
      // PostgreSQL, and with it the session, ends in between.
      await this.postgres.session((query) => this.look(query)).catch(() => undefined)
      await pause()
    }
  }

  /** Puts a relay before each new node. */
  private async look(query: Postgres["query"]): Promise<void> {
    for (; !this.isClosed; await pause()) {
      for (const row of await query("SELECT id, address FROM nodes WHERE NOT dead")) {
        const [id, address] = [String(row["id"]), String(row["address"])]
        if (this.known.has(id)) continue
        const relay = new Relay(Number(address.split(":").at(-1)))
        const port = await relay.listen()
        await query(`UPDATE nodes SET address = '127.0.0.1:${port}' WHERE id = '${id}'`)
        this.known.add(id)
        this.relays.set(id, relay)
      }
    }
  }

  /** Calls to one of the nodes, their answers or both are lost for so long. */
  async cut(pick: (ids: ReadonlyArray<string>) => string, ms: number, lost: Lost): Promise<void> {
    const rows = await this.postgres.query("SELECT id FROM nodes WHERE NOT dead")
    const relay = this.relays.get(pick(rows.map((row) => String(row["id"]))))
    if (relay === undefined) return
    relay.lost = lost
    await new Promise((resolve) => setTimeout(resolve, ms))
    relay.mend()
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.looking
    for (const relay of this.relays.values()) relay.close()
  }
}
