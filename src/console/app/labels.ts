/** Makes the labels and messages of the catalogue known, apart from the first page, which has none: who shows them imports this. */
import { catalogueOf } from "./catalogue.ts"
import { faultStrings } from "./faultStrings.ts"
import { fieldStrings } from "./fieldStrings.ts"
import { knowFaults, knowLabels } from "./words.ts"

/** The service's messages about refused values, in the catalogue's words. */
export const { keyOf: faultKey, tell: faultText } = catalogueOf(faultStrings)

knowLabels(fieldStrings)
knowFaults(faultText)
