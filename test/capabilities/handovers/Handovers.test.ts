/** contract/people.md *Handing over*: work that its author may not put in force is put in force once by another, or comes back. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as KeyStore from "../../../src/desk/access/KeyStore.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { get, post, root } from "../operators/Operators.ts"
import { hire, person } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, program_id } from "../staff/Marketing.ts"

const published = Programs.layer.pipe(
  Layer.provide(
    Layer.effectDiscard(Publishing.publishFiles([{ file: "demo.json", program: Testing.demoProgram }], "changed"))
  )
)
const layer = TestServer.layerFor(PgJournal.layer, published, Pools.layer).pipe(
  // Rollups in memory, which count nobody.
  Layer.provide(MemoryJournal.MemoryStorage.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const reason = "The bowl for spring"
const handOver = (headers: Headers, what: object) => post("/handovers", { what, reason }, headers)
const approve = (headers: Headers, id: unknown, look: unknown) => post(`/handovers/${id}/approve`, { look }, headers)
const decline = (headers: Headers, id: unknown, note = "After Easter") =>
  post(`/handovers/${id}/decline`, { note }, headers)
const handoversOf = (headers: Headers) =>
  Effect.map(
    get(`/handovers?program_id=${program_id}`, headers),
    ({ body }) => body["handovers"] as ReadonlyArray<Record<string, unknown>>
  )
const one = (headers: Headers, id: unknown) =>
  Effect.map(handoversOf(headers), (all) => all.find(({ handover_id }) => handover_id === id))

const segment = (headers: Headers, segment_id: string, member_ids: ReadonlyArray<string>) =>
  ask("PUT", "/segments", headers, { segment_id, program_id, name: segment_id, member_ids })
const campaign = (headers: Headers, campaign_id: string, segment_id: string, amount = 5) =>
  ask("PUT", "/campaigns", headers, {
    ...{ program_id, campaign_id, segment_id, name: `The ${campaign_id}` },
    action: { credit: { amount, reason: "Spring" } },
    limit: { amount: 100 }
  })
const statusOf = (headers: Headers, campaign_id: string) =>
  Effect.map(
    ask("GET", `/campaigns?campaign_id=${campaign_id}`, headers),
    ({ body }) => (body["campaign"] as { readonly status: string }).status
  )
const definition = (headers: Headers) =>
  Effect.map(get(`/programs/${program_id}`, headers), ({ body }) => ({
    program: body["program"] as Record<string, unknown>,
    version: body["version"] as number
  }))
const audited = (action: string) =>
  Effect.map(get(`/audit?action=${action}`, root), ({ body }) =>
    (body["entries"] as ReadonlyArray<{ readonly actor: { readonly name: string }; readonly changes: object }>).map(
      ({ actor, changes }) => [actor.name, changes] as const
    )
  )

const people = Effect.gen(function* () {
  return {
    marketer: yield* person("hand-marketer", "marketer"),
    manager: yield* person("hand-manager", "manager"),
    support: yield* person("hand-support", "support")
  }
})

it.layer(layer, { excludeTestServices: true })("work that is handed over", (it) => {
  it.effect("is a campaign that somebody else activates once, in her own limits, audited as both", () =>
    Effect.gen(function* () {
      const { manager, marketer, support } = yield* people
      yield* enroll("hand-ada")
      yield* segment(marketer, "hand-all", ["hand-ada"])
      yield* campaign(marketer, "hand-spring", "hand-all")
      const what = { type: "campaign", campaign_id: "hand-spring" }
      const made = yield* handOver(marketer, what)
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.deepInclude(made.body, { status: "open", is_own: true, campaign_name: "The hand-spring" })
      const { handover_id, look } = made.body
      // An approval says what it has looked at. Only a programme has another definition.
      const asked = (body: object) =>
        Effect.map(post(`/handovers/${handover_id}/approve`, body, manager), (answer) => answer.body["errors"])
      assert.deepInclude(yield* asked({}), { path: "/look", message: "is required without program" })
      assert.deepInclude(yield* asked({ program: {} }), {
        ...{ path: "/program", message: "is allowed only for a programme" }
      })
      // Only those who may put it in force see it, and its author does not put it in force by it.
      assert.deepStrictEqual(yield* handoversOf(support), [])
      assert.strictEqual((yield* approve(marketer, handover_id, look)).status, 403)
      assert.strictEqual((yield* get(`/handovers/${handover_id}`, support)).status, 404)
      assert.deepInclude(yield* one(manager, handover_id), { is_own: false, look, handed_by: "hand-marketer", reason })
      const both = yield* Effect.all(
        [manager, yield* person("hand-other", "manager")].map((each) => approve(each, handover_id, look)),
        { concurrency: 2 }
      )
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 409]
      )
      const by = both.find(({ status }) => status === 200)?.body["decided_by"]
      assert.strictEqual(yield* statusOf(marketer, "hand-spring"), "active")
      assert.deepInclude(yield* one(marketer, handover_id), { status: "done", decided_by: by })
      assert.deepStrictEqual((yield* audited("handover.make"))[0]?.[0], "hand-marketer")
      const [approved] = yield* audited("handover.approve")
      assert.strictEqual(approved?.[0], by)
      assert.deepInclude(approved?.[1], {
        after: { handover_id, handed_by: "hand-marketer", kind: "campaign", campaign_id: "hand-spring" }
      })
      const counted = yield* TestDatabase.query("SELECT user_id, points::int FROM given_days WHERE points > 0")
      assert.deepStrictEqual(
        counted.map((row) => [row["user_id"], row["points"]]),
        [[by, 100]]
      )
      assert.strictEqual((yield* handOver(marketer, what)).status, 409)
    })
  )

  it.effect("is looked at again once it has changed, and takes the place of the former one", () =>
    Effect.gen(function* () {
      const { manager, marketer } = yield* people
      yield* segment(marketer, "hand-few", [])
      yield* campaign(marketer, "hand-changed", "hand-few")
      const what = { type: "campaign", campaign_id: "hand-changed" }
      const first = (yield* handOver(marketer, what)).body
      yield* campaign(marketer, "hand-changed", "hand-few", 6)
      assert.strictEqual((yield* approve(manager, first["handover_id"], first["look"])).status, 409)
      assert.strictEqual(yield* statusOf(manager, "hand-changed"), "draft")
      assert.deepInclude(yield* one(manager, first["handover_id"]), { has_changed: true, status: "open" })
      const again = (yield* handOver(marketer, what)).body
      assert.isUndefined(yield* one(marketer, first["handover_id"]))
      assert.isUndefined((yield* one(manager, again["handover_id"]))?.["has_changed"])
      // Its audience counts as it does, too.
      yield* segment(marketer, "hand-few", ["hand-ada"])
      assert.strictEqual((yield* approve(manager, again["handover_id"], again["look"])).status, 409)
      // Activated in another way, it needs nobody, and its author reads so.
      yield* ask("POST", "/campaigns/status", manager, { campaign_id: "hand-changed", status: "active" })
      assert.isUndefined(yield* one(manager, again["handover_id"]))
      assert.strictEqual((yield* one(marketer, again["handover_id"]))?.["status"], "done")
    })
  )

  it.effect("is the changed audience of an active campaign", () =>
    Effect.gen(function* () {
      const { manager, marketer } = yield* people
      yield* enroll("hand-bob")
      yield* segment(marketer, "hand-waits", [])
      yield* campaign(marketer, "hand-audience", "hand-waits")
      yield* ask("POST", "/campaigns/status", manager, { campaign_id: "hand-audience", status: "active" })
      const what = { type: "audience", campaign_id: "hand-audience" }
      assert.strictEqual((yield* handOver(marketer, what)).status, 409)
      yield* segment(marketer, "hand-waits", ["hand-bob"])
      const { handover_id, look } = (yield* handOver(marketer, what)).body
      assert.strictEqual((yield* approve(manager, handover_id, look)).status, 200)
      const preview = yield* ask("POST", "/campaigns/audience/preview", manager, { campaign_id: "hand-audience" })
      assert.deepInclude(preview.body["audience"], { pending_segments: [] })
    })
  )

  it.effect("is a changed programme, published over the version that it changes alone", () =>
    Effect.gen(function* () {
      const { manager, marketer } = yield* people
      const { program, version } = yield* definition(marketer)
      const changed = { ...program, name: "Spring bowls" }
      const what = { type: "program", program: changed, version }
      assert.strictEqual((yield* handOver(marketer, { ...what, program: { ...program, rewards: 5 } })).status, 422)
      const made = yield* handOver(marketer, what)
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      const { handover_id, look } = made.body
      const shown = yield* get(`/handovers/${handover_id}`, manager)
      assert.deepInclude(shown.body, { kind: "program", version, program: changed })
      assert.strictEqual((yield* approve(manager, handover_id, look)).status, 200)
      const now = yield* definition(manager)
      assert.deepInclude(now, { version: version + 1 })
      assert.strictEqual(now.program["name"], "Spring bowls")
      assert.strictEqual((yield* one(marketer, handover_id))?.["status"], "done")
      // Another version came in force in between: nothing of it is undone.
      const late = (yield* handOver(marketer, {
        type: "program",
        program: { ...changed, name: "Late" },
        version: now.version
      })).body
      yield* post("/programs/publish", { program: { ...changed, name: "Between" } }, manager)
      assert.strictEqual((yield* approve(manager, late["handover_id"], late["look"])).body["code"], "invalid_state")
      const told = yield* one(manager, late["handover_id"])
      assert.include(String(told?.["refused"]), `Version ${now.version + 1} is in force since`)
      assert.strictEqual((yield* definition(manager)).program["name"], "Between")
      // Carried over in the editor and published from there, it is answered: only if that succeeds, and once.
      const carry = (more: object) =>
        post(
          `/handovers/${late["handover_id"]}/approve`,
          { program: { ...changed, name: "Carried" }, expected_version: now.version + 1, ...more },
          manager
        )
      assert.strictEqual((yield* carry({ expected_version: now.version })).status, 409)
      assert.strictEqual((yield* carry({ program: { ...changed, program_id: "another" } })).status, 422)
      assert.strictEqual((yield* one(marketer, late["handover_id"]))?.["status"], "open")
      assert.strictEqual((yield* carry({})).status, 200)
      assert.strictEqual((yield* definition(manager)).program["name"], "Carried")
      assert.deepInclude(yield* one(marketer, late["handover_id"]), { status: "done", decided_by: "hand-manager" })
      assert.isUndefined(yield* one(manager, late["handover_id"]))
      assert.strictEqual((yield* carry({})).status, 409)
    })
  )

  it.effect("has not changed because the programme has another version, and is refused once its end is over", () =>
    Effect.gen(function* () {
      const { manager, marketer } = yield* people
      yield* segment(marketer, "hand-kept", [])
      yield* campaign(marketer, "hand-kept", "hand-kept")
      const what = { type: "campaign", campaign_id: "hand-kept" }
      const { handover_id, look } = (yield* handOver(marketer, what)).body
      const { program } = yield* definition(manager)
      yield* post("/programs/publish", { program: { ...program, name: "Another version" } }, manager)
      const told = yield* one(manager, handover_id)
      assert.isUndefined(told?.["has_changed"])
      // Its tiers may decide who is in the audience: who approves looks again.
      assert.strictEqual((yield* approve(manager, handover_id, look)).status, 409)
      yield* TestDatabase.query("UPDATE campaigns SET ends_at = 1 WHERE campaign_id = 'hand-kept'")
      assert.include(String((yield* one(manager, handover_id))?.["refused"]), "would never run")
      assert.strictEqual((yield* approve(manager, handover_id, told?.["look"])).body["code"], "invalid_state")
      assert.strictEqual((yield* handOver(marketer, what)).body["code"], "invalid_state")
      assert.strictEqual(yield* statusOf(manager, "hand-kept"), "draft")
    })
  )

  it.effect("is refused before anybody approves it, once its author may not prepare it any more", () =>
    Effect.gen(function* () {
      const { manager } = yield* people
      const author = yield* person("hand-former", "marketer")
      yield* segment(author, "hand-former", [])
      yield* campaign(author, "hand-former", "hand-former")
      const { handover_id, look } = (yield* handOver(author, { type: "campaign", campaign_id: "hand-former" })).body
      yield* hire("hand-former", "analyst")
      const told = yield* one(manager, handover_id)
      assert.isUndefined(told?.["look"])
      assert.include(String(told?.["refused"]), "hand-former may not prepare this any more")
      assert.strictEqual((yield* approve(manager, handover_id, look)).body["code"], "invalid_state")
      assert.strictEqual(yield* statusOf(manager, "hand-former"), "draft")
      // A manager now, she may do more than that.
      yield* hire("hand-former", "manager")
      assert.deepInclude(yield* one(manager, handover_id), { look })
      // Nor may somebody who left the business.
      yield* TestDatabase.query("UPDATE users SET status = 'disabled' WHERE user_id = 'hand-former'")
      yield* KeyStore.refresh
      assert.isUndefined((yield* one(manager, handover_id))?.["look"])
      assert.strictEqual((yield* decline(manager, handover_id)).status, 200)
    })
  )

  it.effect("comes back with a note, is taken back, is over after 14 days, and is gone after four weeks", () =>
    Effect.gen(function* () {
      const { manager, marketer, support } = yield* people
      yield* segment(marketer, "hand-note", [])
      yield* campaign(marketer, "hand-note", "hand-note")
      const what = { type: "campaign", campaign_id: "hand-note" }
      const first = (yield* handOver(marketer, what)).body
      assert.strictEqual((yield* decline(support, first["handover_id"])).status, 403)
      assert.strictEqual((yield* decline(manager, first["handover_id"])).status, 200)
      assert.deepInclude(yield* one(marketer, first["handover_id"]), {
        ...{ status: "declined", decided_by: "hand-manager", note: "After Easter" }
      })
      assert.strictEqual((yield* approve(manager, first["handover_id"], first["look"])).status, 409)
      assert.deepStrictEqual((yield* audited("handover.decline"))[0]?.[0], "hand-manager")
      const own = (yield* handOver(marketer, what)).body
      assert.strictEqual((yield* decline(marketer, own["handover_id"], "A mistake")).status, 200)
      const late = (yield* handOver(marketer, what)).body
      yield* TestDatabase.query(`UPDATE handovers SET ends_at = 1 WHERE handover_id = '${late["handover_id"]}'`)
      assert.strictEqual((yield* approve(manager, late["handover_id"], late["look"])).status, 409)
      assert.isUndefined(yield* one(manager, late["handover_id"]))
      assert.strictEqual((yield* one(marketer, late["handover_id"]))?.["status"], "over")
      yield* TestDatabase.query("UPDATE handovers SET handed_at = 1")
      assert.deepStrictEqual(yield* handoversOf(marketer), [])
      yield* handOver(marketer, what)
      const kept = yield* TestDatabase.query("SELECT count(*)::int AS kept FROM handovers")
      assert.strictEqual(kept[0]?.["kept"], 1)
    })
  )

  it.effect("is refused to keys, without what there is, and beyond 20 of a person", () =>
    Effect.gen(function* () {
      const { marketer, support } = yield* people
      assert.strictEqual((yield* handOver(root, { type: "campaign", campaign_id: "hand-note" })).status, 403)
      assert.strictEqual((yield* handOver(support, { type: "campaign", campaign_id: "hand-note" })).status, 403)
      assert.strictEqual((yield* handOver(marketer, { type: "campaign", campaign_id: "nothing" })).status, 404)
      yield* TestDatabase.query("DELETE FROM handovers")
      for (let n = 1; n <= 21; n++) {
        yield* campaign(marketer, `hand-${n}`, "hand-note")
        const { status } = yield* handOver(marketer, { type: "campaign", campaign_id: `hand-${n}` })
        assert.strictEqual(status, n <= 20 ? 201 : 409)
      }
    })
  )
})
