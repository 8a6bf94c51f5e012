/** Requests of the client: what is sent, how answers and faults become values and errors, and what is sent again. */
import type { ClientOptions, Request, RetryInfo } from "lotbook/client"
import { createClient, LotbookError, ProblemError } from "lotbook/client"
import { assert, describe, it } from "vitest"
import * as net from "node:net"

const url = "http://service.test/loyalty/"
const secret = "secret-token-of-the-till"

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}
type Step = Response | Error | "silence"

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": status < 400 ? "application/json" : "application/problem+json", ...headers }
  })
const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(
    status,
    { type: `/problems/${code}`, title: code, status, detail: `It is ${code}.`, instance: "/", code },
    headers
  )
const broken = new TypeError("fetch failed")

/** A service that answers by a list, one after the other. Time passes in waits alone. */
const scripted = (steps: ReadonlyArray<Step>, options: Partial<ClientOptions> = {}) => {
  const sent: Array<Sent> = []
  const waits: Array<number> = []
  let nowMs = 0
  const client = createClient({
    url,
    token: secret,
    fetch: async (to, { body, headers, method, signal }) => {
      const step = steps[sent.length]
      sent.push({ url: to, method: method ?? "", headers: headers as Headers, body: body as unknown })
      assert(step !== undefined, "no further request was expected")
      if (step instanceof Error) throw step
      if (step !== "silence") return step
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
    },
    now: () => nowMs,
    random: () => 0.5,
    wait: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
    ...options
  })
  return { client, sent, waits }
}

const read: Request = { method: "GET", path: "/platform/v1/segments", query: { program_id: "a b", cursor: undefined } }
const write: Request = {
  method: "POST",
  path: "/proto/v1/accruals",
  body: { context: { idempotency_key: "key-0001" } }
}
const keyless: Request = { method: "POST", path: "/admin/api/v1/tokens", body: { name: "till" } }

const failureOf = async (promise: Promise<unknown>): Promise<LotbookError> => {
  const error: unknown = await promise.then(
    () => assert.fail("it did not fail"),
    (cause: unknown) => cause
  )
  assert(error instanceof LotbookError, String(error))
  return error
}

describe("a request", () => {
  it("goes to the path below the service's address, with query, token and a request id", async () => {
    const { client, sent } = scripted([json(200, { segments: [] }, { "x-request-id": "of-the-service" })])
    const answer = await client.request<{ segments: ReadonlyArray<string> }>({ ...read, traceparent: "00-a-b-01" })
    assert.deepStrictEqual(answer.body, { segments: [] })
    assert.strictEqual(answer.requestId, "of-the-service")
    assert.strictEqual(sent[0]?.url, "http://service.test/loyalty/platform/v1/segments?program_id=a+b")
    assert.strictEqual(sent[0]?.headers.get("authorization"), `Bearer ${secret}`)
    assert.match(sent[0]?.headers.get("x-request-id") ?? "", /^[0-9a-f]{32}$/)
    assert.strictEqual(sent[0]?.headers.get("traceparent"), "00-a-b-01")
    assert.isFalse(sent[0]?.headers.has("content-type"))
  })

  it("sends JSON, and the key of a write in a header", async () => {
    const { client, sent } = scripted([json(201, { token_id: "t" }, { "idempotent-replayed": "true" })])
    const answer = await client.request({ ...keyless, idempotencyKey: "key-0002", requestId: "mine" })
    assert.isTrue(answer.isReplay)
    assert.strictEqual(sent[0]?.body, '{"name":"till"}')
    assert.strictEqual(sent[0]?.headers.get("content-type"), "application/json")
    assert.strictEqual(sent[0]?.headers.get("idempotency-key"), "key-0002")
    assert.strictEqual(sent[0]?.headers.get("x-request-id"), "mine")
  })

  it("takes text of another media type, if it was asked for", async () => {
    const csv = () => new Response("a,b\n", { headers: { "content-type": "text/csv; charset=utf-8" } })
    const { client } = scripted([csv(), csv()])
    assert.strictEqual((await client.request({ ...read, accept: "text/csv" })).body, "a,b\n")
    assert.strictEqual((await failureOf(client.request(read))).kind, "unreadable")
  })

  it("has no body after 204", async () => {
    const { client } = scripted([new Response(null, { status: 204 })])
    assert.isUndefined((await client.request(keyless)).body)
  })
})

