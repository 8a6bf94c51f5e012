/** Analytics: figures of a programme (contract/engagement.md *Analytics*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { bounded, ForeignId, field, Identifier, Integer, MoneySum, optional, Sum, Timestamp, Unit } from "../Values.ts"
import examples from "./analyticsExamples.json" with { type: "json" }
import { Owed } from "./Owed.ts"
import { platformPath, programId } from "./Platform.ts"

const analyticsPath = `${platformPath}/analytics` as const

/** Longest range of a query, days: the answer has an item for each day. */
export const maxRangeDays = 3_700
/** Default length of the range, days. */
export const defaultRangeDays = 30

export const Bucket = Schema.Literals(["day", "week", "month"])
export type Bucket = typeof Bucket.Type

const Counted = Schema.Struct({
  key: field(Schema.String, "The type, day, month, tier or location that is counted."),
  count: field(Sum, "The count.")
}).annotate({ identifier: "Counted", description: "A count by key." })

const counts = (description: string) => field(Schema.Array(Counted), description)

const Range = Schema.Struct({
  from: field(Timestamp, "Start of the range: `from` of the request, rounded down to a quarter of an hour."),
  until: field(
    Timestamp,
    "End of the range, which is excluded: `until` of the request, rounded up to a quarter of an hour."
  ),
  bucket: field(Bucket, "Length of the buckets in `ledger_by_bucket` and `by_bucket`."),
  time_zone: field(Schema.String, "The IANA time zone of the local days, weeks and months."),
  location_id: optional(ForeignId, "The location that the figures are limited to; absent: all locations."),
  day: optional(Schema.Literal("business"), "Orders count on their business day; absent: when they accrued."),
  kept_from: optional(
    Timestamp,
    "The range begins before events of guests and single orders are kept: the figures of events, `active` and `repeat_rate_bps` are of this time on."
  )
})

const Profiles = Schema.Struct({
  total: field(Integer, "Members with a profile now."),
  marketing_consented: field(Integer, "Members who consent to marketing as a whole now."),
  with_email: field(Integer, "Profiles with an e-mail address now."),
  with_phone: field(Integer, "Profiles with a phone number now.")
})

const Events = Schema.Struct({
  total: field(Integer, "Events that occurred in the range."),
  unique_members: field(Integer, "Members with at least one of these events."),
  by_type: counts("Events by type, most frequent first."),
  by_day: counts("Events by local day, `YYYY-MM-DD`, for every day of the range.")
})

const Imports = Schema.Struct({
  total: field(Integer, "Imports that were created in the range."),
  completed: field(Integer, "Those of these imports without a failed row."),
  failed_rows: field(Integer, "Failed rows of these imports.")
})

const Members = Schema.Struct({
  total: field(Integer, "Members of every status now."),
  new: field(Integer, "Members who were enrolled in the range."),
  active: field(Integer, "Members with an order in the range. Orders of a merged member count for the remaining one."),
  by_tier: counts("Members of every status by their tier now, lowest tier first.")
})

const Balance = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  outstanding: field(Sum, "The sum of all members' balances now, including negative ones."),
  reserved: field(Sum, "The part of it that open reservations hold now."),
  expiring_by_month: counts(
    "Points that will expire unless they are spent, by local month, `YYYY-MM`. Overdue points that have not expired yet, such as those that a reservation holds, count in the present month."
  )
})

const LedgerBucket = Schema.Struct({
  start: field(Timestamp, "Start of the local day, week or month. Entries before `range.from` are not counted."),
  unit: field(Unit, "The account's unit."),
  issued: field(Sum, "Points that accruals posted."),
  redeemed: field(Sum, "Points that redemptions took."),
  reversed: field(Sum, "Points that reversals of redemptions gave back."),
  expired: field(Sum, "Points that expired."),
  adjusted: field(
    Sum,
    "Net points of refunds, corrections and manual entries; may be negative. `issued` − `redeemed` + `reversed` − `expired` + `adjusted` is the change of `outstanding`."
  ),
  imported: optional(
    Sum,
    "The part of `adjusted` that came from elsewhere: entries with the classification `migration`, as imports and moves post them, by days of the programme's time zone. Absent: none."
  )
}).annotate({ identifier: "LedgerBucket", description: "Entries of one account in one bucket of the range." })

const OrderBucket = Schema.Struct({
  start: field(Timestamp, "Start of the local day, week or month."),
  count: field(Integer, "Orders that accrued in the bucket.")
}).annotate({ identifier: "OrderBucket", description: "Orders in one bucket of the range." })

const LocationOrders = Schema.Struct({
  key: field(Schema.String, "The location."),
  count: field(Sum, "Orders that accrued there in the range."),
  eligible_spend: field(MoneySum, "Eligible spend of these orders, net of all refunds until now.")
}).annotate({ identifier: "LocationOrders", description: "Orders of one location in the range." })

