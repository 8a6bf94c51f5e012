/** contract/transport.md *Order of the checks*, over real connections. Holds contract/transport.md *Headers*. */
import { Deferred, Effect } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { ServerResponse } from "node:http"
import * as Callers from "../../../src/base/concurrency/Callers.ts"
import { operationIds, operations } from "../../../src/contract/protocol/Operations.ts"
import { maxBodyBytes } from "../../../src/contract/protocol/Protocol.ts"
import { refusal } from "../../../src/core/account/domain/Refusal.ts"
import * as Problems from "../../../src/desk/surface/Problems.ts"
import * as Bounds from "../../../src/edge/http/Bounds.ts"
import { notActive } from "../../../src/edge/http/Checks.ts"
import type { Asked, Response, TestServer } from "./TestServer.ts"
import { accrual, adminKey, answer, ask, bearer, json, readToken, start, strangerToken, token } from "./TestServer.ts"

const path = "/proto/v1/accruals"
let server: TestServer

beforeAll(async () => {
  server = await start()
})
afterAll(() => server.stop())
beforeEach(async () => {
  server.handle = () => Effect.succeed(answer())
  server.logs.length = 0
  await Effect.runPromise(server.freeze.set(false))
})

const post = (overrides: Partial<Asked> = {}): Promise<Response> =>
  ask(server.port, {
    method: "POST",
    path,
    headers: { ...bearer(token), ...json },
    body: JSON.stringify(accrual()),
    ...overrides
  })

const expectProblem = (response: Response, code: Problems.ProblemCode, instance = path) => {
  const { status, title } = Problems.problems[code]
  expect(response.headers["content-type"]).toBe("application/problem+json")
  const problem = JSON.parse(response.body)
  expect(problem).toMatchObject({ type: Problems.pathOf(code), title, status, code, instance })
  expect(typeof problem.detail).toBe("string")
  expect(response.status).toBe(status)
  expect(response.headers["cache-control"]).toBe("no-store")
  expect(response.headers["x-content-type-options"]).toBe("nosniff")
  expect(response.headers["x-request-id"]).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/)
  return problem
}

/** A request in the making: each check of the table changes it so that this check fails. */
interface Draft {
  path: string
  method: string
  token: string
  mediaType: string
  body: string | Buffer
}

interface Check {
  readonly name: string
  readonly code: Problems.ProblemCode
  readonly spoil: (draft: Draft) => void
  readonly frozen?: boolean
  /** Checks that cannot fail together with this one. */
  readonly apart?: ReadonlyArray<string>
}

const parsed = (draft: Draft) => JSON.parse(draft.body.toString())
const order = { ...accrual(), member_id: 7 }

/** In the order of contract/transport.md *Order of the checks*; the rate limit (6) is off, and has tests of its own. */
const checks: ReadonlyArray<Check> = [
  {
    name: "1 path",
    code: "not_found",
    spoil: (draft) => {
      draft.path += "/"
    }
  },
  {
    name: "2 method",
    code: "method_not_allowed",
    spoil: (draft) => {
      draft.method = "PUT"
    }
  },
  {
    name: "3 token",
    code: "unauthorized",
    spoil: (draft) => {
      draft.token = "nobody"
    },
    apart: ["4 scope", "11 programme"]
  },
  {
    name: "4 scope",
    code: "forbidden",
    spoil: (draft) => {
      draft.token = readToken
    },
    apart: ["11 programme"]
  },
  { name: "5 freeze", code: "write_frozen", spoil: () => {}, frozen: true },
  {
    name: "7 media type",
    code: "unsupported_media_type",
    spoil: (draft) => {
      draft.mediaType = "text/plain"
    }
  },
  {
    name: "8 size",
    code: "payload_too_large",
    spoil: (draft) => {
      draft.body = `${draft.body} ${" ".repeat(maxBodyBytes)}`
    }
  },
  {
    name: "9 JSON",
    code: "invalid_json",
    spoil: (draft) => {
      draft.body = `${draft.body.toString().slice(0, -1)}`
    },
    apart: ["10 schema", "11 programme"]
  },
  {
    name: "10 schema",
    code: "validation_failed",
    spoil: (draft) => {
      draft.body = JSON.stringify({ ...parsed(draft), ...order })
    }
  },
  {
    name: "11 programme",
    code: "forbidden",
    spoil: (draft) => {
      draft.token = strangerToken
    }
  }
]

