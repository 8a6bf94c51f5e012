/**
 * contract/engagement.md *Campaigns*, *Runs*, *Holdout*: runs that stop anywhere, and give to each member exactly once.
 * Holds contract/engagement.md *Campaign reports*.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/campaigns/Bounds.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Store from "../../../src/capabilities/campaigns/CampaignStore.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Grants from "../../../src/capabilities/campaigns/Grants.ts"
import * as RunStore from "../../../src/capabilities/campaigns/RunStore.ts"
import * as Segments from "../../../src/capabilities/segments/Segments.ts"
import type { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import type { Refused } from "../../../src/contract/Refused.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import type { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { between, retiredProgram, service } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"
import { active, counts, facts, run, times, wallets } from "./CampaignWorld.ts"

const dayMs = 86_400_000
const refusal = <A, R>(effect: Effect.Effect<A, Refused, R>) => Effect.map(Effect.flip(effect), ({ code }) => code)
const faults = <A, R>(effect: Effect.Effect<A, Refused, R>) =>
  Effect.map(Effect.flip(effect), ({ code, errors = [] }) => [code, ...errors.map(({ path }) => path)])

/** The metric of outcomes, which all services of this process share. */
const totals = Effect.map(
  Metric.snapshot,
  (all) =>
    new Map(
      all.flatMap(({ attributes, id, state }) =>
        id === "lotbook_campaign_outcomes_total" && "count" in state
          ? [[attributes?.["outcome"], Number(state.count)] as const]
          : []
      )
    )
)

const setStatus = (member: string, status: "active" | "suspended") =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.execute(World.program_id, member, { action: { type: "set_status", status, reason: "t" }, guards: {} })
  )

