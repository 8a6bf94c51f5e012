/** Every English text of the counter. */
import { count } from "../shared/strings.ts"
import { texts } from "../shared/texts.ts"

export const counterStrings = texts("counter", {
  title: "Counter",
  field: "Guest",
  fieldHint:
    "Scan the card, or type a number, a name, the end of a telephone number or a part of an order, and press Enter.",
  find: "Find",
  found: (guests: number) =>
    guests === 0 ? "No guest is found by this." : `${guests} ${count(guests, "guest", "guests")}`,
  many: "More guests match. Type more of the name or number.",
  results: "Guests found",
  begin: "The guest appears here.",
  points: (available: string, unit: string) => `${available} ${unit}`,
  held: (reserved: string) => `${reserved} more are held for open redemptions.`,
  tier: "Tier",
  toNext: (tier: string, missing: string, next: string) => `${tier}, ${missing} more to ${next}`,
  wallet: "In the wallet",
  enoughFor: "Enough points for",
  telephone: "Telephone",
  birthday: "Birthday",
  card: "Card",
  none: "none",
  give: "Give points",
  whole: "Everything about this guest",
  merged: "This guest was merged into another one.",
  toOther: "Show that guest",
  notActive: "Nothing can be given to this guest: the membership is not active."
})
