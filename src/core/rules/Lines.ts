/** Lines of an order and the modifiers below them (contract/orders.md *Eligible spend*). Pure. */
import type { OrderLine } from "../../contract/protocol/Order.ts"

/** True for a modifier that lowers the price of its parent. */
export const lowersPrice = (line: OrderLine): boolean => line.kind === "modifier" && line.unit_price.amount < 0

/** The lines' places by line_id; the first one counts where an id is not unique. */
export const placesOf = (lines: ReadonlyArray<OrderLine>): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  lines.forEach(({ line_id }, index) => {
    if (!places.has(line_id)) places.set(line_id, index)
  })
  return places
}

/**
 * Whether each line counts, where that of some lines follows from their parents, from the top down. Requires an order
 * without faults: then no parents form a circle.
 */
export const byParents = (
  lines: ReadonlyArray<OrderLine>,
  counts: Array<boolean>,
  isBelow: (line: OrderLine) => boolean,
  countsBelow: (line: OrderLine, own: boolean, parent: boolean) => boolean
): ReadonlyArray<boolean> => {
  const settled = lines.map((line) => line.parent_line_id === undefined || !isBelow(line))
  if (!settled.includes(false)) return counts
  const places = placesOf(lines)
  for (const start of lines.keys()) {
    const path: Array<number> = []
    for (let at = start; !settled[at]; at = places.get(lines[at]!.parent_line_id!)!) path.push(at)
    for (const at of path.toReversed()) {
      const line = lines[at]!
      counts[at] = countsBelow(line, counts[at]!, counts[places.get(line.parent_line_id!)!]!)
      settled[at] = true
    }
  }
  return counts
}