layer(World.layer)("a campaign", (it) => {
  it.effect("gives to each member once without a key, and once a key, apart from each other", () =>
    Effect.gen(function* () {
      const before = yield* totals
      const { names } = yield* active("once", 6)
      const first = yield* run({ campaign_id: "once" })
      assert.deepStrictEqual([first.status, counts(first)], ["completed", [6, 6, 0, 0, 0]])
      assert.deepStrictEqual(first.outcomes.map(({ member_id }) => member_id).toSorted(), names)
      const again = yield* run({ campaign_id: "once" })
      assert.notStrictEqual(again.run_id, first.run_id)
      assert.deepStrictEqual(counts(again), [6, 0, 6, 0, 0])
      assert.deepStrictEqual(new Set(again.outcomes.map(({ code }) => code)), new Set(["already_reached"]))
      for (const run_key of ["may", "june"])
        assert.deepStrictEqual(counts(yield* run({ campaign_id: "once", run_key })), [6, 6, 0, 0, 0])
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "once", run_key: "may" })), [6, 0, 6, 0, 0])
      const after = yield* totals
      assert.deepStrictEqual(
        [...after].map(([outcome, count]) => [outcome, count - (before.get(outcome) ?? 0)]),
        Object.entries({ issued: 18, skipped: 12, failed: 0, holdout: 0 })
      )
      assert.deepStrictEqual(yield* wallets(names), times(6, 3))
    })
  )

  it.effect("deletes a draft that was never active, and nothing that has a history", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* active("history", 1)
      assert.strictEqual((yield* Effect.flip(campaigns.remove("history"))).code, "invalid_state")
      yield* run({ campaign_id: "history" })
      yield* campaigns.setStatus({ campaign_id: "history", status: "draft" })
      assert.strictEqual((yield* Effect.flip(campaigns.remove("history"))).code, "invalid_state")
      assert.deepStrictEqual(yield* wallets(names), times(1, 1))
      const segment_id = (yield* campaigns.report("history")).campaign.segment_id ?? ""
      yield* campaigns.put({
        campaign_id: "idea",
        program_id: World.program_id,
        name: "Idea",
        segment_id,
        reward_id: "free-bowl"
      })
      const { campaign } = yield* campaigns.remove("idea")
      assert.deepInclude(campaign, { campaign_id: "idea", status: "draft" })
      assert.strictEqual((yield* Effect.flip(campaigns.remove("idea"))).code, "not_found")
      // A campaign that waited for events has seen some.
      const trigger = { on: "member.enrolled" } as const
      yield* campaigns.put({
        campaign_id: "waits",
        program_id: World.program_id,
        name: "Waits",
        trigger,
        reward_id: "free-bowl"
      })
      yield* campaigns.setStatus({ campaign_id: "waits", status: "active" })
      yield* campaigns.setStatus({ campaign_id: "waits", status: "draft" })
      assert.strictEqual((yield* Effect.flip(campaigns.remove("waits"))).code, "invalid_state")
    })
  )

  // contract/engagement.md *Archive*
  it.effect("gives nothing while it is archived, keeps its report, and goes on once it is restored", () =>
    Effect.gen(function* () {
      const repeat = { cron: "0 9 * * *", time_zone: "UTC" }
      const { campaigns, names } = yield* active("archive", 2, { schedule: { repeat } })
      yield* run({ campaign_id: "archive" })
      const { campaign } = yield* campaigns.setStatus({ campaign_id: "archive", status: "archived" })
      assert.deepStrictEqual([campaign.status, campaign.next_run_at], ["archived", undefined])
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "archive", run_key: "more" })), "invalid_state")
      assert.strictEqual(yield* refusal(campaigns.put(facts("archive"))), "invalid_state")
      assert.strictEqual(yield* refusal(campaigns.remove("archive")), "invalid_state")
      const { query } = yield* PeoplePool
      assert.deepStrictEqual(yield* Store.due(query, Number.MAX_SAFE_INTEGER), [])
      // A node of an earlier version, which reads the column of the status, gives nothing either.
      const seen = yield* query("SELECT status FROM campaigns WHERE campaign_id = 'archive'")
      assert.deepStrictEqual(seen, [{ status: "paused" }])
      const report = yield* campaigns.report("archive")
      assert.deepStrictEqual([report.campaign.status, report.attribution.targeted_members], ["archived", 2])
      yield* campaigns.setStatus({ campaign_id: "archive", status: "active" })
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "archive", run_key: "more" })), [2, 2, 0, 0, 0])
      assert.deepStrictEqual(yield* wallets(names), times(2, 2))
      yield* campaigns.setStatus({ campaign_id: "archive", status: "draft" })
    })
  )

  // contract/engagement.md *Tests*
  it.effect("gives a test to one member in truth, and counts it in no report, limit, frequency or run", () =>
    Effect.gen(function* () {
      const action = { credit: { amount: 40, reason: "Sorry" } }
      const bounds = { limit: { rewards: 2 }, frequency: { times: 1, days: 30 } }
      const { campaigns, names } = yield* active("tested", 2, { reward_id: undefined, action, ...bounds } as never)
      yield* campaigns.setStatus({ campaign_id: "tested", status: "draft" })
      const [member_id = ""] = names
      const { outcome } = yield* campaigns.test({ campaign_id: "tested", member_id })
      assert.deepInclude(outcome, { member_id, status: "issued" })
      const { entries } = yield* Guests.body<ResponseOf<"ledger.list">>(
        Testing.call("ledger.list", { context: Testing.context(), program_id: World.program_id, member_id })
      )
      assert.strictEqual(entries[0]?.reason, "Test: Sorry")
      const report = yield* campaigns.report("tested")
      assert.deepStrictEqual([report.runs, report.attribution.targeted_members], [[], 0])
      // It is still a draft whose holdout is not fixed.
      yield* campaigns.put(facts("tested", { reward_id: undefined, action, ...bounds, holdout_percent: 0 } as never))
      yield* campaigns.setStatus({ campaign_id: "tested", status: "active" })
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "tested" })), [2, 2, 0, 0, 0])
      assert.strictEqual((yield* Guests.account(member_id)).balances[0]?.amount, 80)
      assert.strictEqual(yield* refusal(campaigns.test({ campaign_id: "tested", member_id: "nobody" })), "not_found")
      yield* campaigns.setStatus({ campaign_id: "tested", status: "archived" })
      assert.strictEqual(yield* refusal(campaigns.test({ campaign_id: "tested", member_id })), "invalid_state")
    })
  )

  it.effect("credits with a reason, once", () =>
    Effect.gen(function* () {
      yield* active("credit", 2, { reward_id: undefined, action: { credit: { amount: 40, reason: "Sorry" } } } as never)
      const { outcomes } = yield* run({ campaign_id: "credit" })
      assert.isTrue(outcomes.every(({ adjustment_id, status }) => status === "issued" && adjustment_id !== undefined))
      yield* run({ campaign_id: "credit" })
      const { balances } = yield* Guests.account("credit1")
      assert.strictEqual(balances[0]?.amount, 40)
    })
  )

  it.effect("stops at its limit over all runs, and goes on in a later run when it is raised", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* active("limit", 8, { limit: { rewards: 5 } })
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "limit", run_key: "a" })), [8, 5, 3, 0, 0])
      const found = yield* campaigns.list({ campaign_id: "limit" })
      assert.strictEqual("campaign" in found ? found.campaign.status : undefined, "completed")
      const none = yield* run({ campaign_id: "limit", run_key: "b" })
      assert.deepStrictEqual([none.limit_reached, counts(none)], [true, [8, 0, 8, 0, 0]])
      yield* campaigns.put(facts("limit", { limit: { rewards: 6 } }))
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "limit", run_key: "a" })), [8, 1, 7, 0, 0])
      assert.strictEqual(
        (yield* wallets(names)).reduce((sum, one) => sum + one),
        6
      )
    })
  )

  it.effect("holds out the same members in every run, and fixes their share with the first", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* active("held", 40, { holdout_percent: 50 })
      const held = (outcomes: ReadonlyArray<{ readonly member_id: string; readonly status: string }>) =>
        outcomes.flatMap(({ member_id, status }) => (status === "holdout" ? [member_id] : [])).toSorted()
      const first = held((yield* run({ campaign_id: "held" })).outcomes)
      assert.isTrue(first.length > 5 && first.length < 35)
      for (const run_key of ["a", "b"])
        assert.deepStrictEqual(held((yield* run({ campaign_id: "held", run_key })).outcomes), first)
      const given = yield* wallets(names)
      assert.deepStrictEqual(
        given,
        names.map((name) => (first.includes(name) ? 0 : 3))
      )
      assert.strictEqual(yield* refusal(campaigns.put(facts("held", { holdout_percent: 40 }))), "invalid_state")
      yield* campaigns.put(facts("held"))
    })
  )

  it.effect("stops between batches while it is paused, and goes on by itself", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* active("pause", 600)
      const context = yield* Effect.context<PeoplePool | CampaignRuns | CurrentCaller>()
      const pause = Effect.orDie(campaigns.setStatus({ campaign_id: "pause", status: "paused" }))
      let given = 0
      between.issue = (issue) =>
        Effect.tap(issue, () => (++given === 100 ? Effect.forkDetach(Effect.provide(pause, context)) : Effect.void))
      const engine = yield* CampaignRuns
      const answer = yield* World.begin({ campaign_id: "pause" })
      yield* World.goOn(() => given > 0)
      // The status is answered only when the run gives nothing more.
      yield* campaigns.setStatus({ campaign_id: "pause", status: "paused" })
      const before = given
      assert.isTrue(before >= 100 && before < 600, String(before))
      yield* engine.drain
      assert.strictEqual(given, before)
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "pause" })), "invalid_state")
      const [paused] = yield* World.listed("pause")
      assert.deepStrictEqual([paused?.status, paused?.selected, paused?.issued], ["paused", 600, before])
      between.issue = (issue) => issue
      yield* campaigns.setStatus({ campaign_id: "pause", status: "active" })
      const ended = yield* World.ending(answer)
      assert.deepStrictEqual(counts(ended), [600, 600, 0, 0, 0])
      assert.deepStrictEqual(yield* wallets(names), times(600, 1))
      // The answer has the first 100 outcomes; the list of runs pages all of them.
      const { run_id } = ended
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const query = { campaign_id: "pause", run_id, limit: "200", ...(cursor === undefined ? {} : { cursor }) }
        const page = yield* campaigns.listRuns(query)
        if ("run" in page) seen.push(...page.run.outcomes.map(({ member_id }) => member_id))
        cursor = page.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen.toSorted(), names.toSorted())
      assert.deepStrictEqual(
        ended.outcomes.map(({ member_id }) => member_id),
        seen.slice(0, 100)
      )
    })
  )

  it.effect("goes on where a service was lost: what it gave and did not record counts, also towards a limit", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* active("lost", 30)
      let started = 0
      let given = 0
      // The service is lost behind its twelfth reward, and has recorded none. What it had not begun must not be given later.
      const later = Latch.makeUnsafe(false)
      between.issue = (issue) =>
        ++started > 12 ? Effect.andThen(later.await, issue) : Effect.tap(issue, () => Effect.sync(() => given++))
      const answer = yield* World.begin({ campaign_id: "lost", run_key: "k" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const lost = yield* Layer.build(Layer.fresh(service))
          const going = yield* Effect.forkChild(
            Effect.provide(
              World.goOn(() => false),
              lost
            )
          )
          while (given < 12) yield* Effect.promise(() => setImmediate())
          // It waits for its grants for a while, but these never end.
          const stopping = yield* Effect.forkChild(Fiber.interrupt(going))
          yield* TestClock.adjust(Bounds.lastGrantsMs)
          yield* Fiber.join(stopping)
        })
      )
      between.issue = (issue) => issue
      yield* campaigns.put(facts("lost", { limit: { rewards: 12 } }))
      later.openUnsafe()
      assert.deepStrictEqual(counts(yield* World.ending(answer)), [30, 12, 18, 0, 0])
      assert.strictEqual(
        (yield* wallets(names)).reduce((one, other) => one + other),
        12
      )
      yield* campaigns.put(facts("lost"))
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "lost", run_key: "k" })), [30, 18, 12, 0, 0])
      assert.deepStrictEqual(yield* wallets(names), times(30, 1))
    })
  )

  it.effect("waits while writes are frozen and while storage is out of reach, and loses nobody", () =>
    Effect.gen(function* () {
      const { names } = yield* active("wait", 5)
      const engine = yield* CampaignRuns
      const freeze = yield* WriteFreeze
      const answer = yield* World.begin({ campaign_id: "wait" })
      yield* World.begun("wait")
      yield* freeze.set(true)
      assert.strictEqual(yield* engine.round, "waits")
      yield* freeze.set(false)
      let troubles = 0
      between.issue = (issue, member) =>
        member === "wait1" && troubles++ < 2
          ? Effect.as(troubles === 1 ? Effect.void : issue, { _tag: "Unavailable" } as const)
          : issue
      const steps: Array<string> = []
      for (let step = ""; step !== "idle" && steps.length < 20; ) {
        step = yield* engine.round
        steps.push(step)
      }
      between.issue = (issue) => issue
      assert.strictEqual(steps.filter((step) => step === "waits").length, 2)
      assert.deepStrictEqual(counts(yield* World.ending(answer)), [5, 5, 0, 0, 0])
      assert.deepStrictEqual(yield* wallets(names), times(5, 1))
    })
  )

  it.effect("reports each failure with its code, and tries those members again in a later run", () =>
    Effect.gen(function* () {
      const { campaigns } = yield* active("fail", 4)
      yield* setStatus("fail2", "suspended")
      const first = yield* run({ campaign_id: "fail" })
      assert.deepStrictEqual(counts(first), [4, 3, 0, 1, 0])
      const failed = first.outcomes.find(({ status }) => status === "failed")
      assert.deepStrictEqual(failed, { member_id: "fail2", status: "failed", code: "member_not_active" })
      yield* setStatus("fail2", "active")
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "fail" })), [4, 1, 3, 0, 0])
      const pages: Array<string> = []
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = yield* campaigns.listRuns({
          campaign_id: "fail",
          run_id: first.run_id,
          limit: "3",
          ...(cursor === undefined ? undefined : { cursor })
        })
        if (!("run" in page)) throw new Error("one run was asked for")
        pages.push(...page.run.outcomes.map(({ member_id }) => member_id))
        cursor = page.next_cursor
      }
      assert.deepStrictEqual(
        pages,
        first.outcomes.map(({ member_id }) => member_id)
      )
    })
  )

  it.effect("leaves a member that was merged since it was selected to the one that remains", () =>
    Effect.gen(function* () {
      const { names } = yield* active("merge", 3)
      const accounts = yield* Accounts
      let isMerged = false
      between.issue = (issue, member) => {
        if (isMerged || member !== "merge0") return issue
        isMerged = true
        return Effect.andThen(
          accounts.merge(World.program_id, { from: "merge0", into: "merge2" }),
          Effect.succeed({ _tag: "Unavailable" } as const)
        )
      }
      const { outcomes } = yield* run({ campaign_id: "merge" })
      between.issue = (issue) => issue
      assert.deepStrictEqual(
        outcomes.map(({ code, member_id, status }) => `${member_id} ${status} ${code ?? ""}`).toSorted(),
        ["merge0 skipped member_merged", "merge1 issued ", "merge2 issued "]
      )
      assert.deepStrictEqual(yield* wallets(names.slice(1)), [1, 1])
    })
  )

  it.effect("what is once per member is once for everybody whom a member contains, in both directions", () =>
    Effect.gen(function* () {
      const { names } = yield* active("contain", 4)
      yield* run({ campaign_id: "contain" })
      const accounts = yield* Accounts
      const { query } = yield* PeoplePool
      const fresh = yield* World.audience("contained", 1)
      yield* query(`UPDATE segment_members s SET segment_id = 'contain' FROM accounts a
        WHERE s.account = a.number AND a.member_id = 'contained0'`)
      // One that was reached is merged into one that was not, and the other way round.
      yield* accounts.merge(World.program_id, { from: names[0]!, into: fresh[0]! })
      yield* accounts.merge(World.program_id, { from: names[1]!, into: names[2]! })
      const again = yield* run({ campaign_id: "contain" })
      assert.deepStrictEqual(counts(again).slice(1, 4), [0, counts(again)[0], 0])
      assert.deepStrictEqual(new Set(again.outcomes.map(({ code }) => code)), new Set(["already_reached"]))
      assert.deepStrictEqual(yield* wallets([fresh[0]!, names[2]!, names[3]!]), [1, 2, 1])
    })
  )

  it.effect("writes nothing after another service has become the active one", () =>
    Effect.gen(function* () {
      yield* active("former", 1)
      const { query } = yield* PeoplePool
      const campaign = yield* Store.find(query, "former")
      const begun = yield* RunStore.start(query, campaign!, undefined, "run_former", undefined, 0)
      const gone = { done: [], completes: true }
      assert.isFalse(yield* RunStore.record(query, "former", begun, gone, 0))
      assert.isUndefined((yield* RunStore.find(query, "former", "run_former"))?.completedAt)
      assert.isTrue(yield* RunStore.record(query, undefined, begun, gone, 0))
    })
  )
})

