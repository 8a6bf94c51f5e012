/** contract/guests.md *Codes*, *Joining*: who gets in by a code, and what nobody learns. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as Store from "../../../src/capabilities/guests/CodeStore.ts"
import { ofEmail } from "../../../src/capabilities/guests/Contact.ts"
import * as Mail from "../../../src/capabilities/mail/Mail.ts"
import * as Sender from "../../../src/capabilities/mail/Sender.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as Server from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as MailServer from "../mail/MailServer.ts"
import * as Page from "./Page.ts"

const { asked, bearer, codeAsked, mailsTo, program_id, send, statements } = Page
const minute = 60_000

const put = (member_id: string, facts: object) =>
  Server.send(
    "/platform/v1/members",
    { program_id, member_id, ...facts },
    { method: "PUT", headers: bearer("everything") }
  )
const ask = (email: string, more: object = {}) => asked("POST", "/sign-in", { email, ...more })
const enter = (entered: object) => asked("POST", "/sign-in/code", entered)
const said = <E, R>(response: Effect.Effect<Server.Response, E, R>) =>
  Effect.map(response, ({ body, status }) => [status, body["code"] ?? body["status"]])
const shownTo = (browser: Page.Browser) => send(browser, "GET", "/session")
const membersOf = (email: string) =>
  TestDatabase.query(`SELECT a.member_id, p.display_name AS name, p.birth_date::text AS birthday, m.identities, m.attributes
    FROM profiles p JOIN accounts a ON a.number = p.account JOIN members m ON m.account = a.number WHERE p.email = '${email}'`)
/** Other digits. */
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0")
const consents = [{ purpose: "marketing", channel: "email", granted: true }]

