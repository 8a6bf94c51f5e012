/**
 * The stamp cards of a programme, each with its first instant (contract/points.md *Stamp cards*). Cards of the same unit and
 * threshold are the same card, whatever reward they issue.
 */
import type { ProgramFile } from "../../contract/ProgramFile.ts"

type Card = Pick<NonNullable<ProgramFile["stamp_card"]>, "unit" | "threshold">

/** A card, or the absence of one, from an instant until the next element's instant. */
export interface CardFrom {
  /** ms; 0 for that of the programme's first version. */
  readonly from: number
  readonly card: Card | undefined
}

/** Ordered by `from`; the last one is in force. Never empty. */
export type CardHistory = readonly [CardFrom, ...ReadonlyArray<CardFrom>]

/** The history of a programme's first version. */
export const first = (card: Card | undefined): CardHistory => [{ from: 0, card }]

/** The history after the publication of a version with this card at `at`. */
export const published = (history: CardHistory, card: Card | undefined, at: number): CardHistory => {
  const last = history.at(-1)?.card
  return last?.unit === card?.unit && last?.threshold === card?.threshold ? history : [...history, { from: at, card }]
}

/** The card in force before that of an instant at which one began. */
export const before = (history: CardHistory, from: number): CardFrom | undefined =>
  history.findLast((one) => one.from < from)

/** The card that began at an instant. */
export const begunAt = (history: CardHistory, from: number): CardFrom | undefined =>
  history.find((one) => one.from === from)
