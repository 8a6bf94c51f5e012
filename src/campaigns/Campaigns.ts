/** The routes of campaigns, their runs and reports (contract/engagement.md *Campaigns*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Codes from "../account/Codes.ts"
import { PeoplePool, WorkPool } from "../database/Pools.ts"
import * as Audit from "../surface/Audit.ts"
import { paged, pageOf } from "../surface/Paging.ts"
import { refuse, refuseFaults } from "../surface/Refusal.ts"
import * as Visible from "../surface/Visible.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { PlatformApi } from "../contract/platform/Api.ts"
import type {
  Attribution,
  Campaign,
  CampaignFacts,
  CampaignQuery,
  CampaignStatus,
  CampaignOutcome,
  RunListed,
  RunQuery,
  RunStart,
  StatusChange
} from "../contract/platform/Campaigns.ts"
import { reportedRuns, shownOutcomes } from "../contract/platform/Campaigns.ts"
import { fromMillis } from "../contract/Values.ts"
import { serviceTime } from "../time/Times.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Bounds from "./Bounds.ts"
import { planOf } from "./CampaignPlan.ts"
import { CampaignRuns, nextOccurrence, remaining } from "./CampaignRuns.ts"
import type { Counts, StoredCampaign } from "./CampaignStore.ts"
import * as Store from "./CampaignStore.ts"
import * as Grants from "./Grants.ts"
import { programOf } from "../surface/ProgramOf.ts"
import { ratioBps } from "../surface/Ratio.ts"
import type { DoneMember, StoredRun } from "./RunStore.ts"
import * as RunStore from "./RunStore.ts"
import * as SegmentStore from "../segments/SegmentStore.ts"
import * as Versions from "../surface/Versions.ts"

/** The status at an instant. A stored `active` may mean scheduled, expired, or completed by its limit. */
const statusAt = (campaign: StoredCampaign, now: number): CampaignStatus => {
  const { endsAt, startsAt, status } = campaign
  if (status !== "active") return status
  if (endsAt !== undefined && endsAt <= now) return "expired"
  if (remaining(campaign, campaign.action) === 0) return "completed"
  return startsAt !== undefined && startsAt > now ? "scheduled" : "active"
}

const time = <Name extends string>(name: Name, at: number | undefined) =>
  at === undefined ? undefined : { [name]: fromMillis(at) }

const scheduleOf = ({ endsAt, repeat, startsAt }: StoredCampaign) =>
  startsAt === undefined && endsAt === undefined && repeat === undefined
    ? undefined
    : {
        schedule: {
          ...time("starts_at", startsAt),
          ...time("ends_at", endsAt),
          ...(repeat === undefined ? undefined : { repeat })
        }
      }

const limitOf = ({ limitAmount: amount, limitRewards: rewards }: StoredCampaign) =>
  amount === undefined && rewards === undefined
    ? undefined
    : {
        limit: {
          ...(rewards === undefined ? undefined : { rewards }),
          ...(amount === undefined ? undefined : { amount })
        }
      }

const shown = (campaign: StoredCampaign, now: number): Campaign => ({
  campaign_id: campaign.id,
  program_id: campaign.program,
  name: campaign.name,
  segment_id: campaign.segment,
  action: campaign.action,
  ...scheduleOf(campaign),
  ...time("next_run_at", campaign.nextAt),
  holdout_percent: campaign.holdoutPercent,
  ...limitOf(campaign),
  attribution_days: campaign.attributionDays,
  status: statusAt(campaign, now),
  version: campaign.version,
  created_at: fromMillis(campaign.createdAt),
  updated_at: fromMillis(campaign.updatedAt)
})

/** The facts of a campaign for the audit. */
const auditFacts = (campaign: StoredCampaign) => {
  const { action, attributionDays, holdoutPercent, name, segment, status } = campaign
  return {
    name,
    segment_id: segment,
    action,
    ...scheduleOf(campaign),
    holdout_percent: holdoutPercent,
    ...limitOf(campaign),
    attribution_days: attributionDays,
    status
  }
}

