/** The checks of decisions.md §1, in their order, over real HTTP. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import * as MemoryJournal from "../../src/journal/MemoryJournal.ts"
import * as Testing from "../../src/testing/Testing.ts"
import * as TestServer from "./TestServer.ts"
import { otherToken, raw, readerToken, send } from "./TestServer.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const server = TestServer.layer(MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer)), [
  { token_sha256: sha256(readerToken), scopes: ["protocol:read"] },
  { token_sha256: sha256(otherToken), scopes: ["protocol:read", "protocol:write"], programs: ["another"] }
])

const accruals = "/proto/v1/accruals"
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const accrual = () => ({ context: Testing.context(), member_id: "nobody", order: Testing.order("order-1", 1000) })

/** One failing request a row of the table, first to last, each also failing all later checks it can. */
const rows: ReadonlyArray<readonly [name: string, status: number, code: string, request: Parameters<typeof send>]> = [
  ["1 unknown path", 404, "not_found", ["/proto/v1/nothing", "x", { method: "PUT", headers: { authorization: "" } }]],
  ["1 a trailing slash is another path", 404, "not_found", [`${accruals}/`, accrual()]],
  ["2 wrong method", 405, "method_not_allowed", [accruals, "x", { method: "PUT", headers: { authorization: "" } }]],
  ["3 no token", 401, "unauthorized", [accruals, "x", { headers: { authorization: "" } }]],
  ["3 unknown token", 401, "unauthorized", [accruals, "x", { headers: bearer("unknown") }]],
  ["3 another scheme", 401, "unauthorized", [accruals, "x", { headers: { authorization: "Basic cHJvdG8=" } }]],
  [
    "4 no scope",
    403,
    "forbidden",
    [accruals, "x", { headers: { ...bearer(readerToken), "content-type": "text/plain" } }]
  ],
  [
    "7 media type",
    415,
    "unsupported_media_type",
    [accruals, "x".repeat(1_100_000), { headers: { "content-type": "text/plain" } }]
  ],
  ["7 content encoding", 415, "unsupported_media_type", [accruals, "{}", { headers: { "content-encoding": "br" } }]],
  ["8 too large", 413, "payload_too_large", [accruals, "x".repeat(1_100_000)]],
  ["9 not JSON", 400, "invalid_json", [accruals, "{"]],
  ["9 empty", 400, "invalid_json", [accruals, ""]],
  ["9 not an object", 400, "invalid_json", [accruals, "[]"]],
  ["10 schema", 422, "validation_failed", [accruals, { member_id: 5 }, { headers: bearer(otherToken) }]],
  ["11 programme", 403, "forbidden", [accruals, accrual(), { headers: bearer(otherToken) }]],
  ["then the domain", 404, "not_found", [accruals, accrual()]]
]

