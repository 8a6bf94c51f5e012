/**
 * Runs of campaigns: goes on with every run that has not ended, batch by batch, on
 * the active service, and begins those that a schedule is due for.
 *
 * A run's members are selected first, then given something in the order of their
 * accounts. Invariant: a run ends when every target has an outcome. A kill at any
 * point loses nothing: a member without an outcome is tried again, and what it was
 * given already is a replay, as its id is derived from run and member (`Gifts`).
 */
import { Cause, Clock, Context, Deferred, Effect, Latch, Layer, Metric, Option, Semaphore } from "effect"
import { performance } from "node:perf_hooks"
import type { Accounts } from "../account/Accounts.ts"
import * as Codes from "../account/Codes.ts"
import { AdminDatabase } from "../admin/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { fromMillis } from "../contract/Values.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import { numbers } from "../journal/postgres/Parameters.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import * as Series from "../metrics/Series.ts"
import { Programs } from "../program/Programs.ts"
import type { Handlers } from "../protocol/Handler.ts"
import * as Audience from "./Audience.ts"
import * as Bounds from "./Bounds.ts"
import type { Done, StoredCampaign, StoredRun, Target } from "./CampaignStore.ts"
import * as Store from "./CampaignStore.ts"
import * as Gifts from "./Gifts.ts"
import * as Occurrences from "../contract/platform/Occurrences.ts"

const outcomesTotal = Metric.counter("lotbook_campaign_outcomes_total", {
  description: "Members of campaigns' runs that have an outcome",
  incremental: true
})

/** What a step of a run came to. `waits`: storage is out of reach or writes are frozen. `stopped`: by its campaign. */
export type Step = "worked" | "busy" | "waits" | "stopped" | "replaced"

/** How many more members a campaign may give something to. */
export const remaining = (
  { credited, given, limitAmount, limitRewards }: StoredCampaign,
  action: StoredRun["action"]
): number => {
  const members = limitRewards === undefined ? Infinity : limitRewards - given
  const { credit } = action
  const byAmount =
    limitAmount === undefined || credit === undefined ? Infinity : Math.floor((limitAmount - credited) / credit.amount)
  return Math.max(0, Math.min(members, byAmount))
}

/** The first occurrence after an instant at which a campaign may run; undefined: there is none. */
export const nextOccurrence = (
  { endsAt, repeat, startsAt }: Pick<StoredCampaign, "endsAt" | "repeat" | "startsAt">,
  after: number
): number | undefined => {
  if (repeat === undefined) return undefined
  const at = Occurrences.next(repeat, Math.max(after, (startsAt ?? 0) - 1))
  return endsAt !== undefined && at >= endsAt ? undefined : at
}

