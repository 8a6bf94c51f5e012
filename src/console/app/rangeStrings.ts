/** Every English text about a range of days and the files of figures. Apart from the others: the first page draws them after its numbers. */

export const rangeStrings = {
  from: "From",
  to: "To",
  wrong: (days: string) => `From must not be after To, nor more than ${days} days before it.`,
  month: "Month",
  summary: "Figures of these days",
  revenue: "Revenue",
  guests: "Guests",
  newMembers: "New members",
  issued: "Points issued",
  redeemed: "Points redeemed",
  expired: "Points expired",
  summaryHint:
    "Revenue is the spend that points may be given for, net of refunds. Outstanding is as of now, whatever the days.",
  csv: "CSV",
  csvOf: (title: string) => `CSV: ${title}`,
  figure: "Figure",
  value: "Value",
  before: "Before"
}
