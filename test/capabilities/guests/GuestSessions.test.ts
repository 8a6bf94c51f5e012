/** contract/guests.md *Sessions*, *Links*: who signs in, what a session sees, and how it ends. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { cookieOf } from "../../../src/capabilities/guests/GuestCookie.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Page from "./Page.ts"

const { asked, bearer, link, program_id, rootKey, send, signedIn, spend, tokenOf } = Page
const minute = 60_000
const day = 24 * 60 * minute

const status = <R>(response: Effect.Effect<TestServer.Response, never, R>) =>
  Effect.map(response, (answer) => answer.status)

const sessionsOf = (browser: Page.Browser) =>
  Effect.map(
    send(browser, "GET", "/sessions"),
    ({ body }) => body["sessions"] as ReadonlyArray<Record<string, unknown> & { readonly session_id: string }>
  )

it.layer(Page.layer)("a guest who signs in by a link", (it) => {
  it.effect("gets a session whose cookie pages cannot read and other sites cannot send", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const made = yield* link("ada")
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.match(
        String(made.body["sign_in_url"]),
        new RegExp(`^http://localhost:\\d+/my/${program_id}#link=[\\w-]{43}$`)
      )
      const opened = yield* spend(tokenOf(made))
      assert.strictEqual(opened.status, 200, JSON.stringify(opened.body))
      const cookie = opened.headers.get("set-cookie") ?? ""
      assert.match(cookie, /^lotbook_guest=[\w-]{43}; Max-Age=7776000; Path=\/my\/api\/v1\/demo-foodservice; /)
      assert.include(cookie, "HttpOnly; SameSite=Strict")
      assert.match(
        cookieOf("points.example.com", "demo", "id"),
        /^__Secure-lotbook_guest=id; .*; HttpOnly; SameSite=Strict; Secure$/
      )
      const browser = Page.browserOf(opened)
      const shown = yield* send(browser, "GET", "/session")
      assert.deepStrictEqual([shown.status, shown.body], [200, opened.body["session"]])
      assert.deepInclude(shown.body, { by: "link", language: "en" })
      assert.notProperty(shown.body, "fresh_until")
    })
  )

  it.effect("spends the link, which works for 15 minutes and at its own programme", () =>
    Effect.gen(function* () {
      yield* enroll("bea")
      const token = tokenOf(yield* link("bea"))
      assert.strictEqual(yield* status(spend(token)), 200)
      assert.strictEqual(yield* status(spend(token)), 401)
      const late = tokenOf(yield* link("bea"))
      yield* TestClock.adjust(15 * minute)
      assert.strictEqual(yield* status(spend(late)), 401)
      assert.strictEqual(yield* status(spend("nothing")), 401)
      const rows = JSON.stringify(yield* TestDatabase.query("SELECT l::text AS row FROM guest_links l"))
      assert.notInclude(rows, Buffer.from(token).toString("hex"))
    })
  )

  it.effect(
    "makes a link only with members:write, once for a key, for a programme with a page, and told in the audit",
    () =>
      Effect.gen(function* () {
        yield* enroll("cleo")
        assert.strictEqual(yield* status(link("cleo", bearer("proto-dev-token"))), 201)
        assert.strictEqual(yield* status(link("cleo", { authorization: "" })), 401)
        assert.strictEqual(yield* status(link("nobody")), 404)
        const elsewhere = { program_id: "pageless", member_id: "cleo" }
        const refused = yield* TestServer.send("/platform/v1/members/sign-in-link", elsewhere, {
          headers: bearer("everything")
        })
        assert.strictEqual(refused.status, 404)
        const keyed = { ...bearer("everything"), "idempotency-key": "link-of-cleo" }
        const first = yield* link("cleo", keyed)
        const again = yield* link("cleo", keyed)
        assert.deepStrictEqual(again.body, { expires_at: first.body["expires_at"], secret_withheld: true })
        const kept = JSON.stringify(yield* TestDatabase.query("SELECT body FROM keyed_requests"))
        assert.notInclude(kept, tokenOf(first))
        const told = yield* TestDatabase.query(
          "SELECT count(*)::int AS n FROM audit WHERE action = 'member.sign_in_link' AND subject_id = 'cleo'"
        )
        assert.deepStrictEqual(told, [{ n: 2 }])
      })
  )

  it.effect("sees and ends the own sessions, and those of nobody else", () =>
    Effect.gen(function* () {
      yield* enroll("dora")
      yield* enroll("eve")
      const [phone, tablet, other] = [yield* signedIn("dora"), yield* signedIn("dora"), yield* signedIn("eve")]
      const all = yield* sessionsOf(phone)
      assert.lengthOf(all, 2)
      assert.strictEqual(all.filter(({ current }) => current === true).length, 1)
      const [ofOther] = yield* sessionsOf(other)
      for (const id of [ofOther?.session_id, "0", "%25", ""]) yield* send(phone, "DELETE", `/sessions/${id}`)
      assert.strictEqual(yield* status(send(other, "GET", "/session")), 200)
      const ofTablet = all.find(({ current }) => current !== true)?.session_id
      assert.strictEqual(yield* status(send(phone, "DELETE", `/sessions/${ofTablet}`)), 204)
      assert.strictEqual(yield* status(send(tablet, "GET", "/session")), 401)
      const out = yield* send(phone, "DELETE", "/session")
      assert.strictEqual(out.status, 204)
      assert.match(out.headers.get("set-cookie") ?? "", /^lotbook_guest=; Max-Age=0; Path=/)
      assert.strictEqual(yield* status(send(phone, "GET", "/session")), 401)
    })
  )

  it.effect("stays signed in for 90 days, whatever the guest does", () =>
    Effect.gen(function* () {
      yield* enroll("fay")
      const browser = yield* signedIn("fay")
      const pass = (days: number) =>
        TestDatabase.query(`UPDATE guest_sessions SET (began_at, seen_at, ends_at)
          = (began_at - ${days * day}, seen_at - ${days * day}, ends_at - ${days * day})`)
      yield* pass(89)
      assert.strictEqual(yield* status(send(browser, "GET", "/session")), 200)
      const [one] = yield* sessionsOf(browser)
      assert.isAbove(Date.parse(String(one?.["seen_at"])) - Date.parse(String(one?.["began_at"])), 88 * day)
      yield* pass(1)
      assert.strictEqual(yield* status(send(browser, "GET", "/session")), 401)
    })
  )

  it.effect("sees the guest who remains after a merge, and nobody after an erasure", () =>
    Effect.gen(function* () {
      yield* enroll("gus")
      yield* enroll("hal")
      const [browser, later] = [yield* signedIn("gus"), yield* link("gus")]
      const merged = yield* TestServer.send(
        `/admin/api/v1/members/${program_id}/merge`,
        { from: "gus", into: "hal", reason: "twice" },
        { headers: bearer(rootKey) }
      )
      assert.strictEqual(merged.status, 200, JSON.stringify(merged.body))
      const other = yield* signedIn("hal")
      assert.lengthOf(yield* sessionsOf(other), 2)
      assert.strictEqual(yield* status(send(browser, "GET", "/session")), 200)
      const byLink = Page.browserOf(yield* spend(tokenOf(later)))
      assert.lengthOf(yield* sessionsOf(byLink), 3)
      // As if it had begun while the merge was being written.
      yield* TestDatabase.query(
        "UPDATE guest_sessions SET account = (SELECT number FROM accounts WHERE member_id = 'gus') WHERE fresh_until IS NULL"
      )
      assert.lengthOf(yield* sessionsOf(byLink), 1)
      const kept = tokenOf(yield* link("hal"))
      const erased = yield* TestServer.send(
        "/platform/v1/members/erase",
        { program_id, member_id: "hal", reason: "asked" },
        { headers: bearer("everything") }
      )
      assert.strictEqual(erased.status, 200, JSON.stringify(erased.body))
      assert.strictEqual(yield* status(spend(kept)), 401)
      for (const one of [browser, other, byLink]) assert.strictEqual(yield* status(send(one, "GET", "/session")), 401)
      assert.strictEqual(yield* status(link("hal")), 409)
    })
  )

  it.effect("is signed in by no page of another site", () =>
    Effect.gen(function* () {
      yield* enroll("ivy")
      const token = tokenOf(yield* link("ivy"))
      const foreign = asked("POST", "/sign-in/link", { token }, { origin: "https://elsewhere.example" })
      assert.strictEqual(yield* status(foreign), 403)
      assert.strictEqual(
        yield* status(asked("POST", "/sign-in/link", { token }, { "sec-fetch-site": "cross-site" })),
        403
      )
      assert.strictEqual(yield* status(spend(token)), 200)
    })
  )
})

it.effect("a link works once on two nodes", () =>
  Effect.gen(function* () {
    const [one, other] = yield* Page.two
    yield* Effect.provide(enroll("kim"), one)
    const token = tokenOf(yield* Effect.provide(link("kim"), one))
    const both = yield* Effect.all(
      [one, other, one, other].map((node) => Effect.provide(status(spend(token)), node)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(both.toSorted(), [200, 401, 401, 401])
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)
