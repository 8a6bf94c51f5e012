/** How many members of a campaign and of its holdout ordered (contract/engagement.md *Campaign reports*). */
import { Schema } from "effect"
import { field, Integer, MoneySum, optional, whole } from "../Values.ts"

/** Members that each of two groups needs before their rates are compared: below, one member is more than three percentage points. */
export const comparedMembers = 30

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")
const Bps = whole(0, 10_000, "must be a share in basis points")

export const Attribution = Schema.Struct({
  targeted_members: field(Count, "Members that got a reward or credit in any run."),
  converted_members: field(Count, "Of these, the members with an order in the window."),
  conversions: field(Count, "Orders of these members in the window. An order in several windows counts once."),
  attributed_value: field(
    Schema.Array(MoneySum),
    "Eligible spend of these orders, net of refunds; empty if there are none."
  ),
  conversion_rate_bps: field(
    Bps,
    "Share of the targeted members who converted, in basis points, rounded down; 0 if there are none."
  ),
  holdout: field(
    Schema.Struct({
      members: field(Count, "Members in the holdout of any run."),
      converted_members: field(Count, "Of these, the members with an order in a window of the same length."),
      conversion_rate_bps: field(
        Bps,
        "Share of the holdout who converted, in basis points, rounded down; 0 if there are none."
      ),
      conversions: field(Count, "Orders of these members in a window of the same length."),
      attributed_value: field(
        Schema.Array(MoneySum),
        "Eligible spend of these orders, net of refunds; empty if there are none."
      )
    }),
    "The same figures for the members who got nothing."
  ),
  lift_bps: field(
    Integer,
    "`conversion_rate_bps` minus that of the holdout; may be negative; 0 if nobody is held out."
  ),
  lift_interval_bps: optional(
    Schema.Struct({
      low: field(Integer, "Its lower end, in basis points."),
      high: field(Integer, "Its upper end, in basis points.")
    }),
    `The range that the lift is in with a confidence of 95 %; absent while either group has fewer than ${comparedMembers} members.`
  )
}).annotate({ identifier: "CampaignAttribution", description: "Conversions of a campaign and of its holdout." })
export type Attribution = typeof Attribution.Type
