/** contract/engagement.md *Events of guests*: events of guests, over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Members from "../../../src/contract/admin/Members.ts"
import * as Merge from "../../../src/contract/admin/Merge.ts"
import type { BatchResult, GuestEvent } from "../../../src/contract/platform/Events.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const tokens = [
  { token_sha256: hash("sha256", "other-alone"), scopes: ["platform:write"] as const, programs: ["other"] },
  { token_sha256: hash("sha256", "demo-alone"), scopes: ["platform:read"] as const, programs: [program_id] }
]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "other" }]
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer),
  TestDatabase.layer
)

const path = "/platform/v1/events"
const at = (minute: number) => `2026-07-14T10:${String(minute).padStart(2, "0")}:00.000Z`

const facts = (idempotency_key: string, member_id: string, more: object = {}) => ({
  idempotency_key,
  type: "app.opened",
  member_id,
  program_id,
  occurred_at: at(0),
  ...more
})
const record = (body: object, headers: Record<string, string> = {}) => TestServer.send(path, body, { headers })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const eventOf = ({ body }: TestServer.Response) => body["event"] as unknown as GuestEvent
const batch = (events: ReadonlyArray<unknown>) =>
  Effect.map(TestServer.send(`${path}/batch`, { events }), ({ body, status }) => {
    assert.strictEqual(status, 200)
    return body["results"] as unknown as ReadonlyArray<BatchResult>
  })
const list = (query: Record<string, string>) =>
  TestServer.send(`${path}?${new URLSearchParams({ program_id, ...query })}`, undefined, { method: "GET" })
const listed = (query: Record<string, string>) =>
  Effect.map(list(query), ({ body }) => (body["events"] as ReadonlyArray<GuestEvent>).map(({ event_id }) => event_id))
const root = { authorization: "Bearer proto-dev-admin-key" }

const count = (from: string) =>
  Effect.map(TestDatabase.query(`SELECT count(*)::int AS n FROM ${from}`), ([row]) => row?.["n"])
const rows = (id: string) => count(`behaviour WHERE event_id LIKE '${id}%'`)

/** Headers that a page sends with the cookie of its session. */
const signIn = (key: string) =>
  Effect.map(
    TestServer.send("/admin/api/v1/session", { key }, { headers: { authorization: "" } }),
    ({ body, headers }) => ({
      cookie: String(headers.get("set-cookie")).split(";")[0] ?? "",
      "x-csrf-token": String(body["csrf_token"])
    })
  )

/** A request without a bearer token: a GET, or a POST with a body. */
const browse = (at: string, headers: Record<string, string>, body?: object) =>
  Effect.flatMap(TestServer.port, (port) =>
    Effect.promise(async () => {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const all = { "content-type": "application/json", ...headers }
      const response = await fetch(`http://127.0.0.1:${port}${at}`, { ...init, headers: all })
      const { code } = (await response.json()) as { readonly code?: string }
      return [response.status, code] as const
    })
  )