describe("what a request fails with", () => {
  it("is a problem, by its code", async () => {
    const errors = [{ path: "/order", message: "is missing" }]
    const document = { type: "", title: "", status: 422, detail: "No order.", code: "validation_failed", errors }
    const { client } = scripted([json(422, document, { "x-request-id": "r-1" })])
    const error = await failureOf(client.request(write))
    assert(error instanceof ProblemError)
    assert.strictEqual(error.kind, "problem")
    assert.strictEqual(error.status, 422)
    assert.strictEqual(error.message, "POST /proto/v1/accruals: validation_failed: No order.")
    assert.strictEqual(error.requestId, "r-1")
    assert.isFalse(error.isTemporary)
    assert.deepStrictEqual(error.errors, errors)
    // The code tells the properties.
    if (error.problem.code === "validation_failed") assert.strictEqual(error.problem.errors[0]?.path, "/order")
    else assert.fail(error.problem.code)
  })

  it("is unreadable if a proxy, a sign-in page or half of a document answers", async () => {
    const html = { headers: { "content-type": "text/html" } }
    for (const [answer, sent] of [
      [new Response("<h1>Sign in</h1>", html), 1],
      [new Response("<h1>No such page</h1>", { ...html, status: 404 }), 1],
      [new Response("<h1>Bad gateway</h1>", { ...html, status: 502 }), 2],
      [new Response(null, { status: 302, headers: { location: "/login" } }), 1],
      [new Response('{"a":', { headers: { "content-type": "application/json" } }), 1]
    ] as const) {
      const scripts = scripted([answer.clone(), answer], { retries: 1 })
      const error = await failureOf(scripts.client.request(read))
      assert.strictEqual(error.kind, "unreadable", error.message)
      assert.match(error.message, /^GET \/platform\/v1\/segments: the answer is not the service's: /)
      assert.strictEqual(error.status, answer.status)
      // The service has not refused it.
      assert.isTrue(error.isTemporary)
      assert.strictEqual(scripts.sent.length, sent)
    }
  })

  it("is a time-out, for the body of an answer too", async () => {
    const hanging = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener("abort", reject))
    const { client } = scripted([], {
      retries: 0,
      timeoutMs: 1,
      fetch: async (_, { signal }) => ({ text: () => hanging(signal!) }) as unknown as Response
    })
    assert.strictEqual((await failureOf(client.request(read))).kind, "timeout")
  })

  it("is the caller's end, at once, while it is sent and while it waits", async () => {
    const before = new AbortController()
    before.abort(new Error("closed"))
    const unsent = scripted([])
    const early = await failureOf(unsent.client.request({ ...read, signal: before.signal }))
    assert.strictEqual(early.kind, "aborted")
    assert.strictEqual((early.cause as Error).message, "closed")

    const during = new AbortController()
    const sending = scripted(["silence"], { hooks: { onRequest: () => queueMicrotask(() => during.abort()) } })
    assert.strictEqual((await failureOf(sending.client.request({ ...read, signal: during.signal }))).kind, "aborted")
    assert.strictEqual(sending.sent.length, 1)

    const waiting = new AbortController()
    // It has the client's own `wait`.
    const client = createClient({
      url,
      fetch: () => Promise.reject(broken),
      hooks: { onRetry: () => queueMicrotask(() => waiting.abort()) }
    })
    const error = await failureOf(client.request({ ...read, signal: waiting.signal }))
    assert.strictEqual(error.kind, "aborted")
    assert.strictEqual(error.attempts, 1)
    assert.isFalse(error.isTemporary)
  })

  it("names the host that does not answer, and the place of what cannot be sent", async () => {
    const port = await new Promise<number>((resolve) => {
      const server = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as net.AddressInfo
        server.close(() => resolve(port))
      })
    })
    const client = createClient({ url: `http://127.0.0.1:${port}/below`, retries: 0 })
    const error = await failureOf(client.request(read))
    assert.strictEqual(error.kind, "network")
    assert.include(error.message, `(ECONNREFUSED, 127.0.0.1:${port})`)
    const body = { order: { lines: [{ metadata: { table: 4n } }] } }
    const refused = await client.request({ ...write, body }).catch(String)
    assert.include(refused, "/order/lines/0/metadata/table is a BigInt")
    assert.throws(() => createClient(undefined as never), /^url must be an address/)
  })

  it("has no secret in it, and hooks have none", async () => {
    const seen: Array<unknown> = []
    const hook = (info: unknown): void => {
      seen.push(info)
    }
    const { client } = scripted([broken, json(200, {}), problem(401, "unauthorized")], {
      hooks: { onRequest: hook, onAnswer: hook, onFault: hook, onRetry: hook }
    })
    const private_ = {
      ...write,
      query: { search: "ada@example.com" },
      body: { email: "ada@example.com" },
      isSafe: true
    }
    await client.request(private_)
    const error = await failureOf(client.request(private_))
    const shown = JSON.stringify([seen, error, error.message, error.stack])
    assert.isAbove(seen.length, 5)
    for (const hidden of [secret, "ada@example.com"]) assert.notInclude(shown, hidden)

    for (const wrong of ["two\nlines", "white space", "ünïcode"])
      assert.throws(() => createClient({ url, token: wrong }), /^token must be a text of visible ASCII characters/)
    assert.throws(
      () => createClient({ url: "https://ada:hidden@service.test" }),
      /^url must be an address.*without a user/
    )
    const header = scripted([])
    const refused = await header.client.request({ ...read, headers: { "x-own": "hid\nden" } }).catch(String)
    assert.strictEqual(refused, "TypeError: the header x-own has a value that HTTP cannot carry")
  })
})

