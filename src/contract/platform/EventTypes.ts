/** The types of the service's own events, for connectors (contract/events.md *Event types*). */
import { Schema } from "effect"
import { PROTOCOL } from "../protocol/Protocol.ts"

const names = [
  "member.enrolled",
  "member.updated",
  "order.accrued",
  "order.adjusted",
  "balance.changed",
  "redemption.reserved",
  "redemption.captured",
  "redemption.reversed",
  "redemption.expired",
  "issued-reward.issued",
  "issued-reward.redeemed",
  "issued-reward.restored",
  "issued-reward.cancelled",
  "issued-reward.expired",
  "challenge.completed",
  "points.expiring",
  "tier.changed"
] as const

export type EventName = (typeof names)[number]
export type EventType = `${typeof PROTOCOL}.${EventName}.v1`

export const typeOf = <Name extends EventName>(name: Name) => `${PROTOCOL}.${name}.v1` as const

/** The types of the events of the feed. */
export const eventTypes: ReadonlyArray<EventType> = names.map(typeOf)

/** The type of what a connector's `thresholds` ask for, which is not in the feed. */
export const crossedType = `${PROTOCOL}.balance.crossed.v1` as const

/** The types that a connector may get. */
export const deliveredTypes: ReadonlyArray<EventType | typeof crossedType> = [...eventTypes, crossedType]

/** Where a member was enrolled. `guest`: by itself. `move_in`: at another provider. */
export const EnrolledVia = Schema.Literals(["till", "platform", "import", "operator", "guest", "move_in"])
export type EnrolledVia = typeof EnrolledVia.Type
