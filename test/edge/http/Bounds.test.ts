/**
 * contract/transport.md *Bounds on callers*: what callers can make the service hold is bounded. Over real connections,
 * with small bounds.
 */
import { Deferred, Effect, Result } from "effect"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import * as net from "node:net"
import { parseProxies } from "../../../src/edge/http/Addresses.ts"
import { largeAnswerMs, shedPauseMs } from "../../../src/edge/http/Bounds.ts"
import type { StartOptions, TestServer } from "./TestServer.ts"
import { accrual, answer, ask, bearer, json, parse, start, token } from "./TestServer.ts"

const servers: Array<TestServer> = []
const started = async (options: StartOptions) => {
  const server = await start(options)
  servers.push(server)
  return server
}
afterEach(async () => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) await server.stop()
})

/** A connection that collects what it gets; it reads nothing while paused. */
const connect = async ({ port }: TestServer) => {
  const chunks: Array<Buffer> = []
  const socket = net.connect(port, "127.0.0.1").on("data", (chunk: Buffer) => chunks.push(chunk))
  socket.on("error", () => undefined)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()))
  const text = () => Buffer.concat(chunks).toString("latin1")
  /** The first answers of the connection, once they are there as a whole. */
  const answers = async (count: number) => {
    for (;;) {
      const got = parse(text(), true)
      const isWhole = ({ body, headers }: (typeof got)[number]) => body.length === Number(headers["content-length"])
      if (got.length >= count && got.every(isWhole)) return got
      await new Promise((resolve) => socket.once("data", resolve))
    }
  }
  return { socket, closed, text, answers }
}

/** Another connection's round trip: the service has read by then what was sent before. */
const roundTrip = ({ port }: TestServer) => ask(port, { path: "/health" })

/** Asks until it is let in: the service learns of a closed connection a little later than the caller. */
const eventually = async (attempt: () => Promise<{ readonly status: number } | undefined>) => {
  for (;;) if ((await attempt().catch(() => undefined))?.status === 200) return
}

const get = (path: string, ...headers: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "Host: lotbook", ...headers, "", ""].join("\r\n")

const head = (length: number) =>
  [
    "POST /proto/v1/accruals HTTP/1.1",
    "Host: lotbook",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "",
    ""
  ].join("\r\n")

const body = JSON.stringify(accrual())
const post = ({ port }: TestServer, headers = {}) =>
  ask(port, { method: "POST", path: "/proto/v1/accruals", headers: { ...bearer(token), ...json, ...headers }, body })

const codeOf = ({ body }: { readonly body: string }) => JSON.parse(body).code

describe("connections of one address", () => {
  it("are closed unanswered past their bound, until another one has ended", async () => {
    const server = await started({ bounds: { connectionsPerAddress: 2 } })
    const [first, second] = [await connect(server), await connect(server)]
    for (const { answers, socket } of [first, second]) {
      socket.write(get("/health"))
      expect((await answers(1))[0]?.status).toBe(200)
    }
    const third = await connect(server)
    third.socket.write(get("/health"))
    await third.closed
    expect(third.text()).toBe("")
    first.socket.destroy()
    await eventually(() => ask(server.port, { path: "/health" }))
    second.socket.destroy()
  })

  it("behind a trusted proxy are its requests, each counted for the address that the proxy names", async () => {
    const trustedProxies = Result.getOrThrow(parseProxies("127.0.0.1"))
    const server = await started({ trustedProxies, bounds: { connectionsPerAddress: 2 } })
    const of = (address: string) => post(server, { "x-forwarded-for": address })
    const [go, both] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    let begun = 0
    server.handle = () => {
      if (++begun === 2) Deferred.doneUnsafe(both, Effect.void)
      return begun > 2 ? Effect.succeed(answer()) : Effect.as(Deferred.await(go), answer())
    }
    const held = [of("192.0.2.1"), of("192.0.2.1")]
    await Effect.runPromise(Deferred.await(both))
    const refused = await of("192.0.2.1")
    expect([refused.status, codeOf(refused), refused.headers["retry-after"]]).toEqual([503, "overloaded", "1"])
    expect((await of("192.0.2.2")).status).toBe(200)
    Deferred.doneUnsafe(go, Effect.void)
    for (const { status } of await Promise.all(held)) expect(status).toBe(200)
    expect((await of("192.0.2.1")).status).toBe(200)
  })
})

