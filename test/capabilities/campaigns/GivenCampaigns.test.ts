/** contract/engagement.md *Texts for guests*: what campaigns gave to a member, in words that guests read. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as GivenCampaigns from "../../../src/capabilities/campaigns/GivenCampaigns.ts"
import * as Told from "../../../src/capabilities/campaigns/Told.ts"
import { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import type { GivenQuery } from "../../../src/contract/platform/GivenCampaigns.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { memberOf } from "../../../src/desk/surface/MemberOf.ts"
import * as World from "./CampaignWorld.ts"
import { active, facts, program_id, run } from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"

const texts = { guest_name: "A bowl for you", guest_text: "Thank you for coming back." }

const given = (member_id: string, more: Partial<GivenQuery> = {}) =>
  Effect.flatMap(GivenCampaigns.make, (list) => list({ program_id, member_id, ...more }))

/** The campaigns of a list and their rewards. */
const told = (member_id: string) =>
  Effect.map(given(member_id), ({ campaigns }) =>
    campaigns.map((one) => [one.campaign_id, one.name, one.text, one.issued_reward_id])
  )

it("a text for guests has at most 280 characters, and its heading 60", () => {
  const isRight = (more: object) => Schema.is(CampaignFacts)({ ...facts("long"), ...more })
  for (const [name, most] of [
    ["guest_name", 60],
    ["guest_text", 280]
  ] as const) {
    assert.isTrue(isRight({ [name]: "🍜".repeat(most) }))
    assert.isFalse(isRight({ [name]: "🍜".repeat(most + 1) }))
    assert.isFalse(isRight({ [name]: "" }))
  }
})