layer(World.layer)("a schedule", (it) => {
  it.effect("runs once an occurrence, over daylight saving, downtime and a pause, and ends", () =>
    Effect.gen(function* () {
      // Berlin puts its clock forward on 29 March 2026: nine o'clock is 08:00Z before and 07:00Z from then on.
      const { drain } = yield* CampaignRuns
      const { campaigns } = yield* active("daily", 1, {
        schedule: {
          starts_at: "2026-03-28T00:00:00Z",
          ends_at: "2026-04-10T00:00:00Z",
          repeat: { cron: "0 9 * * *", time_zone: "Europe/Berlin" }
        }
      })
      const keys = Effect.map(World.listed("daily"), (runs) => runs.map(({ run_key }) => run_key).toReversed())
      const status = Effect.map(campaigns.list({ campaign_id: "daily" }), (found) =>
        "campaign" in found ? found.campaign.status : undefined
      )
      const at = (day: number, hour: number, month = 2) =>
        Effect.andThen(World.setTime(Date.UTC(2026, month, day, hour)), drain)
      assert.strictEqual(yield* status, "scheduled")
      yield* at(27, 12)
      yield* at(28, 7)
      assert.deepStrictEqual(yield* keys, [])
      yield* at(28, 8)
      yield* drain
      yield* at(29, 6)
      assert.deepStrictEqual(yield* keys, ["2026-03-28T08:00:00.000Z"])
      yield* at(29, 7)
      // Three days of downtime: the last one counts.
      yield* at(1, 12, 3)
      const three = ["2026-03-28T08:00:00.000Z", "2026-03-29T07:00:00.000Z", "2026-04-01T07:00:00.000Z"]
      assert.deepStrictEqual(yield* keys, three)
      yield* campaigns.setStatus({ campaign_id: "daily", status: "paused" })
      yield* at(3, 12, 3)
      yield* campaigns.setStatus({ campaign_id: "daily", status: "active" })
      yield* drain
      assert.deepStrictEqual(yield* keys, three)
      // Steps that it missed are over with its end.
      yield* at(10, 0, 3)
      assert.deepStrictEqual([yield* keys, yield* status], [three, "expired"])
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "daily" })), "invalid_state")
    })
  )
})

