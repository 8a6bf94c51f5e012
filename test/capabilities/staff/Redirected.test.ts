/**
 * contract/operators.md *Limits*: a person who changes the members that a campaign reaches is counted for all that it
 * may still give, or another one confirms the change: by segments, confirmations, rests of the campaign.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { person } from "./Clerks.ts"
import type { Headers } from "./Marketing.ts"
import { ask, layer, program_id } from "./Marketing.ts"

/** Status, and the campaigns that wait. */
const list = (headers: Headers, segment_id: string, member_ids: ReadonlyArray<string>) =>
  Effect.map(
    ask("PUT", "/segments", headers, { segment_id, program_id, name: segment_id, member_ids }),
    ({ body, status }) => [status, body["pending_for"]]
  )
const campaign = (headers: Headers, id: string, limit?: object, more: object = {}) =>
  Effect.map(
    ask("PUT", "/campaigns", headers, {
      campaign_id: id,
      program_id,
      name: id,
      segment_id: id,
      action: { credit: { amount: 100, reason: "bonus" } },
      ...(limit && { limit }),
      ...more
    }),
    ({ status }) => status
  )
const become = (headers: Headers, campaign_id: string, status: string) =>
  Effect.map(ask("POST", "/campaigns/status", headers, { campaign_id, status }), ({ status }) => status)
const confirm = (headers: Headers, campaign_id: string) =>
  Effect.gen(function* () {
    const preview = yield* ask("POST", "/campaigns/audience/preview", headers, { campaign_id })
    const { seen } = preview.body["audience"] as { readonly seen?: string }
    const confirmed = yield* ask("POST", "/campaigns/audience/confirm", headers, { campaign_id, seen })
    const { name } = (confirmed.body["limit"] ?? {}) as { readonly name?: string }
    return name === undefined ? [confirmed.status] : [confirmed.status, name]
  })
const selected = (headers: Headers, campaign: string) =>
  Effect.map(
    ask("GET", `/campaigns/run/preview?campaign_id=${campaign}`, headers),
    ({ body }) => (body["forecast"] as { readonly selected: number }).selected
  )
const points = (user: string) =>
  Effect.map(
    TestDatabase.query(`SELECT coalesce(sum(points), 0)::int AS points FROM given_days WHERE user_id = '${user}'`),
    ([row]) => row?.["points"]
  )

/** A campaign for a list of its name with one member, activated by `by`. */
const active = (by: Headers, id: string, limit?: object, more?: object) =>
  Effect.gen(function* () {
    for (const member of ["ada", "bob", "eve"]) yield* enroll(member)
    assert.deepStrictEqual(yield* list(by, id, ["ada"]), [200, undefined])
    assert.strictEqual(yield* campaign(by, id, limit, more), 200)
    assert.strictEqual(yield* become(by, id, "active"), 200)
  })

