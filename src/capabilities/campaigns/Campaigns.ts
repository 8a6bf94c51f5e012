/** The routes of campaigns, their runs and reports (contract/engagement.md *Campaigns*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { canonical } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type {
  Campaign,
  CampaignFacts,
  CampaignQuery,
  CampaignStatus,
  RunQuery,
  RunStart,
  StatusChange,
  TestStart
} from "../../contract/platform/Campaigns.ts"
import { reportedRuns, shownOutcomes } from "../../contract/platform/Campaigns.ts"
import type { ForecastQuery, RunForecast } from "../../contract/platform/RunForecast.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as GivenToday from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Versions from "../../desk/surface/Versions.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as MailingStore from "../mailings/MailingStore.ts"
import * as Pinned from "../segments/Pinned.ts"
import { byOne } from "../segments/Reached.ts"
import * as SegmentStore from "../segments/SegmentStore.ts"
import { attributionOf } from "./Attribution.ts"
import * as Bounds from "./Bounds.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"
import { planOf } from "./CampaignPlan.ts"
import { CampaignRuns, nextOccurrence } from "./CampaignRuns.ts"
import { auditFacts, shown, shownOutcome, shownRun, statusAt } from "./CampaignShown.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import * as Store from "./CampaignStore.ts"
import * as CampaignTests from "./CampaignTests.ts"
import * as Caused from "./Caused.ts"
import * as EventStore from "./EventStore.ts"
import * as Given from "./Given.ts"
import * as GivenCampaigns from "./GivenCampaigns.ts"
import type { DoneMember, StoredRun } from "./RunStore.ts"
import * as RunStore from "./RunStore.ts"
import { remaining } from "./Step.ts"

/** Why a campaign with this status cannot run; undefined: it can. */
const notRunnable: Readonly<Partial<Record<CampaignStatus, string>>> = {
  archived: "is archived",
  draft: "is a draft",
  paused: "is paused",
  scheduled: "has not begun",
  expired: "has ended"
}

const partsOf = Effect.gen(function* () {
  return {
    given: yield* GivenToday.make,
    people: yield* PeoplePool,
    work: yield* WorkPool,
    claimKey: (yield* Journal).claimKey,
    now: (yield* serviceTime).now,
    programs: yield* Programs,
    runs: yield* CampaignRuns,
    test: yield* CampaignTests.make
  }
})

/** The parts of the use cases. */
type Parts = Effect.Success<typeof partsOf>

export const make = Effect.map(partsOf, (parts) => ({
  put: (facts: CampaignFacts) => put(parts, facts),
  list: (asked: CampaignQuery) => list(parts, asked),
  setStatus: (change: StatusChange) => setStatus(parts, change),
  remove: (id: string) => remove(parts, id),
  run: (start: RunStart) => run(parts, start),
  test: (start: TestStart) => Effect.flatMap(find(parts, start.campaign_id), (found) => parts.test(found, start)),
  listRuns: (asked: RunQuery) => listRuns(parts, asked),
  forecast: (asked: ForecastQuery) => forecast(parts, asked),
  report: (id: string) => report(parts, id)
}))

const tell = (
  { people }: Parts,
  action: string,
  { id, program }: StoredCampaign,
  changes: NonNullable<Audit.AuditFacts["changes"]>
) => Audit.tell(people.query, { action, subject: { type: "campaign", id }, programId: program, changes })

/** Appends an entry of what differs now. Must be the last statement of the transaction. */
const tellChange = Effect.fnUntraced(function* (
  parts: Parts,
  action: string,
  id: string,
  before: StoredCampaign | undefined
) {
  const { now } = parts
  const after = yield* find(parts, id)
  yield* tell(
    parts,
    action,
    after,
    Audit.changesOf(before === undefined ? undefined : auditFacts(before), auditFacts(after))
  )
  return { campaign: shown(after, now()) }
})

const visible = Effect.fnUntraced(function* (campaign: StoredCampaign | undefined, id: string) {
  if (campaign === undefined) return yield* refuse("not_found", said`There is no campaign ${id}.`)
  yield* Visible.mustUse(yield* CurrentCaller, campaign.program)
  return campaign
})
const find = ({ people }: Parts, id: string) =>
  Effect.flatMap(Store.find(people.query, id), (found) => visible(found, id))

