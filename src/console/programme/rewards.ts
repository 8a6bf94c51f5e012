/** Rewards of an edited programme, as the dialog for one shows and changes them. Pure. */
import type { Funding, Reward, RewardEffect } from "../../contract/protocol/Program.ts"

/** A reward, as the dialog holds it. Amounts are in minor units. */
export interface RewardEntry {
  readonly name: string
  readonly cost: number
  /** Undefined: the effect is none that the dialog changes. */
  readonly effect: EntryEffect | undefined
  readonly description: string
  readonly picture: string
}

export type EntryEffect =
  | { readonly type: "discount"; readonly amount: number }
  | {
      readonly type: "free_item"
      readonly quantity: number
      readonly worth: number
      readonly categories: ReadonlyArray<string>
      readonly products: ReadonlyArray<string>
    }

const maxIdChars = 60
const wholeBps = 10_000

/** An id made of a name: `Free bowl` is `free-bowl`, or `free-bowl-2` if that is taken. `usual`: of a name without letters. */
export const idOf = (name: string, taken: ReadonlyArray<string>, usual = "reward"): string => {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, maxIdChars)
    .replaceAll(/^-|-$/g, "")
  const id = slug === "" ? usual : slug
  if (!taken.includes(id)) return id
  let next = 2
  while (taken.includes(`${id}-${next}`)) next += 1
  return `${id}-${next}`
}

/** Funding of a new reward: by the one who pays alone for another reward, otherwise by the programme's brand. */
export const usualFunding = (rewards: ReadonlyArray<Reward>, programId: string): ReadonlyArray<Funding> => {
  const alone = rewards.find(({ funding }) => funding.length === 1)?.funding[0]
  const { party_id, party_type } = alone ?? { party_id: programId, party_type: "brand" as const }
  return [{ party_id, party_type, share_bps: wholeBps }]
}

/** The effect for the dialog; undefined: the dialog does not show all of it. */
export const entryEffectOf = (effect: RewardEffect): EntryEffect | undefined => {
  if (effect.type === "free_item") {
    return {
      type: "free_item",
      quantity: effect.max_quantity,
      worth: effect.max_value.amount,
      categories: effect.category_ids ?? [],
      products: effect.product_ids ?? []
    }
  }
  const isWhole =
    effect.type === "discount" &&
    effect.target === "order" &&
    effect.allocations.length === 1 &&
    effect.allocations[0]?.line_id === undefined
  return isWhole ? { type: "discount", amount: effect.amount.amount } : undefined
}

const effectOf = (entry: EntryEffect, currency: string, before: RewardEffect | undefined): RewardEffect => {
  if (entry.type === "discount") {
    const amount = { amount: entry.amount, currency }
    const kept = before?.type === "discount" ? before : undefined
    return { ...kept, type: "discount", target: "order", amount, allocations: [{ ...kept?.allocations[0], amount }] }
  }
  const { category_ids: _, product_ids: __, ...kept } = before?.type === "free_item" ? before : {}
  return {
    ...kept,
    type: "free_item",
    ...(entry.products.length === 0 ? {} : { product_ids: entry.products }),
    ...(entry.categories.length === 0 ? {} : { category_ids: entry.categories }),
    max_quantity: entry.quantity,
    max_value: { amount: entry.worth, currency }
  }
}

/** The reward with what the dialog says. All else stays, except amounts of shares, which follow the effect. */
export const withEntry = (before: Reward, entry: RewardEntry, currency: string): Reward => {
  const { description: _, image_url: __, ...kept } = before
  const isSame = JSON.stringify(entryEffectOf(before.effect)) === JSON.stringify(entry.effect)
  const changed = isSame || entry.effect === undefined ? undefined : effectOf(entry.effect, currency, before.effect)
  return {
    ...kept,
    name: entry.name,
    cost: { ...before.cost, amount: entry.cost },
    ...(changed === undefined
      ? {}
      : { effect: changed, funding: before.funding.map(({ amount: _, ...share }) => share) }),
    ...(entry.description === "" ? {} : { description: entry.description }),
    ...(entry.picture === "" ? {} : { image_url: entry.picture })
  }
}
