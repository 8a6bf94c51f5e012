/**
 * Decides the merge of one member into another: one record for each member. Both
 * are written or neither is (contract/members.md *Merging*).
 *
 * Everything of `from` moves to `into` unchanged: lots with their dates, open
 * rewards, counters, identities. Two entries for each unit, −x and +x, keep the
 * sum of both balances. A balance below zero moves too, and the oldest points of
 * the other member fill it. If the stamps of both fill a card, its reward is
 * issued at once.
 */

import { said } from "../../../contract/Said.ts"
import * as Tiers from "../../rules/Tiers.ts"
import type { MergedIn } from "./AccountEvent.ts"
import { mergeReason } from "./AccountEvent.ts"
import type { CardReward } from "./Action.ts"
import * as Cards from "./Cards.ts"
import { issueEarned } from "./Challenged.ts"
import type { Circumstances, Decided, NeedsCards } from "./Decision.ts"
import { decided, decidedMember, tooLarge } from "./Decision.ts"
import { Draft } from "./Draft.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import { MAX_IDENTITIES } from "./Membership.ts"
import type { Posted } from "./Posted.ts"
import { broughtReward } from "./Recall.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { factsOf } from "./Rewards.ts"
import type { State, UnitBalance } from "./State.ts"
import { qualifiedIn, unitOf } from "./State.ts"

/** A member in a merge: its account's number and its state. */
interface Side {
  readonly account: number
  readonly state: State
}

export interface Sides {
  readonly from: Side
  readonly into: Side
}

export interface MergeDecided {
  readonly _tag: "Decided"
  readonly from: Decided
  readonly into: Decided
}

/** Refuses a member that cannot be merged. Requires: everything due is posted. */
const unfit = ({ member, mergedInto, reservations, status }: State): Refusal | undefined => {
  if (mergedInto !== undefined)
    return refusal("invalid_state", said`Member ${member} was merged into ${mergedInto.member} before.`)
  if (status === "closed") return refusal("invalid_state", said`Member ${member} is closed.`)
  if (reservations.some((hold) => hold.status === "reserved"))
    return refusal("invalid_state", said`Member ${member} has open reservations.`)
  return undefined
}

/** The new numbers of `from`'s lots: below every number that `into` has used. */
const numbering = (from: State, into: State) => {
  const shift = lowestOf(into) - 1 - from.entries
  return { shift, lowest: lowestOf(from) + shift }
}

const lowestOf = ({ merged }: State): number => merged.at(-1)?.lowest ?? 0

/** The two latest tier periods in which either member has counted, the latest first. */
const periodsOf = (...states: ReadonlyArray<State>): ReadonlyArray<number> => {
  const all = states.flatMap(({ lastPeriod, period }) => [period, lastPeriod].filter((one) => one !== undefined))
  return [...new Set(all)].sort((a, b) => b - a).slice(0, 2)
}

const counterOf = (state: State, [period, last]: ReadonlyArray<number>, balance: UnitBalance) =>
  [
    balance.unit,
    balance.lifetime,
    qualifiedIn(state, balance, period),
    balance.credited,
    qualifiedIn(state, balance, last)
  ] as const

/** The card that the merged stamps are to fill. */
const cardFacts = ({ program, state }: Draft): Pick<Posted, "card"> => {
  const card = Cards.uncounted(state, program)
  return card === undefined ? {} : { card: [card.from, Cards.filled(state, program)] }
}

/** The higher of both promised tiers; of one tier the later end. */
const promisedOf = ({ at, program, state }: Draft, { promised }: State): Pick<MergedIn, "promised"> => {
  if (promised === undefined) return {}
  const [own, other] = [state.promised, promised].map((one) => Tiers.minimumOf(program, one, at))
  const isLater = (promised.until ?? Infinity) > (state.promised?.until ?? Infinity)
  return other! > own! || (other === own && isLater) ? { promised } : {}
}

/** True if the sums of both members' balances and counters of a unit are safe integers. */
const fits = (draft: Draft, { posted }: UnitBalance, counters: ReturnType<typeof counterOf>): boolean => {
  const [unit, lifetime, qualified, credited, last] = counters
  const into = unitOf(draft.state, unit)
  const sums = [into.lifetime + lifetime, into.credited + credited]
  for (const own of [into.qualified, into.last]) sums.push(own + qualified, own + last)
  return draft.keeps(unit, posted) && sums.every(Number.isSafeInteger)
}

