/** Passkeys and invitations (contract/people.md *Passkeys*, *Invitations*, *Own account*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/staff/Bounds.ts"
import * as Operators from "../operators/Operators.ts"
import { following, get, layer, page, post, root, two, until } from "../operators/Operators.ts"
import { Authenticator, type Lie } from "./Authenticator.ts"
import * as People from "./People.ts"

const nobody = { authorization: "" }

/** How many sessions of people there are. */
const sessions = Effect.flatMap(PeoplePool, ({ query }) =>
  Effect.map(query("SELECT 1 AS one FROM sessions WHERE user_id IS NOT NULL"), (rows) => rows.length)
)

/** Wrong attempts are as many as a test needs, from one address. */
const patient = Effect.andThen(TestClock.adjust("1 minute"), Effect.void)

describe("an invitation", () => {
  it.effect("leads to a passkey and a session, once, and leaves its secret nowhere", () =>
    Effect.gen(function* () {
      const { secret, status, user } = yield* People.invite("Maria@Example.com", "support")
      assert.deepStrictEqual([status, user.status], [201, "invited"])
      assert.strictEqual(user.invitation_ends_at, new Date(7 * 86_400_000).toISOString())
      const shown = yield* post("/staff/invitation", { invitation: secret }, nobody)
      assert.deepInclude(shown.body, { email: "Maria@Example.com", role: "support" })
      const authenticator = new Authenticator()
      const { body, session, status: opened } = yield* People.accept(secret, authenticator)
      assert.deepStrictEqual(
        [opened, body["user"]],
        [200, { user_id: user.user_id, email: "Maria@Example.com", role: "support" }]
      )
      const me = yield* get("/staff/me", page(session))
      assert.deepInclude(me.body, { user_id: user.user_id, status: "active", last_seen_at: new Date(0).toISOString() })
      assert.notInclude(JSON.stringify(me.body), "public_key")
      assert.notProperty(me.body, "invitation_ends_at")
      const again = yield* People.accept(secret, new Authenticator())
      assert.deepStrictEqual([again.status, again.body["code"]], [404, "not_found"])
      const signed = yield* People.signIn(authenticator)
      assert.strictEqual(signed.status, 200, JSON.stringify(signed.body))
      const { query } = yield* PeoplePool
      for (const table of ["users", "passkeys", "invitations", "audit", "keyed_requests", "sessions", "challenges"]) {
        const rows = yield* query(`SELECT ${table}::text AS row FROM ${table}`)
        assert.notInclude(JSON.stringify(rows), secret.slice(4, -4), table)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("tells the restaurants that it is limited to", () =>
    Effect.gen(function* () {
      const { secret } = yield* People.invite("fred@example.com", "finance", { franchisee_ids: ["ada-foods"] })
      const shown = yield* post("/staff/invitation", { invitation: secret }, nobody)
      assert.deepInclude(shown.body, { role: "finance", franchisee_ids: ["ada-foods"] })
      assert.notProperty(shown.body, "location_ids")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends after 7 days, by a newer one, and with a disabled user, and each says what to do", () =>
    Effect.gen(function* () {
      const first = yield* People.invite("first@example.com", "analyst")
      const { body, status } = yield* post(`/staff/${first.user.user_id}/invite`, undefined)
      assert.strictEqual(status, 200)
      const replaced = yield* post("/staff/invitation", { invitation: first.secret }, nobody)
      assert.deepStrictEqual([replaced.status, replaced.body["code"]], [404, "not_found"])
      yield* post(`/staff/${first.user.user_id}/disable`, { reason: "left" })
      const newest = People.secretOf(body["invitation_url"])
      assert.strictEqual((yield* post("/staff/invitation", { invitation: newest }, nobody)).status, 404)
      const refused = yield* post(`/staff/${first.user.user_id}/invite`, undefined)
      assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"])

      const late = yield* People.invite("late@example.com", "analyst")
      const shown = yield* post("/staff/invitation", { invitation: late.secret }, nobody)
      assert.deepStrictEqual([shown.status, shown.body["ends_at"]], [200, new Date(Bounds.invitationMs).toISOString()])
      // All but a second of the 7 days is over.
      const { query } = yield* PeoplePool
      yield* query("UPDATE invitations SET ends_at = 1000 WHERE user_id = $1", [late.user.user_id])
      yield* TestClock.adjust(999)
      assert.strictEqual((yield* post("/staff/invitation", { invitation: late.secret }, nobody)).status, 200)
      yield* TestClock.adjust(1)
      const over = yield* post("/staff/invitation", { invitation: late.secret }, nobody)
      assert.deepStrictEqual([over.status, over.body["code"]], [409, "expired"])
      assert.include(String(over.body["detail"]), "new one")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("makes no passkey of another origin, without a verified person, or of an old challenge", () =>
    Effect.gen(function* () {
      const { secret, user } = yield* People.invite("maria@example.com", "support")
      const lies: ReadonlyArray<Lie> = [
        { origin: "https://lotbook.example.com" },
        { origin: "http://localhost.example.com" },
        { host: "example.com" },
        { isUnverified: true },
        { challenge: "AAAA" },
        { type: "webauthn.get" }
      ]
      for (const lie of lies) {
        yield* patient
        const { body, status } = yield* People.accept(secret, new Authenticator(), lie)
        assert.deepStrictEqual([status, body["code"]], [422, "validation_failed"], JSON.stringify(lie))
      }
      const { body } = yield* get("/staff")
      assert.deepStrictEqual(
        (body["users"] as ReadonlyArray<People.User>).map(({ passkeys, status, user_id }) => [
          user_id,
          status,
          passkeys
        ]),
        [[user.user_id, "invited", []]]
      )
      assert.strictEqual(yield* sessions, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is accepted once where two browsers accept it at the same time", () =>
    Effect.gen(function* () {
      const { secret } = yield* People.invite("maria@example.com", "support")
      const both = yield* Effect.all(
        [People.accept(secret, new Authenticator()), People.accept(secret, new Authenticator())],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 404])
    }).pipe(Effect.provide(layer()))
  )
})

describe("signing in with a passkey", () => {
  it.effect(
    "is refused for another origin or host, an unverified person, a forged answer, a counter that goes back",
    () =>
      Effect.gen(function* () {
        const { authenticator } = yield* People.person("owner")
        assert.strictEqual((yield* People.signIn(authenticator)).status, 200)
        const before = yield* sessions
        const lies: ReadonlyArray<Lie> = [
          { origin: "https://lotbook.example.com" },
          { host: "lotbook.example.com" },
          { isUnverified: true },
          { isForged: true },
          { challenge: "AAAA" },
          { type: "webauthn.create" },
          { counter: 0 },
          { counter: 1 }
        ]
        for (const lie of lies) {
          yield* patient
          const { body, status } = yield* People.signIn(authenticator, lie)
          assert.deepStrictEqual([status, body["code"]], [401, "unauthorized"], JSON.stringify(lie))
        }
        yield* patient
        assert.strictEqual((yield* People.signIn(new Authenticator())).status, 401)
        assert.strictEqual(yield* sessions, before)
        assert.strictEqual((yield* People.signIn(authenticator)).status, 200)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("uses a challenge up, also by a refused answer, and takes none after 5 minutes or of another purpose", () =>
    Effect.gen(function* () {
      const { authenticator, page: own } = yield* People.person("owner")
      const options = yield* People.asked
      authenticator.counter++
      assert.strictEqual((yield* People.send(authenticator.sign(options, { isForged: true }))).status, 401)
      authenticator.counter++
      assert.strictEqual((yield* People.send(authenticator.sign(options))).status, 401)
      const late = yield* People.asked
      yield* TestClock.adjust(Bounds.challengeMs)
      authenticator.counter++
      assert.strictEqual((yield* People.send(authenticator.sign(late))).status, 401)
      const other = yield* post("/staff/me/passkeys/options", undefined, own)
      authenticator.counter++
      const { status } = yield* People.send(authenticator.sign(other.body["options"] as { challenge: string }))
      assert.strictEqual(status, 401)
      const good = yield* People.asked
      authenticator.counter++
      const answer = authenticator.sign(good)
      assert.strictEqual((yield* People.send(answer)).status, 200)
      assert.strictEqual((yield* People.send(answer)).status, 401)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("slows down who guesses, as wrong keys do, and leaves an entry in the audit", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* People.send({ id: "x" })).status, 401)
      assert.strictEqual((yield* People.send({ id: "x" })).status, 429)
      assert.strictEqual((yield* post("/staff/invitation", { invitation: "x" }, nobody)).status, 429)
      const { query } = yield* PeoplePool
      const told = yield* query("SELECT 1 AS one FROM audit WHERE action = 'session.refused'")
      assert.strictEqual(told.length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "works on a node that did not make the challenge, and a removed passkey ends its sessions on all within a second",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [one, other] = yield* two
          const { authenticator, page: own } = yield* Effect.provide(People.person("owner"), one)
          const options = yield* Effect.provide(People.asked, one)
          authenticator.counter++
          const signed = yield* Effect.provide(People.send(authenticator.sign(options)), other)
          assert.strictEqual(signed.status, 200)

          const second = new Authenticator()
          const made = yield* Effect.provide(post("/staff/me/passkeys/options", undefined, own), other)
          const credential = second.make(made.body["options"] as { challenge: string })
          const added = yield* Effect.provide(post("/staff/me/passkeys", { name: "Phone", credential }, own), one)
          assert.strictEqual(added.status, 201, JSON.stringify(added.body))
          const { session } = yield* Effect.provide(People.signIn(second), one)
          const first = (added.body as unknown as People.User).passkeys.find(({ name }) => name === "Laptop")
          const removed = yield* Effect.provide(
            post(`/staff/me/passkeys/${first?.passkey_id}/remove`, undefined, page(session)),
            one
          )
          assert.strictEqual(removed.status, 200, JSON.stringify(removed.body))
          const ask = Effect.provide(get("/staff/me", page(signed.session)), other)
          yield* until(ask, 401)
          assert.strictEqual((yield* Effect.provide(get("/staff/me", page(session)), other)).status, 200)
          const [last] = (removed.body as unknown as People.User).passkeys
          const kept = yield* Effect.provide(
            post(`/staff/me/passkeys/${last?.passkey_id}/remove`, undefined, page(session)),
            one
          )
          assert.deepStrictEqual([kept.status, kept.body["code"]], [409, "invalid_state"])
        })
      ).pipe(Effect.provide(Operators.database))
  )
})

describe("an owner", () => {
  it.effect(
    "removes the passkeys of a device in other hands: it is out at once, and a new invitation makes another one",
    () =>
      Effect.gen(function* () {
        const owner = yield* People.person("owner")
        const { authenticator, page: own, user } = yield* People.person("support")
        const remove = (id: string, headers: Record<string, string>) =>
          post(`/staff/${id}/passkeys/remove`, { reason: "stolen" }, headers)
        const removed = yield* remove(user.user_id, owner.page)
        assert.deepInclude(removed.body, { status: "invited", passkeys: [] })
        yield* until(get("/session", own), 401)
        assert.strictEqual((yield* People.signIn(authenticator)).status, 401)
        const { body } = yield* post(`/staff/${user.user_id}/invite`, undefined, owner.page)
        const again = yield* People.accept(People.secretOf(body["invitation_url"]), new Authenticator())
        assert.strictEqual(again.status, 200)
        assert.strictEqual((yield* remove(owner.user.user_id, root)).body["code"], "invalid_state")
        assert.strictEqual((yield* remove(user.user_id, own)).status, 401)
      }).pipe(Effect.provide(following()))
  )
})

describe("the own account", () => {
  it.effect("shows the sessions, ends one or all others, and belongs to people alone", () =>
    Effect.gen(function* () {
      const { authenticator, page: own, user } = yield* People.person("support")
      const { session: second } = yield* People.signIn(authenticator)
      yield* People.signIn(authenticator)
      // The row of a session that is over since yesterday.
      const { query } = yield* PeoplePool
      yield* query(
        `INSERT INTO sessions (hash, key_hash, began_at, seen_at, user_id, device, address)
          VALUES ('', '', -86400000, -86400000, $1, 'Firefox', '10.0.0.1')`,
        [user.user_id]
      )
      const listed = (yield* get("/staff/me/sessions", own)).body["sessions"] as ReadonlyArray<{
        readonly session_id: string
        readonly is_this: boolean
        readonly device: string
        readonly address: string
      }>
      assert.deepStrictEqual(listed.map(({ address, is_this }) => [address, is_this]).toSorted(), [
        ["127.0.0.1", false],
        ["127.0.0.1", false],
        ["127.0.0.1", true]
      ])
      const other = listed.find(({ is_this }) => !is_this)
      const ended = yield* post("/staff/me/sessions/end", { session_id: other?.session_id }, own)
      assert.deepStrictEqual(ended.body, { ended: 1 })
      assert.deepStrictEqual((yield* post("/staff/me/sessions/end", {}, own)).body, { ended: 1 })
      yield* until(get("/session", page(second)), 401)
      assert.strictEqual((yield* get("/staff/me", own)).status, 200)
      const phoneOf = new Authenticator()
      const made = yield* post("/staff/me/passkeys/options", undefined, own)
      const credential = phoneOf.make(made.body["options"] as { challenge: string })
      const added = yield* post("/staff/me/passkeys", { name: "Phone", credential }, own)
      const phone = (added.body as unknown as People.User).passkeys.find(({ name }) => name === "Phone")
      const rename = (id: string | undefined, name: string) => post(`/staff/me/passkeys/${id}/rename`, { name }, own)
      const renamed = yield* rename(phone?.passkey_id, "Old phone")
      assert.deepStrictEqual(
        (renamed.body as unknown as People.User).passkeys.map(({ name }) => name),
        ["Laptop", "Old phone"]
      )
      assert.strictEqual((yield* rename(phone?.passkey_id, "")).status, 422)
      const { user: stranger } = yield* People.person("analyst")
      assert.strictEqual((yield* rename(stranger.passkeys[0]?.passkey_id, "Mine")).status, 404)
      yield* post(`/staff/me/passkeys/${phone?.passkey_id}/remove`, undefined, own)
      const told = yield* query("SELECT action FROM audit WHERE user_id = $1 ORDER BY chain, n", [user.user_id])
      assert.deepStrictEqual(
        told.map(({ action }) => action),
        [
          "passkey.add",
          ...Array.from({ length: 3 }, () => "session.begin"),
          "staff.end_sessions",
          "staff.end_sessions",
          "passkey.add",
          "passkey.rename",
          "passkey.remove"
        ]
      )
      const key = page(yield* Operators.signIn(Operators.rootKey))
      assert.strictEqual((yield* get("/staff/me", key)).status, 403)
      assert.strictEqual((yield* get("/staff/me", root)).status, 401)
    }).pipe(Effect.provide(following()))
  )
})

describe("the language of a person", () => {
  it.effect(
    "comes with the invitation, is chosen in the own account, and is told to every page and kept in the audit",
    () =>
      Effect.gen(function* () {
        const { secret, user } = yield* People.invite("maria@example.com", "support", { language: "de" })
        assert.deepInclude(user, { language: "de" })
        assert.deepInclude((yield* post("/staff/invitation", { invitation: secret }, nobody)).body, { language: "de" })
        const { body, session } = yield* People.accept(secret, new Authenticator())
        assert.deepInclude(body["user"], { language: "de" })
        const own = page(session)
        const chosen = yield* post("/staff/me/language", { language: "en" }, own)
        assert.deepInclude(chosen.body, { user_id: user.user_id, language: "en" })
        assert.deepInclude((yield* get("/session", own)).body["user"], { language: "en" })
        yield* post("/staff/me/language", { language: "en" }, own)
        const { query } = yield* PeoplePool
        const told = yield* query("SELECT changes::jsonb->'after' AS after FROM audit WHERE action = 'staff.language'")
        assert.deepStrictEqual(told, [{ after: { language: "en" } }])
        assert.strictEqual((yield* post("/staff/me/language", { language: "fr" }, own)).status, 422)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("is that of the page on which she makes her first passkey, and later her own choice", () =>
    Effect.gen(function* () {
      const { secret, user } = yield* People.invite("maria@example.com", "support", { language: "de" })
      const { body, session } = yield* People.accept(secret, new Authenticator(), {}, { language: "en" })
      assert.deepInclude(body["user"], { language: "en" })
      yield* get("/staff/me", page(session))
      yield* post("/staff/me/language", { language: "de" }, page(session))
      const { query } = yield* PeoplePool
      yield* query("UPDATE users SET last_seen_at = created_at WHERE user_id = $1", [user.user_id])
      const again = People.secretOf(
        (yield* post(`/staff/${user.user_id}/invite`, undefined, root)).body["invitation_url"]
      )
      const later = yield* People.accept(again, new Authenticator(), {}, { language: "en" })
      assert.deepInclude(later.body["user"], { language: "de" })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is nobody's until it is chosen, and no key has one", () =>
    Effect.gen(function* () {
      const { page: own } = yield* People.person("analyst")
      assert.notProperty((yield* get("/session", own)).body["user"], "language")
      assert.notProperty((yield* get("/staff/me", own)).body, "language")
      const key = page(yield* Operators.signIn(Operators.rootKey))
      assert.strictEqual((yield* post("/staff/me/language", { language: "de" }, key)).status, 403)
    }).pipe(Effect.provide(layer()))
  )
})
