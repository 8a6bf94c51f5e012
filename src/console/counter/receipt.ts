/** A receipt as a clerk types it. Pure. */
import type { Receipt } from "../../contract/admin/Receipt.ts"
import { amountOf } from "../shared/amounts.ts"
import { clockAt } from "../shared/zonedTime.ts"

export interface TypedProduct {
  readonly product_id: string
  readonly quantity: string
  readonly cost: string
}

export interface TypedReceipt {
  readonly location_id: string
  readonly number: string
  /** The local time of the programme's zone, `YYYY-MM-DDTHH:mm`. */
  readonly at: string
  readonly amount: string
  readonly products: ReadonlyArray<TypedProduct>
  readonly reason: string
}

export const emptyReceipt: TypedReceipt = { location_id: "", number: "", at: "", amount: "", products: [], reason: "" }

export const emptyProduct: TypedProduct = { product_id: "", quantity: "1", cost: "" }

/** The instant of a zone's local time, as the service takes it. */
const instantOf = (local: string, zone: string): string => {
  const wanted = Date.parse(`${local}:00Z`)
  // The zone's offset then may differ from the offset at the first guess.
  const guess = wanted - (clockAt(zone, wanted) - wanted)
  return new Date(wanted - (clockAt(zone, guess) - guess)).toISOString()
}

/** Undefined: something is missing, or no number. `digits`: decimals of the currency. */
export const receiptOf = (
  typed: TypedReceipt,
  { currency, digits, zone }: { readonly currency: string; readonly digits: number; readonly zone: string }
): Omit<Receipt, "dry_run"> | undefined => {
  const amount = amountOf(typed.amount, digits)
  const products = typed.products.map(({ cost, product_id, quantity }) => ({
    product_id: product_id.trim(),
    quantity: Number(quantity),
    amount: amountOf(cost, digits) ?? Number.NaN
  }))
  const isWhole =
    amount !== undefined &&
    typed.location_id !== "" &&
    typed.number.trim() !== "" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed.at) &&
    products.every((one) => one.product_id !== "" && one.quantity >= 1 && Number.isFinite(one.amount))
  if (!isWhole) return undefined
  return {
    location_id: typed.location_id,
    number: typed.number.trim(),
    business_date: typed.at.slice(0, 10),
    placed_at: instantOf(typed.at, zone),
    amount: { amount, currency },
    ...(products.length === 0 ? {} : { products }),
    reason: typed.reason === "" ? "-" : typed.reason
  }
}
