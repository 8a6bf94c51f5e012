/** Makes the labels and messages of the catalogue known, apart from the first page, which has none: who shows them imports this. */

import { monthLong, number, timeShort } from "../format.ts"
import type { Told } from "./catalogue.ts"
import { catalogueOf } from "./catalogue.ts"
import { faultStrings } from "./faultStrings.ts"
import { fieldStrings } from "./fieldStrings.ts"
import { valueStrings } from "./valueStrings.ts"
import { knowFaults, knowLabels } from "./words.ts"

const faults = catalogueOf(faultStrings)

const values: Readonly<Record<string, string>> = valueStrings

/** A value that the service has put into a sentence: its own word, a number, month or local time, in the person's language. */
export const termText = (value: string | number): string => {
  if (typeof value === "number") return number(value)
  if (/^\d{4}-\d\d$/.test(value)) return monthLong(value)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value)) return timeShort(`${value}Z`, "UTC")
  return values[value] ?? value
}

/** The same of a number in basis points: per cent. */
const shareText = (value: string | number): string =>
  typeof value === "number" ? number(value / 100) : termText(value)

export const isFault = faults.knows

/** The service's message about a refused value, in the catalogue's words. */
export const faultText = (told: Told, isShare = false): string => faults.tell(told, isShare ? shareText : termText)

knowLabels(fieldStrings)
knowFaults(faultText)
