/**
 * Campaigns: rewards or credits for a segment's members, their runs and reports (contract/engagement.md *Campaigns*).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { grouped, told } from "../Said.ts"
import {
  field,
  Identifier,
  maxAmount,
  NewIdentifier,
  optional,
  Reason,
  Text,
  Timestamp,
  Unit,
  whole
} from "../Values.ts"
import { Attribution } from "./Attribution.ts"
import { campaignConditions } from "./CampaignConditions.ts"
import { CampaignCost, CampaignGiven } from "./CampaignGiven.ts"
import { CampaignMailed } from "./CampaignMail.ts"
import { CampaignOutcome, OutcomeStatus } from "./CampaignOutcome.ts"
import { Schedule } from "./CampaignSchedule.ts"
import examples from "./campaignExamples.json" with { type: "json" }
import { guestTexts, memberCampaigns } from "./GivenCampaigns.ts"
import { expectedVersion, platformPath, programId, version } from "./Platform.ts"
import { expectedSeen, ForecastQuery, RunForecast } from "./RunForecast.ts"
import { Frequency, Trigger, Triggered } from "./Triggers.ts"

export const campaignsPath = `${platformPath}/campaigns` as const

/** Number of outcomes in the answer of `campaigns/run`. */
export const shownOutcomes = 100
/** Number of runs in a report. */
export const reportedRuns = 100
export const defaultAttributionDays = 7

/** Shortest and longest lifetime of an issued reward, seconds: a minute and a hundred years. */
const minTtlSeconds = 60
export const maxTtlSeconds = 3_153_600_000
const Ttl = whole(minTtlSeconds, maxTtlSeconds, told`must be a whole number from ${minTtlSeconds} to ${maxTtlSeconds}`)
const AttributionDays = whole(1, 90, told`must be a whole number from ${1} to ${90}`)
const Positive = whole(1, Number.MAX_SAFE_INTEGER, told`must be a whole number of at least ${1}`)
const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")

export const IssueReward = Schema.Struct({
  reward_id: field(Identifier, "The reward of the programme to issue."),
  expires_in_seconds: optional(
    Ttl,
    "Lifetime of the issued rewards from the start of the run. Absent: they do not expire."
  )
}).annotate({ identifier: "CampaignReward", description: "Issues a reward to each member." })

export const Credit = Schema.Struct({
  amount: field(
    whole(1, maxAmount, told`must be a whole number from ${1} to ${grouped(10_000_000_000)}`),
    "Points to credit to each member, at most 10,000,000,000."
  ),
  unit: optional(Unit, "Unit of the account to credit. Absent: the primary account."),
  reason: field(Reason, "The reason in the ledger entry. Its classification is `bonus`.")
}).annotate({ identifier: "CampaignCredit", description: "Credits each member." })

export const CampaignAction = Schema.Struct({
  issue_reward: optional(IssueReward, "Issues a reward to each member."),
  credit: optional(Credit, "Credits each member.")
}).annotate({
  identifier: "CampaignAction",
  description: "The reward or credit that each member gets: exactly one of the two."
})
export type CampaignAction = typeof CampaignAction.Type

export const Limit = Schema.Struct({
  rewards: optional(Positive, "Most members that get a reward or credit, over all runs."),
  amount: optional(Positive, "Most points to credit, over all runs. Only with `action.credit`.")
}).annotate({ identifier: "CampaignLimit", description: "Limits of a campaign over all its runs." })

const HoldoutPercent = whole(0, 90, told`must be a whole number from ${0} to ${90}`)

export const CampaignStatus = Schema.Literals([
  "draft",
  "active",
  "paused",
  "archived",
  "scheduled",
  "completed",
  "expired"
])
export type CampaignStatus = typeof CampaignStatus.Type

