/**
 * Runs campaigns, on one node at a time: starts the runs that are due by schedule, and
 * continues every unfinished run and every trigger (`Automations`), batch by batch.
 *
 * A run first selects its targets, then grants the reward or credit in the order of
 * accounts. Invariant: a run is complete when every target has an outcome. A kill at
 * any point loses nothing: a target without an outcome is tried again, and a repeated
 * grant is a replay, because its id is derived from run and member (`Grants`).
 *
 * A step that grants holds the campaign's lock in the database, as each change of the campaign does on any node.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import * as Pace from "../../base/time/Pace.ts"
import { serviceTime } from "../../base/time/Times.ts"
import * as Occurrences from "../../contract/platform/Occurrences.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis, latestInstant } from "../../contract/Values.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Handlers } from "../../core/protocol/Handler.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { EventFeed } from "../../reads/feed/EventFeed.ts"
import * as Pinned from "../segments/Pinned.ts"
import * as Automations from "./Automations.ts"
import * as Bounds from "./Bounds.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import * as Store from "./CampaignStore.ts"
import * as Grants from "./Grants.ts"
import type { Done, StoredRun, Target } from "./RunStore.ts"
import * as RunStore from "./RunStore.ts"
import type { StepResult } from "./Step.ts"
import { beginSeries, byPause, countOutcomes, inFull, orWait, remaining } from "./Step.ts"

/** The first occurrence after an instant, within the schedule's start and end, ms; undefined: there is none. */
export const nextOccurrence = (
  { endsAt, repeat, startsAt }: Pick<StoredCampaign, "endsAt" | "repeat" | "startsAt">,
  after: number
): number | undefined => {
  if (repeat === undefined) return undefined
  const at = Occurrences.next(repeat, Math.max(after, (startsAt ?? 0) - 1))
  return at >= (endsAt ?? Infinity) || at > latestInstant ? undefined : at
}

export class CampaignRuns extends Context.Service<
  CampaignRuns,
  {
    /**
     * Starts the next round now, if this node runs the campaigns; another node starts its next one within
     * `Bounds.schedulePollMs`.
     */
    readonly wake: Effect.Effect<void>
    /**
     * Starts the runs that are due by schedule, and does one step of each unfinished run and of each trigger. Returns the
     * most urgent result (`byPause`).
     */
    readonly round: Effect.Effect<StepResult | "idle", Refused>
    /** Does rounds while they make progress. */
    readonly drain: Effect.Effect<void, Refused>
    /** Waits for `wake`, at most `ms`. */
    readonly wait: (ms: number) => Effect.Effect<void>
  }
>()("lotbook/capabilities/campaigns/CampaignRuns") {
  static readonly layer: Layer.Layer<
    CampaignRuns,
    never,
    Accounts | EventFeed | WorkPool | Handlers | Journal | Programs | WriteFreeze
  > = Layer.effect(
    CampaignRuns,
    Effect.suspend(() => make)
  )

  /** Runs campaigns in the background until the scope closes, on one node at a time. */
  static readonly layerWorker: Layer.Layer<never, never, CampaignRuns> = Layer.effectDiscard(
    Effect.flatMap(Partitions, ({ whileMine }) => Effect.forkScoped(whileMine(singletons.campaigns, work)))
  )
}

const partsOf = Effect.gen(function* () {
  return {
    database: yield* WorkPool,
    freeze: yield* WriteFreeze,
    programs: yield* Programs,
    claimKey: (yield* Journal).claimKey,
    now: (yield* serviceTime).now,
    grants: yield* Grants.make,
    automations: yield* Automations.make,
    awake: Latch.makeUnsafe(false),
    fork: Effect.runForkWith(yield* Effect.context<never>())
  }
})

/** The parts of the worker. */
type Parts = Effect.Success<typeof partsOf>

const make = Effect.gen(function* () {
  const parts = yield* partsOf
  const { awake } = parts
  yield* beginSeries
  return CampaignRuns.of({
    wake: Effect.sync(() => awake.openUnsafe()),
    round: round(parts),
    drain: Effect.gen(function* () {
      while ((yield* round(parts)) === "worked") yield* Effect.yieldNow
    }),
    wait: (ms) => Effect.raceFirst(awake.await, Effect.sleep(ms))
  })
})

const record = Effect.fnUntraced(function* (
  { database, now }: Parts,
  run: StoredRun,
  progress: RunStore.RunProgress
): Effect.fn.Return<StepResult, Refused> {
  if (!(yield* RunStore.record(database.query, database.holder, run, progress, now()))) return "replaced"
  yield* countOutcomes(progress.done)
  return "worked"
})

