/** What a connection sends reaches one listener alone, out of a buffer that all connections share. */
import * as http from "node:http"
import * as net from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Pieces from "../../src/http/Pieces.ts"

let server: http.Server
let read: number
let callers: Array<net.Socket>

beforeEach(async () => {
  read = 0
  callers = []
  server = http.createServer((_, outgoing) => {
    read += 1
    outgoing.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})

afterEach(async () => {
  for (const caller of callers) caller.destroy()
  await new Promise((resolve) => server.close(resolve))
})

/** A connection: the caller's end and the service's. */
const connect = async () => {
  const connected = new Promise<net.Socket>((resolve) => server.once("connection", resolve))
  const { port } = server.address() as net.AddressInfo
  const caller = net.connect({ port, host: "127.0.0.1", noDelay: true })
  callers.push(caller)
  return { caller, accepted: await connected }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate)
}

describe("pieces of a connection that was handed over", () => {
  it("reach the listener, each whole, and Node's parser no more", async () => {
    const { accepted, caller } = await connect()
    const pieces: Array<string> = []
    expect(Pieces.handOver(accepted, (bytes) => pieces.push(bytes.toString("latin1")))).toBe(true)
    const request = "GET / HTTP/1.1\r\nHost: till\r\n\r\n"
    caller.write(request)
    await until(() => pieces.length === 1)
    caller.write("\u00e9\u00ff", "latin1")
    await until(() => pieces.length === 2)
    expect(pieces).toEqual([request, "\u00e9\u00ff"])
    expect(read).toBe(0)
  })

  it("are cut where they are longer than the buffer, and nothing of them is lost", async () => {
    const { accepted, caller } = await connect()
    const pieces: Array<Buffer> = []
    let length = 0
    Pieces.handOver(accepted, (bytes) => {
      pieces.push(Buffer.from(bytes))
      length += bytes.length
    })
    const sent = Buffer.from(Uint32Array.from({ length: 100_000 }, (_, index) => index * 2_654_435_761).buffer)
    caller.write(sent)
    await until(() => length === sent.length)
    expect(pieces.length).toBeGreaterThan(1)
    expect(Buffer.concat(pieces).equals(sent)).toBe(true)
  })

  it("lie in the same memory, whatever the connection", async () => {
    const memory: Array<ArrayBufferLike> = []
    for (const { accepted, caller } of [await connect(), await connect()]) {
      Pieces.handOver(accepted, (bytes) => memory.push(bytes.buffer))
      caller.write("-")
    }
    await until(() => memory.length === 2)
    expect(memory[0]).toBe(memory[1])
  })

  it("wait while the connection is paused", async () => {
    const { accepted, caller } = await connect()
    const pieces: Array<string> = []
    Pieces.handOver(accepted, (bytes) => pieces.push(bytes.toString("latin1")))
    accepted.pause()
    await new Promise((resolve) => caller.write("-", resolve))
    const other = await connect()
    // What was sent later on another connection is there.
    const later = new Promise<void>((resolve) => Pieces.handOver(other.accepted, () => resolve()))
    other.caller.write("-")
    await later
    expect(pieces).toEqual([])
    accepted.resume()
    await until(() => pieces.length === 1)
  })

  it("can be passed on to Node, which stops reading from a caller that does not read, and answers all in the end", async () => {
    const { accepted, caller } = await connect()
    const [toNode] = accepted.listeners("data")
    Pieces.handOver(accepted, (bytes) => toNode?.call(accepted, bytes))
    caller.pause()
    // Their answers are more than the system takes in for a caller that does not read.
    const count = 40_000
    caller.write("GET / HTTP/1.1\r\nHost: till\r\n\r\n".repeat(count))
    await until(() => accepted.isPaused())
    expect(read).toBeLessThan(count)
    let text = ""
    caller.setEncoding("latin1").on("data", (piece: string) => {
      text += piece
    })
    caller.resume()
    // All answers are of one length.
    await until(() => text.length > 0 && text.length === count * (text.indexOf("\r\n\r\n") + 4))
    expect(read).toBe(count)
  })

  it("end with the connection", async () => {
    const { accepted, caller } = await connect()
    Pieces.handOver(accepted, () => {})
    const closed = new Promise((resolve) => accepted.once("close", resolve))
    caller.end()
    await closed
    expect(accepted.destroyed).toBe(true)
  })
})

describe("a connection without Node's own handle", () => {
  it("is left as it was", async () => {
    const { accepted } = await connect()
    accepted.destroy()
    const before = Reflect.ownKeys(accepted).map((key) => Reflect.get(accepted, key))
    expect(Pieces.handOver(accepted, () => {})).toBe(false)
    expect(Reflect.ownKeys(accepted).map((key) => Reflect.get(accepted, key))).toEqual(before)
  })
})
