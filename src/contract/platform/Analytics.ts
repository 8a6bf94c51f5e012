/** What a programme does, in figures (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, readProblems, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bounded, field, Identifier, Integer, Money, optional, Timestamp, Unit } from "../Values.ts"
import examples from "./analyticsExamples.json" with { type: "json" }
import { PlatformKey, platformPath } from "./Common.ts"

export const analyticsPath = `${platformPath}/analytics` as const

/** Longest range of one question, days: every day of it is in the answer. */
export const maxRangeDays = 3_700
/** Length of the range that is taken where none is given, days. */
export const defaultRangeDays = 30

export const Bucket = Schema.Literals(["day", "week", "month"])
export type Bucket = typeof Bucket.Type

const Counted = Schema.Struct({
  key: field(Schema.String, "What is counted."),
  count: field(Integer, "How many there are.")
}).annotate({ identifier: "Counted", description: "A count of a list." })

const counts = (description: string) => field(Schema.Array(Counted), description)

const Range = Schema.Struct({
  from: field(Timestamp, "The first instant that counts: that of the request, back to a quarter of an hour."),
  until: field(Timestamp, "The first instant that counts no more: that of the request, on to a quarter of an hour."),
  bucket: field(Bucket, "Length of the parts of `ledger_by_bucket`."),
  time_zone: field(Schema.String, "The zone whose calendar days, weeks and months count."),
  location_id: optional(Identifier, "The only location that counts, where one was asked for.")
})

const Profiles = Schema.Struct({
  total: field(Integer, "Members with a profile, now."),
  marketing_consented: field(Integer, "Members who agree to marketing as a whole, now."),
  with_email: field(Integer, "Profiles with an e-mail address, now."),
  with_phone: field(Integer, "Profiles with a phone number, now.")
})

const Events = Schema.Struct({
  total: field(Integer, "Events that occurred in the range."),
  unique_members: field(Integer, "Members for whom they were recorded."),
  by_type: counts("Events by type, the most frequent first."),
  by_day: counts("Events by local day, every day of the range.")
})

const Imports = Schema.Struct({
  total: field(Integer, "Imports that began in the range."),
  completed: field(Integer, "Those of them whose rows all went in."),
  failed_rows: field(Integer, "Rows of them that were refused.")
})

const Members = Schema.Struct({
  total: field(Integer, "Members of every status, now."),
  new: field(Integer, "Members who were enrolled in the range."),
  active: field(
    Integer,
    "Members with an order in the range; a merged member's orders are those of the remaining one."
  ),
  by_tier: counts("Members of every status by the tier that they are in now, from the lowest to the highest.")
})

const Balance = Schema.Struct({
  unit: field(Unit, "What the account counts."),
  outstanding: field(Integer, "The sum of all members' balances, those below zero included, now."),
  reserved: field(Integer, "What open reservations hold of it, now."),
  expiring_by_month: counts(
    "Points that expire if they are not spent before, by local month, `YYYY-MM`; what is due and still held is in the present one."
  )
})

const LedgerBucket = Schema.Struct({
  start: field(Timestamp, "The start of the local day, week or month; what lies before `range.from` is not counted."),
  unit: field(Unit, "The account."),
  issued: field(Integer, "Points that accruals posted."),
  redeemed: field(Integer, "Points that redemptions took."),
  reversed: field(Integer, "Points that reversals of redemptions gave back."),
  expired: field(Integer, "Points that expired."),
  adjusted: field(
    Integer,
    "Points that refunds and manual entries posted, less what they took. `issued` − `redeemed` + `reversed` − `expired` + `adjusted` is the change of `outstanding`."
  )
}).annotate({ identifier: "LedgerBucket", description: "What was posted on one account in one part of the range." })

const OrderBucket = Schema.Struct({
  start: field(Timestamp, "The start of the local day, week or month, as in `ledger_by_bucket`."),
  count: field(Integer, "Orders that accrued in it.")
}).annotate({ identifier: "OrderBucket", description: "Orders in one part of the range." })

