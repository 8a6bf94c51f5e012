/** Every English text about yesterday's figures. Apart from the others: the first page draws them after its numbers. */
import { texts } from "../shared/texts.ts"

export const yesterdayStrings = texts("yesterday", {
  file: "Yesterday",
  title: (day: string) => `Yesterday, ${day}`,
  hint: (day: string, zone: string) =>
    `Compared with ${day}. Orders count on their business day, new members from midnight in ${zone}. Revenue is the spend that points may be given for, net of refunds.`,
  columns: ["Figure", "Yesterday", "A week before"],
  orders: "Orders",
  revenue: "Revenue",
  guests: "Guests",
  newMembers: "New members",
  before: (value: string) => `${value} a week before`
})
