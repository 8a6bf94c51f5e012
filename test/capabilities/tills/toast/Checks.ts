/** Checks as a till of Toast sends them, with totals that add up. */
import { numberOf } from "../../../../src/capabilities/tills/Decimals.ts"
import type * as Wire from "../../../../src/capabilities/tills/toast/Wire.ts"

/** Decimal text of minor units. */
export const text = (minor: number, places = 2): string => String(numberOf(minor, places))

/** An item of one piece at a price; `more` replaces. */
export const item = (guid: string, minor: number, more: Partial<Wire.Selection> = {}): Wire.Selection => ({
  guid,
  item: { guid: `${guid}-item`, multiLocationId: `${guid}-product` },
  quantity: "1",
  preDiscountPrice: text(minor),
  price: text(minor),
  tax: "0",
  ...more
})

export const discount = (minor: number): Wire.AppliedDiscount => ({ guid: `d${minor}`, discountAmount: text(minor) })
export const charge = (minor: number, more: Partial<Wire.ServiceCharge> = {}): Wire.ServiceCharge => ({
  guid: `charge${minor}`,
  chargeAmount: text(minor),
  ...more
})
export const payment = (more: Partial<Wire.Payment> = {}): Wire.Payment => ({
  guid: "p1",
  type: "CREDIT",
  paidBusinessDate: "20260714",
  ...more
})

/** A check; `amount` is that of the items after discounts, `tax` of all. */
export const check = (
  selections: ReadonlyArray<Wire.Selection>,
  { amount, tax = 0, charges = 0 }: { readonly amount: number; readonly tax?: number; readonly charges?: number },
  more: Partial<Wire.Check> = {}
): Wire.Check => ({
  guid: "c1",
  openedDate: "2026-07-14T16:30:00.000+0000",
  modifiedDate: "2026-07-14T17:30:00.000+0000",
  selections,
  amount: text(amount),
  taxAmount: text(tax),
  totalAmount: text(amount + tax + charges),
  ...more
})