/** Decides both records, both at the same instant. */
export const merge = ({ from, into }: Sides, given: Circumstances): MergeDecided | NeedsCards | Refusal => {
  const { now, program } = given
  if (program.isRetired) return refusal("program_retired", said`Programme ${program.id} was retired.`)
  const at = Math.max(now, from.state.at, into.state.at)
  const [leaving, taking] = [new Draft(from.state, program, at), new Draft(into.state, program, at)]
  leaving.settle()
  taking.settle()
  const refused = unfit(leaving.state) ?? unfit(taking.state)
  if (refused !== undefined) return refused
  const cards = draftInto(taking, { account: from.account, state: leaving.state }, given)
  if ("_tag" in cards) return cards
  draftFrom(leaving, into.account, taking)
  return {
    _tag: "Decided",
    from: decided(leaving, { type: "none" }),
    into: decidedMember(taking, false, cards)
  }
}

/** Drafts the record of `into`. Returns the rewards of the stamp cards that it fills. */
const draftInto = (
  draft: Draft,
  { account, state: from }: Side,
  given: Circumstances
): ReadonlyArray<CardReward> | NeedsCards | Refusal => {
  const identities = draft.state.identities.length + from.identities.length
  if (identities > MAX_IDENTITIES) {
    const { member } = draft.state
    return refusal(
      "invalid_state",
      said`Member ${member} would have ${identities} identities; the limit is ${MAX_IDENTITIES}.`
    )
  }
  const { shift, lowest } = numbering(from, draft.state)
  const periods = periodsOf(from, draft.state)
  const [period, lastPeriod] = periods
  const counters = from.units.map((unit) => counterOf(from, periods, unit))
  for (const [index, unit] of from.units.entries()) {
    if (!fits(draft, unit, counters[index]!)) return tooLarge(unit.unit)
  }
  draft.emit({
    type: "merged_in",
    at: draft.at,
    account,
    member: from.member,
    shift,
    lowest,
    entries: from.units.map(({ unit }, index) => [unit, draft.state.entries + 1 + index] as const),
    merged: from.merged,
    counters,
    ...(period === undefined ? undefined : { period }),
    ...(lastPeriod === undefined ? undefined : { lastPeriod }),
    cards: Cards.filled(from, draft.program),
    ...cardFacts(draft),
    orders: from.orders,
    ...(from.uses.length === 0 ? undefined : { uses: from.uses }),
    ...(from.challenges.length === 0 ? undefined : { challenges: from.challenges }),
    ...promisedOf(draft, from),
    ...(from.idle === undefined ? undefined : { idle: Math.max(from.idle, draft.state.idle ?? 0) })
  })
  for (const unit of from.units) receivePoints(draft, unit, shift)
  for (const reward of from.rewards) {
    if (reward.status !== "issued") continue
    const { issued } = reward
    const was = { ...factsOf(broughtReward(reward, draft.state.merged.at(-1)!)), n: draft.state.issued + 1 }
    draft.emit({ type: "reward_received", at: draft.at, issued, was })
  }
  for (const identity of from.identities) draft.emit({ type: "identity_added", at: draft.at, identity })
  if (from.external !== undefined && draft.state.external === undefined)
    draft.emit({ type: "external_id_given", at: draft.at, external: from.external })
  return issueEarned(draft, given.cards)
}

/** Posts a unit's balance with its lots. The oldest lots fill a hole first. */
const receivePoints = (draft: Draft, { lots, posted, unit }: UnitBalance, shift: number): void => {
  const facts = { op: "adjustment", unit, amount: posted, reason: mergeReason, reset: true } as const
  if (posted <= 0) return draft.post(facts)
  let hole = Math.max(0, -unitOf(draft.state, unit).posted)
  const back: Array<LotShare> = []
  for (const [n, points, expires, earned] of Lots.toArray(lots)) {
    const fills = Math.min(hole, points)
    hole -= fills
    if (points > fills) back.push([n + shift, points - fills, expires, earned])
  }
  draft.post({ ...facts, lot: 0, back })
}

/** Drafts the record of `from`. `taking` is the draft of the other member. */
const draftFrom = (draft: Draft, account: number, taking: Draft): void => {
  for (const { lots, posted, unit } of draft.state.units) {
    const amount = 0 - posted
    draft.post({ op: "adjustment", unit, amount, reason: mergeReason, reset: true, taken: Lots.toArray(lots), lot: 0 })
  }
  for (const { issued, status } of draft.state.rewards) {
    if (status === "issued") draft.emit({ type: "reward_moved", at: draft.at, issued })
  }
  const { external, identities } = draft.state
  for (const identity of identities) draft.emit({ type: "identity_removed", at: draft.at, identity })
  if (external !== undefined) draft.emit({ type: "external_id_freed", at: draft.at, external })
  const { member } = taking.state
  draft.emit({ type: "merged_away", at: draft.at, account, member, seq: taking.seq })
}
