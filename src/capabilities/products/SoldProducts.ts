/** The products of accruals, as this node noted them since it began, and which of them wait to be written. */
import { Latch } from "effect"
import type { OrderLine } from "../../contract/protocol/Order.ts"
import * as Bounds from "./Bounds.ts"

/** A product as it was sold last. */
export interface Sold {
  readonly program: string
  readonly product: string
  name: string | undefined
  categories: ReadonlyArray<string> | undefined
  /** ms, by the service's time. */
  soldAt: number
  /** `soldAt` as it was written last, ms. */
  writtenAt: number
}

/** True if the first ones are the others, as far as they are kept. */
const isSame = (some: ReadonlyArray<string> | undefined, others: ReadonlyArray<string>): boolean => {
  const length = Math.min(others.length, Bounds.maxCategories)
  if (some?.length !== length) return false
  for (let place = 0; place < length; place++) if (some[place] !== others[place]) return false
  return true
}

export class SoldProducts {
  private readonly programs = new Map<string, Map<string, Sold>>()
  private readonly waiting = new Set<Sold>()
  /** Open while notes wait. */
  readonly someWait = Latch.makeUnsafe(false)

  /** Notes the lines of an order that has accrued at `now`, ms. */
  note(program: string, lines: ReadonlyArray<OrderLine>, now: number): void {
    let products = this.programs.get(program)
    if (products === undefined) {
      products = new Map()
      this.programs.set(program, products)
    }
    for (const line of lines) {
      const sold = products.get(line.product_id)
      if (sold === undefined) this.add(program, products, line, now)
      else if (this.renew(sold, line, now)) this.wait(sold)
    }
  }

  /** Takes the products that wait to be written. */
  take(): ReadonlyArray<Sold> {
    const taken = [...this.waiting]
    this.waiting.clear()
    this.someWait.closeUnsafe()
    for (const sold of taken) sold.writtenAt = sold.soldAt
    return taken
  }

  /** Lets products that were taken wait again: they could not be written. */
  putBack(taken: ReadonlyArray<Sold>): void {
    for (const sold of taken) this.wait(sold)
  }

  private add(program: string, products: Map<string, Sold>, line: OrderLine, now: number): void {
    if (this.waiting.size >= Bounds.maxWaiting) return
    // A product that was written is noted again at its next sale, and then changes nothing.
    if (products.size >= Bounds.maxProducts) products.clear()
    const { category_ids, name, product_id: product } = line
    const categories = category_ids?.slice(0, Bounds.maxCategories)
    const sold: Sold = { program, product, name, categories, soldAt: now, writtenAt: now }
    products.set(product, sold)
    this.wait(sold)
  }

  /** True if there is something to write. */
  private renew(sold: Sold, { category_ids, name }: OrderLine, now: number): boolean {
    sold.soldAt = Math.max(sold.soldAt, now)
    const isRenamed = name !== undefined && name !== sold.name
    const isMoved = category_ids !== undefined && !isSame(sold.categories, category_ids)
    if (isRenamed) sold.name = name
    if (isMoved) sold.categories = category_ids.slice(0, Bounds.maxCategories)
    return isRenamed || isMoved || now >= sold.writtenAt + Bounds.soldMs
  }

  private wait(sold: Sold): void {
    if (this.waiting.size >= Bounds.maxWaiting) return
    this.waiting.add(sold)
    this.someWait.openUnsafe()
  }
}