export class CampaignRuns extends Context.Service<
  CampaignRuns,
  {
    /** Goes on soon: a run was started, or a campaign is active again. */
    readonly wake: Effect.Effect<void>
    /** What returns when a run of this number ends; it may have ended before. */
    readonly watch: (run: number) => Effect.Effect<Effect.Effect<void>>
    /** Runs `change` while no member of the campaign is being given something; the run stops between two members. */
    readonly between: <A, E, R>(campaign: string, change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Begins the runs that schedules are due for, and does one step of each run; the most that one came to. */
    readonly round: Effect.Effect<Step | "idle", Refused>
    /** Rounds until there is nothing more to do now. */
    readonly drain: Effect.Effect<void, Refused>
    /** Waits for `wake`, at the most so many ms. */
    readonly wait: (ms: number) => Effect.Effect<void>
  }
>()("lotbook/platform/CampaignRuns") {
  static readonly layer: Layer.Layer<
    CampaignRuns,
    never,
    Accounts | AdminDatabase | Handlers | Journal | Programs | WriteFreeze
  > = Layer.effect(
    CampaignRuns,
    Effect.suspend(() => make)
  )

  /** Goes on with runs while the scope lives. */
  static readonly kept: Layer.Layer<never, never, CampaignRuns> = Layer.effectDiscard(
    Effect.suspend(() => Effect.forkScoped(keep))
  )
}

const make = Effect.gen(function* () {
  const database = yield* AdminDatabase
  const { holder, query, transaction } = database
  const freeze = yield* WriteFreeze
  const programs = yield* Programs
  const { claimKey } = yield* Journal
  const clock = yield* Clock.Clock
  const gifts = yield* Gifts.make
  const sooner = Latch.makeUnsafe(false)
  const alone = Semaphore.makeUnsafe(1)
  /** Campaigns that are about to stop. */
  const stopping = new Set<string>()
  const waiting = new Map<number, Deferred.Deferred<void>>()
  /** Runs whose first targets are known to be given nothing that is not recorded. */
  const settled = new Set<number>()
  yield* Series.begin(outcomesTotal)
  const now = () => clock.currentTimeMillisUnsafe()
  const wake = Effect.sync(() => sooner.openUnsafe())

  const record = Effect.fnUntraced(function* (
    run: StoredRun,
    recorded: Store.Recorded
  ): Effect.fn.Return<Step, Refused> {
    if (!(yield* Store.record(query, holder, run, recorded, now()))) return "replaced"
    yield* Metric.update(outcomesTotal, recorded.done.length)
    if (recorded.completes === true) {
      settled.delete(run.n)
      const deferred = waiting.get(run.n)
      waiting.delete(run.n)
      if (deferred !== undefined) yield* Deferred.succeed(deferred, undefined)
    }
    return "worked"
  })

  /** Selects the next members. A segment that the programme has no more has none. */
  const select = Effect.fnUntraced(function* (
    campaign: StoredCampaign,
    run: StoredRun
  ): Effect.fn.Return<Step, Refused> {
    const program = programs.get(campaign.program)
    if (program === undefined) {
      yield* Effect.logWarning(`Run ${run.id} waits: there is no programme ${campaign.program}`)
      return "waits"
    }
    const audience = yield* Effect.catch(Audience.ofSegment(query, program, run.segment), (error) =>
      error.code === "not_found" ? Effect.succeed(undefined) : Effect.fail(error)
    )
    yield* audience === undefined
      ? Store.endSelection(query, run)
      : Store.select(database, run, audience, Bounds.selectedMembers)
    return "worked"
  })

  /**
   * Records what a service that was killed has given and not recorded. It took its targets by account, so they are
   * among the first without an outcome. Without this, a limit that was used up meanwhile would leave them out.
   */
  const settle = Effect.fnUntraced(function* (
    giver: Gifts.Giver,
    targets: ReadonlyArray<Target>
  ): Effect.fn.Return<Step, Refused | JournalUnavailable> {
    const { run } = giver
    const open = targets.filter(({ isReached }) => !isReached)
    const given = yield* gifts.given(giver, open)
    const done = given.map(({ account }): Done => ({ account, outcome: "issued", code: null }))
    const step = done.length === 0 ? "worked" : yield* record(run, { done })
    if (step === "worked") settled.add(run.n)
    return step
  })

  /** What becomes of a target without anything being given; undefined: something is to be given. */
  const without = (campaign: StoredCampaign, { account, isReached }: Target): Done | undefined => {
    if (isReached) return { account, outcome: "skipped", code: "already_reached" }
    return Gifts.isHeldOut(claimKey, campaign.id, account, campaign.holdoutPercent)
      ? { account, outcome: "holdout", code: null }
      : undefined
  }

  /** Gives to one target, unless its campaign stops; a step: it has to be tried again. */
  const giveOne = (giver: Gifts.Giver, target: Target): Effect.Effect<Done | Step> => {
    if (stopping.has(giver.run.campaign)) return Effect.succeed("stopped")
    const isReached = (accounts: ReadonlyArray<number>) => Store.isReached(query, giver.run, numbers(accounts))
    return gifts.give(giver, target, isReached).pipe(
      Effect.map((given): Done | Step => {
        if (!("_tag" in given)) return given
        return given._tag === "Overloaded" ? "busy" : "waits"
      }),
      Effect.catch(() => Effect.succeed<Step>("waits")),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError(`Run ${giver.run.id} cannot give account ${target.account} anything`, defect), {
          account: target.account,
          outcome: "failed",
          code: "internal_error"
        } satisfies Done)
      )
    )
  }

  /** Gives to the next targets, as many as are left; trouble of one leaves it for later and does not hold up the others. */
  const giveNext = Effect.fnUntraced(function* (
    campaign: StoredCampaign,
    run: StoredRun,
    targets: ReadonlyArray<Target>
  ): Effect.fn.Return<Step, Refused> {
    const left = Math.min(Bounds.givenMembers, remaining(campaign, run.action))
    const done: Array<Done> = []
    const open: Array<Target> = []
    let last = run.doneTo
    for (const target of targets) {
      const outcome = without(campaign, target)
      if (outcome === undefined && open.length === left) break
      if (outcome === undefined) open.push(target)
      else done.push(outcome)
      last = target.account
    }
    const giver = { run, program: campaign.program }
    const results = yield* Effect.forEach(open, (target) => Effect.suspend(() => giveOne(giver, target)), {
      concurrency: Bounds.givenMembers
    })
    let trouble: Step | undefined
    for (const result of results) {
      if (typeof result === "object") done.push(result)
      else if (trouble !== "waits") trouble = result
    }
    const step = yield* record(run, { done, doneTo: trouble === undefined ? last : undefined })
    return step === "worked" ? (trouble ?? "worked") : step
  })

  /** What is left of a run gets nothing: the limit is used up. */
  const skip = (run: StoredRun, targets: ReadonlyArray<Target>) =>
    record(run, {
      done: targets.map(({ account, isReached }) => ({
        account,
        outcome: "skipped",
        code: isReached ? "already_reached" : "limit_reached"
      })),
      doneTo: targets.at(-1)?.account,
      reachedLimit: true
    })

  /** One step of a run: selects members, or gives something to the next ones, or ends it. */
  const stepOf = Effect.fnUntraced(function* (stale: StoredRun): Effect.fn.Return<Step, Refused | JournalUnavailable> {
    // Since the run was read, its campaign may have stopped.
    const campaign = yield* Store.find(query, stale.campaign)
    const run = yield* Store.findRun(query, stale.campaign, stale.id)
    if (campaign?.status !== "active" || run === undefined || run.completedAt !== undefined) return "stopped"
    if (!run.isSelected) return yield* select(campaign, run)
    const left = remaining(campaign, run.action)
    const targets = yield* Store.pending(query, run, left === 0 ? Bounds.skippedMembers : Bounds.readTargets)
    if (targets.length === 0) return yield* record(run, { done: [], completes: true })
    const giver = { run, program: campaign.program }
    if (!settled.has(run.n)) return yield* settle(giver, targets)
    return left === 0 ? yield* skip(run, targets) : yield* giveNext(campaign, run, targets)
  })

  const step = (run: StoredRun): Effect.Effect<Step> =>
    alone
      .withPermits(1)(
        Effect.suspend((): Effect.Effect<Step, Refused | JournalUnavailable> => {
          if (stopping.has(run.campaign)) return Effect.succeed("stopped")
          return freeze.isFrozen() ? Effect.succeed("waits") : stepOf(run)
        })
      )
      .pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.suspend(() => {
                // What the batch gave may not be recorded.
                settled.delete(run.n)
                return Effect.as(logStep(run, cause), "waits" as const)
              })
        )
      )

  const logStep = (run: StoredRun, cause: Cause.Cause<Refused | JournalUnavailable>) =>
    Option.isSome(Cause.findErrorOption(cause))
      ? Effect.logDebug(`Run ${run.id} waits for the database`, cause)
      : Effect.logError(`Run ${run.id} cannot go on`, cause)

  /** Begins the run of a campaign's latest occurrence, once; earlier ones were missed and are left out. */
  const fire = (id: string) =>
    transaction(
      Effect.gen(function* () {
        const at = now()
        const campaign = yield* Store.lock(query, id)
        if (campaign === undefined || campaign.nextAt === undefined || campaign.nextAt > at) return
        const { endsAt, repeat } = campaign
        const latest = repeat === undefined ? undefined : Occurrences.latest(repeat, at)
        const isInTime = endsAt === undefined || at < endsAt
        if (latest !== undefined && latest >= campaign.nextAt && isInTime)
          yield* Store.start(query, campaign, fromMillis(latest), Codes.identifier("run"), at)
        yield* Store.setNext(query, id, nextOccurrence(campaign, at))
      })
    )

  const begun = (id: string) =>
    Effect.catchDefect(fire(id), (defect) => Effect.logError(`The schedule of campaign ${id} cannot go on`, defect))

  const round: CampaignRuns["Service"]["round"] = Effect.gen(function* () {
    sooner.closeUnsafe()
    if (freeze.isFrozen()) return "waits"
    for (const id of yield* Store.due(query, now())) yield* begun(id)
    const steps: Array<Step> = []
    for (const run of yield* Store.going(query)) steps.push(yield* step(run))
    return order.find((one) => steps.includes(one)) ?? "idle"
  })

  return CampaignRuns.of({
    wake,
    watch: (run) =>
      Effect.sync(() => {
        const deferred = waiting.get(run) ?? Deferred.makeUnsafe<void>()
        waiting.set(run, deferred)
        return Deferred.await(deferred)
      }),
    between: (campaign, change) =>
      Effect.suspend(() => {
        stopping.add(campaign)
        return alone.withPermits(1)(change)
      }).pipe(
        Effect.ensuring(
          Effect.andThen(
            Effect.sync(() => stopping.delete(campaign)),
            wake
          )
        )
      ),
    round,
    drain: Effect.gen(function* () {
      while ((yield* round) === "worked") yield* Effect.yieldNow
    }),
    wait: (ms) => Effect.raceFirst(sooner.await, Effect.sleep(ms))
  })
})

