/**
 * The facts of holds. An event that ends a hold has only the hold's id, so the facts
 * are read from the event that made the hold, in the record that the id names.
 */
import type { AccountEvent, HoldEnded, Reserved } from "../../core/account/domain/AccountEvent.ts"

export interface Hold {
  readonly reward: string
  readonly location: string
  /** True if it holds a wallet reward that was given free. */
  readonly isGift: boolean
}

/** When and how a hold ended. */
export interface Ended extends Pick<HoldEnded, "at" | "reservation"> {
  readonly program: string
  readonly how: HoldEnded["type"]
}

export const holdOf = ({ isPaid, issued, location, reward }: Reserved): Hold => ({
  reward,
  location,
  // The points of a reward that was paid for were counted as redeemed when it was taken.
  isGift: issued !== undefined && isPaid !== true
})

export const isEnd = (event: AccountEvent): event is HoldEnded =>
  event.type === "captured" || event.type === "released" || event.type === "refunded" || event.type === "hold_expired"

/** Adds the holds that events make. */
export const note = (holds: Map<string, Hold>, events: ReadonlyArray<AccountEvent>): void => {
  for (const event of events) if (event.type === "reserved") holds.set(event.reservation, holdOf(event))
}

/** The ids of holds that end in the events and were not made in them. */
export const missing = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<string> => {
  const made = new Map<string, Hold>()
  note(made, events)
  return [
    ...new Set(events.flatMap((event) => (isEnd(event) && !made.has(event.reservation) ? [event.reservation] : [])))
  ]
}