describe("bytes of bodies that are arriving", () => {
  it("past their bound are refused as overloaded; earlier ones complete, and release their share", async () => {
    const server = await started({ bounds: { bodyBytes: body.length + 10 } })
    const [first, second, third] = [await connect(server), await connect(server), await connect(server)]
    first.socket.write(head(body.length) + body.slice(0, -1))
    second.socket.write(head(body.length) + body.slice(0, 5))
    await roundTrip(server)
    // Five bytes stay free, in whatever pieces the others come.
    second.socket.write(body.slice(5))
    const [refused] = await second.answers(1)
    expect([refused?.status, codeOf(refused ?? { body: "{}" })]).toEqual([503, "overloaded"])
    first.socket.write(body.slice(-1))
    expect((await first.answers(1))[0]?.status).toBe(200)
    third.socket.write(head(body.length) + body.slice(0, -1))
    await roundTrip(server)
    third.socket.write(body.slice(-1))
    expect((await third.answers(1))[0]?.status).toBe(200)
    for (const { socket } of [first, second, third]) socket.destroy()
  })

  it("are free again when their caller has gone", async () => {
    const server = await started({ bounds: { bodyBytes: body.length } })
    const gone = await connect(server)
    gone.socket.write(head(body.length) + body.slice(0, -1))
    await roundTrip(server)
    gone.socket.destroy()
    await eventually(async () => {
      const { answers, socket } = await connect(server)
      socket.write(head(body.length) + body.slice(0, 5))
      await roundTrip(server)
      socket.write(body.slice(5))
      const [last] = await answers(1)
      socket.destroy()
      return last
    })
  })
})

describe("a request without a known caller", () => {
  const session = (length: number, ...more: ReadonlyArray<string>) =>
    [
      "POST /admin/api/v1/session HTTP/1.1",
      "Host: lotbook",
      "Content-Type: application/json",
      ...(length > 0 ? [`Content-Length: ${length}`] : []),
      ...more,
      "",
      ""
    ].join("\r\n")
  const ofLength = (length: number) => `{"key":1${" ".repeat(length - 9)}}`

  it("brings 16 KiB of body at most, announced or streamed", async () => {
    const server = await started({})
    const statusOf = async (text: string) => {
      const { answers, closed, socket } = await connect(server)
      socket.write(text)
      const [got] = await answers(1)
      if (got?.headers["connection"] === "close") await closed
      socket.destroy()
      return got?.status
    }
    const chunked = (length: number) =>
      `${session(0, "Transfer-Encoding: chunked")}${length.toString(16)}\r\n${ofLength(length)}\r\n0\r\n\r\n`
    expect(await statusOf(session(16_384) + ofLength(16_384))).toBe(422)
    expect(await statusOf(chunked(16_384))).toBe(422)
    expect(await statusOf(session(16_385) + ofLength(16_385))).toBe(413)
    expect(await statusOf(chunked(16_385))).toBe(413)
    // The rest is not awaited.
    expect(await statusOf(session(16_385))).toBe(413)
  })

  it("has a budget of bodies that are arriving apart from known callers'", async () => {
    const server = await started({ bounds: { bodyBytes: body.length } })
    const slow = await connect(server)
    slow.socket.write(session(body.length) + ofLength(body.length).slice(0, -1))
    await roundTrip(server)
    const { answers, socket } = await connect(server)
    socket.write(head(body.length) + body.slice(0, -1))
    await roundTrip(server)
    socket.write(body.slice(-1))
    expect((await answers(1))[0]?.status).toBe(200)
    for (const one of [slow.socket, socket]) one.destroy()
  })

  it("with a wrong token is answered before its body, of which nothing is read, and its connection closes", async () => {
    const server = await started({})
    const wrong = (length: number) => head(length).replace(token, "wrong-token")
    const piece = Buffer.alloc(1_048_576, " ")
    const pieces = 64
    const long = await connect(server)
    long.socket.write(wrong(pieces * piece.length))
    let taken = 0
    for (let n = 0; n < pieces; n++)
      long.socket.write(piece, (error) => {
        if (error === null || error === undefined) taken++
      })
    const [refused] = await long.answers(1)
    expect([refused?.status, refused?.headers["connection"]]).toEqual([401, "close"])
    await long.closed
    // The buffers of the operating system take some, and the service none.
    expect(taken).toBeLessThan(pieces / 4)
    // A short one that is there already, and one that never comes.
    for (const text of [wrong(body.length) + body, wrong(body.length)]) {
      const { answers, closed, socket } = await connect(server)
      socket.write(text)
      const [short] = await answers(1)
      expect([short?.status, short?.headers["connection"]]).toEqual([401, "close"])
      await closed
    }
    // Without a body there is nothing to close it for.
    const { answers, socket } = await connect(server)
    for (const count of [1, 2]) {
      socket.write(get("/proto/v1/capabilities", "Authorization: Bearer wrong-token"))
      expect((await answers(count)).at(-1)?.status).toBe(401)
    }
    socket.destroy()
  })
})

