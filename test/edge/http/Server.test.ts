/**
 * Public routes, the operators' switch, and how the server stops. Holds contract/operations.md *Discovery and health*.
 */
import { Deferred, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { hash } from "node:crypto"
import * as net from "node:net"
import { deliveredTypes } from "../../../src/contract/platform/EventTypes.ts"
import { operationIds } from "../../../src/contract/protocol/Operations.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import * as Problems from "../../../src/desk/surface/Problems.ts"
import { lingerMs, stoppingBodyMs } from "../../../src/edge/http/Bounds.ts"
import type { TestServer } from "./TestServer.ts"
import { accrual, adminKey, answer, ask, bearer, json, readToken, start, token } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await start()
})
afterAll(() => server.stop())

const get = (path: string, headers = {}) => ask(server.port, { path, headers })

describe("routes that are no operations", () => {
  it("discovery is exactly this", async () => {
    const { body, headers, status } = await get("/.well-known/proto")
    expect([status, headers["content-type"]]).toEqual([200, "application/json"])
    expect(JSON.parse(body)).toEqual({
      protocol: "PROTO",
      protocol_version: "1.0",
      profiles: ["foodservice/1.0"],
      endpoints: { api: "/proto/v1", capabilities: "/proto/v1/capabilities", health: "/health" },
      authentication: ["bearer"]
    })
  })

  it("health is exactly four fields, and ready answers as long as the journal does", async () => {
    const { body } = await get("/health")
    expect(JSON.parse(body)).toEqual({
      status: "ok",
      protocol_version: "1.0",
      profile: "foodservice/1.0",
      write_frozen: false
    })
    expect((await get("/health/ready")).status).toBe(200)
  })

  it("ready is 503 storage_unavailable while the journal does not answer", async () => {
    server.ping = Effect.fail(new JournalUnavailable({ cause: "gone" }))
    const { body, headers, status } = await get("/health/ready")
    expect([status, JSON.parse(body).code]).toEqual([503, "storage_unavailable"])
    expect(Number(headers["retry-after"])).toBeGreaterThan(0)
    expect((await get("/health")).status).toBe(200)
    server.ping = Effect.void
    expect((await get("/health/ready")).status).toBe(200)
  })

  it("the root leads to the description", async () => {
    const { headers, status } = await get("/")
    expect([status, headers["location"]]).toEqual([302, "/docs"])
  })

  it("a code of 5xx leads to its page of the runbook", async () => {
    const { headers, status } = await get("/docs/runbook/storage_unavailable")
    expect([status, headers["location"]]).toEqual([308, "/docs/runbook/storage-unavailable"])
    expect((await get("/docs/runbook/storage-unavailable")).status).toBe(200)
  })

  it("large public files are sent compressed, and not again to a caller that has them", async () => {
    for (const path of ["/docs", "/openapi.json"]) {
      const plain = await get(path)
      const compressed = await get(path, { "accept-encoding": "gzip" })
      expect(compressed.headers["content-encoding"]).toBe("gzip")
      expect(Number(compressed.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 2)
      const again = await get(path, { "if-none-match": plain.headers["etag"] ?? "" })
      expect([again.status, again.body, again.headers["etag"]]).toEqual([304, "", plain.headers["etag"]])
    }
  })

  it("capabilities need a token that may read, and are exactly these", async () => {
    expect((await get("/proto/v1/capabilities")).status).toBe(401)
    const { body, status } = await get("/proto/v1/capabilities", bearer(readToken))
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual({
      protocol_version: "1.0",
      profiles: ["foodservice/1.0"],
      operations: operationIds,
      reward_effects: ["discount", "free_item", "custom"],
      event_types: deliveredTypes,
      limits: { max_body_bytes: 1_048_576, max_idempotency_key_length: 255, reservation_ttl_seconds: 120 }
    })
  })

  it("every problem code has a page at its type, for people", async () => {
    for (const code of Problems.problemCodes) {
      const { body, headers, status } = await get(Problems.pathOf(code))
      expect([code, status, headers["content-type"]]).toEqual([code, 200, "text/html; charset=utf-8"])
      expect(body).toContain(code)
      expect(body).toContain(Problems.problems[code].advice)
      expect(body).not.toMatch(/(?:src|href)="(?!\/|data:)/)
    }
  })

  it("the description is OpenAPI 3.1", async () => {
    const { body, headers } = await get("/openapi.json")
    expect(headers["content-type"]).toBe("application/json")
    expect(JSON.parse(body).openapi).toMatch(/^3\.1\./)
  })

  it("the rendered description needs no outside address, and its policy forbids any", async () => {
    const { body, headers, status } = await get("/docs")
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const markup = body.replaceAll(/<script>[\s\S]*?<\/script>/g, "")
    expect(markup).not.toMatch(/https?:|\/\/[a-z]|<link|<script|<iframe|@import/i)
    // The document that the page reads, of the same service.
    expect(body).toContain('url: "/openapi.json"')
    expect((await get("/openapi.json")).body).toContain('"/proto/v1/accruals"')
    const rules = (headers["content-security-policy"] ?? "").split("; ").map((rule) => rule.split(" "))
    expect(rules).toContainEqual(["default-src", "'none'"])
    for (const source of rules.flatMap(([name, ...sources]) => (name === "style-src" ? [] : sources))) {
      expect(source).toMatch(/^(?:'(?:none|self|sha256-[\w+/=]+)'|data:|blob:)$/)
    }
    const scripts = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script)
    const hashes = scripts.map((script) => `'sha256-${hash("sha256", script, "base64")}'`)
    expect(rules).toContainEqual(["script-src", ...hashes])
  })
})

describe("maintenance", () => {
  const path = "/admin/api/v1/maintenance"
  const move = (body: string, headers: object = { ...bearer(adminKey), ...json }) =>
    ask(server.port, { method: "POST", path, body, headers: { ...headers } })

  it("takes the admin key, and no token without the operators' scopes", async () => {
    const { body: refused, status: forbidden } = await get(path, bearer(token))
    expect([forbidden, JSON.parse(refused).code]).toEqual([403, "forbidden"])
    for (const headers of [{}, bearer("nobody"), bearer("")]) {
      const { body, headers: got, status } = await get(path, headers)
      expect([status, JSON.parse(body).code, got["www-authenticate"]]).toEqual([401, "unauthorized", "Bearer"])
    }
    expect((await move("{}", json)).status).toBe(401)
    const accrued = await ask(server.port, {
      method: "POST",
      path: "/proto/v1/accruals",
      headers: { ...bearer(adminKey), ...json },
      body: JSON.stringify(accrual())
    })
    expect(accrued.status).toBe(401)
  })

  it("moves the switch, which health and writes follow", async () => {
    for (const write_frozen of [true, false]) {
      const moved = await move(JSON.stringify({ write_frozen }))
      expect([moved.status, JSON.parse(moved.body)]).toEqual([200, { write_frozen }])
      expect(JSON.parse((await get(path, bearer(adminKey))).body)).toEqual({ write_frozen })
      expect(JSON.parse((await get("/health")).body).write_frozen).toBe(write_frozen)
    }
  })

  it("takes exactly its one property", async () => {
    const errorsOf = async (body: string) => {
      const response = await move(body)
      expect(response.status).toBe(422)
      return JSON.parse(response.body).errors.map((error: { path: string }) => error.path)
    }
    expect(await errorsOf("{}")).toEqual(["/write_frozen"])
    expect(await errorsOf('{"write_frozen":"true"}')).toEqual(["/write_frozen"])
    expect(await errorsOf('{"write_frozen":true,"why":"x"}')).toEqual(["/why"])
    expect((await move("true")).status).toBe(400)
    expect((await move("{}", { ...bearer(adminKey), "content-type": "text/plain" })).status).toBe(415)
    expect(JSON.parse((await get("/health")).body).write_frozen).toBe(false)
  })

  it("starts frozen if configured so, and can be unfrozen", async () => {
    const frozen = await start({ frozen: true })
    const state = async () => JSON.parse((await ask(frozen.port, { path: "/health" })).body).write_frozen
    expect(await state()).toBe(true)
    await ask(frozen.port, {
      method: "POST",
      path,
      headers: { ...bearer(adminKey), ...json },
      body: '{"write_frozen":false}'
    })
    expect(await state()).toBe(false)
    await frozen.stop()
  })
})

/** Work that the server begins from now on ends when the server is let go. */
const heldBack = (of: TestServer) => {
  const begun = Deferred.makeUnsafe<void>()
  const go = Deferred.makeUnsafe<void>()
  of.handle = () =>
    Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(answer({}, true)))
  return { begun, go }
}

