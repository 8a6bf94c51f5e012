/** Random checks that add up, by seed; prices contain their modifiers', as the description of Toast has them. */
import type { Dice } from "../../../../src/capabilities/tills/toast/emulator/Dice.ts"
import type * as Wire from "../../../../src/capabilities/tills/toast/Wire.ts"
import { text } from "./Checks.ts"

interface Item {
  readonly selection: Wire.Selection
  /** After the discounts, without tax, minor units. */
  readonly net: number
  readonly tax: number
  readonly isEligible: boolean
}

const itemOf = (random: Dice, name: string, places: number, hasTax: boolean): Item => {
  const { between, once } = random
  const modifiers = once(2) ? Array.from({ length: between(1, 3) }, () => between(0, 300)) : []
  const weighed = modifiers.length === 0 && once(5)
  const quantity = weighed ? `${between(0, 3)}.${String(between(1, 999)).padStart(3, "0")}` : String(between(1, 4))
  const one = between(50, 2_500)
  const gross =
    (weighed ? Math.round(one * Number(quantity)) : one * Number(quantity)) + modifiers.reduce((a, b) => a + b, 0)
  const off = once(3) ? between(0, gross) : 0
  const net = gross - off
  const isVoided = once(12)
  const isEligible = !once(10)
  const tax = Math.round((net * between(0, 20)) / 100)
  // Prices with tax in them have it in both.
  const grossTax = hasTax && net > 0 ? Math.round((tax * gross) / net) : 0
  return {
    net: isVoided ? 0 : net,
    tax: isVoided ? 0 : tax,
    isEligible,
    selection: {
      guid: name,
      item: { guid: `${name}-item` },
      quantity,
      preDiscountPrice: text(gross + grossTax, places),
      price: text(net + (hasTax ? tax : 0), places),
      tax: text(tax, places),
      taxInclusion: hasTax ? "INCLUDED" : "NOT_INCLUDED",
      ...(isVoided ? { voided: true } : undefined),
      ...(isEligible ? undefined : { deferred: true }),
      modifiers: modifiers.map((price, place) => ({
        guid: `${name}-${place}`,
        quantity: String(between(1, 2)),
        preDiscountPrice: text(price, places),
        price: text(price, places)
      }))
    }
  }
}

export interface RandomCheck {
  readonly check: Wire.Check
  readonly currency: string
  readonly places: number
  /** Sum of the items after discounts, before tax. */
  readonly amount: number
  readonly eligible: number
  /** With tax, charges and tips. */
  readonly total: number
}

export const check = (random: Dice): RandomCheck => {
  const { between, once } = random
  const [currency, places] = (
    [
      ["USD", 2],
      ["JPY", 0],
      ["KWD", 3],
      ["EUR", 2]
    ] as const
  )[between(0, 3)]!
  const hasTax = once(4)
  const items = Array.from({ length: between(1, 6) }, (_, place) => itemOf(random, `s${place}`, places, hasTax))
  // One item at least is left.
  const last = {
    ...items[0]!,
    selection: {
      ...items[0]!.selection,
      guid: "last",
      modifiers: [],
      price: text(700, places),
      preDiscountPrice: text(700, places),
      tax: "0",
      voided: false,
      quantity: "1"
    },
    net: 700,
    tax: 0
  }
  const all = [...items, last]
  const sum = (of: (one: Item) => number) => all.reduce((total, one) => total + of(one), 0)
  const amount = sum(({ net }) => net)
  const eligible = sum(({ isEligible, net }) => (isEligible ? net : 0))
  const tax = sum((one) => one.tax)
  const charges = once(3) ? [between(10, 500), between(10, 500)] : []
  const charged = charges.reduce((a, b) => a + b, 0)
  const tip = once(2) ? between(0, 900) : 0
  return {
    currency,
    places,
    amount,
    eligible,
    total: amount + tax + charged + tip,
    check: {
      guid: "c1",
      openedDate: "2026-07-14T16:30:00.000+0000",
      selections: all.map(({ selection }) => selection),
      appliedServiceCharges: charges.map((charge, place) => ({
        guid: `f${place}`,
        chargeAmount: text(charge, places),
        gratuity: place === 0
      })),
      amount: text(amount + (once(2) ? charged : 0), places),
      taxAmount: text(tax, places),
      totalAmount: text(amount + tax + charged, places),
      payments: [
        {
          guid: "p1",
          type: "CREDIT",
          amount: text(amount + tax + charged, places),
          tipAmount: text(tip, places),
          paidBusinessDate: "20260714"
        }
      ]
    }
  }
}
