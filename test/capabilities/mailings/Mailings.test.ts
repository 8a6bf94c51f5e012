/** contract/engagement.md *Mails of campaigns*: who gets a campaign's mail, once, and who never does. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { planOf } from "../../../src/capabilities/campaigns/CampaignPlan.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Bounds from "../../../src/capabilities/mailings/Bounds.ts"
import * as Mailings from "../../../src/capabilities/mailings/Mailings.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import { CurrentSite, siteOf } from "../../../src/capabilities/staff/Site.ts"
import { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import { start } from "../campaigns/CampaignService.ts"
import * as World from "../campaigns/CampaignWorld.ts"
import { facts, program_id, run } from "../campaigns/CampaignWorld.ts"
import * as Triggers from "../campaigns/TriggerWorld.ts"
import * as Mail from "./MailingWorld.ts"

const { agreed, confirmed, got, mail, mailed, mailing, profile, program, reachable, tokenIn, unsubscribe, withServer } =
  Mail

const none = { waiting: 0, sent: 0, failed: 0, skipped: 0, unsubscribed: 0 }

it("a mail has a subject of one line and a text that is not blank", () => {
  const isRight = (more: object) => Schema.is(CampaignFacts)({ ...facts("long"), mail: { ...mail, ...more } })
  assert.isTrue(isRight({ subject: "🍜".repeat(120), text: "a".repeat(2_000), texts: { de: mail }, days: 30 }))
  for (const wrong of [
    { subject: "" },
    { subject: "  " },
    { subject: "Hello\r\nBcc: x@example.com" },
    { subject: "a".repeat(121) },
    { text: " \n " },
    { text: "a".repeat(2_001) },
    { days: 0 },
    { days: 31 }
  ])
    assert.isFalse(isRight(wrong), JSON.stringify(wrong))
})

it.effect("a mail needs the programme's page for guests", () =>
  Effect.gen(function* () {
    const { guest_page: _, ...file } = program.file
    const asked = { ...facts("pageless"), mail }
    assert.deepStrictEqual((yield* planOf(asked, "pageless", program, 0)).mail, mail)
    const { errors } = yield* Effect.flip(planOf(asked, "pageless", { ...program, file }, 0))
    assert.deepStrictEqual(
      errors?.map(({ path }) => path),
      ["/mail"]
    )
  })
)

layer(World.layer)("a campaign's mail", (it) => {
  it.effect(
    "goes to those who get something, agree and have confirmed their address, and the preview counts them",
    () =>
      withServer((server, { batch }) =>
        Effect.gen(function* () {
          const { campaigns, names } = yield* World.active("who", 8, { mail })
          const [ada = "", whole = "", refuses = "", silent = "", typed = "", moved = "", nobody = "", leaves = ""] =
            names
          yield* reachable(ada)
          yield* profile(whole, { email: "Whole@example.com", consent: { marketing: true } })
          yield* confirmed(whole, "whole@EXAMPLE.com")
          yield* profile(refuses, {
            email: `${refuses}@example.com`,
            consent: [
              { purpose: "marketing", granted: true },
              { ...agreed[0], granted: false }
            ]
          })
          yield* confirmed(refuses)
          yield* profile(silent, { email: `${silent}@example.com` })
          yield* confirmed(silent)
          yield* profile(typed, { email: `${typed}@example.com`, consent: agreed })
          yield* reachable(moved)
          yield* profile(moved, { email: "other@example.com" })
          yield* profile(nobody, { consent: agreed })
          yield* reachable(leaves)
          const { query } = yield* PeoplePool
          yield* query(
            "INSERT INTO guest_settings (account, leaves_at) SELECT number, 1 FROM accounts WHERE member_id = 'who7'"
          )
          const { forecast } = yield* campaigns.forecast({ campaign_id: "who" })
          assert.deepStrictEqual(forecast.mail, {
            open: 2,
            without: [
              { code: "not_active", count: 1 },
              { code: "no_email", count: 1 },
              { code: "no_consent", count: 2 },
              { code: "not_confirmed", count: 2 }
            ]
          })
          yield* run({ campaign_id: "who" })
          assert.deepStrictEqual(yield* mailed("who"), { ...none, waiting: 2 })
          assert.strictEqual(yield* batch, "worked")
          assert.deepStrictEqual(got(server), [`${ada}@example.com`, "Whole@example.com"].sort())
          assert.deepStrictEqual(yield* mailed("who"), { ...none, sent: 2 })
          const again = yield* campaigns.forecast({ campaign_id: "who", run_key: "again" })
          assert.deepStrictEqual(again.forecast.mail?.without[0], { code: "already_mailed", count: 2 })
          yield* run({ campaign_id: "who", run_key: "again" })
          assert.strictEqual(yield* batch, "idle", "one mail for each guest and campaign")
          assert.lengthOf(server.received, 2)
        })
      )
  )

  it.effect("has the guest's language, what it is for, and a link that ends such mails in one step", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const texts = { de: { subject: "Eine Bowl für dich", text: "Hol sie dir." } }
        yield* mailing("words", 2, { mail: { ...mail, texts } })
        const { query } = yield* PeoplePool
        yield* query(
          "INSERT INTO guest_settings (account, language) SELECT number, 'de' FROM accounts WHERE member_id = 'words1'"
        )
        yield* run({ campaign_id: "words" })
        yield* batch
        const rawOf = (to: string) => server.received.find((one) => one.to[0] === to)?.text ?? ""
        const english = rawOf("words0@example.com")
        assert.include(english, "Subject: A bowl for you")
        assert.include(english, "Come and get it.")
        assert.include(english, `/my/${program_id}/unsubscribe/`)
        assert.match(english, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
        assert.match(
          english.replaceAll(/\r?\n\s+/g, ""),
          /^List-Unsubscribe: ?<http:\/\/localhost:3210\/my\/[^>]+>\r?$/m
        )
        assert.match(english, /^Message-ID: <[0-9a-f-]{36}@example.com>\r?$/m)
        const german = rawOf("words1@example.com")
        assert.include(german, "Hol sie dir.")
        assert.include(german, "Abbestellen")
        assert.include(german, '<html lang="de">')
        assert.notInclude(german, "Come and get it")
      })
    )
  )

  it.effect("is not sent to somebody who withdrew, was erased or left the address, though it was claimed before", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { names } = yield* mailing("gone", 4)
        const [withdrew = "", erased = "", changed = "", stays = ""] = names
        yield* run({ campaign_id: "gone" })
        yield* profile(withdrew, { consent: [{ ...agreed[0], granted: false }] })
        yield* profile(changed, { email: "another@example.com" })
        const profiles = yield* Profiles.make((yield* PeoplePool).query)
        yield* profiles
          .erase(program, { member_id: erased, reason: "asked" })
          .pipe(Effect.provideService(CurrentCaller, operator))
        yield* batch
        assert.deepStrictEqual(got(server), [`${stays}@example.com`])
        assert.deepStrictEqual(yield* mailed("gone"), { ...none, sent: 1, skipped: 3 })
        const { query } = yield* PeoplePool
        const rows = yield* query(`SELECT c.address FROM confirmed_addresses c JOIN accounts a ON a.number = c.account
          WHERE a.member_id = '${erased}'`)
        assert.lengthOf(rows, 0)
      })
    )
  )

  it.effect("is one for guests who were merged, whichever of them had it", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { names } = yield* mailing("pair", 4)
        const [from = "", into = "", second = "", third = ""] = names
        const accounts = yield* Accounts
        const { query } = yield* PeoplePool
        // Only the first has got something yet.
        yield* query(`DELETE FROM segment_members WHERE segment_id = 'pair'
          AND account IN (SELECT number FROM accounts WHERE member_id IN ('${into}', '${second}', '${third}'))`)
        yield* run({ campaign_id: "pair" })
        yield* batch
        assert.deepStrictEqual(got(server), [`${from}@example.com`])
        yield* accounts.merge(program_id, { from, into })
        yield* query(`INSERT INTO segment_members (segment_id, account)
          SELECT 'pair', number FROM accounts WHERE member_id IN ('${into}', '${second}', '${third}')`)
        yield* run({ campaign_id: "pair", run_key: "two" })
        // Both of these wait.
        yield* accounts.merge(program_id, { from: second, into: third })
        while ((yield* batch) === "worked") yield* Effect.yieldNow
        assert.deepStrictEqual(got(server), [from, third].map((one) => `${one}@example.com`).sort())
        assert.deepStrictEqual(yield* mailed("pair"), { ...none, sent: 2 })
      })
    )
  )

  it.effect(
    "is never begun twice: not by a second node, and not after a kill, when nobody knows whether it was sent",
    () =>
      withServer((server, { batch }) =>
        Effect.gen(function* () {
          yield* mailing("killed", 6)
          yield* run({ campaign_id: "killed" })
          const { query } = yield* PeoplePool
          yield* query(`UPDATE campaign_mails SET begun_at = ${start} WHERE campaign_id = 'killed'
          AND account = (SELECT number FROM accounts WHERE member_id = 'killed0')`)
          const second = yield* Mailings.make
          yield* Effect.all([batch, second.batch, batch, second.batch], { concurrency: 4 })
          assert.deepStrictEqual(
            got(server),
            [1, 2, 3, 4, 5].map((n) => `killed${n}@example.com`)
          )
          assert.deepStrictEqual(yield* mailed("killed"), { ...none, sent: 5, waiting: 1 })
          yield* Triggers.later(Bounds.leaseMs)
          yield* batch
          assert.deepStrictEqual(yield* mailed("killed"), { ...none, sent: 5, in_doubt: 1 })
          assert.lengthOf(server.received, 5)
        })
      )
  )

  it.effect(
    "waits for a mail server that is away or refuses it for now, fails where it refuses for good, and not for ever",
    () =>
      withServer((server, { batch }) =>
        Effect.gen(function* () {
          yield* mailing("away", 4, { mail: { ...mail, days: 1 } })
          const { url } = server.options
          server.options.url = Redacted.make("smtp://127.0.0.1:1")
          yield* run({ campaign_id: "away" })
          assert.strictEqual(yield* batch, "waits")
          assert.deepStrictEqual(yield* mailed("away"), { ...none, waiting: 4 })
          server.options.url = url
          const statuses: Record<string, number> = {
            "away0@example.com": 550,
            "away1@example.com": 452,
            "away2@example.com": 452
          }
          server.answer = (address) => statuses[address] ?? 250
          yield* Triggers.later(Bounds.retryMs)
          yield* batch
          assert.deepStrictEqual(yield* mailed("away"), { ...none, sent: 1, failed: 1, waiting: 2 })
          delete statuses["away1@example.com"]
          yield* Triggers.later(10 * Bounds.retryMs)
          yield* batch
          assert.deepStrictEqual(got(server), ["away1@example.com", "away3@example.com"])
          yield* Triggers.later(86_400_000)
          delete statuses["away2@example.com"]
          yield* batch
          assert.deepStrictEqual(yield* mailed("away"), { ...none, sent: 2, failed: 2 })
        })
      )
  )

  it.effect("comes after codes, in small batches, and rests with its campaign", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { campaigns } = yield* mailing("turns", 7)
        yield* run({ campaign_id: "turns" })
        const { query } = yield* PeoplePool
        yield* query(`INSERT INTO mails (mail_id, kind, sealed, created_at, due_at, until)
          VALUES (gen_random_uuid(), 'guest_code', '', 0, 0, 1)`)
        assert.strictEqual(yield* batch, "idle")
        yield* query("DELETE FROM mails")
        yield* campaigns.setStatus({ campaign_id: "turns", status: "paused" })
        assert.strictEqual(yield* batch, "idle")
        yield* campaigns.setStatus({ campaign_id: "turns", status: "active" })
        assert.strictEqual(yield* batch, "worked")
        assert.lengthOf(server.received, Bounds.batchMails)
        yield* batch
        assert.lengthOf(server.received, 7)
      })
    )
  )

  it.effect("is counted in a sandbox, and not sent", () =>
    withServer((server) =>
      Effect.gen(function* () {
        const { names } = yield* mailing("sandbox", 3)
        yield* run({ campaign_id: "sandbox" })
        yield* profile(names[0] ?? "", { consent: { marketing: false } })
        const sandbox = yield* Effect.provideService(Mailings.make, CurrentSite, siteOf(undefined, 3210, true, true))
        assert.strictEqual(yield* sandbox.batch, "worked")
        assert.lengthOf(server.received, 0)
        assert.deepStrictEqual(yield* mailed("sandbox"), { ...none, skipped: 1, rehearsed: 2 })
      })
    )
  )

  it.effect("goes to whom an event has given something, once", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        yield* World.audience("event", 2)
        yield* reachable("event0")
        yield* Triggers.active("event", { on: "order.accrued", once: "event" }, { mail })
        yield* Triggers.order("event0", "e-1", 1_000)
        yield* Triggers.order("event1", "e-2", 1_000)
        yield* Triggers.order("event0", "e-3", 1_000)
        yield* Triggers.goOn("event")
        while ((yield* batch) === "worked") yield* Effect.yieldNow
        assert.deepStrictEqual(got(server), ["event0@example.com"])
        yield* Triggers.rest
      })
    )
  )

  it.effect("is unsubscribed by its link, after which the guest gets none, of no campaign", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { names } = yield* mailing("first", 1)
        const [ada = ""] = names
        yield* run({ campaign_id: "first" })
        yield* batch
        const token = tokenIn(server.received[0]?.text ?? "")
        assert.isFalse(yield* unsubscribe("guessed"))
        assert.isFalse(yield* unsubscribe(`${token.slice(0, -4)}AAAA`))
        assert.isFalse(yield* unsubscribe(token, "retired"), "of another programme")
        assert.isTrue(yield* unsubscribe(token))
        assert.isTrue(yield* unsubscribe(token), "doing it again changes nothing")
        assert.deepStrictEqual(yield* mailed("first"), { ...none, sent: 1, unsubscribed: 1 })
        const profiles = yield* Profiles.make((yield* PeoplePool).query)
        const { consents } = yield* profiles.show(yield* profiles.accountOf(program, ada))
        assert.deepInclude(consents[0], {
          purpose: "marketing",
          channel: "email",
          granted: false,
          source: "unsubscribe first"
        })
        const campaigns = yield* Campaigns.make
        yield* campaigns.put(facts("second", { segment_id: "first", mail }))
        yield* campaigns.setStatus({ campaign_id: "second", status: "active" })
        yield* run({ campaign_id: "second" })
        assert.strictEqual(yield* batch, "idle")
        assert.isUndefined(yield* mailed("second"))
      })
    )
  )

  it.effect("is unsubscribed by the link of a guest who was merged, and by one of a guest who is gone", () =>
    withServer((server, { batch }) =>
      Effect.gen(function* () {
        const { names } = yield* mailing("later", 3)
        const [from = "", into = "", erased = ""] = names
        yield* run({ campaign_id: "later" })
        yield* batch
        const tokenOf = (member: string) =>
          tokenIn(server.received.find(({ to }) => to[0] === `${member}@example.com`)?.text ?? "")
        yield* Effect.flatMap(Accounts, (accounts) => accounts.merge(program_id, { from, into }))
        const profiles = yield* Profiles.make((yield* PeoplePool).query)
        yield* profiles
          .erase(program, { member_id: erased, reason: "asked" })
          .pipe(Effect.provideService(CurrentCaller, operator))
        assert.isTrue(yield* unsubscribe(tokenOf(from)))
        assert.isTrue(yield* unsubscribe(tokenOf(erased)))
        const { consents } = yield* profiles.show(yield* profiles.accountOf(program, into))
        assert.isFalse(consents.find(({ channel }) => channel === "email")?.granted)
      })
    )
  )
})
