/** Every English text about challenges. Apart from the others: the first page does not load them. */
import { count } from "./strings.ts"

/** `shown`: the number as people read it. */
type Counted = (n: number, shown: string) => string

export const challengeStrings = {
  title: "Challenges",
  none: "There are no challenges yet. Add one below.",
  name: "Challenge",
  asks: "What a guest does",
  gives: "What the guest gets",
  noReward: "no reward yet",
  counts: {
    orders: (n, shown) => `${shown} ${count(n, "order", "orders")}`,
    days: (n, shown) => `orders on ${shown} ${count(n, "day", "days")}`,
    items: (n, shown) => `${shown} ${count(n, "item", "items")}`,
    weeks_in_a_row: (n, shown) => `an order in each of ${shown} ${count(n, "week", "weeks")} in a row`
  } satisfies Record<string, Counted> as Record<"orders" | "days" | "items" | "weeks_in_a_row", Counted>,
  spends: (money: string) => `orders for ${money}`,
  nothing: "nothing yet",
  every: { week: "in a week", month: "in a month", year: "in a year" },
  ofSome: "of some products",
  withSpend: (money: string) => `from ${money} each`,
  repeats: "as often as it fills",
  once: "once",
  progress: (done: string, needed: string) => `${done} of ${needed}`,
  progressColumn: "Progress",
  completed: "Completed",
  until: "Until"
} as const
