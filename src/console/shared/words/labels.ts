/** Makes the labels and messages of the catalogue known, apart from the first page, which has none: who shows them imports this. */

import { number } from "../format.ts"
import { catalogueOf } from "./catalogue.ts"
import { faultStrings } from "./faultStrings.ts"
import { fieldStrings } from "./fieldStrings.ts"
import { valueStrings } from "./valueStrings.ts"
import { knowFaults, knowLabels } from "./words.ts"

const faults = catalogueOf(faultStrings)

const values: Readonly<Record<string, string>> = valueStrings

const numberIn = (value: string): number => Number(value.replaceAll(",", ""))

/** A part that the service has put into a message: its own word, or a number with separators, in the person's language. */
export const termText = (value: string): string =>
  /^\d{1,3}(?:,\d{3})+$/.test(value) ? number(numberIn(value)) : (values[value] ?? value)

/** The same of a number in basis points: per cent. */
const shareText = (value: string): string => (/^[\d,]+$/.test(value) ? number(numberIn(value) / 100) : termText(value))

export const faultKey = faults.keyOf

/** The service's message about a refused value, in the catalogue's words. */
export const faultText = (message: string, isShare = false): string =>
  faults.tell(message, isShare ? shareText : termText)

knowLabels(fieldStrings)
knowFaults(faultText)
