/**
 * Keyed hashes by which a move remembers guests, lots and rewards (contract/moving.md *Once only*). A guest's root is the hash
 * of the name that it was first moved by; every other name leads to it.
 */
import type { MovedGuest, MovedLot } from "../../contract/admin/MovedGuest.ts"
import type { Unit } from "../../contract/Values.ts"
import { toMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Claim } from "../../core/journal/Records.ts"

/** The keys of a guest's names, the surest first: ids, then cards. A card may have come to another guest meanwhile. */
export const namesOf = (claimKey: ClaimKey, program: string, guest: MovedGuest) => {
  const { external_id, identities, member_id } = guest
  const key = (...name: ReadonlyArray<string>) => claimKey("moved guest", program, ...name)
  return {
    ids: [
      ...(external_id === undefined ? [] : [key("external", external_id)]),
      ...(member_id === undefined ? [] : [key("member", member_id)])
    ],
    cards: identities.map(({ issuer = "", type, value }) => key("card", type, issuer, value))
  }
}

/** Begins every adjustment id of points that were moved in. */
export const movedPrefix = "move:"

/** Begins the adjustment ids of a guest's lots, so that the lots of two guests who are one member stay apart. */
export const guestPrefix = (root: string): string => `${movedPrefix}${root.replaceAll("-", "").slice(0, 16)}:`

/** A guest in answers and adjustment ids: the beginning of its root's hash. */
export const movedAs = (adjustment: string): string => adjustment.slice(movedPrefix.length).split(":", 1)[0] ?? ""

const instant = (text: string | null | undefined): string =>
  text === undefined ? "" : text === null ? "never" : String(toMillis(text))

export interface KeyedLot {
  /** The id of its entry. */
  readonly adjustment: string
  readonly lot: MovedLot
  /** Its place among the guest's lots. */
  readonly place: number
}

/** The lots of a guest by guest, unit, dates and number among equals, the largest first; never by their place. */
export const lotsOf = (claimKey: ClaimKey, root: string, lots: ReadonlyArray<MovedLot>): ReadonlyArray<KeyedLot> => {
  const termsOf = (lot: MovedLot) => [lot.unit, instant(lot.earned_at), instant(lot.expires_at)]
  const placed = lots.map((lot, place) => ({ lot, place }))
  return [...Map.groupBy(placed, ({ lot }) => termsOf(lot).join(" ")).values()].flatMap((equals) =>
    equals
      .toSorted((one, other) => other.lot.amount - one.lot.amount)
      .map((one, number) => ({
        ...one,
        adjustment: `${guestPrefix(root)}${claimKey("moved lot", root, ...termsOf(one.lot), String(number))}`
      }))
  )
}

/** The claim of a lot that is new, or of its next correction: one after `entries` entries. */
export const pointsClaim = (
  claimKey: ClaimKey,
  program: string,
  { adjustment, amount, entries = 0, unit }: { adjustment: string; unit: Unit; amount: number; entries?: number }
): Claim => ({
  key:
    entries === 0
      ? ClaimKeys.adjustment(claimKey, program, adjustment)
      : claimKey("move correction", program, adjustment, String(entries)),
  fingerprint: claimKey("moved points", unit, String(amount))
})

/** The id of a reward that is moved in. */
export const rewardId = (claimKey: ClaimKey, program: string, code: string): string =>
  `move-${claimKey("moved reward", program, code)}`
