/** The network between nodes: each link goes through a relay that can be cut. */
import * as net from "node:net"
import type { Postgres } from "./Postgres.ts"

/** How often the addresses of new nodes are looked at, ms. */
const lookMs = 50

/** Passes bytes on to a port, both ways. */
class Relay {
  private readonly sockets = new Set<net.Socket>()
  private readonly listener: net.Server
  isCut = false

  constructor(port: number) {
    this.listener = net.createServer((client) => {
      if (this.isCut) return void client.pause()
      const server = net.connect({ host: "127.0.0.1", port })
      for (const [one, other] of [
        [client, server],
        [server, client]
      ] as const) {
        this.sockets.add(one)
        one.on("data", (bytes) => {
          // What is sent into a cut network arrives nowhere, and nobody is told.
          if (!this.isCut) other.write(bytes)
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
    this.isCut = false
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
  private readonly timer: NodeJS.Timeout
  private looking: Promise<unknown> = Promise.resolve()

  constructor(postgres: Postgres) {
    this.postgres = postgres
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look()).catch(() => undefined)
    }, lookMs)
  }

  /** Puts a relay before each new node. */
  private async look(): Promise<void> {
    const rows = await this.postgres.query("SELECT id, address FROM nodes WHERE NOT dead")
    for (const row of rows) {
      const [id, address] = [String(row["id"]), String(row["address"])]
      if (this.known.has(id)) continue
      const relay = new Relay(Number(address.split(":").at(-1)))
      const port = await relay.listen()
      await this.postgres.query(`UPDATE nodes SET address = '127.0.0.1:${port}' WHERE id = '${id}'`)
      this.known.add(id)
      this.relays.set(id, relay)
    }
  }

  /** Nothing arrives at or leaves one of the nodes for so long. */
  async cut(pick: (ids: ReadonlyArray<string>) => string, ms: number): Promise<void> {
    const rows = await this.postgres.query("SELECT id FROM nodes WHERE NOT dead")
    const relay = this.relays.get(pick(rows.map((row) => String(row["id"]))))
    if (relay === undefined) return
    relay.isCut = true
    await new Promise((resolve) => setTimeout(resolve, ms))
    relay.mend()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.looking
    for (const relay of this.relays.values()) relay.close()
  }
}
