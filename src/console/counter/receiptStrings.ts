/** Every English text of a missing receipt. */
import { texts } from "../shared/texts.ts"

export const receiptStrings = texts("receipt", {
  missing: "Receipt missing",
  way: "What is on the receipt",
  byCode: "A claim code",
  byHand: "No code",
  code: "Claim code",
  codeHint: "12 letters and digits. Small letters, blanks and hyphens do not matter.",
  claim: "Claim the order",
  add: "Add the order",
  claimed: (earned: string) => `The order is claimed: ${earned}.`,
  added: (earned: string) => `The order is added: ${earned}.`,
  already: (at: string, by: string | undefined) =>
    `This receipt was added already, on ${at}${by === undefined ? "" : ` by ${by}`}. Nothing is added a second time.`,
  restaurant: "Restaurant",
  choose: "Choose a restaurant",
  number: "Receipt number",
  at: (zone: string) => `Ordered at (${zone})`,
  amount: (currency: string) => `Amount without tax and tip (${currency})`,
  product: "Product",
  quantity: "Quantity",
  cost: (currency: string) => `Costs together (${currency})`,
  moreProducts: "Add a product",
  productsHint: "Only if a promotion or a stamp card asks for it.",
  removeProduct: (place: number) => `Remove product ${place}`,
  earns: (earned: string) => `It earns ${earned}.`,
  others: (orders: string) =>
    `The guest has another order there on this day, which may be the same one: ${orders}. Look before you add it.`,
  other: (order: string, at: string) => `${order}, ${at}`,
  alike: (orders: string) => `This order may be there already: ${orders}. Look before you add it.`,
  otherOf: (order: string, at: string, guest: string) => `${order}, ${at}, of guest ${guest}`,
  isAnother: "I have looked: it is another order"
})
