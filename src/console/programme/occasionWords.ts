/** When, where and on what a promotion or a challenge holds, in words. */
import type { Promotion } from "../../contract/Promotions.ts"
import { isLocal, weekdays } from "../../contract/Promotions.ts"
import { calendarDay, timeShort, weekday } from "../shared/format.ts"
import { labelOf } from "../shared/words/words.ts"
import { occasionStrings as text } from "./occasionStrings.ts"
import type { Weekday } from "./occasions.ts"

/** 0 is Monday. */
const nameOf = (place: number): string => weekday((place + 1) % weekdays.length)

/** `Mon–Fri`, or `Mon, Thu`. */
export const daysInWords = (days: ReadonlyArray<Weekday>): string => {
  const places = [...new Set(days)].map((day) => weekdays.indexOf(day)).toSorted((a, b) => a - b)
  const [first = 0, last = 0] = [places[0], places.at(-1)]
  if (places.length === weekdays.length) return text.everyDay
  if (places.length > 2 && last - first === places.length - 1) return text.range(nameOf(first), nameOf(last))
  return places.map(nameOf).join(", ")
}

const isDay = (moment: string): boolean => moment.length === 10

/** A time of a definition: of the programme's zone, or an instant. */
const momentInWords = (moment: string, zone: string): string =>
  isLocal(moment) ? timeShort(`${moment}Z`, "UTC") : timeShort(moment, zone)

export const whenInWords = (when: Promotion["when"], zone: string): ReadonlyArray<string> => {
  const { dates, from, until, weekly = [] } = when ?? {}
  const isWhole = (window: (typeof weekly)[number]) => window.from === "00:00" && window.until === "24:00"
  const lines = [
    ...weekly.map((one) =>
      isWhole(one) ? daysInWords(one.days) : text.window(daysInWords(one.days), one.from, one.until)
    ),
    ...(dates === undefined ? [] : [text.on(dates.map(calendarDay).join(", "))]),
    ...(from === undefined ? [] : [text.firstOn(isDay(from) ? calendarDay(from) : momentInWords(from, zone))]),
    ...(until === undefined
      ? []
      : [isDay(until) ? text.lastOn(calendarDay(until)) : text.before(momentInWords(until, zone))])
  ]
  return lines.length === 0 ? [text.always] : lines
}

export const onInWords = (on: Promotion["on"], soldOf: (id: string) => string): ReadonlyArray<string> => {
  const named = [...(on?.product_ids ?? []).map(soldOf), ...(on?.category_ids ?? []), ...(on?.tags ?? [])]
  return named.length === 0 ? [] : [text.of(named.join(", "))]
}

export const whereInWords = (where: Promotion["where"], placeOf: (id: string) => string): ReadonlyArray<string> => [
  ...(where?.location_ids === undefined ? [] : [text.at(where.location_ids.map(placeOf).join(", "))]),
  ...(where?.channels === undefined ? [] : [text.by(where.channels.map((one) => labelOf(one)).join(", "))])
]