layer(World.layer)("a campaign of a retired programme", (it) => {
  it.effect("does not run, neither when it is asked to nor by its schedule (contract/programmes.md *Retiring*)", () =>
    Effect.gen(function* () {
      const campaigns = yield* Campaigns.make
      const segments = yield* Segments.make
      const program_id = retiredProgram.id
      yield* segments.put({ segment_id: "gone", program_id, name: "gone", rules: { status: ["active"] } })
      const schedule = { repeat: { cron: "0 9 * * *", time_zone: "UTC" } }
      yield* campaigns.put({ ...facts("gone"), program_id, schedule })
      const { campaign } = yield* campaigns.setStatus({ campaign_id: "gone", status: "active" })
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "gone" })), "program_retired")
      yield* World.setTime(Date.parse(campaign.next_run_at ?? ""))
      yield* (yield* CampaignRuns).drain
      assert.deepStrictEqual(yield* World.listed("gone"), [])
    })
  )
})

layer(World.layer)("a campaign near the year 10000", (it) => {
  it.effect("issues rewards until the last instant at the most (contract/resources.md *Values*)", () =>
    Effect.gen(function* () {
      yield* World.setTime(Date.UTC(9_999, 0, 1))
      const action = { issue_reward: { reward_id: "free-bowl", expires_in_seconds: 3_153_600_000 } }
      const { reward_id: _, ...without } = facts("late", { action })
      const names = yield* World.audience("late", 1)
      const campaigns = yield* Campaigns.make
      yield* campaigns.put(without)
      yield* campaigns.setStatus({ campaign_id: "late", status: "active" })
      assert.deepStrictEqual(counts(yield* run({ campaign_id: "late" })), [1, 1, 0, 0, 0])
      const { issued_rewards } = yield* World.wallet(names[0]!)
      assert.strictEqual(issued_rewards[0]?.expires_at, "9999-12-31T23:59:59.999Z")
    })
  )
})

