/**
 * contract/engagement.md *Triggers*: what an event gives, to whom, when and how often.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import type { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import type { Trigger } from "../../../src/contract/platform/Triggers.ts"
import type { Refused } from "../../../src/contract/Refused.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { RollupStore } from "../../../src/reads/rollups/RollupStore.ts"
import { between } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"
import { wallets } from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"
import { adjust, befriend, goOn, later, order, trigger, triggered } from "./TriggerWorld.ts"

const faults = <A, R>(effect: Effect.Effect<A, Refused, R>) =>
  Effect.map(Effect.flip(effect), ({ code, errors = [] }) => [code, ...errors.map(({ path }) => path)])

const onOrder: Trigger = { on: "order.accrued", once: "event" }
const dayMs = 86_400_000

layer(World.layer)("a trigger", (it) => {
  const holds = (rule: string, test: Effect.Effect<void, unknown, Triggers.Parts>) =>
    it.effect(rule, () => Effect.ensuring(test, Triggers.rest))

  holds(
    "sees what is committed while its campaign is active, nothing before and nothing while it is paused",
    Effect.gen(function* () {
      const campaigns = yield* Campaigns.make
      yield* Guests.enroll("early")
      yield* campaigns.put(trigger("seen", { on: "member.enrolled" }))
      yield* Guests.enroll("of-draft")
      yield* campaigns.setStatus({ campaign_id: "seen", status: "active" })
      yield* Guests.enroll("welcome")
      // Read only after the pause and the next beginning.
      yield* campaigns.setStatus({ campaign_id: "seen", status: "paused" })
      yield* Guests.enroll("of-pause")
      yield* campaigns.setStatus({ campaign_id: "seen", status: "active" })
      yield* Guests.enroll("second")
      yield* goOn("seen")
      assert.deepStrictEqual(yield* wallets(["early", "of-draft", "welcome", "of-pause", "second"]), [0, 0, 1, 0, 1])
      // A pause that lasts until all was read ends the reading.
      yield* campaigns.setStatus({ campaign_id: "seen", status: "paused" })
      yield* Triggers.closed("seen")
      yield* Guests.enroll("third")
      yield* campaigns.setStatus({ campaign_id: "seen", status: "active" })
      yield* Guests.enroll("fourth")
      yield* goOn("seen")
      assert.deepStrictEqual(yield* wallets(["third", "fourth"]), [0, 1])
    })
  )

  holds(
    "gives nothing while its campaign is paused or writes are frozen, and goes on afterwards",
    Effect.gen(function* () {
      const campaigns = yield* Triggers.active("hold", { on: "member.enrolled", delay_seconds: 60 })
      const freeze = yield* WriteFreeze
      yield* Guests.enroll("held")
      yield* goOn("hold")
      yield* campaigns.setStatus({ campaign_id: "hold", status: "paused" })
      yield* later(60_000)
      yield* goOn("hold")
      assert.deepStrictEqual(yield* wallets(["held"]), [0])
      yield* campaigns.setStatus({ campaign_id: "hold", status: "active" })
      yield* freeze.set(true)
      yield* Effect.flatMap(CampaignRuns, ({ round }) => round)
      yield* freeze.set(false)
      assert.deepStrictEqual(yield* wallets(["held"]), [0])
      yield* goOn("hold")
      assert.deepStrictEqual(yield* wallets(["held"]), [1])
    })
  )

  holds(
    "asks for location, spend and first order",
    Effect.gen(function* () {
      const where = (id: string, more: Trigger["where"]) =>
        Triggers.active(
          id,
          { ...onOrder, ...(more === undefined ? undefined : { where: more }) },
          { action: Triggers.points(1) }
        )
      yield* where("spend", { minimum_spend: { amount: 1_000, currency: "USD" } })
      yield* where("first", { first_order: true })
      yield* where("here", { location_ids: [Triggers.location] })
      yield* where("elsewhere", { location_ids: ["elsewhere"] })
      yield* Guests.enroll("ada")
      yield* order("ada", "w1", 999)
      yield* order("ada", "w2", 1_000)
      for (const id of ["spend", "first", "here", "elsewhere"]) yield* goOn(id)
      const issued = (id: string) => Effect.map(triggered(id), (all) => all.issued)
      assert.deepStrictEqual(yield* Effect.forEach(["spend", "first", "here", "elsewhere"], issued), [1, 1, 2, 0])
    })
  )

  holds(
    "may wait for a change of tier",
    Effect.gen(function* () {
      yield* Triggers.active("tier", { on: "tier.changed" })
      for (const name of ["climber", "walker"]) yield* Guests.enroll(name)
      yield* order("climber", "t1", 1_000_000)
      yield* order("walker", "t2", 100)
      yield* goOn("tier")
      assert.deepStrictEqual(yield* wallets(["climber", "walker"]), [1, 0])
    })
  )

  holds(
    "may ask for a direction of the tier",
    Effect.gen(function* () {
      yield* Triggers.active("up", { on: "tier.changed", direction: "up" }, { action: Triggers.points(1) })
      yield* Triggers.active("down", { on: "tier.changed", direction: "down", once: "event" })
      for (const name of ["riser", "faller"]) {
        yield* Guests.enroll(name)
        yield* order(name, `d-${name}`, 1_000_000)
      }
      yield* adjust("faller", "d-faller", "void", -1_000_000)
      for (const id of ["up", "down"]) yield* goOn(id)
      assert.deepStrictEqual(yield* wallets(["riser", "faller"]), [0, 1])
      assert.strictEqual((yield* triggered("up")).issued, 2)
      assert.strictEqual((yield* triggered("down")).issued, 1)
    })
  )

  holds(
    "counts members whom an import enrols only if it says so",
    Effect.gen(function* () {
      yield* Triggers.active("welcome-all", { on: "member.enrolled", include_imports: true })
      yield* Triggers.active("welcome", { on: "member.enrolled" }, { action: Triggers.points(7) })
      yield* Guests.enroll("walk-in")
      yield* Triggers.imported("listed")
      for (const id of ["welcome-all", "welcome"]) yield* goOn(id)
      assert.deepStrictEqual(yield* wallets(["walk-in", "listed"]), [1, 1])
      assert.deepStrictEqual(yield* Effect.forEach(["walk-in", "listed"], Triggers.balance), [7, 0])
    })
  )

  holds(
    "gives once the delay is over, and nothing for an order that was closed by then",
    Effect.gen(function* () {
      yield* Triggers.active("delay", { ...onOrder, delay_seconds: 3_600 })
      for (const name of ["kept", "voided", "partly"]) {
        yield* Guests.enroll(name)
        yield* order(name, `delay-${name}`, 1_000)
      }
      yield* goOn("delay")
      yield* adjust("voided", "delay-voided", "void", -1_000)
      yield* adjust("partly", "delay-partly", "partial_refund", -400)
      yield* later(3_599_000)
      yield* goOn("delay")
      assert.deepStrictEqual(yield* wallets(["kept", "voided", "partly"]), [0, 0, 0])
      yield* later(1_000)
      yield* goOn("delay")
      assert.deepStrictEqual(yield* wallets(["kept", "voided", "partly"]), [1, 0, 1])
      assert.deepStrictEqual((yield* triggered("delay")).skipped, [{ code: "order_closed", count: 1 }])
    })
  )

  holds(
    "gives nothing for an order of which refunds left nothing, and gives for one whose spend returned",
    Effect.gen(function* () {
      yield* Triggers.active("emptied", { ...onOrder, delay_seconds: 60 })
      for (const name of ["in-parts", "returned"]) {
        yield* Guests.enroll(name)
        yield* order(name, `emptied-${name}`, 1_000)
        for (const part of [-400, -600]) yield* adjust(name, `emptied-${name}`, "partial_refund", part)
      }
      yield* adjust("returned", "emptied-returned", "correction", 500)
      yield* goOn("emptied")
      yield* later(60_000)
      yield* goOn("emptied")
      assert.deepStrictEqual(yield* wallets(["in-parts", "returned"]), [0, 1])
      assert.deepStrictEqual((yield* triggered("emptied")).skipped, [{ code: "order_closed", count: 1 }])
    })
  )

  holds(
    "is no order that earns nothing; a first order is the first that earns and is not closed",
    Effect.gen(function* () {
      yield* Triggers.active("earning", onOrder, { action: Triggers.points(1) })
      yield* Triggers.active("first-earning", { ...onOrder, where: { first_order: true } })
      yield* Guests.enroll("mis-rung")
      yield* order("mis-rung", "mr-nothing", 0)
      yield* order("mis-rung", "mr-wrong", 9_000)
      yield* adjust("mis-rung", "mr-wrong", "void", -9_000)
      yield* order("mis-rung", "mr-right", 1_000)
      yield* order("mis-rung", "mr-next", 1_000)
      for (const id of ["earning", "first-earning"]) yield* goOn(id)
      assert.strictEqual((yield* triggered("earning")).issued, 2)
      const { issued, skipped } = yield* triggered("first-earning")
      assert.deepStrictEqual([issued, skipped], [1, [{ code: "order_closed", count: 1 }]])
    })
  )

  holds(
    "gives nothing for an order that was closed on the member that its member was merged into",
    Effect.gen(function* () {
      yield* Triggers.active("gone", { ...onOrder, delay_seconds: 60 })
      for (const name of ["gone-from", "gone-into"]) yield* Guests.enroll(name)
      yield* order("gone-from", "gone-1", 1_000)
      yield* goOn("gone")
      yield* Triggers.merge("gone-from", "gone-into")
      yield* adjust("gone-into", "gone-1", "void", -1_000)
      yield* later(60_000)
      yield* goOn("gone")
      assert.deepStrictEqual(yield* wallets(["gone-into"]), [0])
    })
  )

  holds(
    "gives nothing for an order that was moved: its accrual has triggered what there was",
    Effect.gen(function* () {
      yield* Triggers.active("moves", onOrder, { action: Triggers.points(1) })
      const toReferrer = { on: "order.accrued", to: "referrer", delay_seconds: 0 } as const
      yield* Triggers.active("moves-first", toReferrer, { frequency: { times: 9, days: 30 } })
      const onTier = { on: "tier.changed", direction: "up", once: "event" } as const
      yield* Triggers.active("moves-tier", onTier, { frequency: { times: 9, days: 30 } })
      for (const name of ["mover", "sponsor"]) yield* Guests.enroll(name)
      for (const name of ["moved-1", "moved-2"]) yield* Triggers.befriend(name, "sponsor")
      yield* order("mover", "move-1", 20_000)
      const all = ["moves", "moves-first", "moves-tier"]
      for (const id of all) yield* goOn(id)
      for (const [from, into] of [
        ["mover", "moved-1"],
        ["moved-1", "moved-2"],
        ["moved-2", "moved-1"]
      ] as const)
        assert.strictEqual((yield* Triggers.moveOrder(from, "move-1", into))._tag, "Answered")
      for (const id of all) yield* goOn(id)
      const told = (id: string) => Effect.map(triggered(id), ({ issued, skipped }) => [issued, skipped.length])
      assert.deepStrictEqual(
        [yield* told("moves"), yield* told("moves-first"), yield* told("moves-tier")],
        [
          [1, 0],
          [0, 1],
          [1, 0]
        ]
      )
      assert.deepStrictEqual(yield* wallets(["sponsor"]), [0])
    })
  )

  holds(
    "gives once a member, each time, or once in some days; merged members count as one",
    Effect.gen(function* () {
      yield* Triggers.active("member", { on: "order.accrued" }, { action: Triggers.points(1) })
      yield* Triggers.active("event", { ...onOrder }, { action: Triggers.points(1) })
      yield* Triggers.active("days", { ...onOrder, once: { days: 7 } }, { action: Triggers.points(1) })
      const ids = ["member", "event", "days"]
      const all = Effect.gen(function* () {
        for (const id of ids) yield* goOn(id)
        return yield* Effect.forEach(ids, (id) => Effect.map(triggered(id), ({ issued }) => issued))
      })
      for (const name of ["bea", "cem"]) yield* Guests.enroll(name)
      yield* order("bea", "m1", 100)
      yield* order("bea", "m2", 100)
      assert.deepStrictEqual(yield* all, [1, 2, 1])
      yield* Triggers.merge("bea", "cem")
      yield* later(7 * dayMs - 1)
      yield* order("cem", "m3", 100)
      assert.deepStrictEqual(yield* all, [1, 3, 1])
      yield* later(1)
      yield* order("cem", "m4", 100)
      assert.deepStrictEqual(yield* all, [1, 4, 2])
    })
  )

  holds(
    "gives no more than its frequency and its limit say, and says which of them it was",
    Effect.gen(function* () {
      yield* Triggers.active("often", onOrder, { frequency: { times: 2, days: 30 } })
      yield* Triggers.active("few", onOrder, { limit: { rewards: 3 } })
      yield* Triggers.active("sum", onOrder, { action: Triggers.points(40), limit: { amount: 100 } })
      yield* Guests.enroll("dee")
      for (const id of ["f1", "f2", "f3", "f4"]) yield* order("dee", id, 100)
      for (const id of ["often", "few", "sum"]) yield* goOn(id)
      const told = (id: string) =>
        Effect.map(triggered(id), ({ issued, skipped }) => [
          issued,
          ...skipped.map(({ code, count }) => `${count} ${code}`)
        ])
      assert.deepStrictEqual(yield* told("often"), [2, "2 frequency_reached"])
      assert.deepStrictEqual(yield* told("few"), [3, "1 limit_reached"])
      assert.deepStrictEqual(yield* told("sum"), [2, "2 limit_reached"])
      const campaigns = yield* Campaigns.make
      assert.strictEqual((yield* campaigns.report("few")).campaign.status, "completed")
      yield* later(30 * dayMs)
      yield* order("dee", "f5", 100)
      yield* goOn("often")
      assert.deepStrictEqual(yield* told("often"), [3, "2 frequency_reached"])
    })
  )

  holds(
    "gives to members of its segment at that moment, and to nobody of the holdout",
    Effect.gen(function* () {
      yield* World.audience("inside", 2)
      yield* Guests.enroll("outside")
      yield* Triggers.active("condition", onOrder, { segment_id: "inside" })
      yield* Triggers.active("held-out", { on: "order.accrued" }, { holdout_percent: 90 })
      for (const name of ["inside0", "inside1", "outside"]) yield* order(name, `c-${name}`, 100)
      yield* goOn("condition")
      yield* goOn("held-out")
      const inside = yield* triggered("condition")
      assert.deepStrictEqual([inside.issued, inside.skipped], [2, [{ code: "not_in_segment", count: 1 }]])
      const held = yield* triggered("held-out")
      assert.strictEqual(held.issued + held.holdout, 3)
      const campaigns = yield* Campaigns.make
      const { attribution } = yield* campaigns.report("held-out")
      assert.deepStrictEqual([attribution.targeted_members, attribution.holdout.members], [held.issued, held.holdout])
      assert.deepStrictEqual(
        yield* faults(campaigns.put(trigger("held-out", { on: "order.accrued" }, { holdout_percent: 10 }))),
        ["invalid_state"]
      )
    })
  )

  holds(
    "asks its segment only when the figures of members count the event, also while they are rebuilt",
    Effect.gen(function* () {
      const { round } = yield* CampaignRuns
      const { query } = yield* PeoplePool
      yield* Guests.enroll("vera")
      yield* query(`INSERT INTO segments (segment_id, program_id, name, rules, conditions, members, created_at, updated_at)
        VALUES ('vips', '${World.program_id}', 'vips', '{"tier": ["vip"]}', 1, 0, 0, 0)`)
      const risen: Trigger = { on: "tier.changed", once: "event", delay_seconds: 60 }
      yield* Triggers.active("vips", risen, { segment_id: "vips" })
      yield* order("vera", "v1", 1_000_000)
      const told = Effect.map(triggered("vips"), ({ issued, skipped, waiting }) => [waiting, issued, skipped])
      const rounds = Effect.repeat(round, { times: 5 })
      yield* rounds
      yield* goOn("vips")
      assert.deepStrictEqual(yield* told, [1, 0, []])
      yield* (yield* RollupStore).reset
      yield* later(61_000)
      yield* rounds
      assert.deepStrictEqual(yield* told, [1, 0, []], "no figures count it")
      yield* goOn("vips")
      assert.deepStrictEqual(yield* told, [0, 1, []])

      yield* Guests.enroll("viv")
      yield* Triggers.active("vips-now", { on: "tier.changed", once: "event" }, { segment_id: "vips" })
      yield* order("viv", "v2", 1_000_000)
      yield* rounds
      yield* goOn("vips-now")
      const { issued, skipped } = yield* triggered("vips-now")
      assert.deepStrictEqual([issued, skipped], [1, []])
    })
  )

  holds(
    "keeps the action that the campaign had when the event was read",
    Effect.gen(function* () {
      const campaigns = yield* Triggers.active(
        "kept-action",
        { on: "member.enrolled", delay_seconds: 60 },
        { action: Triggers.points(5) }
      )
      yield* Guests.enroll("eve")
      yield* goOn("kept-action")
      yield* campaigns.put(trigger("kept-action", { on: "member.enrolled" }))
      yield* later(60_000)
      yield* goOn("kept-action")
      assert.deepStrictEqual(yield* wallets(["eve"]), [0])
      assert.strictEqual(yield* Triggers.balance("eve"), 5)
    })
  )

  holds(
    "tries an event again while accounts are out of reach, and reports a grant that was refused",
    Effect.gen(function* () {
      yield* Triggers.active("again", { on: "member.enrolled" })
      yield* Guests.enroll("fay")
      let troubles = 0
      between.issue = (issue) =>
        troubles++ < 2 ? Effect.as(troubles === 1 ? Effect.void : issue, { _tag: "Unavailable" } as const) : issue
      yield* goOn("again")
      between.issue = (issue) => issue
      assert.deepStrictEqual(yield* wallets(["fay"]), [1])
      yield* Guests.enroll("gus")
      yield* Triggers.suspend("gus")
      yield* goOn("again")
      const { failed, issued } = yield* triggered("again")
      assert.deepStrictEqual([issued, failed], [1, 1])
    })
  )

  holds(
    "is refused with the place of every fault",
    Effect.gen(function* () {
      const campaigns = yield* Campaigns.make
      const { segment_id: _, ...none } = World.facts("wrong")
      const wrong: ReadonlyArray<readonly [Partial<CampaignFacts>, ReadonlyArray<string>]> = [
        [{}, ["/segment_id"]],
        [{ trigger: onOrder, schedule: {}, starts_at: "2026-08-01T00:00:00Z" }, ["/schedule", "/starts_at"]],
        [{ trigger: { on: "member.enrolled", where: { first_order: true } } }, ["/trigger/where"]],
        [
          { trigger: { ...onOrder, direction: "up", include_imports: true } },
          ["/trigger/direction", "/trigger/include_imports"]
        ],
        [
          { trigger: { ...onOrder, where: { minimum_spend: { amount: 1, currency: "EUR" } } } },
          ["/trigger/where/minimum_spend/currency"]
        ],
        [
          { trigger: { on: "member.enrolled", once: "event", to: "referrer" } },
          ["/frequency", "/trigger/on", "/trigger/once"]
        ]
      ]
      for (const [more, paths] of wrong)
        assert.deepStrictEqual(yield* faults(campaigns.put({ ...none, ...more })), ["validation_failed", ...paths])
      yield* Triggers.active("fixed", onOrder)
      yield* World.audience("fixed", 1)
      assert.deepStrictEqual(yield* faults(campaigns.put(World.facts("fixed"))), ["invalid_state"])
      assert.deepStrictEqual(yield* faults(campaigns.run({ campaign_id: "fixed" })), ["invalid_state"])
    })
  )
})

layer(World.layer)("a referral", (it) => {
  const holds = (rule: string, test: Effect.Effect<void, unknown, Triggers.Parts>) =>
    it.effect(rule, () => Effect.ensuring(test, Triggers.rest))

  const facts = { action: Triggers.points(100), frequency: { times: 3, days: 30 } }
  const refer: Trigger = { on: "order.accrued", to: "referrer" }

  holds(
    "gives to the referrer, 14 days after the friend's first order, once a friend",
    Effect.gen(function* () {
      yield* Triggers.active("refer", refer, facts)
      yield* Guests.enroll("host")
      yield* befriend("friend", "host")
      yield* order("friend", "r1", 1_000)
      yield* order("friend", "r2", 1_000)
      yield* goOn("refer")
      yield* later(14 * dayMs - 1)
      yield* goOn("refer")
      assert.strictEqual(yield* Triggers.balance("host"), 0)
      yield* later(1)
      yield* goOn("refer")
      assert.strictEqual(yield* Triggers.balance("host"), 100)
      assert.strictEqual((yield* triggered("refer")).issued, 1)
    })
  )

  holds(
    "gives nothing to the friend itself, to nobody, or to a member that is not active then, for good",
    Effect.gen(function* () {
      yield* Triggers.active("no-refer", { ...refer, delay_seconds: 0 }, facts)
      for (const name of ["lazy", "same"]) yield* Guests.enroll(name)
      yield* Triggers.suspend("lazy")
      yield* befriend("of-lazy", "lazy")
      yield* befriend("of-none", "nobody")
      yield* befriend("of-self", "of-self")
      yield* befriend("of-same", "same")
      yield* Triggers.merge("same", "of-same")
      yield* Guests.enroll("alone")
      for (const name of ["of-lazy", "of-none", "of-self", "of-same", "alone"]) yield* order(name, `n-${name}`, 1_000)
      yield* goOn("no-refer")
      const { issued, skipped } = yield* triggered("no-refer")
      assert.deepStrictEqual(
        [issued, skipped],
        [
          0,
          [
            { code: "no_referrer", count: 2 },
            { code: "own_referrer", count: 2 },
            { code: "referrer_not_active", count: 1 }
          ]
        ]
      )
    })
  )

  holds(
    "goes one step up a chain, in a circle to the member who joined first, once a friend",
    Effect.gen(function* () {
      yield* Triggers.active("chain", { ...refer, delay_seconds: 0 }, facts)
      yield* Guests.enroll("top")
      for (const [friend, by] of [
        ["middle", "top"],
        ["last", "middle"],
        ["left", "right"],
        ["right", "left"]
      ] as const)
        yield* befriend(friend, by)
      const friends = ["middle", "last", "left", "right"]
      for (const round of ["first", "second"])
        for (const friend of friends) yield* order(friend, `${round}-${friend}`, 1_000)
      yield* goOn("chain")
      const { issued, skipped, waiting } = yield* triggered("chain")
      assert.deepStrictEqual([issued, waiting, skipped], [3, 0, [{ code: "referrer_joined_later", count: 1 }]])
      // An order of 10.00 earns 100 points: two a friend; 100 more for each friend that was brought.
      assert.deepStrictEqual(yield* Effect.forEach(["top", ...friends], Triggers.balance), [100, 300, 200, 300, 200])
    })
  )

  holds(
    "pays for the first order that earns, whatever was voided or earned nothing before it",
    Effect.gen(function* () {
      yield* Triggers.active("first-friend", refer, facts)
      yield* Guests.enroll("bringer")
      yield* befriend("brought", "bringer")
      yield* order("brought", "ff-nothing", 0)
      yield* order("brought", "ff-wrong", 9_000)
      yield* adjust("brought", "ff-wrong", "void", -9_000)
      yield* order("brought", "ff-right", 1_000)
      yield* goOn("first-friend")
      yield* later(14 * dayMs)
      yield* goOn("first-friend")
      const { issued, skipped } = yield* triggered("first-friend")
      assert.deepStrictEqual([issued, skipped], [1, [{ code: "order_closed", count: 1 }]])
      assert.strictEqual(yield* Triggers.balance("bringer"), 100)
    })
  )

  holds(
    "gives only to a referrer who joined before the friend, each with all merged into it",
    Effect.gen(function* () {
      yield* Triggers.active("earlier", { ...refer, delay_seconds: 0 }, facts)
      yield* Guests.enroll("old-card")
      yield* later(1_000)
      yield* befriend("of-late", "late")
      yield* befriend("of-old", "old-card")
      yield* later(1_000)
      for (const name of ["late", "new-card"]) yield* Guests.enroll(name)
      // The referrer keeps when it joined first, and so does the friend.
      yield* Triggers.merge("old-card", "new-card")
      yield* befriend("second-card", "late")
      yield* Triggers.merge("of-late", "second-card")
      for (const name of ["of-old", "second-card"]) yield* order(name, `e-${name}`, 1_000)
      yield* goOn("earlier")
      const { issued, skipped } = yield* triggered("earlier")
      assert.deepStrictEqual([issued, skipped], [1, [{ code: "referrer_joined_later", count: 1 }]])
      assert.deepStrictEqual(yield* Effect.forEach(["new-card", "late"], Triggers.balance), [100, 0])
    })
  )

  holds(
    "gives nothing to a referrer who was erased before the 14 days were over",
    Effect.gen(function* () {
      yield* Triggers.active("gone", refer, facts)
      yield* Guests.enroll("leaver")
      yield* befriend("left-behind", "leaver")
      yield* order("left-behind", "lb-1", 1_000)
      yield* goOn("gone")
      yield* Triggers.erase("leaver")
      yield* later(14 * dayMs)
      yield* goOn("gone")
      const { issued, skipped } = yield* triggered("gone")
      assert.deepStrictEqual([issued, skipped], [0, [{ code: "referrer_not_active", count: 1 }]])
    })
  )

  holds(
    "is told in the report: friend, order and receiver, when, and what came of it, the newest first",
    Effect.gen(function* () {
      yield* Triggers.active("refer-told", refer, facts)
      yield* Guests.enroll("ivy")
      yield* befriend("told-1", "ivy")
      yield* befriend("told-2", "nobody")
      for (const name of ["told-1", "told-2"]) yield* order(name, `o-${name}`, 1_000)
      yield* goOn("refer-told")
      const waiting = (yield* triggered("refer-told")).outcomes
      assert.deepStrictEqual(
        waiting.map(({ member_id, order_id, status }) => [member_id, order_id, status]),
        [
          ["told-2", "o-told-2", "waiting"],
          ["told-1", "o-told-1", "waiting"]
        ]
      )
      const [{ due_at = "", occurred_at = "" } = {}] = waiting
      assert.strictEqual(Date.parse(due_at) - Date.parse(occurred_at), 14 * dayMs)
      yield* later(14 * dayMs)
      yield* goOn("refer-told")
      const done = (yield* triggered("refer-told")).outcomes
      assert.deepStrictEqual(
        done.map(({ code, receiver_id, status }) => [status, code, receiver_id]),
        [
          ["skipped", "no_referrer", undefined],
          ["issued", undefined, "ivy"]
        ]
      )
      assert.isTrue(done.every((one) => one.decided_at === one.due_at))
    })
  )

  holds(
    "counts frequency at the referrer, with all merged into it",
    Effect.gen(function* () {
      yield* Triggers.active(
        "refer-often",
        { ...refer, delay_seconds: 0 },
        { ...facts, frequency: { times: 2, days: 30 } }
      )
      for (const name of ["hana", "hugo"]) yield* Guests.enroll(name)
      yield* befriend("a1", "hana")
      yield* befriend("a2", "hugo")
      yield* befriend("a3", "hana")
      for (const name of ["a1", "a2"]) yield* order(name, `o-${name}`, 1_000)
      yield* goOn("refer-often")
      yield* Triggers.merge("hana", "hugo")
      yield* order("a3", "o-a3", 1_000)
      yield* goOn("refer-often")
      assert.deepStrictEqual((yield* triggered("refer-often")).skipped, [{ code: "frequency_reached", count: 1 }])
    })
  )
})

layer(World.layer)("a campaign's frequency", (it) => {
  it.effect("holds for runs, over all keys, with all members merged into one", () =>
    Effect.gen(function* () {
      const { names } = yield* World.active("rare", 3, { frequency: { times: 1, days: 300 } })
      assert.deepStrictEqual(World.counts(yield* World.run({ campaign_id: "rare", run_key: "a" })), [3, 3, 0, 0, 0])
      const [fresh = ""] = yield* World.audience("rare-fresh", 1)
      yield* Triggers.list("rare", fresh)
      yield* Triggers.merge(names[0] ?? "", fresh)
      const again = yield* World.run({ campaign_id: "rare", run_key: "b" })
      assert.deepStrictEqual(World.counts(again).slice(1), [0, World.counts(again)[0], 0, 0])
      assert.include(
        again.outcomes.map(({ code, member_id }) => `${member_id} ${code ?? ""}`),
        `${fresh} frequency_reached`
      )
      yield* later(300 * dayMs)
      const third = yield* World.run({ campaign_id: "rare", run_key: "c" })
      assert.strictEqual(third.issued, 3)
    })
  )
})