describe("retries (docs/retries.md *What to retry, and when*)", () => {
  const temporary: ReadonlyArray<Step> = [
    broken,
    problem(408, "request_timeout"),
    problem(429, "rate_limited"),
    problem(500, "internal_error"),
    new Response("", { status: 502 }),
    problem(503, "overloaded"),
    new Response("", { status: 504 })
  ]

  it("repeat reads, and writes with a key, with the same body", async () => {
    for (const request of [read, write, { ...keyless, idempotencyKey: "key-0003" }, { ...keyless, isSafe: true }])
      for (const fault of temporary) {
        const { client, sent } = scripted([fault instanceof Response ? fault.clone() : fault, json(200, {})])
        await client.request(request)
        assert.strictEqual(sent.length, 2)
        assert.strictEqual(sent[0]?.body, sent[1]?.body)
        assert.deepStrictEqual([...sent[0]!.headers], [...sent[1]!.headers])
      }
  })

  it("repeat a write without a key only if it was beyond the rate limit", async () => {
    for (const fault of temporary) {
      const { client, sent } = scripted([fault instanceof Response ? fault.clone() : fault, json(200, {})])
      const isLimited = fault instanceof Response && fault.status === 429
      await client.request(keyless).catch(() => undefined)
      assert.strictEqual(sent.length, isLimited ? 2 : 1)
    }
  })

  it("never repeat a refusal", async () => {
    for (const [status, code] of [
      [400, "invalid_json"],
      [403, "forbidden"],
      [404, "not_found"],
      [409, "conflict"],
      [413, "payload_too_large"],
      [422, "invalid_order"]
    ] as const) {
      const { client, sent } = scripted([problem(status, code)])
      const error = await failureOf(client.request(write))
      assert.strictEqual(error.code, code)
      assert.strictEqual(sent.length, 1)
    }
  })

  it("wait twice as long each time with jitter, and after what the service asks for", async () => {
    const retried: Array<RetryInfo> = []
    const steps = [broken, broken, problem(503, "write_frozen", { "retry-after": "30" }), broken, json(200, {})]
    const { client, waits } = scripted(steps, { hooks: { onRetry: (info) => retried.push(info) } })
    await client.request(write)
    assert.deepStrictEqual(waits, [500, 1000, 32_000, 4000])
    assert.deepStrictEqual(
      retried.map(({ attempt, code, kind, status, waitMs }) => [attempt, kind, code, status, waitMs]),
      [
        [1, "network", undefined, undefined, 500],
        [2, "network", undefined, undefined, 1000],
        [3, "problem", "write_frozen", 503, 32_000],
        [4, "network", undefined, undefined, 4000]
      ]
    )
  })

  it("understand the date of a proxy by the proxy's own clock", async () => {
    const headers = { date: "Tue, 14 Jul 2026 10:00:00 GMT", "retry-after": "Tue, 14 Jul 2026 10:00:07 GMT" }
    const { client, waits } = scripted([new Response("", { status: 503, headers }), json(200, {})])
    await client.request(read)
    assert.deepStrictEqual(waits, [7500])
  })

  it("end after so many, and before the caller's time is over", async () => {
    const often = scripted([broken, broken, broken], { retries: 2 })
    assert.strictEqual((await failureOf(often.client.request(read))).attempts, 3)
    const long = scripted([problem(503, "write_frozen", { "retry-after": "61" })])
    const error = await failureOf(long.client.request(read))
    assert.strictEqual(error.retryAfterMs, 61_000)
    assert.isTrue(error.isTemporary)
    assert.deepStrictEqual(long.waits, [])
  })

  it("hold requests of a budget that is used up, until it begins anew", async () => {
    const used = { ratelimit: '"write";r=0;t=20' }
    const { client, waits } = scripted([json(200, {}, used), json(200, {}), json(200, {})])
    const answer = await client.request(write)
    assert.deepStrictEqual(answer.rateLimit, { name: "write", remaining: 0, resetMs: 20_000 })
    await client.request({ ...write, isSafe: true })
    assert.deepStrictEqual(waits, [])
    await client.request(write)
    assert.deepStrictEqual(waits, [20_000])
  })

  it("hold reads and writes alike where they share a budget", async () => {
    const left = (count: number) => json(200, {}, { ratelimit: `"platform";r=${count};t=20` })
    const { client, waits } = scripted([left(1), left(0), left(9)])
    const put: Request = { method: "PUT", path: "/platform/v1/segments", body: {}, idempotencyKey: "key-0004" }
    await client.request(put)
    await client.request(read)
    assert.deepStrictEqual(waits, [])
    await client.request(put)
    assert.deepStrictEqual(waits, [20_000])
  })
})

