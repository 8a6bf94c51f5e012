/** Why an order does not get the promotions of a programme that it does not get. For evaluations of operators. Pure. */
import type { WithheldReason } from "../../contract/PromotionOutcomes.ts"
import type { OrderInQuestion, Promotion, Rules } from "./Promotions.ts"
import * as Promotions from "./Promotions.ts"

export interface Withheld {
  readonly promotion: Promotion
  readonly reason: WithheldReason
}

const reasonOf = (promotion: Promotion, rules: Rules, asked: OrderInQuestion): WithheldReason => {
  const outside = Promotions.outsideOf(promotion, rules, asked)
  if (outside !== undefined) return outside
  if (Promotions.isUsedUp(promotion, rules, asked)) return "limit_reached"
  const { points, terms } = Promotions.wouldGive(promotion, asked)
  if (points > 0) return "another_gives_more"
  if (Promotions.hasNothingLeft(promotion, terms, asked)) return "nothing_left"
  if (terms.on?.length === 0) return "no_such_products"
  return Promotions.isBelowMinimum(terms, asked) ? "minimum_spend" : "gives_nothing"
}

/**
 * Each promotion that the order does not get, with the first reason. `isCut`: the programme's limit for an order leaves
 * nothing of what the promotion gives.
 */
export const withheld = (
  rules: Rules,
  asked: OrderInQuestion,
  isCut: (promotion: Promotion) => boolean
): ReadonlyArray<Withheld> => {
  const given = new Set(Promotions.choose(rules, asked).map(({ promotion }) => promotion))
  return rules.all.flatMap((promotion): ReadonlyArray<Withheld> => {
    if (!given.has(promotion)) return [{ promotion, reason: reasonOf(promotion, rules, asked) }]
    return isCut(promotion) ? [{ promotion, reason: "order_limit_reached" }] : []
  })
}

/** The same of an order that the base rules do not let earn. */
export const allWithheld = (rules: Rules): ReadonlyArray<Withheld> =>
  rules.all.map((promotion) => ({ promotion, reason: "order_earns_nothing" }))
