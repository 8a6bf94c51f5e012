/** A caller that does not read a stream is cut, and little is kept for it (contract/events.md *Feed*). */
import { afterEach, assert, it, vi } from "@effect/vitest"
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { stalledMs } from "../../../src/edge/http/Bounds.ts"
import { ByteBudget } from "../../../src/edge/http/ByteBudget.ts"
import { Exchange, write } from "../../../src/edge/http/Exchange.ts"
import { Unread } from "../../../src/edge/http/Unread.ts"

afterEach(() => void vi.useRealTimers())

/** A stream without an end over HTTP, and the connection of its reader. */
const streaming = async (unread?: Unread) => {
  const chunk = Buffer.alloc(65_536)
  let bytes = 0
  const body = new Readable({
    read() {
      bytes += chunk.length
      this.push(chunk)
    }
  })
  body.on("error", () => undefined)
  const server = http.createServer((incoming, outgoing) => {
    write(new Exchange(incoming, outgoing), { status: 200, body }, new ByteBudget(0), unread)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as net.AddressInfo
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined)
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
  return {
    body,
    socket,
    made: () => bytes,
    close: () => {
      socket.destroy()
      server.close()
    }
  }
}

it("a reader that reads nothing is cut, before much is made for it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] })
  const { body, close, made, socket } = await streaming()
  socket.pause()
  while (!body.destroyed) {
    vi.advanceTimersByTime(stalledMs)
    await setImmediate()
  }
  assert.isBelow(made(), 64 * 1_048_576)
  close()
})

it("a reader that reads is not cut, however long it reads", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] })
  const { body, close, socket } = await streaming()
  for (let minutes = 1; minutes < 20; minutes++) {
    // More than the system's buffers hold, so that some of it was written since the last look.
    while (socket.bytesRead < minutes * 16 * 1_048_576) await once(socket, "data")
    vi.advanceTimersByTime(stalledMs)
  }
  assert.isFalse(body.destroyed)
  close()
})

it("of readers that read nothing the one that has waited longest is cut once too much waits", async () => {
  // Room for what waits of one of them.
  const unread = new Unread(100_000)
  const first = await streaming(unread)
  first.socket.pause()
  // Nothing is made for it any more: it waits.
  for (let made = -1; made !== first.made(); ) {
    made = first.made()
    for (let turn = 0; turn < 100; turn++) await setImmediate()
  }
  assert.isFalse(first.body.destroyed)
  const second = await streaming(unread)
  second.socket.pause()
  while (!first.body.destroyed) await setImmediate()
  assert.isFalse(second.body.destroyed)
  for (const { close } of [first, second]) close()
})