const shownRun = (run: StoredRun, { status }: StoredCampaign): RunListed => ({
  run_id: run.id,
  campaign_id: run.campaign,
  ...(run.key === undefined ? undefined : { run_key: run.key }),
  status: run.completedAt !== undefined ? "completed" : status === "active" ? "running" : "paused",
  selected: run.selected,
  issued: run.issued,
  skipped: run.skipped,
  failed: run.failed,
  holdout: run.holdout,
  limit_reached: run.limitReached,
  ...(run.startedBy === undefined ? undefined : { started_by: run.startedBy }),
  started_at: fromMillis(run.startedAt),
  ...time("completed_at", run.completedAt)
})

const shownOutcome = (
  claimKey: ClaimKey,
  run: StoredRun,
  { account, code, member, outcome }: DoneMember
): CampaignOutcome => {
  const id = Grants.idOf(claimKey, run, account)
  const given = run.action.credit === undefined ? { issued_reward_id: id } : { adjustment_id: id }
  return {
    member_id: member,
    status: outcome,
    ...(code === null ? undefined : { code }),
    ...(outcome === "issued" ? given : undefined)
  }
}

/** Conversions and lift of a campaign. `currency`: the programme's. */
const attributionOf = (counts: Counts, currency: string): Attribution => {
  const reached = ratioBps(counts.converted, counts.targeted)
  const held = ratioBps(counts.heldConverted, counts.held)
  return {
    targeted_members: counts.targeted,
    converted_members: counts.converted,
    conversions: counts.conversions,
    attributed_value: counts.conversions === 0 ? [] : [{ amount: counts.value, currency }],
    conversion_rate_bps: reached,
    holdout: { members: counts.held, converted_members: counts.heldConverted, conversion_rate_bps: held },
    lift_bps: counts.held === 0 ? 0 : reached - held
  }
}

/** Why a campaign with this status cannot run; undefined: it can. */
const notRunnable: Readonly<Partial<Record<CampaignStatus, string>>> = {
  draft: "is a draft",
  paused: "is paused",
  scheduled: "has not begun",
  expired: "has ended"
}