/** The campaign, if it is of this programme (undefined: any). */
const findIn = Effect.fnUntraced(function* (parts: Parts, id: string, program_id: string | undefined) {
  const { programs } = parts
  if (program_id !== undefined) yield* Visible.named(programs, yield* CurrentCaller, program_id)
  const campaign = yield* find(parts, id)
  return program_id === undefined || campaign.program === program_id
    ? campaign
    : yield* refuse("not_found", said`Programme ${program_id} has no campaign ${id}.`)
})

const locked = ({ people }: Parts, id: string) =>
  Effect.flatMap(Store.lock(people.query, id), (found) => visible(found, id))

/** To whom a campaign gives, and how often. */
const reachOf = ({ endsAt, frequency, holdoutPercent, repeat, segment, startsAt, trigger }: CampaignPlan): string =>
  canonical({ endsAt, frequency, holdoutPercent, repeat, segment, startsAt, trigger })

/** True if a campaign may give more than before, in all or to one member. */
const raises = (before: StoredCampaign, plan: CampaignPlan, program: Program): boolean => {
  const isMore = (one: Amounts, other: Amounts) => one.points > other.points || one.rewards > other.rewards
  const all = Caused.inAll(plan, before, program)
  return (
    isMore(all, Caused.inAll(before, before, program)) ||
    isMore(byOne(plan, program), byOne(before, program)) ||
    canonical(plan.action) !== canonical(before.action) ||
    // Nothing but its reach bounds what has no limit.
    (!Number.isFinite(all.points + all.rewards) && reachOf(plan) !== reachOf(before))
  )
}

/** Keeps changes of segments away: one is in the audience that is confirmed, or it waits. First of all that locks. */
const holdSegments = ({ people: { query } }: Parts, id: string) =>
  Effect.flatMap(Store.find(query, id), (found) => (found ? SegmentStore.lock(query, found.program) : Effect.void))

const putIn = Effect.fnUntraced(function* (
  parts: Parts,
  facts: CampaignFacts
): Effect.fn.Return<{ readonly campaign: Campaign }, Refused, CurrentCaller> {
  const { given, now, people, programs } = parts
  const id = facts.campaign_id ?? Codes.identifier("cmp")
  yield* holdSegments(parts, id)
  yield* Store.holdGrants(people.query, id)
  const found = yield* Store.lock(people.query, id)
  const before = found === undefined ? undefined : yield* visible(found, id)
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, facts.program_id ?? before?.program)
  if (before !== undefined && before.program !== program.id)
    return yield* refuse("conflict", said`The campaign ${id} is of programme ${before.program}.`)
  if (before?.status === "archived") return yield* refuse("invalid_state", said`The campaign ${id} is archived.`)
  // A resume shows no change: a paused one is as it was activated.
  if (before?.status === "active" || before?.status === "paused")
    yield* mustGive("platform", `Changing a campaign that is ${before.status}`)
  yield* Versions.expect(`campaign ${id}`, facts.expected_version, before?.version)
  const plan = yield* planOf(facts, id, program, before?.holdoutPercent)
  if (plan.segment !== undefined) {
    yield* SegmentStore.holdAgainstDeletion(people.query, plan.segment)
    const segment = (yield* SegmentStore.find(people.query, plan.segment))?.segment
    if (segment?.program_id !== program.id)
      return yield* refuseFaults([{ path: "/segment_id", ...said`is no segment of programme ${program.id}` }])
    if (segment.archived_at !== undefined) return yield* refuseFaults([{ path: "/segment_id", message: "is archived" }])
  }
  if (before !== undefined && (before.trigger === undefined) !== (plan.trigger === undefined))
    return yield* refuse("invalid_state", "A campaign has a trigger for ever or never.")
  const counted = before && (yield* Caused.changed(people.query, { ...before, ...plan }, before, program, now()))
  if (before?.status === "active" && counted !== undefined) {
    const reachesOthers = counted.countedBy === undefined && reachOf(plan) !== reachOf(before)
    if (reachesOthers || raises(before, plan, program)) yield* Caused.count(people.query, given, plan, counted, program)
  }
  if (before?.hasRun === true && before.holdoutPercent !== plan.holdoutPercent)
    return yield* refuse("invalid_state", "The holdout is fixed: the campaign has run.")
  const nextAt = before?.status === "active" ? nextOccurrence(plan, now()) : undefined
  yield* Store.put(people.query, plan, nextAt, now())
  // Somebody who may give has chosen this audience now.
  if (before?.segment !== plan.segment) yield* Pinned.release(people.query, id)
  return yield* tellChange(parts, before === undefined ? "campaign.create" : "campaign.change", id, before)
})