describe("checks", () => {
  const send = async (failing: ReadonlyArray<Check>) => {
    const draft: Draft = { path, method: "POST", token, mediaType: "application/json", body: JSON.stringify(accrual()) }
    // From the last on: a body that is too large stays JSON until check 9 has had it.
    for (const check of failing.toReversed()) check.spoil(draft)
    if (failing.some((check) => check.frozen)) await Effect.runPromise(server.freeze.set(true))
    const response = await ask(server.port, {
      method: draft.method,
      path: draft.path,
      headers: { ...bearer(draft.token), "content-type": draft.mediaType },
      body: draft.body
    })
    return { response, draft }
  }

  it("answers a request that fails none", async () => {
    expect((await send([])).response.status).toBe(200)
  })

  for (const [index, check] of checks.entries()) {
    it(`${check.name} answers ${check.code}`, async () => {
      const { draft, response } = await send([check])
      expectProblem(response, check.code, draft.path)
    })
    for (const later of checks.slice(index + 1)) {
      if (check.apart?.includes(later.name)) continue
      it(`${check.name} comes before ${later.name}`, async () => {
        const { draft, response } = await send([check, later])
        expectProblem(response, check.code, draft.path)
      })
    }
  }

  it("reads work while writes are frozen", async () => {
    await Effect.runPromise(server.freeze.set(true))
    const body = { context: accrual().context, member_id: "m", program_id: "demo-foodservice" }
    expect((await post({ path: "/proto/v1/accounts/get", body: JSON.stringify(body) })).status).toBe(200)
  })

  it("freezes every write, and nothing but writes", async () => {
    await Effect.runPromise(server.freeze.set(true))
    for (const id of operationIds) {
      const { path, scope } = operations[id]
      const { status } = await post({ path, body: "{}" })
      expect([id, status]).toEqual([id, scope === "protocol:write" ? 503 : 422])
    }
  })
})