it.layer(layer)("a segment's change by a person with limits", (it) => {
  it.effect("waits, unless she was counted for all that the campaign gives", () =>
    Effect.gen(function* () {
      const [mona, mila, odo] = yield* Effect.all([
        person("mona", "manager"),
        person("mila", "manager"),
        person("odo", "owner")
      ])
      yield* active(odo, "open")
      yield* active(odo, "rich", { amount: 1_000_000 })
      yield* active(odo, "fair", { amount: 2_000 })
      yield* active(mona, "own", { amount: 1_000 })
      for (const id of ["open", "rich", "fair"])
        assert.deepStrictEqual(yield* list(mona, id, ["eve", "bob"]), [200, [id]], id)
      assert.deepStrictEqual(yield* list(mona, "own", ["eve", "bob"]), [200, undefined])
      assert.deepStrictEqual(yield* list(mila, "own", ["eve"]), [200, ["own"]])
      for (const [id, reached] of [
        ["open", 1],
        ["rich", 1],
        ["fair", 1],
        ["own", 2]
      ] as const)
        assert.strictEqual(yield* selected(odo, id), reached, id)
      assert.strictEqual(yield* points("mona"), 1_000)

      // Her confirmation counts all that is left, and nobody but who has no limits confirms what has none.
      assert.deepStrictEqual(yield* confirm(mona, "open"), [403, "points_per_action"])
      assert.deepStrictEqual(yield* confirm(mona, "rich"), [403, "points_per_action"])
      assert.deepStrictEqual([yield* selected(odo, "open"), yield* selected(odo, "rich")], [1, 1])
      assert.deepStrictEqual(yield* confirm(mona, "fair"), [200])
      assert.deepStrictEqual([yield* selected(odo, "fair"), yield* points("mona")], [2, 3_000])
      assert.deepStrictEqual(yield* list(mona, "fair", ["eve"]), [200, undefined], "it is hers now")
      assert.deepStrictEqual(yield* confirm(mona, "own"), [200])
      assert.strictEqual(yield* points("mona"), 3_000, "she was counted for her own")
      for (const id of ["open", "rich"]) assert.deepStrictEqual(yield* confirm(odo, id), [200])
    })
  )

  it.effect("is not hers by a raise of what somebody else was counted for", () =>
    Effect.gen(function* () {
      const [mara, odo] = [yield* person("mara", "manager"), yield* person("odo", "owner")]
      yield* active(odo, "raised", { amount: 100_000 })
      assert.strictEqual(yield* campaign(mara, "raised", { amount: 100_100 }), 200)
      assert.strictEqual(yield* points("mara"), 100)
      assert.deepStrictEqual(yield* list(mara, "raised", ["eve"]), [200, ["raised"]])
      assert.deepStrictEqual(yield* confirm(mara, "raised"), [403, "points_per_action"])
      yield* list(odo, "others", ["eve"])
      assert.strictEqual(yield* campaign(mara, "raised", { amount: 100_100 }, { segment_id: "others" }), 403)
    })
  )

  it.effect("waits while the campaign rests, and counts for the person who activates a draft", () =>
    Effect.gen(function* () {
      const [max, mia, odo] = yield* Effect.all([
        person("max", "marketer"),
        person("mia", "manager"),
        person("odo", "owner")
      ])
      yield* active(odo, "rests", { amount: 100_000 })
      assert.strictEqual(yield* become(max, "rests", "paused"), 200)
      // A person who resumes it is shown no change of it.
      const action = { credit: { amount: 200, reason: "bonus" } }
      assert.strictEqual(yield* campaign(max, "rests", { amount: 100_000 }, { action }), 403)
      assert.deepStrictEqual(yield* list(max, "rests", ["eve", "bob"]), [200, ["rests"]])
      const { body } = yield* TestServer.send(`/admin/api/v1/attention?program_id=${program_id}`, undefined, {
        method: "GET",
        headers: odo
      })
      assert.deepStrictEqual(
        (body["audiences"] as ReadonlyArray<{ readonly campaign_id: string }>).map((one) => one.campaign_id),
        ["rests", "raised"]
      )
      // The forecast is of the audience that will hold.
      assert.strictEqual(yield* selected(mia, "rests"), 1)
      assert.strictEqual(yield* become(mia, "rests", "active"), 200)
      assert.deepStrictEqual([yield* selected(mia, "rests"), yield* points("mia")], [1, 0])
      assert.deepStrictEqual(yield* confirm(mia, "rests"), [403, "points_per_action"])

      // Pending changes go into the draft, and so do those made then.
      for (const [id, changes] of [
        ["rests", []],
        ["drafted", ["eve", "bob"]]
      ] as const) {
        if (id === "drafted") yield* active(odo, id, { amount: 100_000 })
        assert.strictEqual(yield* become(max, id, "draft"), 200)
        assert.strictEqual(yield* become(max, id, "paused"), 403)
        if (changes.length > 0) assert.deepStrictEqual(yield* list(max, id, changes), [200, undefined])
        assert.strictEqual(yield* selected(mia, id), 2)
        for (const to of ["active", "paused", "active"] as const)
          assert.strictEqual(yield* become(mia, id, to), to === "paused" ? 200 : 403, to)
        assert.strictEqual(yield* become(odo, id, "active"), 200)
        assert.strictEqual(yield* selected(odo, id), 2)
      }
      // While it was a draft, nobody was counted for guests who came into its audience.
      assert.strictEqual(yield* become(mia, "drafted", "draft"), 200)
      assert.strictEqual(yield* become(mia, "drafted", "active"), 403)
      assert.strictEqual(yield* points("mia"), 0)
    })
  )

  it.effect("holds for what has ended or is used up, and is counted if that gives again", () =>
    Effect.gen(function* () {
      const [max, mae, odo] = yield* Effect.all([
        person("max", "marketer"),
        person("mae", "manager"),
        person("odo", "owner")
      ])
      const until = (ends_at: string) => ({ schedule: { ends_at } })
      yield* active(odo, "ended", { amount: 100_000 }, until("1970-01-02T00:00:00.000Z"))
      yield* active(odo, "used", { amount: 100_000 })
      yield* TestDatabase.query("UPDATE campaigns SET triggered_points = 99950 WHERE campaign_id = 'used'")
      yield* TestDatabase.query("UPDATE campaigns SET ends_at = 0 WHERE campaign_id = 'ended'")
      for (const id of ["ended", "used"]) assert.deepStrictEqual(yield* list(max, id, ["eve"]), [200, undefined], id)
      assert.strictEqual(yield* campaign(mae, "used", { amount: 200_000 }), 403)
      assert.strictEqual(yield* campaign(mae, "used", { amount: 110_000 }), 200)
      assert.strictEqual(yield* points("mae"), 10_050)
      const prolonged = until("1971-01-01T00:00:00.000Z")
      assert.strictEqual(yield* campaign(mae, "ended", { amount: 100_000 }, prolonged), 403)
      assert.strictEqual(yield* campaign(odo, "ended", { amount: 100_000 }, prolonged), 200)
      // A run that began before its end goes on with its segment.
      yield* TestDatabase.query("UPDATE campaigns SET ends_at = 0 WHERE campaign_id = 'ended'")
      yield* TestDatabase.query(`INSERT INTO campaign_runs (run_id, campaign_id, scope, segment_id, action, started_at)
        VALUES ('run-of-ended', 'ended', 1, 'ended', '{"credit": {"amount": 100, "reason": "bonus"}}', 0)`)
      assert.deepStrictEqual(yield* list(max, "ended", ["bob"]), [200, ["ended"]])
    })
  )

  it.effect("is one that makes a campaign give again, by its status or limit, whoever was counted before", () =>
    Effect.gen(function* () {
      const [mo, odo] = [yield* person("mo", "manager"), yield* person("odo", "owner")]
      const sql = (set: string) => TestDatabase.query(`UPDATE campaigns SET ${set} WHERE campaign_id = 'again'`)
      const limit = { amount: 100_000 }
      const put = (by: Headers, amount = 100_000) => campaign(by, "again", { amount })
      yield* active(odo, "again", limit)
      for (const to of ["paused", "active"]) assert.strictEqual(yield* become(mo, "again", to), 200, "as it was")
      for (const to of ["draft", "archived"]) {
        assert.strictEqual(yield* become(mo, "again", to), 200)
        assert.strictEqual(yield* become(mo, "again", "paused"), 200)
        assert.strictEqual(yield* become(mo, "again", "active"), 403, to)
        assert.strictEqual(yield* become(odo, "again", "active"), 200)
      }
      // It has used up its limit, if only for a moment.
      yield* sql("triggered_points = 1000")
      assert.strictEqual(yield* put(mo, 1_000), 200)
      assert.strictEqual(yield* put(mo), 403)
      assert.strictEqual(yield* put(odo), 200)
      // An owner's lower limit is the one that a raise is of.
      assert.strictEqual(yield* put(odo, 6_000), 200)
      assert.strictEqual(yield* put(mo), 403)
      assert.deepStrictEqual([yield* put(mo, 6_100), yield* points("mo")], [200, 100])
    })
  )
})
