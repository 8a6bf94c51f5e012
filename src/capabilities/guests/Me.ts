/**
 * The first view of a guest: one read of the account, of the profile, and of texts of campaigns
 * (contract/guests.md *What a guest sees*). Nothing of the programme's inner rules, of staff, or of other guests.
 */
import { Effect } from "effect"
import type { GuestBalance, GuestMember, GuestReward, Me, WalletEntry, WhyNot } from "../../contract/guest/Shown.ts"
import type { Reward } from "../../contract/protocol/Program.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { IssuedReward, State } from "../../core/account/domain/State.ts"
import { mergedAccounts, unitOf } from "../../core/account/domain/State.ts"
import * as Taking from "../../core/account/domain/Taking.ts"
import * as View from "../../core/account/domain/View.ts"
import type { MemberRow } from "../../core/journal/Records.ts"
import { present } from "../../core/protocol/Render.ts"
import { dateOf } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Promotions from "../../core/rules/Promotions.ts"
import * as Tiers from "../../core/rules/Tiers.ts"
import { told } from "../campaigns/Told.ts"
import * as ProfileStore from "../members/ProfileStore.ts"
import { progressOf } from "../programs/PromotionsShown.ts"
import * as Bounds from "./Bounds.ts"
import { type Parts, type Seen, see, type Who } from "./Parts.ts"

const memberShown = (stored: ProfileStore.StoredMember, { joined, status }: State, language: string): GuestMember => {
  const { birthDate, consents, displayName, email, phone } = stored
  return present<GuestMember>({
    name: displayName ?? undefined,
    birthday: birthDate ?? undefined,
    email: email ?? undefined,
    phone: phone ?? undefined,
    language,
    joined_at: fromMillis(joined),
    status,
    consents: consents.map(({ channel, granted, purpose, recordedAt }) => ({
      purpose,
      channel: channel === "" ? undefined : channel,
      granted,
      updated_at: fromMillis(recordedAt)
    }))
  })
}

/** The guest in the form of the contract. */
export const member = Effect.fnUntraced(function* ({ people }: Parts, { resident, state }: Seen, language: string) {
  const stored = yield* ProfileStore.find(people.query, resident.account)
  if (stored === undefined) throw new Error(`account ${resident.account} has no row`)
  return memberShown(stored, state, language)
})

/** The guest's balances, one for each account of the programme. */
export const balances = (state: State, program: Program): ReadonlyArray<GuestBalance> =>
  program.accounts.map(({ label, unit }) =>
    present<GuestBalance>({
      unit,
      label,
      points: unitOf(state, unit).posted,
      spendable: Taking.spendable(state, unit)
    })
  )

const tierOf = (state: State, program: Program, at: number): Me["tier"] => {
  const amounts = Metrics.qualification(state, program, at)
  const progress = amounts && Tiers.progress(program, amounts.present, amounts.reached)
  if (progress === undefined) return undefined
  const nameOf = (id: string | undefined) => program.tiers.find(({ tier_id }) => tier_id === id)?.name ?? ""
  const name = nameOf(progress.current_tier_id)
  if (progress.next_tier_id === undefined) return { name }
  const metric = program.metrics.find(({ metric_id }) => metric_id === progress.qualification_metric_id)
  const missing = [{ metric: metric?.unit ?? program.primaryUnit, missing: progress.remaining_to_next ?? 0 }]
  return { name, next: { name: nameOf(progress.next_tier_id), missing } }
}

const whyNot = (state: State, why: Taking.Hindrance | undefined): WhyNot | undefined => {
  if (why === "at_the_till") return why
  if (state.status !== "active") return "not_active"
  if (why === "over") throw new Error("a reward that is over is not shown")
  return why
}

const rewardShown = (state: State, program: Program, at: number, reward: Reward): ReadonlyArray<GuestReward> => {
  const hindrance = Taking.hindrance(state, program, reward, at)
  if (Taking.isOver(reward, at)) return []
  const why = whyNot(state, hindrance)
  return [
    present<GuestReward>({
      reward_id: reward.reward_id,
      name: reward.name,
      description: reward.description,
      unit: reward.cost.unit,
      points: reward.cost.amount,
      missing: Taking.missing(state, program, reward),
      can_take: why === undefined,
      why,
      available_from: why === "not_yet" ? reward.available_from : undefined
    })
  ]
}

