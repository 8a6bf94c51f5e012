/** Work that is left of a guest, by what is here of it and what earlier moves have brought. Pure. */

import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import type { GuestMoved, HereFault, MoveIn as MoveInRequest } from "../../contract/admin/MoveIn.ts"
import { toMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { MovedPoints, MovedReward } from "../../core/account/domain/Action.ts"
import * as MoveIn from "../../core/account/domain/MoveIn.ts"
import type { State } from "../../core/account/domain/State.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Claim } from "../../core/journal/Records.ts"
import type { Program } from "../../core/rules/Program.ts"
import { endsOf } from "./Checks.ts"
import type { Here } from "./Here.ts"
import * as MovedKeys from "./MovedKeys.ts"
import type { Remembered } from "./Remembered.ts"

/** Codes of a guest's rewards: those that were moved before, and those that other rewards have. */
export interface RewardsHere {
  readonly moved: ReadonlySet<string>
  readonly taken: ReadonlySet<string>
}

export interface Asked extends Required<Pick<MoveInRequest, "correct" | "greet" | "waive">> {
  readonly claimKey: ClaimKey
  readonly program: Program
  /** ms */
  readonly now: number
}

export interface Todo {
  readonly guest: MovedGuest
  /** The account of the member; undefined: the guest is to be enrolled. */
  readonly account: number | undefined
  /** True if it was moved before, and has not been erased since. */
  readonly isMovedBefore: boolean
  /** The guest in answers, if it was moved before. */
  readonly movedAs: string | undefined
  /** True if a fault that was not waived keeps the guest from being moved. */
  readonly isKept: boolean
  readonly identities: MovedGuest["identities"]
  /** True if lots are new, not corrected alone. */
  readonly hasFresh: boolean
  readonly points: ReadonlyArray<MovedPoints>
  readonly rewards: ReadonlyArray<MovedReward>
  /** Everything that the record claims. */
  readonly claims: ReadonlyArray<Claim>
  readonly faults: ReadonlyArray<HereFault>
  readonly differences: GuestMoved["differences"]
}

const instant = (text: string | null | undefined): number | undefined => (text == null ? undefined : toMillis(text))

/** A lot that was moved with another amount, and the points that correct it. */
type Differing = GuestMoved["differences"][number] & { readonly points: MovedPoints }

/** Lots that are new, and those that were moved with another amount. */
const lotsLeft = (guest: MovedGuest, root: string, known: Remembered["points"], { claimKey, now, program }: Asked) => {
  const keyed = MovedKeys.lotsOf(claimKey, root, guest.lots)
  const pointsOf = ({ adjustment, lot }: MovedKeys.KeyedLot, amount: number): MovedPoints => ({
    ...{ adjustment, unit: lot.unit, amount, earned: instant(lot.earned_at) },
    expires: lot.expires_at === null ? null : instant(lot.expires_at)
  })
  const ends = endsOf(guest, program, now)
  const fresh = keyed.flatMap((one): ReadonlyArray<MovedPoints> => {
    const hasExpired = (ends(one.lot) ?? Infinity) <= now
    return known.has(one.adjustment) || hasExpired ? [] : [pointsOf(one, one.lot.amount)]
  })
  const changed = keyed.flatMap((one): ReadonlyArray<Differing> => {
    const before = known.get(one.adjustment)
    const { amount: listed, unit } = one.lot
    if (before === undefined || before.isOver || before.amount === listed) return []
    const { amount: moved, lots } = before
    return [{ unit, moved, listed, lot: one.place, points: { ...pointsOf(one, listed - moved), lots } }]
  })
  const listed = new Set(keyed.map(({ adjustment }) => adjustment))
  const missing = [...known.values()].flatMap((one): ReadonlyArray<Differing> => {
    const { adjustment, amount: moved, isOver, lots, unit } = one
    if (listed.has(adjustment) || isOver || moved === 0) return []
    return [{ unit, moved, listed: 0, points: { adjustment, unit, amount: -moved, lots } }]
  })
  return { fresh, differing: [...changed, ...missing] }
}

/** Rewards that were not moved yet. One whose code another has is left out. */
const rewardsLeft = ({ rewards }: MovedGuest, here: RewardsHere, { claimKey, now, program }: Asked) => {
  const left = rewards.flatMap(({ code, expires_at, issued_at, reward_id }): ReadonlyArray<MovedReward> => {
    const expires = instant(expires_at)
    if (here.moved.has(code) || here.taken.has(code) || (expires ?? Infinity) <= now) return []
    const issued = MovedKeys.rewardId(claimKey, program.id, code)
    const at = instant(issued_at)
    const dates = { ...(at === undefined ? {} : { at }), ...(expires === undefined ? {} : { expires }) }
    return [{ issued, reward: reward_id, code, ...dates }]
  })
  const isTaken = rewards.some(({ code }) => !here.moved.has(code) && here.taken.has(code))
  return { left, isTaken }
}

const rewardClaims = ({ claimKey, program }: Asked, issued: string, code: string): ReadonlyArray<Claim> =>
  [ClaimKeys.issuedReward(claimKey, issued), ClaimKeys.artifact(claimKey, program.id, code)].map((key) => ({
    key,
    fingerprint: key
  }))

/** The corrections that are to be posted, and the differences that are left then. */
const correctedOf = (
  differing: ReadonlyArray<Differing>,
  { lots_left_out }: MovedGuest,
  { state }: Facts,
  { correct, now }: Asked
) => {
  // Of equal lots the largest come first: those of a file that lacks rows list at most what the whole file would.
  const allowed = ({ points }: Differing) =>
    lots_left_out === true && points.amount < 0 ? { ...points, amount: 0 } : points
  const wanted = correct ? differing.map(allowed) : []
  const all = state === undefined ? wanted : MoveIn.fitting(state, wanted, Math.max(now, state.at))
  const differences = differing.flatMap(({ points: _, ...one }, place) => {
    const moved = one.moved + (all[place]?.amount ?? 0)
    return moved === one.listed ? [] : [{ ...one, moved }]
  })
  return { corrections: all.filter(({ amount }) => amount !== 0), differences }
}

export interface Facts {
  readonly here: Here
  readonly before: Remembered | undefined
  readonly rewards: RewardsHere
  /** Keys of names by which guests were moved before. */
  readonly taken: ReadonlySet<string>
  /** The account, if it was looked at: only corrections that take points need it. */
  readonly state?: State
}

/** Work that is left. Without the account's state, corrections take more than their lots may have left. */
export const todoOf = (guest: MovedGuest, facts: Facts, asked: Asked): Todo => {
  const { before, here, rewards } = facts
  const { claimKey, program, waive } = asked
  const names = MovedKeys.namesOf(claimKey, program.id, guest)
  const [first = ""] = [...names.ids, ...names.cards]
  const root = before?.root ?? first
  const { differing, fresh } = lotsLeft(guest, root, before?.points ?? new Map(), asked)
  const { isTaken, left } = rewardsLeft(guest, rewards, asked)
  const { corrections, differences } = correctedOf(differing, guest, facts, asked)
  const faults: ReadonlyArray<HereFault> = [
    ...(before === undefined && here.others.length > 0 ? ["card_elsewhere" as const] : []),
    ...(before === undefined && here.hasOpening && fresh.length > 0 ? ["opening_balance" as const] : []),
    ...(isTaken ? ["doubled_code" as const] : [])
  ]
  const own = guest.identities.filter((_, place) => !here.others.includes(place))
  const claimOf = ({ adjustment, amount, unit }: MovedPoints) => {
    const entries = before?.points.get(adjustment)?.entries ?? 0
    return MovedKeys.pointsClaim(claimKey, program.id, { adjustment, unit, amount, entries })
  }
  return {
    guest,
    account: before?.account ?? here.account,
    isMovedBefore: before !== undefined,
    movedAs: before === undefined ? undefined : MovedKeys.movedAs(MovedKeys.guestPrefix(root)),
    isKept: faults.some((fault) => !waive.includes(fault)),
    identities: before === undefined ? own : [],
    hasFresh: fresh.length > 0,
    points: [...fresh, ...corrections],
    rewards: left,
    claims: [
      ...(before === undefined ? namesClaimed(names, facts, root) : []),
      ...fresh.map(claimOf),
      ...corrections.map(claimOf),
      ...left.flatMap(({ code, issued }) => rewardClaims(asked, issued, code))
    ],
    faults,
    differences
  }
}

/** The names of a guest lead to its root. A card leads to the guest that was moved with it first. Those that others have stay free. */
const namesClaimed = (
  { cards, ids }: ReturnType<typeof MovedKeys.namesOf>,
  { here, taken }: Facts,
  root: string
): ReadonlyArray<Claim> =>
  [...ids, ...cards.filter((key, place) => !here.others.includes(place) && !taken.has(key))].map((key) => ({
    key,
    fingerprint: root
  }))
