/** Figures of a campaign's gifts (contract/engagement.md *Campaign reports*). */
import { Schema } from "effect"
import { field, MoneySum, optional, Unit, whole } from "../Values.ts"

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")

export const CampaignGiven = Schema.Struct({
  rewards_issued: field(Count, "Rewards that it issued."),
  rewards_redeemed: field(Count, "Of these, the rewards that are redeemed now, also after a merge."),
  points: field(
    Schema.Array(
      Schema.Struct({ unit: field(Unit, "Unit of the account."), amount: field(Count, "Points that it credited.") })
    ),
    "Points that it credited, for each unit; empty if there are none."
  )
}).annotate({
  identifier: "CampaignGiven",
  description: "What a campaign gave over all its runs and events, without tests."
})
export type CampaignGiven = typeof CampaignGiven.Type

export const CampaignCost = Schema.Struct({
  points: optional(
    MoneySum,
    "The points that it credited on the primary account, by the programme's `point_value` now. Absent: there are none, or no `point_value`."
  ),
  rewards: field(MoneySum, "Its redeemed rewards, by their discount or `max_value` now; a custom or removed one at 0."),
  unvalued_rewards: field(Count, "Of these rewards, the custom and removed ones, of which nobody knows what they cost.")
}).annotate({
  identifier: "CampaignCost",
  description: "What a campaign has cost until now, as far as it can be told."
})
export type CampaignCost = typeof CampaignCost.Type
