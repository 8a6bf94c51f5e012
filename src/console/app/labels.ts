/** Makes the labels of the catalogue known, apart from the first page, which has none: who shows labels imports this. */
import { fieldStrings } from "./fieldStrings.ts"
import { knowLabels } from "./words.ts"

knowLabels(fieldStrings)