layer(server, { excludeTestServices: true })("transport", (it) => {
  describe("§1 the checks answer in their order, each with a problem document", () => {
    for (const [name, status, code, [path, body, init]] of rows) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const answer = yield* send(`${path}?x=1`, body, init)
          assert.strictEqual(answer.status, status)
          assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
          assert.strictEqual(answer.headers.get("cache-control"), "no-store")
          assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
          assert.deepInclude(answer.body, {
            status,
            code,
            instance: path,
            type: `/problems/${code.replaceAll("_", "-")}`
          })
          assert.isString(answer.body["title"])
          assert.isString(answer.body["detail"])
          if (status === 405) assert.strictEqual(answer.headers.get("allow"), "POST")
          if (status === 401) assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        })
      )
    }
  })

  it.effect("§1 5: frozen writes answer 503 with Retry-After before their body is looked at; reads work", () =>
    Effect.gen(function* () {
      const admin = { headers: bearer("proto-dev-admin-key") }
      assert.deepStrictEqual((yield* send("/admin/api/v1/maintenance", { write_frozen: true }, admin)).body, {
        write_frozen: true
      })
      const refused = yield* send(accruals, "x", { headers: { "content-type": "text/plain" } })
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers.get("retry-after"), "30")
      assert.strictEqual(refused.body["code"], "write_frozen")
      const health = yield* send("/health", undefined, { method: "GET" })
      assert.deepStrictEqual(health.body, {
        status: "ok",
        protocol_version: "1.0",
        profile: "foodservice/1.0",
        write_frozen: true
      })
      const program = yield* send("/proto/v1/programs/get", {
        context: Testing.context(),
        program_id: "demo-foodservice"
      })
      assert.strictEqual(program.status, 200)
      const again = yield* send("/admin/api/v1/maintenance", { write_frozen: false }, admin)
      assert.deepStrictEqual(again.body, { write_frozen: false })
      assert.strictEqual((yield* send("/admin/api/v1/maintenance", { write_frozen: 1 }, admin)).status, 422)
      assert.strictEqual((yield* send("/admin/api/v1/maintenance", undefined, { method: "GET" })).status, 401)
    })
  )

  it.effect("§1 a client's X-Request-Id is echoed where it is an identifier, else one is made", () =>
    Effect.gen(function* () {
      const health = (id: string) => send("/health", undefined, { method: "GET", headers: { "x-request-id": id } })
      assert.strictEqual((yield* health("till-7")).headers.get("x-request-id"), "till-7")
      assert.match((yield* health("-bad id-")).headers.get("x-request-id") ?? "", /^req_[0-9A-Za-z_]{12,}$/)
    })
  )

  const head = (length: number | string, more = "") =>
    `POST ${accruals} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer proto-dev-token\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
  const malformed: ReadonlyArray<readonly [string, string | Buffer, number, string]> = [
    ["a body cut off half way", `${head(100)}{"context":`, 400, "invalid_json"],
    // The request's own answer first: another one in its place would be taken for it.
    ["a Content-Length shorter than the body", `${head(2)}{}garbage`, 422, "validation_failed"],
    ["two Content-Lengths", `${head(2, "Content-Length: 3\r\n")}{}`, 400, "malformed_request"],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from(head(9)), Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d, 0x20])]),
      400,
      "invalid_json"
    ],
    [
      "two Authorization headers",
      `${head(2, "Authorization: Bearer other\r\nConnection: close\r\n")}{}`,
      401,
      "unauthorized"
    ],
    [
      "two Content-Types",
      `${head(2, "Content-Type: text/plain\r\nConnection: close\r\n")}{}`,
      415,
      "unsupported_media_type"
    ],
    ["no HTTP at all", "hello\r\n\r\n", 400, "malformed_request"],
    [
      "headers without end",
      `GET /health HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large"
    ]
  ]
  for (const [name, bytes, status, code] of malformed) {
    it.effect(`§1 ${name} is answered with a problem document`, () =>
      Effect.gen(function* () {
        const text = yield* raw(bytes)
        assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
        assert.include(text.toLowerCase(), "content-type: application/problem+json")
        assert.include(text, `"code":"${code}"`)
      })
    )
  }

  it.effect("§1 10,000 brackets are refused by the schema, wherever they stand", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(10_000) + "]".repeat(10_000)
      const body = JSON.stringify({ ...accrual(), order: { ...accrual().order, metadata: { x: "DEEP" } } }).replace(
        '"DEEP"',
        deep
      )
      const answer = yield* send(accruals, body)
      assert.strictEqual(answer.status, 422)
      assert.strictEqual((yield* send(accruals, `{"a":${deep}}`)).status, 422)
      assert.strictEqual((yield* send(accruals, deep)).status, 400)
    })
  )

  it.effect("§2 public routes need no token; the docs page needs no outside address", () =>
    Effect.gen(function* () {
      const open = (path: string) => send(path, undefined, { method: "GET", headers: { authorization: "" } })
      for (const path of [
        "/.well-known/proto",
        "/health",
        "/health/ready",
        "/openapi.json",
        "/docs",
        "/problems/not-found"
      ]) {
        assert.strictEqual((yield* open(path)).status, 200, path)
      }
      const docs = String((yield* open("/docs")).body["text"])
      assert.notMatch(docs, /<(?:script|link|img)[^>]*(?:src|href)=["']?https?:/i)
      assert.deepStrictEqual((yield* open("/.well-known/proto")).body, {
        protocol: "PROTO",
        protocol_version: "1.0",
        profiles: ["foodservice/1.0"],
        endpoints: { api: "/proto/v1", capabilities: "/proto/v1/capabilities", health: "/health" },
        authentication: ["bearer"]
      })
      assert.strictEqual((yield* open("/proto/v1/capabilities")).status, 401)
    })
  )
})