describe("answers", () => {
  it("names the methods that a path has, also for HEAD and OPTIONS", async () => {
    for (const method of ["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"]) {
      const response = await post({ method, body: "" })
      expect([method, response.status, response.headers["allow"]]).toEqual([method, 405, "POST"])
    }
    const { headers, status } = await ask(server.port, { method: "PATCH", path: "/admin/api/v1/maintenance" })
    expect([status, headers["allow"]]).toEqual([405, "GET, HEAD, POST"])
  })

  it("challenges callers without a token", async () => {
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Basic dGVzdA==",
      `Bearer ${token} x`,
      `Bearer  ${token}`,
      token,
      `Bearer ${token.toUpperCase()}`
    ]) {
      const response = await post({ headers: { ...json, authorization } })
      expectProblem(response, "unauthorized")
      expect(response.headers["www-authenticate"]).toBe("Bearer")
    }
    expectProblem(await post({ headers: json }), "unauthorized")
    expectProblem(
      await post({ headers: { ...json, Authorization: [`Bearer ${token}`, `Bearer ${token}`] } }),
      "unauthorized"
    )
  })

  it("takes the scheme in any case, and any of several tokens", async () => {
    expect((await post({ headers: { ...json, authorization: `bEARER ${token}` } })).status).toBe(200)
    const read = { context: accrual().context, member_id: "m", program_id: "demo-foodservice" }
    const ok = await post({
      path: "/proto/v1/accounts/get",
      headers: { ...json, ...bearer(readToken) },
      body: JSON.stringify(read)
    })
    expect(ok.status).toBe(200)
    const other = { ...read, program_id: "other" }
    const known = await post({
      path: "/proto/v1/accounts/get",
      headers: { ...json, ...bearer(strangerToken) },
      body: JSON.stringify(other)
    })
    expect(known.status).toBe(200)
  })

  it("are shed at once past the bound on operations in flight, and served again when those have ended", async () => {
    const released = Deferred.makeUnsafe<void>()
    let inFlight = 0
    server.handle = () => {
      inFlight++
      return Effect.as(Deferred.await(released), answer())
    }
    const beyond = 20
    const answers: Array<Response> = []
    const all = Array.from({ length: Bounds.held.inFlight + beyond }, async () => {
      const response = await post()
      answers.push(response)
      // The last one that is told so shows that all the others are being carried out.
      if (answers.length === beyond) {
        expect(inFlight).toBe(Bounds.held.inFlight)
        for (const refused of answers) expectProblem(refused, "overloaded")
        expect(answers.map(({ headers }) => headers["retry-after"])).toEqual(answers.map(() => "1"))
        // Authentication still comes first; requests that are not operations are served.
        expectProblem(await post({ headers: json }), "unauthorized")
        expectProblem(await post({ path: "/proto/v1/nowhere" }), "not_found", "/proto/v1/nowhere")
        Deferred.doneUnsafe(released, Effect.void)
      }
      return response.status
    })
    const statuses = await Promise.all(all)
    expect(statuses.filter((status) => status === 200).length).toBe(Bounds.held.inFlight)
    expect((await post()).status).toBe(200)
  })

  it("says when to try again", async () => {
    await Effect.runPromise(server.freeze.set(true))
    expect((await post()).headers["retry-after"]).toBe("30")
    await Effect.runPromise(server.freeze.set(false))
    server.handle = () => Effect.succeed({ _tag: "Overloaded" })
    const overloaded = await post()
    expectProblem(overloaded, "overloaded")
    server.handle = () => Effect.succeed({ _tag: "Unavailable" })
    const unavailable = await post()
    expectProblem(unavailable, "storage_unavailable")
    for (const { headers } of [overloaded, unavailable]) expect(Number(headers["retry-after"])).toBeGreaterThan(0)
  })

  it("takes the media type with parameters and in any case", async () => {
    for (const type of ["application/json; charset=utf-8", "Application/JSON", 'application/json ;charset="utf-8"']) {
      expect((await post({ headers: { ...bearer(token), "content-type": type } })).status).toBe(200)
    }
    for (const type of [
      "application/jsonp",
      "text/csv",
      "application/json, application/json",
      "application/problem+json",
      ""
    ]) {
      expectProblem(await post({ headers: { ...bearer(token), "content-type": type } }), "unsupported_media_type")
    }
    expectProblem(await post({ headers: bearer(token) }), "unsupported_media_type")
    expectProblem(
      await post({ headers: { ...bearer(token), "Content-Type": ["application/json", "application/json"] } }),
      "unsupported_media_type"
    )
  })

  it("refuses a coded body, and takes identity", async () => {
    for (const coding of ["gzip", "br", "identity, gzip", "nonsense"]) {
      expectProblem(
        await post({ headers: { ...bearer(token), ...json, "content-encoding": coding } }),
        "unsupported_media_type"
      )
    }
    expect((await post({ headers: { ...bearer(token), ...json, "content-encoding": "Identity" } })).status).toBe(200)
  })

  it("takes a body of exactly max_body_bytes, and none of a byte more, announced or streamed", async () => {
    const body = JSON.stringify(accrual())
    const full = body + " ".repeat(maxBodyBytes - body.length)
    const streamed = { ...bearer(token), ...json, "transfer-encoding": "chunked" }
    expect((await post({ body: full })).status).toBe(200)
    expect((await post({ body: full, headers: streamed })).status).toBe(200)
    expectProblem(await post({ body: `${full} ` }), "payload_too_large")
    expectProblem(await post({ body: `${full} `, headers: streamed }), "payload_too_large")
  })

  it("wants one JSON object in UTF-8", async () => {
    const bodies = ["", " ", "null", "7", '"text"', "[]", "{", "{}{}", "{'a':1}", "\uFEFF{}", "[".repeat(10_000), "NaN"]
    for (const body of bodies) expectProblem(await post({ body }), "invalid_json")
    const latin1 = Buffer.from(JSON.stringify({ ...accrual(), member_id: "caf\u00e9" }), "latin1")
    expectProblem(await post({ body: latin1 }), "invalid_json")
    expectProblem(await post({ body: Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]) }), "invalid_json")
  })

  it("refuses a name twice in one object, however it is escaped: each parser would take another one of them", async () => {
    const text = JSON.stringify(accrual())
    const repeated = [
      text.replace("{", '{"member_id":"member-002",'),
      text.replace("{", '{"member\\u005fid":"member-002",'),
      text.replace('"totals":{', '"totals":{"tax":{"amount":1,"currency":"USD"},')
    ]
    for (const body of repeated) {
      const problem = expectProblem(await post({ body }), "invalid_json")
      expect(problem["detail"]).toBe("An object in the body has the same name twice.")
    }
    const quoted = JSON.stringify({ ...accrual(), surprise: '{"a":1,"a":2}' })
    expectProblem(await post({ body: quoted }), "validation_failed")
  })

  it("quotes no part of a body that is not JSON, which may be a secret", async () => {
    for (const body of ["whsec_private", '{"secret":whsec_private}', '{"secret":"whsec_private"x', '{"a":"\n"}']) {
      const { body: answer } = await post({ body })
      expect(answer.toString()).not.toMatch(/whsec|private|secret/)
    }
  })

  it("refuses what nests deeper than 64 levels as no JSON; up to there it is as any other wrong value", async () => {
    const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
    const cases = [
      // A body's metadata are its third level.
      [61, "validation_failed"],
      [10_000, "invalid_json"]
    ] as const
    for (const [value, code] of cases.flatMap(([levels, code]) => [
      [deep("[", "]", levels), code] as const,
      [deep('{"a":', "}", levels), code] as const
    ])) {
      const bodies = [
        JSON.stringify({ ...accrual(), extra: 0 }).replace('"extra":0', `"extra":${value}`),
        JSON.stringify({ ...accrual(), member_id: 0 }).replace('"member_id":0', `"member_id":${value}`),
        JSON.stringify({ ...accrual(), order: { ...accrual().order, metadata: { a: 0 } } }).replace(
          '{"a":0}',
          `{"a":${value}}`
        )
      ]
      for (const body of bodies) expectProblem(await post({ body }), code)
    }
  })

  it("names every offending property by its JSON Pointer, a missing and an unknown one included", async () => {
    const { context, order } = accrual()
    const { quantity: _, ...line } = order.lines[0] ?? { quantity: 0 }
    const body = { context, member_id: "not an id", order: { ...order, lines: [line], "a/b~": 1 }, __proto__x: 1 }
    const { errors } = expectProblem(await post({ body: JSON.stringify(body) }), "validation_failed")
    const paths = errors.map((error: { path: string }) => error.path).toSorted()
    expect(paths).toEqual(["/__proto__x", "/member_id", "/order/a~1b~0", "/order/lines/0/quantity"])
    for (const error of errors) expect(typeof error.message).toBe("string")
  })

  it("refuses unknown query names, and leaves the query out of instance", async () => {
    const problem = expectProblem(await post({ path: `${path}?dry_run=1&b=%00` }), "validation_failed")
    expect(problem["errors"].map(({ path }: { path: string }) => path)).toEqual(["/dry_run", "/b"])
    expectProblem(await post({ path: `${path}?secret=1`, headers: json }), "unauthorized")
    expectProblem(await post({ path: "/nowhere?secret=1" }), "not_found", "/nowhere")
  })

  it("matches paths exactly", async () => {
    for (const other of [
      `${path}/`,
      "/proto/v1/Accruals",
      "/proto/v1/%61ccruals",
      "//proto/v1/accruals",
      "/proto/v1/../v1/accruals",
      "/problems/",
      "/problems/nonsense"
    ]) {
      expectProblem(await post({ path: other }), "not_found", other)
    }
  })

  it("takes an absolute request target", async () => {
    expect((await post({ path: `http://elsewhere.example${path}?` })).status).toBe(200)
  })

  it("echoes X-Request-Id where it is an identifier, and makes one otherwise", async () => {
    const idFor = async (id: string) =>
      (await post({ headers: { ...bearer(token), ...json, "x-request-id": id } })).headers["x-request-id"]
    expect(await idFor("till-7:42")).toBe("till-7:42")
    const made = [
      await idFor("-no"),
      await idFor("a b"),
      await idFor("x".repeat(129)),
      (await post()).headers["x-request-id"]
    ]
    // Each is random as a whole: none tells anything of the next.
    for (const id of made) expect(id).toMatch(/^req_[0-9A-Z]{16}$/)
    for (const part of [0, 8]) expect(new Set(made.map((id) => id?.slice(4 + part, 12 + part))).size).toBe(made.length)
  })

  it("gives the answer its context: the request's id and the time of processing", async () => {
    server.handle = () =>
      Effect.succeed({
        _tag: "Answer",
        created: true,
        processedAt: 1_784_023_200_123,
        body: { member: null, balances: [] }
      })
    const { body, headers, status } = await post()
    const sent = accrual().context
    expect(status).toBe(201)
    expect(headers["content-type"]).toBe("application/json")
    expect(Object.keys(JSON.parse(body))).toEqual(["context", "member", "balances"])
    expect(JSON.parse(body).context).toEqual({
      protocol_version: sent.protocol_version,
      profile: sent.profile,
      request_id: expect.stringMatching(/^req-\d+$/),
      processed_at: "2026-07-14T10:00:00.123Z"
    })
  })

  it("gives the length of an answer in bytes, whatever its characters", async () => {
    const reason = "Größe 🍕, 5 €"
    server.handle = () => Effect.succeed(answer({ reason }))
    const response = await post()
    expect(JSON.parse(response.body).reason).toBe(reason)
    expect(response.headers["content-length"]).toBe(String(Buffer.byteLength(response.body)))
  })

  it("hands the handler the decoded request and its caller", async () => {
    const seen: Array<unknown> = []
    server.handle = (id, request, caller) =>
      Effect.sync(() => {
        seen.push(id, request, caller)
        return answer()
      })
    const body = accrual()
    await post({ body: JSON.stringify(body) })
    expect(seen).toEqual([
      "accrual.post",
      body,
      expect.objectContaining({ kind: "token", name: "sandbox", scopes: expect.any(Set), programs: undefined })
    ])
  })

  it("gives each refusal of the domain its status and its errors", async () => {
    for (const code of [
      "conflict",
      "idempotency_conflict",
      "insufficient_balance",
      "expired",
      "invalid_state",
      "member_not_active",
      "reward_not_available",
      "currency_mismatch",
      "not_found",
      "forbidden",
      "invalid_cursor"
    ] as const) {
      server.handle = () => Effect.succeed(refusal(code, "because"))
      expect(expectProblem(await post(), code)).toMatchObject({ detail: "because" })
    }
    const errors = [{ path: "/order/totals/total", message: "does not add up" }]
    server.handle = () => Effect.succeed(refusal("invalid_order", "because", errors))
    expect(expectProblem(await post(), "invalid_order").errors).toEqual(errors)
  })

  it("says nothing about what broke inside, and logs it with the request id", async () => {
    for (const handle of [
      () => Effect.die(new Error("secret of the house")),
      () => {
        throw new Error("secret of the house")
      },
      () => Effect.interrupt
    ]) {
      server.logs.length = 0
      server.handle = handle
      const response = await post({ headers: { ...bearer(token), ...json, "x-request-id": "find-me" } })
      expectProblem(response, "internal_error")
      expect(response.body).not.toMatch(/secret|Error:|\.ts/)
      expect(response.headers["x-request-id"]).toBe("find-me")
      expect(server.logs).toHaveLength(1)
    }
  })

  it("answers also where the answer itself cannot be written", async () => {
    for (const handle of [() => Effect.succeed(answer()), () => Effect.as(Effect.yieldNow, answer())]) {
      server.logs.length = 0
      server.handle = handle
      const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead").mockImplementationOnce(() => {
        throw new Error("a header that is none")
      })
      const response = await post()
      writeHead.mockRestore()
      expectProblem(response, "internal_error")
      expect(server.logs).toHaveLength(1)
    }
  })

  it("completes a decision whose caller has hung up, which then counts as left", async () => {
    let hadLeft: boolean | undefined
    server.handle = () =>
      Effect.map(Callers.haveLeft, (left) => {
        hadLeft = left
        return answer()
      })
    await post()
    expect(hadLeft).toBe(false)
    const begun = Deferred.makeUnsafe<void>()
    const gone = Deferred.makeUnsafe<void>()
    const done = Deferred.makeUnsafe<string>()
    server.handle = () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(gone)),
        Effect.andThen(Effect.yieldNow),
        Effect.andThen(Callers.haveLeft),
        Effect.tap((left) =>
          Effect.sync(() => {
            hadLeft = left
          })
        ),
        Effect.onExit((exit) => Deferred.succeed(done, exit._tag)),
        Effect.as(answer())
      )
    const { connect } = await import("node:net")
    const socket = connect(server.port, "127.0.0.1")
    const body = JSON.stringify(accrual())
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
    await Effect.runPromise(Deferred.await(begun))
    await new Promise((resolve) => socket.on("close", resolve).destroy())
    // Another request's answer: by then the server has seen the first connection close.
    await ask(server.port, { path: "/health" })
    await Effect.runPromise(Deferred.succeed(gone, undefined))
    expect(await Effect.runPromise(Deferred.await(done))).toBe("Success")
    expect(hadLeft).toBe(true)
  })
})

