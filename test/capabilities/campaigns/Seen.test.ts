/**
 * contract/engagement.md *Versions of resources*: a campaign is activated and run as it was looked at, in its definition
 * and in whom it reaches.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Pinned from "../../../src/capabilities/segments/Pinned.ts"
import { person } from "../staff/Clerks.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

const refused = Effect.map(({ body, status }: Effect.Success<ReturnType<typeof ask>>) => {
  const [fault] = (body["errors"] ?? []) as ReadonlyArray<{ readonly path: string }>
  return fault === undefined ? [status] : [status, fault.path]
})

it.layer(layer, { excludeTestServices: true })("a campaign", (it) => {
  it.effect("is neither activated nor run for another audience or in another version than was seen", () =>
    Effect.gen(function* () {
      const olga = yield* person("olga", "owner")
      const segment = (value: boolean) =>
        ask("PUT", "/segments", olga, {
          ...{ segment_id: "vips", program_id, name: "VIPs" },
          rules: { attribute: { name: "vip", equals: value } }
        })
      const campaign = (name: string) =>
        Effect.map(
          ask("PUT", "/campaigns", olga, {
            ...{ campaign_id: "treat", program_id, name, segment_id: "vips", reward_id: "free-bowl" }
          }),
          ({ body }) => (body["campaign"] as { readonly version: number }).version
        )
      const look = Effect.map(ask("GET", "/campaigns/run/preview?campaign_id=treat", olga), ({ body }) => {
        const { selected, seen } = body["forecast"] as { readonly selected: number; readonly seen: string }
        return { selected, seen }
      })
      const activate = (facts: object) =>
        refused(ask("POST", "/campaigns/status", olga, { campaign_id: "treat", status: "active", ...facts }))
      const run = (facts: object) => refused(ask("POST", "/campaigns/run", olga, { campaign_id: "treat", ...facts }))
      yield* segment(true)
      const expected_version = yield* campaign("Treat")
      const none = yield* look
      assert.strictEqual(none.selected, 0)
      const rows = [{ member_id: "eve", attributes: { vip: true } }]
      const sent = yield* ask("POST", "/imports/members", olga, { program_id, rows, idempotency_key: "one-vip-guest" })
      assert.strictEqual(sent.status, 201)
      assert.deepStrictEqual(yield* activate({ seen: none.seen, expected_version }), [409, "/seen"])
      const one = yield* look
      assert.strictEqual(one.selected, 1)
      assert.deepStrictEqual(yield* activate({ seen: one.seen, expected_version }), [200])
      assert.deepStrictEqual(yield* activate({ seen: none.seen }), [200], "it is active already")

      yield* segment(false)
      assert.deepStrictEqual(yield* run({ seen: one.seen }), [409, "/seen"])
      const version = yield* campaign("Small treat")
      const { seen } = yield* look
      assert.deepStrictEqual(yield* run({ seen, expected_version }), [409, "/expected_version"])
      assert.deepStrictEqual(yield* run({ seen, expected_version: version }), [200])
    })
  )

  it.effect("is seen anew after a publication, whose tiers may decide whom it reaches", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const seenBy = (version: number) =>
        Pinned.seen(query, { ...Testing.demoProgram, version }, { id: "treat", segment: "vips" })
      assert.strictEqual(yield* seenBy(1), yield* seenBy(1))
      assert.notStrictEqual(yield* seenBy(1), yield* seenBy(2))
    })
  )
})