it.layer(layer, { excludeTestServices: true })("events", (it) => {
  it.effect("of a batch are answered again under the key of the header, with the first results", () =>
    Effect.gen(function* () {
      yield* enroll("header-key")
      const send = (events: ReadonlyArray<unknown>) =>
        TestServer.send(`${path}/batch`, { events }, { headers: { "idempotency-key": "key-of-a-batch" } })
      const reason = "Asked for"
      const properties = { note: "of a guest" }
      const events = [facts("header-key-1", "header-key", { properties }), facts("header-key-2", "nobody-of-the-batch")]
      const first = yield* send(events)
      assert.deepStrictEqual([first.status, first.headers.get("idempotent-replayed")], [200, null])
      const statuses = (first.body["results"] as ReadonlyArray<BatchResult>).map(({ status }) => status)
      assert.deepStrictEqual(statuses, [201, 404])
      // A refused event can be accepted later; the key keeps telling the first results.
      yield* enroll("nobody-of-the-batch")
      const again = yield* send(events)
      assert.deepStrictEqual([again.body, again.headers.get("idempotent-replayed")], [first.body, "true"])
      assert.deepStrictEqual(yield* said(send(events.slice(0, 1))), [409, "idempotency_conflict"])
      // An erasure finds the copy of the results.
      const copies = (text: string) => count(`keyed_requests WHERE body LIKE '%${text}%'`)
      assert.strictEqual(yield* copies("of a guest"), 1)
      const erased = yield* TestServer.send("/platform/v1/members/erase", {
        member_id: "header-key",
        program_id,
        reason
      })
      assert.strictEqual(erased.status, 200)
      assert.strictEqual(yield* copies("of a guest"), 0)
    })
  )

  it.effect("are recorded once, however many copies come at the same instant", () =>
    Effect.gen(function* () {
      yield* enroll("copy")
      const event = facts("copy-of-one", "copy", {
        event_id: "copy-1",
        value_minor_units: 500,
        location_id: "Zürich / 4"
      })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => record(event)),
        { concurrency: 8 }
      )
      const counts = (status: number) => answers.filter((one) => one.status === status).length
      assert.deepStrictEqual([counts(201), counts(200)], [1, 7])
      for (const one of answers) {
        assert.deepStrictEqual(eventOf(one), eventOf(answers[0]!))
        assert.strictEqual(one.headers.get("idempotent-replayed"), one.status === 200 ? "true" : null)
      }
      assert.deepInclude(eventOf(answers[0]!), {
        event_id: "copy-1",
        value: { amount: 500, currency: "USD" },
        location_id: "Zürich / 4"
      })
      assert.strictEqual(yield* rows("copy-1"), 1)
    })
  )

  it.effect("are the same under a key however they are spelled, and a conflict with other facts", () =>
    Effect.gen(function* () {
      yield* enroll("spell")
      const properties = { a: 1, b: { c: 2, d: 3 } }
      const first = yield* record(facts("spelled-1", "spell", { value_minor_units: 70, properties }))
      assert.strictEqual(first.status, 201)
      const again = yield* record(
        facts("spelled-1", "spell", {
          value: { currency: "USD", amount: 70 },
          occurred_at: "2026-07-14T12:00:00+02:00",
          properties: { b: { d: 3, c: 2 }, a: 1 }
        })
      )
      assert.strictEqual(again.status, 200)
      assert.deepStrictEqual(eventOf(again), eventOf(first))
      const others = [
        { type: "app.closed" },
        { occurred_at: at(1) },
        { value_minor_units: 71 },
        { properties: { a: 2 } }
      ]
      for (const other of [...others, { member_id: "nobody" }, { event_id: "spelled" }]) {
        const changed = facts("spelled-1", "spell", { value_minor_units: 70, properties, ...other })
        assert.deepStrictEqual(yield* said(record(changed)), [409, "idempotency_conflict"], JSON.stringify(other))
      }
    })
  )

  it.effect("are refused for members who are not there or not active, and for ids and programmes of others", () =>
    Effect.gen(function* () {
      for (const member of ["here", "shut"]) yield* enroll(member)
      yield* TestServer.send(
        `${Members.pathOf(program_id, "shut")}/status`,
        { status: "closed", reason: "t" },
        { headers: root }
      )
      yield* record(facts("taken-id-1", "here", { event_id: "taken" }))
      const refused = (body: object, headers?: Record<string, string>) => said(record(body, headers))
      assert.deepStrictEqual(yield* refused(facts("refused-1", "nobody")), [404, "not_found"])
      assert.deepStrictEqual(yield* refused(facts("refused-1", "shut")), [409, "member_not_active"])
      assert.deepStrictEqual(yield* refused(facts("refused-1", "here", { event_id: "taken" })), [409, "conflict"])
      assert.deepStrictEqual(yield* refused(facts("refused-1", "here", { program_id: "nowhere" })), [404, "not_found"])
      const other = { authorization: "Bearer other-alone" }
      assert.deepStrictEqual(yield* refused(facts("refused-1", "here"), other), [403, "forbidden"])
      const unnamed = { idempotency_key: "refused-1", type: "t", member_id: "here" }
      assert.deepStrictEqual(yield* refused(unnamed), [422, "validation_failed"])
      // The token's only programme is meant, and has no such member.
      assert.deepStrictEqual(yield* refused(unnamed, other), [404, "not_found"])
      // A refusal takes no key.
      assert.deepStrictEqual(yield* refused(facts("refused-1", "here")), [201, undefined])
    })
  )

  it.effect("are refused with a fault at its place", () =>
    Effect.gen(function* () {
      yield* enroll("fault")
      const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n]))
      const faults: ReadonlyArray<readonly [object, string]> = [
        [{ value: { amount: 1, currency: "USD" }, value_minor_units: 2 }, "/value_minor_units"],
        [{ value: { amount: 1, currency: "USD" }, currency: "EUR" }, "/currency"],
        [{ currency: "EUR" }, "/currency"],
        [{ properties: many }, "/properties"],
        [{ properties: { long: "é".repeat(33_000) } }, "/properties"],
        [{ properties: JSON.parse('{"__proto__": 1}') }, "/properties/__proto__"],
        [{ idempotency_key: "short" }, "/idempotency_key"],
        [{ unknown: 1 }, "/unknown"]
      ]
      for (const [more, place] of faults) {
        const { body, status } = yield* record(facts("with-fault-1", "fault", more))
        const errors = body["errors"] as ReadonlyArray<{ readonly path: string }>
        assert.deepStrictEqual([status, errors.map((one) => one.path)], [422, [place]])
      }
    })
  )

  it.effect("succeed and fail on their own in a batch, in order, and once however often it is sent", () =>
    Effect.gen(function* () {
      yield* enroll("batch")
      const good = (n: number) => facts(`batch-key-${n}`, "batch", { event_id: `batch-${n}` })
      const events = [
        good(1),
        { ...good(2), type: "" },
        facts("batch-key-3", "nobody"),
        "no object",
        good(4),
        good(4),
        { ...good(4), type: "other" },
        { ...good(5), event_id: "batch-1" },
        { ...good(6), properties: JSON.parse('{"constructor": 1}') },
        facts("batch-key-3", "batch", { event_id: "batch-3" })
      ]
      const outcome = ({ event, problem, status }: BatchResult) => [status, problem?.code ?? event?.event_id]
      const wanted = (isNew: number) => [
        [isNew, "batch-1"],
        [422, "validation_failed"],
        [isNew === 201 ? 404 : 409, isNew === 201 ? "not_found" : "idempotency_conflict"],
        [422, "validation_failed"],
        [isNew, "batch-4"],
        [200, "batch-4"],
        [409, "idempotency_conflict"],
        [409, "conflict"],
        [422, "validation_failed"],
        [isNew, "batch-3"]
      ]
      const first = yield* batch(events)
      assert.deepStrictEqual(first.map(outcome), wanted(201))
      assert.deepInclude(first[1]?.problem, {
        instance: `${path}/batch`,
        status: 422,
        type: "/problems/validation-failed"
      })
      assert.deepStrictEqual(
        first[1]?.problem?.errors?.map((one) => one.path),
        ["/events/1/type"]
      )
      assert.deepStrictEqual((yield* batch(events)).map(outcome), wanted(200))
      assert.strictEqual(yield* rows("batch-"), 3)
      for (const wrong of [[], Array.from({ length: 501 }, () => good(1))])
        assert.strictEqual((yield* TestServer.send(`${path}/batch`, { events: wrong })).status, 422)
    })
  )

  it.effect("fail alone in a batch also for a number that no double holds", () =>
    Effect.gen(function* () {
      yield* enroll("huge")
      const events = [facts("huge-key-1", "huge", { properties: { a: ["huge"] } }), facts("huge-key-2", "huge")]
      const sent = JSON.stringify({ events }).replace('["huge"]', "[1e400]")
      const { body } = yield* TestServer.send(`${path}/batch`, sent)
      const [first, second] = body["results"] as ReadonlyArray<BatchResult>
      assert.deepStrictEqual([first?.status, second?.status], [422, 201])
      assert.deepStrictEqual(
        first?.problem?.errors?.map((one) => one.path),
        ["/events/0/properties/a/0"]
      )
    })
  )

  it.effect("are listed newest first by when they occurred, by filters with both ends, page by page", () =>
    Effect.gen(function* () {
      for (const member of ["list", "rest"]) yield* enroll(member)
      const event = (n: number, minute: number, more: object = {}) =>
        facts(`listed-key-${n}`, "list", { event_id: `l${n}`, occurred_at: at(minute), ...more })
      yield* batch([
        event(1, 30),
        event(2, 10, { type: "menu" }),
        event(3, 20, { campaign_id: "c1" }),
        event(4, 20),
        event(5, 40, { member_id: "rest", campaign_id: "c1" })
      ])
      const member_id = "list"
      assert.deepStrictEqual(yield* listed({ member_id }), ["l1", "l4", "l3", "l2"])
      assert.deepStrictEqual(yield* listed({ member_id, type: "menu" }), ["l2"])
      assert.deepStrictEqual(yield* listed({ campaign_id: "c1" }), ["l5", "l3"])
      assert.deepStrictEqual(yield* listed({ member_id, from: at(20), until: at(30) }), ["l1", "l4", "l3"])
      assert.deepStrictEqual(yield* listed({ campaign_id: "none" }), [])
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const { body } = yield* list({ member_id, limit: "1", ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...(body["events"] as ReadonlyArray<GuestEvent>).map(({ event_id }) => event_id))
        cursor = body["next_cursor"] as string | undefined
        // Events that come meanwhile and occurred later neither repeat nor hide others.
        if (seen.length === 1) yield* record(event(6, 50))
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, ["l1", "l4", "l3", "l2"])
      const { body } = yield* list({ member_id, limit: "1" })
      // The token reaches this programme alone: naming it is the same filter.
      const unnamed = new URLSearchParams({ limit: "1", member_id, cursor: String(body["next_cursor"]) })
      const headers = { authorization: "Bearer demo-alone" }
      const page = yield* TestServer.send(`${path}?${unnamed}`, undefined, { method: "GET", headers })
      assert.strictEqual(page.status, 200, JSON.stringify(page.body))
      const foreign = { member_id: "rest", cursor: String(body["next_cursor"]) }
      assert.deepStrictEqual(yield* said(list(foreign)), [400, "invalid_cursor"])
      assert.deepStrictEqual(yield* said(list({ member_id: "nobody" })), [404, "not_found"])
    })
  )

  it.effect("go to the member that another was merged into, with what was recorded before", () =>
    Effect.gen(function* () {
      for (const member of ["from", "into"]) yield* enroll(member)
      yield* record(facts("merged-key-1", "from", { event_id: "m1" }))
      const merged = { from: "from", into: "into", reason: "two cards" }
      assert.strictEqual((yield* TestServer.send(Merge.pathOf(program_id), merged, { headers: root })).status, 200)
      const later = yield* record(facts("merged-key-2", "from", { event_id: "m2", occurred_at: at(1) }))
      assert.deepStrictEqual([later.status, eventOf(later).member_id], [201, "into"])
      for (const member_id of ["from", "into"]) assert.deepStrictEqual(yield* listed({ member_id }), ["m2", "m1"])
    })
  )

  it.effect("have their keys in the body; the header does not count, and no copy stays under it", () =>
    Effect.gen(function* () {
      yield* enroll("header")
      const headers = { "idempotency-key": "one-key-for-all" }
      const statuses = yield* Effect.forEach(["in-body-1", "in-body-2", "in-body-1"], (key) =>
        Effect.map(record(facts(key, "header"), headers), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [201, 201, 200])
      assert.strictEqual(yield* count("keyed_requests k WHERE 'header' = ANY (k.members)"), 0)
    })
  )

  it.effect("take a session with the platform's scopes, and its CSRF token on writes", () =>
    Effect.gen(function* () {
      yield* enroll("page")
      const page = yield* signIn("proto-dev-token")
      assert.deepStrictEqual(yield* browse("/platform/v1", page), [200, undefined])
      const event = facts("from-a-page-1", "page")
      assert.deepStrictEqual(yield* browse(path, { cookie: page.cookie }, event), [403, "csrf_failed"])
      assert.deepStrictEqual(yield* browse(path, page, event), [201, undefined])
      assert.deepStrictEqual(yield* browse("/platform/v1", yield* signIn("proto-dev-admin-key")), [200, undefined])
    })
  )

  it.effect("are refused while writes are frozen, and can be read", () =>
    Effect.gen(function* () {
      yield* enroll("frozen")
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      const event = facts("while-frozen-1", "frozen", { event_id: "frozen-1" })
      assert.deepStrictEqual(yield* said(record(event)), [503, "write_frozen"])
      assert.deepStrictEqual(yield* listed({ member_id: "frozen" }), [])
      yield* freeze.set(false)
      assert.deepStrictEqual(yield* said(record(event)), [201, undefined])
    })
  )
})
