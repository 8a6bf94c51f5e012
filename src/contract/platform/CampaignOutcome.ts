/** Outcome of a run for a member (contract/engagement.md *Runs*). */
import { Schema } from "effect"
import { field, Identifier, optional } from "../Values.ts"

export const OutcomeStatus = Schema.Literals(["issued", "skipped", "failed", "holdout"])
export type OutcomeStatus = typeof OutcomeStatus.Type

export const CampaignOutcome = Schema.Struct({
  member_id: field(Identifier, "The member."),
  display_name: optional(
    Schema.String,
    "The member's name; absent without one, and for a caller who may not see members."
  ),
  status: field(OutcomeStatus, "The member's outcome in this run."),
  code: optional(
    Schema.String,
    "Why the member got nothing. With `skipped`: `already_reached` or `frequency_reached`, also by being held out, `limit_reached` or `member_merged`. With `failed`: a problem code."
  ),
  issued_reward_id: optional(Identifier, "The issued reward, with `issued`."),
  adjustment_id: optional(Identifier, "The adjustment of the credit, with `issued`.")
}).annotate({ identifier: "CampaignOutcome", description: "The outcome of a member in a run." })
export type CampaignOutcome = typeof CampaignOutcome.Type