export const Campaign = Schema.Struct({
  campaign_id: field(Identifier, "The campaign's id, unique in the service."),
  program_id: field(Identifier, "The programme of its members."),
  name: field(Text, "The campaign's name."),
  ...guestTexts,
  segment_id: optional(
    Identifier,
    "The segment of members to reach. With a trigger: who gets something must be in it then; absent: anybody."
  ),
  action: field(CampaignAction, "The reward or credit that each member gets."),
  schedule: optional(Schedule, "The time in which it may run, and its scheduled runs."),
  trigger: optional(Trigger, "The event that gives something, instead of runs."),
  next_run_at: optional(Timestamp, "Time of the next scheduled run."),
  holdout_percent: field(
    HoldoutPercent,
    "Percentage of members who get nothing, for comparison. It cannot change after the first run."
  ),
  limit: optional(Limit, "Limits over all that it gives; absent: no limit."),
  frequency: optional(Frequency, "How often one member gets something; absent: without this bound."),
  attribution_days: field(AttributionDays, "Days after a member was reached in which its orders count as conversions."),
  status: field(
    CampaignStatus,
    "`draft`, `active`, `paused` and `archived` are set by callers. An active campaign is `scheduled` before its start, `expired` after its end, and `completed` once its limit is used up."
  ),
  version,
  created_at: field(Timestamp, "When it was created."),
  updated_at: field(Timestamp, "When it or its status last changed.")
}).annotate({ identifier: "Campaign", description: "A campaign: a reward or credit for the members of a segment." })
export type Campaign = typeof Campaign.Type

export const CampaignFacts = Schema.Struct({
  campaign_id: optional(
    NewIdentifier,
    "Id of the campaign to create or replace. Absent: a new campaign with an id from the service."
  ),
  name: field(Text, "The campaign's name."),
  ...guestTexts,
  program_id: optional(
    Identifier,
    "Its programme, which cannot change. May be omitted if the campaign exists, or if the caller can access exactly one programme."
  ),
  segment_id: optional(
    Identifier,
    "The segment of members to reach, in the same programme. Required without a trigger. With one: who gets something must be in it then."
  ),
  action: optional(CampaignAction, "The reward or credit that each member gets. Required unless `reward_id` is given."),
  reward_id: optional(Identifier, "Short form of `action.issue_reward.reward_id`."),
  issued_reward_ttl_seconds: optional(Ttl, "Short form of `action.issue_reward.expires_in_seconds`."),
  schedule: optional(
    Schedule,
    "The time in which it may run, and its scheduled runs. Absent: only runs that callers start, at any time."
  ),
  trigger: optional(
    Trigger,
    "The event that gives something, instead of runs and a schedule. A campaign has a trigger for ever or never."
  ),
  starts_at: optional(Timestamp, "Short form of `schedule.starts_at`."),
  ends_at: optional(Timestamp, "Short form of `schedule.ends_at`."),
  holdout_percent: optional(
    HoldoutPercent,
    "Percentage of members who get nothing, for comparison. It cannot change after the first run. Absent: unchanged, or 0 for a new campaign."
  ),
  limit: optional(Limit, "Limits over all that it gives. Absent: no limit."),
  frequency: optional(
    Frequency,
    "How often one member gets something of this campaign. Absent: without this bound. Required with `trigger.to`."
  ),
  attribution_days: optional(
    AttributionDays,
    `Days after a member was reached in which its orders count as conversions. Absent: ${defaultAttributionDays}.`
  ),
  attribution_window_days: optional(AttributionDays, "Other name of `attribution_days`."),
  expected_version: expectedVersion
})
  .check(...campaignConditions)
  .annotate({
    identifier: "CampaignFacts",
    description:
      "A campaign to create or replace. Absent properties are removed, unless their description says otherwise."
  })
export type CampaignFacts = typeof CampaignFacts.Type

const run = {
  run_id: field(Identifier, "The run's id, unique in the service."),
  campaign_id: field(Identifier, "The campaign."),
  run_key: optional(Text, "The run's key. For a scheduled run it is the time of the occurrence."),
  status: field(
    Schema.Literals(["running", "paused", "completed"]),
    "`paused` while the campaign is not active; the run continues once it is."
  ),
  selected: field(Count, "Members of the segment that were selected. It grows during the selection."),
  issued: field(Count, "Members that got a reward or credit."),
  skipped: field(
    Count,
    "Members that got nothing, because they were reached before, often enough or merged, or the limit was used up."
  ),
  failed: field(Count, "Members whose grant was refused. A later run tries them again."),
  holdout: field(Count, "Members in the holdout."),
  limit_reached: field(Schema.Boolean, "True if the campaign's limit was reached."),
  started_by: optional(Text, "The name of the key that started it; absent: the campaign's schedule."),
  started_at: field(Timestamp, "When it started."),
  completed_at: optional(Timestamp, "When it was complete."),
  outcomes_deleted: optional(
    Schema.Literal(true),
    "The campaign ended so long ago that outcomes `skipped` and `failed` are deleted; their numbers stay."
  )
}

export const RunListed = Schema.Struct(run).annotate({ identifier: "CampaignRun", description: "A run of a campaign." })
export type RunListed = typeof RunListed.Type

