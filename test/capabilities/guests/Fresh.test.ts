/** contract/guests.md *Fresh codes*, *Leaving*: what a session of a link does only after a code, and how a guest leaves. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as LeavingWorker from "../../../src/capabilities/guests/LeavingWorker.ts"
import * as Server from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Page from "./Page.ts"

const { bearer, codeAsked, mailsTo, program_id, send, signedIn } = Page
const day = 24 * 3_600_000

const put = (member_id: string, facts: object) =>
  Server.send(
    "/platform/v1/members",
    { program_id, member_id, ...facts },
    { method: "PUT", headers: bearer("everything") }
  )
const said = <E, R>(response: Effect.Effect<Server.Response, E, R>) =>
  Effect.map(response, ({ body, status }) => [status, body["code"]])
const ok = [200, undefined]

/** Asks a guest's own route for a code that goes to an address. */
const coded = (browser: Page.Browser, path: string, address: string, body: object = {}) =>
  Effect.gen(function* () {
    yield* TestDatabase.query("DELETE FROM mails")
    const asked = yield* send(browser, "POST", path, body)
    assert.strictEqual(asked.status, 202, JSON.stringify(asked.body))
    const [mail] = yield* mailsTo(address)
    return { request_id: String(asked.body["request_id"]), code: mail?.code ?? "no mail" }
  })
const fresh = (browser: Page.Browser, address: string) =>
  Effect.flatMap(coded(browser, "/fresh", address), (entered) => send(browser, "POST", "/fresh/code", entered))
const emailOf = (member: string) =>
  Effect.map(TestDatabase.query(`SELECT email FROM profiles WHERE member_id = '${member}'`), ([row]) => row?.["email"])

it.layer(Page.layer)("the session of a link", (it) => {
  it.effect("changes no address, leaves and downloads nothing before a code to the guest's own address", () =>
    Effect.gen(function* () {
      yield* put("ada", { email: "ada@example.com" })
      const browser = yield* signedIn("ada")
      const wanted = [
        () => send(browser, "POST", "/email", { email: "new@example.com" }),
        () => send(browser, "POST", "/email/code", { request_id: "guessed", code: "000000" }),
        () => send(browser, "POST", "/leave"),
        () => send(browser, "GET", "/data")
      ]
      for (const call of wanted) assert.deepStrictEqual(yield* said(call()), [403, "forbidden"])
      const opened = yield* fresh(browser, "ada@example.com")
      assert.deepStrictEqual([opened.status, typeof opened.body["fresh_until"]], [200, "string"])
      assert.strictEqual((yield* send(browser, "GET", "/data")).status, 200)
      yield* TestDatabase.query("UPDATE guest_sessions SET fresh_until = 0")
      for (const call of wanted) assert.deepStrictEqual(yield* said(call()), [403, "forbidden"])
    })
  )

  it.effect("takes no code of another guest or for another purpose, and none without an address", () =>
    Effect.gen(function* () {
      yield* put("bea", { email: "bea@example.com" })
      yield* put("cleo", { email: "cleo@example.com" })
      yield* put("dora", {})
      const [bea, cleo, dora] = [yield* signedIn("bea"), yield* signedIn("cleo"), yield* signedIn("dora")]
      const ofCleo = yield* coded(cleo, "/fresh", "cleo@example.com")
      const wrong = [401, "unauthorized"]
      assert.deepStrictEqual(yield* said(send(bea, "POST", "/fresh/code", ofCleo)), wrong)
      const toSignIn = yield* codeAsked("bea@example.com")
      assert.deepStrictEqual(yield* said(send(bea, "POST", "/fresh/code", toSignIn)), wrong)
      assert.deepStrictEqual(yield* said(Page.asked("POST", "/sign-in/code", ofCleo)), wrong)
      assert.deepStrictEqual(yield* said(send(cleo, "POST", "/fresh/code", ofCleo)), ok)
      assert.deepStrictEqual(yield* said(send(cleo, "POST", "/fresh/code", ofCleo)), wrong)
      assert.deepStrictEqual(yield* said(send(dora, "POST", "/fresh", {})), [409, "invalid_state"])
    })
  )

  it.effect("changes the address once the new one is confirmed, and tells the former one", () =>
    Effect.gen(function* () {
      yield* put("eve", { email: "eve@example.com" })
      const browser = yield* signedIn("eve")
      yield* fresh(browser, "eve@example.com")
      const entered = yield* coded(browser, "/email", "new-eve@example.com", { email: "New-Eve@example.com" })
      const [asking] = yield* mailsTo("new-eve@example.com")
      assert.include(asking?.opening.join(" "), "you make this the e-mail address of your account")
      assert.strictEqual(yield* emailOf("eve"), "eve@example.com")
      const changed = yield* send(browser, "POST", "/email/code", entered)
      assert.deepStrictEqual([changed.status, changed.body], [200, { email: "new-eve@example.com" }])
      assert.strictEqual(yield* emailOf("eve"), "new-eve@example.com")
      const told = yield* mailsTo("eve@example.com")
      assert.deepStrictEqual(
        told.map(({ kind }) => kind),
        ["guest_email"]
      )
      assert.notInclude(JSON.stringify(told), "new-eve")
    })
  )
})