it.layer(Page.layer)("a code by e-mail", (it) => {
  it.effect("tells nobody whether an address has an account: same answer, same work, one mail each", () =>
    Effect.gen(function* () {
      yield* put("ada", { email: "Ada@Example.com" })
      const told = []
      for (const email of ["ada@example.com", "nobody@example.com"]) {
        statements.length = 0
        const { body, headers, status } = yield* ask(email)
        const mails = yield* mailsTo(email)
        told.push({ status, names: Object.keys(body), cookie: headers.get("set-cookie"), work: [...statements] })
        assert.lengthOf(mails, 1, email)
      }
      assert.deepStrictEqual(told[0], told[1])
      assert.deepInclude(told[0], { status: 202, names: ["request_id", "expires_at"], cookie: null })
      const [known, unknown] = [yield* mailsTo("ada@example.com"), yield* mailsTo("nobody@example.com")]
      assert.deepStrictEqual([known[0]?.kind, known[0]?.subject], [unknown[0]?.kind, unknown[0]?.subject])
      assert.include(unknown[0]?.opening.join(" "), "no account")
      assert.notInclude(known[0]?.opening.join(" "), "no account")
      // A wrong code tells as little.
      for (const email of ["ada@example.com", "nobody@example.com"]) {
        const { code, request_id } = yield* codeAsked(email)
        assert.deepStrictEqual(yield* said(enter({ request_id, code: other(code) })), [401, "unauthorized"])
      }
      const rows = JSON.stringify(yield* TestDatabase.query("SELECT c::text AS row FROM guest_codes c"))
      assert.notInclude(rows, "ada")
    })
  )

  it.effect("signs in once, in any case of the address, and the session may do what needs a fresh code", () =>
    Effect.gen(function* () {
      yield* put("bea", { email: "bea@example.com" })
      const entered = yield* codeAsked("BEA@example.com", { language: "de" })
      assert.include((yield* mailsTo("bea@example.com"))[0]?.subject, "Dein Code")
      const opened = yield* enter(entered)
      assert.deepStrictEqual([opened.status, opened.body["status"]], [200, "signed_in"], JSON.stringify(opened.body))
      const { body } = yield* shownTo(Page.browserOf(opened))
      assert.deepInclude(body, { by: "code", language: "de" })
      assert.property(body, "fresh_until")
      assert.deepStrictEqual(yield* said(enter(entered)), [401, "unauthorized"])
    })
  )

  it.effect("confirms its address, and no other, for the mails of campaigns", () =>
    Effect.gen(function* () {
      const refusals = TestDatabase.query(
        "SELECT mail_refusal(number) AS refusal FROM accounts WHERE member_id = 'mira'"
      )
      yield* put("mira", { email: "Mira@Example.com", consent: consents })
      assert.deepStrictEqual(yield* refusals, [{ refusal: "not_confirmed" }])
      yield* enter(yield* codeAsked("mira@example.com"))
      assert.deepStrictEqual(yield* refusals, [{ refusal: null }])
      yield* put("mira", { email: "typed@example.com" })
      assert.deepStrictEqual(yield* refusals, [{ refusal: "not_confirmed" }])
    })
  )

  it.effect("is right only with its request, for five tries and ten minutes", () =>
    Effect.gen(function* () {
      yield* put("cleo", { email: "cleo@example.com" })
      const one = yield* codeAsked("cleo@example.com")
      const two = yield* codeAsked("cleo@example.com")
      if (one.code !== two.code)
        assert.deepStrictEqual(yield* said(enter({ ...one, code: two.code })), [401, "unauthorized"])
      for (let wrong = 0; wrong < 5; wrong++) yield* enter({ ...two, code: other(two.code) })
      assert.deepStrictEqual(yield* said(enter(two)), [401, "unauthorized"])
      assert.deepStrictEqual(yield* said(enter({ ...one, request_id: "guessed" })), [401, "unauthorized"])
      yield* TestClock.adjust(10 * minute)
      assert.deepStrictEqual(yield* said(enter(one)), [401, "unauthorized"])
    })
  )

  it.effect("is mailed three times an hour to an address, and the fourth answer is the same without a mail", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 3; time++) assert.match((yield* codeAsked("dora@example.com")).code, /^\d{6}$/)
      const working =
        "SELECT count(*)::int AS count FROM guest_codes WHERE code <> '00000000-0000-0000-0000-000000000000'"
      const before = yield* TestDatabase.query(working)
      assert.strictEqual((yield* codeAsked("dora@example.com")).code, "no mail")
      assert.strictEqual((yield* ask("dora@example.com")).status, 202)
      // Nor does a code work: strangers could ask for as many guesses as they like.
      assert.deepStrictEqual(yield* TestDatabase.query(working), before)
      yield* TestDatabase.query(`UPDATE guest_counts SET began = began - ${60 * minute}`)
      assert.match((yield* codeAsked("dora@example.com")).code, /^\d{6}$/)
    })
  )

  it.effect("is mailed to a guest although a stranger of another network has asked three times", () =>
    Effect.gen(function* () {
      const { claimKey } = yield* Journal
      const key = claimKey("guest count", "mail", program_id, "dan@example.com", "127.0.0.1")
      // As if the next request came from another network.
      const elsewhere = TestDatabase.query("DELETE FROM guest_counts WHERE key = $1::uuid", [key])
      const codes: Array<string> = []
      for (let network = 0; network < 4; network++) {
        for (let time = 0; time < 5; time++) codes.push((yield* codeAsked("dan@example.com")).code)
        yield* elsewhere
      }
      const mailed = codes.map((code) => code !== "no mail")
      const three = [true, true, true, false, false]
      assert.deepStrictEqual(mailed, [...three, ...three, ...three, true, false, false, false, false])
    })
  )

  it.effect("is asked for and entered by a network so often in an hour", () =>
    Effect.gen(function* () {
      yield* codeAsked("eve@example.com")
      yield* enter({ request_id: "guessed", code: "000000" })
      yield* TestDatabase.query("UPDATE guest_counts SET count = 1000")
      for (const response of [ask("eve@example.com"), enter({ request_id: "guessed", code: "000000" })]) {
        const { body, headers, status } = yield* response
        assert.deepStrictEqual([status, body["code"]], [429, "rate_limited"])
        assert.isAbove(Number(headers.get("retry-after")), 0)
      }
      yield* TestDatabase.query("DELETE FROM guest_counts")
    })
  )

  it.effect("is refused alike to all addresses where too many mails wait or a programme is asked too often", () =>
    Effect.gen(function* () {
      yield* put("ned", { email: "ned@example.com" })
      const refused = (email: string) =>
        Effect.gen(function* () {
          const { body, headers, status } = yield* ask(email)
          assert.deepStrictEqual([status, body["code"]], [503, "overloaded"])
          return [body["detail"], Number(headers.get("retry-after")) > 0]
        })
      const alike = Effect.gen(function* () {
        assert.deepStrictEqual(yield* refused("ned@example.com"), yield* refused("nobody-2@example.com"))
      })
      // The address has had its mails: it is refused all the same.
      for (let time = 0; time < 3; time++) yield* codeAsked("ned@example.com")
      yield* TestDatabase.query(`INSERT INTO mails (mail_id, kind, sealed, created_at, due_at, until)
        SELECT gen_random_uuid(), 'guest_code', '', 0, 0, 0 FROM generate_series(1, 5000)`)
      yield* alike
      const { query } = yield* WorkPool
      assert.isTrue(yield* Mail.hasRoom(query, "invitation"))
      yield* TestDatabase.query("DELETE FROM mails")
      const { claimKey } = yield* Journal
      const key = claimKey("guest count", "program", program_id)
      yield* TestDatabase.query("UPDATE guest_counts SET count = 5000 WHERE key = $1::uuid", [key])
      yield* alike
      yield* TestDatabase.query("DELETE FROM guest_counts")
    })
  )

  it.effect("lets one of several guests of an address be chosen", () =>
    Effect.gen(function* () {
      for (const [member, name] of [
        ["fay", "Fay"],
        ["gus", "Gus"]
      ])
        yield* put(member!, { email: "us@example.com", display_name: name })
      yield* put("hal", { email: "hal@example.com" })
      const entered = yield* codeAsked("us@example.com")
      const { body } = yield* enter(entered)
      const guests = body["guests"] as ReadonlyArray<{ readonly guest: string; readonly name: string }>
      assert.deepStrictEqual([body["status"], guests.map(({ name }) => name)], ["choose", ["Fay", "Gus"]])
      assert.notInclude(JSON.stringify(body), "fay")
      const choose = (request_id: string, guest: string | undefined) =>
        asked("POST", "/sign-in/choice", { request_id, guest })
      const again = yield* codeAsked("us@example.com")
      assert.deepStrictEqual(yield* said(choose(again.request_id, guests[1]?.guest)), [401, "unauthorized"])
      yield* enter(again)
      assert.deepStrictEqual(yield* said(choose(again.request_id, guests[1]?.guest)), [401, "unauthorized"])
      const chosen = choose(entered.request_id, guests[1]?.guest)
      assert.deepStrictEqual(yield* said(chosen), [200, "signed_in"])
      assert.deepStrictEqual(yield* said(chosen), [401, "unauthorized"])
    })
  )

  it.effect("makes a member of who joins, with a card, consents and the version of their text", () =>
    Effect.gen(function* () {
      const join = { name: "Ivy", birthday: "1960-05-04", consents, at: "location-42" }
      const opened = yield* Effect.flatMap(codeAsked("ivy@example.com", { join }), enter)
      assert.deepStrictEqual([opened.status, opened.body["status"]], [201, "signed_in"], JSON.stringify(opened.body))
      const [ivy, ...others] = yield* membersOf("ivy@example.com")
      assert.lengthOf(others, 0)
      assert.deepInclude(ivy, { name: "Ivy", birthday: "1960-05-04", attributes: { join_location: "location-42" } })
      assert.isDefined(ivy)
      const [card] = ivy!["identities"] as ReadonlyArray<{ readonly type: string; readonly value: string }>
      assert.deepStrictEqual(card?.type, "loyalty_id")
      assert.match(card?.value ?? "", /^\d{16}$/)
      const given =
        yield* TestDatabase.query(`SELECT c.purpose, c.channel, c.granted, c.source, c.recorded_by FROM consents c
        JOIN profiles p ON p.account = c.account WHERE p.email = 'ivy@example.com'`)
      assert.deepStrictEqual(given, [
        { purpose: "marketing", channel: "email", granted: true, source: "guest_page 1", recorded_by: "guest" }
      ])
      const audit = yield* TestDatabase.query(
        `SELECT actor_kind, actor_name, source_ip, changes FROM audit WHERE subject_id = '${String(ivy?.["member_id"])}'`
      )
      assert.deepInclude(audit[0], { actor_kind: "guest", actor_name: "guest", source_ip: null })
      assert.notInclude(JSON.stringify(audit), "ivy@")
      // Her address has an account now.
      assert.deepStrictEqual(yield* said(Effect.flatMap(codeAsked("ivy@example.com"), enter)), [200, "signed_in"])
    })
  )

  it.effect("adds what a guest enters to join who has an account, where it is empty, and says that she has one", () =>
    Effect.gen(function* () {
      yield* put("ada-2", { email: "ada-2@example.com", display_name: "Ada Lovelace" })
      yield* put("ida-2", { email: "ida-2@example.com", consent: { marketing: false } })
      const join = { name: "Somebody", birthday: "1960-05-04", consents, at: "location-42" }
      for (const [email, name] of [
        ["ada-2@example.com", "Ada Lovelace"],
        ["ida-2@example.com", "Somebody"]
      ] as const) {
        const opened = yield* Effect.flatMap(codeAsked(email, { join }), enter)
        assert.deepStrictEqual([opened.status, opened.body["had_account"]], [200, true], JSON.stringify(opened.body))
        assert.deepInclude((yield* membersOf(email))[0], { name, birthday: "1960-05-04" })
      }
      const given = yield* TestDatabase.query(`SELECT p.email, c.channel, c.granted, c.source FROM consents c
        JOIN profiles p ON p.account = c.account WHERE p.email IN ('ada-2@example.com', 'ida-2@example.com')
        ORDER BY p.email, c.channel`)
      // Nothing is added to a purpose that she has decided on.
      assert.deepStrictEqual(given, [
        { email: "ada-2@example.com", channel: "email", granted: true, source: "guest_page 1" },
        { email: "ida-2@example.com", channel: "", granted: false, source: null }
      ])
      // Signing in alone tells and changes nothing.
      assert.notProperty((yield* Effect.flatMap(codeAsked("ada-2@example.com"), enter)).body, "had_account")
    })
  )

  it.effect("signs in who meant to join and may not be changed, and adds nothing", () =>
    Effect.gen(function* () {
      yield* put("bob-2", { email: "bob-2@example.com" })
      yield* Server.send(
        `/admin/api/v1/members/${program_id}/bob-2/status`,
        { status: "suspended", reason: "test" },
        { headers: bearer(Page.rootKey) }
      )
      const entered = codeAsked("bob-2@example.com", { join: { name: "Bob", consents } })
      const { body } = yield* Effect.flatMap(entered, enter)
      assert.deepInclude(body, { status: "signed_in", had_account: true })
      assert.deepInclude((yield* membersOf("bob-2@example.com"))[0], { name: null })
    })
  )

  it.effect("asks who has no account to join, and makes one member for two who do at once", () =>
    Effect.gen(function* () {
      const first = yield* codeAsked("jan@example.com")
      const second = yield* codeAsked("jan@example.com")
      const join = (request_id: string) => asked("POST", "/sign-in/join", { request_id, join: { consents: [] } })
      assert.deepStrictEqual(yield* said(join(first.request_id)), [401, "unauthorized"])
      assert.deepStrictEqual(yield* said(enter(first)), [200, "join"])
      assert.deepStrictEqual(yield* said(enter(second)), [200, "join"])
      const both = yield* Effect.all([join(first.request_id), join(second.request_id)], { concurrency: 2 })
      assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 201])
      assert.lengthOf(yield* membersOf("jan@example.com"), 1)
      assert.deepStrictEqual(yield* said(join(first.request_id)), [401, "unauthorized"])
    })
  )

  it.effect("gives the same member again after a kill between the enrolment and the session", () =>
    Effect.gen(function* () {
      const entered = yield* codeAsked("kim@example.com", { join: { consents: [] } })
      yield* TestDatabase.query("ALTER TABLE guest_sessions ADD CONSTRAINT killed CHECK (ends_at < 0) NOT VALID")
      assert.strictEqual((yield* enter(entered)).status, 500)
      yield* TestDatabase.query("ALTER TABLE guest_sessions DROP CONSTRAINT killed")
      assert.lengthOf(yield* membersOf("kim@example.com"), 1)
      assert.deepStrictEqual(yield* said(enter(entered)), [200, "signed_in"])
      assert.lengthOf(yield* membersOf("kim@example.com"), 1)
    })
  )

  it.effect("gives the same member again while the address does not find who joined yet", () =>
    Effect.gen(function* () {
      const entered = yield* codeAsked("lou@example.com", { join: { consents: [] } })
      yield* TestDatabase.query("ALTER TABLE guest_sessions ADD CONSTRAINT killed CHECK (ends_at < 0) NOT VALID")
      assert.strictEqual((yield* enter(entered)).status, 500)
      yield* TestDatabase.query("ALTER TABLE guest_sessions DROP CONSTRAINT killed")
      // As while another node has not committed the enrolment.
      yield* TestDatabase.query("UPDATE profiles SET email = 'unseen@example.com' WHERE email = 'lou@example.com'")
      assert.strictEqual((yield* enter(entered)).body["status"], "signed_in")
      assert.lengthOf(yield* membersOf("lou@example.com"), 0)
      assert.lengthOf(yield* membersOf("unseen@example.com"), 1)
    })
  )

  it.effect("is counted by way and outcome, and by nothing of a guest", () =>
    Effect.gen(function* () {
      const counts = Effect.map(Metric.snapshot, (all) =>
        Object.fromEntries(
          all
            .filter(({ id }) => id === "lotbook_guest_sign_ins_total")
            .map(({ attributes = {}, state }) => [
              `${attributes["way"]} ${attributes["outcome"]}`,
              Number((state as { readonly count: number | bigint }).count)
            ])
        )
      )
      const before = yield* counts
      yield* put("zoe", { email: "zoe@example.com" })
      const entered = yield* codeAsked("zoe@example.com")
      yield* enter({ ...entered, code: other(entered.code) })
      yield* enter(entered)
      yield* enter(entered)
      yield* Effect.flatMap(codeAsked("new-zoe@example.com", { join: { consents: [] } }), enter)
      yield* Page.signedIn("zoe")
      yield* Page.spend("spent")
      const after = yield* counts
      assert.deepStrictEqual(
        Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])),
        {
          "email asked": 2,
          "email signed_in": 1,
          "email joined": 1,
          "email refused": 1,
          "phone asked": 0,
          "phone signed_in": 0,
          "phone joined": 0,
          "phone refused": 0,
          "link signed_in": 1,
          "link refused": 1,
          "unknown refused": 1
        }
      )
    })
  )

  it.effect("leaves connections to people while sign-ins wait", () =>
    Effect.gen(function* () {
      const { query, transaction } = yield* WorkPool
      const emails = ["ola", "pia", "rut", "sue"].map((name) => `${name}@example.com`)
      const entered = yield* Effect.forEach(emails, (email) => codeAsked(email, { join: { consents: [] } }))
      const waiting = Effect.map(
        TestDatabase.query(`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`),
        ([row]) => Number(row?.["n"])
      )
      const signedIn = yield* transaction(
        Effect.gen(function* () {
          for (const email of emails) yield* Store.holdAddress(query, program_id, ofEmail(email))
          const all = yield* Effect.forkChild(Effect.forEach(entered, enter, { concurrency: "unbounded" }))
          while ((yield* waiting) < 2);
          for (const member of ["tom", "uma"]) assert.strictEqual((yield* put(member, {})).status, 200)
          assert.strictEqual(yield* waiting, 2)
          return all
        })
      )
      for (const { status } of yield* Fiber.join(signedIn)) assert.strictEqual(status, 201)
    })
  )

  it.effect("finds no guest who was erased, and one whom a till knows by the hash of the address", () =>
    Effect.gen(function* () {
      yield* put("lea", { email: "lea@example.com" })
      yield* Server.send(
        "/platform/v1/members/erase",
        { program_id, member_id: "lea", reason: "asked" },
        { headers: bearer("everything") }
      )
      assert.deepStrictEqual(yield* said(Effect.flatMap(codeAsked("lea@example.com"), enter)), [200, "join"])
      yield* TestDatabase.query("DELETE FROM guest_counts")
      const value = hash("sha256", "till@example.com")
      const enrolled = yield* Server.send("/proto/v1/members/enroll", {
        context: Testing.context(),
        program_id,
        member_id: "mo",
        identity: { type: "email_hash", value }
      })
      assert.strictEqual(enrolled.status, 201, JSON.stringify(enrolled.body))
      assert.deepStrictEqual(yield* said(Effect.flatMap(codeAsked("Till@example.com"), enter)), [200, "signed_in"])
    })
  )

  it.effect("refuses a birthday that lies ahead before it mails anything", () =>
    Effect.gen(function* () {
      const { body, status } = yield* ask("mia@example.com", { join: { birthday: "2099-01-01", consents: [] } })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body["errors"], [{ path: "/join/birthday", message: "must not lie ahead" }])
      assert.lengthOf(yield* mailsTo("mia@example.com"), 0)
    })
  )
})

