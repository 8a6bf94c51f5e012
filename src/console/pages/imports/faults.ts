/** Errors of rows in words. */
import type { ForeseenImport, RowError } from "../../../contract/platform/Imports.ts"
import { importStrings } from "../../app/importStrings.ts"

const text = importStrings

type Place = Pick<RowError, "path">

/** A fault's column in a file, or its place in a row sent as JSON. */
export const columnOf = ({ path }: Place): string => path.slice(1).replaceAll("/", " › ")

/** A fault as a sentence. The service's own sentences begin with a capital letter. */
export const sentence = (fault: Pick<RowError, "detail" | "path">): string => {
  const { detail } = fault
  if (/^\p{Lu}/u.test(detail)) return detail
  return fault.path === "" ? text.rowFault(detail) : text.cellFault(columnOf(fault), detail)
}

/** True if nothing of the row is imported: one that fails only at its identity or opening balance changes its member. */
const isWhole = ({ code, path }: RowError): boolean => path === "" || code === "validation_failed"

/** How many rows would be imported, at least in part. */
export const importable = ({ errors, submitted }: Pick<ForeseenImport, "errors" | "submitted">): number =>
  submitted - new Set(errors.filter(isWhole).map(({ row }) => row)).size
