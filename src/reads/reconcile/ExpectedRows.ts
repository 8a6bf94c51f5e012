/**
 * The rows that an account's events make, as binary images (`RowImage`): the same columns as `Material` reads of the
 * stored rows.
 */

import { Unit } from "../../contract/Values.ts"
import type { IssuedReward } from "../../core/account/domain/State.ts"
import type { LedgerRow } from "../../core/journal/Records.ts"
import type { MemberRollup } from "../rollups/Member.ts"
import * as Member from "../rollups/Member.ts"
import type { EnumTypes, RowImages } from "./RowImage.ts"

/** A row of `member_rollups`. */
export interface RollupRow {
  readonly member: MemberRollup
  /** Posted and reserved of every unit, as PostgreSQL writes an array. */
  readonly balances: string
}

/** Writes the row of `ledger_entries` that an entry makes, with `ledgerColumns`. */
export const writeLedger = (to: RowImages, types: EnumTypes, row: LedgerRow, seq: number): void => {
  to.row(ledgerColumns.length)
  to.int8(row.n)
  to.int8(seq)
  to.int8(row.amount)
  to.timestamp(row.occurredAt)
  to.timestamp(row.expiresAt)
  to.int8(row.relatedN)
  to.label(types.ledger_operation, row.operation)
  to.label(types.unit, row.unit)
  to.label(types.classification, row.classification)
  to.bool(row.qualifiesForTier)
  to.text(row.orderId)
  to.text(row.locationId)
  to.text(row.adjustmentId)
  to.text(row.reservationId)
  to.text(row.reason)
  to.timestamp(row.placedAt)
  to.text(row.businessDate)
}

export const ledgerColumns = [
  ...["n", "seq", "amount", "occurred_at", "expires_at", "related_n", "operation", "unit", "classification"],
  ...["qualifies_for_tier", "order_id", "location_id", "adjustment_id", "reservation_id", "reason"],
  ...["placed_at", "business_date"]
]

/** Writes the row of `issued_rewards`, with `rewardColumns`. */
export const writeReward = (to: RowImages, types: EnumTypes, reward: IssuedReward): void => {
  to.row(rewardColumns.length)
  to.text(reward.issued)
  to.int8(reward.n)
  to.text(reward.reward)
  to.label(types.issued_reward_status, reward.status)
  to.int8(reward.at)
  to.int8(reward.expires)
  to.int8(reward.redeemed)
  to.int8(reward.cancelled)
  to.text(reward.reason)
  to.text(reward.artifact.type)
  to.text(reward.artifact.value)
}

export const rewardColumns = [
  ...["issued_reward_id", "n", "reward_id", "status", "issued_at", "expires_at", "redeemed_at", "cancelled_at"],
  ...["cancellation_reason", "artifact_type", "artifact_value"]
]

/** Columns that `Material` reads of a row: both numbers of every unit, in the order of the type. */
export const balancesText = ({ units }: MemberRollup): string => {
  const numbers = Unit.literals.flatMap((unit) => {
    const found = units.find((one) => one.unit === unit)
    return [found?.posted ?? "NULL", found?.reserved ?? "NULL"]
  })
  return `{${numbers.join(",")}}`
}

export const rollupColumns = ({
  balances,
  member: one
}: RollupRow): ReadonlyArray<readonly [column: string, value: unknown]> => [
  ["seq", one.seq],
  ["program_id", one.program],
  ["member_id", one.member],
  ["status", one.status],
  ["joined", one.joined],
  ["tier_id", one.tier.tier],
  ["tier_period", one.tier.period],
  ["period", one.period],
  ["units", Member.unitsText(one)],
  ["balances", balances]
]

export const lotColumns = ["unit and expiry", "amount"]
