import { LedgerOperation } from "../../contract/Values.ts"

/** The filters of a member's ledger, as the address holds them; days are `YYYY-MM-DD`. */
interface LedgerSearch {
  readonly operation?: LedgerOperation
  readonly from?: string
  readonly until?: string
}

const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)

/** Takes what is a filter and not empty. */
export const ledgerSearch = ({ from, operation, until }: Readonly<Record<string, unknown>>): LedgerSearch => {
  const known = LedgerOperation.literals.find((one) => one === operation)
  return {
    ...(known === undefined ? {} : { operation: known }),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(until) ? { until } : {})
  }
}
