/** Rewards of catalogue and wallet as the offers of a check (contract/tills.md *Toast*). Pure. */
import type { Order, OrderLine } from "../../../contract/protocol/Order.ts"
import type { Reward } from "../../../contract/protocol/Program.ts"
import { fromMillis, type UnavailableReason } from "../../../contract/Values.ts"
import { holdsOn, reached } from "../../../core/account/domain/HoldLimits.ts"
import { available, holderOf, isOwn, type State, unitOf } from "../../../core/account/domain/State.ts"
import { digitsOf } from "../../../core/rules/Money.ts"
import type { Program } from "../../../core/rules/Program.ts"
import * as Rewards from "../../../core/rules/Rewards.ts"
import { numberOf } from "../Decimals.ts"
import { maxOfferText, type Offer } from "./Wire.ts"

/** A reward that a guest may use: of the catalogue, or one in the wallet. */
export interface Choice {
  /** Unique among the guest's offers: those of the same name differ. */
  readonly identifier: string
  readonly reward: Reward
  /** The reward in the wallet that pays for it. */
  readonly issued?: string
  /** ms. */
  readonly expires?: number | undefined
}

/** All choices of a guest: first the wallet's, which cost nothing. */
export const choicesOf = (state: State, program: Program): ReadonlyArray<Choice> => [
  ...state.rewards.flatMap((one): ReadonlyArray<Choice> => {
    const reward = program.rewards.get(one.reward)
    if (reward === undefined || !isOwn(one) || one.status !== "issued") return []
    return [{ identifier: `wallet:${one.issued}`, reward, issued: one.issued, expires: one.expires }]
  }),
  ...[...program.rewards.values()].map((reward) => ({ identifier: `reward:${reward.reward_id}`, reward }))
]

/** Minor units that a line costs, before tax. */
const priceOf = ({ discount, subtotal }: OrderLine): number => Math.max(0, subtotal.amount - discount.amount)

/** Lines that a reward is for, the dearest first, each with the discount on one of it, minor units. */
const itemsFor = ({ effect }: Reward, { lines }: Order): ReadonlyArray<readonly [line: OrderLine, amount: number]> => {
  if (effect.type !== "free_item") return []
  const { category_ids, max_value, product_ids } = effect
  const isFree = ({ category_ids: own, product_id }: OrderLine): boolean =>
    (product_ids === undefined && category_ids === undefined) ||
    product_ids?.includes(product_id) === true ||
    own?.some((category) => category_ids?.includes(category) === true) === true
  return lines
    .filter((line) => line.kind === "item" && isFree(line) && priceOf(line) > 0)
    .map((line) => [line, Math.min(max_value.amount, Math.floor(priceOf(line) / Math.max(1, line.quantity)))] as const)
    .toSorted(([, a], [, b]) => b - a)
}

/** The discount of a reward on an order: of the whole, or of items. Undefined: a till cannot give it. */
const discountOf = (reward: Reward, order: Order) => {
  const { effect } = reward
  if (effect.type === "custom") return undefined
  if (effect.type === "discount") {
    const most = order.totals.subtotal.amount - order.totals.discount.amount
    return { type: "CHECK" as const, amount: Math.max(0, Math.min(effect.amount.amount, most)), items: [] }
  }
  const items = itemsFor(reward, order).slice(0, effect.max_quantity)
  const amount = items.reduce((sum, [, one]) => sum + one, 0)
  return { type: items.length > 1 ? ("MULTI_ITEM" as const) : ("ITEM" as const), amount, items }
}

/** Why an offer cannot be used, for guests. */
const words: Readonly<Record<UnavailableReason | "not_at_till" | "nothing" | "held", string>> = {
  insufficient_balance: "There are not enough points for it yet.",
  not_yet_available: "It can be used later.",
  no_longer_available: "Its time is over.",
  no_matching_item: "Add an item that it is for.",
  member_not_active: "The account is suspended.",
  program_retired: "The programme has ended.",
  limit_reached: "No more rewards fit on this check.",
  below_minimum_points: "There are not enough points to use rewards yet.",
  not_at_till: "Ask for it at the counter.",
  nothing: "Add an item first.",
  held: "It is on another check."
}