layer(World.layer)("a campaign's report", (it) => {
  it.effect("is what a count by hand finds: orders within the window, net of refunds, with the holdout's", () =>
    Effect.gen(function* () {
      const start = Date.UTC(2026, 6, 14, 10)
      yield* World.setTime(start)
      const { campaigns, names } = yield* active("report", 30, { holdout_percent: 40, attribution_days: 3 })
      yield* World.setTime(start + 1_000)
      const { outcomes } = yield* run({ campaign_id: "report" })
      const isHeld = new Set(outcomes.flatMap(({ member_id, status }) => (status === "holdout" ? [member_id] : [])))
      const reached = start + 1_000
      /** Member's number, ms after it was reached, minor units. */
      const orders: Array<readonly [index: number, after: number, amount: number]> = []
      // The holdout is random: with an order of nearly all members, some of both kinds have one.
      for (let index = 0; index < 30; index++) orders.push([index, (index % 5) * dayMs, 1_000 + index])
      orders.push([0, 3 * dayMs, 500], [2, 3 * dayMs + 1, 500], [4, 1, 700])
      // Orders that are closed count nowhere.
      const closed = [1, 2].map((after) => [1, dayMs + after, 400] as const)
      for (const [index, after, amount] of [...orders, ...closed].toSorted(([, a], [, b]) => a - b)) {
        yield* World.setTime(reached + after)
        yield* World.earn(names[index]!, `report-${index}-${after}`, amount, reached + after)
      }
      const refund = (index: number, original_order_id: string, type: string, cents: number) =>
        Guests.body(
          Testing.call("order.adjust", {
            context: Testing.context(),
            member_id: `report${index}`,
            program_id: World.program_id,
            adjustment: {
              adjustment_id: `refund-of-${original_order_id}`,
              original_order_id,
              type,
              occurred_at: "2026-07-18T10:00:00Z",
              order_total_delta: { amount: -cents, currency: "USD" },
              eligible_spend_delta: { amount: -cents, currency: "USD" },
              reason: "cold"
            }
          } as never)
        )
      // The first order of member 4 is refunded by 300.
      yield* refund(4, "report-4-1", "partial_refund", 300)
      yield* refund(1, `report-1-${dayMs + 1}`, "void", 400)
      yield* refund(1, `report-1-${dayMs + 2}`, "partial_refund", 400)
      yield* Scenario.countRollups
      const counted = (isOf: (name: string) => boolean) => {
        const members = names.filter(isOf)
        const within = orders.filter(([index, after]) => isOf(names[index]!) && after > 0 && after <= 3 * dayMs)
        return {
          members: members.length,
          converted: new Set(within.map(([index]) => index)).size,
          orders: within.length,
          value: within.reduce(
            (sum, [index, after, amount]) => sum + amount - (index === 4 && after === 1 ? 300 : 0),
            0
          )
        }
      }
      const [given, held] = [counted((name) => !isHeld.has(name)), counted((name) => isHeld.has(name))]
      const bps = ({ converted, members }: typeof given) => Math.floor((converted * 10_000) / members)
      assert.isTrue(given.converted > 0 && held.converted > 0)
      assert.deepStrictEqual((yield* campaigns.report("report")).attribution, {
        targeted_members: given.members,
        converted_members: given.converted,
        conversions: given.orders,
        attributed_value: [{ amount: given.value, currency: "USD" }],
        conversion_rate_bps: bps(given),
        holdout: {
          members: held.members,
          converted_members: held.converted,
          conversion_rate_bps: bps(held),
          conversions: held.orders,
          attributed_value: [{ amount: held.value, currency: "USD" }]
        },
        lift_bps: bps(given) - bps(held)
      })
    })
  )
})

