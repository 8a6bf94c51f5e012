/** contract/operators.md *Faults*: what requests of a sandbox meet, and who may say so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BlockList } from "node:net"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { StartOptions, TestServer } from "../../edge/http/TestServer.ts"
import { accrual, adminKey, answer, ask, bearer, json, raw, start, token } from "../../edge/http/TestServer.ts"

const path = "/admin/api/v1/sandbox/faults"
const accruals = "/proto/v1/accruals"

interface Sandbox extends TestServer {
  /** How many requests were carried out. */
  readonly calls: () => number
}

const onSandbox =
  (use: (sandbox: Sandbox) => Promise<void>, options: StartOptions = { isSandbox: true }) =>
  async () => {
    const server = await start(options)
    let calls = 0
    server.handle = () => Effect.sync(() => answer({ call: ++calls }, true))
    try {
      await use(Object.assign(server, { calls: () => calls }))
    } finally {
      await server.stop()
    }
  }

const set = async ({ port }: TestServer, rules: ReadonlyArray<object>, more: object = {}, headers: object = {}) => {
  const { body, status } = await ask(port, {
    method: "PUT",
    path,
    headers: { ...bearer(adminKey), ...json, ...headers },
    body: JSON.stringify({ rules, ...more })
  })
  return {
    status,
    body: JSON.parse(body) as { code?: string; detail: string; rules: Array<{ applied: number }>; seed: number }
  }
}

const show = async ({ port }: TestServer) => JSON.parse((await ask(port, { path, headers: bearer(adminKey) })).body)

/** Status and headers, or that the connection was lost. */
const send = ({ port }: TestServer, to = accruals, body: string = JSON.stringify(accrual())) =>
  ask(port, { method: "POST", path: to, headers: { ...bearer(token), ...json }, body }).then(
    ({ body: text, headers, status }) => ({ status, headers, body: text }),
    () => "lost" as const
  )

const outcomes = async (sandbox: TestServer, count: number) => {
  const all: Array<number | "lost"> = []
  for (let at = 0; at < count; at++) {
    const sent = await send(sandbox)
    all.push(sent === "lost" ? sent : sent.status)
  }
  return all
}