/** A wallet reward with its code, which the guest shows at the till. */
export const walletEntry = (program: Program, reward: Omit<IssuedReward, "paid">): WalletEntry =>
  present<WalletEntry>({
    issued_reward_id: reward.issued,
    // A reward that the programme has no more keeps its id alone.
    name: program.rewards.get(reward.reward)?.name ?? reward.reward,
    code: reward.artifact.value,
    kind: reward.artifact.type,
    issued_at: fromMillis(reward.at),
    expires_at: reward.expires === undefined ? undefined : fromMillis(reward.expires)
  })

const promotionsOf = (state: State, program: Program, at: number): Me["promotions"] => {
  const tierId = Metrics.tierOf(state, program, at)?.tier_id
  const asked = { at, isFirst: state.orders === 0, joined: state.joined, tierId, uses: state.uses }
  return (program.file.promotions ?? []).flatMap(({ promotion_id }) => {
    const one = program.promotions.all.find(({ id }) => id === promotion_id)
    if (one === undefined || program.isRetired || !Promotions.isForToday(one, program.promotions, asked)) return []
    const until = one.until === Number.POSITIVE_INFINITY ? undefined : fromMillis(one.until)
    return [present<Me["promotions"][number]>({ name: one.name, description: one.file.description, until })]
  })
}

const challengesOf = (state: State, program: Program, at: number): Me["challenges"] =>
  progressOf(program, state, at).map(({ description, name, needed, progress, until }) =>
    present<Me["challenges"][number]>({ name, description, done: progress, target: needed, until })
  )

const cardOf = ({ identities }: MemberRow): Me["card"] => {
  const card = identities.find(({ type }) => type === "loyalty_id")
  return card === undefined ? undefined : { value: card.value }
}

type Expiring = Me["expiring"][number]

const laterOf = (dates: ReadonlyArray<Expiring>): Me["expiring_later"] => {
  const byUnit = new Map<Expiring["unit"], number>()
  for (const { points, unit } of dates) byUnit.set(unit, (byUnit.get(unit) ?? 0) + points)
  return byUnit.size === 0 ? undefined : Array.from(byUnit, ([unit, points]) => ({ unit, points }))
}

/** Points that expire, a date of the programme's zone each: a guest tells no instants of a day apart. `at`: its first. */
const expiringOf = (state: State, program: Program, at: number): ReadonlyArray<Expiring> => {
  const byDate = new Map<string, Expiring>()
  for (const { amount, at: gone, unit } of View.expiring(state, at)) {
    const key = `${unit} ${dateOf(program.zone, gone)}`
    const known = byDate.get(key) ?? { unit, points: 0, at: fromMillis(gone) }
    byDate.set(key, { ...known, points: known.points + amount })
  }
  return [...byDate.values()]
}

/** The texts of campaigns for the guest, also of those that gave something to cards that were merged into this one. */
const newsOf = Effect.fnUntraced(function* (
  { people }: Parts,
  { at, resident: { account }, state }: Seen,
  { id, isRetired }: Program,
  language: string
) {
  if (isRetired) return undefined
  const found = yield* told(people.query, id, [account, ...mergedAccounts(state)], at, language)
  if (found.length === 0) return undefined
  return found.map((one) =>
    present<NonNullable<Me["news"]>[number]>({ name: one.name, text: one.text, at: fromMillis(one.at) })
  )
})

/** Everything that the page's first view shows. */
export const show = Effect.fnUntraced(function* (parts: Parts, who: Who) {
  const seen = yield* see(parts, who)
  const { at, resident, state } = seen
  const { language, program } = who
  const dates = expiringOf(state, program, at)
  const rewards = program.isRetired ? [] : [...program.rewards.values()]
  return present<Me>({
    member: yield* member(parts, seen, language),
    balances: balances(state, program),
    expiring: dates.slice(0, Bounds.expiringDates),
    expiring_later: laterOf(dates.slice(Bounds.expiringDates)),
    tier: tierOf(state, program, at),
    rewards: rewards.flatMap((reward) => rewardShown(state, program, at, reward)),
    wallet: state.rewards
      .filter(({ status }) => status === "issued")
      .map((reward) => walletEntry(program, reward))
      .toReversed(),
    card: cardOf(resident.member),
    promotions: promotionsOf(state, program, at),
    challenges: challengesOf(state, program, at),
    news: yield* newsOf(parts, seen, program, language),
    leaving: who.leavesAt === undefined ? undefined : { erases_at: fromMillis(who.leavesAt) }
  })
})