it.effect("a code works once on two nodes", () =>
  Effect.gen(function* () {
    const [one, two] = yield* Page.two
    yield* Effect.provide(put("noa", { email: "noa@example.com" }), one)
    const entered = yield* Effect.provide(codeAsked("noa@example.com"), one)
    const all = yield* Effect.all(
      [one, two, one, two].map((node) => Effect.provide(said(enter(entered)), node)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(all.map(([status]) => status).toSorted(), [200, 401, 401, 401])
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)

it.effect("without a mail server nobody is mailed, and the answer says so to all", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* said(ask("ada@example.com")), [409, "invalid_state"])
  }).pipe(Effect.scoped, Effect.provide(Page.mailless))
)

it.effect(
  "a code is mailed once for its request by two nodes that send at once, and nothing of the mail stays in a table",
  () =>
    Effect.gen(function* () {
      const server = yield* MailServer.make
      yield* Effect.gen(function* () {
        const { body } = yield* ask("ulla@example.com")
        const [mail] = yield* mailsTo("ulla@example.com")
        const senders = [yield* Sender.make, yield* Sender.make]
        const both = Effect.all(
          senders.map(({ batch }) => batch),
          { concurrency: "unbounded" }
        )
        yield* both
        yield* both
        assert.deepStrictEqual(
          server.received.map(({ to }) => to),
          [["ulla@example.com"]]
        )
        const tables = yield* TestDatabase.query(
          "SELECT format('%I', table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        )
        for (const { name } of tables) {
          const rows = JSON.stringify(yield* TestDatabase.query(`SELECT t::text AS row FROM ${String(name)} t`))
          assert.notInclude(rows, "ulla@example.com", String(name))
          assert.notInclude(rows, `"${mail?.code}"`, String(name))
        }
        assert.deepStrictEqual(yield* said(enter({ request_id: body["request_id"], code: mail?.code })), [200, "join"])
      }).pipe(Effect.provideService(Mail.CurrentMail, server.options))
    }).pipe(Effect.scoped, Effect.provide(Page.layer))
)
