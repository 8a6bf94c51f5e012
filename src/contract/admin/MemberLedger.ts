/** A member's ledger as operators see it (contract/operators.md *One member*). */
import { Schema } from "effect"
import { Source } from "../protocol/Context.ts"
import { LedgerEntry } from "../protocol/Resources.ts"
import { told } from "../Said.ts"
import {
  BusinessDate,
  ForeignId,
  field,
  Identifier,
  Integer,
  LedgerOperation,
  Money,
  optional,
  Timestamp
} from "../Values.ts"
import { nextCursor, page } from "./Endpoint.ts"

const operationNames = new Set<string>(LedgerOperation.literals)

/** Operations of a query, separated by commas. A parameter stays text, because decoding never transforms. */
const LedgerOperations = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text.split(",").every((name) => operationNames.has(name)) ||
      told`must be some of ${[...operationNames].join(", ")}, separated by commas`,
    {
      toJsonSchema: () => {
        const one = `(${[...operationNames].join("|")})`
        return { pattern: `^${one}(,${one})*$` }
      }
    }
  )
)

/** The request that posted an entry: of `/proto/v1` the ids of its context, of other surfaces its `X-Request-Id`. */
export const EntryRequest = Schema.Struct({
  request_id: field(Identifier, "The request's id."),
  source: optional(Source, "The sender that the request named.")
})

export const EntryRate = Schema.Struct({
  amount: field(Integer, "Points for each `spend`, or for the order."),
  spend: optional(Money, "The eligible spend that earns `amount`. Absent: `amount` is for an order."),
  multiplier_bps: field(Integer, "The multiplier of the member's tier, in basis points."),
  eligible_spend: field(Money, "The order's eligible spend.")
})

export const EntryCause = Schema.Literals([
  "order",
  "refund",
  "void",
  "correction",
  "order_moved",
  "merge",
  "stamp_card",
  "redemption",
  "reversal",
  "expiration",
  "expiration_undone",
  "manual"
])
export type EntryCause = typeof EntryCause.Type

const dated = {
  ...LedgerEntry.fields,
  placed_at: optional(Timestamp, "Accruals: when the guest ordered, by the till's clock."),
  business_date: optional(BusinessDate, "Accruals: the till's business day.")
}

/** An entry in a file. */
export const ExportedEntry = Schema.Struct(dated).annotate({
  identifier: "ExportedLedgerEntry",
  description: "A ledger entry with the dates of its order."
})

/** An entry as operators see it. */
export const OperatorsEntry = Schema.Struct({
  ...dated,
  cause: field(
    EntryCause,
    "What posted the entry: `refund`, `void` and `correction` adjust an order, `order_moved` takes it from a member or brings it to one, `merge` moves a balance, `stamp_card` empties a full card, `expiration_undone` brings back what a correction of an expiration restores."
  ),
  actor: optional(Schema.String, "The name of the caller. Absent: the service itself."),
  request: optional(EntryRequest, "The request that posted the entry. Absent: the service itself, or not recorded."),
  balance: optional(Integer, "The balance of the entry's account immediately after the entry, with what was reserved."),
  rate: optional(EntryRate, "Accruals: the rule that turned the order into points, without promotions."),
  reward_id: optional(Identifier, "`stamp_card`: the reward that the full card issued.")
}).annotate({
  identifier: "OperatorsLedgerEntry",
  description: "A ledger entry with its order's dates and rate, the request that posted it, and the balance after it."
})

/** The filters of `ledger/list`. */
const filters = {
  account_id: optional(Identifier, "Only entries of this account. If it is not the member's, the list is empty."),
  operations: optional(LedgerOperations, "Only entries of these operations, such as `accrual,manual`."),
  occurred_from: optional(Timestamp, "Entries at or after this instant."),
  occurred_until: optional(Timestamp, "Entries at or before this instant."),
  location_id: optional(
    ForeignId,
    "Only entries at this restaurant. A caller that is limited to restaurants sees entries at these alone, without balances."
  )
}

export const LedgerFilters = Schema.Struct(filters)
export const LedgerQuery = Schema.Struct({ ...filters, ...page })

export const LedgerPage = Schema.Struct({
  entries: field(Schema.Array(OperatorsEntry), "The page, newest first."),
  next_cursor: nextCursor
})