/** Points and rewards that choices before have taken. */
export interface Taken {
  readonly points: number
  readonly rewards: number
  readonly issued: ReadonlySet<string>
}
export const nothingTaken: Taken = { points: 0, rewards: 0, issued: new Set() }

/** True if the guest lacks the points of a reward, beside those that choices before have taken. */
const lacksPoints = (state: State, program: Program, { cost: { amount, unit } }: Reward, { points }: Taken): boolean =>
  available(unitOf(state, unit)) - (unit === program.primaryUnit ? points : 0) < amount

/** The sentence why a choice is not for an order; undefined: it is. */
const misfit = ({ reward }: Choice, order: Order | undefined): string | undefined => {
  if (order === undefined) return words.nothing
  if (!Rewards.hasItemFor(reward.effect, order)) return words.no_matching_item
  const discount = discountOf(reward, order)
  if (discount === undefined) return words.not_at_till
  return discount.amount === 0 ? words.no_matching_item : undefined
}

/** The sentence why limits or the guest's means keep a choice from an order; undefined: they do not. */
const beyond = (
  state: State,
  program: Program,
  { issued, reward }: Choice,
  order: Order,
  taken: Taken
): string | undefined => {
  const [limit] = reached(state, program, reward, order, issued === undefined ? 1 : 0)
  if (limit !== undefined) return words[limit.reason]
  if (holdsOn(state, order).length + taken.rewards >= program.redemption.rewardsPerOrder) return words.limit_reached
  if (issued === undefined) return lacksPoints(state, program, reward, taken) ? words.insufficient_balance : undefined
  return taken.issued.has(issued) || holderOf(state, issued) !== undefined ? words.held : undefined
}

/** The sentence why a choice cannot be used now; undefined: it can. */
export const whyNot = (
  state: State,
  program: Program,
  choice: Choice,
  order: Order | undefined,
  at: number,
  taken: Taken
): string | undefined => {
  if (program.isRetired) return words.program_retired
  if (state.status !== "active") return words.member_not_active
  const availability = Rewards.availability(choice.reward, at)
  if (availability !== "available") return words[availability]
  const reason = misfit(choice, order)
  return reason !== undefined || order === undefined ? reason : beyond(state, program, choice, order, taken)
}

/** Points and rewards that are taken after a choice. */
export const andTaken = (program: Program, { issued, reward }: Choice, taken: Taken): Taken => ({
  points: taken.points + (issued === undefined && reward.cost.unit === program.primaryUnit ? reward.cost.amount : 0),
  rewards: taken.rewards + 1,
  issued: issued === undefined ? taken.issued : new Set([...taken.issued, issued])
})

/** Amounts of an offer, in the main unit. */
export const amountsOf = (reward: Reward, order: Order | undefined, currency: string): Partial<Offer> => {
  const discount = order === undefined ? undefined : discountOf(reward, order)
  if (discount === undefined) return {}
  const main = (amount: number) => numberOf(amount, digitsOf(currency))
  return {
    amount: main(discount.amount),
    ...(discount.items.length === 0
      ? undefined
      : {
          itemApplication: discount.items.map(([{ line_id }, amount]) => ({
            selectionIdentifier: line_id,
            amount: main(amount)
          }))
        })
  }
}

export const offerOf = (
  program: Program,
  choice: Choice,
  order: Order | undefined,
  reason: string | undefined
): Offer => {
  const { expires, identifier, reward } = choice
  const discount = order === undefined ? undefined : discountOf(reward, order)
  return {
    identifier,
    name: reward.name.slice(0, maxOfferText),
    applicable: reason === undefined,
    selectionType: discount?.type ?? (reward.effect.type === "free_item" ? "ITEM" : "CHECK"),
    ...(reason === undefined ? amountsOf(reward, order, program.currency) : { description: reason }),
    ...(expires === undefined ? undefined : { expiration: [{ date: fromMillis(expires) }] })
  }
}
