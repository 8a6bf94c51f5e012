/** A guest of another provider as a move in brings it (contract/moving.md *Columns*). */
import { Schema } from "effect"
import { atMost } from "../Lists.ts"
import { Email, Phone } from "../platform/Members.ts"
import { Identity } from "../protocol/Resources.ts"
import { grouped, told } from "../Said.ts"
import {
  BusinessDate,
  bounded,
  ForeignId,
  FreeForm,
  field,
  Identifier,
  maxAmount,
  NewIdentifier,
  optional,
  Text,
  Timestamp,
  Unit,
  Value,
  whole
} from "../Values.ts"

/** Most lots of a guest: a record of the journal has all of them. */
export const maxLots = 1_000
/** Most identities, rewards and consents of a guest. */
const maxItems = 100

const Amount = whole(1, maxAmount, told`must be a whole number from ${1} to ${grouped(10_000_000_000)}`)
const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number from 0 to 2^53 - 1")

const MovedLot = Schema.Struct({
  unit: field(Unit, "The account."),
  amount: field(Amount, "Points that are left."),
  earned_at: optional(Timestamp, "When they were earned. Absent: nobody knows; as if at the move."),
  expires_at: optional(
    Schema.NullOr(Timestamp),
    "When they expire; null: never. Absent: by the programme's rule from `earned_at`."
  )
}).annotate({ identifier: "MovedLot", description: "Points of one date." })
export type MovedLot = typeof MovedLot.Type

const MovedReward = Schema.Struct({
  reward_id: field(Identifier, "The reward of the programme."),
  code: field(Value, "The code that the guest has."),
  issued_at: optional(Timestamp, "When it was issued. Absent: as if at the move."),
  expires_at: optional(Schema.NullOr(Timestamp), "When it expires. Absent or null: never.")
}).annotate({ identifier: "MovedReward", description: "A reward in the guest's wallet." })

const MovedConsent = Schema.Struct({
  purpose: field(bounded(1, 64), "The purpose, such as `marketing`."),
  channel: optional(Schema.Literals(["email", "sms", "push"]), "The channel. Absent: the purpose as a whole."),
  granted: field(Schema.Boolean, "True: the guest consents."),
  recorded_at: field(Timestamp, "When the guest decided."),
  source: optional(Text, "Where the guest decided."),
  version: optional(bounded(1, 128), "The version of the text that the guest read.")
}).annotate({ identifier: "MovedConsent", description: "A decision of the guest." })

const ByUnit = Schema.Struct({
  points: optional(Count, "Of the account of points."),
  visits: optional(Count, "Of the account of visits."),
  stamps: optional(Count, "Of the account of stamps."),
  credits: optional(Count, "Of the account of credits."),
  custom: optional(Count, "Of the account with a unit of its own.")
}).annotate({ identifier: "MovedCounts", description: "Counts of accounts by their units." })

const Standing = Schema.Struct({
  lifetime: optional(ByUnit, "Points ever earned, by account."),
  period_sum: optional(ByUnit, "Points that count in the present tier period, by account."),
  orders: optional(Count, "Orders so far. More than 0: none here is the first."),
  last_earned_at: optional(Timestamp, "When the guest last earned."),
  tier_id: optional(Identifier, "The tier that was promised."),
  tier_until: optional(Timestamp, "Until when the tier is at least that one.")
}).annotate({ identifier: "MovedStanding", description: "What metrics and tiers count of the time before." })

export const MovedGuest = Schema.Struct({
  member_id: optional(NewIdentifier, "The member's id. If it is given, the member is found by it."),
  external_id: optional(ForeignId, "The guest's id in another system."),
  display_name: optional(Text, "The guest's name."),
  email: optional(Email, "The guest's e-mail address."),
  phone: optional(Phone, "The guest's telephone number."),
  birth_date: optional(BusinessDate, "The guest's date of birth."),
  joined_at: optional(Timestamp, "When the guest joined."),
  attributes: optional(FreeForm, "Attributes, merged with those that are there."),
  identities: field(atMost(Identity, maxItems), "Cards and other identities."),
  lots: field(atMost(MovedLot, maxLots), "Points by their dates."),
  lots_left_out: optional(
    Schema.Boolean,
    "True: the guest has lots that are not among these. None that is missing counts as gone, and nothing is corrected."
  ),
  standing: optional(Standing, "What metrics and tiers count."),
  rewards: field(atMost(MovedReward, maxItems), "Rewards in the wallet."),
  consents: field(atMost(MovedConsent, maxItems), "Decisions of the guest.")
})
  .annotate({ description: "A guest with all that is moved. It has an id or an identity." })
  .check(
    Schema.makeFilter(({ external_id, identities, member_id }) =>
      external_id !== undefined || member_id !== undefined || identities.length > 0
        ? []
        : [{ path: ["identities"], issue: "must have at least 1 item if the guest has no id" }]
    )
  )
  .annotate({ identifier: "MovedGuest" })
export type MovedGuest = typeof MovedGuest.Type
