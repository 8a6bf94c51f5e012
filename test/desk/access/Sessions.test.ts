/**
 * Sessions by cookie, CSRF, and guessing (contract/operators.md *Sessions*). Holds
 * contract/operators.md *Wrong keys*, *Machine time*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { machineTime } from "../../../src/base/time/Times.ts"
import * as Bounds from "../../../src/desk/access/Bounds.ts"
import { digestOf, Keys } from "../../../src/desk/access/Keys.ts"
import { cookieOf, KnownSessions, sessionIdIn } from "../../../src/desk/access/Sessions.ts"
import { networkOf, WrongKeys } from "../../../src/desk/access/WrongKeys.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import {
  bearer,
  get,
  issue,
  keptOpen,
  layer,
  page,
  pass,
  post,
  rootKey,
  signIn,
  two,
  until
} from "../../capabilities/operators/Operators.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const minute = 60_000
const development = { token: Redacted.make("t"), adminKey: Redacted.make(rootKey), tokens: [] }
const digest = digestOf(rootKey)
const cookieOnly = (cookie: string) => ({ authorization: "", cookie })

describe("a session", () => {
  it.effect("is opened by a key, shows itself to a page that was reloaded, and ends at once", () =>
    Effect.gen(function* () {
      const before = { cookie: `lotbook_session=${"A".repeat(43)}` }
      const opened = yield* post("/session", { key: rootKey }, { authorization: "", ...before })
      assert.strictEqual(opened.status, 200)
      const set = opened.headers.get("set-cookie") ?? ""
      // An id that was there before is never taken over.
      assert.notInclude(set, "A".repeat(43))
      assert.match(set, /^lotbook_session=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/)
      const session = { cookie: set.split(";")[0] ?? "", csrf: String(opened.body["csrf_token"]) }
      assert.deepStrictEqual((yield* get("/session", cookieOnly(session.cookie))).body, opened.body)
      assert.strictEqual((yield* get("/tokens", cookieOnly(session.cookie))).status, 200)
      assert.strictEqual((yield* post("/session/end", {}, page(session))).status, 204)
      assert.strictEqual((yield* get("/session", cookieOnly(session.cookie))).status, 401)
      const ended = yield* get("/tokens", cookieOnly(session.cookie))
      assert.deepStrictEqual([ended.status, ended.body["detail"]], [401, "There is no session; sign in."])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends after 30 idle minutes", () =>
    Effect.gen(function* () {
      const idle = yield* signIn(rootKey)
      const busy = yield* signIn(rootKey)
      const status = ({ cookie }: typeof busy) => Effect.map(get("/session", cookieOnly(cookie)), (one) => one.status)
      yield* pass(29 * minute)
      assert.deepStrictEqual([yield* status(busy)], [200])
      yield* pass(1 * minute)
      assert.deepStrictEqual([yield* status(idle), yield* status(busy)], [401, 200])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends after 8 hours whatever is done", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const sessions = new KnownSessions(keys)
      const { id, row } = sessions.begin({ keyHash: keys.sessionHash(keys.adminKey(digest)!, digest) })
      sessions.add(row)
      for (let passed = 20; passed < 8 * 60; passed += 20) {
        yield* TestClock.adjust("20 minutes")
        assert.isDefined(sessions.find(id))
      }
      yield* TestClock.adjust("20 minutes")
      assert.isUndefined(sessions.find(id))
    }).pipe(Effect.provide(Keys.layer(development)))
  )

  it.effect("has its key's scopes, ends with it, and means nothing on /proto/v1", () =>
    Effect.gen(function* () {
      const reader = yield* issue({ scopes: ["admin:read", "protocol:read"] })
      const session = yield* signIn(reader.secret)
      assert.strictEqual((yield* get("/audit", cookieOnly(session.cookie))).status, 200)
      // The scope is checked before the token against forged requests.
      for (const headers of [page(session), cookieOnly(session.cookie)])
        assert.strictEqual((yield* post("/maintenance", { write_frozen: false }, headers)).body["code"], "forbidden")
      const capabilities = { method: "GET", headers: cookieOnly(session.cookie) }
      assert.strictEqual((yield* TestServer.send("/proto/v1/capabilities", undefined, capabilities)).status, 401)
      yield* post(`/tokens/${reader.token_id}/revoke`, { reason: "left" })
      assert.strictEqual((yield* get("/audit", cookieOnly(session.cookie))).status, 401)
      const till = yield* issue({ scopes: ["protocol:read"] })
      assert.strictEqual((yield* post("/session", { key: till.secret }, { authorization: "" })).status, 403)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("takes no write without its own CSRF token from a page of this service", () =>
    Effect.gen(function* () {
      const session = yield* signIn(rootKey)
      const other = yield* signIn(rootKey)
      const port = yield* TestServer.port
      const own = page(session)
      const write = (headers: Record<string, string>) =>
        Effect.map(post("/maintenance", { write_frozen: false }, headers), ({ body, status }) => [status, body["code"]])
      const refused = [403, "csrf_failed"]
      assert.deepStrictEqual(yield* write(cookieOnly(session.cookie)), refused)
      assert.deepStrictEqual(yield* write({ ...own, "x-csrf-token": "wrong" }), refused)
      assert.deepStrictEqual(yield* write({ ...own, "x-csrf-token": other.csrf }), refused)
      for (const origin of ["https://evil.example", "null", `http://127.0.0.1:${port + 1}`, "file://"]) {
        assert.deepStrictEqual(yield* write({ ...own, origin }), refused, origin)
      }
      for (const site of ["cross-site", "same-site", "none"]) {
        assert.deepStrictEqual(yield* write({ ...own, "sec-fetch-site": site }), refused, site)
      }
      // A form posts without being asked for leave; it cannot set the header.
      const form = { ...cookieOnly(session.cookie), "content-type": "text/plain" }
      assert.deepStrictEqual(yield* write(form), refused)
      assert.deepStrictEqual(yield* write({ ...own, "content-type": "text/plain" }), [415, "unsupported_media_type"])
      const good = { ...own, origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" }
      assert.deepStrictEqual(yield* write(good), [200, undefined])
      // This check comes before the write freeze.
      yield* post("/maintenance", { write_frozen: true })
      const frozen = (headers: Record<string, string>) =>
        Effect.map(post("/programs/publish", {}, headers), ({ body }) => body["code"])
      assert.deepStrictEqual(
        [yield* frozen(cookieOnly(session.cookie)), yield* frozen(own)],
        ["csrf_failed", "write_frozen"]
      )
      // A bearer needs none, also where a cookie comes along.
      assert.deepStrictEqual(yield* write({ authorization: `Bearer ${rootKey}`, cookie: session.cookie }), [
        200,
        undefined
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is one on every node: begun on one, found on another, and ended on all", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const session = yield* Effect.provide(signIn(rootKey), one)
      const shown = get("/session", cookieOnly(session.cookie))
      // Without a wait: the other node looks for it.
      assert.strictEqual((yield* Effect.provide(shown, other)).status, 200)
      assert.strictEqual((yield* Effect.provide(post("/session/end", {}, page(session)), other)).status, 204)
      assert.strictEqual((yield* Effect.provide(shown, other)).status, 401)
      yield* Effect.provide(until(shown, 401), one)
      const unknown = get("/session", cookieOnly(`lotbook_session=${"A".repeat(43)}`))
      assert.strictEqual((yield* Effect.provide(unknown, one)).status, 401)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.effect("stays while another node hears from it, and ends if none does", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const [one, other] = [new KnownSessions(keys), new KnownSessions(keys)]
      const { id, row } = one.begin({ keyHash: keys.sessionHash(keys.adminKey(digest)!, digest) })
      for (const node of [one, other]) node.add(row)
      yield* TestClock.adjust("29 minutes")
      assert.isDefined(one.find(id))
      const [seen] = one.takeNews().seen
      yield* TestClock.adjust("2 minutes")
      other.look().answer([seen!])
      assert.deepStrictEqual(other.takeNews().ended, [])
      assert.isDefined(other.find(id))
      yield* TestClock.adjust("30 minutes")
      assert.isUndefined(other.find(id))
    }).pipe(Effect.provide(Keys.layer(development)))
  )

  it("has a cookie for this host alone off loopback, and only the one of its kind counts", () => {
    const id = "x".repeat(43)
    assert.match(
      cookieOf("loyalty.example", id),
      /^__Host-lotbook_session=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/
    )
    for (const host of ["localhost:3210", "127.0.0.1", "[::1]:80", "app.localhost"]) {
      assert.notInclude(cookieOf(host, id), "Secure")
    }
    assert.strictEqual(sessionIdIn("loyalty.example", `a=b; __Host-lotbook_session=${id}`), id)
    assert.isUndefined(sessionIdIn("loyalty.example", `lotbook_session=${id}`))
    assert.isUndefined(sessionIdIn("localhost", `lotbook_session=${id}; lotbook_session=${id}`))
  })

  it.effect("is good again after a restart, from what the table has", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const before = new KnownSessions(keys)
      const { id, row } = before.begin({ keyHash: keys.sessionHash(keys.adminKey(digest)!, digest) })
      const after = new KnownSessions(keys)
      after.onAsked(() => undefined)
      assert.isTrue(after.ask(id, () => undefined))
      after.look().answer([row])
      assert.strictEqual(after.find(id)?.caller.name, "root")
    }).pipe(Effect.provide(Keys.layer(development)))
  )

  it.effect("ends with the key that signed in: not after a restart, but after one with another PROTO_ADMIN_KEY", () =>
    Effect.gen(function* () {
      const known = (adminKey: string) =>
        Effect.provide(
          Effect.map(Keys, (keys) => new KnownSessions(keys)),
          Keys.layer({ ...development, adminKey: Redacted.make(adminKey) })
        )
      const { id, row } = yield* Effect.map(Keys, (keys) =>
        new KnownSessions(keys).begin({ keyHash: keys.sessionHash(keys.adminKey(digest)!, digest) })
      ).pipe(Effect.provide(Keys.layer(development)))
      const [same, other] = [yield* known(rootKey), yield* known("another-admin-key")]
      for (const sessions of [same, other]) sessions.add(row)
      assert.strictEqual(same.find(id)?.caller.name, "root")
      assert.isUndefined(other.find(id))
    })
  )
})

describe("guessing", () => {
  it.effect("is slowed: ten wrong keys in a minute block an address for a minute, then for two", () =>
    Effect.gen(function* () {
      const wrong = new WrongKeys(yield* machineTime)
      const guess = (address: string, times: number) => {
        for (let n = 0; n < times; n++) wrong.count(address)
        return wrong.blockedFor(address)
      }
      assert.strictEqual(guess("10.0.0.1", 9), 0)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(guess("10.0.0.1", 9), 0)
      assert.strictEqual(guess("10.0.0.1", 1), 60)
      assert.strictEqual(wrong.blockedFor("10.0.0.2"), 0)
      for (const seconds of [120, 240, 480, 900, 900]) {
        yield* TestClock.adjust("20 minutes")
        assert.strictEqual(wrong.blockedFor("10.0.0.1"), 0)
        assert.strictEqual(guess("10.0.0.1", 10), seconds)
      }
      yield* TestClock.adjust("2 days")
      assert.strictEqual(guess("10.0.0.1", 10), 60)
      // IPv6 counts by /64.
      guess("2001:db8::1", 5)
      assert.strictEqual(guess("2001:db8:0:0:ffff::2", 5), 60)
      assert.strictEqual(networkOf("2001:DB8::1"), "2001:db8:0:0::/64")
    })
  )

  it.effect("is looked at ten times at the same instant, and what comes back wrong makes one block of a minute", () =>
    Effect.gen(function* () {
      const wrong = new WrongKeys(yield* machineTime)
      const waits = Array.from({ length: 24 }, () => wrong.enter("10.0.0.1"))
      assert.deepStrictEqual([waits.filter((wait) => wait === 0).length, new Set(waits)], [10, new Set([0, 1])])
      assert.strictEqual(wrong.waitFor("10.0.0.2"), 0)
      // A right one gives its place back.
      wrong.leave("10.0.0.1")
      assert.strictEqual(wrong.enter("10.0.0.1"), 0)
      for (let n = 0; n < 10; n++) {
        wrong.count("10.0.0.1")
        wrong.leave("10.0.0.1")
      }
      // Further ones that were on their way, or that other nodes tell of.
      for (let n = 0; n < 24; n++) wrong.count("10.0.0.1")
      wrong.learn([{ network: "10.0.0.1", key: "k" }])
      assert.strictEqual(wrong.enter("10.0.0.1"), 60)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(wrong.enter("10.0.0.1"), 0)
    })
  )

  it.effect("knows for a day from where a key that people chose was right, of so many keys as it may hold", () =>
    Effect.gen(function* () {
      const wrong = new WrongKeys(yield* machineTime)
      wrong.wasRight("2001:db8::1", "digest")
      assert.isTrue(wrong.isKnownFrom("2001:db8::2", "digest"))
      assert.isFalse(wrong.isKnownFrom("2001:db8:0:1::1", "digest"))
      assert.isFalse(wrong.isKnownFrom("2001:db8::1", "other"))
      yield* TestClock.adjust("1 day")
      assert.isFalse(wrong.isKnownFrom("2001:db8::1", "digest"))
      wrong.wasRight("10.0.0.1", "first")
      for (let n = 0; n < Bounds.maxRightKeys; n++) wrong.wasRight("10.0.0.1", `${n}`)
      assert.isFalse(wrong.isKnownFrom("10.0.0.1", "first"))
    })
  )

  it.effect(
    "at the same instant: ten of 24 are looked at, as bearers and to sign in; the first block is a minute",
    () =>
      Effect.gen(function* () {
        const ways = [
          (n: number) => get("/audit", { authorization: `Bearer wrong-${n}` }),
          (n: number) => post("/session", { key: `wrong-${n}` }, { authorization: "" }),
          (n: number) => post("/staff/invitation", { invitation: `inv_wrong-${n}` }, { authorization: "" })
        ]
        for (const [index, way] of ways.entries()) {
          const answers = yield* Effect.forEach(
            Array.from({ length: 24 }, (_, n) => n),
            way,
            { concurrency: 24 }
          )
          const statuses = answers.map(({ status }) => status)
          assert.deepStrictEqual(
            [statuses.filter((one) => one === 401 || one === 404).length, statuses.filter((one) => one === 429).length],
            [10, 14]
          )
          assert.strictEqual((yield* way(24)).headers.get("retry-after"), String(60 * 2 ** index))
          yield* pass(2 ** index * minute)
        }
      }).pipe(Effect.provide(layer()))
  )

  it.effect("stops no right token of its address: ours pass, and so does a chosen one that was right from there", () =>
    Effect.gen(function* () {
      const { body } = yield* post("/tokens", { name: "till", scopes: ["protocol:read"] })
      const status = (token: string) =>
        Effect.map(
          TestServer.send("/proto/v1/capabilities", undefined, {
            method: "GET",
            headers: { authorization: `Bearer ${token}` }
          }),
          (answer) => answer.status
        )
      for (let n = 0; n < 10; n++) assert.strictEqual(yield* status(`wrong-${n}`), 401)
      assert.strictEqual(yield* status("wrong"), 429)
      assert.strictEqual(yield* status(String(body["secret"])), 200)
      assert.strictEqual(yield* status(`lot_${"x".repeat(43)}`), 429)
      // The admin key made the token from here; the sandbox token was never used from here.
      assert.strictEqual((yield* get("/audit")).status, 200)
      assert.strictEqual((yield* post("/session", { key: rootKey }, { authorization: "" })).status, 200)
      assert.strictEqual(yield* status("proto-dev-token"), 429)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is refused on every surface, while a connection that is known goes on", () =>
    Effect.gen(function* () {
      const known = yield* keptOpen
      const capabilities = "/proto/v1/capabilities"
      const good = { authorization: "Bearer proto-dev-token" }
      assert.strictEqual(yield* known(capabilities, good), 200)
      const protocol = (authorization: string) =>
        TestServer.send(capabilities, undefined, { method: "GET", headers: { authorization } })
      for (let n = 0; n < 4; n++) assert.strictEqual((yield* protocol(`Bearer wrong-${n}`)).status, 401)
      // The same wrong bearer again is a till with an old token, and no guess.
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* protocol("Bearer wrong-0")).status, 401)
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* get("/audit", { authorization: `Bearer no-${n}` })).status, 401)
      }
      const attempt = (key: string) => post("/session", { key }, { authorization: "" })
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* attempt("wrong")).status, 401)
      const refused = yield* attempt("wrong")
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "60"])
      const bearer = yield* protocol("Bearer wrong")
      assert.deepStrictEqual([bearer.status, bearer.headers.get("retry-after")], [429, "60"])
      assert.strictEqual(yield* known(capabilities, good), 200)
      yield* pass(minute)
      assert.strictEqual((yield* attempt(rootKey)).status, 200)
      // One entry of refused sign-ins for an address and minute.
      const told = yield* get("/audit?action=session.refused")
      assert.strictEqual((told.body["entries"] as ReadonlyArray<unknown>).length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is counted by all nodes together, and blocked on every one", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const ask = (key: string) =>
        TestServer.send("/proto/v1/capabilities", undefined, { method: "GET", headers: bearer(key) })
      const guess = (from: number, to: number) =>
        Effect.forEach(
          Array.from({ length: to - from }, (_, n) => `wrong-${from + n}`),
          (key) => Effect.map(ask(key), ({ status }) => assert.strictEqual(status, 401))
        )
      // A till's old token counts once, whichever nodes it comes to.
      for (const node of [one, other]) yield* Effect.provide(guess(0, 5), node)
      yield* pass(1_000)
      for (const node of [one, other]) yield* Effect.provide(guess(0, 1), node)
      yield* Effect.provide(guess(5, 8), one)
      yield* Effect.provide(guess(8, 10), other)
      for (const node of [one, other]) yield* Effect.provide(until(ask("wrong-0"), 429), node)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )
})
