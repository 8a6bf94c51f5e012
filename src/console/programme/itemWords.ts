/** A whole promotion, challenge, reward or tier in one sentence, in the words of its card. */
import { Schema } from "effect"
import { Challenge } from "../../contract/Challenges.ts"
import { Promotion } from "../../contract/Promotions.ts"
import { Reward, Tier } from "../../contract/protocol/Program.ts"
import { strings } from "../shared/strings.ts"
import type { ItemWords } from "./Cards.tsx"
import { challengeInWords } from "./challengeWords.ts"
import type { Draft } from "./draft.ts"
import { namedIn } from "./named.ts"
import { promotionStrings } from "./promotionStrings.ts"
import { promotionInWords } from "./promotionWords.ts"
import { availableInWords, rewardInWords } from "./rewardWords.ts"
import { tierInWords } from "./tierWords.ts"
import { isAccount } from "./units.ts"
import { zoneOf } from "./zone.ts"

const isPromotion = Schema.is(Promotion)
const isChallenge = Schema.is(Challenge)
const isReward = Schema.is(Reward)
const isTier = Schema.is(Tier)

const sentenceOf = ({ description, first, lines }: ItemWords, isOff: boolean): string =>
  [
    first,
    ...lines,
    ...(isOff ? [promotionStrings.off] : []),
    ...(description === undefined || description === "" ? [] : [strings.values.quoted(description)])
  ].join("; ")

const primaryOf = ({ accounts }: Draft): string => {
  const known: ReadonlyArray<unknown> = Array.isArray(accounts) ? accounts : []
  return known.filter(isAccount).find(({ is_primary }) => is_primary)?.unit ?? "points"
}

/** Undefined: it is none of these, or not complete. `list`: the name of its list in `definition`. */
export const itemInWords = (
  list: string,
  item: unknown,
  definition: Draft,
  { placeOf, soldOf }: { readonly placeOf: (id: string) => string; readonly soldOf: (id: string) => string }
): string | undefined => {
  const zone = zoneOf(definition)
  if (list === "promotions" && isPromotion(item)) {
    const names = {
      primary: primaryOf(definition),
      zone,
      tiers: namedIn(definition, "tiers", "tier_id"),
      placeOf,
      soldOf
    }
    return sentenceOf(promotionInWords(item, names), item.enabled === false)
  }
  if (list === "challenges" && isChallenge(item)) {
    const rewards = namedIn(definition, "rewards", "reward_id")
    const names = { currency: String(definition["currency"]), zone, rewards, placeOf, soldOf }
    return sentenceOf(challengeInWords(item, names), item.enabled === false)
  }
  if (list === "rewards" && isReward(item)) {
    const { description, first, lines } = rewardInWords(item, soldOf)
    return sentenceOf({ first, lines: [...lines, availableInWords(item, zone)], description }, false)
  }
  return list === "tiers" && isTier(item) ? sentenceOf(tierInWords(item, definition), false) : undefined
}