export const RunShown = Schema.Struct({
  ...run,
  outcomes: field(Schema.Array(CampaignOutcome), "Outcomes of members, sorted by enrolment of the members.")
}).annotate({ identifier: "CampaignRunShown", description: "A run of a campaign with outcomes of its members." })
export type RunShown = typeof RunShown.Type

const CampaignOnly = Schema.Struct({ campaign: field(Campaign, "The campaign as it is now.") }).annotate({
  identifier: "CampaignOnly"
})

export const CampaignQuery = Schema.Struct({
  campaign_id: optional(Identifier, "Returns only this campaign, as `campaign`, or 404."),
  program_id: programId,
  ...page
})
export type CampaignQuery = typeof CampaignQuery.Type

const CampaignList = Schema.Struct({
  campaigns: field(Schema.Array(Campaign), "A page of campaigns, newest first."),
  next_cursor: nextCursor
}).annotate({ identifier: "CampaignList" })

export const StatusChange = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  status: field(
    Schema.Literals(["draft", "active", "paused", "archived"]),
    "Its new status. `archived` keeps it for its history alone, until another status restores it."
  ),
  expected_version: expectedVersion,
  seen: expectedSeen
})
export type StatusChange = typeof StatusChange.Type

const DeletedDraft = Schema.Struct({ campaign_id: field(Identifier, "The draft.") }).annotate({
  identifier: "DeleteCampaign",
  description: "Deletes a draft."
})

export const RunStart = Schema.Struct({
  campaign_id: field(Identifier, "The campaign. Its status must be `active` or `completed`."),
  run_key: optional(
    Text,
    "Each member gets at most one grant for each key. Absent: at most one grant of all runs without a key. Runs with other keys do not matter."
  ),
  expected_version: expectedVersion,
  seen: expectedSeen
})
export type RunStart = typeof RunStart.Type

export const TestStart = Schema.Struct({
  campaign_id: field(Identifier, "The campaign, in any status but `archived`."),
  member_id: field(Identifier, "The member who gets what the campaign gives.")
})
export type TestStart = typeof TestStart.Type

const RunOnly = Schema.Struct({
  run: field(RunShown, `The run, with its first ${shownOutcomes} outcomes. A long run continues in the background.`)
})

export const RunQuery = Schema.Struct({
  campaign_id: field(Identifier, "The campaign."),
  run_id: optional(Identifier, "Returns only this run, as `run`, with a page of its outcomes."),
  outcome: optional(OutcomeStatus, "Only members with this outcome. Only with `run_id`."),
  ...page
})
export type RunQuery = typeof RunQuery.Type

const RunList = Schema.Struct({
  runs: field(Schema.Array(RunListed), "A page of runs, newest first."),
  next_cursor: nextCursor
}).annotate({ identifier: "CampaignRunList" })

const RunPage = Schema.Struct({
  run: field(RunShown, "The run, with a page of its outcomes."),
  next_cursor: nextCursor
}).annotate({ identifier: "CampaignRunPage" })

export const Report = Schema.Struct({
  campaign: field(Campaign, "The campaign."),
  triggered: optional(Triggered, "What became of the events that triggered it; absent without a trigger."),
  runs: field(Schema.Array(RunListed), `Its newest runs, at most ${reportedRuns}, newest first.`),
  given: field(CampaignGiven, "What it gave over all its runs and events."),
  cost: field(CampaignCost, "What that has cost until now."),
  mailed: optional(CampaignMailed, "What became of its mails. Absent: there were none."),
  attribution: field(Attribution, "Conversions over all its runs.")
})

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const reportCodes = listCodes.filter((code) => code !== "invalid_cursor")
const forecastCodes: ReadonlyArray<ProblemCode> = [...reportCodes, "invalid_state"]
const putCodes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "not_found",
  "invalid_state",
  "conflict",
  "limit_exceeded"
]
const deleteCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state"]
const runCodes: ReadonlyArray<ProblemCode> = [...putCodes, "program_retired"]
const testCodes: ReadonlyArray<ProblemCode> = [...runCodes, "member_not_active", "expired"]

