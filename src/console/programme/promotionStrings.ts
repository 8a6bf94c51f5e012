/** Every English text about promotions. Apart from the others: the first page does not load them. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const promotionStrings = texts("promotion", {
  title: "Promotions",
  none: "There are no promotions yet. Add the first one.",
  add: "Add a promotion",
  advanced: "Advanced: every property of the promotions",
  unnamed: (place: number) => `Promotion ${place}`,
  used: (n: number, shown: string, points: string) =>
    `${shown} ${count(n, "order", "orders")} in the last 30 days, ${points}`,
  unused: "No order in the last 30 days",
  guestsOf: (tiers: string) => `Guests of ${tiers}`,
  firstOrder: "A guest's first order",
  joined: (days: number, shown: string) => `Guests who joined at most ${shown} ${count(days, "day", "days")} ago`,
  spendFrom: (money: string) => `From ${money}`,
  oftenest: (n: number, shown: string) => ({
    day: `At most ${shown} ${count(n, "order", "orders")} a day for each guest`,
    week: `At most ${shown} ${count(n, "order", "orders")} a week for each guest`,
    month: `At most ${shown} ${count(n, "order", "orders")} a calendar month for each guest`,
    promotion: `At most ${shown} ${count(n, "order", "orders")} for each guest`
  }),
  dialog: {
    gets: "What the guest gets",
    kinds: {
      multiply_bps: "A multiple of the points",
      add_per_item: "Points for each of some products",
      add: "Points for an order"
    },
    amounts: {
      multiply_bps: "Times the points, such as 2",
      add_per_item: "Points for each",
      add: "Points for an order"
    },
    more: "More: dates, spend, how often, guests and restaurants",
    spend: (currency: string) => `From this spend (${currency}), optional`,
    tiers: "Only guests of",
    tiersHint: "None chosen: of any tier.",
    isFirst: "Only the first order of a guest",
    joined: "Only guests who joined at most so many days ago, optional",
    joinedHint: "30: each guest in the first 30 days.",
    every: "How often a guest gets it",
    everyNone: "With every order",
    everys: {
      day: "Limited in a day",
      week: "Limited in a week, from Monday",
      month: "Limited in a calendar month",
      promotion: "Limited in all"
    },
    count: "At most with how many orders",
    faults: {
      name: "Write a name.",
      times: "Write a number above 1, at most 10.",
      points: "Write a whole number from 1.",
      products: "Say which products or categories.",
      spend: "Write an amount such as 5.00.",
      count: "Write a whole number from 1.",
      joined: "Write a whole number from 1."
    }
  },
  name: "Promotion",
  state: "State",
  off: "Switched off",
  over: "Over",
  runs: "Runs now",
  runsUntil: (time: string) => `Runs now, until ${time}`,
  next: (time: string) => `Next: ${time}`,
  multiplies: (times: string) => `${times} times the points`,
  adds: (points: string, unit: string) => `${points} ${unit} an order`,
  addsPerItem: (points: string, unit: string) => `${points} ${unit} an item`,
  addsPerItemOfAll: (points: string, unit: string) => `${points} ${unit} an item, of all items that count`,
  nothing: "nothing yet",
  calendar: "The next 7 days",
  calendarHint: (zone: string) => `What the forms say, in the programme's time zone (${zone}).`,
  allDay: "all day",
  until: (time: string) => `until ${time}`,
  trial: "What last week would have earned",
  trialHint: "Tries these promotions, published or not, on the recorded orders of the last 7 days. Changes nothing.",
  try: "Try on last week's orders",
  tried: (orders: number, shown: string) =>
    `${shown} ${count(orders, "order", "orders")} of the last 7 days were tried.`,
  partial: "There were more. These are the newest.",
  together: (points: string) => `Together they would have given ${points}.`,
  togetherNothing: "They would have given nothing.",
  orders: "Orders",
  given: "Points",
  untried: (names: string) =>
    `Not tried, because orders are recorded without their products: ${names}. Try these on an order beside the forms.`,
  caveat: "Orders count by spend, place and time. Each guest has the present tier, and no use before these orders.",
  figures: "What they gave in the last 30 days",
  figuresHint: "With today, as Today counts them. As the orders accrued. Refunds change nothing here.",
  with: "Orders with it",
  withSpend: "Average spend with it",
  without: "Orders without it",
  withoutSpend: "Average spend without it",
  removed: (id: string) => `${id} (removed)`
})