const Orders = Schema.Struct({
  count: field(Integer, "Orders that accrued in the range."),
  eligible_spend: field(Money, "Their eligible spend, net of all refunds until now."),
  average: field(Money, "The same by order, rounded down; 0 without orders."),
  repeat_rate_bps: field(
    Integer,
    "Members with two orders or more over members with one or more, in basis points, rounded down; 0 without orders."
  ),
  by_location: counts("Orders by location, most orders first."),
  by_bucket: field(Schema.Array(OrderBucket), "Orders by part of the range, every part in the order of time.")
})

const Reward = Schema.Struct({
  reward_id: field(Identifier, "The reward."),
  reserved: field(Integer, "Holds that were made in the range."),
  captured: field(Integer, "Holds that were captured in the range."),
  reversed: field(Integer, "Holds that were released, and captured ones that were refunded, in the range."),
  expired: field(Integer, "Holds that ran out in the range."),
  issued: field(Integer, "Wallet rewards that were issued in the range; these have no location."),
  redeemed: field(Integer, "Captured holds that used a wallet reward.")
}).annotate({ identifier: "RewardFigures", description: "What happened to one reward." })

const Campaigns = Schema.Struct({
  configured: field(Integer, "Campaigns of every status, now."),
  runs: field(Integer, "Runs that began in the range."),
  members_targeted: field(Integer, "Members whom these runs selected, each run's on its own."),
  rewards_issued: field(Integer, "Members whom these runs gave a reward or a credit.")
})

export const Analytics = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(
    Timestamp,
    "Everything that moved points and rewards up to this instant is counted, if not more; it stays behind the present where the figures are being caught up."
  ),
  range: field(Range, "What was asked for."),
  customer_data: field(
    Schema.Struct({
      profiles: field(Profiles, "What is known of members."),
      events: field(Events, "What guests did, as other systems tell it."),
      imports: field(Imports, "Imports of members.")
    }),
    "What is known of guests."
  ),
  loyalty: field(
    Schema.Struct({
      members: field(Members, "How many members there are."),
      balances: field(Schema.Array(Balance), "The programme's accounts, in its order."),
      ledger_by_bucket: field(
        Schema.Array(LedgerBucket),
        "Every part of the range with every account of the programme, in the order of time."
      ),
      orders: field(Orders, "What members bought."),
      rewards: field(Schema.Array(Reward), "The programme's rewards, then those that it had before."),
      campaigns: field(Campaigns, "What campaigns did.")
    }),
    "What the programme does."
  )
}).annotate({ identifier: "Analytics", description: "A programme in figures." })
export type Analytics = typeof Analytics.Type

export const AnalyticsQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  from: optional(
    Timestamp,
    `Only what happened at this instant or later; absent: the start of the local day that makes it ${defaultRangeDays} days.`
  ),
  until: optional(Timestamp, "Only what happened before this instant; absent: now."),
  bucket: optional(Bucket, "Length of the parts of `ledger_by_bucket`; weeks start on Monday. Absent: `day`."),
  time_zone: optional(
    bounded(1, 64),
    "IANA zone of the local calendar, such as `Europe/Berlin`; absent: that of the programme's tier policy, else `UTC`."
  ),
  location_id: optional(
    Identifier,
    "Only orders, entries, holds and events of this location; members, balances, profiles, imports and campaigns have none and stay."
  )
})
export type AnalyticsQuery = typeof AnalyticsQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "not_found"]

export class AnalyticsGroup extends HttpApiGroup.make("platform_analytics")
  .add(
    HttpApiEndpoint.get("analytics", analyticsPath, {
      query: AnalyticsQuery,
      success: Analytics,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "analytics",
        "A programme in figures",
        "Answered from sums that are kept as things happen. What happened is counted in the range; what is said to be " +
          "`now` is that, whatever the range. A figure beyond 2^53 − 1 is shown as that. Scope: `platform:read`.",
        codes,
        examples.analytics,
        true
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Analytics", description: "What a programme does, in figures." })) {}
