/**
 * An operator's changes of guests between their commands: status and identities
 * (contract/members.md *Status and writes*, *Changing identities*).
 */
import type { MemberStatus } from "../../src/contract/Values.ts"
import type { Guest } from "./Guest.ts"
import type { Random } from "./Random.ts"

export type OperatorCommand =
  | { readonly operation: "status"; readonly status: MemberStatus }
  /** Cards by their numbers. */
  | { readonly operation: "identities"; readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }

export type OperatorExchange = OperatorCommand & {
  /** A refusal's code, or when it was done, ms. */
  readonly answer: { readonly code: string } | { readonly at: number }
}

/** Cards that all guests are given in turns: what one has is a conflict for the others. */
const shared = ["shared-1", "shared-2", "shared-3"]

export const isShared = (card: string): boolean => shared.includes(card)

/** The next command: a suspended guest is mostly re-opened, so that life goes on. */
export const draw = (random: Random, guest: Guest): OperatorCommand => {
  const chance = random.next()
  if (guest.status === "suspended" && chance < 0.8) return { operation: "status", status: "active" }
  if (chance < 0.25) return { operation: "status", status: "suspended" }
  if (chance < 0.33) return { operation: "status", status: "closed" }
  if (chance < 0.38) return { operation: "status", status: "active" }
  // Cards that guests were enrolled with stay: an enrolment with one would make another guest.
  const own = [...guest.identities].filter((card) => !card.startsWith("card-"))
  const add = random.next() < 0.7 ? [random.next() < 0.7 ? random.pick(shared) : `${guest.member}-${own.length}`] : []
  const remove = random.next() < 0.6 ? [random.pick([...own, "nobody's"])] : []
  return { operation: "identities", add, remove: remove.filter((card) => !add.includes(card)) }
}
