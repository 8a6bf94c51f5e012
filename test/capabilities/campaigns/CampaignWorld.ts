/** Campaigns on a clock of the test: members, segments, and what became of them. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/campaigns/Bounds.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import type { CampaignFacts, RunShown, RunStart } from "../../../src/contract/platform/Campaigns.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Sandbox } from "../../../src/core/expiry/Sandbox.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { layerOver } from "./CampaignService.ts"

export const program_id = Testing.demoProgram.id

export const layer = layerOver(TestDatabase.layer)

/** Moves the services' clock to an instant, ms. */
export const setTime = (at: number) =>
  Effect.flatMap(Sandbox, ({ move }) =>
    move(
      () => at,
      () => Effect.void
    )
  )

/** Accrues a paid order placed at the services' time, which the test's clock does not have. */
export const earn = (member_id: string, order_id: string, amount: number, at: number) =>
  Guests.body<ResponseOf<"accrual.post">>(
    Testing.call("accrual.post", {
      context: Testing.context(),
      member_id,
      order: Testing.order(order_id, amount, Testing.placedAt(at))
    })
  )

const { text } = PgTypes

/** Enrols members `<prefix>0` and on, and makes a segment of them with the prefix as its id. */
export const audience = Effect.fnUntraced(function* (prefix: string, members: number) {
  const names = Array.from({ length: members }, (_, index) => `${prefix}${index}`)
  yield* Effect.forEach(names, Guests.enroll, { concurrency: 32 })
  const { query } = yield* PeoplePool
  yield* query(
    `INSERT INTO segments (segment_id, program_id, name, conditions, members, created_at, updated_at)
      VALUES ($1::text, $2::text, $1::text, 0, 0, 0, 0)`,
    [text(prefix), text(program_id)]
  )
  yield* query(
    `INSERT INTO segment_members (segment_id, account)
      SELECT $1::text, number FROM accounts WHERE member_id ~ ('^' || $1::text || '\\d+$')`,
    [text(prefix)]
  )
  return names
})

/** A campaign that issues `free-bowl` to the segment of its own name. */
export const facts = (campaign_id: string, more: Partial<CampaignFacts> = {}): CampaignFacts => ({
  campaign_id,
  name: campaign_id,
  program_id,
  segment_id: campaign_id,
  reward_id: "free-bowl",
  ...more
})

/** An active campaign for an audience of its own. */
export const active = Effect.fnUntraced(function* (id: string, members: number, more: Partial<CampaignFacts> = {}) {
  const campaigns = yield* Campaigns.make
  const names = yield* audience(id, members)
  yield* campaigns.put(facts(id, more))
  yield* campaigns.setStatus({ campaign_id: id, status: "active" })
  return { campaigns, names }
})

/** Goes on with all runs until `isDone`, for as long as a test may take. */
export const goOn = Effect.fnUntraced(function* (isDone: () => boolean) {
  const { drain } = yield* CampaignRuns
  while (!isDone()) {
    yield* drain
    // A caller looks for the end of its run now and then.
    yield* TestClock.adjust(Bounds.runPollMs)
  }
})

/** Starts a run; its answer comes once a service has gone on with it. */
export const begin = Effect.fnUntraced(function* (start: RunStart) {
  const campaigns = yield* Campaigns.make
  return yield* Effect.forkChild(campaigns.run(start))
})

/** Result of a run that was started, at its end. */
export const ending = Effect.fnUntraced(function* <E>(answer: Fiber.Fiber<{ readonly run: RunShown }, E>) {
  yield* goOn(() => answer.pollUnsafe() !== undefined)
  return (yield* Fiber.join(answer)).run
})

export const run = (start: RunStart) => Effect.flatMap(begin(start), ending)

/** The newest runs of a campaign. */
export const listed = Effect.fnUntraced(function* (campaign_id: string) {
  const campaigns = yield* Campaigns.make
  const found = yield* campaigns.listRuns({ campaign_id })
  if (!("runs" in found)) throw new Error("all runs were asked for")
  return found.runs
})

/** Returns once a campaign has a run. */
export const begun = Effect.fnUntraced(function* (campaign_id: string) {
  while ((yield* listed(campaign_id)).length === 0) yield* Effect.yieldNow
})

/** Selected, issued, skipped, failed, held out. */
export const counts = ({ failed, holdout, issued, selected, skipped }: Omit<RunShown, "outcomes">) => [
  selected,
  issued,
  skipped,
  failed,
  holdout
]

export const wallet = (member_id: string) =>
  Guests.body<ResponseOf<"issued_reward.list">>(
    Testing.call("issued_reward.list", { context: Testing.context(), program_id, member_id })
  )

/** How many rewards each member has. */
export const wallets = (members: ReadonlyArray<string>) =>
  Effect.forEach(members, (member) => Effect.map(wallet(member), ({ issued_rewards }) => issued_rewards.length), {
    concurrency: 32
  })

export const times = (count: number, value: number) => Array.from({ length: count }, () => value)
