/** The results of a file's parts as one. Pure. */
import type {
  ErrorGroup,
  ForeseenImport,
  Import,
  ImportWarning,
  RepeatedRows,
  RowError
} from "../../contract/platform/Imports.ts"
import { groupedRows } from "../../contract/platform/Imports.ts"

/** Results of the rows of a file, expected or had. */
export interface Told {
  readonly submitted: number
  readonly created: number
  readonly updated: number
  readonly failed: number
  readonly errors: ReadonlyArray<RowError>
  readonly groups: ReadonlyArray<Omit<ErrorGroup, "code">>
  readonly repeated: ReadonlyArray<RepeatedRows>
  /** Of a result that is foreseen. */
  readonly warnings: ReadonlyArray<ImportWarning>
}

/** The errors that differ in nothing but their rows, in the order of their first rows. */
const grouped = (errors: ReadonlyArray<RowError>): Told["groups"] =>
  [...Map.groupBy(errors, ({ detail, path }) => JSON.stringify([path, detail])).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const rows = alike.slice(0, groupedRows).map(({ row }) => row)
    return [
      {
        path: first.path,
        detail: first.detail,
        ...(first.template === undefined ? undefined : { template: first.template }),
        count: alike.length,
        rows
      }
    ]
  })

type Result = ForeseenImport | Import

/** The results of the parts of a file as one. `shift`: how much greater the service's numbers of rows are. */
export const together = (parts: ReadonlyArray<Result>, shift: number): Told => {
  const sum = (name: "submitted" | "created" | "updated" | "failed"): number =>
    parts.reduce((total, part) => total + part[name], 0)
  const errors = parts
    .flatMap((part) => part.errors ?? [])
    .map((error) => ({ ...error, row: error.row - shift }))
    .toSorted((one, other) => one.row - other.row)
  return {
    submitted: sum("submitted"),
    created: sum("created"),
    updated: sum("updated"),
    failed: sum("failed"),
    errors,
    groups: grouped(errors),
    warnings: parts
      .flatMap((part) => ("warnings" in part ? part.warnings : []))
      .map((one) => ({ ...one, rows: one.rows.map((row) => row - shift) })),
    repeated: parts
      .flatMap((part) => part.repeated ?? [])
      .map((one) => ({ ...one, rows: one.rows.map((row) => row - shift) }))
  }
}
