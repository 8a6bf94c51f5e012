import { LedgerOperation } from "../../contract/Values.ts"

/** The filters of a member's ledger in the address bar. Days are `YYYY-MM-DD`. */
interface LedgerSearch {
  readonly operation?: LedgerOperation
  readonly from?: string
  readonly until?: string
}

const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)

/** Keeps the known filters that are not empty. */
export const ledgerSearch = ({ from, operation, until }: Readonly<Record<string, unknown>>): LedgerSearch => {
  const known = LedgerOperation.literals.find((one) => one === operation)
  return {
    ...(known === undefined ? {} : { operation: known }),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(until) ? { until } : {})
  }
}
