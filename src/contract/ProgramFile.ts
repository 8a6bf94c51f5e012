/**
 * The shape of a programme file (contract/programmes.md *Programme file*): the protocol's definition with the parts
 * that stay internal.
 */
import { Schema } from "effect"
import { Challenge } from "./Challenges.ts"
import { from, maxTtlSeconds } from "./Numbers.ts"
import { mostOrders, Promotion } from "./Promotions.ts"
import { Earning, Exclusions, MetricDefinition, ProgramDefinition, TierPolicy } from "./protocol/Program.ts"
import { told } from "./Said.ts"
import { field, filled, Identifier, Money, maxAmount, optional, TenderType, Text, Unit } from "./Values.ts"

export const Metric = Schema.Struct({
  ...MetricDefinition.fields,
  source: field(
    Schema.Literals(["current_balance", "lifetime_earned", "qualification_earned"]),
    "The counted figure: the balance, everything ever earned, or the points that qualify in the tier period."
  )
})

export type Metric = typeof Metric.Type

const Limits = Schema.Struct({
  reservation_ttl_seconds: optional(from(1, maxTtlSeconds), "Seconds that a reservation holds; absent: 120."),
  evaluation_ttl_seconds: optional(
    from(1, maxTtlSeconds),
    "Seconds that an evaluation is shown as valid; absent: 300."
  ),
  rewards_per_order: optional(from(1, 1_000), "Most rewards that a member can use on an order; absent: no limit."),
  late_order_hours: optional(
    from(0, 744),
    "Age in hours up to which an order counts by its `placed_at`; older ones and pre-orders by the service's clock. Absent: 72."
  ),
  points_per_order: optional(
    from(1, maxAmount),
    "Most that an order earns on an account, promotions included; absent: no limit."
  ),
  orders_per_member_and_day: optional(
    from(1, mostOrders),
    "Orders of a member that earn in a day of the programme's zone; absent: no limit."
  ),
  order_total: optional(Money, "Larger orders are refused with `invalid_order`; absent: no limit.")
})

const Redemption = Schema.Struct({
  minimum_points: optional(
    from(0, maxAmount),
    "With less available on the primary account, no reward that costs its units can be reserved; absent: 0."
  ),
  pay_with_points: optional(
    Schema.Struct({
      reward_id: field(Identifier, "The discount that can be reserved several times at once."),
      max_share_bps: field(from(1, 10_000), "The most that it takes off an order's total, in basis points.")
    }),
    "Guests pay part of an order with points; absent: each reward is reserved once at a time."
  )
})

/** Orders without a guest (contract/orders.md *Orders without a guest*). */
const Claims = Schema.Struct({
  days: optional(from(1, 90), "Days for which an order without a guest can be claimed; absent: 14."),
  per_day: optional(
    from(1, 100),
    "Most orders that a member can claim in a day of the programme's zone: staff may collect receipts; absent: 2."
  ),
  page_url: optional(
    Text,
    "Address of the page where guests enter codes, `https`; the code follows behind `#`; absent: orders have a code alone."
  )
})

/** The languages that the guests' page speaks (`src/guest/words`). */
const guestLanguages = ["en", "de"] as const

export const GuestPageLink = Schema.Struct({
  label: field(filled(1, 40), "What guests read, 1 to 40 characters."),
  url: field(Text, "Where it leads, `https`.")
})

