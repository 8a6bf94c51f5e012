/** A definition without the rules of other restaurants (contract/people.md *Limited to restaurants*). */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { PromotionWhere } from "../../contract/Promotions.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"

/** The rules of no restaurant and of the caller's, which name no other; undefined: there is none. */
const ownOf = <Rule extends { readonly where?: PromotionWhere }>(
  rules: ReadonlyArray<Rule> = [],
  { spans }: Restaurants
): ReadonlyArray<Rule> | undefined => {
  const own = rules.flatMap((rule): ReadonlyArray<Rule> => {
    const { location_ids: named } = rule.where ?? {}
    if (named === undefined) return [rule]
    const location_ids = named.filter((id) => spans.has(id))
    return location_ids.length === 0 ? [] : [{ ...rule, where: { ...rule.where, location_ids } }]
  })
  return own.length === 0 ? undefined : own
}

/** The definition as a caller sees it who is limited to restaurants. */
export const shown = ({ challenges, promotions, ...file }: ProgramFile, restaurants: Restaurants): ProgramFile => {
  const [ownPromotions, ownChallenges] = [ownOf(promotions, restaurants), ownOf(challenges, restaurants)]
  return {
    ...file,
    ...(ownPromotions === undefined ? undefined : { promotions: ownPromotions }),
    ...(ownChallenges === undefined ? undefined : { challenges: ownChallenges })
  }
}