export const make = Effect.gen(function* () {
  const { onCommit, query, transaction } = yield* PeoplePool
  const work = yield* WorkPool
  const { claimKey } = yield* Journal
  const { now } = yield* serviceTime
  const programs = yield* Programs
  const runs = yield* CampaignRuns

  const tell = (action: string, { id, program }: StoredCampaign, changes: NonNullable<Audit.AuditFacts["changes"]>) =>
    Audit.tell(query, { action, subject: { type: "campaign", id }, programId: program, changes })

  /** Appends an entry of what differs now. Must be the last statement of the transaction. */
  const tellChange = Effect.fnUntraced(function* (action: string, id: string, before: StoredCampaign | undefined) {
    const after = yield* find(id)
    yield* tell(
      action,
      after,
      Audit.changesOf(before === undefined ? undefined : auditFacts(before), auditFacts(after))
    )
    return { campaign: shown(after, now()) }
  })

  const visible = Effect.fnUntraced(function* (campaign: StoredCampaign | undefined, id: string) {
    const caller = yield* CurrentCaller
    if (campaign === undefined) return yield* refuse("not_found", `There is no campaign ${id}.`)
    if (caller.programs?.has(campaign.program) === false)
      return yield* refuse("forbidden", `The token is not for programme ${campaign.program}.`)
    return campaign
  })
  const find = (id: string) => Effect.flatMap(Store.find(query, id), (found) => visible(found, id))
  /** The campaign, if it is of this programme (undefined: any). */
  const findIn = Effect.fnUntraced(function* (id: string, program_id: string | undefined) {
    if (program_id !== undefined) yield* Visible.named(programs, yield* CurrentCaller, program_id)
    const campaign = yield* find(id)
    return program_id === undefined || campaign.program === program_id
      ? campaign
      : yield* refuse("not_found", `Programme ${program_id} has no campaign ${id}.`)
  })
  const locked = (id: string) => Effect.flatMap(Store.lock(query, id), (found) => visible(found, id))

  const putIn = Effect.fnUntraced(function* (
    facts: CampaignFacts
  ): Effect.fn.Return<{ readonly campaign: Campaign }, Refused, CurrentCaller> {
    const id = facts.campaign_id ?? Codes.identifier("cmp")
    yield* Store.holdGrants(query, id)
    const found = yield* Store.lock(query, id)
    const before = found === undefined ? undefined : yield* visible(found, id)
    const program = yield* programOf(programs, yield* CurrentCaller, facts.program_id ?? before?.program)
    if (before !== undefined && before.program !== program.id)
      return yield* refuse("conflict", `The campaign ${id} is of programme ${before.program}.`)
    yield* Versions.expect(`campaign ${id}`, facts.expected_version, before?.version)
    const plan = yield* planOf(facts, id, program, now(), before?.holdoutPercent)
    yield* SegmentStore.holdAgainstDeletion(query, plan.segment)
    if ((yield* SegmentStore.find(query, plan.segment))?.segment.program_id !== program.id)
      return yield* refuseFaults([{ path: "/segment_id", message: `is no segment of programme ${program.id}` }])
    if (before?.hasRun === true && before.holdoutPercent !== plan.holdoutPercent)
      return yield* refuse("invalid_state", "The holdout is fixed: the campaign has run.")
    const nextAt = before?.status === "active" ? nextOccurrence(plan, now()) : undefined
    yield* Store.put(query, plan, nextAt, now())
    return yield* tellChange(before === undefined ? "campaign.create" : "campaign.change", id, before)
  })

  const put = (facts: CampaignFacts) => transaction(putIn(facts))

  const list = Effect.fnUntraced(function* ({ campaign_id, cursor, limit, program_id }: CampaignQuery) {
    if (campaign_id !== undefined) {
      yield* pageOf(claimKey, ["campaign", campaign_id], { cursor, limit })
      return { campaign: shown(yield* findIn(campaign_id, program_id), now()) }
    }
    const program = yield* programOf(programs, yield* CurrentCaller, program_id)
    const bound = ["campaigns", program.id]
    const page = yield* pageOf(claimKey, bound, { cursor, limit })
    const after = page.after === undefined ? undefined : Number(page.after)
    const found = yield* Store.list(query, program.id, { after, limit: page.limit + 1 })
    const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
    return { campaigns: rows.map((campaign) => shown(campaign, now())), ...next }
  })

  /** Changes the status while no grant is in flight. On activation, occurrences in the past do not run. */
  const setStatus = ({ campaign_id, status }: StatusChange) =>
    transaction(
      Effect.gen(function* () {
        yield* Store.holdGrants(query, campaign_id)
        const campaign = yield* locked(campaign_id)
        if (campaign.status === status) return { campaign: shown(campaign, now()) }
        const nextAt = status === "active" ? nextOccurrence(campaign, now()) : undefined
        yield* Store.setStatus(query, campaign_id, status, nextAt, now())
        yield* onCommit(runs.wake)
        return yield* tellChange("campaign.status", campaign_id, campaign)
      })
    )

  const withOutcomes = (run: StoredRun, campaign: StoredCampaign, outcomes: ReadonlyArray<DoneMember>) => ({
    ...shownRun(run, campaign),
    outcomes: outcomes.map((one) => shownOutcome(claimKey, run, one))
  })

  const begin = (id: string, key: string | undefined) =>
    transaction(
      Effect.gen(function* () {
        const campaign = yield* locked(id)
        if (programs.get(campaign.program)?.isRetired === true)
          return yield* refuse("program_retired", `Programme ${campaign.program} was retired.`)
        const reason = notRunnable[statusAt(campaign, now())]
        if (reason !== undefined) return yield* refuse("invalid_state", `The campaign ${id} ${reason}.`)
        const newId = Codes.identifier("run")
        const begun = yield* RunStore.start(query, campaign, key, newId, (yield* CurrentCaller).name, now())
        if (begun.id === newId) {
          const after = { run_id: newId, ...(key === undefined ? undefined : { run_key: key }) }
          yield* tell("campaign.run", campaign, { after })
        }
        return begun
      })
    )

  const run = Effect.fnUntraced(function* ({ campaign_id, run_key }: RunStart) {
    const begun = yield* begin(campaign_id, run_key)
    yield* runs.wake
    yield* Effect.timeoutOption(ended(campaign_id, begun.id), Bounds.runAnswerMs)
    const campaign = yield* find(campaign_id)
    const found = yield* findRun(campaign_id, begun.id)
    const outcomes = yield* RunStore.outcomes(query, found, { after: undefined, limit: shownOutcomes })
    return { run: withOutcomes(found, campaign, outcomes) }
  })

  /** Waits for the end of a run, which any node may come to. */
  const ended = Effect.fnUntraced(function* (campaign: string, id: string) {
    while ((yield* findRun(campaign, id)).completedAt === undefined) yield* Effect.sleep(Bounds.runPollMs)
  })

  const findRun = Effect.fnUntraced(function* (campaign: string, id: string) {
    const found = yield* RunStore.find(query, campaign, id)
    return found ?? (yield* refuse("not_found", `The campaign ${campaign} has no run ${id}.`))
  })

  const listRuns = Effect.fnUntraced(function* ({ campaign_id, cursor, limit, run_id }: RunQuery) {
    const campaign = yield* find(campaign_id)
    const bound = ["campaign runs", campaign_id, run_id ?? null]
    const page = yield* pageOf(claimKey, bound, { cursor, limit })
    const at = { after: page.after === undefined ? undefined : Number(page.after), limit: page.limit + 1 }
    if (run_id === undefined) {
      const found = yield* RunStore.list(query, campaign_id, at)
      const { rows, ...next } = paged(claimKey, bound, page, found, ({ n }) => String(n))
      return { runs: rows.map((one) => shownRun(one, campaign)), ...next }
    }
    const found = yield* findRun(campaign_id, run_id)
    const outcomes = yield* RunStore.outcomes(query, found, at)
    const { rows, ...next } = paged(claimKey, bound, page, outcomes, ({ account }) => String(account))
    return { run: withOutcomes(found, campaign, rows), ...next }
  })

  const report = Effect.fnUntraced(function* (id: string) {
    const campaign = yield* find(id)
    const newest = yield* RunStore.list(query, id, { after: undefined, limit: reportedRuns })
    const counts = yield* Store.count(work.query, id, campaign.attributionDays)
    const currency = programs.get(campaign.program)?.currency
    if (currency === undefined) return yield* refuse("not_found", `There is no programme ${campaign.program}.`)
    return {
      campaign: shown(campaign, now()),
      runs: newest.map((one) => shownRun(one, campaign)),
      attribution: attributionOf(counts, currency)
    }
  })

  return { put, list, setStatus, run, listRuns, report }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_campaigns", (handlers) =>
  Effect.map(make, (campaigns) =>
    handlers
      .handle("putCampaign", ({ payload }) => campaigns.put(payload))
      .handle("campaigns", ({ query }) => campaigns.list(query))
      .handle("setCampaignStatus", ({ payload }) => campaigns.setStatus(payload))
      .handle("runCampaign", ({ payload }) => campaigns.run(payload))
      .handle("campaignRuns", ({ query }) => campaigns.listRuns(query))
      .handle("campaignReport", ({ query }) => campaigns.report(query.campaign_id))
  )
)
