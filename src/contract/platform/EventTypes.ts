/** The types of the service's own events, for connectors (contract/events.md *Event types*). */
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
  "points.expiring",
  "tier.changed"
] as const

export type EventType = `${typeof PROTOCOL}.${(typeof names)[number]}.v1`

export const eventTypes: ReadonlyArray<EventType> = names.map((name) => `${PROTOCOL}.${name}.v1` as const)
