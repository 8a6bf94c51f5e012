/** contract/transport.md *Pages of other origins*, and the gate's checks of contract/operators.md *Assistants*. */
import { afterEach, assert, describe, it } from "vitest"
import * as Server from "./TestServer.ts"

const { accrual, ask, bearer, json, start, token } = Server
const origin = "https://order.example.com"
const path = "/proto/v1/accruals"

let stop: () => Promise<void> = async () => undefined
afterEach(() => stop())

const started = async (options: Server.StartOptions) => {
  const server = await start(options)
  stop = server.stop
  return server
}

const corsOf = ({ headers }: Server.Response) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")))

const preflight = (port: number, at: string, from: string = origin) =>
  ask(port, {
    method: "OPTIONS",
    path: at,
    headers: {
      origin: from,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, x-request-id"
    }
  })

const post = (port: number, at: string, headers: Record<string, string>, body: object = accrual()) =>
  ask(port, {
    method: "POST",
    path: at,
    headers: { ...bearer(token), ...json, ...headers },
    body: JSON.stringify(body)
  })

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }

describe("a page of another origin", () => {
  it("that is named may ask, and read answers and refusals, without credentials of the browser", async () => {
    const { port } = await started({ corsOrigins: [origin] })
    for (const at of [path, "/mcp", "/admin/api/v1/members/demo/m-1/ledger"]) {
      const { headers, status } = await preflight(port, at)
      assert.strictEqual(status, 204, at)
      assert.strictEqual(headers["access-control-allow-origin"], origin)
      assert.strictEqual(headers["access-control-allow-methods"], at === path || at === "/mcp" ? "POST" : "GET, HEAD")
      assert.strictEqual(headers["access-control-allow-headers"], "Authorization, *")
      assert.notProperty(headers, "access-control-allow-credentials")
    }
    const answered = await post(port, path, { origin })
    assert.strictEqual(answered.status, 200)
    const refused = await post(port, path, { origin, authorization: "Bearer unknown" })
    assert.strictEqual(refused.status, 401)
    const exposed = "Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, traceparent"
    for (const response of [answered, refused, await post(port, "/nowhere", { origin })])
      assert.deepStrictEqual(corsOf(response), {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposed
      })
    assert.strictEqual((await preflight(port, "/nowhere")).status, 404)
    assert.strictEqual((await post(port, "/mcp", { origin }, list)).status, 200)
  })

  it("that is not named, exactly, may not; and no page may by default", async () => {
    const named = await started({ corsOrigins: [origin] })
    for (const other of ["http://order.example.com", `${origin}:8443`, "https://evil.example", "null", "*"]) {
      const refused = await preflight(named.port, path, other)
      assert.strictEqual(refused.status, 405, other)
      assert.deepStrictEqual(corsOf(refused), {}, other)
      assert.deepStrictEqual(corsOf(await post(named.port, path, { origin: other })), {}, other)
      assert.strictEqual((await post(named.port, "/mcp", { origin: other }, list)).status, 403, other)
    }
    await stop()
    const { port } = await started({})
    assert.strictEqual((await preflight(port, path)).status, 405)
    assert.deepStrictEqual(corsOf(await post(port, path, { origin })), {})
  })

  it("gets 405 for OPTIONS that are no preflight", async () => {
    const { port } = await started({ corsOrigins: [origin] })
    assert.strictEqual((await ask(port, { method: "OPTIONS", path, headers: { origin } })).status, 405)
  })
})

describe("requests of assistants", () => {
  it("count in the platform's budget of their token", async () => {
    const { port } = await started({ rateLimit: 2 })
    const statuses = []
    for (let time = 0; time < 3; time++) statuses.push((await post(port, "/mcp", {}, list)).status)
    assert.deepStrictEqual(statuses, [200, 200, 429])
    const refused = await post(port, "/mcp", {}, list)
    assert.property(refused.headers, "retry-after")
    assert.include(refused.body, '"code":"rate_limited"')
    assert.strictEqual((await post(port, path, {})).status, 200)
  })

  it("are refused by a node that leaves, as every other", async () => {
    const server = await started({})
    server.standing = { role: "leaving", isCurrent: false }
    const refused = await post(server.port, "/mcp", {}, list)
    assert.strictEqual(refused.status, 503)
    assert.include(refused.body, '"code":"not_active"')
    assert.strictEqual(refused.headers["connection"], "close")
  })
})
