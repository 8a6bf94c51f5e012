/** Every English text about a range of days and the files of figures. Apart from the others: the first page draws them after its numbers. */
import { texts } from "./texts.ts"

export const rangeStrings = texts("range", {
  from: "From",
  to: "To",
  wrong: (days: string) => `From must not be after To, nor more than ${days} days before it.`,
  months: "Months",
  thisMonth: "This month",
  lastMonth: "Last month",
  days: (from: string, to: string) => (from === to ? `${from}.` : `${from} to ${to}.`),
  program: "Programme",
  restaurant: "Restaurant",
  summary: "Figures of these days",
  revenue: "Revenue",
  guests: "Guests",
  newMembers: "New members",
  issued: "Points issued",
  redeemed: "Points redeemed",
  expired: "Points expired",
  revenueHint: "Revenue is the spend that points may be given for, net of refunds.",
  outstandingHint: "Outstanding is as of now, whatever the days.",
  onlyHere:
    "Figures of this restaurant only. Members, balances, wallets, campaigns and imports have none: they are marked “whole programme”.",
  posted: "What was posted since midnight",
  everywhere: "All restaurants",
  whole: (label: string) => `${label} (whole programme)`,
  noLocation: "No location",
  revenueByLocation: "Revenue by location",
  orderedHere: "Ordered here",
  liability: "Owed to guests",
  cost: "Cost of rewards",
  worthHint: (points: string, worth: string) =>
    `${points} points count as ${worth}: owed is what is outstanding, and the cost of rewards what was redeemed, less what was given back.`,
  noWorth: "To see what is owed in money and what rewards cost, set “Point value” in",
  noWorthLink: "the programme",
  csv: "CSV",
  csvOf: (title: string) => `CSV: ${title}`,
  figure: "Figure",
  value: "Value",
  before: "Before",
  total: "Total",
  beatMs: "Milliseconds since the last beat"
})