/** Selects the next targets. Ends the selection if the segment was deleted. */
const select = Effect.fnUntraced(function* (
  { database, programs }: Parts,
  campaign: StoredCampaign,
  run: StoredRun
): Effect.fn.Return<StepResult, Refused> {
  const program = programs.get(campaign.program)
  if (program === undefined) {
    yield* Effect.logWarning(`Run ${run.id} waits: there is no programme ${campaign.program}`)
    return "waits"
  }
  const audience = yield* Effect.catch(
    Pinned.ofCampaign(database.query, program, { id: run.campaign, segment: run.segment }),
    (error) => (error.code === "not_found" ? Effect.succeed(undefined) : Effect.fail(error))
  )
  yield* audience === undefined
    ? RunStore.endSelection(database.query, run)
    : RunStore.select(database, run, audience, Bounds.selectedMembers)
  return "worked"
})

/**
 * Records grants that a killed or former worker made without recording the outcome; undefined: there are none. They
 * are among the first targets without one, because targets are granted by account. Without this, such a member would
 * count as skipped once the limit is used up, although it has its reward.
 */
const settle = Effect.fnUntraced(function* (
  parts: Parts,
  context: Grants.GrantContext,
  targets: ReadonlyArray<Target>
): Effect.fn.Return<StepResult | undefined, Refused | JournalUnavailable> {
  const { grants } = parts
  const open = targets.filter(({ isReached }) => !isReached)
  const granted = yield* grants.granted(context, open)
  const done = granted.map(({ account }): Done => ({ account, outcome: "issued", code: null }))
  return done.length === 0 ? undefined : yield* record(parts, context.run, { done })
})

/**
 * The outcome of a target that gets no grant; undefined: it gets one. One of the holdout is held out only where it would
 * get one, so that its windows are like those of the others. `often`: targets that the frequency allows nothing more.
 */
const outcomeWithoutGrant = (
  { claimKey }: Parts,
  campaign: StoredCampaign,
  often: ReadonlyMap<number, Done>,
  { account, isReached }: Target
): Done | undefined => {
  if (isReached) return { account, outcome: "skipped", code: "already_reached" }
  const skipped = often.get(account)
  if (skipped !== undefined) return skipped
  return Grants.isHeldOut(claimKey, campaign.id, account, campaign.holdoutPercent)
    ? { account, outcome: "holdout", code: null }
    : undefined
}

/** Targets that the campaign's frequency allows nothing more, with all members merged into them. */
const reachedOften = Effect.fnUntraced(function* (
  { database, grants, now }: Parts,
  { frequency, id, program }: StoredCampaign,
  targets: ReadonlyArray<Target>
): Effect.fn.Return<ReadonlyMap<number, Done> | StepResult, Refused> {
  if (frequency === undefined) return new Map()
  const accounts = new Map<number, ReadonlyArray<number>>()
  for (const { account, member } of targets) {
    const contained = yield* grants.contained(program, member)
    if ("_tag" in contained) return contained._tag === "Overloaded" ? "busy" : "waits"
    accounts.set(account, [account, ...contained])
  }
  const since = now() - frequency.days * dayMs
  const counts = yield* Store.grantsSince(database.query, id, [...accounts.values()].flat(), since)
  return new Map(
    [...accounts].flatMap(
      ([account, all]): ReadonlyArray<readonly [number, Done]> =>
        all.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0) < frequency.times
          ? []
          : [[account, { account, outcome: "skipped", code: "frequency_reached" }]]
    )
  )
})

/** Grants to one target. Returns a step if the target must be tried again. */
const grantOne = ({ grants }: Parts, context: Grants.GrantContext, target: Target): Effect.Effect<Done | StepResult> =>
  grants.grant(context, target).pipe(
    Effect.map((granted): Done | StepResult => {
      if (!("_tag" in granted)) return granted
      return granted._tag === "Overloaded" ? "busy" : "waits"
    }),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(`Run ${context.run.id} cannot grant to account ${target.account}`, defect), {
        account: target.account,
        outcome: "failed",
        code: "internal_error"
      } satisfies Done)
    )
  )

/** Grants to the next targets, within the limit. A target that must be tried again does not stop the others. */
const grantNext = Effect.fnUntraced(function* (
  parts: Parts,
  campaign: StoredCampaign,
  context: Grants.GrantContext,
  targets: ReadonlyArray<Target>
): Effect.fn.Return<StepResult, Refused> {
  const { run } = context
  const left = Math.min(Bounds.grantedMembers, remaining(campaign, run.action))
  const done: Array<Done> = []
  const open: Array<Target> = []
  let last = run.doneTo
  const often = yield* reachedOften(parts, campaign, targets)
  if (typeof often === "string") return often
  for (const target of targets) {
    const outcome = outcomeWithoutGrant(parts, campaign, often, target)
    // Where the limit has no room for a grant, it has none for a window of the holdout.
    if (outcome?.outcome !== "skipped" && open.length === left) break
    if (outcome === undefined) open.push(target)
    else done.push(outcome)
    last = target.account
  }
  const results = yield* inFull(
    parts.fork,
    Effect.forEach(open, (target) => grantOne(parts, context, target), { concurrency: Bounds.grantedMembers })
  )
  let trouble: StepResult | undefined
  for (const result of results) {
    if (typeof result === "object") done.push(result)
    else if (trouble !== "waits") trouble = result
  }
  const step = yield* record(parts, run, { done, doneTo: trouble === undefined ? last : undefined })
  return step === "worked" ? (trouble ?? "worked") : step
})

