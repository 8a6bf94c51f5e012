/** Figures of a campaign's gifts (contract/engagement.md *Campaign reports*). */
import { Schema } from "effect"
import { field, Unit, whole } from "../Values.ts"

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