/** Steps by the pause that they ask for, the shortest first. A round with several runs takes the first of theirs. */
const order: ReadonlyArray<Step> = ["replaced", "worked", "busy", "waits", "stopped"]

const keep = Effect.gen(function* () {
  const runs = yield* CampaignRuns
  let othersShare = 0
  for (;;) {
    const startedAt = performance.now()
    const step = yield* runs.round.pipe(
      Effect.catch((error) => Effect.as(Effect.logDebug("The campaigns cannot be read", error), "waits" as const)),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("The campaigns cannot go on", defect), "waits" as const))
    )
    const tookMs = performance.now() - startedAt
    if (step === "replaced") return yield* Effect.logDebug("Another service goes on with the campaigns")
    if (step === "worked") {
      const before = performance.eventLoopUtilization()
      yield* Effect.sleep(Bounds.runRestMs)
      othersShare = (othersShare * 3 + performance.eventLoopUtilization(before).utilization) / 4
      if (othersShare > Bounds.busyRestShare) yield* Effect.sleep(Math.min(tookMs, Bounds.longestRestMs))
    } else if (step === "busy") yield* Effect.sleep(Bounds.runBusyMs)
    else if (step === "waits") yield* Effect.sleep(Bounds.runTroubleMs)
    else yield* runs.wait(Bounds.schedulePollMs)
  }
})
