/**
 * contract/engagement.md *Changes of an active audience*: who may not give changes no audience of an active campaign, by
 * rules, lists, or segments that are named, until somebody who may give confirms.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Pools from "../../src/database/Pools.ts"
import * as PgJournal from "../../src/journal/postgres/PgJournal.ts"
import { enroll } from "../../src/testing/Guests.ts"
import * as Testing from "../../src/testing/Testing.ts"
import * as TestServer from "../service/TestServer.ts"
import { hire, page } from "../staff/Clerks.ts"
import * as TestDatabase from "../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const service = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer)
const layer = Layer.orDie(Layer.provideMerge(service, TestDatabase.layer))

type Headers = Record<string, string>

const ask = (method: string, path: string, headers: Headers, body?: object) =>
  TestServer.send(`/platform/v1${path}`, body, { method, headers })
const segment = (headers: Headers, segment_id: string, definition: object) =>
  Effect.map(
    ask("PUT", "/segments", headers, { segment_id, program_id, name: segment_id, ...definition }),
    ({ body, status }) => [status, body["pending_for"]]
  )
const selected = (headers: Headers, campaign: string) =>
  Effect.map(
    ask("GET", `/campaigns/run/preview?campaign_id=${campaign}`, headers),
    ({ body }) => (body["forecast"] as { readonly selected: number }).selected
  )
const audience = (headers: Headers, campaign_id: string, what = "preview") =>
  Effect.map(ask("POST", `/campaigns/audience/${what}`, headers, { campaign_id }), ({ body, status }) =>
    status === 200 ? body["audience"] : status
  )

const world = Effect.gen(function* () {
  for (const member of ["ada", "bob", "eve"]) yield* enroll(member)
  yield* Effect.forEach(["owner", "marketer"] as const, (role) => hire(role, role))
  return { owner: yield* page("owner"), marketer: yield* page("marketer") }
})

/** An active campaign for a segment. */
const activate = (headers: Headers, campaign_id: string, segment_id: string) =>
  Effect.gen(function* () {
    const facts = { campaign_id, program_id, name: campaign_id, segment_id, reward_id: "free-bowl" }
    assert.strictEqual((yield* ask("PUT", "/campaigns", headers, facts)).status, 200)
    assert.strictEqual(
      (yield* ask("POST", "/campaigns/status", headers, { campaign_id, status: "active" })).status,
      200
    )
  })

it.layer(layer)("the audience of an active campaign", (it) => {
  it.effect("waits for somebody who may give, by list, rules and segments that are named", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      assert.deepStrictEqual(yield* segment(marketer, "list", { member_ids: ["ada"] }), [200, undefined])
      yield* segment(marketer, "rules", { rules: { in_segment: "list" } })
      yield* activate(owner, "bowls", "rules")
      yield* activate(owner, "lists", "list")
      assert.deepStrictEqual([yield* selected(owner, "bowls"), yield* selected(owner, "lists")], [1, 1])

      // She comes onto the list, and gets nothing by it.
      assert.deepStrictEqual(yield* segment(marketer, "list", { member_ids: ["bob", "eve"] }), [
        200,
        ["bowls", "lists"]
      ])
      assert.deepStrictEqual([yield* selected(owner, "bowls"), yield* selected(owner, "lists")], [1, 1])
      const waiting = {
        campaign_id: "bowls",
        pending_segments: ["list"],
        comes: 2,
        goes: 1,
        comes_sample: ["bob", "eve"],
        goes_sample: ["ada"]
      }
      assert.deepStrictEqual(yield* audience(marketer, "bowls"), waiting)
      // Nor by rules.
      assert.deepStrictEqual(yield* segment(marketer, "rules", { rules: { status: ["active"] } }), [200, ["bowls"]])
      assert.strictEqual(yield* selected(owner, "bowls"), 1)

      assert.strictEqual(yield* audience(marketer, "bowls", "confirm"), 403)
      const done = { comes: 0, goes: 0, comes_sample: [], goes_sample: [], pending_segments: [] }
      assert.deepStrictEqual(yield* audience(owner, "bowls", "confirm"), { campaign_id: "bowls", ...done })
      assert.deepStrictEqual([yield* selected(owner, "bowls"), yield* selected(owner, "lists")], [3, 1])
      // Activation is a confirmation, too.
      for (const status of ["paused", "active"])
        yield* ask("POST", "/campaigns/status", owner, { campaign_id: "lists", status })
      assert.strictEqual(yield* selected(owner, "lists"), 2)
    })
  )

  it.effect("changes at once by somebody who may give, and by a name that is no definition", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "some", { member_ids: ["ada"] })
      yield* activate(owner, "some", "some")
      assert.deepStrictEqual(yield* segment(marketer, "some", { member_ids: ["ada"], name: "Some" }), [200, undefined])
      assert.deepStrictEqual(yield* segment(owner, "some", { member_ids: ["ada", "bob"] }), [200, undefined])
      assert.strictEqual(yield* selected(owner, "some"), 2)
      // Also over a change that waits.
      assert.deepStrictEqual(yield* segment(marketer, "some", { member_ids: ["eve"] }), [200, ["some"]])
      assert.deepStrictEqual(yield* segment(owner, "some", { member_ids: ["bob"] }), [200, undefined])
      assert.strictEqual(yield* selected(owner, "some"), 1)
      assert.deepInclude(yield* audience(owner, "some"), { pending_segments: [], comes: 0, goes: 0 })
    })
  )

  it.effect("is not reached by an event that a person records who may not give", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      const event = (event_id: string) => ({
        idempotency_key: `key-of-${event_id}`,
        program_id,
        member_id: "eve",
        type: "menu.view",
        occurred_at: "1970-01-01T00:00:00.000Z"
      })
      assert.strictEqual((yield* ask("POST", "/events", marketer, event("eve-1"))).status, 403)
      assert.strictEqual((yield* ask("POST", "/events", owner, event("eve-2"))).status, 201)
    })
  )

  it.effect("is not reached by an attribute that somebody imports who may not give", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "vips", { rules: { attribute: { name: "vip", equals: true } } })
      yield* segment(marketer, "named", { rules: { in_segment: "vips" } })
      yield* activate(owner, "vips", "named")
      const rows = (attributes: object) =>
        ask("POST", "/imports/members", marketer, {
          program_id,
          idempotency_key: `import-${JSON.stringify(attributes)}`,
          rows: [{ external_id: "new-one", attributes }]
        })
      assert.strictEqual((yield* rows({ vip: true })).status, 403)
      assert.strictEqual((yield* rows({ shoe: 42 })).status, 201)
    })
  )
})