describe("what each answer says", () => {
  it("distinguishes a missing, a wrong and a non-bearer token", async () => {
    const details = async (path: string, method: string) => {
      const told: Array<string> = []
      for (const authorization of [
        undefined,
        "Basic dGVzdA==",
        "Bearer nobody",
        [`Bearer ${token}`, `Bearer ${token}`]
      ]) {
        const headers = authorization === undefined ? json : { ...json, Authorization: authorization }
        told.push(expectProblem(await post({ headers, method, path }), "unauthorized", path).detail)
      }
      return told
    }
    const ofTokens = await details(path, "POST")
    for (const [index, words] of ["missing", "not of the form", "not known", "more than once"].entries()) {
      expect(ofTokens[index]).toContain(words)
      expect(ofTokens[index]).toContain("Authorization: Bearer TOKEN")
    }
    const ofKeys = await details("/admin/api/v1/maintenance", "POST")
    for (const detail of ofKeys) expect(detail).toContain("admin key")
  })

  it("detail names the first fault", async () => {
    const { detail, errors } = expectProblem(
      await post({ body: JSON.stringify({ ...accrual(), member_id: 7, more: 1 }) }),
      "validation_failed"
    )
    expect(detail).toContain(`${errors[0].path} ${errors[0].message}`)
  })

  it("a replay is marked, and nothing else", async () => {
    server.handle = () => Effect.succeed({ _tag: "Answer", created: true, processedAt: 0, body: {}, isReplay: true })
    expect((await post()).headers["idempotent-replayed"]).toBe("true")
    server.handle = () => Effect.succeed({ _tag: "Answer", created: true, processedAt: 0, body: {}, isReplay: false })
    expect((await post()).headers["idempotent-replayed"]).toBeUndefined()
  })

  it("HEAD is answered as GET, without a body", async () => {
    for (const path of ["/health", "/openapi.json", "/admin/api/v1/maintenance"]) {
      const headers = bearer(adminKey)
      const got = await ask(server.port, { path, headers })
      const head = await ask(server.port, { method: "HEAD", path, headers })
      expect([head.status, head.body]).toEqual([200, ""])
      expect(head.headers["content-length"]).toBe(got.headers["content-length"])
      expect(head.headers["content-type"]).toBe(got.headers["content-type"])
    }
  })

  it("a query is ignored on public pages, and refused on the operators' surface where none is declared", async () => {
    expect((await ask(server.port, { path: "/health?a=1&b=%zz" })).status).toBe(200)
    const admin = "/admin/api/v1/maintenance"
    for (const [query, place] of [
      ["a=1", "/a"],
      ["a=1&a=2", "/a"],
      ["x%2Fy", "/x~1y"],
      ["b=%zz", "/b"]
    ]) {
      const response = await ask(server.port, { path: `${admin}?${query}`, headers: bearer(adminKey) })
      expect(expectProblem(response, "validation_failed", admin).errors[0].path).toBe(place)
    }
    expect((await ask(server.port, { path: `${admin}?`, headers: bearer(adminKey) })).status).toBe(200)
  })
})