export class Campaigns extends HttpApiGroup.make("platform_campaigns")
  .add(
    HttpApiEndpoint.put("putCampaign", campaignsPath, {
      payload: CampaignFacts,
      success: CampaignOnly,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "campaign.put",
        "Create or replace a campaign",
        "A new campaign is a `draft`; replacing one keeps its status, and an archived one is `invalid_state`. A run that is in progress keeps its action.",
        putCodes,
        examples.putCampaign
      )
    ),
    HttpApiEndpoint.get("campaigns", campaignsPath, {
      query: CampaignQuery,
      success: Schema.Union([CampaignList, CampaignOnly]).annotate({ identifier: "CampaignsShown" }),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "campaign.list",
        "Find campaigns",
        "A page of a programme's campaigns, or one campaign. All filters must match.",
        listCodes,
        examples.campaigns,
        true
      )
    ),
    HttpApiEndpoint.post("setCampaignStatus", `${campaignsPath}/status`, {
      payload: StatusChange,
      success: CampaignOnly,
      error: problems(putCodes)
    })
      .annotateMerge(
        annotated(
          "campaign.set_status",
          "Start, pause, withdraw or archive a campaign",
          "`paused`, `draft` and `archived` stop its runs: after the response no member gets anything. `active` continues them. Scheduled " +
            "occurrences in the meantime do not run. Answers `invalid_state` for an archived campaign whose segment is archived, and " +
            "`conflict` if another version than `expected_version` is in force, or another audience than `seen`, and the status is not the new one already.",
          putCodes,
          examples.setCampaignStatus,
          true
        )
      )
      .annotate(AccessOf, { isRepeatable: true }),
    HttpApiEndpoint.post("deleteCampaign", `${campaignsPath}/delete`, {
      payload: DeletedDraft,
      success: CampaignOnly,
      error: problems(deleteCodes)
    }).annotateMerge(
      annotated(
        "campaign.delete",
        "Delete a draft of a campaign",
        "Answers `invalid_state` unless it is a `draft` that was never active.",
        deleteCodes,
        examples.deleteCampaign
      )
    ),
    HttpApiEndpoint.post("runCampaign", `${campaignsPath}/run`, {
      payload: RunStart,
      success: RunOnly,
      error: problems(runCodes)
    })
      .annotateMerge(
        annotated(
          "campaign.run",
          "Run a campaign",
          "Answers when the run is complete, or after some seconds while it continues in the background; only the campaign's " +
            "status stops it. If the answer was lost, send the same request again: no member gets anything twice, and an " +
            "unfinished run with the same key is returned. Answers `conflict` if another version than `expected_version` is in force, or another audience than `seen`.",
          runCodes,
          examples.runCampaign,
          true
        )
      )
      .annotate(AccessOf, { isRepeatable: true }),
    HttpApiEndpoint.post("testCampaign", `${campaignsPath}/test`, {
      payload: TestStart,
      success: Schema.Struct({ outcome: field(CampaignOutcome, "What the member got.") }),
      error: problems(testCodes)
    }).annotateMerge(
      annotated(
        "campaign.test",
        "Test a campaign with one member",
        "The member gets what the campaign gives for real, marked as a test in the ledger. It counts in no report, limit, " +
          "frequency or run of the campaign.",
        testCodes,
        examples.testCampaign
      )
    ),
    HttpApiEndpoint.get("campaignRuns", `${campaignsPath}/runs`, {
      query: RunQuery,
      success: Schema.Union([RunList, RunPage]).annotate({ identifier: "CampaignRunsShown" }),
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "campaign_run.list",
        "Show runs of a campaign",
        "A page of runs, or one run with a page of its outcomes.",
        listCodes,
        examples.campaignRuns,
        true
      )
    ),
    HttpApiEndpoint.get("previewCampaignRun", `${campaignsPath}/run/preview`, {
      query: ForecastQuery,
      success: Schema.Struct({ forecast: field(RunForecast, "Whom a run would reach now.") }),
      error: problems(forecastCodes)
    }).annotateMerge(
      annotated(
        "campaign_run.preview",
        "Preview a run of a campaign",
        "Counts the members whom a run would reach now. Changes nothing.",
        forecastCodes,
        examples.previewCampaignRun,
        true
      )
    ),
    HttpApiEndpoint.get("campaignReport", `${campaignsPath}/report`, {
      query: Schema.Struct({ campaign_id: field(Identifier, "The campaign.") }),
      success: Report,
      error: problems(reportCodes)
    }).annotateMerge(
      annotated(
        "campaign_report.show",
        "Show the report of a campaign",
        "A conversion is an order in the `attribution_days` after a member was reached or held out. ",
        reportCodes,
        examples.campaignReport,
        true
      )
    ),
    memberCampaigns
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Campaigns",
      description: "Rewards and credits for the members of segments, and reports."
    })
  ) {}
