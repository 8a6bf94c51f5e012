/**
 * contract/engagement.md *Profiles*, *Consent*: members with profiles and consent, over HTTP on PostgreSQL. Holds
 * contract/members.md *Erasure* and of contract/events.md *Events* that nothing personal is in an event.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { body, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { PlatformMember } from "../../../src/contract/platform/Members.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Place from "../../../src/reads/feed/Place.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const tokens = [
  { token_sha256: hash("sha256", "other-alone"), scopes: ["platform:write"] as const, programs: ["other"] }
]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "other" }]
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer),
  TestDatabase.layer
)

const path = "/platform/v1/members"
const root = { authorization: "Bearer proto-dev-admin-key" }

const put = (body: object, headers: Record<string, string> = {}) =>
  TestServer.send(path, { program_id, ...body }, { method: "PUT", headers })
const get = (query: Record<string, string>, at = path) =>
  TestServer.send(`${at}?${new URLSearchParams({ program_id, ...query })}`, undefined, { method: "GET" })
const erase = (member_id: string, reason = "asked by the guest") =>
  TestServer.send(`${path}/erase`, { program_id, member_id, reason })
const memberIn = ({ body }: TestServer.Response) => body["member"] as PlatformMember
const done = (response: TestServer.Response) => {
  assert.strictEqual(response.status, 200, JSON.stringify(response.body))
  return memberIn(response)
}
const refused = ({ body, status }: TestServer.Response, code: string, fault?: string) => {
  assert.strictEqual(body["code"], code, JSON.stringify(body))
  if (fault !== undefined) assert.strictEqual((body["errors"] as ReadonlyArray<{ path: string }>)[0]?.path, fault)
  return status
}
const ids = ({ body }: TestServer.Response) =>
  (body["members"] as ReadonlyArray<PlatformMember>).map(({ member_id }) => member_id)
const suspend = (member: string, status = "suspended") =>
  TestServer.send(`/admin/api/v1/members/${program_id}/${member}/status`, { status, reason: "test" }, { headers: root })
const merge = (from: string, into: string) =>
  TestServer.send(`/admin/api/v1/members/${program_id}/merge`, { from, into, reason: "one guest" }, { headers: root })

/** All rows of all tables as text. */
const dump = Effect.scoped(
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    const tables = yield* connection.query("SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'")
    const texts: Array<string> = []
    for (const { name } of tables.rows) {
      const { rows } = yield* connection.query(`SELECT t::text AS row FROM "${String(name)}" t`)
      for (const { row } of rows) texts.push(`${String(name)} ${String(row)}`)
    }
    assert.isAbove(tables.rows.length, 20)
    return texts
  })
)

/** All events of the feed as text. */
const told = Effect.gen(function* () {
  const { oldestAfter, read } = yield* EventFeed.EventFeed
  const texts: Array<string> = []
  for (let after = Place.beginning; ; ) {
    const { events, next } = yield* read(after, { programs: undefined, accounts: undefined }, 1_000)
    texts.push(...events.map(({ event }) => JSON.stringify(event)))
    after = next
    // Transactions of other tests may hold back what is newest.
    if ((yield* oldestAfter(after)) === undefined) return texts
  }
}).pipe(Effect.provide(EventFeed.layer.pipe(Layer.provide(PgFeed.layer), Layer.provide(Programs.layerFrom(programs)))))