describe("the token", () => {
  it("is asked for once by all, and once more after a 401", async () => {
    let asked = 0
    const token = async () => `token-${++asked}`
    const { client, sent, waits } = scripted(
      [problem(401, "unauthorized"), problem(401, "unauthorized"), json(200, {}), json(200, {}), json(200, {})],
      { token }
    )
    await Promise.all([client.request(keyless), client.request(keyless)])
    await client.request(read)
    const tokens = sent.map(({ headers }) => headers.get("authorization"))
    assert.deepStrictEqual(
      tokens,
      ["token-1", "token-1", "token-2", "token-2", "token-2"].map((one) => `Bearer ${one}`)
    )
    assert.strictEqual(asked, 2)
    assert.deepStrictEqual(waits, [])
  })

  it("that is refused again, or that stays the same, is a 401", async () => {
    let asked = 0
    const renewed = scripted([problem(401, "unauthorized"), problem(401, "unauthorized")], {
      token: () => `t-${++asked}`
    })
    assert.strictEqual((await failureOf(renewed.client.request(read))).code, "unauthorized")
    assert.strictEqual(asked, 2)
    for (const token of [secret, () => secret]) {
      const same = scripted([problem(401, "unauthorized")], { token })
      assert.strictEqual((await failureOf(same.client.request(read))).status, 401)
    }
  })

  it("that cannot be had sends nothing, and is asked for again by the next request", async () => {
    let asked = 0
    const token = () => (++asked === 1 ? Promise.reject(new Error("vault")) : Promise.resolve(secret))
    const { client, sent } = scripted([json(200, {})], { token })
    const error = await failureOf(client.request(read))
    assert.strictEqual(error.kind, "token")
    assert.strictEqual(error.attempts, 0)
    assert.isTrue(error.isTemporary)
    assert.strictEqual(sent.length, 0)
    await client.request(read)
  })
})

describe("hooks", () => {
  it("tell each attempt, and cannot fail a request", async () => {
    const seen: Array<string> = []
    const hook = (name: string) => (info: { readonly attempt: number }) => {
      seen.push(`${name} ${info.attempt}`)
      throw new Error("a log is full")
    }
    const { client } = scripted([broken, json(200, {})], {
      hooks: {
        onRequest: hook("request"),
        onAnswer: hook("answer"),
        onFault: hook("fault"),
        onRetry: hook("retry")
      },
      traceparent: () => "00-c-d-01"
    })
    await client.request(read)
    assert.deepStrictEqual(seen, ["request 1", "fault 1", "retry 1", "request 2", "answer 2"])
  })
})