const idleConnection = async ({ port }: TestServer) => {
  const idle = net.connect(port, "127.0.0.1")
  await new Promise((resolve) => idle.once("connect", resolve))
  return { closed: new Promise((resolve) => idle.once("close", resolve)) }
}

describe("stopping", () => {
  it("finishes what is under way, says that the connection ends, and drops connections without a request", async () => {
    const stopping = await start()
    const { begun, go } = heldBack(stopping)
    const dropped = await idleConnection(stopping)
    const response = ask(stopping.port, {
      method: "POST",
      path: "/proto/v1/accruals",
      headers: { ...bearer(token), ...json, connection: "keep-alive" },
      body: JSON.stringify(accrual())
    })
    await Effect.runPromise(Deferred.await(begun))
    const stopped = stopping.stop()
    await dropped.closed
    await expect(ask(stopping.port, { path: "/health" })).rejects.toThrow("ECONNREFUSED")
    await Effect.runPromise(Deferred.succeed(go, undefined))
    const { headers, status } = await response
    expect([status, headers["connection"]]).toEqual([201, "close"])
    await stopped
  })

  it("waits two seconds at the most for the rest of a body", async () => {
    const stopping = await start()
    const socket = net.connect(stopping.port, "127.0.0.1")
    const head = [`POST /proto/v1/accruals HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`]
    const chunks: Array<Buffer> = []
    const closed = new Promise<string>((resolve) => {
      socket.on("data", (chunk) => chunks.push(chunk))
      socket.on("close", () => resolve(Buffer.concat(chunks).toString()))
    })
    socket.write([...head, "Content-Type: application/json", "Content-Length: 500", "", "{"].join("\r\n"))
    // By then the server has read what was written before.
    await ask(stopping.port, { path: "/health" })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const stopped = stopping.stop()
    await ask(stopping.port, { path: "/health" }).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(stoppingBodyMs + lingerMs)
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    vi.useRealTimers()
    await stopped
  })
})
