/** Every English text about restaurants beside the same days before. */
import { texts } from "../shared/texts.ts"

export const rankingStrings = texts("ranking", {
  title: "Restaurants, the weakest first",
  file: "Restaurants compared",
  days: (from: string, to: string, before: string, beforeTo: string) =>
    `${from} to ${to}, beside ${before} to ${beforeTo}, by business day. First is who lost most.`,
  range: "Days compared",
  ranges: { 7: "7 days", 28: "28 days" },
  name: "Restaurant",
  id: "Location id",
  revenue: "Revenue",
  change: "Change",
  cause: "Main reason",
  causes: {
    guests: {
      more: (before: string, now: string) => `more guests: ${now} instead of ${before}`,
      less: (before: string, now: string) => `fewer guests: ${now} instead of ${before}`
    },
    orders: {
      more: (before: string, now: string) => `more orders of each guest: ${now} instead of ${before}`,
      less: (before: string, now: string) => `fewer orders of each guest: ${now} instead of ${before}`
    },
    allOrders: {
      more: (before: string, now: string) => `more orders: ${now} instead of ${before}`,
      less: (before: string, now: string) => `fewer orders: ${now} instead of ${before}`
    },
    average: {
      more: (before: string, now: string) => `larger orders: ${now} instead of ${before}`,
      less: (before: string, now: string) => `smaller orders: ${now} instead of ${before}`
    }
  },
  noneNow: "no orders in these days",
  noneBefore: "no orders in the days before",
  same: "no change",
  orders: "Orders",
  guests: "Guests",
  average: "Average order",
  wasOf: (label: string) => `${label}, before`,
  none: "No orders in these days",
  noneHint: "Restaurants appear here with their first order.",
  all: (n: number) => `All ${n} restaurants`
})
