/** Campaigns: what the members of a segment are given, runs of it, and what they brought (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import {
  bounded,
  field,
  Identifier,
  Integer,
  Money,
  NewIdentifier,
  optional,
  Reason,
  Text,
  Timestamp,
  Unit,
  whole
} from "../Values.ts"
import { PlatformKey, platformPath } from "./Common.ts"
import examples from "./campaignExamples.json" with { type: "json" }

export const campaignsPath = `${platformPath}/campaigns` as const

/** Outcomes that the answer of a run has. */
export const shownOutcomes = 100
/** Runs that a report lists. */
export const reportedRuns = 100
export const defaultAttributionDays = 7

/** Shortest and longest life of a reward that is issued, seconds: a minute, a hundred years. */
const minTtlSeconds = 60
const maxTtlSeconds = 3_153_600_000
const Ttl = whole(minTtlSeconds, maxTtlSeconds, `must be a whole number from ${minTtlSeconds} to ${maxTtlSeconds}`)
const AttributionDays = whole(1, 90, "must be a whole number from 1 to 90")
const Positive = whole(1, Number.MAX_SAFE_INTEGER, "must be a whole number of at least 1")
const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")
const Bps = whole(0, 10_000, "must be a share in basis points")

export const IssueReward = Schema.Struct({
  reward_id: field(Identifier, "The reward of the programme that each member is issued."),
  expires_in_seconds: optional(Ttl, "How long it can be claimed, from the start of the run; absent: without an end.")
}).annotate({ identifier: "CampaignReward", description: "Issues a reward to each member." })

export const Credit = Schema.Struct({
  amount: field(Positive, "What each member is credited."),
  unit: optional(Unit, "The account that it goes to; absent: the primary one."),
  reason: field(Reason, "The reason on the ledger's entry, whose classification is `bonus`.")
}).annotate({ identifier: "CampaignCredit", description: "Credits each member." })

export const Action = Schema.Struct({
  issue_reward: optional(IssueReward, "Issues a reward to each member."),
  credit: optional(Credit, "Credits each member.")
}).annotate({ identifier: "CampaignAction", description: "What each member is given: exactly one of the two." })
export type Action = typeof Action.Type

export const Repeat = Schema.Struct({
  cron: field(bounded(9, 200), "Minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`."),
  time_zone: optional(
    bounded(1, 64),
    "The IANA zone of these; absent: that of the programme's tier policy, else UTC. A local time that a day does not have is skipped; one that it has twice counts the first time."
  )
}).annotate({ identifier: "CampaignRepeat", description: "When a campaign runs by itself." })

export const Schedule = Schema.Struct({
  starts_at: optional(Timestamp, "Nothing runs before; it is no occurrence itself."),
  ends_at: optional(Timestamp, "No run begins then or later."),
  repeat: optional(Repeat, "Runs by itself at each occurrence; of those missed while no service ran, at the last.")
}).annotate({ identifier: "CampaignSchedule", description: "When a campaign may run, and when it does by itself." })

export const Limit = Schema.Struct({
  rewards: optional(Positive, "Members that are given something, of all runs together."),
  amount: optional(Positive, "Points credited, of all runs together; with `credit` alone.")
}).annotate({ identifier: "CampaignLimit", description: "How much a campaign gives at the most." })

const HoldoutPercent = whole(0, 90, "must be a whole number from 0 to 90")

export const CampaignStatus = Schema.Literals(["draft", "active", "paused", "scheduled", "completed", "expired"])
export type CampaignStatus = typeof CampaignStatus.Type

export const Campaign = Schema.Struct({
  campaign_id: field(Identifier, "The campaign's id, unique in the service."),
  program_id: field(Identifier, "The programme that its members belong to."),
  name: field(Text, "The campaign's name."),
  segment_id: field(Identifier, "The segment whose members are given something."),
  action: field(Action, "What each member is given."),
  schedule: optional(Schedule, "When it may run, and when it does by itself."),
  next_run_at: optional(Timestamp, "When it runs by itself next."),
  holdout_percent: field(
    HoldoutPercent,
    "Share of members that are given nothing, to compare with; fixed by the first run."
  ),
  limit: optional(Limit, "How much it gives at the most."),
  attribution_days: field(AttributionDays, "Orders so many days after a member was reached count as conversions."),
  status: field(
    CampaignStatus,
    "`draft`, `active` and `paused` as they were set; an active one is `scheduled` before it starts, `expired` after it ended, `completed` when its limit is used up."
  ),
  created_at: field(Timestamp, "When it was made."),
  updated_at: field(Timestamp, "When it was changed last, its status included.")
}).annotate({ identifier: "Campaign", description: "What the members of a segment are given, and when." })
export type Campaign = typeof Campaign.Type

