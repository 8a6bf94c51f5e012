/** Campaigns, their runs and outcomes as they are shown, and as the audit has them. */
import type { CampaignOutcome } from "../../contract/platform/CampaignOutcome.ts"
import type { Campaign, CampaignStatus, RunListed } from "../../contract/platform/Campaigns.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import * as Grants from "./Grants.ts"
import type { DoneMember, StoredRun } from "./RunStore.ts"
import { remaining } from "./Step.ts"

/** The status at an instant. A stored `active` may mean scheduled, expired, or completed by its limit. */
export const statusAt = (campaign: StoredCampaign, now: number): CampaignStatus => {
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

const segmentOf = ({ segment }: StoredCampaign) => (segment === undefined ? undefined : { segment_id: segment })

const triggerOf = ({ frequency, trigger }: StoredCampaign) => ({
  ...(trigger === undefined ? undefined : { trigger }),
  ...(frequency === undefined ? undefined : { frequency })
})

const textsOf = ({ guestDays, guestName, guestText, guestTexts, mail }: StoredCampaign) => ({
  ...(guestName === undefined ? undefined : { guest_name: guestName }),
  ...(guestText === undefined ? undefined : { guest_text: guestText }),
  ...(guestTexts === undefined ? undefined : { guest_texts: guestTexts }),
  ...(guestDays === undefined ? undefined : { guest_days: guestDays }),
  ...(mail === undefined ? undefined : { mail })
})

export const shown = (campaign: StoredCampaign, now: number): Campaign => ({
  campaign_id: campaign.id,
  program_id: campaign.program,
  name: campaign.name,
  ...textsOf(campaign),
  ...segmentOf(campaign),
  action: campaign.action,
  ...triggerOf(campaign),
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
export const auditFacts = (campaign: StoredCampaign) => {
  const { action, attributionDays, holdoutPercent, name, status } = campaign
  return {
    name,
    ...textsOf(campaign),
    ...segmentOf(campaign),
    action,
    ...triggerOf(campaign),
    ...scheduleOf(campaign),
    holdout_percent: holdoutPercent,
    ...limitOf(campaign),
    attribution_days: attributionDays,
    status
  }
}

export const shownRun = (run: StoredRun, { status }: StoredCampaign): RunListed => ({
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
  ...time("completed_at", run.completedAt),
  ...(run.isEmptied ? { outcomes_deleted: true as const } : undefined)
})

export const shownOutcome = (
  claimKey: ClaimKey,
  run: StoredRun,
  { account, code, member, name, outcome }: DoneMember
): CampaignOutcome => {
  const id = Grants.idOf(claimKey, run, account)
  const given = run.action.credit === undefined ? { issued_reward_id: id } : { adjustment_id: id }
  return {
    member_id: member,
    ...(name === null ? undefined : { display_name: name }),
    status: outcome,
    ...(code === null ? undefined : { code }),
    ...(outcome === "issued" ? given : undefined)
  }
}
