/**
 * Decides what a guest brings from another provider (contract/moving.md *What is posted*): one record sets all of it.
 *
 * Points are posted now and keep their dates. They count for no metric, stamp card or limit; only the standing does.
 * Nobody is told of the tier, which the guest had before.
 */
import { said } from "../../../contract/Said.ts"
import * as Expiration from "../../rules/Expiration.ts"
import * as Periods from "../../rules/Periods.ts"
import type { MovedIn } from "./AccountEvent.ts"
import type { LotOrigin, Moved, MovedPoints, MoveIn } from "./Action.ts"
import type { Decision } from "./Decision.ts"
import { decidedMember, inactive, tooLarge } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import { evolve } from "./Evolve.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import { MAX_IDENTITIES } from "./Membership.ts"
import * as Metrics from "./Metrics.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import type { State } from "./State.ts"
import { available, pathFrom, unitOf } from "./State.ts"

/** The reason of the entries of a move in. */
const moveReason = "moved in"

/** When the guest last earned, by the points if nothing else tells. A correction renews nothing, but points need some date. */
const lastEarnedOf = ({ at, state }: Draft, { lastEarned, points }: Moved): number | undefined => {
  const fresh = points.filter(({ amount, lots }) => amount > 0 && (lots === undefined || state.idle === undefined))
  return lastEarned ?? (fresh.length === 0 ? undefined : Math.max(...fresh.map(({ earned = at }) => earned)))
}

/** The account's date that the last earning gives, if it is later than the one that it has. */
const idleOf = (draft: Draft, moved: Moved): number | undefined => {
  const lastEarned = lastEarnedOf(draft, moved)
  if (lastEarned === undefined) return undefined
  const date = Expiration.inactiveAt(draft.program, Math.min(lastEarned, draft.at))
  return date !== undefined && date > (draft.state.idle ?? 0) ? date : undefined
}

/** When points expire: an instant, `withAccount`, or undefined for never. */
const expiryOf = ({ at, program }: Draft, { earned = at, expires, unit }: MovedPoints): number | undefined =>
  expires === null ? undefined : (expires ?? Expiration.expiresAt(program, unit, Math.min(earned, at)))

const unfitPoints = (draft: Draft, moved: Moved): Refusal | undefined => {
  const idle = idleOf(draft, moved) ?? draft.state.idle ?? Infinity
  for (const points of moved.points) {
    if (!draft.program.accounts.some(({ unit }) => unit === points.unit))
      return refusal("validation_failed", said`Programme ${draft.program.id} has no account of ${points.unit}.`)
    const expires = expiryOf(draft, points) ?? Infinity
    const isOver = (expires === Expiration.withAccount ? idle : expires) <= draft.at
    if (isOver && points.amount > 0) return refusal("expired", "Points that are moved in must not have expired.")
    if (!draft.fits(points.unit, points.amount, 0)) return tooLarge(points.unit)
  }
  for (const [unit, lifetime, qualified] of moved.counters) {
    const balance = unitOf(draft.state, unit)
    const sums = [balance.lifetime + lifetime, balance.qualified + qualified]
    if (!sums.every(Number.isSafeInteger)) return tooLarge(unit)
  }
  return undefined
}

const unfitRewards = ({ at, program }: Draft, { rewards, tier }: Moved): Refusal | undefined => {
  for (const { expires = Infinity, reward } of rewards) {
    if (!program.rewards.has(reward))
      return refusal("not_found", said`Programme ${program.id} has no reward ${reward}.`)
    if (expires <= at) return refusal("expired", "Rewards that are moved in must not have expired.")
  }
  if (tier !== undefined && !program.tiers.some(({ tier_id }) => tier_id === tier.id))
    return refusal("not_found", said`Programme ${program.id} has no tier ${tier.id}.`)
  return undefined
}

/** Shares of the lots that a correction names, with all that is left of them, without those that are over. */
const leftOf = (state: State, { lots = [], unit }: MovedPoints, at: number): ReadonlyArray<LotShare> => {
  const numberOf = ({ account, n }: LotOrigin) =>
    (pathFrom(state, account) ?? []).reduce((number, { shift }) => number + shift, n)
  const numbers = new Set(lots.map(numberOf))
  return Lots.toArray(unitOf(state, unit).lots).filter(
    (share) => numbers.has(share[0]) && !Lots.isOver(share, at, state.idle)
  )
}

/** Points with each correction at most what its lots have left and no hold needs; it may be 0. Nothing goes below zero. */
export const fitting = (state: State, points: ReadonlyArray<MovedPoints>, at: number): ReadonlyArray<MovedPoints> => {
  const free = new Map(state.units.map((balance) => [balance.unit, Math.max(0, available(balance))]))
  return points.map((one) => {
    if (one.amount >= 0) return one
    const before = free.get(one.unit) ?? 0
    const taken = Math.min(-one.amount, before, Lots.sum(leftOf(state, one, at)))
    free.set(one.unit, before - taken)
    return { ...one, amount: 0 - taken }
  })
}