describe("the rate limit", () => {
  it("counts reads and writes of a token apart, says how many are left, and spares the admin key", async () => {
    const limited = await start({ rateLimit: 2 })
    const to = (path: string, of: string) =>
      ask(limited.port, { method: "POST", path, headers: { ...bearer(of), ...json }, body: JSON.stringify(accrual()) })
    const write = () => to(path, token)
    const left: Array<string | undefined> = []
    for (let count = 0; count < 2; count++) left.push((await write()).headers["ratelimit"]?.split(";")[1])
    expect(left).toEqual(["r=1", "r=0"])
    const refused = await write()
    expect(expectProblem(refused, "rate_limited").detail).toContain("write")
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(1)
    expect(refused.headers["ratelimit-policy"]).toBe('"write";q=2;w=60')
    // The body is not what counts: a read of the same token goes on to its schema.
    expect((await to("/proto/v1/accounts/get", token)).status).toBe(422)
    expect((await to(path, strangerToken)).status).toBe(403)
    for (let count = 0; count < 5; count++) {
      const admin = await ask(limited.port, { path: "/admin/api/v1/maintenance", headers: bearer(adminKey) })
      expect([admin.status, admin.headers["ratelimit"]]).toEqual([200, undefined])
    }
    await limited.stop()
  })

  it("is check 6: after the token's scope and the freeze, before the media type, the size and the body", async () => {
    const limited = await start({ rateLimit: 1 })
    const send = (of: string, mediaType: string, body: string) =>
      ask(limited.port, { method: "POST", path, headers: { ...bearer(of), "content-type": mediaType }, body })
    expect((await send(token, "application/json", JSON.stringify(accrual()))).status).toBe(200)
    for (const [mediaType, body] of [
      ["text/plain", "{}"],
      ["application/json", " ".repeat(maxBodyBytes + 1)],
      ["application/json", "{"],
      ["application/json", "{}"]
    ] as const)
      expectProblem(await send(token, mediaType, body), "rate_limited")
    expectProblem(await send(readToken, "application/json", "{}"), "forbidden")
    await Effect.runPromise(limited.freeze.set(true))
    expectProblem(await send(token, "application/json", "{}"), "write_frozen")
    await limited.stop()
  })

  it("says nothing where it is off", async () => {
    expect((await post()).headers["ratelimit"]).toBeUndefined()
  })
})

