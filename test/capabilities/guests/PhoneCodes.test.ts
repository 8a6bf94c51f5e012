/** contract/guests.md *Codes to telephones*: who gets one, by which connector, and what stays of it. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as PhoneSender from "../../../src/capabilities/guests/PhoneSender.ts"
import { Senders } from "../../../src/capabilities/webhooks/Sender.ts"
import * as Signature from "../../../src/capabilities/webhooks/Signature.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as Sealed from "../../../src/desk/surface/Sealed.ts"
import * as Server from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Page from "./Page.ts"

const { bearer, statements } = Page
const page = "/my/api/v1/german"
const secret = Signature.newSecret()
const minute = 60_000

const asked = (method: string, path: string, body?: object) => Page.asked(method, path, body, {}, page)
const ask = (phone: string, more: object = {}) => asked("POST", "/sign-in", { phone, ...more })
const enter = (entered: object) => asked("POST", "/sign-in/code", entered)
const put = (member_id: string, facts: object) =>
  Server.send(
    "/platform/v1/members",
    { program_id: "german", member_id, ...facts },
    { method: "PUT", headers: bearer("everything") }
  )
const said = ({ body, status }: Server.Response) => [status, body["code"] ?? body["status"]]

/** Sets the connector that sends the codes of the programme. */
const connect = Effect.gen(function* () {
  const { claimKey } = yield* Journal
  yield* TestDatabase.query("DELETE FROM connectors")
  yield* TestDatabase.query(
    `INSERT INTO connectors (connector_id, name, type, url, event_types, program_ids, include_artifacts, max_in_flight, enabled,
        secret, secret_last4, created_at, updated_at, guest_codes)
      VALUES ('con_sms', 'SMS', 'webhook', 'https://sms.example/codes', '{*}', '{german,rehearsed}', false, 8, true, $1, 'last', 0, 0, true)`,
    [Sealed.seal(claimKey, "con_sms", secret)]
  )
})

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly phone: string
    readonly code: string
    readonly text: string
    readonly [name: string]: unknown
  }
}

/** A receiver that answers so, and what it was sent. `hold`: it answers once that is done. */
const receiver = (status: () => number | undefined, hold: Effect.Effect<void> = Effect.void) => {
  const sent: Array<Sent> = []
  const layer = Layer.succeed(Senders, (url: string) =>
    Effect.succeed({
      post: (headers: Readonly<Record<string, string>>, body: string) =>
        Effect.gen(function* () {
          sent.push({ url, headers, body: JSON.parse(body) })
          yield* hold
          const answered = status()
          return { at: 0, durationMs: 0, ...(answered === undefined ? { error: "timeout" } : { status: answered }) }
        })
    })
  )
  return { sent, layer }
}

/** The sender of a node. A round begins what is due, and waits for what comes of it. */
const round = Effect.gen(function* () {
  const { batch, settled } = yield* PhoneSender.make
  return Effect.andThen(batch, settled)
})

/** Empties all that counts, and what waits. */
const anew = Effect.gen(function* () {
  for (const table of ["guest_counts", "guest_codes", "phone_codes", "phone_code_days"])
    yield* TestDatabase.query(`DELETE FROM ${table}`)
  yield* connect
})

/** Asks for a code, and gets it as the receiver does. */
const codeAsked = (phone: string, more: object = {}) =>
  Effect.gen(function* () {
    const { layer, sent } = receiver(() => 204)
    const { body, status } = yield* ask(phone, more)
    assert.strictEqual(status, 202, JSON.stringify(body))
    yield* Effect.scoped(Effect.provide(Effect.flatten(round), layer))
    return { request_id: String(body["request_id"]), code: sent[0]?.body.code ?? "none" }
  })

const waiting = TestDatabase.query("SELECT p::text AS row FROM phone_codes p")

