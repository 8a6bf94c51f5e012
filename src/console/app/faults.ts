/** The service's messages about refused values, in the catalogue's words. `labels.ts` makes them known. */
import { catalogueOf } from "./catalogue.ts"
import { faultStrings } from "./faultStrings.ts"

export const { keyOf: faultKey, tell: faultText } = catalogueOf(faultStrings)
