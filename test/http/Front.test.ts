/**
 * The front takes only what Node would have read as the same request: each 503
 * and each 202 here is the front's, each 200 is Node's; 200 and 202 say what was read.
 */
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { keptHeads, knownHeads, lingerMs } from "../../src/http/Bounds.ts"
import * as Connections from "../../src/http/Connections.ts"
import * as Front from "../../src/http/Front.ts"
import * as Pieces from "../../src/http/Pieces.ts"
import type { Response } from "./TestServer.ts"
import { parse } from "./TestServer.ts"

const refusal = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"
const notThere = { status: 405, body: "" }

const head = (length: number, path = "/orders", more = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: till\r\n${more}Content-Length: ${length}\r\nX-Till: 7\r\n\r\n`
const request = (body: string, path?: string, more?: string): string => head(body.length, path, more) + body

let server: http.Server
let isFull: boolean
/** Whether nothing is turned away, although the service is full. */
let isExempt: boolean
/** What holds answers back. */
let held: Promise<void>
/** What is said besides by who carries out. */
let carries: string
/** The service's end of the connection. */
let accepted: net.Socket
let caller: net.Socket
let received: Array<Buffer>
let connections: Connections.Connections
/** Requests that Node has read. */
let read: number
/** Requests that were carried out without. */
let carriedOut: number

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate)
}

const answers = (): ReadonlyArray<Response> => parse(Buffer.concat(received).toString("latin1"))

/** Sends pieces that arrive one by one. */
const send = async (...pieces: ReadonlyArray<string>): Promise<void> => {
  for (const piece of pieces) {
    const before = accepted.bytesRead
    caller.write(piece, "latin1")
    await until(() => accepted.bytesRead === before + piece.length)
  }
}

const saidBy = ({ body, status }: Response): unknown => (status < 300 ? JSON.parse(body) : status)

/** Is turned away where the service is full, else carried out once nothing holds it back. */
const course: Front.Course = {
  refusal: () => (isExempt ? undefined : refusal),
  carryOut: async (_, body, answer) => {
    carriedOut += 1
    await held
    const text = JSON.stringify(`carried out ${body.toString("latin1")}${carries}`)
    answer((connection) => `HTTP/1.1 202 Accepted\r\ncontent-length: ${text.length}\r\n${connection}\r\n${text}`)
  }
}

/** Holds answers back from now on, until it is called. */
const hold = (): (() => void) => {
  let release = () => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  return () => release()
}

/** What the next answers say, once there are so many. */
const answered = async (count: number): Promise<ReadonlyArray<unknown>> => {
  await until(() => Buffer.concat(received).toString("latin1").split("HTTP/1.1 ").length > count)
  const said = answers().map(saidBy)
  received = []
  return said
}

/** Sends pieces, and gives what so many answers to them say. */
const ask = async (count: number, ...pieces: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
  await send(...pieces)
  return answered(count)
}

beforeEach(async () => {
  isFull = true
  held = Promise.resolve()
  received = []
  read = 0
  carriedOut = 0
  isExempt = false
  carries = ""
  connections = Connections.make(
    () => notThere,
    () => "id"
  )
  const stand = Front.make({ isFull: () => isFull, connections, courseOf: () => course })
  server = http.createServer((incoming, outgoing) => {
    read += 1
    connections.begun(incoming, outgoing)
    const { method, socket, url } = incoming
    outgoing.once("finish", () => stand(socket))
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", async () => {
      await held
      const text = JSON.stringify(`${method} ${url} ${Buffer.concat(chunks).toString("latin1")}`)
      outgoing.writeHead(200, { "content-length": text.length })
      outgoing.end(text)
    })
  })
  server.on("connection", connections.opened)
  const connected = new Promise<net.Socket>((resolve) => server.once("connection", resolve))
  server.on("connect", connections.refuseTunnel)
  server.on("clientError", connections.refuse)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as net.AddressInfo
  // Goes on sending to a service that has said its last word.
  caller = net.connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true })
  caller.on("data", (bytes) => received.push(bytes))
  accepted = await connected
})

afterEach(async () => {
  vi.useRealTimers()
  caller.destroy()
  await new Promise((resolve) => server.close(resolve))
})

/** The front stands on the connection, and knows the head of orders. */
const acquaint = async (): Promise<void> => {
  expect(await ask(1, request("a"))).toEqual(["POST /orders a"])
  expect(await ask(1, request("b"))).toEqual(["POST /orders b"])
}

describe("a request with the head of an earlier one", () => {
  it("is turned away unread, whatever its length, and carried out unread once the service is not full", async () => {
    await acquaint()
    expect(await ask(1, request("c"))).toEqual([503])
    expect(await ask(1, request("a longer body"))).toEqual([503])
    expect(await ask(1, request(""))).toEqual([503])
    isFull = false
    expect(await ask(1, request("a longer body still"))).toEqual(["carried out a longer body still"])
    expect(await ask(1, request(""))).toEqual(["carried out "])
    isFull = true
    expect(await ask(1, request("d"))).toEqual([503])
    expect(read).toBe(2)
  })

  it("is carried out where it is not to be turned away, full or not", async () => {
    await acquaint()
    isExempt = true
    expect(await ask(1, request("c"))).toEqual(["carried out c"])
  })

  it("goes to Node while an earlier answer is owed, so that answers keep their order", async () => {
    await acquaint()
    expect(await ask(1, request("c"))).toEqual([503])
    const release = hold()
    await send(request("slow", "/other"))
    await send(request("after it"))
    release()
    expect(await answered(2)).toEqual(["POST /other slow", "POST /orders after it"])
    expect(await ask(1, request("e"))).toEqual([503])
  })
})

describe("while a request is carried out unread", () => {
  beforeEach(async () => {
    await acquaint()
    isFull = false
  })

  it("what follows waits, the next piece kept and no more read, so that answers keep their order", async () => {
    const release = hold()
    await send(request("slow"), request("after it"))
    isFull = true
    const before = accepted.bytesRead
    caller.write(request("unread yet"), "latin1")
    // What another connection sends after it arrives: by then this one's would have been read.
    const { port } = server.address() as net.AddressInfo
    const other = net.connect({ port, host: "127.0.0.1" })
    const [theirs] = await once(server, "connection")
    other.write("POST ")
    await until(() => theirs.bytesRead > 0)
    other.destroy()
    expect(accepted.bytesRead).toBe(before)
    expect(received).toEqual([])
    release()
    expect(await answered(3)).toEqual(["carried out slow", 503, 503])
    expect(read).toBe(2)
  })

  it.each([
    ["two requests", [request("b") + request("c")], ["POST /orders b", "POST /orders c"]],
    ["another head", [request("b", "/other")], ["POST /other b"]],
    ["the beginning of a request", [request("b").slice(0, 20), request("b").slice(20)], ["POST /orders b"]]
  ] as const)("%s: is looked at after its answer, and goes to Node", async (_, [first, ...more], expected) => {
    const release = hold()
    await send(request("slow"), first)
    release()
    await send(...more)
    expect(await answered(1 + expected.length)).toEqual(["carried out slow", ...expected])
  })

  it("what comes after a caller that is gone is not looked at", async () => {
    const release = hold()
    await send(request("slow"), request("after it"))
    await once(accepted.destroy(), "close")
    release()
    await new Promise(setImmediate)
    expect([carriedOut, read]).toEqual([1, 2])
    expect(received).toEqual([])
  })

  it("a service that stops waits for its answer, which ends the connection", async () => {
    const release = hold()
    await send(request("slow"), request("after it"))
    connections.close()
    release()
    await until(() => caller.readableEnded)
    const [last, ...more] = answers()
    expect([last?.body, last?.headers["connection"], more]).toEqual(['"carried out slow"', "close", []])
  })

  it.each([
    ["carried out", false, request("late")],
    ["turned away", true, request("late")],
    ["read by Node", false, request("late", "/other")]
  ])("what comes after the last answer of a service that stops is not %s", async (_, full, late) => {
    const release = hold()
    await send(request("slow"))
    connections.close()
    release()
    await until(() => caller.readableEnded)
    isFull = full
    await send(late)
    expect(accepted.destroyed).toBe(false)
    expect(await answered(1)).toEqual(["carried out slow"])
    expect([carriedOut, read]).toEqual([1, 2])
  })

  it("the moment that a caller has for the last answer begins when all of it has left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const release = hold()
    // More than the system keeps of what is not read.
    carries = "x".repeat(32_000_000)
    await send(request("slow"))
    caller.pause()
    connections.close()
    release()
    await until(() => accepted.writableLength > 0)
    vi.advanceTimersByTime(lingerMs)
    caller.resume()
    await until(() => caller.readableEnded)
    expect(answers().map(({ body }) => body.length)).toEqual([carries.length + '"carried out slow"'.length])
    vi.advanceTimersByTime(lingerMs)
    await until(() => accepted.destroyed)
  })
})

describe("what has been read of a connection", () => {
  it.each([
    ["by Node", [request("one of many", "/other")], ["POST /other one of many"]],
    ["and is carried out", [request("one of many")], ["carried out one of many"]],
    ["and waits behind it", [request("one"), request("two")], ["carried out one", "carried out two"]]
  ] as const)(
    "%s: stays as it was while others send, although all are read into one buffer",
    async (_, pieces, all) => {
      await acquaint()
      isFull = false
      const release = hold()
      await send(...pieces)
      const { port } = server.address() as net.AddressInfo
      const other = net.connect({ port, host: "127.0.0.1", noDelay: true })
      const [theirs] = await once(server, "connection")
      expect(Pieces.handOver(theirs, () => {})).toBe(true)
      other.write("x".repeat(1_000))
      await until(() => theirs.bytesRead === 1_000)
      release()
      expect(await answered(all.length)).toEqual([...all])
      other.destroy()
    }
  )
})

describe("heads of all connections", () => {
  /** The head of a till with a path of its own, and a request that Node has read with it. */
  const till = (number: number) => ({ start: `POST /${number} HTTP/1.1\r\nContent-Length: `, rest: "\r\n\r\n" })
  // Only handed on to what says how it is turned away, which looks at nothing here.
  const incoming = {} as http.IncomingMessage

  it("are kept once, so that what a second connection sends is compared with the same text", () => {
    let asked = 0
    const headOf = Front.remembering(() => {
      asked += 1
      return course
    })
    const first = headOf(till(1), incoming)
    expect(headOf(till(2), incoming)).not.toBe(first)
    expect(headOf(till(1), incoming)).toBe(first)
    expect(asked).toBe(2)
  })

  it("are kept apart by where the length stands", () => {
    const headOf = Front.remembering(() => course)
    const { rest, start } = till(1)
    const first = headOf({ start, rest: `${rest}${rest}` }, incoming)
    expect(headOf({ start: `${start}${rest}`, rest }, incoming)).not.toBe(first)
  })

  it("are kept up to a bound, the newest of them", () => {
    const headOf = Front.remembering(() => course)
    const first = headOf(till(0), incoming)
    const second = headOf(till(1), incoming)
    for (let number = 2; number <= keptHeads; number++) headOf(till(number), incoming)
    expect(headOf(till(1), incoming)).toBe(second)
    expect(headOf(till(0), incoming)).not.toBe(first)
  })

  it("are not kept where requests are left to Node", () => {
    const courses: Array<Front.Course | undefined> = [undefined, course]
    const headOf = Front.remembering(() => courses.shift())
    expect(headOf(till(1), incoming)).toBeUndefined()
    expect(headOf(till(1), incoming)?.course).toBe(course)
  })
})

describe("what differs from it", () => {
  it.each([
    ["another path", request("c", "/other"), "POST /other c"],
    ["another header", request("c", "/orders", "Authorization: Bearer other\r\n"), "POST /orders c"],
    ["a header in other letters", request("c").replace("X-Till", "x-till"), "POST /orders c"]
  ])("%s: is Node's, and then known as well", async (_, bytes, answer) => {
    await acquaint()
    expect(await ask(1, bytes)).toEqual([answer])
    expect(await ask(1, bytes)).toEqual([503])
    expect(await ask(1, request("c"))).toEqual([503])
  })

  it("is learnt so many times on a connection; after that all of it is Node's", async () => {
    await acquaint()
    for (let count = 1; count < knownHeads; count++) await ask(1, request("x", `/${count}`))
    expect(await ask(1, request("c"))).toEqual([503])
    expect(await ask(1, request("x", "/one-more"))).toEqual(["POST /one-more x"])
    expect(await ask(1, request("c"))).toEqual(["POST /orders c"])
  })
})

describe("a piece that is no whole request", () => {
  const inside = request("inside")

  it.each([
    ["the rest of a body", [head(inside.length), inside], [`POST /orders ${inside}`]],
    ["the end of a body", [`${head(inside.length + 2)}--`, inside], [`POST /orders --${inside}`]],
    ["the rest of a head", ["GET /other HTTP/1.1\r\nX-Cut: ", inside], ["GET /other inside"]],
    ["two requests", [inside + inside], ["POST /orders inside", "POST /orders inside"]],
    ["the beginning of one", [inside.slice(0, 20), inside.slice(20)], ["POST /orders inside"]],
    ["a head whose body follows", [head(3), "abc"], ["POST /orders abc"]],
    [
      "the end of a body, which claims the next request as its own",
      [`${head(head(inside.length).length + 1)}-`, head(inside.length) + inside],
      [`POST /orders -${head(inside.length)}`, "POST /orders inside"]
    ]
  ] as const)("%s: is Node's, with all that follows", async (_, pieces, expected) => {
    await acquaint()
    expect(await ask(expected.length, ...pieces)).toEqual([...expected])
    expect(await ask(1, inside)).toEqual(["POST /orders inside"])
  })

  // The first answer brings the front in: Node is within the next request by then.
  const half = "POST /orders HTTP/1.1\r\nX-Cut: "

  it("teaches nothing where Node was within a head when the front came", async () => {
    expect(await ask(1, request("a") + half)).toEqual(["POST /orders a"])
    expect(await ask(1, inside)).toEqual(["POST /orders inside"])
    expect(await ask(1, inside)).toEqual(["POST /orders inside"])
  })

  it("teaches nothing where Node was within a body that claims the next requests as its own", async () => {
    const next = inside + half
    const claim = head(next.length)
    expect(await ask(1, `${request("a")}${head(claim.length + 1)}-`)).toEqual(["POST /orders a"])
    expect(await ask(2, claim + next)).toEqual([`POST /orders -${claim}`, "POST /orders inside"])
    expect(await ask(1, request("b"))).toEqual(["POST /orders b"])
    expect(await ask(1, inside)).toEqual(["POST /orders inside"])
  })

  it("teaches nothing where the next request has the claimed length, and ends in a later piece", async () => {
    const length = 80
    const claim = head(length)
    const begin = "-".repeat(length - claim.length)
    // The end of that request, and the first bytes of another.
    const later = request("-POST /or")
    const rest = later.slice(0, claim.length)
    expect(await ask(1, `${request("a")}${head(claim.length + 1)}-`)).toEqual(["POST /orders a"])
    expect(await ask(1, claim + claim + begin)).toEqual([`POST /orders -${claim}`])
    expect(await ask(1, later)).toEqual([`POST /orders ${begin}${rest}`])
    expect(await ask(1, request("b"))).toEqual([400])
  })

  it("teaches nothing in an older version of HTTP", async () => {
    const older = request("a", "/orders", "Connection: keep-alive\r\n").replace("HTTP/1.1", "HTTP/1.0")
    for (let count = 0; count < 4; count++) expect(await ask(1, older)).toEqual(["POST /orders a"])
  })
})

describe("a connection that Node ends", () => {
  it("as a tunnel: is answered, and what follows is read by nobody", async () => {
    await acquaint()
    expect(await ask(1, "CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n")).toEqual([405])
    // Another connection has the parser of the first by now.
    const { port } = server.address() as net.AddressInfo
    const other = net.connect({ port, host: "127.0.0.1" })
    await once(server, "connection")
    await send(request("b"), request("c", "/other"))
    other.destroy()
    expect(read).toBe(2)
  })

  it("for what is no HTTP: is answered, and what follows is read by nobody", async () => {
    await acquaint()
    expect(await ask(1, request("b").replace("X-Till: 7", "X-Till: \u0001"))).toEqual([400])
    await send(request("b"), request("c", "/other"))
    expect(read).toBe(2)
  })
})
