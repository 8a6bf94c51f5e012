/** A campaign's trigger and frequency in words. */
import type { Frequency, Trigger } from "../../contract/platform/Triggers.ts"
import { money, number } from "../shared/format.ts"
import { delayInForce } from "./automation.ts"
import { automationStrings } from "./automationStrings.ts"

const text = automationStrings.words

/** Trigger in words: `When an order earns points, at forum, of at least $20.00`. */
export const eventWords = ({ direction, include_imports: withImports, on, to, where = {} }: Trigger): string => {
  const { first_order, location_ids: places, minimum_spend: spend } = where
  const ofOn = direction === undefined ? text.events[on] : text.tiers[direction]
  const what = to === "referrer" ? text.friend : first_order === true ? text.firstOrder : ofOn
  return [
    what,
    ...(withImports === true ? [text.withImports] : []),
    ...(places === undefined ? [] : [text.at(places.join(` ${text.or} `))]),
    ...(spend === undefined ? [] : [text.spend(money(spend))])
  ].join(", ")
}

/** When it gives, and how often: `14 days later, once for each friend`. */
export const givingWords = (trigger: Trigger): string => {
  const { once = "member", to } = trigger
  const { unit, value } = delayInForce(trigger)
  const often =
    to === "referrer" ? text.onceFriend : typeof once === "string" ? text.once[once] : text.onceIn(once.days)
  return value === undefined ? often : `${text.later(number(value), text.units[unit](value))}, ${often}`
}

export const triggerWords = (trigger: Trigger): string => `${eventWords(trigger)}, ${givingWords(trigger)}`

export const frequencyWords = (frequency: Frequency | undefined): string =>
  frequency === undefined ? automationStrings.noFrequency : text.frequency(frequency.times, frequency.days)
