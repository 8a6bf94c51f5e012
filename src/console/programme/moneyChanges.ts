/** Changes of money as money, which the service tells by the number alone. Pure. */

import type { PointValue } from "../../contract/ProgramFile.ts"
import { worthOf } from "../../contract/Worth.ts"

export interface ProgramChange {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

/** The value at a JSON Pointer. */
const valueAt = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((at, part) => (typeof at === "object" && at !== null ? Reflect.get(at, part) : undefined), root)

const currencyOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, "currency") : undefined

/** The change of a sum's `amount` as that of the sum; others as they are. `root`: the definition that the path is of. */
export const moneyChange = (change: ProgramChange, root: unknown): ProgramChange => {
  if (!change.path.endsWith("/amount")) return change
  const path = change.path.slice(0, -"/amount".length)
  const currency = currencyOf(valueAt(root, path))
  if (typeof currency !== "string") return change
  const [from, to] = [change.from, change.to].map((amount) => (amount === undefined ? undefined : { amount, currency }))
  return { path, from, to }
}

/** The worth of what guests hold by the value of a point before and after; undefined: the value stays. */
export const heldWorth = (
  points: number,
  before: PointValue | undefined,
  after: PointValue | undefined
): readonly [before: PointValue["worth"] | undefined, after: PointValue["worth"] | undefined] | undefined => {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  const worth = (value: PointValue | undefined) => value && worthOf(value, points)
  return [worth(before), worth(after)]
}