it.layer(Page.layer)("a code to a telephone", (it) => {
  it.effect("is a signed request to the one connector, with words to send, and nothing of it stays", () =>
    Effect.gen(function* () {
      yield* anew
      yield* put("ada", { phone: "+4915123456789" })
      assert.deepInclude((yield* asked("GET", "/page")).body, { sign_in: { email: true, phone: true }, can_join: true })
      const { body } = yield* ask("+4915123456789", { language: "de" })
      const [row] = yield* waiting
      assert.notInclude(JSON.stringify(row), "4915123456789", "the number waits sealed")
      const { layer, sent } = receiver(() => 204)
      yield* Effect.scoped(Effect.provide(Effect.flatten(round), layer))
      assert.lengthOf(sent, 1)
      const [{ body: told, headers, url }] = sent as [Sent]
      assert.strictEqual(url, "https://sms.example/codes")
      assert.deepInclude(told, {
        type: "guest_code",
        program_id: "german",
        phone: "+4915123456789",
        language: "de",
        expires_at: body["expires_at"]
      })
      assert.match(told.code, /^\d{6}$/)
      assert.include(told.text, `${told.code} ist dein Code`)
      assert.strictEqual(headers["content-type"], "application/json")
      const now = Number(headers["webhook-timestamp"]) * 1_000
      const expected = Signature.headersOf([secret], {
        id: headers["webhook-id"] ?? "",
        now,
        body: JSON.stringify(told)
      })
      assert.strictEqual(headers["webhook-signature"], expected["webhook-signature"])
      assert.deepStrictEqual(yield* waiting, [])
      assert.deepStrictEqual(yield* TestDatabase.query("SELECT FROM deliveries"), [])
      const opened = yield* enter({ request_id: body["request_id"], code: told.code })
      assert.deepStrictEqual(said(opened), [200, "signed_in"])
      assert.deepInclude(opened.body["session"], { by: "phone" })
      assert.deepStrictEqual(said(yield* enter({ request_id: body["request_id"], code: told.code })), [
        401,
        "unauthorized"
      ])
    })
  )

  it.effect("tells nobody whether a number has an account: same answer, same work, same request", () =>
    Effect.gen(function* () {
      yield* anew
      yield* put("bea", { phone: "+4915111111111" })
      const told = []
      for (const phone of ["+4915111111111", "+4915122222222"]) {
        statements.length = 0
        const { body, status } = yield* ask(phone)
        const work = [...statements]
        const { layer, sent } = receiver(() => 204)
        yield* Effect.scoped(Effect.provide(Effect.flatten(round), layer))
        const words = sent.map(({ body: { code, text } }) => text.replace(code, "CODE"))
        told.push({ status, names: Object.keys(body), work, words })
      }
      assert.deepStrictEqual(told[0], told[1])
      assert.lengthOf(told[0]?.words ?? [], 1)
    })
  )

  it.effect("leads an unknown number to joining, and makes a member with that number", () =>
    Effect.gen(function* () {
      yield* anew
      const entered = yield* codeAsked("+4915133333333")
      assert.deepStrictEqual(said(yield* enter(entered)), [200, "join"])
      const consents = [{ purpose: "marketing", channel: "sms", granted: true }]
      const join = { request_id: entered.request_id, join: { name: "Cleo", consents } }
      assert.deepStrictEqual(said(yield* asked("POST", "/sign-in/join", join)), [201, "signed_in"])
      const members = yield* TestDatabase.query(
        "SELECT email, display_name FROM profiles WHERE phone = '+4915133333333'"
      )
      assert.deepStrictEqual(members, [{ email: null, display_name: "Cleo" }])
      assert.deepStrictEqual(said(yield* enter(yield* codeAsked("+4915133333333"))), [200, "signed_in"])
    })
  )

  it.effect("is right for five tries with its request, and serves as a fresh code where there is no address", () =>
    Effect.gen(function* () {
      yield* anew
      yield* put("dora", { phone: "+4915144444444" })
      const one = yield* codeAsked("+4915144444444")
      const wrong = { ...one, code: one.code === "000000" ? "000001" : "000000" }
      for (let time = 0; time < 5; time++) assert.deepStrictEqual(said(yield* enter(wrong)), [401, "unauthorized"])
      assert.deepStrictEqual(said(yield* enter(one)), [401, "unauthorized"])
      const browser = Page.browserOf(yield* enter(yield* codeAsked("+4915144444444")))
      const fresh = (path: string, body: object) =>
        Page.asked("POST", path, body, { cookie: browser.cookie, "x-csrf-token": browser.csrf }, page)
      const { layer, sent } = receiver(() => 204)
      const { body, status } = yield* fresh("/fresh", {})
      assert.strictEqual(status, 202)
      yield* Effect.scoped(Effect.provide(Effect.flatten(round), layer))
      const entered = { request_id: body["request_id"], code: sent[0]?.body.code }
      assert.property((yield* fresh("/fresh/code", entered)).body, "fresh_until")
      // The day has five. Those that strangers used up do not keep her out.
      yield* TestDatabase.query("UPDATE phone_code_days SET count = 5")
      assert.deepStrictEqual(said(yield* ask("+4915144444445")), [503, "overloaded"])
      assert.strictEqual((yield* fresh("/fresh", {})).status, 202)
      yield* TestDatabase.query("UPDATE phone_code_days SET count = 10")
      yield* TestDatabase.query("DELETE FROM guest_counts")
      assert.deepStrictEqual(said(yield* fresh("/fresh", {})), [503, "overloaded"])
    })
  )

  it.effect("goes to numbers of the programme's country, 3 an hour each, and as many a day as the page says", () =>
    Effect.gen(function* () {
      yield* anew
      const others = ["+33612345678", "+43664123456", "+491", "+4901701234567", "+49900123456", "+49151234"]
      for (const phone of others)
        assert.deepInclude((yield* ask(phone)).body, {
          code: "validation_failed",
          errors: [{ path: "/phone", message: "must be a number of the programme's country" }]
        })
      for (const body of [{}, { phone: "+4915155555555", email: "ada@example.com" }])
        assert.strictEqual((yield* asked("POST", "/sign-in", body)).status, 422)
      for (let time = 0; time < 3; time++) assert.match((yield* codeAsked("+4915155555555")).code, /^\d{6}$/)
      assert.strictEqual((yield* codeAsked("+4915155555555")).code, "none")
      for (const phone of ["+4915155555556", "+4915155555557"]) assert.match((yield* codeAsked(phone)).code, /^\d{6}$/)
      // The fifth was the last of the day: all numbers are refused alike.
      for (const phone of ["+4915155555555", "+4915155555558"])
        assert.deepStrictEqual(said(yield* ask(phone)), [503, "overloaded"])
      assert.lengthOf(yield* TestDatabase.query("SELECT FROM guest_codes"), 6)
      yield* TestDatabase.query("UPDATE phone_code_days SET day = day - 1")
      assert.match((yield* codeAsked("+4915155555558")).code, /^\d{6}$/)
    })
  )

  it.effect("goes to a guest although networks have asked in her name, and one for many others", () =>
    Effect.gen(function* () {
      yield* anew
      const { claimKey } = yield* Journal
      const phone = "+4915155550000"
      const own = claimKey("guest count", "text", phone, "127.0.0.1")
      const network = claimKey("guest count", "texts of a network", "127.0.0.1")
      const sent: Array<boolean> = []
      for (let elsewhere = 0; elsewhere < 3; elsewhere++) {
        for (let time = 0; time < 4; time++) {
          yield* TestDatabase.query("DELETE FROM phone_code_days")
          sent.push((yield* codeAsked(phone)).code !== "none")
        }
        // As if the next request came from another network.
        for (const key of [own, network])
          yield* TestDatabase.query("DELETE FROM guest_counts WHERE key = $1::uuid", [key])
      }
      assert.deepStrictEqual(sent, [true, true, true, false, true, true, true, false, false, false, false, false])
      yield* anew
      assert.notStrictEqual((yield* codeAsked("+4915155550001")).code, "none")
      yield* TestDatabase.query("UPDATE guest_counts SET count = 40 WHERE key = $1::uuid", [network])
      assert.strictEqual((yield* codeAsked("+4915155550002")).code, "none")
    })
  )

  it.effect("is not offered without the connector, while it is disabled, and in a rehearsal", () =>
    Effect.gen(function* () {
      yield* anew
      const rehearsed = "/my/api/v1/rehearsed"
      const inRehearsal = Page.asked("POST", "/sign-in", { phone: "+4915166666666" }, {}, rehearsed)
      assert.deepStrictEqual(said(yield* inRehearsal), [409, "invalid_state"])
      assert.deepInclude((yield* Page.asked("GET", "/page", undefined, {}, rehearsed)).body, {
        sign_in: { email: true, phone: false }
      })
      yield* ask("+4915166666666")
      for (const change of ["enabled = false", "enabled = true, guest_codes = false"]) {
        yield* TestDatabase.query(`UPDATE connectors SET ${change}`)
        assert.deepStrictEqual(said(yield* ask("+4915166666667")), [409, "invalid_state"])
      }
      const { layer, sent } = receiver(() => 204)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* Effect.provide(round, layer)
          yield* Effect.provide(one, layer)
          assert.lengthOf(sent, 0, "another connector does not get it")
          yield* TestClock.adjust(10 * minute)
          yield* Effect.provide(one, layer)
        })
      )
      assert.deepStrictEqual(yield* waiting, [], "it goes once its code is over")
      assert.lengthOf(sent, 0)
    })
  )

  it.effect("is sent again under its id until the code ends, and the log has no number", () =>
    Effect.gen(function* () {
      yield* anew
      const logged: Array<string> = []
      const logs = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
      yield* ask("+4915177777777")
      const answers = [500, undefined, 204]
      const { layer, sent } = receiver(() => answers.shift())
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* Effect.provide(round, layer)
          yield* Effect.provide(one, layer)
          yield* Effect.provide(one, layer)
          assert.lengthOf(sent, 1, "it pauses first")
          for (const pause of [2_000, 4_000]) {
            yield* TestClock.adjust(pause)
            yield* Effect.provide(one, layer)
          }
        })
      ).pipe(Effect.provide(logs))
      assert.lengthOf(
        logged.filter((line) => line.includes("guest_code_failing")),
        2
      )
      assert.notInclude(logged.join(), "77777")
      assert.lengthOf(sent, 3)
      assert.lengthOf([...new Set(sent.map(({ headers }) => headers["webhook-id"]))], 1)
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("is sent by the next node after a kill, once its time with the first one is over", () =>
    Effect.gen(function* () {
      yield* anew
      yield* ask("+4915188888888")
      const first = receiver(() => 204, Effect.never)
      // The scope ends amid the request, as a process does.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { batch } = yield* PhoneSender.make
          yield* batch
          while (first.sent.length === 0) yield* Effect.yieldNow
        })
      ).pipe(Effect.provide(first.layer))
      const second = receiver(() => 204)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* Effect.provide(round, second.layer)
          yield* Effect.provide(one, second.layer)
          assert.lengthOf(second.sent, 0)
          yield* TestClock.adjust(20_000)
          yield* Effect.provide(one, second.layer)
        })
      )
      assert.strictEqual(second.sent[0]?.headers["webhook-id"], first.sent[0]?.headers["webhook-id"])
      assert.deepStrictEqual(yield* waiting, [])
    })
  )

  it.effect("waits for a receiver that hangs with eight in flight", () =>
    Effect.gen(function* () {
      yield* anew
      const open = yield* Deferred.make<void>()
      const slow = receiver(() => 204, Deferred.await(open))
      for (let n = 0; n < 5; n++) yield* ask(`+491519999990${n}`)
      yield* TestDatabase.query("DELETE FROM phone_code_days")
      for (let n = 5; n < 10; n++) yield* ask(`+491519999990${n}`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { batch, settled } = yield* PhoneSender.make
          yield* batch
          while (slow.sent.length < 8) yield* Effect.yieldNow
          yield* batch
          assert.lengthOf(slow.sent, 8, "two wait")
          yield* Deferred.succeed(open, undefined)
          yield* settled
          yield* batch
          yield* settled
          assert.lengthOf(slow.sent, 10)
        })
      ).pipe(Effect.provide(slow.layer))
    })
  )
})

it.effect("two nodes send a code once, and let it sign in once", () =>
  Effect.gen(function* () {
    const [one, two] = yield* Page.two
    yield* Effect.provide(connect, one)
    yield* Effect.provide(put("eve", { phone: "+4915100000001" }), one)
    const { body } = yield* Effect.provide(ask("+4915100000001"), one)
    const { layer, sent } = receiver(() => 204)
    const both = [one, two].map((node) =>
      Effect.scoped(Effect.provide(Effect.flatten(round), Layer.merge(layer, Layer.succeedContext(node))))
    )
    yield* Effect.all(both, { concurrency: 2 })
    assert.lengthOf(sent, 1)
    const entered = { request_id: body["request_id"], code: sent[0]?.body.code }
    const all = yield* Effect.all(
      [one, two, one, two].map((node) => Effect.provide(enter(entered), node)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(all.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)
