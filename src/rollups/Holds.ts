/**
 * What a hold was made for. The event that ends a hold names it and no more, so
 * the event that made it is needed again: it is in the record that the hold's id
 * names.
 */
import type { Event, HoldEnded, Reserved } from "../account/domain/Event.ts"

export interface Hold {
  readonly reward: string
  readonly location: string
  /** It holds a wallet reward. */
  readonly isIssued: boolean
}

/** The end of a hold: when, and how. Plain data. */
export interface Ended extends Pick<HoldEnded, "at" | "reservation"> {
  readonly program: string
  readonly how: HoldEnded["type"]
}

export const holdOf = ({ issued, location, reward }: Reserved): Hold => ({
  reward,
  location,
  isIssued: issued !== undefined
})

export const isEnd = (event: Event): event is HoldEnded =>
  event.type === "captured" || event.type === "released" || event.type === "refunded" || event.type === "hold_expired"

/** Adds the holds that events make. */
export const note = (holds: Map<string, Hold>, events: ReadonlyArray<Event>): void => {
  for (const event of events) if (event.type === "reserved") holds.set(event.reservation, holdOf(event))
}

/** Holds that end in events which have not made them. */
export const missing = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const made = new Map<string, Hold>()
  note(made, events)
  return [
    ...new Set(events.flatMap((event) => (isEnd(event) && !made.has(event.reservation) ? [event.reservation] : [])))
  ]
}
