/** The amounts that a programme owes its guests (contract/engagement.md *Analytics*). */
import { Schema } from "effect"
import { field, Identifier, Integer, MoneySum, optional, Sum, Timestamp, Unit } from "../Values.ts"

const OwedReward = Schema.Struct({
  reward_id: field(Identifier, "The reward."),
  count: field(Integer, "So many can still be used."),
  worth: field(MoneySum, "All of them by the reward's discount or `max_value`; 0 if it is custom or removed.")
}).annotate({ identifier: "OwedReward", description: "Wallet rewards of one kind." })

export const Owed = Schema.Struct({
  day: optional(
    Schema.String,
    "The day of the programme's time zone at whose end it was owed, `YYYY-MM-DD`; absent: it is owed now."
  ),
  as_of: field(Timestamp, "When it was counted."),
  unit: field(Unit, "The primary account's unit."),
  points: field(
    Sum,
    "Points of active and suspended members on the primary account; negative balances count against the others."
  ),
  rewards: field(Schema.Array(OwedReward), "Wallet rewards of these members that can still be used."),
  worth: optional(
    MoneySum,
    "The points at the programme's `point_value`, and the wallet rewards; absent: the programme has no `point_value`."
  )
}).annotate({ identifier: "Owed", description: "What a programme owes its guests." })
export type Owed = typeof Owed.Type
