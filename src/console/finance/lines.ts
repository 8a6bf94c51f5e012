/** Lines of a statement, as a table of restaurants sums them up. Pure. */
import type { Row, StatementLine } from "../../contract/admin/Finance.ts"

export const groups = ["earned", "given", "redeemed", "expired", "other", "handed_over"] as const
export type Group = (typeof groups)[number]

const grouped: Partial<Readonly<Record<StatementLine, Group>>> = {
  base: "earned",
  promotions: "earned",
  orders_up: "earned",
  orders_down: "earned",
  redeemed: "redeemed",
  given_back: "redeemed",
  expired: "expired",
  handed_over: "handed_over"
}

const groupOf = (line: StatementLine): Group =>
  grouped[line] ?? (line.endsWith("_credits") || line.endsWith("_debits") ? "given" : "other")

/** The points of a row by group: with opening they are closing. */
export const groupedPoints = ({ lines }: Row): Readonly<Record<Group, number>> => {
  const found = { earned: 0, given: 0, redeemed: 0, expired: 0, other: 0, handed_over: 0 }
  for (const { line, points } of lines) found[groupOf(line)] += points
  return found
}