export const CampaignFacts = Schema.Struct({
  campaign_id: optional(
    NewIdentifier,
    "The campaign to change, or the id of a new one; absent: the service makes one."
  ),
  name: field(Text, "The campaign's name."),
  program_id: optional(Identifier, "Its programme, for good; may be left out where the token reaches only one."),
  segment_id: field(Identifier, "A segment of the programme."),
  action: optional(Action, "What each member is given; this or `reward_id`."),
  reward_id: optional(Identifier, "The same as `action.issue_reward.reward_id`."),
  issued_reward_ttl_seconds: optional(Ttl, "The same as `action.issue_reward.expires_in_seconds`."),
  schedule: optional(Schedule, "When it may run, and when it does by itself; absent: whenever it is asked to."),
  starts_at: optional(Timestamp, "The same as `schedule.starts_at`."),
  ends_at: optional(Timestamp, "The same as `schedule.ends_at`."),
  holdout_percent: optional(
    HoldoutPercent,
    "Share of members that are given nothing, to compare with; fixed by the first run. Absent: as it was, 0 for a new one."
  ),
  limit: optional(Limit, "How much it gives at the most; absent: no limit."),
  attribution_days: optional(
    AttributionDays,
    `Orders so many days after a member was reached count as conversions; absent: ${defaultAttributionDays}.`
  ),
  attribution_window_days: optional(AttributionDays, "The same as `attribution_days`.")
}).annotate({ identifier: "CampaignFacts", description: "A campaign as it is sent, whole." })
export type CampaignFacts = typeof CampaignFacts.Type

export const OutcomeStatus = Schema.Literals(["issued", "skipped", "failed", "holdout"])
export type OutcomeStatus = typeof OutcomeStatus.Type

export const Outcome = Schema.Struct({
  member_id: field(Identifier, "The member."),
  status: field(OutcomeStatus, "What became of the member in this run."),
  code: optional(
    Schema.String,
    "Why nothing was given: of `skipped` `already_reached`, `limit_reached` or `member_merged`; of `failed` a problem code."
  ),
  issued_reward_id: optional(Identifier, "The reward that was issued."),
  adjustment_id: optional(Identifier, "The credit's adjustment.")
}).annotate({ identifier: "CampaignOutcome", description: "What became of a member in a run." })
export type Outcome = typeof Outcome.Type

const run = {
  run_id: field(Identifier, "The run's id, unique in the service."),
  campaign_id: field(Identifier, "The campaign."),
  run_key: optional(Text, "Its key; of a scheduled run the instant of its occurrence."),
  status: field(
    Schema.Literals(["running", "paused", "completed"]),
    "`paused` while its campaign is not active; it goes on by itself then."
  ),
  selected: field(Count, "Members of the segment when the run began; it grows at first."),
  issued: field(Count, "Members that were given something."),
  skipped: field(Count, "Members that were given nothing, as they were before, or the limit was used up."),
  failed: field(Count, "Members that could not be given anything; a later run tries them again."),
  holdout: field(Count, "Members that are held out."),
  limit_reached: field(Schema.Boolean, "Whether the campaign's limit ended it."),
  started_at: field(Timestamp, "When it was started."),
  completed_at: optional(Timestamp, "When it ended.")
}

export const RunListed = Schema.Struct(run).annotate({ identifier: "CampaignRun", description: "A run of a campaign." })
export type RunListed = typeof RunListed.Type

export const RunShown = Schema.Struct({
  ...run,
  outcomes: field(Schema.Array(Outcome), "What became of members, in the order in which it was done.")
}).annotate({ identifier: "CampaignRunShown", description: "A run of a campaign with what became of its members." })
export type RunShown = typeof RunShown.Type

export const CampaignOnly = Schema.Struct({ campaign: field(Campaign, "The campaign as it is now.") })

export const CampaignQuery = Schema.Struct({
  campaign_id: optional(Identifier, "Only this campaign, as `campaign`."),
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  ...page
})
export type CampaignQuery = typeof CampaignQuery.Type

export const CampaignList = Schema.Struct({
  campaigns: field(Schema.Array(Campaign), "The page, the newest campaign first."),
  next_cursor: nextCursor
})

export const StatusChange = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  status: field(Schema.Literals(["draft", "active", "paused"]), "Its new status.")
})
export type StatusChange = typeof StatusChange.Type

export const RunStart = Schema.Struct({
  campaign_id: field(Identifier, "The campaign, which must be active."),
  run_key: optional(
    Text,
    "Gives something to each member once a key. Without one: once a campaign, for ever, whatever runs with keys gave."
  )
})
export type RunStart = typeof RunStart.Type

export const RunOnly = Schema.Struct({
  run: field(RunShown, `The run, with the first ${shownOutcomes} outcomes. A long one goes on by itself.`)
})

export const RunQuery = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  run_id: optional(Identifier, "Only this run, as `run`, with the page of its outcomes."),
  ...page
})
export type RunQuery = typeof RunQuery.Type