describe("bodies that end together", () => {
  /**
   * The longest stop of the event loop until `work` is done, and all turns together, ms. CPU time counts where that is
   * shorter: another process may have had the processor.
   */
  const stopsOf = async (work: () => Promise<unknown>): Promise<{ readonly longest: number; readonly all: number }> => {
    let longest = 0
    let all = 0
    let isDone = false
    let at = performance.now()
    let cpu = process.cpuUsage()
    const turn = () => {
      const { system, user } = process.cpuUsage(cpu)
      const took = Math.min(performance.now() - at, (user + system) / 1_000)
      longest = Math.max(longest, took)
      all += took
      if (isDone) return
      at = performance.now()
      cpu = process.cpuUsage()
      setImmediate(turn)
    }
    setImmediate(turn)
    await work()
    isDone = true
    await new Promise((resolve) => setImmediate(resolve))
    return { longest, all }
  }

  /** Sends as many bodies as connections, which all end in one turn, and returns the statuses of the answers. */
  const together = async (server: TestServer, count: number, text: string, start: string) => {
    const all = await Promise.all(Array.from({ length: count }, () => connect(server)))
    for (const { socket } of all) socket.write(start + text.slice(0, -1))
    await roundTrip(server)
    let statuses: ReadonlyArray<number> = []
    const stops = await stopsOf(async () => {
      for (const { socket } of all) socket.write(text.slice(-1))
      statuses = await Promise.all(all.map(async ({ answers }) => (await answers(1))[0]?.status ?? 0))
    })
    for (const { socket } of all) socket.destroy()
    return { ...stops, statuses: new Set(statuses) }
  }

  const names = (count: number) => Array.from({ length: count }, (_, i) => `"${i}k":1`).join(",")
  const dearest = {
    "30 bodies of 90,000 names": [30, `{${names(90_000)}}`, 400],
    "30 bodies of 500,000 brackets": [30, `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, 400],
    "15 bodies of as many names as may be": [15, `{${names(50_000)}}`, 422],
    "15 bodies of as many lists as fit": [15, `{"a":[${"[],".repeat(340_000)}[]]}`, 422]
  } as const

  it.each(Object.entries(dearest))(
    "never stop the loop for as long as declares a node dead: %s",
    async (_, [count, text, status]) => {
      const server = await started({})
      const { all, longest, statuses } = await together(server, count, text, head(text.length))
      expect([...statuses]).toEqual([status])
      // 50 ms, and the body that is being parsed then; all at once would take seconds. One body alone may take as long
      // where processors are shared, but never half of what all of them take.
      expect(longest).toBeLessThan(Math.max(1_000, all / 2))
    }
  )

  it("an order of 1,000 lines passes", async () => {
    const server = await started({})
    const { order } = accrual()
    const [line] = order.lines
    const lines = Array.from({ length: 1_000 }, (_, n) => ({ ...line, line_id: `line-${n}` }))
    const text = JSON.stringify({ ...accrual(), order: { ...order, lines } })
    const { status } = await ask(server.port, {
      method: "POST",
      path: "/proto/v1/accruals",
      headers: { ...bearer(token), ...json },
      body: text
    })
    expect(status).toBe(200)
  })
})

describe("large answers that are being sent", () => {
  /** The size of /openapi.json, which anybody can ask for. */
  let size: number
  beforeAll(async () => {
    const server = await start()
    size = Number((await ask(server.port, { path: "/openapi.json" })).headers["content-length"])
    await server.stop()
  })

  it("past their bound are refused as overloaded, and what was sent is free again", async () => {
    const server = await started({ bounds: { largeAnswerBytes: 2 * size } })
    await ask(server.port, { path: "/openapi.json" })
    const { answers, socket } = await connect(server)
    // In one packet: none has left before the last is asked for.
    socket.write(get("/openapi.json").repeat(3) + get("/health"))
    const got = await answers(4)
    expect(got.map(({ status }) => status)).toEqual([200, 200, 503, 200])
    expect(codeOf(got[2] ?? { body: "{}" })).toBe("overloaded")
    socket.write(get("/openapi.json"))
    expect((await answers(5))[4]?.status).toBe(200)
    socket.destroy()
  })

  it("are cut when they are not read in time, which frees them", async () => {
    // So many that they fill the system's buffers, which may be of 32 MB.
    const count = Math.ceil(80_000_000 / size)
    const server = await started({ bounds: { largeAnswerBytes: count * size } })
    await ask(server.port, { path: "/openapi.json" })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { closed, socket } = await connect(server)
    socket.pause()
    socket.write(get("/openapi.json").repeat(count))
    await roundTrip(server)
    vi.advanceTimersByTime(largeAnswerMs)
    socket.resume()
    await closed
    await eventually(() => ask(server.port, { path: "/openapi.json" }))
  })

  it("to strangers keep no known caller from its own, and no write from its answer", async () => {
    const server = await started({ bounds: { largeAnswerBytes: 100_000 } })
    const large = (characters: number) => {
      server.handle = () => Effect.succeed(answer({ reason: "x".repeat(characters) }))
    }
    const read = (of: string) =>
      ask(server.port, {
        method: "POST",
        path: "/proto/v1/accounts/get",
        headers: { ...bearer(of), ...json },
        body: JSON.stringify({ context: accrual().context, member_id: "member-1", program_id: "demo-foodservice" })
      })
    expect((await ask(server.port, { path: "/openapi.json" })).status).toBe(503)
    large(90_000)
    expect((await read(token)).status).toBe(200)
    large(110_000)
    expect((await read(token)).status).toBe(503)
    expect((await post(server)).status).toBe(200)
  })
})

describe("a connection that keeps coming while too much is carried out", () => {
  it("is not read for a moment, and answered then", async () => {
    const server = await started({ bounds: { inFlight: 1 } })
    const [go, begun] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    server.handle = () => {
      Deferred.doneUnsafe(begun, Effect.void)
      return Effect.as(Deferred.await(go), answer())
    }
    const held = post(server)
    await Effect.runPromise(Deferred.await(begun))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { answers, socket } = await connect(server)
    for (const count of [1, 2]) {
      socket.write(head(body.length) + body)
      expect((await answers(count)).at(-1)?.status).toBe(503)
    }
    Deferred.doneUnsafe(go, Effect.void)
    expect((await held).status).toBe(200)
    socket.write(head(body.length) + body)
    await roundTrip(server)
    expect(await answers(2)).toHaveLength(2)
    vi.advanceTimersByTime(shedPauseMs)
    expect((await answers(3)).at(-1)?.status).toBe(200)
    socket.destroy()
  })
})
