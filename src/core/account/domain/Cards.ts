/**
 * How many cards an account has filled, once the programme's card has another unit or threshold: what the new card would
 * have filled is taken as filled, so that a publication issues nothing (contract/points.md *Stamp cards*).
 */
import type { Program } from "../../rules/Program.ts"
import * as StampCards from "../../rules/StampCards.ts"
import type { State } from "./State.ts"
import { unitOf } from "./State.ts"

/** The card in force that an account's `cards` do not count yet; undefined if they do, or if there is no card. */
export const uncounted = (state: State, { stampCard, stampCards }: Program): StampCards.CardFrom | undefined => {
  const present = stampCard === undefined ? undefined : stampCards.at(-1)
  return present?.from === state.card ? undefined : present
}

/** The number of filled cards by the card in force. */
export const filled = (state: State, program: Program): number => {
  const { cards, joined } = state
  const present = uncounted(state, program)
  if (present?.card === undefined) return cards
  // Records of earlier rules do not say which card they count: it is the one before, if the member has known that.
  if (state.card === undefined && joined >= present.from) return cards
  const former =
    state.card === undefined
      ? StampCards.before(program.stampCards, present.from)
      : StampCards.begunAt(program.stampCards, state.card)
  if (former === undefined) return cards
  const { threshold, unit } = present.card
  const full = Math.floor(Math.max(0, unitOf(state, unit).credited) / threshold)
  if (former.card?.unit !== unit) return full
  // Stamps of full cards that a clawback has taken stay to be earned again.
  const held = Math.floor((cards * former.card.threshold) / threshold)
  return Math.max(full, state.card === undefined ? Math.min(cards, held) : held)
}
