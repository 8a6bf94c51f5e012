/** A guest in the columns of a move in (contract/exports.md *Guests*, contract/moving.md *Columns*). Pure. */
import { fromMillis } from "../../contract/Values.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { State, UnitBalance } from "../../core/account/domain/State.ts"
import { isOwn, qualifiedIn, unitOf } from "../../core/account/domain/State.ts"
import type { Identity } from "../../core/journal/Records.ts"
import * as Expiration from "../../core/rules/Expiration.ts"
import * as Periods from "../../core/rules/Periods.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Tiers from "../../core/rules/Tiers.ts"
import type { StoredMember } from "../members/ProfileStore.ts"
import { consentsShown, fieldsShown } from "../members/ProfileStore.ts"

/** A guest who can move: its state with everything due applied, and its personal data. */
export interface Leaving {
  readonly state: State
  readonly stored: StoredMember
  readonly identities: ReadonlyArray<Identity>
}

/** Points of a unit in lots with their dates. A lot of a programme that lets points expire by inactivity has none of its own. */
const lotsOf = (state: State, { lots, unit }: UnitBalance, program: Program) =>
  Lots.toArray(lots).map(([, amount, expires, earned]) => {
    const lot = { unit, amount, earned_at: fromMillis(earned) }
    const isIdle = expires === Expiration.withAccount
    if (isIdle && Expiration.expiresAt(program, unit, earned) === Expiration.withAccount) return lot
    const ends = isIdle ? (state.idle ?? null) : expires
    return { ...lot, expires_at: ends === null ? null : fromMillis(ends) }
  })

/** The earliest instant of an earning that gives the account its date, at most `now`. */
const lastEarned = (program: Program, idle: number, now: number): number => {
  let [low, high] = [0, now]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((Expiration.inactiveAt(program, middle) ?? Infinity) >= idle) high = middle
    else low = middle + 1
  }
  return low
}

const lastEarnedOf = ({ idle }: State, program: Program, now: number) =>
  idle === undefined || Expiration.inactiveAt(program, now) === undefined
    ? null
    : fromMillis(lastEarned(program, idle, now))

/**
 * The tier that figures alone do not give: one that was promised, or that the last period's figures keep until the end of this
 * one. The higher of both.
 */
const tierOf = (state: State, program: Program, now: number) => {
  const figures = Metrics.qualification(state, program, now)
  if (figures === undefined) return undefined
  const { promised } = state
  const isPromised = Tiers.minimumOf(program, promised, now) >= figures.reached
  const kept = Tiers.tierOf(program, figures.reached)
  const isKept = kept !== Tiers.tierOf(program, figures.present) && !isPromised
  const until = isKept ? Periods.periodEnd(program, now) : (promised?.until ?? Infinity)
  const tier = isKept ? kept?.tier_id : promised?.tier
  if (tier === undefined || until <= now) return undefined
  return { tier_id: tier, ...(until === Infinity ? undefined : { tier_until: fromMillis(until) }) }
}

const rewardsOf = ({ rewards }: State) =>
  rewards
    .filter(isOwn)
    .filter(({ status }) => status === "issued")
    .map(({ artifact, at, expires, reward }) => ({
      ...{ reward_id: reward, code: artifact.value, issued_at: fromMillis(at) },
      ...(expires === undefined ? undefined : { expires_at: fromMillis(expires) })
    }))

/** Identities without those that follow from the ids: a move in makes them again. */
const cardsOf = ({ identities, stored }: Leaving): ReadonlyArray<Identity> =>
  identities.filter(
    ({ issuer, type, value }) =>
      type !== "external" || issuer !== undefined || (value !== stored.externalId && value !== stored.member)
  )

/** The figures of each account under the names of its columns. A balance below zero has no lots, and stays behind. */
const figuresOf = (state: State, program: Program, now: number) =>
  Object.fromEntries(
    program.accounts.flatMap(({ unit }) => {
      const balance = unitOf(state, unit)
      const sum = qualifiedIn(state, balance, Periods.periodStart(program, now) ?? 0)
      const columns = { balance: balance.posted, lifetime: balance.lifetime, period_sum: sum }
      return Object.entries(columns).map(([name, value]) => [`${name}:${unit}`, value < 0 ? null : value] as const)
    })
  )

/** Every column, in every row: readers learn the columns from the first rows. */
const noProfile = { external_id: null, display_name: null, email: null, phone: null, birth_date: null }
const noTier = { tier_id: null, tier_until: null }

/** The row of a guest. */
export const rowOf = (leaving: Leaving, program: Program, now: number) => {
  const { state, stored } = leaving
  return {
    ...{ member_id: stored.member, ...noProfile, ...fieldsShown(stored) },
    joined_at: fromMillis(state.joined),
    attributes: stored.attributes ?? null,
    identities: cardsOf(leaving),
    ...figuresOf(state, program, now),
    orders: state.orders,
    last_earned_at: lastEarnedOf(state, program, now),
    ...{ ...noTier, ...tierOf(state, program, now) },
    lots: program.accounts.flatMap(({ unit }) => lotsOf(state, unitOf(state, unit), program)),
    rewards: rewardsOf(state),
    consents: consentsShown(stored)
  }
}
