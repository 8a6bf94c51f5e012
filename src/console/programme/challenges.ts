/** Challenges of an edited programme, as the dialog for one shows and changes them. Pure. */
import type { Challenge, ChallengeKind } from "../../contract/Challenges.ts"
import { challengeKinds } from "../../contract/Challenges.ts"
import type { OnEntry, WhenEntry, WhereEntry } from "./occasions.ts"
import { onEntryOf, whenEntryOf, whereEntryOf, withOn, withPart, withWhen, withWhere } from "./occasions.ts"

export type ChallengeEvery = NonNullable<Challenge["every"]>

/** A challenge, as the dialog holds it. Amounts are in minor units. */
export interface ChallengeEntry {
  readonly name: string
  readonly description: string
  readonly kind: ChallengeKind
  readonly amount: number
  /** Undefined: in any time. */
  readonly every: ChallengeEvery | undefined
  readonly repeats: boolean
  readonly on: OnEntry
  readonly where: WhereEntry
  /** Undefined: times that the dialog does not show. */
  readonly when: WhenEntry | undefined
  /** An order counts from this spend; undefined: from any. */
  readonly spend: number | undefined
  readonly reward: string
  /** So long the reward can be used; undefined: for ever. */
  readonly days: number | undefined
}

const daySeconds = 86_400

/** So long the reward can be used; undefined: for ever. */
export const daysOf = ({ expires_in_seconds: seconds }: Challenge["gives"]): number | undefined =>
  seconds === undefined ? undefined : seconds / daySeconds

export const challengeEntryOf = (challenge: Challenge): ChallengeEntry => {
  const { count, description, every, gives, minimum_spend, name, on, repeat, when, where } = challenge
  const kind = challengeKinds.find((one) => count[one] !== undefined) ?? "orders"
  return {
    name,
    description: description ?? "",
    kind,
    amount: count[kind] ?? 0,
    every,
    repeats: repeat === true,
    on: onEntryOf(on),
    where: whereEntryOf(where),
    when: whenEntryOf(when),
    spend: minimum_spend?.amount,
    reward: gives.reward_id,
    days: daysOf(gives)
  }
}

/** In which times a kind can be counted; undefined is any time. */
export const everysOf = (kind: ChallengeKind): ReadonlyArray<ChallengeEvery | undefined> => {
  if (kind === "weeks_in_a_row") return [undefined]
  return kind === "days" ? ["week", "month"] : [undefined, "week", "month", "year"]
}

/** The challenge with what the dialog says. All else stays. */
export const withChallengeEntry = (before: Challenge, entry: ChallengeEntry, currency: string): Challenge => {
  const { amount, days, description, every, kind, name, repeats, reward, spend } = entry
  const seconds = days === undefined ? undefined : Math.round(days * daySeconds)
  const gives = withPart({ ...before.gives, reward_id: reward }, "expires_in_seconds", seconds)
  const counted = { ...before, name, count: { [kind]: amount }, gives }
  const told = withPart(counted, "description", description === "" ? undefined : description)
  const often = withPart(told, "every", every)
  const lined = withPart(often, "on", withOn(before.on, entry.on))
  const placed = withPart(lined, "where", withWhere(before.where, entry.where))
  const timed = withPart(placed, "when", withWhen(before.when, entry.when))
  const spent = withPart(timed, "minimum_spend", spend === undefined ? undefined : { amount: spend, currency })
  // False is what it is without, too.
  const isSame = repeats === (before.repeat === true)
  return isSame ? spent : withPart(spent, "repeat", repeats || undefined)
}