/** The guests' page (contract/programmes.md *The guests' page*). Nothing of it moves points. */
export const GuestPage = Schema.Struct({
  name: field(filled(1, 60), "The page's name, which guests read, 1 to 60 characters."),
  colour: field(
    Schema.String.check(Schema.isPattern(/^#[0-9A-Fa-f]{6}$/, { message: "must be a colour such as #1a7f5a" })),
    "The programme's colour, `#rrggbb`. The page writes on it in black or white, and with it only where it can be read."
  ),
  languages: field(
    Schema.Array(Schema.Literals(guestLanguages)).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" })
    ),
    "The languages that guests can choose; the first is for those whose own is not there."
  ),
  links: optional(
    Schema.Array(GuestPageLink).check(Schema.isMaxLength(5, { message: told`must have at most ${5} items` })),
    "Pages that it leads to, such as menu, imprint and privacy; at most 5."
  ),
  codes_per_day: optional(
    from(1, 100_000),
    "Most codes to telephones in a day of the programme's zone: each one costs money; absent: 500."
  )
})
export type GuestPage = typeof GuestPage.Type

export const PointValue = Schema.Struct({
  points: field(from(1, 1_000_000), "So many points."),
  worth: field(Money, "What they are worth, above 0, in the programme's currency.")
})
export type PointValue = typeof PointValue.Type

const StampCard = Schema.Struct({
  unit: field(Unit, "The account whose credits fill the card."),
  threshold: field(from(1), "Credits of a full card."),
  reward_id: field(Identifier, "The reward that each full card issues."),
  resets: field(Schema.Boolean, "True: an adjustment of −`threshold` follows each full card."),
  reward_ttl_seconds: optional(from(1, maxTtlSeconds), "Seconds until the issued reward expires; absent: never.")
})

const FileTierPolicy = Schema.Struct({
  ...TierPolicy.fields,
  retention: optional(
    Schema.Literals(["period", "following_period"]),
    "How long a tier lasts that a period's figures reach: until its end, or through the following one; absent: `period`."
  )
})
export type FileTierPolicy = typeof FileTierPolicy.Type

/** Longest life of points: a hundred years. */
const maxDays = 36_525

const PointExpiration = Schema.Struct({
  type: field(
    Schema.Literals(["after_earned", "after_inactivity"]),
    "Each lot expires on its own, counted from when it was earned; or those of an account together, from its last accrual."
  ),
  days: optional(
    from(1, maxDays),
    "Days after which they expire, of 24 hours if `at` is `instant`. Either these or `months`."
  ),
  months: optional(from(1, 1_200), "Months after which they expire, on the same day or the month's last."),
  at: optional(
    Schema.Literals(["instant", "end_of_day", "end_of_month", "end_of_year"]),
    "At that instant, or when its day, month or year in the programme's zone is over; for `after_earned` alone; absent: `instant`."
  ),
  warning_days: field(
    Schema.Array(from(1, maxDays - 1)),
    "How many days before that a warning is due, each less than the shortest life."
  )
})
export type PointExpiration = typeof PointExpiration.Type

const FileEarning = Schema.Struct({
  ...Earning.fields,
  dated_by: optional(
    Schema.Literals(["posting", "placed_at"]),
    "By which time an order counts in a tier period: the posting's (default), or its own within `limits.late_order_hours`."
  ),
  exclusions: field(
    Schema.Struct({
      ...Exclusions.fields,
      tender_types: optional(
        Schema.Array(TenderType),
        "Amounts paid with these tenders, such as `loyalty`, earn nothing; absent: every tender earns."
      )
    }),
    "Lines and tenders that do not count as eligible spend."
  )
})

export const ProgramFile = Schema.Struct({
  ...ProgramDefinition.fields,
  earning: field(FileEarning, "How spend earns."),
  tier_policy: optional(FileTierPolicy, "When tiers are reset; absent: never."),
  point_expiration: optional(PointExpiration, "When lots of `points` and `credits` expire; absent: never."),
  metrics: field(Schema.Array(Metric), "Figures that are counted for each member."),
  time_zone: optional(
    Text,
    "IANA time zone of the programme's days, weeks and months; absent: the zone of `tier_policy`, else UTC."
  ),
  country: optional(
    Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/, { message: "must be a country of ISO 3166, such as DE" })),
    "The country of the programme's guests (ISO 3166), with which an import reads telephone numbers without one; absent: they need one."
  ),
  rehearsal: optional(
    Schema.Boolean,
    "True: a rehearsal, in which guests are told nothing: no warnings, and connectors and campaigns rest; absent: it is none."
  ),
  limits: optional(Limits, "How long reservations and evaluations last, and how much an order can use."),
  point_value: optional(
    PointValue,
    "What points of the primary account are worth in money, for figures alone; absent: figures tell no money of points."
  ),
  claims: optional(
    Claims,
    "Orders without a guest are kept, so that a guest can claim them; absent: they are not kept."
  ),
  guest_page: optional(GuestPage, "Guests have a page of their own, `/my/{program_id}`; absent: they have none."),
  redemption: optional(Redemption, "Rules for all redemptions; absent: none."),
  promotions: optional(
    Schema.Array(Promotion).check(Schema.isMaxLength(100, { message: told`must have at most ${100} items` })),
    "What orders earn beside the base, at most 100."
  ),
  challenges: optional(
    Schema.Array(Challenge).check(Schema.isMaxLength(10, { message: told`must have at most ${10} items` })),
    "What members can complete for a reward, at most 10."
  ),
  stacking: optional(
    Schema.Literals(["best", "all"]),
    "`best` (default): on an account the one promotion that gives most; `all`: each of them."
  ),
  stamp_card: optional(StampCard, "Issues a reward for each full card; absent: there is no card.")
}).annotate({
  identifier: "ProgramFile",
  description: "A published programme, including the parts that tills do not see."
})
export type ProgramFile = typeof ProgramFile.Type