layer(World.layer)("a campaign's text for guests", (it) => {
  it.effect("is kept by the campaign, and removed by a change without it", () =>
    Effect.gen(function* () {
      const { campaigns } = yield* active("kept", 1, texts)
      assert.deepInclude((yield* campaigns.report("kept")).campaign, texts)
      yield* campaigns.setStatus({ campaign_id: "kept", status: "draft" })
      assert.deepInclude((yield* campaigns.report("kept")).campaign, texts)
      const { campaign } = yield* campaigns.put(facts("kept"))
      assert.doesNotHaveAnyKeys(campaign, ["guest_name", "guest_text"])
    })
  )

  it.effect("is on the page of who got something, for a month, while the campaign is active and has not ended", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const accounts = yield* Accounts
      const now = yield* serviceNow
      const { campaigns } = yield* active("news", 2, { ...texts, holdout_percent: 0, limit: { rewards: 1 } })
      const { outcomes } = yield* run({ campaign_id: "news" })
      const accountOf = (status: string) =>
        Effect.gen(function* () {
          const found = outcomes.find((one) => one.status === status)
          if (found === undefined) throw new Error(`nobody is ${status}`)
          return (yield* memberOf(accounts, program_id, found.member_id)).account
        })
      const [got, none] = [yield* accountOf("issued"), yield* accountOf("skipped")]
      const said = (account: number, at = now, program = program_id) =>
        Effect.map(Told.told(query, program, [account], at, "en"), (rows) => rows.map(({ name, text }) => [name, text]))
      const words = [[texts.guest_name, texts.guest_text]]
      assert.deepStrictEqual(yield* said(got), words)
      assert.deepStrictEqual(yield* said(none), [])
      assert.deepStrictEqual(yield* said(got, now, "another"), [])
      assert.deepStrictEqual(yield* said(got, now + 31 * 86_400_000), [])
      yield* campaigns.put({ ...facts("news"), ...texts, schedule: { ends_at: fromMillis(now + 60_000) } })
      assert.deepStrictEqual(yield* said(got, now + 30_000), words)
      assert.deepStrictEqual(yield* said(got, now + 60_000), [])
      yield* campaigns.setStatus({ campaign_id: "news", status: "paused" })
      assert.deepStrictEqual(yield* said(got), [])
    })
  )

  it.effect("is told in the language of who reads it, and for as many days as it says", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const now = yield* serviceNow
      const german = { name: "Eine Bowl für dich", text: "Danke, dass du wiederkommst." }
      const { campaigns } = yield* active("language", 1, { ...texts, guest_texts: { de: german }, guest_days: 2 })
      yield* run({ campaign_id: "language" })
      const { account } = yield* memberOf(yield* Accounts, program_id, "language0")
      const said = (language: string, at = now) =>
        Effect.map(Told.told(query, program_id, [account], at, language), (rows) =>
          rows.map(({ name, text }) => [name, text])
        )
      assert.deepStrictEqual(yield* said("de"), [[german.name, german.text]])
      assert.deepStrictEqual(yield* said("en"), [[texts.guest_name, texts.guest_text]])
      assert.deepStrictEqual(yield* said("de", now + 3 * 86_400_000), [])
      assert.strictEqual((yield* told("language0"))[0]?.[2], texts.guest_text)
      yield* query(`INSERT INTO guest_settings (account, language) VALUES (${account}, 'de')`)
      assert.strictEqual((yield* told("language0"))[0]?.[2], german.text)
      const missing = campaigns.put(facts("language", { guest_texts: { de: german } }))
      assert.strictEqual((yield* Effect.flip(missing)).errors?.[0]?.path, "/guest_texts")
    })
  )

  it.effect("is told to who got something, with the reward, and never with the internal name", () =>
    Effect.gen(function* () {
      yield* active("told", 2, { ...texts, name: "Lapsed Q3, cheap" })
      yield* active("silent", 1)
      const { outcomes } = yield* run({ campaign_id: "told" })
      yield* run({ campaign_id: "silent" })
      for (const { issued_reward_id, member_id } of outcomes) {
        const [reward] = (yield* World.wallet(member_id)).issued_rewards
        assert.strictEqual(reward?.issued_reward_id, issued_reward_id)
        const { campaigns } = yield* given(member_id)
        const [{ given_at, ...one } = { given_at: "" }] = campaigns
        assert.isAbove(Date.parse(given_at), 0)
        const { guest_name: name, guest_text: text } = texts
        assert.deepStrictEqual([one], [{ campaign_id: "told", name, text, issued_reward_id }])
        assert.notInclude(JSON.stringify(campaigns), "Lapsed")
      }
      assert.deepStrictEqual(yield* told("silent0"), [])
      const list = given("nobody")
      assert.strictEqual((yield* Effect.flip(list)).code, "not_found")
    })
  )

  it.effect("is told of credits and events too, newest first and page by page, of all members that were merged", () =>
    Effect.gen(function* () {
      const { guest_text } = texts
      const { names } = yield* active("many", 2, { guest_text })
      const [from = "", into = ""] = names
      const first = yield* run({ campaign_id: "many" })
      yield* Triggers.later(1_000)
      const action = { credit: { amount: 5, reason: "Hello" } }
      const points = { campaign_id: "points", name: "points", program_id, segment_id: "many", action }
      const campaigns = yield* Campaigns.make
      yield* campaigns.put({ ...points, ...texts })
      yield* campaigns.setStatus({ campaign_id: "points", status: "active" })
      yield* run({ campaign_id: "points", run_key: "one" })
      yield* Triggers.later(1_000)
      yield* Triggers.active("event", { on: "order.accrued" }, { guest_text })
      yield* Triggers.order(into, "o-1", 1_000)
      yield* Triggers.goOn("event")
      yield* Effect.flatMap(Accounts, (accounts) => accounts.merge(program_id, { from, into }))
      const rewardOf = (member: string) =>
        first.outcomes.find(({ member_id }) => member_id === member)?.issued_reward_id
      const wallet = yield* World.wallet(into)
      const byEvent = wallet.issued_rewards
        .map(({ issued_reward_id }) => issued_reward_id)
        .find((id) => id !== rewardOf(into) && id !== rewardOf(from))
      const point = ["points", texts.guest_name, guest_text, undefined]
      const many = (member: string) => ["many", undefined, guest_text, rewardOf(member)]
      const all = yield* told(into)
      assert.deepStrictEqual(all.slice(0, 3), [["event", undefined, guest_text, byEvent], point, point])
      assert.sameDeepMembers(all.slice(3), [many(from), many(into)])
      assert.deepStrictEqual(yield* told(from), all)
      const pages: Array<string> = []
      for (let cursor: string | undefined, isMore = true; isMore; ) {
        const page: {
          readonly next_cursor?: string
          readonly campaigns: ReadonlyArray<{ readonly campaign_id: string }>
        } = yield* given(into, { limit: "2", ...(cursor === undefined ? undefined : { cursor }) })
        pages.push(page.campaigns.map(({ campaign_id }) => campaign_id).join(" "))
        cursor = page.next_cursor
        isMore = cursor !== undefined
      }
      assert.deepStrictEqual(pages, ["event points", "points many", "many"])
      assert.isAbove(yield* Triggers.balance(into), 0)
      yield* Guests.enroll("stranger")
      assert.deepStrictEqual(yield* told("stranger"), [])
    })
  )
})
