/** Every English text about challenges. Apart from the others: the first page does not load them. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

/** `shown`: the number as people read it. */
type Counted = (n: number, shown: string) => string

export const challengeStrings = texts("challenge", {
  title: "Challenges",
  none: "There are no challenges yet. Add the first one.",
  add: "Add a challenge",
  advanced: "Advanced: every property of the challenges",
  unnamed: (place: number) => `Challenge ${place}`,
  name: "Challenge",
  gives: (reward: string) => `Gives: ${reward}`,
  usable: (n: number, shown: string) => `To be used within ${shown} ${count(n, "day", "days")}`,
  noReward: "no reward yet",
  needsReward: "A challenge gives a reward. Add one under Rewards first.",
  dialog: {
    counts: "What counts",
    kinds: {
      orders: "Orders",
      days: "Days with an order",
      items: "Items of some products",
      spend: "Spend",
      weeks_in_a_row: "Weeks in a row with an order"
    },
    amount: "How many",
    spent: (currency: string) => `How much (${currency})`,
    every: "In which time",
    everys: {
      any: "In any time",
      week: "In a week, from Monday",
      month: "In a calendar month",
      year: "In a calendar year"
    },
    everyHints: {
      days: "Days are counted in a week or a calendar month.",
      weeks: "The row of weeks may begin at any time.",
      others: "The last 30 days, counted anew each day, are not possible."
    },
    reward: "What the guest gets",
    choose: "Choose a reward",
    more: "More: again and again, dates, spend, how long the reward lasts and restaurants",
    repeats: "It can be completed again and again",
    least: (currency: string) => `An order counts from this spend (${currency}), optional`,
    days: "Days in which the reward can be used, optional",
    faults: {
      name: "Write a name.",
      amount: "Write a whole number from 1.",
      spent: "Write an amount above 0 such as 50.00.",
      products: "Say which products or categories.",
      reward: "Choose a reward.",
      least: "Write an amount such as 5.00.",
      days: "Write a number above 0."
    }
  },
  counts: {
    orders: (n, shown) => `${shown} ${count(n, "order", "orders")}`,
    days: (n, shown) => `orders on ${shown} ${count(n, "day", "days")}`,
    items: (n, shown) => `${shown} ${count(n, "item", "items")}`,
    weeks_in_a_row: (n, shown) => `an order in each of ${shown} ${count(n, "week", "weeks")} in a row`
  } satisfies Record<string, Counted> as Record<"orders" | "days" | "items" | "weeks_in_a_row", Counted>,
  spends: (money: string) => `orders for ${money}`,
  nothing: "nothing yet",
  every: { week: "in a week from Monday", month: "in a calendar month", year: "in a calendar year" },
  ofSome: "of some products",
  withSpend: (money: string) => `from ${money} each`,
  repeats: "as often as it fills",
  once: "once",
  progress: (done: string, needed: string) => `${done} of ${needed}`,
  progressColumn: "Progress",
  completed: "Completed",
  until: "Until"
})