it.layer(layer, { excludeTestServices: true })("members of the platform", (it) => {
  it.effect("are enrolled with their profile, found by external id, and changed field by field", () =>
    Effect.gen(function* () {
      const first = yield* put({
        external_id: "crm-1",
        display_name: "Ada Łukasik",
        email: "Ada@Example.com",
        phone: "+4930123456",
        birth_date: "1990-12-10",
        attributes: { a: 1, b: { c: 2 } },
        consent: { marketing: true, source: "web" }
      })
      const ada = done(first)
      assert.strictEqual(first.body["created"], true)
      assert.deepInclude(ada, { external_id: "crm-1", email: "Ada@Example.com", birth_date: "1990-12-10" })
      const { member } = yield* body<ResponseOf<"member.lookup">>(
        Testing.call("member.lookup", {
          context: Testing.context(),
          program_id,
          identity: { type: "external", value: "crm-1" }
        })
      )
      assert.strictEqual(member?.member_id, ada.member_id)
      assert.deepStrictEqual(member?.attributes, { a: 1, b: { c: 2 } })

      const second = yield* put({ external_id: "crm-1", phone: null, attributes: { a: null, d: true } })
      assert.strictEqual(second.body["created"], false)
      const changed = done(second)
      assert.deepStrictEqual(changed.attributes, { b: { c: 2 }, d: true })
      assert.notProperty(changed, "phone")
      assert.deepInclude(changed, { member_id: ada.member_id, display_name: "Ada Łukasik", email: "Ada@Example.com" })
      const third = done(yield* put({ member_id: ada.member_id, external_id: null, attributes: null }))
      assert.notProperty(third, "external_id")
      assert.notProperty(third, "attributes")
      assert.deepStrictEqual(done(yield* get({ member_id: ada.member_id })), third)
      // The external id is free; the identity is the member's still.
      assert.strictEqual((yield* put({ external_id: "crm-1", display_name: "Ada" })).body["created"], false)
    })
  )

  it.effect("are enrolled once, however many requests come at the same instant", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, (_, n) => put({ external_id: "at-once", attributes: { [`k${n}`]: n } })),
        { concurrency: 8 }
      )
      assert.strictEqual(answers.filter(({ body }) => body["created"] === true).length, 1)
      const last = done(yield* put({ external_id: "at-once" }))
      assert.lengthOf(Object.keys(last.attributes as object), 8)
      const again = yield* Effect.all(
        [1, 2].map((n) => put({ member_id: "same-id", external_id: `same-${n}` })),
        {
          concurrency: 2
        }
      )
      for (const one of again) done(one)
      assert.strictEqual(again.filter(({ body }) => body["created"] === true).length, 1)
    })
  )

  it.effect("who were enrolled elsewhere are changed, and a request that changes nothing writes nothing", () =>
    Effect.gen(function* () {
      yield* enroll("till-1")
      const listed = done(yield* get({ member_id: "till-1" }))
      assert.deepStrictEqual(listed.consents, [])
      const first = yield* put({ member_id: "till-1", external_id: "till-x", display_name: "Till" })
      assert.strictEqual(first.body["created"], false)
      const records = TestDatabase.query("SELECT count(*)::int AS n FROM journal")
      const before = yield* records
      assert.deepStrictEqual(done(yield* put({ member_id: "till-1", display_name: "Till" })), done(first))
      assert.deepStrictEqual(yield* records, before)
    })
  )

  it.effect("are refused what is another's, unknown, or wrong, and nothing of it is done", () =>
    Effect.gen(function* () {
      done(yield* put({ member_id: "own-1", external_id: "own-x" }))
      done(yield* put({ member_id: "own-2" }))
      assert.strictEqual(
        refused(yield* put({ member_id: "own-2", external_id: "own-x", display_name: "N" }), "conflict"),
        409
      )
      assert.notProperty(done(yield* get({ member_id: "own-2" })), "display_name")
      refused(yield* put({ member_id: "own-3", external_id: "own-x" }), "conflict")
      refused(yield* get({ member_id: "own-3" }), "not_found")
      refused(yield* put({ display_name: "nobody" }), "validation_failed", "/member_id")
      refused(yield* put({ member_id: "own-2", email: "not an address" }), "validation_failed", "/email")
      refused(yield* put({ member_id: "own-2", phone: "030 123" }), "validation_failed", "/phone")
      refused(yield* put({ member_id: "own-2", birth_date: "2023-02-29" }), "validation_failed", "/birth_date")
      refused(yield* put({ member_id: "own-2", birth_date: "2999-01-01" }), "validation_failed", "/birth_date")
      const both = yield* put({
        member_id: "own-2",
        email: "not an address",
        birth_date: "2999-01-01",
        consent: [
          { purpose: "marketing", granted: true, recorded_at: "2999-01-01T00:00:00Z" },
          { purpose: "marketing", channel: "fax", granted: true, recorded_at: "2999-01-01T00:00:00Z" }
        ]
      })
      assert.deepStrictEqual(
        (both.body["errors"] as ReadonlyArray<{ path: string }>).map(({ path }) => path),
        ["/email", "/consent/1/channel", "/birth_date", "/consent/0/recorded_at"]
      )
      refused(yield* put({ member_id: "own-2", consent: { marketing: 1 } }), "validation_failed", "/consent/marketing")
      refused(
        yield* put({ member_id: "own-2", consent: [{ purpose: "marketing", channel: "fax", granted: true }] }),
        "validation_failed",
        "/consent/0/channel"
      )
      refused(
        yield* put({
          member_id: "own-2",
          consent: [{ purpose: "marketing", granted: true, recorded_at: "2999-01-01T00:00:00Z" }]
        }),
        "validation_failed",
        "/consent/0/recorded_at"
      )
      const large = { member_id: "own-2", attributes: { large: "x".repeat(70_000) } }
      refused(yield* put(large), "validation_failed", "/attributes")
      refused(yield* put({ member_id: "own-2", nickname: "N" }), "validation_failed", "/nickname")
      refused(yield* put({ member_id: "own-2" }, { authorization: "Bearer other-alone" }), "forbidden")
      assert.strictEqual(
        done(yield* put({ program_id: "other", external_id: "own-x" }, { authorization: "Bearer other-alone" }))
          .program_id,
        "other"
      )
    })
  )

  it.effect("say what they agree to: every change is kept, the newest counts, both forms agree", () =>
    Effect.gen(function* () {
      const at = (day: number) => `2026-07-0${day}T00:00:00.000Z`
      const member_id = "says"
      const list = (...consent: ReadonlyArray<object>) => Effect.map(put({ member_id, consent }), done)
      const withdrawn = yield* list({ purpose: "marketing", granted: false, source: "desk", recorded_at: at(5) })
      assert.deepStrictEqual(withdrawn.consent, { marketing: false, source: "desk", updated_at: at(5) })
      // One that was given before arrives late.
      const late = yield* list({ purpose: "marketing", granted: true, recorded_at: at(3) })
      assert.deepStrictEqual(late.consent, withdrawn.consent)
      yield* list({ purpose: "marketing", channel: "email", granted: true, recorded_at: at(4) })
      const email = (member: PlatformMember) => member.consents.find(({ channel }) => channel === "email")?.granted
      // The purpose as a whole was withdrawn later.
      assert.strictEqual(email(done(yield* get({ member_id }))), false)
      assert.strictEqual(
        email(yield* list({ purpose: "marketing", channel: "email", granted: true, recorded_at: at(6) })),
        true
      )
      const short = done(yield* put({ member_id, consent: { marketing: true, source: "app" } }))
      assert.deepInclude(short.consent, { marketing: true, source: "app" })
      const [whole] = short.consents.filter(({ channel, purpose }) => purpose === "marketing" && channel === undefined)
      assert.deepStrictEqual(
        [whole?.granted, whole?.source, whole?.recorded_at],
        [true, "app", short.consent?.updated_at]
      )
      yield* list({ purpose: "marketing", granted: true, recorded_at: at(3) })
      const [history] = yield* TestDatabase.query(
        "SELECT count(*)::int AS n FROM consents c JOIN accounts a ON a.number = c.account WHERE a.member_id = 'says'"
      )
      assert.strictEqual(history?.["n"], 5)
    })
  )

  it.effect("withdraw consent while suspended, and change nothing else; closed ones change nothing", () =>
    Effect.gen(function* () {
      const member_id = "holds-still"
      done(yield* put({ member_id, display_name: "Still", consent: { marketing: true } }))
      assert.strictEqual((yield* suspend(member_id)).status, 200)
      refused(yield* put({ member_id, display_name: "Other" }), "member_not_active")
      refused(yield* put({ member_id, display_name: "Other", consent: { marketing: false } }), "member_not_active")
      refused(yield* put({ member_id, consent: [{ purpose: "analytics", granted: true }] }), "member_not_active")
      const withdrawn = done(yield* put({ member_id, display_name: "Still", consent: { marketing: false } }))
      assert.strictEqual(withdrawn.consent?.marketing, false)
      done(yield* put({ member_id, consent: { marketing: false } }))
      assert.strictEqual((yield* suspend(member_id, "closed")).status, 200)
      refused(yield* put({ member_id, consent: { marketing: false, source: "x" } }), "member_not_active")
      refused(yield* put({ member_id }), "member_not_active")
    })
  )

  it.effect("are listed newest first by what they begin with and agree to", () =>
    Effect.gen(function* () {
      for (const n of [1, 2, 3]) {
        done(
          yield* put({
            member_id: `find-${n}`,
            external_id: `Ext-${n}`,
            display_name: `Öztürk ${n}`,
            email: `Finder${n}@example.com`,
            consent: { marketing: n !== 2 }
          })
        )
      }
      yield* enroll("find-bare")
      const all = ids(yield* get({ limit: "200" }))
      assert.deepStrictEqual(all.slice(0, 4), ["find-bare", "find-3", "find-2", "find-1"])
      const three = ["find-3", "find-2", "find-1"]
      assert.deepStrictEqual(ids(yield* get({ search: "öZTÜRK" })), three)
      assert.deepStrictEqual(ids(yield* get({ search: "FINDER" })), three)
      assert.deepStrictEqual(ids(yield* get({ search: "oztu" })), three)
      assert.deepStrictEqual(ids(yield* get({ search: "Ext-" })), three)
      assert.deepStrictEqual(ids(yield* get({ search: "ext-" })), [])
      assert.deepStrictEqual(ids(yield* get({ search: "find-2" })), ["find-2"])
      assert.deepStrictEqual(ids(yield* get({ search: "find-" })), ["find-bare", ...three])
      assert.deepStrictEqual(ids(yield* get({ search: "%" })), [])
      assert.deepStrictEqual(ids(yield* get({ search: "finder", consent: "marketing" })), ["find-3", "find-1"])
      const first = yield* get({ search: "finder", limit: "2" })
      assert.deepStrictEqual(ids(first), ["find-3", "find-2"])
      const cursor = String(first.body["next_cursor"])
      const second = yield* get({ search: "finder", limit: "2", cursor })
      assert.deepStrictEqual([ids(second), second.body["next_cursor"]], [["find-1"], undefined])
      refused(yield* get({ search: "find", limit: "2", cursor }), "invalid_cursor")
      const segment = yield* TestServer.send(
        "/platform/v1/segments",
        { program_id, segment_id: "found-some", name: "some", member_ids: ["find-1", "find-2", "find-bare"] },
        { method: "PUT" }
      )
      assert.strictEqual(segment.status, 200)
      assert.deepStrictEqual(ids(yield* get({ segment_id: "found-some" })), ["find-bare", "find-2", "find-1"])
      const both = { segment_id: "found-some", consent: "marketing" }
      assert.deepStrictEqual(ids(yield* get({ ...both, search: "find" })), ["find-1"])
      const exported = String((yield* get(both, `${path}.csv`)).body["text"])
      assert.deepStrictEqual(
        exported
          .trimEnd()
          .split("\r\n")
          .slice(1)
          .map((line) => line.split(",")[0]),
        ["find-1"]
      )
      refused(yield* get({ segment_id: "unknown" }), "not_found")
      const agree = ids(yield* get({ consent: "marketing", limit: "200" }))
      assert.include(agree, "find-3")
      assert.notInclude(agree, "find-2")
      const [one, ...others] = agree
      assert.deepStrictEqual(ids(yield* get({ consent: "marketing", limit: "1" })), [one])
      assert.isNotEmpty(others)
    })
  )

  it.effect("are exported as CSV that an import takes, safe for a spreadsheet; each export is audited", () =>
    Effect.gen(function* () {
      done(
        yield* put({
          member_id: "csv-1",
          display_name: '=HYPERLINK("x"), A',
          phone: "+491701234567",
          attributes: { note: "a,b" },
          consent: { marketing: true, source: "-desk" }
        })
      )
      done(yield* put({ member_id: "csv-2", consent: { marketing: false } }))
      const audited = Effect.map(
        TestDatabase.query("SELECT changes FROM audit WHERE action = 'members.export' ORDER BY n"),
        (rows) => rows.map(({ changes }) => JSON.parse(String(changes)) as unknown)
      )
      const before = yield* audited
      const text = String((yield* get({}, `${path}.csv`)).body["text"])
      const [header, ...lines] = text.trimEnd().split("\r\n")
      assert.strictEqual(
        header,
        "member_id,external_id,display_name,email,phone,birth_date,marketing_consent,consent_source,attributes_json"
      )
      assert.include(lines, `csv-1,,"'=HYPERLINK(""x""), A",,+491701234567,,true,'-desk,"{""note"":""a,b""}"`)
      assert.isFalse(lines.some((line) => line.startsWith("csv-2,")))
      const every = String((yield* get({ consent: "any" }, `${path}.csv`)).body["text"])
      assert.include(every, "\r\ncsv-2,")
      assert.include(every, "\r\nfind-bare,,,,,,,,")
      const exported = (consent: string) => ({ after: { consent, segment_id: null } })
      assert.deepStrictEqual(yield* audited, [...before, exported("marketing"), exported("any")])
    })
  )

  it.effect(
    "have every decision on consent, newest first, with who recorded it, also after a merge, until an erasure",
    () =>
      Effect.gen(function* () {
        const say = (member_id: string, consent: object) => Effect.map(put({ member_id, consent: [consent] }), done)
        const at = (day: number) => `2026-07-0${day}T00:00:00.000Z`
        const email = { purpose: "marketing", channel: "email" }
        yield* say("decided", { ...email, granted: true, source: "app", recorded_at: at(1) })
        yield* say("decided", { ...email, granted: false, source: "desk", recorded_at: at(3) })
        // It arrives late.
        yield* say("decided", { ...email, granted: true, source: "web", recorded_at: at(2) })
        const history = (query: Record<string, string>) =>
          Effect.map(get({ member_id: "decided", ...query }, `${path}/consents`), ({ body, status }) => {
            assert.strictEqual(status, 200, JSON.stringify(body))
            return body as unknown as {
              readonly consents: ReadonlyArray<Record<string, unknown>>
              readonly next_cursor?: string
            }
          })
        const first = yield* history({ limit: "2" })
        const last = yield* history({ limit: "2", cursor: first.next_cursor ?? "" })
        const all = [...first.consents, ...last.consents]
        assert.deepStrictEqual(
          all.map(({ granted, source }) => [granted, source]),
          [
            [false, "desk"],
            [true, "web"],
            [true, "app"]
          ]
        )
        for (const one of all) {
          assert.deepInclude(one, { ...email, recorded_by: "sandbox", member_id: "decided" })
          assert.isString(one["received_at"])
        }
        yield* say("decided-too", { ...email, granted: true, recorded_at: at(4) })
        const merge = { from: "decided", into: "decided-too", reason: "twice" }
        const merged = yield* TestServer.send(`/admin/api/v1/members/${program_id}/merge`, merge, {
          headers: { authorization: "Bearer proto-dev-admin-key" }
        })
        assert.strictEqual(merged.status, 200)
        const { consents } = yield* history({})
        assert.deepStrictEqual(
          consents.map(({ granted, member_id, recorded_by }) => [granted, member_id, recorded_by]),
          [
            [false, "decided-too", "root"],
            [true, "decided-too", "sandbox"],
            [false, "decided", "sandbox"],
            [true, "decided", "sandbox"],
            [true, "decided", "sandbox"]
          ]
        )
        assert.strictEqual(
          (yield* TestServer.send(`${path}/erase`, { member_id: "decided-too", program_id, reason: "asked" })).status,
          200
        )
        assert.deepStrictEqual((yield* history({})).consents, [])
      })
  )

  it.effect("that are merged keep the profile of the one that stays, with gaps filled, and the stricter consent", () =>
    Effect.gen(function* () {
      const consent = (...all: ReadonlyArray<readonly [string, boolean, string?]>) =>
        all.map(([purpose, granted, channel]) => ({
          purpose,
          granted,
          recorded_at: "2026-07-01T00:00:00.000Z",
          ...(channel === undefined ? undefined : { channel })
        }))
      done(
        yield* put({
          member_id: "merge-into",
          display_name: "Into",
          attributes: { a: "into" },
          consent: consent(["marketing", false], ["analytics", true], ["sharing", true])
        })
      )
      done(
        yield* put({
          member_id: "merge-from",
          external_id: "merge-x",
          display_name: "From",
          email: "from@example.com",
          attributes: { a: "from", b: "from" },
          consent: consent(["marketing", true], ["marketing", true, "email"], ["analytics", false], ["profiling", true])
        })
      )
      assert.strictEqual((yield* merge("merge-from", "merge-into")).status, 200)
      const merged = done(yield* get({ member_id: "merge-from" }))
      assert.deepInclude(merged, {
        member_id: "merge-into",
        display_name: "Into",
        email: "from@example.com",
        external_id: "merge-x",
        attributes: { a: "into", b: "from" }
      })
      const says = new Map(
        merged.consents.map(({ channel = "", granted, purpose }) => [`${purpose} ${channel}`, granted])
      )
      assert.deepStrictEqual(
        Object.fromEntries(says),
        Object.fromEntries([
          ["analytics ", false],
          ["marketing ", false],
          ["marketing email", false],
          ["profiling ", true],
          ["sharing ", true]
        ])
      )
      assert.strictEqual(done(yield* put({ external_id: "merge-x" })).member_id, "merge-into")
      assert.lengthOf(yield* TestDatabase.query("SELECT 1 FROM profiles WHERE member_id = 'merge-from'"), 0)
    })
  )

  it.effect("that are erased leave nothing personal in any table, a closed member, and a journal that verifies", () =>
    Effect.gen(function* () {
      const secret = "Zyxwvutsrq"
      const profile = {
        member_id: "gone",
        external_id: `${secret}-ext`,
        display_name: `${secret} name`,
        email: `${secret}@example.com`,
        phone: "+4999887766554",
        birth_date: "1901-02-03",
        attributes: { [`${secret}-key`]: `${secret}-value` },
        consent: { marketing: true, source: `${secret}-source` }
      }
      const keyed = { "idempotency-key": "erase-keyed-0001" }
      done(yield* put(profile, keyed))
      const event = {
        idempotency_key: "erase-event-1",
        type: "app.opened",
        member_id: "gone",
        program_id,
        properties: { [secret]: secret }
      }
      assert.strictEqual((yield* TestServer.send("/platform/v1/events", event)).status, 201)
      const card = { type: "loyalty_id" as const, value: `${secret}-card` }
      const added = yield* TestServer.send(
        `/admin/api/v1/members/${program_id}/gone/identities`,
        { add: [card] },
        { headers: { ...root, "idempotency-key": "erase-keyed-0002" } }
      )
      assert.strictEqual(added.status, 200)
      done(
        yield* put({ member_id: "gone-before", display_name: `${secret} before`, email: `${secret}@before.example` })
      )
      assert.strictEqual((yield* merge("gone-before", "gone")).status, 200)
      const find = Testing.call("member.enroll", {
        context: Testing.context("erase-find-0001"),
        program_id,
        identity: { type: "loyalty_id" as const, value: card.value }
      })
      const first = yield* body<ResponseOf<"member.enroll">>(find)
      assert.strictEqual(first.member.member_id, "gone")
      assert.deepInclude(
        first.member.identities.map(({ type, value }) => ({ type, value })),
        card
      )
      const personal = (row: string) => [secret, "+4999887766554", "1901-02-03"].some((text) => row.includes(text))
      const gift = yield* TestServer.send(
        `/admin/api/v1/members/${program_id}/gone/adjustments`,
        {
          adjustment_id: "gone-gift",
          amount: 5,
          classification: "gift",
          reason: "free text",
          qualifies_for_tier: false
        },
        { headers: { ...root, "idempotency-key": "erase-keyed-0003" } }
      )
      assert.strictEqual(gift.status, 201, JSON.stringify(gift.body))
      assert.isAbove((yield* dump).filter(personal).length, 5)
      const says = (text: string) =>
        personal(text) || ["free text", "one guest", "asked on"].some((one) => text.includes(one))
      const before = yield* told
      assert.isAbove(before.filter((text) => text.includes('"subject":"gone"')).length, 3)
      assert.deepStrictEqual(before.filter(says), [])

      const left = done(yield* erase("gone", "asked on the telephone"))
      assert.deepInclude(left, { member_id: "gone", status: "closed", consents: [] })
      assert.notProperty(left, "email")
      assert.deepStrictEqual((yield* dump).filter(personal), [])
      const after = yield* told
      assert.deepStrictEqual(after.slice(0, before.length), before)
      assert.isTrue(after.slice(before.length).some((text) => text.includes('"change":"erased"')))
      assert.deepStrictEqual(after.filter(says), [])
      const [kept] = yield* TestDatabase.query("SELECT reason FROM erasures WHERE member_id = 'gone'")
      assert.strictEqual(kept?.["reason"], "asked on the telephone")
      assert.lengthOf(
        yield* TestDatabase.query("SELECT 1 FROM audit WHERE action = 'member.erase' AND subject_id = 'gone'"),
        1
      )

      // An evaluation of before shows the rest.
      assert.deepStrictEqual((yield* body<ResponseOf<"member.enroll">>(find)).member, {
        ...first.member,
        attributes: undefined,
        identities: []
      })
      const replayed = yield* put(profile, keyed)
      assert.deepStrictEqual(
        [replayed.status, memberIn(replayed).member_id, memberIn(replayed).email],
        [200, "gone", undefined]
      )
      const again = yield* TestServer.send("/platform/v1/events", event)
      assert.deepStrictEqual(
        [again.status, (again.body["event"] as { properties?: unknown }).properties],
        [200, undefined]
      )
      assert.deepStrictEqual((yield* dump).filter(personal), [])
      assert.strictEqual(done(yield* erase("gone")).status, "closed")
      refused(yield* put({ member_id: "gone", display_name: "back" }), "member_not_active")
      refused(
        yield* TestServer.send("/platform/v1/events", { ...event, idempotency_key: "erase-event-2" }),
        "member_not_active"
      )
      refused(yield* erase("nobody"), "not_found")

      // Identities and external id are free.
      const fresh = yield* put({ external_id: `${secret}-ext` })
      assert.strictEqual(fresh.body["created"], true)
      assert.notStrictEqual(done(fresh).member_id, "gone")
      const enrolled = yield* body<ResponseOf<"member.enroll">>(
        Testing.call("member.enroll", {
          context: Testing.context(),
          program_id,
          identity: { type: "loyalty_id" as const, value: card.value }
        })
      )
      assert.notStrictEqual(enrolled.member.member_id, "gone")
      yield* isSound
    })
  )

  it.effect("Idempotency: after an erasure only the same request is a replay of its key", () =>
    Effect.gen(function* () {
      for (const member_id of ["er5", "er6"]) done(yield* put({ member_id, display_name: member_id }))
      const send = (path: string, key: string, payload: object) =>
        TestServer.send(path, payload, { headers: { ...root, "idempotency-key": key } })
      const of = (member: string, rest: string) => `/admin/api/v1/members/${program_id}/${member}${rest}`
      const gift = {
        adjustment_id: "er-gift",
        amount: 5,
        classification: "gift",
        reason: "test",
        qualifies_for_tier: false
      }
      const event = (member_id: string) => ({
        idempotency_key: "er-event-1",
        type: "app.opened",
        member_id,
        program_id
      })
      const requests = (member: string) => [
        TestServer.send(
          `${path}/erase`,
          { member_id: member, program_id, reason: "asked" },
          { headers: { "idempotency-key": "er-key-erase" } }
        ),
        send(of(member, "/status"), "er-key-status", { status: "suspended", reason: "test" }),
        send(of(member, "/adjustments"), "er-key-gift", gift),
        put({ member_id: member, display_name: "another" }, { "idempotency-key": "er-key-profile" }),
        TestServer.send("/platform/v1/events", event(member))
      ]
      const [erasing, ...others] = requests("er5")
      for (const one of others.toReversed()) assert.isBelow((yield* one).status, 300)
      assert.strictEqual((yield* erasing!).status, 200)
      for (const one of requests("er6"))
        assert.deepStrictEqual([(yield* one).status, (yield* one).body["code"]], [409, "idempotency_conflict"])
      for (const one of requests("er5")) {
        const { headers, status } = yield* one
        assert.isBelow(status, 300)
        assert.strictEqual(headers.get("idempotent-replayed"), "true")
      }
      const left = yield* TestServer.send(`/platform/v1/members?program_id=${program_id}&member_id=er6`, undefined, {
        method: "GET"
      })
      assert.deepInclude(memberIn(left), { status: "active", display_name: "er6" })
    })
  )

  it.effect("Idempotency: in keyed requests and events an id stands for the member that it leads to", () =>
    Effect.gen(function* () {
      for (const member_id of ["one-a", "one-b", "one-c"]) done(yield* put({ member_id }))
      const send = (path: string, key: string, payload: object) =>
        TestServer.send(path, payload, { headers: { ...root, "idempotency-key": key } })
      const requests = (member: string) => [
        send(`/admin/api/v1/members/${program_id}/${member}/adjustments`, "one-key-gift", {
          adjustment_id: "one-gift",
          amount: 5,
          classification: "gift",
          reason: "test",
          qualifies_for_tier: false
        }),
        send(`/admin/api/v1/members/${program_id}/${member}/rewards`, "one-key-reward", {
          issued_reward_id: "one-reward",
          reward_id: "free-bowl"
        }),
        TestServer.send("/platform/v1/events", {
          idempotency_key: "one-event-1",
          type: "app.opened",
          member_id: member,
          program_id
        })
      ]
      const first = yield* Effect.all(requests("one-a"))
      for (const { body, status } of first) assert.strictEqual(status, 201, JSON.stringify(body))
      assert.strictEqual((yield* merge("one-a", "one-b")).status, 200)
      for (const member of ["one-b", "one-a"])
        for (const [index, { body, headers }] of (yield* Effect.all(requests(member))).entries()) {
          assert.deepStrictEqual(body, first[index]!.body)
          assert.strictEqual(headers.get("idempotent-replayed"), "true")
        }
      for (const { body } of yield* Effect.all(requests("one-c")))
        assert.strictEqual(body["code"], "idempotency_conflict")
    })
  )

  it.effect("that are erased while events of theirs are recorded keep none of their properties", () =>
    Effect.gen(function* () {
      done(yield* put({ member_id: "racing" }))
      const record = (n: number) =>
        TestServer.send("/platform/v1/events", {
          idempotency_key: `racing-${n}-event`,
          type: "app.opened",
          member_id: "racing",
          program_id,
          properties: { racing: "secret" }
        })
      const [, ...answers] = yield* Effect.all([erase("racing"), ...Array.from({ length: 24 }, (_, n) => record(n))], {
        concurrency: 12
      })
      for (const { body, status } of answers)
        assert.isTrue(status === 201 || body["code"] === "member_not_active", JSON.stringify(body))
      assert.lengthOf(
        yield* TestDatabase.query("SELECT 1 FROM behaviour WHERE member_id = 'racing' AND properties IS NOT NULL"),
        0
      )
    })
  )
})
