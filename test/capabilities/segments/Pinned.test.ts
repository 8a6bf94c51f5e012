/**
 * contract/engagement.md *Changes of an active audience*: who may not give changes no audience of an active campaign, by
 * rules, lists, or segments that are named, until somebody who may give confirms.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { adminPath } from "../../../src/contract/admin/Endpoint.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { hire, page } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

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
  Effect.gen(function* () {
    const preview = yield* ask("POST", "/campaigns/audience/preview", headers, { campaign_id })
    const { seen } = preview.body["audience"] as { readonly seen: string }
    if (what === "preview") return preview.body["audience"] as object
    const { body, status } = yield* ask("POST", `/campaigns/audience/${what}`, headers, { campaign_id, seen })
    return status === 200 ? (body["audience"] as object) : status
  })

const world = Effect.gen(function* () {
  for (const member of ["ada", "bob", "eve"]) yield* enroll(member)
  yield* Effect.forEach(["owner", "marketer"] as const, (role) => hire(role, role))
  return { owner: yield* page("owner"), marketer: yield* page("marketer") }
})

/** The audiences that wait, by what needs attention. */
const waitsFor = (headers: Headers) =>
  Effect.map(
    TestServer.send(`${adminPath}/attention?program_id=${program_id}`, undefined, { method: "GET", headers }),
    ({ body }) => body["audiences"]
  )

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
      assert.deepInclude(yield* audience(marketer, "bowls"), waiting)
      const told = (campaign_id: string, segments: ReadonlyArray<string>) => ({
        campaign_id,
        name: campaign_id,
        segments
      })
      assert.deepStrictEqual(yield* waitsFor(marketer), [told("lists", ["list"]), told("bowls", ["list"])])
      // Nor by rules.
      assert.deepStrictEqual(yield* segment(marketer, "rules", { rules: { status: ["active"] } }), [200, ["bowls"]])
      assert.strictEqual(yield* selected(owner, "bowls"), 1)
      assert.deepStrictEqual(yield* waitsFor(owner), [told("lists", ["list"]), told("bowls", ["list", "rules"])])

      assert.strictEqual(yield* audience(marketer, "bowls", "confirm"), 403)
      const done = { comes: 0, goes: 0, comes_sample: [], goes_sample: [], pending_segments: [] }
      assert.deepInclude(yield* audience(owner, "bowls", "confirm"), { campaign_id: "bowls", ...done })
      assert.deepStrictEqual([yield* selected(owner, "bowls"), yield* selected(owner, "lists")], [3, 1])
      assert.deepStrictEqual(yield* waitsFor(owner), [told("lists", ["list"])])
      // A pause leaves it waiting, and a draft takes it in.
      for (const [status, waiting] of [
        ["paused", 1],
        ["active", 1],
        ["draft", 0]
      ] as const) {
        yield* ask("POST", "/campaigns/status", owner, { campaign_id: "lists", status })
        assert.lengthOf((yield* waitsFor(owner)) as ReadonlyArray<object>, waiting, status)
      }
      yield* ask("POST", "/campaigns/status", owner, { campaign_id: "lists", status: "active" })
      assert.strictEqual(yield* selected(owner, "lists"), 2)
      for (const campaign_id of ["lists", "bowls"])
        yield* ask("POST", "/campaigns/status", owner, { campaign_id, status: "archived" })
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

  it.effect("is not reached by referrals that somebody imports who may not give", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      const trigger = { on: "order.accrued", to: "referrer" }
      const facts = {
        campaign_id: "friends",
        program_id,
        name: "Friends",
        reward_id: "free-bowl",
        trigger,
        frequency: { times: 5, days: 365 }
      }
      assert.strictEqual((yield* ask("PUT", "/campaigns", owner, facts)).status, 200)
      const become = (headers: Headers, status: string) =>
        ask("POST", "/campaigns/status", headers, { campaign_id: "friends", status })
      const rows = (external_id: string) =>
        ask("POST", "/imports/members", marketer, {
          program_id,
          idempotency_key: `import-${external_id}`,
          csv: `external_id,attributes_json\n${external_id},"{""referred_by"":""eve""}"\n`
        })
      yield* become(owner, "active")
      assert.strictEqual((yield* rows("friend-1")).status, 403)
      // Nor while it rests, which she can bring about.
      assert.strictEqual((yield* become(marketer, "paused")).status, 200)
      assert.strictEqual((yield* rows("friend-2")).status, 403)
      yield* become(owner, "archived")
      assert.strictEqual((yield* rows("friend-3")).status, 201)
    })
  )

  it.effect("waits for the segment of a run that began before the campaign got another one", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "former", { member_ids: ["ada"] })
      yield* segment(marketer, "latter", { member_ids: ["ada"] })
      yield* activate(owner, "moved", "latter")
      yield* TestDatabase.query(`INSERT INTO campaign_runs (run_id, campaign_id, scope, segment_id, action, started_at)
        VALUES ('run-of-former', 'moved', 1, 'former', '{"issue_reward": {"reward_id": "free-bowl"}}', 0)`)
      assert.deepStrictEqual(yield* segment(marketer, "former", { member_ids: ["eve"] }), [200, ["moved"]])
    })
  )

  it.effect("has its segments while it uses them", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "inner", { member_ids: ["ada"] })
      yield* segment(marketer, "outer", { rules: { in_segment: "inner" } })
      yield* activate(owner, "kept", "outer")
      assert.deepStrictEqual(yield* segment(marketer, "outer", { rules: { status: ["active"] } }), [200, ["kept"]])
      // Made anew it would have the version that the campaign has.
      const deleted = () => ask("POST", "/segments/delete", marketer, { segment_id: "inner" })
      assert.strictEqual((yield* deleted()).status, 409)
      const archived = yield* ask("POST", "/segments/archive", marketer, { segment_id: "inner", archived: true })
      assert.strictEqual(archived.status, 409)
      yield* audience(owner, "kept", "confirm")
      assert.strictEqual((yield* deleted()).status, 200)
    })
  )

  it.effect("is confirmed as it was previewed, and no change comes in beside", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "raced", { member_ids: ["ada"] })
      yield* activate(owner, "raced", "raced")
      yield* segment(marketer, "raced", { member_ids: ["bob"] })
      const { seen } = (yield* audience(owner, "raced")) as { readonly seen: string }
      yield* segment(marketer, "raced", { member_ids: ["bob", "eve"] })
      const confirm = (as: string) =>
        ask("POST", "/campaigns/audience/confirm", owner, { campaign_id: "raced", seen: as })
      assert.strictEqual((yield* confirm(seen)).status, 409)
      assert.strictEqual(yield* selected(owner, "raced"), 1)
      for (let round = 0; round < 10; round++) {
        yield* segment(marketer, "raced", { member_ids: ["bob"] })
        const { seen } = (yield* audience(owner, "raced")) as { readonly seen: string }
        yield* Effect.all([segment(marketer, "raced", { member_ids: ["bob", "eve"] }), confirm(seen)], {
          concurrency: 2
        })
        assert.strictEqual(yield* selected(owner, "raced"), 1)
      }
    })
  )

  it.effect("is the one that was looked at when it is activated: its version goes up with its segments", () =>
    Effect.gen(function* () {
      const { marketer, owner } = yield* world
      yield* segment(marketer, "looked", { member_ids: ["ada"] })
      yield* segment(marketer, "naming", { rules: { in_segment: "looked" } })
      const facts = { campaign_id: "looked", program_id, name: "looked", segment_id: "naming", reward_id: "free-bowl" }
      yield* ask("PUT", "/campaigns", owner, facts)
      const status = (status: string, expected_version?: number) =>
        Effect.map(
          ask("POST", "/campaigns/status", owner, {
            campaign_id: "looked",
            status,
            ...(expected_version === undefined ? undefined : { expected_version })
          }),
          ({ body, status }) => (status === 200 ? (body["campaign"] as { version: number }).version : body["code"])
        )
      // Another name is the same audience, and another list is not, no matter who writes it.
      yield* segment(marketer, "looked", { member_ids: ["ada"], name: "Looked" })
      yield* segment(marketer, "looked", { member_ids: ["ada", "eve"] })
      assert.strictEqual(yield* status("active", 1), "conflict")
      yield* segment(owner, "naming", { rules: { status: ["active"] } })
      assert.strictEqual(yield* status("active", 2), "conflict")
      assert.strictEqual(yield* status("active", 3), 4)
      // An active campaign was looked at before: nobody activates it again.
      yield* segment(owner, "naming", { rules: { in_segment: "looked" } })
      assert.strictEqual(yield* status("paused"), 5)
      // A pending change has no effect until it is confirmed.
      yield* segment(marketer, "looked", { member_ids: ["bob"] })
      assert.strictEqual(yield* status("active", 5), 6)
      assert.strictEqual(yield* status("paused"), 7)
      yield* audience(owner, "looked", "confirm")
      assert.strictEqual(yield* status("active", 7), "conflict")
      assert.strictEqual(yield* status("active", 8), 9)
    })
  )
})
