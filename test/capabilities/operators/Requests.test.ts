/** The request log for developers (contract/operators.md *Request log*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { RecentRequest } from "../../../src/capabilities/operators/RecentRequests.ts"
import { Ring } from "../../../src/capabilities/operators/RecentRequests.ts"
import { isChosen } from "../../../src/capabilities/operators/Requests.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "./Operators.ts"

type Logged = Readonly<Record<string, unknown>>

const list = (query = "", headers?: Record<string, string>) =>
  Effect.map(Operators.get(`/requests${query}`, headers), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as { kept_from: string; requests: ReadonlyArray<Logged>; next_cursor?: string }
  })

const context = (request_id: string) => ({
  protocol_version: "1.0",
  profile: "foodservice/1.0",
  request_id,
  occurred_at: "1970-01-01T00:00:00.000Z",
  source: { system: "pos" }
})

const getAccount = (member_id: string, request_id: string, program_id = "demo-foodservice", headers = {}) =>
  TestServer.send(
    "/proto/v1/accounts/get",
    { context: context(request_id), member_id, program_id },
    { headers: { "x-request-id": request_id, ...headers } }
  )

describe("the request log", () => {
  it.effect("lists requests newest first, with what was answered, and nothing that was sent", () =>
    Effect.gen(function* () {
      yield* getAccount("nobody-0", "till-1")
      yield* Operators.get("/members?program_id=demo-foodservice&search=%2B4915112345678")
      yield* TestServer.send("/nowhere/+4915112345678", undefined, { method: "GET" })
      yield* TestServer.send("/proto/v1/accounts/get", {}, { headers: { authorization: "Bearer wrong-key-of-nobody" } })
      const { requests } = yield* list()
      assert.deepStrictEqual(
        requests.map(({ code, method, operation, route, status }) => [method, route, operation, status, code]),
        [
          ["POST", "/proto/v1/accounts/get", "account.get", 401, "unauthorized"],
          ["GET", undefined, "none", 404, "not_found"],
          ["GET", "/admin/api/v1/members", "listMembers", 200, undefined],
          ["POST", "/proto/v1/accounts/get", "account.get", 404, "not_found"]
        ]
      )
      const [unknown, , search, first] = requests
      assert.isUndefined(unknown?.["caller"])
      assert.deepStrictEqual(search?.["caller"], { kind: "root", name: "root" })
      const { at, caller, context_request_id, ms, program_id, request_id } = first ?? {}
      assert.deepStrictEqual(
        { at, caller, context_request_id, program_id, request_id },
        {
          at: "1970-01-01T00:00:00.000Z",
          caller: { kind: "token", name: "sandbox" },
          context_request_id: "till-1",
          program_id: "demo-foodservice",
          request_id: "till-1"
        }
      )
      assert.isNumber(ms)
      const text = JSON.stringify(requests)
      for (const secret of ["4915112345678", "nobody-0", "127.0.0.1", "wrong-key"]) assert.notInclude(text, secret)
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("filters, and leaves out its own reads and polls of health", () =>
    Effect.gen(function* () {
      for (const one of ["till-1", "till-2", "till-3"]) yield* getAccount("nobody-0", one)
      yield* TestServer.send("/health", undefined, { method: "GET" })
      yield* Operators.get("/nodes")
      const ids = (query: string) =>
        Effect.map(list(query), ({ requests }) => requests.map(({ request_id }) => request_id))
      assert.deepStrictEqual(yield* ids("?status=4xx"), ["till-3", "till-2", "till-1"])
      assert.deepStrictEqual(yield* ids("?status=404&request_id=till-2"), ["till-2"])
      assert.deepStrictEqual(yield* ids("?code=not_found&limit=1"), ["till-3"])
      // Of every surface, not only of the transactions.
      yield* Operators.get("/programs/nope", { ...Operators.root, "x-request-id": "desk-1" })
      assert.deepStrictEqual(yield* ids("?code=not_found&limit=1"), ["desk-1"])
      assert.deepStrictEqual(yield* ids("?caller=sandbox&operation=account.get"), ["till-3", "till-2", "till-1"])
      assert.lengthOf((yield* list()).requests, 5)
      const wrong = yield* Operators.get("/requests?status=40x")
      assert.strictEqual(wrong.status, 422)
      assert.include(JSON.stringify(wrong.body), "/status")
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("tells of a refusal where the fault was and what scope was lacking, and no value", () =>
    Effect.gen(function* () {
      const reader = yield* Operators.issue({ name: "Reader at West", scopes: ["protocol:read"] })
      const asReader = Operators.bearer(reader.secret)
      yield* getAccount("nobody-0", "lacks", "demo-foodservice", Operators.bearer("proto-dev-token"))
      yield* TestServer.send("/proto/v1/accounts/get", { context: context("till-1"), member_id: 4711 })
      yield* TestServer.send("/proto/v1/accounts/get", { context: { ...context("till-1"), "+4915112345678": 1 } })
      yield* Operators.get("/members?program_id=demo-foodservice&limit=4915112345678")
      yield* Operators.get("/nodes", asReader)
      yield* TestServer.send("/proto/v1/members/enroll", {}, { headers: asReader })
      const { requests } = yield* list("?status=4xx")
      assert.deepStrictEqual(
        requests.map(({ code, pointer, scope }) => [code, pointer, scope]),
        [
          ["forbidden", undefined, "protocol:write"],
          ["forbidden", undefined, "developer:read or admin:read"],
          ["validation_failed", "/limit", undefined],
          ["validation_failed", "/context/*", undefined],
          ["validation_failed", "/member_id", undefined],
          ["not_found", undefined, undefined]
        ]
      )
      assert.notInclude(JSON.stringify(requests), "4711")
      assert.notInclude(JSON.stringify(requests), "4915112345678")
      const callers = (yield* list("?caller=AT%20WEST&console=false")).requests
      assert.deepStrictEqual(
        callers.map(({ operation }) => operation),
        ["member.enroll", "nodes"]
      )
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("goes on over pages while requests come, and refuses a cursor of another process", () =>
    Effect.gen(function* () {
      const cursor = yield* Effect.gen(function* () {
        for (const one of ["till-1", "till-2", "till-3"]) yield* getAccount("nobody-0", one)
        const first = yield* list("?limit=2")
        assert.deepStrictEqual(
          first.requests.map(({ request_id }) => request_id),
          ["till-3", "till-2"]
        )
        yield* getAccount("nobody-0", "till-4")
        const second = yield* list(`?limit=2&cursor=${first.next_cursor}`)
        assert.deepStrictEqual(
          second.requests.map(({ request_id }) => request_id),
          ["till-1"]
        )
        assert.isUndefined(second.next_cursor)
        return first.next_cursor
      }).pipe(Effect.provide(Layer.fresh(Operators.layer())))
      const other = yield* Effect.provide(
        Operators.get(`/requests?limit=2&cursor=${cursor}`),
        Layer.fresh(Operators.layer())
      )
      assert.deepStrictEqual([other.status, other.body["code"]], [400, "invalid_cursor"])
    })
  )

  it.effect("shows a caller with programmes what is theirs alone", () =>
    Effect.gen(function* () {
      const scopes = ["developer:read", "protocol:read"]
      const demo = yield* Operators.issue({ name: "Demo", scopes, programs: ["demo-foodservice"] })
      const all = yield* Operators.issue({ name: "All", scopes: ["protocol:read"] })
      yield* getAccount("nobody-0", "of-demo", "demo-foodservice", Operators.bearer(all.secret))
      yield* getAccount("nobody-0", "of-another", "another", Operators.bearer(all.secret))
      yield* TestServer.send("/proto/v1/accounts/get", "{", {
        headers: { ...Operators.bearer(demo.secret), "x-request-id": "own" }
      })
      const { requests } = yield* list("", Operators.bearer(demo.secret))
      assert.deepStrictEqual(
        requests.map(({ request_id }) => request_id),
        ["own", "of-demo"]
      )
    }).pipe(Effect.provide(Operators.layer()))
  )
})

describe("the console's own requests", () => {
  it("are left out, or listed alone, where that is asked for", () => {
    const ring = new Ring(0, 3)
    for (const isOfConsole of [true, false, true]) ring.add({ ...request(1), isOfConsole })
    const listed = (console?: "false" | "true") => ring.newest(isChosen({ console }), 10).map(({ number }) => number)
    assert.deepStrictEqual([listed(), listed("true"), listed("false")], [[2, 1, 0], [2, 0], [1]])
  })
})

describe("the console's own requests that are refused", () => {
  it.effect("are the console's too: their cookie tells it, also where its session is not known", () =>
    Effect.gen(function* () {
      const cookie = `lotbook_session=${"a".repeat(43)}`
      yield* Operators.get("/nodes", { authorization: "", cookie, "x-request-id": "ended" })
      yield* Operators.get("/nodes", { cookie, ...Operators.bearer("wrong"), "x-request-id": "with-a-key" })
      yield* Operators.get("/nodes", { authorization: "", "x-request-id": "without" })
      const ids = (query: string) =>
        Effect.map(list(query), ({ requests }) => requests.map(({ request_id }) => request_id))
      assert.deepStrictEqual(yield* ids("?status=401&console=true"), ["ended"])
      assert.deepStrictEqual(yield* ids("?status=401&console=false"), ["without", "with-a-key"])
    }).pipe(Effect.provide(Operators.layer()))
  )
})

const request = (at: number) => ({ at, requestId: `r-${at}` }) as RecentRequest

describe("the ring of requests", () => {
  it("keeps the newest, and tells from when on it has all", () => {
    const ring = new Ring(5, 3)
    assert.strictEqual(ring.keptFrom, 5)
    for (const at of [10, 11, 12]) ring.add(request(at))
    assert.strictEqual(ring.keptFrom, 5)
    ring.add(request(13))
    assert.strictEqual(ring.keptFrom, 11)
    const numbers = (before?: number) => ring.newest(() => true, 10, before).map(({ request: { at } }) => at)
    assert.deepStrictEqual(numbers(), [13, 12, 11])
    assert.deepStrictEqual(numbers(3), [12, 11])
    assert.deepStrictEqual(numbers(1), [])
  })
})
