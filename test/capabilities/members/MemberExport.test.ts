/** A file of everything about a guest (contract/operators.md *A file of everything*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { Sheet, Told } from "../../../src/capabilities/members/PrintedMember.ts"
import { entryRow } from "../../../src/capabilities/members/PrintedMember.ts"
import { wordsIn } from "../../../src/capabilities/members/PrintedWords.ts"
import { ledgerStrings } from "../../../src/console/guests/ledgerStrings.ts"
import { ledger as german } from "../../../src/console/translations/de/guests.ts"
import { pathOf } from "../../../src/contract/admin/Members.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { csvPage } from "../../../src/desk/surface/Bounds.ts"
import { de } from "../../../src/guest/words/de.ts"
import { en } from "../../../src/guest/words/en.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"

const layer = Layer.orDie(
  Layer.provideMerge(TestServer.layer(PgJournal.layer, [], undefined, undefined, Pools.layer), TestDatabase.layer)
)

const program_id = Testing.demoProgram.id

type File = Readonly<Record<string, unknown>> & {
  readonly ledger: ReadonlyArray<{ readonly amount: number; readonly member_id: string }>
  readonly consent_history: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly events: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const ask = (member: string, headers = Operators.root) =>
  TestServer.send(`${pathOf(program_id, member)}/export.json`, undefined, { method: "GET", headers })

const file = (member: string) =>
  Effect.map(ask(member), (answer) => {
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
    assert.strictEqual(answer.headers.get("content-disposition"), `attachment; filename="guest-${member}.json"`)
    return answer.body as unknown as File
  })

/** The page that prints, as text. */
const printed = (member: string, search = "", headers = Operators.root) =>
  Effect.flatMap(TestServer.port, (port) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${pathOf(program_id, member)}/export.html${search}`, {
        headers
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
  )

const platform = (path: string, facts: object, method = "POST") =>
  Effect.map(TestServer.send(`/platform/v1${path}`, facts, { method }), ({ body, status }) =>
    assert.isBelow(status, 300, JSON.stringify(body))
  )

describe("a file of everything", () => {
  it.effect("has profile, all entries, decisions of consent, events and rewards, newest first", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const count = csvPage + 3
      for (let n = 1; n <= count; n++) yield* credit("ada", n)
      yield* platform(
        "/members",
        { program_id, member_id: "ada", display_name: "Ada", consent: [{ purpose: "marketing", granted: true }] },
        "PUT"
      )
      yield* platform(
        "/members",
        { program_id, member_id: "ada", consent: [{ purpose: "marketing", granted: false }] },
        "PUT"
      )
      for (const type of ["app.opened", "review.left"])
        yield* platform("/events", { program_id, member_id: "ada", type, idempotency_key: `event-${type}` })
      const reward = { context: Testing.context(), program_id, member_id: "ada", reward_id: "free-bowl" }
      yield* body(Testing.call("issued_reward.issue", { ...reward, issued_reward_id: "gift-1" }))
      const found = yield* file("ada")
      assert.deepStrictEqual(
        found.ledger.map(({ amount }) => amount),
        Array.from({ length: count }, (_, n) => count - n)
      )
      assert.deepStrictEqual(
        found.consent_history.map(({ granted, purpose }) => [purpose, granted]),
        [
          ["marketing", false],
          ["marketing", true]
        ]
      )
      assert.deepStrictEqual(found.events.map(({ type }) => type).toSorted(), ["app.opened", "review.left"])
      assert.strictEqual((found["profile"] as { readonly display_name: string }).display_name, "Ada")
      assert.deepStrictEqual(
        (found["issued_rewards"] as ReadonlyArray<Record<string, unknown>>).map(
          ({ issued_reward_id }) => issued_reward_id
        ),
        ["gift-1"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("has empty lists for a guest without anything, and is 404 for nobody", () =>
    Effect.gen(function* () {
      yield* enroll("ben")
      const { consent_history, events, ledger } = yield* file("ben")
      assert.deepStrictEqual({ consent_history, events, ledger }, { consent_history: [], events: [], ledger: [] })
      const nobody = yield* ask("nobody")
      assert.deepStrictEqual([nobody.status, nobody.body["code"]], [404, "not_found"])
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("needs its own scope, and is in the audit", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const reader = yield* Operators.issue({ scopes: ["members:read"] })
      const exporter = yield* Operators.issue({ name: "Export", scopes: ["members:export"] })
      assert.strictEqual((yield* ask("ada", Operators.bearer(reader.secret))).status, 403)
      assert.strictEqual((yield* ask("ada", Operators.bearer(exporter.secret))).status, 200)
      const { body: audit } = yield* Operators.get("/audit?action=member.export")
      assert.deepStrictEqual(
        (audit["entries"] as ReadonlyArray<Record<string, unknown>>).map(({ actor, subject }) => [actor, subject]),
        [
          [
            { kind: "token", name: "Export", token_id: exporter.token_id },
            { type: "member", id: "ada" }
          ]
        ]
      )
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect(
    "is a page that prints, with everything in words, in the guest's language, and nothing of it as markup",
    () =>
      Effect.gen(function* () {
        yield* enroll("ada")
        const count = csvPage + 1
        for (let n = 1; n <= count; n++) yield* credit("ada", n)
        const facts = {
          program_id,
          member_id: "ada",
          display_name: "<b>Ada</b>",
          birth_date: "1966-04-05",
          attributes: { table: "by the window", likes: { tea: true } },
          consent: [{ purpose: "marketing", channel: "email", granted: true, source: "console" }]
        }
        yield* platform("/members", facts, "PUT")
        yield* platform("/events", {
          program_id,
          member_id: "ada",
          type: "app.opened",
          idempotency_key: "event-opened-1"
        })
        const reward = { context: Testing.context(), program_id, member_id: "ada", reward_id: "free-bowl" }
        yield* body(Testing.call("issued_reward.issue", { ...reward, issued_reward_id: "gift-1" }))
        const page = yield* printed("ada")
        assert.strictEqual(page.status, 200)
        assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
        assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/)
        assert.strictEqual(page.headers.get("cache-control"), "no-store")
        for (const shown of [
          '<html lang="en">',
          "Everything that is kept about &#60;b&#62;Ada&#60;/b&#62;",
          "5 April 1966",
          "by the window",
          "tea: yes",
          "Free bowl",
          "can be used",
          "News and offers by e-mail",
          "agreed",
          "console",
          "app.opened"
        ])
          assert.include(page.text, shown)
        assert.notInclude(page.text, "<b>Ada</b>")
        assert.lengthOf(page.text.match(/points<\/td>/g) ?? [], count)
        // With no language chosen by the guest, the one asked for is before that of the guests' page.
        assert.include((yield* printed("ada", "?language=de")).text, '<html lang="de">')
        const { query } = yield* Pools.PeoplePool
        yield* query(
          "INSERT INTO guest_settings (account, language) SELECT number, 'de' FROM accounts WHERE member_id = 'ada'"
        )
        const inGerman = yield* printed("ada")
        for (const shown of ['<html lang="de">', "Alles, was über", "Neues und Angebote per E-Mail", "Punkte</td>"])
          assert.include(inGerman.text, shown)
      }).pipe(Effect.provide(layer))
  )

  it.effect("needs the scope of the file as a page too, and is in the audit", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const reader = yield* Operators.issue({ scopes: ["members:read"] })
      assert.strictEqual((yield* printed("ada", "", Operators.bearer(reader.secret))).status, 403)
      assert.strictEqual((yield* printed("nobody")).status, 404)
      assert.strictEqual((yield* printed("ada", "?language=xx")).status, 422)
      assert.strictEqual((yield* printed("ada")).status, 200)
      const { body: audit } = yield* Operators.get("/audit?action=member.export")
      assert.lengthOf(audit["entries"] as ReadonlyArray<unknown>, 1)
    }).pipe(Effect.provide(Operators.layer()))
  )
})

describe("the words of a page of everything", () => {
  it("name what posted an entry as the console does, and gifts as the guests' page does", () => {
    assert.deepInclude(ledgerStrings.causes, wordsIn.en.causes)
    assert.deepInclude(german.causes, wordsIn.de.causes)
    assert.deepInclude(en.history.kinds, wordsIn.en.byHand)
    assert.deepInclude(de.history.kinds, wordsIn.de.byHand)
  })

  it("are names in the places of ids", () => {
    const told = { cause: "order_moved", kind: "earned", place: "Mitte", promotions: ["Stamp card"] } as const
    const sheet: Sheet = { language: "de", logo: undefined, places: new Map(), program: Testing.demoProgram }
    const entry = { occurred_at: "2026-07-14T10:00:00.000Z", unit: "stamps", amount: 4, order_id: "o-1" } as const
    const cells = (change: Partial<Told>, reason: string) =>
      entryRow(sheet, { ...told, ...change }, { ...entry, reason })
    assert.strictEqual(cells({}, "promotions: stamp-card")[1], "Bestellung übertragen · Bestellung o-1 · Stamp card")
    assert.strictEqual(
      cells({ cause: "stamp_card", promotions: undefined }, "stamp card filled")[1],
      "Stempelkarte voll · Bestellung o-1"
    )
  })
})