layer(World.layer)("a campaign's report after a merge", (it) => {
  it.effect("attributes orders to the member that was reached, as before", () =>
    Effect.gen(function* () {
      const start = Date.UTC(2026, 6, 14, 10)
      yield* World.setTime(start)
      const { campaigns, names } = yield* active("rewrite", 3, { attribution_days: 3 })
      yield* World.setTime(start + 1_000)
      yield* run({ campaign_id: "rewrite" })
      yield* Guests.enroll("rewriter")
      yield* World.setTime(start + 60_000)
      for (const [index, name] of [...names.slice(1), "rewriter", "rewriter"].entries())
        yield* World.earn(name, `rewrite-${index}`, 1_000, start + 60_000)
      yield* Scenario.countRollups
      const before = (yield* campaigns.report("rewrite")).attribution
      assert.deepInclude(before, { targeted_members: 3, converted_members: 2, conversions: 2 })
      const accounts = yield* Accounts
      for (const [from, into] of [
        ["rewriter", names[0]!],
        [names[1]!, names[2]!]
      ] as const)
        assert.strictEqual((yield* accounts.merge(World.program_id, { from, into }))._tag, "Answered")
      yield* Scenario.countRollups
      assert.deepStrictEqual((yield* campaigns.report("rewrite")).attribution, before)
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )
})

layer(World.layer)("a campaign as it is sent", (it) => {
  it.effect("is taken in both spellings, and answered in the first", () =>
    Effect.gen(function* () {
      yield* World.audience("spell", 1)
      const campaigns = yield* Campaigns.make
      const common = { name: "n", program_id: World.program_id, segment_id: "spell", campaign_id: "spell" }
      const { campaign: long } = yield* campaigns.put({
        ...common,
        action: { issue_reward: { reward_id: "free-bowl", expires_in_seconds: 60 } },
        schedule: { starts_at: "2026-07-14T12:00:00+02:00", ends_at: "2026-08-01T00:00:00Z" },
        attribution_days: 9
      })
      const { campaign: short } = yield* campaigns.put({
        ...common,
        reward_id: "free-bowl",
        issued_reward_ttl_seconds: 60,
        starts_at: "2026-07-14T10:00:00Z",
        ends_at: "2026-08-01T00:00:00Z",
        attribution_window_days: 9
      })
      assert.deepStrictEqual(short, { ...long, version: long.version + 1 })
      assert.deepStrictEqual(short.schedule, {
        starts_at: "2026-07-14T10:00:00.000Z",
        ends_at: "2026-08-01T00:00:00.000Z"
      })
      assert.strictEqual(short.status, "draft")
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "spell" })), "invalid_state")
    })
  )

  it.effect("has no occurrence past the year 9999", () =>
    Effect.gen(function* () {
      yield* World.audience("last", 1)
      const campaigns = yield* Campaigns.make
      const repeat = { cron: "0 0 1 1 *", time_zone: "UTC" }
      yield* campaigns.put({ ...facts("last"), schedule: { starts_at: "9999-12-31T00:00:00Z", repeat } })
      const { campaign } = yield* campaigns.setStatus({ campaign_id: "last", status: "active" })
      assert.notProperty(campaign, "next_run_at")
    })
  )

  it.effect("is refused with the place of every fault", () =>
    Effect.gen(function* () {
      yield* World.audience("bad", 1)
      const campaigns = yield* Campaigns.make
      const put = (more: Partial<CampaignFacts>) => campaigns.put({ ...facts("bad"), ...more })
      const wrong: ReadonlyArray<readonly [Partial<CampaignFacts>, ReadonlyArray<string>]> = [
        [{ action: { issue_reward: { reward_id: "other" } } }, ["/reward_id", "/action/issue_reward/reward_id"]],
        [{ action: { credit: { amount: 1, reason: "r" } } }, ["/reward_id"]],
        [{ action: {}, starts_at: "2026-08-01T00:00:00Z", ends_at: "2026-08-01T00:00:00Z" }, ["/ends_at"]],
        [{ attribution_days: 3, attribution_window_days: 4 }, ["/attribution_window_days"]],
        [{ schedule: { starts_at: "2026-08-01T00:00:00Z" }, starts_at: "2026-08-02T00:00:00Z" }, ["/starts_at"]],
        [{ schedule: { repeat: { cron: "soon", time_zone: "UTC" } } }, ["/schedule/repeat/cron"]],
        [{ schedule: { repeat: { cron: "0 9 * * *", time_zone: "Mars/One" } } }, ["/schedule/repeat/time_zone"]],
        [{ limit: { amount: 5 } }, ["/limit/amount"]]
      ]
      for (const [more, paths] of wrong)
        assert.deepStrictEqual(yield* faults(put(more)), ["validation_failed", ...paths], JSON.stringify(more))
      const { reward_id: _, ...without } = facts("bad")
      assert.deepStrictEqual(yield* faults(campaigns.put(without)), ["validation_failed", "/action"])
      const credit = { amount: 1, unit: "stamps", reason: "x" } as const
      const unknown: ReadonlyArray<readonly [CampaignFacts, string]> = [
        [facts("bad", { reward_id: "no-such" }), "/reward_id"],
        [{ ...without, action: { issue_reward: { reward_id: "no-such" } } }, "/action/issue_reward/reward_id"],
        [{ ...without, action: { credit } }, "/action/credit/unit"],
        [facts("bad", { segment_id: "no-such" }), "/segment_id"]
      ]
      for (const [body, at] of unknown)
        assert.deepStrictEqual(yield* faults(campaigns.put(body)), ["validation_failed", at])
      assert.strictEqual(yield* refusal(campaigns.report("no-such")), "not_found")
      assert.strictEqual(yield* refusal(campaigns.run({ campaign_id: "no-such" })), "not_found")
    })
  )

  it.effect("holds out the share that it says, apart from other campaigns", () =>
    Effect.sync(() => {
      const claimKey = makeClaimKey("secret")
      const held = (campaign: string) =>
        Array.from({ length: 10_000 }, (_, account) => Grants.isHeldOut(claimKey, campaign, account, 20))
      const [one, other] = [held("one"), held("other")]
      const share = (all: ReadonlyArray<boolean>) => all.filter((isHeld) => isHeld).length
      for (const all of [one, other]) assert.isTrue(share(all) > 1_850 && share(all) < 2_150)
      const both = share(one.map((isHeld, index) => isHeld && other[index] === true))
      assert.isTrue(both > 320 && both < 480)
    })
  )
})