const WithoutGuest = Schema.Struct({
  count: field(Sum, "Orders without a guest that were kept in the range, and that nobody has claimed until now."),
  by_location: field(Schema.Array(Counted), "These by location, most first."),
  by_bucket: field(Schema.Array(OrderBucket), "These by bucket, for every bucket of the range.")
}).annotate({ identifier: "OrdersWithoutGuest", description: "Orders that no guest has claimed." })

const Orders = Schema.Struct({
  without_guest: optional(
    WithoutGuest,
    "Orders without a guest: with `count`, the share of orders that are a member's. Absent: the programme keeps none."
  ),
  count: field(Integer, "Orders that accrued in the range."),
  eligible_spend: field(MoneySum, "Eligible spend of these orders, net of all refunds until now."),
  average: field(MoneySum, "Average eligible spend of these orders, rounded half up; 0 if there are none."),
  repeat_rate_bps: field(
    Integer,
    "Of the members with an order, the share with two or more, in basis points, rounded down; 0 if there are none."
  ),
  by_location: field(Schema.Array(LocationOrders), "Orders by location, most orders first."),
  by_bucket: field(Schema.Array(OrderBucket), "Orders by bucket, for every bucket of the range, in order of time.")
})

const Reward = Schema.Struct({
  reward_id: field(Identifier, "The reward."),
  reserved: field(Integer, "Reservations made in the range."),
  captured: field(Integer, "Reservations captured in the range."),
  reversed: field(Integer, "Reservations reversed in the range, before or after their capture."),
  expired: field(Integer, "Reservations that expired in the range."),
  issued: field(
    Integer,
    "Wallet rewards issued in the range. They have no location, so `location_id` does not limit them."
  ),
  redeemed: field(Integer, "Captured reservations of wallet rewards that were given free, not taken for points."),
  redeemed_worth: field(
    MoneySum,
    "What these were worth: by the reward's discount or `max_value` now; 0 if it is custom or removed."
  )
}).annotate({ identifier: "RewardFigures", description: "Figures of one reward." })

const Campaigns = Schema.Struct({
  configured: field(Integer, "Campaigns of every status now."),
  runs: field(Integer, "Runs that started in the range."),
  members_targeted: field(
    Integer,
    "Members that these runs selected, and events that gave something or whose receiver was held out in the range; a member counts each time."
  ),
  rewards_issued: field(Integer, "Rewards and credits that these runs and events granted.")
})

export const Analytics = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(
    Timestamp,
    "The figures include every change of points and rewards up to this instant, and may include later ones. It is behind the present while the figures are catching up."
  ),
  range: field(Range, "The range and the filters of the figures."),
  customer_data: field(
    Schema.Struct({
      profiles: field(Profiles, "Profiles and consent."),
      events: field(Events, "Events of guests."),
      imports: field(Imports, "Imports of members.")
    }),
    "Figures of profiles, events and imports."
  ),
  loyalty: field(
    Schema.Struct({
      members: field(Members, "Numbers of members."),
      balances: field(Schema.Array(Balance), "The programme's accounts, in the order of the programme."),
      owed: optional(
        Owed,
        "What the programme owes its guests: now, or at the end of the range's last day if that is over. Absent: that was not recorded, because no node ran then, or it was before version 0.4."
      ),
      ledger_by_bucket: field(
        Schema.Array(LedgerBucket),
        "An item for every bucket of the range and every account of the programme, in order of time."
      ),
      orders: field(Orders, "Orders of members."),
      rewards: field(Schema.Array(Reward), "The programme's rewards, then removed rewards with figures in the range."),
      campaigns: field(Campaigns, "Campaigns and their runs.")
    }),
    "Figures of members, points, orders, rewards and campaigns."
  )
}).annotate({ identifier: "Analytics", description: "Figures of a programme." })
export type Analytics = typeof Analytics.Type

export const AnalyticsQuery = Schema.Struct({
  program_id: programId,
  from: optional(
    Timestamp,
    `Start of the range. Absent: the start of a local day, so that the range has ${defaultRangeDays} local days.`
  ),
  until: optional(Timestamp, "End of the range, which is excluded. Absent: now."),
  bucket: optional(
    Bucket,
    "Length of the buckets in `ledger_by_bucket` and `by_bucket`; weeks start on Monday. Absent: `day`."
  ),
  time_zone: optional(
    bounded(1, 64),
    "IANA time zone of days, weeks and months, such as `Europe/Berlin`. Absent: the zone of the programme's tier policy, or `UTC` if it has none."
  ),
  location_id: optional(
    ForeignId,
    "Limits orders, entries, reservations and events to this location. Members, balances, profiles, imports and campaigns have no location and are not limited."
  ),
  day: optional(
    Schema.Literals(["posted", "business"]),
    "`business`: `orders` and `members.active` count orders on their `business_date`, for the business days that begin in the range. Everything else counts when it was posted. Absent: `posted`."
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
        "analytics.show",
        "Show figures of a programme",
        "Answered from stored sums, so it is fast for any range. Figures that say `now` do not depend on the range. ",
        codes,
        examples.analytics,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Analytics", description: "Figures of a programme." })) {}