const put = (parts: Parts, facts: CampaignFacts) => parts.people.transaction(putIn(parts, facts))

const list = Effect.fnUntraced(function* (parts: Parts, { campaign_id, cursor, limit, program_id }: CampaignQuery) {
  const { claimKey, now, people, programs } = parts
  if (campaign_id !== undefined) {
    yield* pageOf(claimKey, ["campaign", campaign_id], { cursor, limit })
    return { campaign: shown(yield* findIn(parts, campaign_id, program_id), now()) }
  }
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const bound = ["campaigns", program.id]
  const page = yield* pageOf(claimKey, bound, { cursor, limit })
  const after = page.after === undefined ? undefined : Number(page.after)
  const found = yield* Store.list(people.query, program.id, { after, limit: page.limit + 1 })
  const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
  return { campaigns: rows.map((campaign) => shown(campaign, now())), ...next }
})

/** A campaign that is not archived has no archived segment. */
const restorable = Effect.fnUntraced(function* ({ people }: Parts, { segment }: StoredCampaign) {
  if (segment === undefined) return
  yield* SegmentStore.holdAgainstDeletion(people.query, segment)
  const found = yield* SegmentStore.find(people.query, segment)
  if (found?.segment.archived_at !== undefined)
    return yield* refuse("invalid_state", said`The segment ${segment} is archived; restore it first.`)
})

/** Refuses to activate or run another version, or for another audience, than the caller has looked at. */
const mustBeShown = Effect.fnUntraced(function* (
  { people, programs }: Parts,
  { expected_version, seen }: Pick<RunStart, "expected_version" | "seen">,
  { id, program, segment, version }: StoredCampaign
) {
  yield* Versions.expect(`campaign ${id}`, expected_version, version)
  const named = programs.get(program)
  if (seen === undefined || segment === undefined || named === undefined) return
  yield* Pinned.mustBeSeen(people.query, named, { id, segment }, seen)
})

/** Changes the status while no grant is in flight. On activation, occurrences in the past do not run. */
const setStatus = (parts: Parts, { campaign_id, status, ...shownTo }: StatusChange) =>
  parts.people.transaction(
    Effect.gen(function* () {
      const { given, now, people, programs, runs } = parts
      yield* holdSegments(parts, campaign_id)
      yield* Store.holdGrants(people.query, campaign_id)
      const campaign = yield* locked(parts, campaign_id)
      if (campaign.status === status) return { campaign: shown(campaign, now()) }
      yield* mustBeShown(parts, shownTo, campaign)
      const program = programs.get(campaign.program)
      if (status === "active") yield* mustGive("platform", "Activating a campaign")
      else if (status === "paused" && campaign.status !== "active")
        yield* mustGive("platform", "Pausing a campaign that is not active")
      if (program !== undefined) {
        const counted = yield* Caused.changed(people.query, { ...campaign, status }, campaign, program, now())
        if (status === "active") yield* Caused.count(people.query, given, campaign, counted, program)
      }
      // A pause leaves what waits. A draft takes it in.
      if (status === "draft" || status === "archived") yield* Pinned.release(people.query, campaign_id)
      if (campaign.status === "archived") yield* restorable(parts, campaign)
      const nextAt = status === "active" ? nextOccurrence(campaign, now()) : undefined
      if (campaign.trigger !== undefined && status === "active")
        yield* EventStore.beginWindow(people.query, campaign_id)
      else if (campaign.trigger !== undefined) yield* EventStore.endWindow(people.query, campaign_id)
      yield* Store.setStatus(people.query, campaign_id, status, nextAt, now())
      yield* people.onCommit(runs.wake)
      return yield* tellChange(parts, "campaign.status", campaign_id, campaign)
    })
  )

/** Deletes a draft that was never active: what a campaign gave stays in its report. */
const remove = (parts: Parts, id: string) =>
  parts.people.transaction(
    Effect.gen(function* () {
      const { now, people } = parts
      yield* Store.holdGrants(people.query, id)
      const campaign = yield* locked(parts, id)
      if (campaign.status !== "draft" || !(yield* Store.removeUnused(people.query, id)))
        return yield* refuse("invalid_state", said`The campaign ${id} is no draft, or it was active before.`)
      yield* tell(parts, "campaign.delete", campaign, Audit.changesOf(auditFacts(campaign), undefined))
      return { campaign: shown(campaign, now()) }
    })
  )