describe("faults of a sandbox", () => {
  it(
    "lose the next requests before anything is done",
    onSandbox(async (sandbox) => {
      assert.strictEqual((await set(sandbox, [{ fault: "drop_request", next: 2 }])).status, 200)
      assert.deepStrictEqual(await outcomes(sandbox, 3), ["lost", "lost", 201])
      assert.strictEqual(sandbox.calls(), 1)
      assert.strictEqual((await show(sandbox)).rules[0].applied, 2)
    })
  )

  it(
    "lose an answer once the request is carried out",
    onSandbox(async (sandbox) => {
      await set(sandbox, [{ fault: "drop_answer", next: 1 }])
      assert.deepStrictEqual(await outcomes(sandbox, 2), ["lost", 201])
      assert.strictEqual(sandbox.calls(), 2)
    })
  )

  it(
    "answer 503 with Retry-After, before any check",
    onSandbox(async (sandbox) => {
      await set(sandbox, [{ fault: "answer_503", next: 2, retry_after_seconds: 9 }])
      const sent = await send(sandbox, accruals, "no JSON")
      assert.isObject(sent)
      assert.deepInclude(sent, { status: 503 })
      assert.include(sent === "lost" ? "" : sent.body, '"code":"overloaded"')
      assert.strictEqual(sent === "lost" ? "" : sent.headers["retry-after"], "9")
      await set(sandbox, [{ fault: "answer_503", next: 1 }])
      const usual = await send(sandbox)
      assert.strictEqual(usual === "lost" ? "" : usual.headers["retry-after"], "1")
      assert.strictEqual(sandbox.calls(), 0)
    })
  )

  it(
    "carry a request out twice, and late",
    onSandbox(async (sandbox) => {
      await set(sandbox, [
        { fault: "duplicate", next: 1 },
        { fault: "delay", next: 1, delay_ms: 1 }
      ])
      const twice = await send(sandbox)
      assert.include(twice === "lost" ? "" : twice.body, '"call":2')
      assert.deepStrictEqual(await outcomes(sandbox, 1), [201])
      assert.strictEqual(sandbox.calls(), 3)
      assert.deepStrictEqual(
        (await show(sandbox)).rules.map(({ applied }: { applied: number }) => applied),
        [1, 1]
      )
    })
  )

  it(
    "keep to method and path, and end with an empty list",
    onSandbox(async (sandbox) => {
      await set(sandbox, [{ fault: "drop_request", next: 9, method: "POST", path: accruals }])
      const capabilities = () => ask(sandbox.port, { path: "/proto/v1/capabilities", headers: bearer(token) })
      assert.strictEqual((await capabilities()).status, 200)
      assert.strictEqual((await ask(sandbox.port, { path: "/health" })).status, 200)
      assert.deepStrictEqual(await outcomes(sandbox, 1), ["lost"])
      assert.deepStrictEqual((await set(sandbox, [])).body.rules, [])
      assert.deepStrictEqual(await outcomes(sandbox, 1), [201])
    })
  )

  it(
    "hit the same requests with the same seed",
    onSandbox(async (sandbox) => {
      const runs: Array<string> = []
      for (const seed of [5, 5, 6]) {
        assert.strictEqual((await set(sandbox, [{ fault: "answer_503", rate_bps: 3_000 }], { seed })).body.seed, seed)
        runs.push((await outcomes(sandbox, 40)).join())
      }
      assert.strictEqual(runs[0], runs[1])
      assert.notStrictEqual(runs[0], runs[2])
    })
  )

  it(
    "leave pipelined answers before them in order",
    onSandbox(async (sandbox) => {
      await set(sandbox, [{ fault: "drop_answer", next: 1, path: accruals }])
      const head = (method: string, to: string, length: number) =>
        `${method} ${to} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
      const body = JSON.stringify(accrual())
      const answers = await raw(
        sandbox.port,
        `${head("POST", accruals, body.length)}${body}${head("GET", "/health", 0)}`
      ).catch(() => [])
      assert.deepStrictEqual(answers, [])
      assert.strictEqual(sandbox.calls(), 1)
    })
  )

  it(
    "are refused where they make no sense",
    onSandbox(async (sandbox) => {
      for (const [rule, message] of [
        [{ fault: "delay", next: 1 }, "delay_ms"],
        [{ fault: "duplicate", next: 1, delay_ms: 5 }, "delay_ms"],
        [{ fault: "duplicate" }, "exactly one"],
        [{ fault: "duplicate", next: 1, rate_bps: 5 }, "exactly one"],
        [{ fault: "duplicate", next: 1, retry_after_seconds: 5 }, "retry_after_seconds"],
        [{ fault: "duplicate", next: 1, path: "/admin/api/v1/clock" }, "/proto/v1"],
        [{ fault: "explode", next: 1 }, "fault"],
        [{ fault: "duplicate", next: 0 }, "next"]
      ] as const) {
        const { body, status } = await set(sandbox, [rule])
        assert.strictEqual(status, 422, message)
        assert.include(JSON.stringify(body), message)
      }
      assert.strictEqual((await set(sandbox, Array(21).fill({ fault: "duplicate", next: 1 }))).status, 422)
      assert.deepStrictEqual(await show(sandbox), { rules: [], seed: 0 })
    })
  )

  it(
    "belong to no live service",
    onSandbox(async (live) => {
      const { body, status } = await set(live, [{ fault: "drop_request", next: 1 }])
      assert.deepInclude({ status, code: body.code }, { status: 404, code: "not_found" })
      assert.match(body.detail, /real clock/)
      assert.strictEqual((await show(live)).code, "not_found")
      assert.deepStrictEqual(await outcomes(live, 1), [201])
    }, {})
  )

  it("are for callers on the service's own machine, with the scope", async () => {
    const trustedProxies = new BlockList()
    trustedProxies.addAddress("127.0.0.1")
    await onSandbox(
      async (sandbox) => {
        const rules = [{ fault: "drop_request", next: 1 }]
        const elsewhere = await set(sandbox, rules, {}, { "x-forwarded-for": "203.0.113.7" })
        assert.strictEqual(elsewhere.status, 404)
        assert.match(elsewhere.body.detail, /own machine/)
        assert.strictEqual((await set(sandbox, rules, {}, bearer(token))).status, 403)
        assert.strictEqual((await set(sandbox, rules, {}, { "x-forwarded-for": "::1" })).status, 200)
      },
      { isSandbox: true, trustedProxies }
    )()
  })

  it("end with a reset, and work on a service in memory", async () => {
    const service = await Testing.serve()
    const send = async (method: string, body?: object) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { authorization: `Bearer ${service.adminKey}`, ...json },
        ...(body === undefined ? undefined : { body: JSON.stringify(body) })
      })
      return (await response.json()) as { rules: ReadonlyArray<object>; seed: number }
    }
    const rule = { fault: "drop_request", next: 1 }
    assert.deepEqual(await send("PUT", { rules: [rule], seed: 3 }), { rules: [{ ...rule, applied: 0 }], seed: 3 })
    assert.lengthOf((await send("GET")).rules, 1)
    await service.reset()
    assert.lengthOf((await send("GET")).rules, 0)
    await service.stop()
  })
})