export const RunList = Schema.Struct({
  runs: field(Schema.Array(RunListed), "The page, the newest run first."),
  next_cursor: nextCursor
})

export const RunPage = Schema.Struct({
  run: field(RunShown, "The run, with a page of its outcomes."),
  next_cursor: nextCursor
})

export const Attribution = Schema.Struct({
  targeted_members: field(Count, "Members that were given something, in whichever run."),
  converted_members: field(Count, "Those with an order within the window."),
  conversions: field(Count, "Their orders within the window; an order within several counts once."),
  attributed_value: field(Schema.Array(Money), "What these orders were worth, net of refunds; empty without any."),
  conversion_rate_bps: field(Bps, "Converted members over targeted ones; 0 without any."),
  holdout: field(
    Schema.Struct({
      members: field(Count, "Members that were held out."),
      converted_members: field(Count, "Those with an order within the same window."),
      conversion_rate_bps: field(Bps, "Their share; 0 without any.")
    }),
    "The same of those who were given nothing."
  ),
  lift_bps: field(Integer, "The rate less that of the holdout; 0 where nobody is held out.")
}).annotate({ identifier: "CampaignAttribution", description: "What a campaign brought, and what came without it." })
export type Attribution = typeof Attribution.Type

export const Report = Schema.Struct({
  campaign: field(Campaign, "The campaign."),
  runs: field(Schema.Array(RunListed), `Its newest runs, at most ${reportedRuns}.`),
  attribution: field(Attribution, "Over all its runs.")
})

export const ReportQuery = Schema.Struct({ campaign_id: field(Identifier, "The campaign.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const reportCodes = listCodes.filter((code) => code !== "invalid_cursor")
const putCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state", "conflict"]
/** What is safe to repeat has no key. */
const withoutKeys = changeProblems.filter((code) => code !== "idempotency_conflict")
const statusCodes: ReadonlyArray<ProblemCode> = [...withoutKeys, "not_found"]
const runCodes: ReadonlyArray<ProblemCode> = [...withoutKeys, "not_found", "invalid_state"]

export class Campaigns extends HttpApiGroup.make("platform_campaigns")
  .add(
    HttpApiEndpoint.put("putCampaign", campaignsPath, {
      payload: CampaignFacts,
      success: CampaignOnly,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "putCampaign",
        "Make or change a campaign",
        "A new one is a `draft`. A run that goes on keeps the action that it began with. Scope: `platform:write`.",
        putCodes,
        examples.putCampaign
      )
    ),
    HttpApiEndpoint.get("campaigns", campaignsPath, {
      query: CampaignQuery,
      success: Schema.Union([CampaignList, CampaignOnly]),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "campaigns",
        "Find campaigns",
        "The newest first, or one. Scope: `platform:read`.",
        listCodes,
        examples.campaigns,
        true
      )
    ),
    HttpApiEndpoint.post("setCampaignStatus", `${campaignsPath}/status`, {
      payload: StatusChange,
      success: CampaignOnly,
      error: problems(statusCodes)
    })
      .annotateMerge(
        annotated(
          "setCampaignStatus",
          "Start, pause or withdraw a campaign",
          "While it is not active, its runs stop between two members; nothing is given once this has answered. " +
            "Occurrences that pass meanwhile are not made up for. Scope: `platform:write`.",
          statusCodes,
          examples.setCampaignStatus,
          true,
          false
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true }),
    HttpApiEndpoint.post("runCampaign", `${campaignsPath}/run`, {
      payload: RunStart,
      success: RunOnly,
      error: problems(runCodes)
    })
      .annotateMerge(
        annotated(
          "runCampaign",
          "Run a campaign",
          "Answers when the run has ended, or after some seconds while it goes on; nothing stops it but the campaign's " +
            "status. Send the same again where the answer was lost: nobody is given anything twice, and a run that goes on " +
            "is answered as it is. Scope: `platform:write`.",
          runCodes,
          examples.runCampaign,
          true,
          false
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true }),
    HttpApiEndpoint.get("campaignRuns", `${campaignsPath}/runs`, {
      query: RunQuery,
      success: Schema.Union([RunList, RunPage]),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "campaignRuns",
        "Show runs of a campaign",
        "The newest first, or one with what became of its members. Scope: `platform:read`.",
        listCodes,
        examples.campaignRuns,
        true
      )
    ),
    HttpApiEndpoint.get("campaignReport", `${campaignsPath}/report`, {
      query: ReportQuery,
      success: Report,
      error: problems(reportCodes)
    }).annotateMerge(
      annotated(
        "campaignReport",
        "Show what a campaign brought",
        "A conversion is an order within the window after the member was reached; the holdout has the same window. " +
          "Scope: `platform:read`.",
        reportCodes,
        examples.campaignReport,
        true
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Campaigns",
      description: "What members of segments are given, once, and what it brings."
    })
  ) {}
