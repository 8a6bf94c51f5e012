/** Triggers of campaigns: events that give something to a member (contract/engagement.md *Triggers*). */
import { Schema } from "effect"
import { grouped, told } from "../Said.ts"
import { field, Identifier, Money, optional, Timestamp, whole } from "../Values.ts"

/** Longest delay, seconds: a year. */
export const maxDelaySeconds = 31_536_000
/** Delay of what goes to a referrer, seconds: 14 days. */
export const referrerDelaySeconds = 1_209_600
const maxDays = 3_660
/** Most times in the days of a frequency. */
export const maxTimes = 1_000
const maxLocations = 100

const Days = whole(1, maxDays, told`must be a whole number from ${1} to ${grouped(3_660)}`)
const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")

export const Frequency = Schema.Struct({
  times: field(
    whole(1, maxTimes, told`must be a whole number from ${1} to ${grouped(1_000)}`),
    "At most so many times."
  ),
  days: field(Days, "In any so many days of 24 hours.")
}).annotate({
  identifier: "CampaignFrequency",
  description: "How often one member, with all merged into it, gets something of a campaign."
})
export type Frequency = typeof Frequency.Type

export const TriggerName = Schema.Literals([
  "member.enrolled",
  "order.accrued",
  "tier.changed",
  "challenge.completed",
  "points.expiring"
])
export type TriggerName = typeof TriggerName.Type

export const TierDirection = Schema.Literals(["up", "down"])

export const TriggerWhere = Schema.Struct({
  location_ids: optional(
    Schema.Array(Identifier).check(Schema.isMinLength(1), Schema.isMaxLength(maxLocations)),
    "Orders of these locations, 1 to 100."
  ),
  minimum_spend: optional(Money, "Orders with at least this eligible spend, in the programme's currency."),
  first_order: optional(
    Schema.Literal(true),
    "Only an order that earned by a base rule, with none of the member before it that did so and is not closed."
  )
}).annotate({
  identifier: "CampaignTriggerWhere",
  description: "Which orders count; all given parts must hold. Only with `on: order.accrued`."
})

export const Once = Schema.Union([
  Schema.Literals(["member", "event"]),
  Schema.Struct({ days: field(Days, "Once in so many days of 24 hours.") })
]).annotate({ identifier: "CampaignOnce", description: "`member`, `event`, or an object with `days`." })

export const Trigger = Schema.Struct({
  on: field(TriggerName, "The event, without `.v1` and what stands before its name."),
  where: optional(TriggerWhere, "Which orders count. Absent: all."),
  direction: optional(
    TierDirection,
    "Only with `on: tier.changed`: to a higher or to a lower tier. Absent: both, and from a tier that is no longer defined."
  ),
  include_imports: optional(
    Schema.Literal(true),
    "Only with `on: member.enrolled`: members whom an import enrols count too. Absent: they do not."
  ),
  delay_seconds: optional(
    whole(0, maxDelaySeconds, told`must be a whole number from ${0} to ${grouped(31_536_000)}`),
    "So long after the event something is given. Absent: 0; with `to: referrer` 14 days."
  ),
  once: optional(
    Once,
    "How often events of one member, with all merged into it, give something: once ever, each time, or once in some days. Absent: `member`."
  ),
  to: optional(
    Schema.Literal("referrer"),
    "Gives to the member whose id stands in the attribute `referred_by` of the event's member, for its first order. Absent: to the event's member."
  )
}).annotate({ identifier: "CampaignTrigger", description: "The event that gives something, to whom and how often." })
export type Trigger = typeof Trigger.Type

/** Number of events in a report. */
export const reportedEvents = 100

export const TriggeredOutcome = Schema.Struct({
  member_id: field(Identifier, "The member of the event."),
  order_id: optional(Identifier, "The order, if the event is of one."),
  receiver_id: optional(Identifier, "Who got it or is held out; absent: nobody yet."),
  occurred_at: field(Timestamp, "When the event happened."),
  due_at: field(Timestamp, "When the delay is over."),
  status: field(
    Schema.Literals(["waiting", "issued", "skipped", "failed", "holdout"]),
    "What came of it; `waiting`: nothing yet."
  ),
  code: optional(Schema.String, "Why nothing was given: a code of `skipped`, or a problem code with `failed`."),
  decided_at: optional(Timestamp, "When that was decided; absent while it waits.")
}).annotate({ identifier: "CampaignTriggeredOutcome", description: "What became of an event." })
export type TriggeredOutcome = typeof TriggeredOutcome.Type

export const Triggered = Schema.Struct({
  waiting: field(Count, "Events whose delay is not over, or that wait for the campaign."),
  issued: field(Count, "Events that gave a reward or credit."),
  skipped: field(
    Schema.Array(
      Schema.Struct({
        code: field(Schema.String, "Why they gave nothing."),
        count: field(Count, "How many they are.")
      })
    ),
    "Events that gave nothing, by `already_reached`, `frequency_reached`, `limit_reached`, `order_closed`, `not_in_segment`, `no_referrer`, `own_referrer`, `referrer_not_active` or `referrer_joined_later`."
  ),
  failed: field(Count, "Events whose grant was refused."),
  holdout: field(Count, "Events of members in the holdout."),
  outcomes: field(Schema.Array(TriggeredOutcome), `The newest ${reportedEvents} events, the newest first.`)
}).annotate({ identifier: "CampaignTriggered", description: "What became of the events that triggered a campaign." })
export type Triggered = typeof Triggered.Type
