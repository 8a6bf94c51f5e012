/** Limits of what people give, take away and move (contract/operators.md *Limits*). */
import { Schema } from "effect"
import { optional, whole } from "../Values.ts"

const Limit = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number from 0 on")

export const limitFields = {
  points_per_action: optional(Limit, "The most points of one request; absent: no such limit."),
  points_per_day: optional(Limit, "The most points of a day, of all units in one programme; absent: no such limit."),
  rewards_per_day: optional(Limit, "The most rewards of a day in one programme; absent: no such limit."),
  orders_moved_per_day: optional(Limit, "The most orders moved on a day in one programme; absent: no such limit.")
}

/** The limits alone. */
export const GivingLimits = Schema.Struct(limitFields).annotate({ identifier: "GivingLimits" })

/** The limits of roles until an owner stores others. */
export const firstLimits = [
  { role: "franchisee", points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10, orders_moved_per_day: 20 }
] as const
