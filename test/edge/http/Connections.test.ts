/** A stop with a connection whose request has not come to its end, and how a refused one is paused. */
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { stoppingBodyMs } from "../../../src/edge/http/Bounds.ts"
import type { BodyFault } from "../../../src/edge/http/Connections.ts"
import * as Connections from "../../../src/edge/http/Connections.ts"
import { problem } from "../../../src/edge/http/Reply.ts"
import { raw } from "./TestServer.ts"

afterEach(() => {
  vi.useRealTimers()
})

describe("a stop in the very turn in which the reading of a body begins", () => {
  it("ends that reading once its time is over", async () => {
    const connections = Connections.make(
      (_, instance) => problem("not_found", { detail: "No path.", instance }),
      () => undefined
    )
    const cuts: Array<string> = []
    const server = createServer()
    server.on("connection", connections.opened)
    const stopping = new Promise<void>((resolve) =>
      server.on("request", (incoming, outgoing) => {
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
        const inFlight = connections.begun(incoming, outgoing)
        inFlight.cut = (fault) => cuts.push(`before the reading: ${fault}`)
        connections.close()
        inFlight.cut = (fault: BodyFault) => {
          cuts.push(fault)
          outgoing.writeHead(408).end()
        }
        resolve()
      })
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1").resume()
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
    await stopping
    vi.advanceTimersByTime(stoppingBodyMs - 1)
    expect(cuts).toEqual([])
    vi.advanceTimersByTime(1)
    expect(cuts).toEqual(["request_timeout"])
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})

it("a connection that is refused often has one listener for its pauses", async () => {
  const connections = Connections.make(
    () => problem("not_found", { detail: "", instance: "/" }),
    () => undefined
  )
  const socket = new net.Socket()
  const listeners = socket.listenerCount("close")
  for (let refused = 0; refused < 20; refused++) {
    connections.shed(socket)
    await turn()
  }
  expect(socket.isPaused()).toBe(true)
  expect(socket.listenerCount("close")).toBe(listeners + 1)
  socket.destroy()
})

describe("a request that does not arrive in time (contract/transport.md *Bounds on callers*)", () => {
  /** Reply to a connection that Node finds too slow, once it has sent something. */
  const answered = async (sent: string) => {
    const connections = Connections.make(
      (_, instance) => problem("not_found", { detail: "No path.", instance }),
      () => undefined
    )
    const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
    const server = net.createServer((socket) => {
      if (sent === "") connections.refuse(late, socket)
      else socket.once("data", () => connections.refuse(late, socket))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const answers = await raw((server.address() as AddressInfo).port, sent)
    await new Promise((resolve) => server.close(resolve))
    return answers.map(({ body, status }) => [status, JSON.parse(body).code])
  }

  it("is answered 408, with the rest of its head missing", async () => {
    expect(await answered("POST /proto/v1/accruals HTTP/1.1\r\nHost: x\r\n")).toEqual([[408, "request_timeout"]])
  })

  it("is closed without an answer where nothing came: nobody waits for one", async () => {
    expect(await answered("")).toEqual([])
  })
})