/** Corrections were made to fit: one that does not fit any more is a conflict, and is made again. */
const unfitCorrections = ({ at, state }: Draft, { points }: Moved): Refusal | undefined =>
  fitting(state, points, at).every(({ amount }, place) => amount === points[place]?.amount)
    ? undefined
    : refusal("conflict", "A lot has fewer points left than a correction takes.")

const takenBy = (draft: Draft, points: MovedPoints): ReadonlyArray<LotShare> => {
  let rest = -points.amount
  return leftOf(draft.state, points, draft.at).flatMap(([n, left, ends, date]): ReadonlyArray<LotShare> => {
    const share = Math.min(left, rest)
    rest -= share
    return share > 0 ? [[n, share, ends, date]] : []
  })
}

const takePoints = (draft: Draft, points: MovedPoints): void => {
  const { adjustment, amount, unit } = points
  const taken = takenBy(draft, points)
  draft.emit({
    ...{ type: "posted", at: draft.at, n: draft.state.entries + 1, op: "manual", unit, amount, adjustment },
    ...{ classification: "migration", reason: moveReason, qualifies: false, counts: 0, counted: amount },
    ...(taken.length === 0 ? undefined : { taken })
  })
}

const postPoints = (draft: Draft, points: MovedPoints): void => {
  const { adjustment, amount, earned = draft.at, unit } = points
  if (amount < 0) return takePoints(draft, points)
  const n = draft.state.entries + 1
  const expires = expiryOf(draft, points)
  const hole = Math.max(0, -unitOf(draft.state, unit).posted)
  draft.emit({
    type: "posted",
    at: draft.at,
    n,
    op: "manual",
    unit,
    amount,
    adjustment,
    classification: "migration",
    reason: moveReason,
    qualifies: false,
    counts: 0,
    counted: amount,
    back: Lots.beyond([[n, amount, expires ?? null, Math.min(earned, draft.at)]], hole),
    ...(expires === undefined ? undefined : { expires })
  })
}

/** The tier is at least a lower promise's, too: a promise is replaced by a higher one alone. */
const promisedBy = ({ at, program, state }: Draft, { tier }: Moved): Pick<MovedIn, "promised"> => {
  if (tier === undefined) return {}
  const until = tier.until ?? Periods.periodEnd(program, at)
  const placeOf = (id: string | undefined) => program.tiers.findIndex(({ tier_id }) => tier_id === id)
  const isOver = at >= (state.promised?.until ?? Infinity)
  if (state.promised !== undefined && !isOver && placeOf(state.promised.tier) > placeOf(tier.id)) return {}
  return { promised: until === Infinity ? { tier: tier.id } : { tier: tier.id, until } }
}

/** Adds what a guest brings to the decision. Returns why it cannot. */
export const bring = (draft: Draft, moved: Moved): Refusal | undefined => {
  const { counters, identities, orders, points, rewards } = moved
  const { at, program, state } = draft
  const refused = unfitPoints(draft, moved) ?? unfitCorrections(draft, moved) ?? unfitRewards(draft, moved)
  if (refused !== undefined) return refused
  const added = identities.filter((identity) => !state.identities.includes(identity))
  const left = state.identities.length + added.length
  if (left > MAX_IDENTITIES)
    return refusal(
      "invalid_state",
      said`Member ${state.member} would have ${left} identities; the limit is ${MAX_IDENTITIES}.`
    )
  for (const identity of added) draft.emit({ type: "identity_added", at, identity })
  for (const one of points) postPoints(draft, one)
  for (const { at: issuedAt = at, code, expires, issued, reward } of rewards) {
    const n = draft.state.issued + 1
    const was = { at: Math.min(issuedAt, at), n, reward, artifact: { type: "code", value: code } } as const
    draft.emit({ type: "reward_received", at, issued, was: expires === undefined ? was : { ...was, expires } })
  }
  const idle = idleOf(draft, moved)
  const period = Periods.counts(program, at) ? (Periods.periodStart(program, at) ?? 0) : undefined
  const isQualified = period !== undefined && counters.some(([, , qualified]) => qualified > 0)
  const event: MovedIn = {
    type: "moved_in",
    at,
    // One at least: figures of members keep a promised tier with their units.
    counters: (counters.length === 0 ? [[program.primaryUnit, 0, 0] as const] : counters).map(
      ([unit, lifetime, qualified]) => [unit, lifetime, isQualified ? qualified : 0] as const
    ),
    ...(isQualified ? { period } : undefined),
    orders,
    ...(idle === undefined ? undefined : { idle }),
    ...promisedBy(draft, moved)
  }
  const tier = Metrics.tierOf(evolve(draft.state, event, draft.seq), program, at)
  draft.emit(tier === undefined ? event : { ...event, tier: tier.tier_id })
  return undefined
}

export const moveIn = (draft: Draft, action: MoveIn): Decision => {
  const refused = inactive(draft.state)
  if (refused !== undefined) return refused
  draft.settle()
  const { external } = action
  if (external !== undefined && draft.state.external === undefined)
    draft.emit({ type: "external_id_given", at: draft.at, external })
  if (action.changesProfile) draft.emit({ type: "profile_changed", at: draft.at })
  return bring(draft, action) ?? decidedMember(draft, false)
}
