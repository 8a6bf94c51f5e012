/** Every English text about how a programme earns and when points expire. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const earningStrings = texts("earning", {
  title: "How orders earn",
  edit: "Change how orders earn",
  advanced: "Advanced: every property of earning",
  rate: (points: string, unit: string, spend: string) => `${points} ${unit} for every ${spend}`,
  perOrder: (points: string, unit: string) => `${points} ${unit} for every order`,
  rounded: "Rounded down to whole points, once for the whole order",
  from: (spend: string) => `Orders from ${spend} of what counts`,
  anySpend: "Orders of any spend",
  channels: (named: string) => `Ordered by: ${named}`,
  anyChannel: "However it is ordered",
  nothingFor: (what: string) => `Nothing for ${what}`,
  excluded: {
    products: (ids: string) => `the products ${ids}`,
    categories: (ids: string) => `the categories ${ids}`,
    tags: (names: string) => `what is tagged ${names}`,
    kinds: (names: string) => `lines of the kind ${names}`,
    tenders: (names: string) => `what is paid by ${names}`
  },
  most: (points: string) => `At most ${points} points an order`,
  mostOrders: (n: number, shown: string) => `At most ${shown} ${count(n, "order", "orders")} of a guest in a day`,
  mostTotal: (money: string) => `Orders above ${money} are refused`,
  dialog: {
    points: (unit: string) => `How many ${unit}`,
    spend: (currency: string) => `For every (${currency})`,
    fixed: "Each order earns the same. The form under Advanced has the amount.",
    least: (currency: string) => `From this spend (${currency})`,
    channels: "Ordered by",
    exclusions: "What earns nothing",
    products: "These products",
    categories: "These categories",
    tags: "Lines with these tags",
    kinds: "Lines of these kinds",
    idsHint: "As the till sends them. Press Enter after each.",
    faults: {
      points: "Write a whole number.",
      spend: "Write an amount above 0 such as 1.00.",
      least: "Write an amount such as 5.00.",
      channels: "Choose at least one."
    }
  },
  expiry: {
    title: "When points expire",
    edit: "Change when points expire",
    advanced: "Advanced: every property of expiry",
    never: "Points never expire.",
    after_earned: (time: string) => `Points expire ${time} after they were earned`,
    after_inactivity: (time: string) =>
      `All points of a guest expire ${time} after the last order that earned. Each such order begins anew.`,
    days: (n: number, shown: string) => `${shown} ${count(n, "day", "days")}`,
    months: (n: number, shown: string) => `${shown} ${count(n, "month", "months")}`,
    ends: {
      instant: "to the minute",
      end_of_day: "at the end of that day",
      end_of_month: "at the end of that month",
      end_of_year: "at the end of that year"
    },
    sentence: (what: string, end: string) => `${what}, ${end}.`,
    warned: (days: string, n: number) => `A warning is due ${days} ${count(n, "day", "days")} before.`,
    unwarned: "There is no warning before.",
    kind: "Points expire",
    kinds: {
      never: "Never",
      after_earned: "Some time after they were earned",
      after_inactivity: "Some time after the guest last earned"
    },
    count: "After how many",
    unit: "Of what",
    units: { days: "Days", months: "Months" },
    end: "When exactly",
    warnings: "Warn so many days before",
    warningsHint: "Press Enter after each.",
    faults: { count: "Write a whole number from 1.", warnings: "Write whole numbers from 1." }
  }
})
