/** Makes the labels and messages of the catalogue known, apart from the first page, which has none: who shows them imports this. */
import { faultText } from "./faults.ts"
import { fieldStrings } from "./fieldStrings.ts"
import { knowFaults, knowLabels } from "./words.ts"

knowLabels(fieldStrings)
knowFaults(faultText)
