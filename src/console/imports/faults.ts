/** Errors of rows in words. */
import type { ForeseenImport, RowError } from "../../contract/platform/Imports.ts"
import { lacksId } from "../../contract/platform/Members.ts"
import type { DateOrder } from "../../contract/WrittenDates.ts"
import type { faultStrings } from "../shared/words/faultStrings.ts"
import { isFault } from "../shared/words/labels.ts"
import { detailText } from "../shared/words/refusals.ts"
import { messageInWords } from "../shared/words/words.ts"
import { importStrings } from "./importStrings.ts"

const text = importStrings

const noDate: keyof typeof faultStrings = "must be a real date, YYYY-MM-DD"
const uneven: keyof typeof faultStrings = "must have {1} cells, as the header has"

/** Names of a file's columns there, by the columns that are sent, and how its dates are written. */
export interface OwnWords {
  readonly labels: Readonly<Record<string, string>>
  readonly dateOrder: DateOrder
}

type Fault = Pick<RowError, "detail" | "path" | "template">

/** True if the row has nothing that tells whose it is. The service tells it at one of the columns. */
const namesNobody = ({ detail, path }: Fault): boolean => path === "/member_id" && detail === lacksId

/** The column that is sent, or the place in a row sent as JSON. */
export const sentColumn = ({ path }: Pick<RowError, "path">): string => path.slice(1).replaceAll("/", " › ")

/** A fault's column, as the file calls it. */
export const columnOf = (fault: Fault, own?: OwnWords): string => {
  const sent = sentColumn(fault)
  return namesNobody(fault) ? "" : (own?.labels[sent] ?? sent)
}

const nobody = (own: OwnWords | undefined): string => {
  const naming = ["member_id", "external_id", "identity_value"].flatMap((column) => own?.labels[column] ?? [])
  return naming.length === 0 ? text.nobody : text.nobodyIn(naming)
}

/** Faults of a file with columns of its own that the service cannot know. */
const ownSentence = (fault: Fault, own: OwnWords): string | undefined => {
  const column = columnOf(fault, own)
  if (fault.template?.text === uneven) return text.uneven
  if (fault.path === "/birth_date" && fault.detail === noDate)
    return text.noDate(column, text.mapping.dateOrders[own.dateOrder])
  return fault.path === "/marketing_consent" ? text.noConsent(column) : undefined
}

/** A fault as a sentence. */
export const sentence = (fault: Fault, own?: OwnWords): string => {
  const told = { message: fault.detail, template: fault.template }
  if (namesNobody(fault)) return nobody(own)
  const ofFile = own === undefined ? undefined : ownSentence(fault, own)
  if (ofFile !== undefined) return ofFile
  if (!isFault(told)) return detailText(fault)
  const words = messageInWords(told)
  return fault.path === "" ? text.rowFault(words) : text.cellFault(columnOf(fault, own), words)
}

/** True if nothing of the row is imported: one that fails only at its identity or opening balance changes its member. */
const isWhole = ({ code, path }: RowError): boolean => path === "" || code === "validation_failed"

/** How many rows would be imported: wholly, and in part. */
export const importable = ({ errors, submitted }: Pick<ForeseenImport, "errors" | "submitted">) => {
  const failed = new Set(errors.map(({ row }) => row))
  const left = new Set(errors.filter(isWhole).map(({ row }) => row))
  return { whole: submitted - failed.size, partly: failed.size - left.size, left: left.size }
}
