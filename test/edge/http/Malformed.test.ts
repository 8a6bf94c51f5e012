/**
 * contract/transport.md *Problems*: every error is a problem document, also where there is no request yet. Raw bytes on
 * raw connections.
 */
import { Deferred, Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Problems from "../../../src/desk/surface/Problems.ts"
import * as Bounds from "../../../src/edge/http/Bounds.ts"
import type { Response, TestServer } from "./TestServer.ts"
import { accrual, answer, ask, bearer, raw, start, token } from "./TestServer.ts"

const path = "/proto/v1/accruals"
let server: TestServer

beforeAll(async () => {
  server = await start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.handle = () => Effect.succeed(answer())
})

const body = JSON.stringify(accrual())
const head = (lines: ReadonlyArray<string>, first = `POST ${path} HTTP/1.1`) =>
  [first, "Host: lotbook", `Authorization: Bearer ${token}`, "Content-Type: application/json", ...lines, "", ""].join(
    "\r\n"
  )
const whole = (lines: ReadonlyArray<string> = []) => `${head([`Content-Length: ${body.length}`, ...lines])}${body}`
const last = "Connection: close"

const expectProblem = (response: Response | undefined, code: Problems.ProblemCode, instance = path) => {
  const { status, title } = Problems.problems[code]
  expect(response?.status).toBe(status)
  expect(response?.headers["content-type"]).toBe("application/problem+json")
  expect(JSON.parse(response?.body ?? "")).toEqual({
    type: Problems.pathOf(code),
    title,
    status,
    detail: expect.any(String),
    instance,
    code
  })
  expect(response?.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" })
  expect(response?.headers["x-request-id"]).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/)
}

describe("bodies that do not arrive as announced", () => {
  it("cut off half way: 400 invalid_json, with the request's own id", async () => {
    const cut = head([`Content-Length: ${body.length}`, "X-Request-Id: till-1"]) + body.slice(0, 40)
    const [response, ...others] = await raw(server.port, cut, { halfClose: true })
    expectProblem(response, "invalid_json")
    expect(response?.headers["x-request-id"]).toBe("till-1")
    expect(response?.headers["connection"]).toBe("close")
    expect(others).toEqual([])
  })

  it("none of it: 400 invalid_json", async () => {
    expectProblem((await raw(server.port, head(["Content-Length: 5"]), { halfClose: true }))[0], "invalid_json")
    expectProblem((await raw(server.port, head([last])))[0], "invalid_json")
  })

  it("a Content-Length too small: 400 invalid_json, and the rest is no second request", async () => {
    const responses = await raw(server.port, `${head(["Content-Length: 40"])}${body}`)
    expectProblem(responses[0], "invalid_json")
    expectProblem(responses[1], "malformed_request", "/")
    expect(responses).toHaveLength(2)
  })

  it("broken chunks: 400 invalid_json", async () => {
    const chunked = head(["Transfer-Encoding: chunked"])
    expectProblem((await raw(server.port, `${chunked}zz\r\n{}\r\n0\r\n\r\n`))[0], "invalid_json")
    expectProblem((await raw(server.port, `${chunked}2\r\n{}`, { halfClose: true }))[0], "invalid_json")
  })

  it("a fault in the body comes after the checks that need no body", async () => {
    const cut = head(["Content-Length: 500"]).replace(token, "nobody")
    const [response] = await raw(server.port, `${cut}{`, { halfClose: true })
    expectProblem(response, "unauthorized")
  })

  it("a body far over the bound is refused before it is sent", async () => {
    const [response] = await raw(server.port, head(["Content-Length: 1000000000"]))
    expectProblem(response, "payload_too_large")
    expect(response?.headers["connection"]).toBe("close")
  })

  it("Expect: 100-continue is answered once the other checks have passed", async () => {
    const { connect } = await import("node:net")
    const replies = await new Promise<string>((resolve, reject) => {
      let text = ""
      const socket = connect(server.port, "127.0.0.1", () =>
        socket.write(head([`Content-Length: ${body.length}`, "Expect: 100-continue", last]))
      )
      socket.on("data", (chunk) => {
        if (text === "") socket.write(body)
        text += chunk.toString()
      })
      socket.on("end", () => resolve(text)).on("error", reject)
    })
    expect(replies).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    const refused = head(["Content-Length: 500", "Expect: 100-continue"]).replace(token, "nobody")
    const responses = await raw(server.port, refused)
    expectProblem(responses[0], "unauthorized")
    expect(responses).toHaveLength(1)
  })
})

describe("what is no HTTP", () => {
  const malformed = {
    "no HTTP at all": "hello\r\n\r\n",
    "a TLS greeting": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
    "no target": "GET\r\n\r\n",
    "another version": "GET /health HTTP/7.3\r\nHost: x\r\n\r\n",
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a header without a colon": "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "a header name with a space": "GET / HTTP/1.1\r\nHost : x\r\n\r\n"
  }
  for (const [name, bytes] of Object.entries(malformed)) {
    it(`${name}: 400 malformed_request`, async () => {
      const responses = await raw(server.port, Buffer.from(bytes, "latin1"), { halfClose: true })
      expect(responses).toHaveLength(1)
      expect(responses[0]?.headers["connection"]).toBe("close")
      const [, instance = "/"] = /^GET (\/\S*) HTTP\/1\.1/.exec(bytes) ?? []
      expectProblem(responses[0], "malformed_request", instance)
    })
  }

  const framing = {
    "two different Content-Lengths": [`Content-Length: ${body.length}`, "Content-Length: 2"],
    "the same Content-Length twice": [`Content-Length: ${body.length}`, `Content-Length: ${body.length}`],
    "a Content-Length that is no number": ["Content-Length: 0x40"],
    "a negative Content-Length": ["Content-Length: -1"],
    "Content-Length beside chunks": [`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"],
    "chunks under another coding": ["Transfer-Encoding: chunked, gzip"]
  }
  for (const [name, lines] of Object.entries(framing)) {
    it(`${name}: 400 malformed_request, and nothing is done`, async () => {
      let handled = 0
      server.handle = () =>
        Effect.sync(() => {
          handled++
          return answer()
        })
      const responses = await raw(server.port, `${head(lines)}${body}`, { halfClose: true })
      expect(responses).toHaveLength(1)
      expectProblem(responses[0], "malformed_request")
      expect(handled).toBe(0)
    })
  }

  it("another transfer coding than chunks: 415", async () => {
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const [response] = await raw(server.port, head(["Transfer-Encoding: gzip, chunked", last]) + chunks)
    expectProblem(response, "unsupported_media_type")
    const [unframed] = await raw(server.port, head(["Transfer-Encoding: squeezed", last]))
    expectProblem(unframed, "unsupported_media_type")
  })

  it("no Host in HTTP/1.1: 400; HTTP/1.0 needs none", async () => {
    expectProblem(
      (await raw(server.port, `GET /health HTTP/1.1\r\n${last}\r\n\r\n`))[0],
      "malformed_request",
      "/health"
    )
    expect((await raw(server.port, "GET /health HTTP/1.0\r\n\r\n"))[0]?.status).toBe(200)
  })

  it("another version of HTTP, and chunks in HTTP/1.0: 400", async () => {
    for (const bytes of [
      "GET /health HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET /health\r\n\r\n",
      "GET /health HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ]) {
      const [response, ...others] = await raw(server.port, bytes)
      expectProblem(response, "malformed_request", "/health")
      expect(others).toEqual([])
    }
  })

  it("two Host headers: 400, even the same", async () => {
    for (const host of ["lotbook", "other"]) {
      expectProblem((await raw(server.port, whole([`Host: ${host}`, last])))[0], "malformed_request")
    }
  })

  it("headers over the bound: 431", async () => {
    expectProblem((await raw(server.port, head([`X-Long: ${"x".repeat(20_000)}`])))[0], "headers_too_large")
  })

  it("a method that HTTP does not know: 405 where there is such a path, else 404", async () => {
    const [known] = await raw(server.port, `BREW ${path}?x=1 HTTP/1.1\r\nHost: x\r\n\r\n`)
    expectProblem(known, "method_not_allowed")
    expect(known?.headers["allow"]).toBe("POST")
    expectProblem((await raw(server.port, "BREW /coffee HTTP/1.1\r\nHost: x\r\n\r\n"))[0], "not_found", "/coffee")
  })

  it("a tunnel is refused, and an upgrade is a request like any other", async () => {
    expectProblem(
      (await raw(server.port, "CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n"))[0],
      "not_found",
      "db:5432"
    )
    const upgrade =
      "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    expect((await raw(server.port, upgrade))[0]?.status).toBe(200)
  })

  it("an unknown expectation: 417", async () => {
    expectProblem((await raw(server.port, whole(["Expect: a-miracle"])))[0], "expectation_failed")
  })

  it("a duplicate Authorization: 401, even the same", async () => {
    expectProblem((await raw(server.port, whole([`authorization: Bearer ${token}`, last])))[0], "unauthorized")
  })
})

describe("requests that are no HTTP", () => {
  const counts = async (): Promise<ReadonlyMap<string, number>> => {
    const { body: text } = await ask(server.port, { path: "/metrics", headers: bearer(token) })
    const lines = text.matchAll(
      /^lotbook_http_request_duration_seconds_count\{operation="none",status="(\d+)",.*\} (\d+)$/gm
    )
    return new Map([...lines].map(([, status = "", count]) => [status, Number(count)]))
  }

  it("are counted as all others are", async () => {
    const before = await counts()
    await raw(server.port, "no HTTP\r\n\r\n")
    await raw(server.port, `GET /health HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`)
    await raw(server.port, `BREW ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await raw(server.port, "CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n")
    const after = await counts()
    for (const status of ["400", "431", "405", "404"])
      expect([status, after.get(status)]).toEqual([status, (before.get(status) ?? 0) + 1])
  })
})

describe("answers keep their order", () => {
  it("garbage behind a request does not overtake that request's answer", async () => {
    const begun = Deferred.makeUnsafe<void>()
    const go = Deferred.makeUnsafe<void>()
    server.handle = () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(go)),
        Effect.as(answer({ done: true }, true))
      )
    const answers = raw(server.port, `${whole()}this is no HTTP\r\n\r\n`)
    await Effect.runPromise(Deferred.await(begun))
    await Effect.runPromise(Deferred.succeed(go, undefined))
    const [first, second, ...others] = await answers
    expect(first?.status).toBe(201)
    expectProblem(second, "malformed_request", "/")
    expect(others).toEqual([])
  })

  it("pipelined requests are answered in turn, the last one's cut-off body too", async () => {
    const cut = `${head(["Content-Length: 500"])}{`
    const statuses = (await raw(server.port, whole() + whole() + cut, { halfClose: true })).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 400])
  })

  it("a connection with too many unanswered requests is closed, and the others go on", async () => {
    const few = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(Bounds.pipelined)
    const finish = `GET /health HTTP/1.1\r\nHost: x\r\n${last}\r\n\r\n`
    expect(await raw(server.port, few.repeat(10) + finish)).toEqual([])
    expect(await raw(server.port, few.slice(0, few.length / 2) + finish)).toHaveLength(Bounds.pipelined / 2 + 1)
  })

  it("a refused body leaves the connection to the next request", async () => {
    const wrong = whole().replace("application/json", "text/plain")
    const statuses = (await raw(server.port, wrong + whole([last]))).map(({ status }) => status)
    expect(statuses).toEqual([415, 200])
  })
})