const seesMembers = ["members:read", "platform:read", "platform:write"] as const

/** The outcomes of members, for callers who may see members; none for others. */
const forWhoSees = <A>(outcomes: Effect.Effect<ReadonlyArray<A>, Refused>) =>
  Effect.flatMap(CurrentCaller, ({ scopes }) =>
    seesMembers.some((scope) => scopes.has(scope)) ? outcomes : Effect.succeed<ReadonlyArray<A>>([])
  )

const withOutcomes = (
  { claimKey }: Parts,
  run: StoredRun,
  campaign: StoredCampaign,
  outcomes: ReadonlyArray<DoneMember>
) => ({ ...shownRun(run, campaign), outcomes: outcomes.map((one) => shownOutcome(claimKey, run, one)) })

/**
 * The id of a new run. With an `Idempotency-Key` it is derived, because two nodes may get a request with its copy before
 * either has stored a result: the second finds the run of the first.
 */
const newRunId = ({ claimKey }: Parts, campaign: string, { idempotencyKey, keyId }: RequestCaller): string =>
  idempotencyKey === undefined
    ? Codes.identifier("run")
    : `run_${claimKey("campaign run", keyId, campaign, idempotencyKey).replaceAll("-", "")}`

const hasTrigger = (id: string) => refuse("invalid_state", said`The campaign ${id} has a trigger, and no runs.`)

const begin = (parts: Parts, { campaign_id: id, run_key: key, ...shownTo }: RunStart) =>
  parts.people.transaction(
    Effect.gen(function* () {
      const { given, now, people, programs } = parts
      const campaign = yield* locked(parts, id)
      const caller = yield* CurrentCaller
      const program = programs.get(campaign.program)
      const newId = newRunId(parts, id, caller)
      const known = yield* RunStore.find(people.query, id, newId)
      if (known !== undefined) return known
      yield* mustBeShown(parts, shownTo, campaign)
      if (program?.isRetired === true)
        return yield* refuse("program_retired", said`Programme ${campaign.program} was retired.`)
      if (program?.isRehearsal === true)
        return yield* refuse("invalid_state", said`Programme ${campaign.program} is a rehearsal: its campaigns rest.`)
      if (campaign.trigger !== undefined) return yield* hasTrigger(id)
      yield* mustGive("platform", "A run of a campaign")
      const reason = notRunnable[statusAt(campaign, now())]
      if (reason !== undefined) return yield* refuse("invalid_state", said`The campaign ${id} ${reason}.`)
      // A new key, or none after keys, gives to everybody again: without a limit nobody has been counted for that.
      if (program !== undefined && (yield* RunStore.isNewRound(people.query, id, key)))
        yield* Caused.count(people.query, given, campaign, campaign, program)
      const begun = yield* RunStore.start(people.query, campaign, key, newId, caller.name, now())
      if (begun.id === newId) {
        const after = { run_id: newId, ...(key === undefined ? undefined : { run_key: key }) }
        yield* tell(parts, "campaign.run", campaign, { after })
      }
      return begun
    })
  )

const run = Effect.fnUntraced(function* (parts: Parts, start: RunStart) {
  const { campaign_id } = start
  const { people, runs } = parts
  const begun = yield* begin(parts, start)
  yield* runs.wake
  yield* Effect.timeoutOption(ended(parts, campaign_id, begun.id), Bounds.runAnswerMs)
  const campaign = yield* find(parts, campaign_id)
  const found = yield* findRun(parts, campaign_id, begun.id)
  const first = { after: undefined, limit: shownOutcomes }
  const outcomes = yield* forWhoSees(RunStore.outcomes(people.query, found, first))
  return { run: withOutcomes(parts, found, campaign, outcomes) }
})

/** Waits for the end of a run, which any node may come to. */
const ended = Effect.fnUntraced(function* (parts: Parts, campaign: string, id: string) {
  while ((yield* findRun(parts, campaign, id)).completedAt === undefined) yield* Effect.sleep(Bounds.runPollMs)
})

const findRun = Effect.fnUntraced(function* ({ people }: Parts, campaign: string, id: string) {
  const found = yield* RunStore.find(people.query, campaign, id)
  return found ?? (yield* refuse("not_found", said`The campaign ${campaign} has no run ${id}.`))
})