describe("a service that is no node of its database (contract/databases.md *Joining and leaving*)", () => {
  const joining = { role: "joining", isCurrent: false } as const
  afterEach(() => {
    server.standing = { role: "node", isCurrent: true }
  })

  it("answers what every role serves, and not_active everywhere else", async () => {
    server.standing = joining
    for (const open of ["/health", "/docs", "/openapi.json", "/problems/not-active"]) {
      expect([open, (await ask(server.port, { path: open })).status]).toEqual([open, 200])
    }
    for (const [method, closed] of [
      ["POST", path],
      ["GET", "/proto/v1/capabilities"],
      ["GET", "/admin/api/v1/maintenance"],
      ["GET", "/health/ready"]
    ] as const) {
      const response = await ask(server.port, { method, path: closed })
      const problem = expectProblem(response, "not_active", closed)
      expect(problem).toMatchObject({ environment: "live", role: "joining" })
      expect(response.headers["retry-after"]).toBe("1")
    }
    expect((await ask(server.port, { path: "/nowhere" })).status).toBe(404)
  })

  it("says that it joins while its database knows it and its parts are not built", () => {
    const node: Parameters<typeof notActive>[0] = {
      environment: "live",
      isAwaitingStorage: () => false,
      clockFault: () => undefined,
      clockAheadMs: () => 0,
      role: () => "node",
      isCurrent: () => true,
      isAdmitting: () => true,
      placement: () => ({ partitions: 0, nodes: 1, isComplete: false, unreachable: [] })
    }
    const problem = JSON.parse(String(notActive(node, path).body)) as { readonly role: string; readonly detail: string }
    expect(problem.role).toBe("joining")
    expect(problem.detail).toBe("This service has not joined the nodes of its database yet.")
  })

  it("answers storage_unavailable while a start waits for durable commits", async () => {
    server.standing = { ...joining, isAwaitingStorage: true }
    for (const [method, closed] of [
      ["POST", path],
      ["GET", "/health/ready"]
    ] as const) {
      const problem = expectProblem(await ask(server.port, { method, path: closed }), "storage_unavailable", closed)
      expect(problem).toMatchObject({ environment: "live", role: "joining" })
    }
  })

  it("answers storage_unavailable while it is unconfirmed and commits are not durable, and not_active once it leaves", async () => {
    server.standing = { role: "node", isCurrent: false, isAwaitingStorage: true }
    expectProblem(
      await ask(server.port, { method: "GET", path: "/health/ready" }),
      "storage_unavailable",
      "/health/ready"
    )
    expectProblem(await post(), "storage_unavailable")
    server.standing = { role: "leaving", isCurrent: false, isAwaitingStorage: true }
    const response = await post()
    expectProblem(response, "not_active")
    expect(response.headers["connection"]).toBe("close")
  })

  it("lets no answer leave that was made while it was one", async () => {
    server.handle = () =>
      Effect.sync(() => {
        server.standing = { role: "node", isCurrent: false }
        return answer({ balances: [] }, true)
      })
    const problem = expectProblem(await post(), "not_active")
    expect(problem).toMatchObject({ environment: "live", role: "node" })
    expect(problem.detail).toBe("The database has not confirmed in time that this node is still alive.")
  })
})
