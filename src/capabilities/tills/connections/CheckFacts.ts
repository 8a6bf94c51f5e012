/** Facts of a check of a till between its transactions. They hold ids alone, nothing of a guest but the member's. */
import { Schema } from "effect"

const maybe = Schema.optionalKey

const Redeemed = Schema.Struct({
  /** How often the same reward was applied to the same place of the check; each time is another redemption. */
  times: Schema.Number,
  /** The reservation that is captured; absent: none is. */
  reservation: maybe(Schema.String),
  /** The transaction that captured it. */
  by: maybe(Schema.String)
})
export type Redeemed = typeof Redeemed.Type

const Accrued = Schema.Struct({
  /** The order's id is the check's, with `:2` and so on for each further guest. */
  order: Schema.String,
  /** The number of that guest, from 1 on. */
  guest: Schema.Number,
  member: Schema.String,
  /** ms; the state of the check that was worked off last. */
  modified: Schema.Number,
  /** Minor units. */
  total: Schema.Number,
  /** Hash of the lines as they accrued. */
  lines: Schema.String,
  /** True if a reversal has taken all of it back. */
  reversed: maybe(Schema.Literal(true)),
  /** The transactions that the order stands for, at most the newest ones. */
  by: maybe(Schema.Array(Schema.String))
})
export type Accrued = typeof Accrued.Type

const KeptCheck = Schema.Struct({
  /** The order that is kept without a guest. */
  order: Schema.String,
  /** ms; the state of the check that was worked off last. */
  modified: Schema.Number,
  /** Minor units. */
  total: Schema.Number,
  /** Hash of the lines as they were kept last, and so have accrued. */
  lines: Schema.String,
  /** True if a reversal has taken it away, or back from the guest who had claimed it. */
  reversed: maybe(Schema.Literal(true)),
  /** The transactions that the order stands for, at most the newest ones. */
  by: Schema.Array(Schema.String)
})
export type KeptCheck = typeof KeptCheck.Type

export const CheckFacts = Schema.Struct({
  accrued: maybe(Accrued),
  /** Until an accrual names a guest. */
  kept: maybe(KeptCheck),
  /** By offer and place of the check. */
  redeemed: maybe(Schema.Record(Schema.String, Redeemed))
})
export type CheckFacts = typeof CheckFacts.Type