const listRuns = Effect.fnUntraced(function* (parts: Parts, { campaign_id, cursor, limit, outcome, run_id }: RunQuery) {
  const { claimKey, people } = parts
  const campaign = yield* find(parts, campaign_id)
  if (outcome !== undefined && run_id === undefined)
    return yield* refuseFaults([{ path: "/outcome", message: "needs `run_id`" }])
  const bound = ["campaign runs", campaign_id, run_id ?? null, ...(outcome === undefined ? [] : [outcome])]
  const page = yield* pageOf(claimKey, bound, { cursor, limit })
  const at = { after: page.after === undefined ? undefined : Number(page.after), limit: page.limit + 1 }
  if (run_id === undefined) {
    const found = yield* RunStore.list(people.query, campaign_id, at)
    const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
    return { runs: rows.map((one) => shownRun(one, campaign)), ...next }
  }
  const found = yield* findRun(parts, campaign_id, run_id)
  const outcomes = yield* forWhoSees(RunStore.outcomes(people.query, found, { ...at, outcome }))
  const { rows, ...next } = paged(claimKey, bound, page, outcomes, ({ account }) => String(account))
  return { run: withOutcomes(parts, found, campaign, rows), ...next }
})

/** Members that a run would reach now. */
const forecast = Effect.fnUntraced(function* (parts: Parts, { campaign_id, run_key }: ForecastQuery) {
  const { now, people, programs, work } = parts
  const campaign = yield* find(parts, campaign_id)
  const program = yield* Visible.known(programs, campaign.program)
  if (campaign.trigger !== undefined || campaign.segment === undefined) return yield* hasTrigger(campaign_id)
  const aimed = { id: campaign_id, segment: campaign.segment }
  // Before the members are counted: a change meanwhile is one that the preview does not show.
  const seen = yield* Pinned.seen(people.query, program, aimed)
  const audience = yield* Pinned.ofCampaign(people.query, program, aimed)
  const { mail, often, reached, selected } = yield* RunStore.forecast(work, campaign, audience, run_key, now())
  const left = remaining(campaign, campaign.action)
  const counted: RunForecast["skipped"] = [
    { code: "already_reached", count: reached },
    { code: "frequency_reached", count: often }
  ]
  const skipped = counted.filter(({ count }) => count > 0)
  const open = selected - reached - often
  const more = {
    ...(left === Infinity ? undefined : { limit_left: left }),
    ...(mail === undefined ? undefined : { mail })
  }
  return { forecast: { selected, skipped, open, ...more, seen } }
})

const triggeredOf = Effect.fnUntraced(function* ({ people }: Parts, id: string) {
  return {
    ...(yield* EventStore.count(people.query, id)),
    outcomes: yield* forWhoSees(EventStore.newest(people.query, id))
  }
})

const report = Effect.fnUntraced(function* (parts: Parts, id: string) {
  const { claimKey, now, people, programs, work } = parts
  const campaign = yield* find(parts, id)
  const newest = yield* RunStore.list(people.query, id, { after: undefined, limit: reportedRuns })
  const counts = yield* Store.count(work.query, id, campaign.attributionDays)
  const program = yield* Visible.known(programs, campaign.program)
  const mailed = yield* MailingStore.figures(work.query, id)
  return {
    campaign: shown(campaign, now()),
    ...(campaign.trigger === undefined ? undefined : { triggered: yield* triggeredOf(parts, id) }),
    runs: newest.map((one) => shownRun(one, campaign)),
    ...(yield* Given.count(work.query, claimKey, id, program)),
    ...(mailed === undefined ? undefined : { mailed }),
    attribution: attributionOf(counts, program.currency)
  }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_campaigns", (handlers) =>
  Effect.map(Effect.all([make, GivenCampaigns.make]), ([campaigns, listGiven]) =>
    handlers
      .handle("putCampaign", ({ payload }) => campaigns.put(payload))
      .handle("campaigns", ({ query }) => campaigns.list(query))
      .handle("setCampaignStatus", ({ payload }) => campaigns.setStatus(payload))
      .handle("deleteCampaign", ({ payload }) => campaigns.remove(payload.campaign_id))
      .handle("runCampaign", ({ payload }) => campaigns.run(payload))
      .handle("testCampaign", ({ payload }) => campaigns.test(payload))
      .handle("campaignRuns", ({ query }) => campaigns.listRuns(query))
      .handle("previewCampaignRun", ({ query }) => campaigns.forecast(query))
      .handle("memberCampaigns", ({ query }) => listGiven(query))
      .handle("campaignReport", ({ query }) => campaigns.report(query.campaign_id))
  )
)
