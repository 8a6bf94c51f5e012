/** Idempotency keys that follow from business ids: the same sale has the same key, also after a restart. */

/**
 * Where the input of each write of `/proto/v1` has its business id. An enrolment has none: the identity is its own key. Nor have a
 * reversal and a cancellation: a second one is answered as the first, and under one key another reason would be a conflict.
 */
export const businessIds: Readonly<Record<string, ReadonlyArray<string>>> = {
  "accrual.post": ["order", "order_id"],
  "order.adjust": ["adjustment", "adjustment_id"],
  "ledger.manual_adjustment": ["adjustment_id"],
  "redemption.reserve": ["redemption_id"],
  "redemption.capture": ["reservation_id"],
  "issued_reward.issue": ["issued_reward_id"]
}

/** `accrual.post:order-1001`; undefined if the operation has no business id, or the input does not have it. */
export const businessKeyOf = (operation: string, input: unknown): string | undefined => {
  const path = businessIds[operation]
  if (path === undefined) return undefined
  let value = input
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return typeof value === "string" ? `${operation}:${value}` : undefined
}