it.layer(Page.layer)("a guest who leaves", (it) => {
  const leaves = (member: string) =>
    Effect.gen(function* () {
      const email = `${member}@example.com`
      yield* put(member, { email })
      const browser = yield* signedIn(member)
      yield* fresh(browser, email)
      const left = yield* send(browser, "POST", "/leave")
      assert.strictEqual(left.status, 200, JSON.stringify(left.body))
      return { browser, email, erasesAt: String(left.body["erases_at"]) }
    })
  const passed = TestDatabase.query(`UPDATE guest_settings SET leaves_at = leaves_at - ${7 * day}`)
  const statusOf = (member: string) =>
    Effect.map(
      TestDatabase.query(`SELECT status::text FROM accounts WHERE member_id = '${member}'`),
      ([row]) => row?.["status"]
    )

  it.effect("is told, and erased after 7 days by one node", () =>
    Effect.gen(function* () {
      const { browser, email, erasesAt } = yield* leaves("fay")
      const me = yield* send(browser, "GET", "/me")
      assert.deepStrictEqual(me.body["leaving"], { erases_at: erasesAt })
      assert.strictEqual((yield* send(browser, "POST", "/leave")).body["erases_at"], erasesAt)
      const told = (yield* mailsTo(email)).filter(({ kind }) => kind === "guest_leaves")
      assert.lengthOf(told, 1)
      const written = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: Testing.demoProgram.zone })
      assert.include(told[0]?.opening.join(" "), `On ${written.format(new Date(erasesAt))} everything`)
      const round = yield* LeavingWorker.rounds
      assert.strictEqual(yield* round, "idle")
      assert.strictEqual(yield* statusOf("fay"), "active")
      yield* passed
      assert.strictEqual(yield* round, "worked")
      assert.strictEqual(yield* statusOf("fay"), "closed")
      assert.strictEqual(yield* emailOf("fay"), undefined)
      assert.strictEqual((yield* send(browser, "GET", "/session")).status, 401)
      assert.strictEqual(yield* round, "idle")
    })
  )

  it.effect("stays if she signs in before", () =>
    Effect.gen(function* () {
      yield* leaves("gus")
      const again = yield* Effect.flatMap(Page.link("gus"), (made) => Page.spend(Page.tokenOf(made)))
      assert.strictEqual(again.body["stays"], true)
      assert.notProperty(
        (yield* Effect.flatMap(Page.link("gus"), (made) => Page.spend(Page.tokenOf(made)))).body,
        "stays"
      )
      const browser = Page.browserOf(again)
      assert.notProperty((yield* send(browser, "GET", "/me")).body, "leaving")
      yield* passed
      assert.strictEqual(yield* yield* LeavingWorker.rounds, "idle")
      assert.strictEqual(yield* statusOf("gus"), "active")
    })
  )

  it.effect("leaves no session, link, code or count behind that is over", () =>
    Effect.gen(function* () {
      yield* put("hal", { email: "hal@example.com" })
      yield* signedIn("hal")
      yield* Page.link("hal")
      yield* codeAsked("hal@example.com")
      for (const [table, column] of [
        ["guest_sessions", "ends_at"],
        ["guest_links", "until"],
        ["guest_codes", "until"],
        ["guest_counts", "began"]
      ])
        yield* TestDatabase.query(`UPDATE ${table} SET ${column} = 0`)
      yield* yield* LeavingWorker.rounds
      const left = yield* TestDatabase.query(
        `SELECT FROM guest_sessions UNION ALL SELECT FROM guest_links UNION ALL SELECT FROM guest_codes
          UNION ALL SELECT FROM guest_counts`
      )
      assert.lengthOf(left, 0)
    })
  )
})