/** Skips targets, because the limit is used up. */
const skip = (parts: Parts, run: StoredRun, targets: ReadonlyArray<Target>) =>
  record(parts, run, {
    done: targets.map(({ account, isReached }) => ({
      account,
      outcome: "skipped",
      code: isReached ? "already_reached" : "limit_reached"
    })),
    doneTo: targets.at(-1)?.account,
    reachedLimit: true
  })

/** Selects targets, grants to the next ones, or completes the run. */
const stepOf = Effect.fnUntraced(function* (
  parts: Parts,
  stale: StoredRun
): Effect.fn.Return<StepResult, Refused | JournalUnavailable> {
  const { database } = parts
  // The campaign may have stopped since the run was read.
  const campaign = yield* Store.find(database.query, stale.campaign)
  const run = yield* RunStore.find(database.query, stale.campaign, stale.id)
  if (campaign?.status !== "active" || run === undefined || run.completedAt !== undefined) return "stopped"
  if (parts.programs.get(campaign.program)?.isRehearsal === true) return "stopped"
  if (!run.isSelected) return yield* select(parts, campaign, run)
  // Another node has selected meanwhile: the next step grants, under the lock.
  if (!stale.isSelected) return "worked"
  const left = remaining(campaign, run.action)
  const targets = yield* RunStore.pending(database.query, run, left === 0 ? Bounds.skippedMembers : Bounds.readTargets)
  if (targets.length === 0) return yield* record(parts, run, { done: [], completes: true })
  const context = { run, program: campaign.program, holdoutPercent: campaign.holdoutPercent }
  const settled = yield* settle(parts, context, targets)
  if (settled !== undefined) return settled
  return left === 0 ? yield* skip(parts, run, targets) : yield* grantNext(parts, campaign, context, targets)
})

/** One step of a run, under the campaign's lock if it grants. */
const step = (parts: Parts, run: StoredRun): Effect.Effect<StepResult> =>
  orWait(
    `Run ${run.id}`,
    Effect.suspend((): Effect.Effect<StepResult, Refused | JournalUnavailable> => {
      if (!parts.freeze.mayWrite()) return Effect.succeed("waits")
      return run.isSelected
        ? parts.database.transaction(
            Effect.andThen(Store.holdGrants(parts.database.query, run.campaign), stepOf(parts, run))
          )
        : stepOf(parts, run)
    })
  )

/** Starts a run for the campaign's latest occurrence. Earlier occurrences that were missed do not run, nor any of a retired programme or a rehearsal. */
const startDue = ({ database, now, programs }: Parts, id: string) =>
  database.transaction(
    Effect.gen(function* () {
      const at = now()
      const campaign = yield* Store.lock(database.query, id)
      if (campaign === undefined || campaign.nextAt === undefined || campaign.nextAt > at) return
      const { endsAt, repeat } = campaign
      const latest = repeat === undefined ? undefined : Occurrences.latest(repeat, at)
      const isInTime = endsAt === undefined || at < endsAt
      const { isRehearsal = false, isRetired = false } = programs.get(campaign.program) ?? {}
      if (latest !== undefined && latest >= campaign.nextAt && isInTime && !isRetired && !isRehearsal)
        yield* RunStore.start(database.query, campaign, fromMillis(latest), Codes.identifier("run"), undefined, at)
      yield* Store.setNext(database.query, id, nextOccurrence(campaign, at))
    })
  )

const startDueOrLog = (parts: Parts, id: string) =>
  Effect.catchDefect(startDue(parts, id), (defect) =>
    Effect.logError(`The schedule of campaign ${id} cannot continue`, defect)
  )

const round = Effect.fnUntraced(function* (parts: Parts): Effect.fn.Return<StepResult | "idle", Refused> {
  const { automations, awake, database, freeze, now } = parts
  awake.closeUnsafe()
  if (!freeze.mayWrite()) return "waits"
  for (const id of yield* Store.due(database.query, now())) yield* startDueOrLog(parts, id)
  const steps: Array<StepResult> = []
  for (const run of yield* RunStore.unfinished(database.query)) steps.push(yield* step(parts, run))
  steps.push(...(yield* automations.round))
  return byPause.find((one) => steps.includes(one)) ?? "idle"
})

const work = Effect.flatMap(CampaignRuns, ({ round, wait }) =>
  Pace.keep({
    name: "The campaigns",
    batch: Effect.map(round, (result) => (result === "stopped" ? "idle" : result)),
    idle: wait(Bounds.schedulePollMs),
    busyPauseMs: (tookMs) => Math.min(tookMs, Bounds.longestPauseMs),
    troubleMs: Bounds.runTroubleMs
  })
)
