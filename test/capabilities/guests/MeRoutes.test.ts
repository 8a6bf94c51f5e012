/** contract/guests.md *What a guest sees*, *Wrong codes*, *All data*, over HTTP: each guest has her own, and nobody else's. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, storageUnavailable } from "../../../src/base/database/Pools.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import * as Bounds from "../../../src/capabilities/guests/Bounds.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Page from "./Page.ts"

const { asked, bearer, program_id, send, signedIn } = Page

const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)

const keyed = ({ cookie, csrf }: Page.Browser, key: string, reward_id: string) =>
  asked("POST", "/rewards", { reward_id }, { cookie, "x-csrf-token": csrf, "idempotency-key": key })

const kept = Effect.fnUntraced(function* (id: string) {
  const order = Testing.order(id, 1_000, Testing.placedAt(yield* serviceNow))
  const headers = bearer("everything")
  const { body, status } = yield* TestServer.send(
    "/platform/v1/orders",
    { program_id, order },
    { method: "PUT", headers }
  )
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
})

const pointsOf = (browser: Page.Browser) =>
  Effect.map(
    send(browser, "GET", "/me"),
    ({ body }) => (body["balances"] as ReadonlyArray<{ readonly points: number }>)[0]?.points
  )

const freshen = (member: string) =>
  TestDatabase.query(
    `UPDATE guest_sessions SET fresh_until = ends_at WHERE account = (SELECT number FROM accounts WHERE member_id = $1)`,
    [member]
  )

it.layer(Page.layer)("a guest's routes", (it) => {
  it.effect("show and change the session's guest alone", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("ada")
      yield* Guests.enroll("bob")
      yield* Guests.credit("ada", 300)
      const [ada, bob] = [yield* signedIn("ada"), yield* signedIn("bob")]
      assert.deepStrictEqual((yield* send(ada, "GET", "/me")).body["card"], { value: "card-ada" })
      assert.strictEqual(yield* pointsOf(bob), 0)
      for (const points of [1, 2, 3]) yield* Guests.credit("ada", points)
      const first = yield* send(ada, "GET", "/history?limit=2")
      const cursor = encodeURIComponent(String(first.body["next_cursor"]))
      assert.strictEqual((yield* send(ada, "GET", `/history?limit=2&cursor=${cursor}`)).status, 200)
      assert.deepStrictEqual(yield* said(send(bob, "GET", `/history?limit=2&cursor=${cursor}`)), [
        400,
        "invalid_cursor"
      ])
      const name = "<script>alert(1)</script>"
      const changed = yield* send(bob, "PATCH", "/profile", { name })
      assert.deepStrictEqual([changed.status, changed.body["name"]], [200, name])
      assert.notProperty((yield* send(ada, "GET", "/me")).body["member"], "name")
      for (const body of [{ email: "x@example.com" }, { phone: "+15550100" }, { member_id: "ada", name }])
        assert.deepStrictEqual(yield* said(send(bob, "PATCH", "/profile", body)), [422, "validation_failed"])
    })
  )

  it.effect("keep the language of the page", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("lea")
      const lea = yield* signedIn("lea")
      assert.deepStrictEqual(yield* said(send(lea, "PATCH", "/profile", { language: "fr" })), [
        422,
        "validation_failed"
      ])
      assert.strictEqual((yield* send(lea, "PATCH", "/profile", { language: "de" })).body["language"], "de")
      assert.deepInclude((yield* send(lea, "GET", "/me")).body["member"], { language: "de" })
      assert.strictEqual((yield* send(lea, "GET", "/session")).body["language"], "de")
    })
  )

  it.effect("take a reward once for an Idempotency-Key, and tell the same again", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("tim")
      yield* Guests.credit("tim", 250)
      const tim = yield* signedIn("tim")
      const first = yield* keyed(tim, "tim-takes-one", "one-off")
      assert.strictEqual(first.status, 201, JSON.stringify(first.body))
      assert.deepInclude(first.body, { name: "$1 off", kind: "code" })
      const again = yield* keyed(tim, "tim-takes-one", "one-off")
      assert.deepStrictEqual([again.status, again.body], [200, first.body])
      assert.strictEqual(yield* pointsOf(tim), 150)
      assert.deepStrictEqual(yield* said(keyed(tim, "tim-takes-two", "free-bowl")), [409, "insufficient_balance"])
      // The same key of another guest is another one.
      yield* Guests.enroll("tom")
      yield* Guests.credit("tom", 250)
      const other = yield* keyed(yield* signedIn("tom"), "tim-takes-one", "one-off")
      assert.strictEqual(other.status, 201)
      assert.notStrictEqual(other.body["issued_reward_id"], first.body["issued_reward_id"])
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          "SELECT DISTINCT actor_kind, actor_name FROM audit WHERE action = 'member.reward.take'"
        ),
        [{ actor_kind: "guest", actor_name: "guest" }]
      )
    })
  )

  it.effect("claim a receipt by the link that the till prints, once", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("eve")
      yield* Guests.enroll("eli")
      const receipt = yield* kept("me-1")
      const url = String(receipt["claim_url"])
      assert.match(url, new RegExp(`^http://localhost:\\d+/my/${program_id}#claim=[0-9A-Z]{12}$`))
      const claim_code = url.split("#claim=")[1]
      const [eve, eli] = [yield* signedIn("eve"), yield* signedIn("eli")]
      const claimed = yield* send(eve, "POST", "/claims", { claim_code })
      assert.deepStrictEqual(
        [claimed.status, claimed.body["points"], claimed.body["unit"]],
        [201, 100, "points"],
        JSON.stringify(claimed.body)
      )
      const again = yield* send(eve, "POST", "/claims", { claim_code })
      assert.deepStrictEqual([claimed.body["again"], again.status, again.body["again"]], [undefined, 200, true])
      const refused = yield* send(eli, "POST", "/claims", { claim_code })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "conflict"])
      assert.notInclude(JSON.stringify(refused.body), "eve")
    })
  )

  it.effect("finish a claim of a node that died amid it", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("kim")
      const kim = yield* signedIn("kim")
      const { claim_code } = yield* kept("me-2")
      let isDead = false
      const dying = Layer.effect(
        PeoplePool,
        Effect.map(PeoplePool, (real) => ({
          ...real,
          query: (statement, parameters) => {
            isDead ||= statement.includes("SELECT body FROM kept_adjustments")
            return isDead ? storageUnavailable : real.query(statement, parameters)
          }
        }))
      ).pipe(Layer.provideMerge(Pools.layer))
      const server = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], dying)
      const other = yield* Layer.build(Layer.fresh(server))
      const died = yield* Effect.provide(send(kim, "POST", "/claims", { claim_code }), other)
      assert.strictEqual(died.status, 503)
      assert.isTrue(isDead)
      assert.strictEqual((yield* send(kim, "POST", "/claims", { claim_code })).status, 200)
      assert.strictEqual(yield* pointsOf(kim), 100)
    })
  )

  it.effect("give the whole file to a session with a fresh code alone", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("dan")
      yield* Guests.credit("dan", 5)
      const dan = yield* signedIn("dan")
      const consents = [{ purpose: "marketing", granted: true }]
      yield* send(dan, "PATCH", "/profile", { name: "Dan", consents })
      assert.deepStrictEqual(yield* said(send(dan, "GET", "/data")), [403, "forbidden"])
      assert.deepStrictEqual(yield* said(send(dan, "GET", "/data.html")), [403, "forbidden"])
      yield* freshen("dan")
      const file = yield* send(dan, "GET", "/data")
      assert.strictEqual(file.status, 200)
      assert.strictEqual(file.headers.get("content-disposition"), 'attachment; filename="guest-dan.json"')
      assert.deepInclude(file.body["profile"], { display_name: "Dan" })
      assert.lengthOf(file.body["ledger"] as ReadonlyArray<unknown>, 1)
      const [decision] = file.body["consent_history"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(decision, { purpose: "marketing", source: "guest_page 1" })
      assert.notProperty(decision, "recorded_by")
      const [told] = yield* TestDatabase.query(
        "SELECT actor_kind, subject_id FROM audit WHERE action = 'member.export'"
      )
      assert.deepStrictEqual(told, { actor_kind: "guest", subject_id: "dan" })
      const page = yield* send(dan, "GET", "/data.html")
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
    })
  )

  it.effect("see the heir's after a merge, and nothing after an erasure", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("from")
      yield* Guests.enroll("into")
      yield* Guests.credit("from", 250)
      const from = yield* signedIn("from")
      yield* keyed(from, "from-takes-one", "one-off")
      const merging = { from: "from", into: "into", reason: "test" }
      const merged = yield* TestServer.send(`/admin/api/v1/members/${program_id}/merge`, merging, {
        headers: bearer(Page.rootKey)
      })
      assert.strictEqual(merged.status, 200, JSON.stringify(merged.body))
      const me = yield* send(from, "GET", "/me")
      assert.deepStrictEqual(me.body["card"], { value: "card-into" })
      assert.strictEqual((yield* keyed(from, "from-takes-one", "one-off")).status, 200)
      assert.strictEqual(yield* pointsOf(from), 150)
      yield* TestServer.send(
        "/platform/v1/members/erase",
        { program_id, member_id: "into", reason: "test" },
        { headers: bearer("everything") }
      )
      for (const path of ["/me", "/history", "/data", "/data.html"])
        assert.deepStrictEqual(yield* said(send(from, "GET", path)), [401, "unauthorized"])
    })
  )

  it.effect("count a wrong code while others count and forget theirs", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("noa")
      const noa = yield* signedIn("noa")
      yield* TestDatabase.query("INSERT INTO wrong_codes VALUES (gen_random_uuid(), 'claim', 0, 1)")
      yield* TestDatabase.query("INSERT INTO wrong_claims VALUES (0, 0, 1)")
      const { query, transaction } = yield* Pools.WorkPool
      const guess = said(send(noa, "POST", "/claims", { claim_code: "0000-0000-0000" }))
      yield* transaction(
        Effect.gen(function* () {
          yield* query("SELECT FROM wrong_codes, wrong_claims WHERE wrong_codes.began = 0 FOR UPDATE")
          assert.deepStrictEqual(yield* guess, [404, "not_found"])
        })
      )
      yield* guess
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          "SELECT began FROM wrong_codes WHERE began = 0 UNION ALL SELECT began FROM wrong_claims WHERE began = 0"
        ),
        []
      )
    })
  )

  it.effect("look at no more codes of a network with too many wrong ones, on any node", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("mia")
      const mia = yield* signedIn("mia")
      assert.deepStrictEqual(yield* said(send(mia, "POST", "/claims", { claim_code: "0000-0000-0000" })), [
        404,
        "not_found"
      ])
      yield* TestDatabase.query("UPDATE wrong_codes SET count = $1", [Bounds.mostWrong])
      const [, other] = yield* Page.two
      for (const at of [undefined, other]) {
        const asking = send(mia, "POST", "/claims", { claim_code: "0000-0000-0000" })
        const refused = yield* at === undefined ? asking : Effect.provide(asking, at)
        assert.deepStrictEqual([refused.status, refused.body["code"]], [429, "rate_limited"])
        assert.isAtLeast(Number(refused.headers.get("retry-after")), 3_000)
      }
      yield* TestDatabase.query(`UPDATE wrong_codes SET began = began - ${Bounds.wrongMs}`)
      assert.deepStrictEqual(yield* said(send(mia, "POST", "/claims", { claim_code: "0000-0000-0000" })), [
        404,
        "not_found"
      ])
    })
  )
})
