/**
 * Tokens: what they grant, when they end, and how soon (contract/operators.md *Tokens*). Holds
 * contract/operators.md *Who may*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { openApi } from "../../../src/contract/OpenApi.ts"
import * as Bounds from "../../../src/desk/access/Bounds.ts"
import { digestOf, Keys } from "../../../src/desk/access/Keys.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import type { Issued } from "./Operators.ts"
import { bearer, following, get, issue, keptOpen, layer, pass, post, root, two, until } from "./Operators.ts"

const capabilities = "/proto/v1/capabilities"
const use = (secret: string) => TestServer.send(capabilities, undefined, { method: "GET", headers: bearer(secret) })
const status = (secret: string) => Effect.map(use(secret), (answer) => answer.status)
/** Where the tests' clock begins. */
const start = 0
const at = (ms: number) => new Date(ms).toISOString()

describe("a token", () => {
  it.effect("works at once, is stored as a hash alone, and is refused at once on open connections when revoked", () =>
    Effect.gen(function* () {
      const token = yield* issue({})
      assert.match(token.secret, /^lot_[\w-]{43}$/)
      const open = yield* keptOpen
      assert.strictEqual(yield* open(capabilities, bearer(token.secret)), 200)
      const revoked = yield* post(`/tokens/${token.token_id}/revoke`, { reason: "sold" })
      assert.deepStrictEqual([revoked.status, revoked.body["status"]], [200, "revoked"])
      assert.strictEqual(yield* open(capabilities, bearer(token.secret)), 401)
      const { query } = yield* PeoplePool
      for (const table of ["tokens", "token_secrets", "audit", "keyed_requests", "sessions"]) {
        const rows = yield* query(`SELECT ${table}::text AS row FROM ${table}`)
        assert.notInclude(JSON.stringify(rows), token.secret.slice(4, -4), table)
      }
      for (const path of ["rotate", "revoke"]) {
        assert.strictEqual((yield* post(`/tokens/nobody/${path}`, { reason: "x" })).status === 200, false)
      }
      assert.strictEqual((yield* post(`/tokens/${token.token_id}/rotate`, {})).body["code"], "invalid_state")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that somebody else revokes in the database is refused within a second on open connections", () =>
    Effect.gen(function* () {
      const token = yield* issue({})
      const open = yield* keptOpen
      const ask = Effect.map(open(capabilities, bearer(token.secret)), (code) => ({ status: code }))
      assert.strictEqual((yield* ask).status, 200)
      const { query } = yield* PeoplePool
      yield* query("UPDATE tokens SET revoked_at = 1 WHERE token_id = $1", [token.token_id])
      yield* until(ask, 401)
      yield* until(
        Effect.map(use("proto-dev-token"), ({ status: code }) => ({ status: code })),
        200
      )
    }).pipe(Effect.provide(following()))
  )

  it.effect("that another service issues or revokes is known here within a second, on open connections too", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const open = yield* Effect.provideContext(keptOpen, other)
      /** After a second of the clock; what the service reads then takes real time. */
      const within = (status: number, token: Issued) => {
        const ask = Effect.map(open(capabilities, bearer(token.secret)), (code) => ({ status: code }))
        return Effect.andThen(pass(1_000), until(ask, status, 0))
      }
      const token = yield* Effect.provideContext(issue({}), one)
      yield* within(200, token)
      yield* Effect.provideContext(post(`/tokens/${token.token_id}/revoke`, { reason: "sold" }), one)
      yield* within(401, token)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.effect("that another node has answered works here at once, over any surface, and is no guess", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const there = <A, E, R>(asked: Effect.Effect<A, E, R>) => Effect.provideContext(asked, other)
      // The clock stands still: nothing is polled.
      for (let n = 0; n < 2 * Bounds.maxWrongKeys; n++) {
        const { secret } = yield* Effect.provideContext(issue({}), one)
        assert.strictEqual(yield* there(status(secret)), 200)
      }
      const { secret, token_id } = yield* Effect.provideContext(issue({ scopes: ["admin:read", "admin:write"] }), one)
      assert.strictEqual((yield* there(post("/session", { key: secret }, { authorization: "" }))).status, 200)
      const rotated = yield* Effect.provideContext(post(`/tokens/${token_id}/rotate`, {}), one)
      assert.strictEqual((yield* there(get("/audit", bearer(String(rotated.body["secret"]))))).status, 200)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.effect("that is unknown is looked for once a minute, and not for longer than two seconds", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const digest = digestOf("no-token")
      let [looks, answers] = [0, 0]
      const ask = () => keys.ask("10.0.0.1", digest, () => answers++)
      assert.isFalse(ask(), "nobody looks")
      keys.listen(() => looks++)
      assert.isTrue(ask())
      yield* TestClock.adjust(Bounds.askedKeyMs - 1)
      keys.endDue()
      assert.deepStrictEqual([looks, answers], [1, 0])
      yield* TestClock.adjust(1)
      keys.endDue()
      assert.deepStrictEqual([looks, answers], [1, 1])
      keys.wrong.count("10.0.0.1", digest.toString("hex"))
      assert.isFalse(ask(), "it is wrong")
      yield* TestClock.adjust("1 minute")
      assert.isTrue(ask())
      for (let n = 1; n < Bounds.maxAskedKeys; n++) assert.isTrue(ask())
      assert.isFalse(ask(), "too many wait")
      keys.answer(keys.asked())
      assert.strictEqual(answers, 1 + Bounds.maxAskedKeys)
    }).pipe(Effect.provide(Keys.layer({ token: Redacted.make("t"), adminKey: Redacted.make("a"), tokens: [] })))
  )

  it.effect("that is rotated works with both secrets until the overlap is over", () =>
    Effect.gen(function* () {
      const token = yield* issue({})
      const rotated = yield* post(`/tokens/${token.token_id}/rotate`, { overlap_seconds: 60 })
      const next = rotated.body as unknown as Issued
      assert.deepStrictEqual([next.token_id, next.status], [token.token_id, "rotating"])
      yield* pass(59_000)
      assert.deepStrictEqual([yield* status(token.secret), yield* status(next.secret)], [200, 200])
      yield* pass(1_000)
      assert.deepStrictEqual([yield* status(token.secret), yield* status(next.secret)], [401, 200])
      const last = (yield* post(`/tokens/${token.token_id}/rotate`, { overlap_seconds: 0 })).body as unknown as Issued
      assert.deepStrictEqual([yield* status(next.secret), yield* status(last.secret)], [401, 200])
    }).pipe(Effect.provide(following()))
  )

  it.effect(
    "that is rotated works with its older secret for a day where nothing else is said; the hint is the newer's",
    () =>
      Effect.gen(function* () {
        const token = yield* issue({})
        const next = (yield* post(`/tokens/${token.token_id}/rotate`, {})).body as unknown as Issued & { hint: string }
        assert.strictEqual(next.hint, next.secret.slice(-4))
        const { query } = yield* PeoplePool
        const ends = yield* query("SELECT ends_at FROM token_secrets WHERE token_id = $1 ORDER BY ends_at", [
          token.token_id
        ])
        assert.deepStrictEqual(
          ends.map(({ ends_at }) => ends_at),
          [start + 86_400_000, null]
        )
      }).pipe(Effect.provide(layer()))
  )

  it.effect("ends when it expires, and grants at most what its issuer may, for no longer", () =>
    Effect.gen(function* () {
      const ends = at(start + 60_000)
      const issuer = yield* issue({ scopes: ["admin:read", "admin:write", "protocol:read"], expires_at: ends })
      const by = bearer(issuer.secret)
      const ask = (more: object) =>
        Effect.map(post("/tokens", { name: "x", scopes: ["protocol:read"], ...more }, by), ({ body, status: code }) => [
          code,
          body["expires_at"] ?? body["code"]
        ])
      assert.deepStrictEqual(yield* ask({ scopes: ["protocol:write"] }), [403, "forbidden"])
      assert.deepStrictEqual(yield* ask({ expires_at: at(start + 60_001) }), [422, "validation_failed"])
      assert.deepStrictEqual(yield* ask({ expires_at: at(start) }), [422, "validation_failed"])
      assert.deepStrictEqual(yield* ask({}), [201, ends])
      const child = yield* issue({}, by)
      // A secret of a token that could not have been issued is not given out either.
      const wide = yield* issue({ scopes: ["protocol:write"] })
      assert.strictEqual((yield* post(`/tokens/${wide.token_id}/rotate`, {}, by)).status, 403)
      const long = yield* issue({})
      assert.strictEqual((yield* post(`/tokens/${long.token_id}/rotate`, {}, by)).status, 403)
      assert.deepStrictEqual([yield* status(issuer.secret), yield* status(child.secret)], [200, 200])
      yield* pass(60_000)
      assert.deepStrictEqual([yield* status(issuer.secret), yield* status(child.secret)], [401, 401])
    }).pipe(Effect.provide(following()))
  )

  it.effect("is revoked with the one that issued it, and each is told of", () =>
    Effect.gen(function* () {
      const first = yield* issue({ scopes: ["admin:write", "admin:read", "protocol:read"] })
      const second = yield* issue({ scopes: ["admin:write", "protocol:read"] }, bearer(first.secret))
      const third = yield* issue({}, bearer(second.secret))
      yield* post(`/tokens/${first.token_id}/revoke`, { reason: "left" })
      for (const { secret } of [first, second, third]) assert.strictEqual(yield* status(secret), 401)
      const { body } = yield* get("/audit?action=token.revoke")
      const told = (body["entries"] as ReadonlyArray<{ readonly subject: { readonly id: string } }>).map(
        ({ subject }) => subject.id
      )
      assert.deepStrictEqual(told, [third.token_id, second.token_id, first.token_id])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("has its name in the audit, which finds its deeds by a part of the name", () =>
    Effect.gen(function* () {
      const made = { scopes: ["admin:write", "admin:read", "protocol:read"] }
      const first = yield* issue({ ...made, name: "Till at the 100% West_Side" })
      yield* issue({ name: "Made by the till" }, bearer(first.secret))
      yield* issue({ name: "Made by root" })
      const entries = (query: string) =>
        Effect.map(get(`/audit?action=token.create&${query}`), ({ body }) =>
          (body["entries"] as ReadonlyArray<{ readonly subject: object }>).map(({ subject }) =>
            "name" in subject ? subject.name : undefined
          )
        )
      for (const part of ["till AT", "100%25", "west_s", "Till at the 100%25 West_Side"])
        assert.deepStrictEqual(yield* entries(`actor=${part}`), ["Made by the till"], part)
      assert.deepStrictEqual(yield* entries("actor=ROO"), ["Made by root", "Till at the 100% West_Side"])
      assert.deepStrictEqual(yield* entries("actor=%25t"), [])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of the environment is listed without hint and dates, and not changed here", () =>
    Effect.gen(function* () {
      const { body } = yield* get("/tokens")
      const [sandbox] = body["tokens"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(sandbox, { name: "sandbox", created_by: "environment", status: "active" })
      for (const name of ["hint", "created_at", "last_used_at", "expires_at"]) assert.notProperty(sandbox, name)
      const refused = yield* post(`/tokens/${String(sandbox?.["token_id"])}/revoke`, { reason: "x" })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("used from an address for the first time is in the audit once, and shows when it was used last", () =>
    Effect.gen(function* () {
      const token = yield* issue({})
      const { headers } = yield* use(token.secret)
      for (let times = 0; times < 2; times++) yield* use(token.secret)
      const entries = Effect.map(
        get(`/audit?action=token.used_from_new_address&subject=${token.token_id}`),
        ({ body }) => body["entries"] as ReadonlyArray<Record<string, unknown>>
      )
      const told = Effect.map(entries, ({ length }) => length)
      const listed = Effect.map(get("/tokens"), ({ body }) =>
        (body["tokens"] as ReadonlyArray<Record<string, unknown>>).find((one) => one["token_id"] === token.token_id)
      )
      yield* until(
        Effect.map(told, (count) => ({ status: count })),
        1
      )
      yield* until(
        Effect.map(listed, (one) => ({ status: one?.["last_used_at"] === undefined ? 0 : 1 })),
        1
      )
      yield* use(token.secret)
      yield* pass(1_000)
      assert.strictEqual(yield* told, 1)
      assert.strictEqual((yield* entries)[0]?.["request_id"], headers.get("x-request-id"))
    }).pipe(Effect.provide(following()))
  )
})

describe("a token that is limited to a programme", () => {
  const grant = {
    token_sha256: hash("sha256", "limited-token-of-other"),
    scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write", "admin:read", "admin:write"],
    programs: ["other"]
  } as const
  const limited = bearer("limited-token-of-other")

  interface Operation {
    readonly operationId: string
    readonly parameters?: ReadonlyArray<{
      readonly name: string
      readonly in: string
      readonly example?: string
      readonly schema: { readonly examples?: ReadonlyArray<string> }
    }>
    readonly requestBody?: {
      readonly content: {
        readonly "application/json": { readonly examples: { readonly demo: { readonly value: unknown } } }
      }
    }
  }
  const { paths } = JSON.parse(JSON.stringify(openApi())) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }

  /** Shows nothing of a programme, or what is its own alone. */
  const harmless = [
    ...[
      "discovery.show",
      "platform.show",
      "health.show",
      "readiness.show",
      "capabilities.show",
      "guest_page.show",
      "session.create",
      "session.show",
      "session.end"
    ],
    // Signing in, the own account, and people, of whom it sees those of its own programmes.
    ...[
      "business.show",
      "session.ways",
      "session.provider",
      "session.provider_finish",
      "session.passkey_options",
      "session.passkey"
    ],
    ...["invitation.show", "invitation.accept", "passkey.options", "passkey.add", "passkey.remove"],
    ...["staff.list", "staff.own", "staff.language", "staff.own_sessions", "staff.end_own_sessions"],
    ...["maintenance.show", "token.list", "audit.list", "audit.export", "programs", "program.list", "connector.list"],
    ...["request.list", "connection.list"]
  ]

  it.effect(
    "is refused on every route that is of another programme or of all, and sees tokens and audit within its own",
    () =>
      Effect.gen(function* () {
        const mine = yield* issue({ programs: ["other"] })
        const all = yield* issue({})
        const served: Array<string> = []
        for (const [path, methods] of Object.entries(paths)) {
          for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
            const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
              const parameter = parameters.find((one) => one.in === "path" && one.name === name)
              return parameter?.example ?? parameter?.schema.examples?.[0] ?? "demo-foodservice"
            })
            const query = parameters.some(({ in: where, name }) => where === "query" && name === "program_id")
              ? "?program_id=demo-foodservice"
              : ""
            const body = requestBody?.content["application/json"].examples.demo.value
            const answer = yield* TestServer.send(`${place}${query}`, body, {
              method: method.toUpperCase(),
              headers: limited
            })
            // An answer to each item of a body: none of them was accepted.
            const items = answer.body["results"] as ReadonlyArray<{ readonly status: number }> | undefined
            if (items?.every((item) => item.status >= 400) === true) continue
            if (answer.status < 300 && !harmless.includes(operationId)) served.push(operationId)
          }
        }
        assert.deepStrictEqual(served, [])
        const { body } = yield* get("/tokens", limited)
        const seen = (body["tokens"] as ReadonlyArray<Issued>).map(({ token_id }) => token_id)
        assert.include(seen, mine.token_id)
        assert.notInclude(seen, all.token_id)
        assert.deepStrictEqual((yield* get("/audit", limited)).body["entries"], [])
        assert.isAbove(((yield* get("/audit")).body["entries"] as ReadonlyArray<unknown>).length, 1)
      }).pipe(Effect.provide(layer([grant])))
  )
})

describe("Idempotency-Key", () => {
  it.effect("answers the first result to the same body, once for a caller and route, and no secret again", () =>
    Effect.gen(function* () {
      const keyed = { ...root, "idempotency-key": "key-00001" }
      const request = { name: "Till", scopes: ["protocol:read"] }
      const both = yield* Effect.all([post("/tokens", request, keyed), post("/tokens", request, keyed)], {
        concurrency: 2
      })
      const ids = new Set(both.map(({ body }) => body["token_id"]))
      assert.deepStrictEqual([ids.size, ...both.map(({ status: code }) => code)], [1, 201, 201])
      const secrets = both.filter(({ body }) => "secret" in body)
      assert.strictEqual(secrets.length, 1)
      const replay = yield* post("/tokens", request, keyed)
      assert.deepStrictEqual(
        [replay.status, replay.headers.get("idempotent-replayed"), "secret" in replay.body],
        [201, "true", false]
      )
      assert.strictEqual(replay.body["secret_withheld"], true)
      const rotate = post(
        `/tokens/${String(replay.body["token_id"])}/rotate`,
        {},
        { ...root, "idempotency-key": "turn-0001" }
      )
      const turned = yield* rotate
      assert.deepStrictEqual([turned.status, "secret_withheld" in turned.body], [200, false])
      const { secret: _, ...rest } = turned.body
      const turnedAgain = yield* rotate
      assert.strictEqual(turnedAgain.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(turnedAgain.body, { ...rest, secret_withheld: true })
      assert.strictEqual(
        (yield* post("/tokens", { ...request, name: "x" }, keyed)).body["code"],
        "idempotency_conflict"
      )
      assert.strictEqual((yield* post("/maintenance", { write_frozen: false }, keyed)).status, 200)
      const admin = yield* issue({ scopes: ["admin:write", "protocol:read"] })
      const other = { ...bearer(admin.secret), "idempotency-key": "key-00001" }
      assert.notStrictEqual((yield* post("/tokens", request, other)).body["token_id"], replay.body["token_id"])
      assert.strictEqual((yield* post("/tokens", request, { ...root, "idempotency-key": "short" })).status, 422)
      // A refusal is no result: the key is free for what comes next.
      const next = { ...root, "idempotency-key": "key-00002" }
      assert.strictEqual((yield* post("/tokens/none/revoke", { reason: "x" }, next)).status, 404)
      assert.strictEqual((yield* post(`/tokens/${admin.token_id}/revoke`, { reason: "x" }, next)).status, 200)
    }).pipe(Effect.provide(layer()))
  )
})
