/**
 * Stamp cards: every full card issues its reward once, in the same record as the
 * credit that filled it. What a clawback took must be earned again before the next
 * card fills (contract/points.md *Stamp cards*).
 */

import { said } from "../../../contract/Said.ts"
import { later } from "../../rules/Expiration.ts"
import type { CardReward } from "./Action.ts"
import { uncounted } from "./Cards.ts"
import type { NeedsCards } from "./Decision.ts"
import { tooLarge } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { unitOf } from "./State.ts"

/** The most cards that one credit may fill: more than any order or gift needs, and few enough for one commit. */
const CARDS_PER_CREDIT = 1000

/** Issues the rewards of the cards that are full by now. `NeedsCards` if `cards` are too few. */
export const fillCards = (
  draft: Draft,
  cards: ReadonlyArray<CardReward> | undefined
): ReadonlyArray<CardReward> | NeedsCards | Refusal => {
  const card = draft.program.stampCard
  // Without a credit that counts for this card, nothing can have filled it.
  if (card === undefined || uncounted(draft.state, draft.program) !== undefined) return []
  const full = Math.floor(unitOf(draft.state, card.unit).credited / card.threshold)
  const count = full - draft.state.cards
  if (count <= 0) return []
  if (count > CARDS_PER_CREDIT) {
    return refusal(
      "invalid_state",
      said`The credit would fill ${count} stamp cards; the limit is ${CARDS_PER_CREDIT} at once.`
    )
  }
  if (cards === undefined || cards.length < count) return { _tag: "NeedsCards", count }
  const used = cards.slice(0, count)
  for (const reward of used) {
    draft.emit({
      type: "reward_issued",
      at: draft.at,
      issued: reward.issued,
      n: draft.state.issued + 1,
      reward: card.rewardId,
      artifact: { type: "code", value: reward.code },
      ...(card.rewardTtlMs === undefined ? undefined : { expires: later(draft.at, card.rewardTtlMs) }),
      card: draft.state.cards + 1
    })
    if (card.resets) {
      if (!draft.keeps(card.unit, -card.threshold)) return tooLarge(card.unit)
      draft.post({
        op: "adjustment",
        unit: card.unit,
        amount: -card.threshold,
        reason: "stamp card filled",
        reset: true
      })
    }
  }
  return used
}
