/** The rows that a request submits, those of them that pass the contract's checks, and their batches. Pure but for refusals. */
import { Effect, Result } from "effect"
import type { ImportRequest, ImportRow } from "../../contract/platform/Imports.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import { decode } from "./DecodeRow.ts"
import type { CsvRow } from "./ImportCsv.ts"
import * as ImportCsv from "./ImportCsv.ts"
import * as ImportRows from "./ImportRows.ts"
import type { DoneRow } from "./ImportStore.ts"
import { repeatsOf } from "./Repeats.ts"

/** The rows of a request, from JSON or CSV. */
export interface Submitted {
  readonly rows: ReadonlyArray<CsvRow>
  /** The fingerprint's input: requests with equal facts are the same. */
  readonly facts: unknown
  readonly isCsv: boolean
}

/** A row that passed the contract's checks. */
export interface ValidRow extends Pick<CsvRow, "row" | "shown"> {
  readonly value: ImportRow
}

export const submittedIn = Effect.fnUntraced(function* ({
  csv,
  rows
}: ImportRequest): Effect.fn.Return<Submitted, Refused> {
  if ((csv === undefined) === (rows === undefined))
    return yield* refuseFaults([{ path: "", message: "must have exactly one of rows and csv" }])
  if (rows !== undefined) {
    const items = rows.map((row, index) => ({ row: index + 1, shown: index + 1, value: Result.succeed(row) }))
    return { rows: items, facts: rows, isCsv: false }
  }
  const file = yield* ImportCsv.read(csv ?? "")
  return { rows: file.rows, facts: file.cells, isCsv: true }
})

/** A row that fails. Errors of CSV have the names of columns. */
export const failedRow = (
  { row, shown }: Pick<CsvRow, "row" | "shown">,
  errors: ImportRows.RowErrors,
  isCsv: boolean
): DoneRow => ({
  row,
  shown,
  outcome: "failed",
  errors: isCsv ? errors.map((error) => ({ ...error, path: ImportCsv.columnOf(error.path) })) : errors
})

/** The valid rows, and the outcomes of the others. */
export const checked = ({ isCsv, rows }: Submitted, { file: { country } }: Program) => {
  const valid: Array<ValidRow> = []
  const faulty: Array<DoneRow> = []
  for (const { value, ...place } of rows) {
    const decoded = Result.flatMap(value, (row) => decode(row, country))
    if (Result.isSuccess(decoded)) valid.push({ ...place, value: decoded.success })
    else faulty.push(failedRow(place, ImportRows.faultsAsErrors(decoded.failure), isCsv))
  }
  return { faulty, valid }
}

/** Groups of rows with one member. Those of CSV have the names of columns. */
export const repeated = (valid: ReadonlyArray<ValidRow>, isCsv: boolean) =>
  repeatsOf(valid).map((one) => (isCsv ? { ...one, path: ImportCsv.columnOf(one.path) } : one))

export const valuesIn = (submitted: Submitted, program: Program) =>
  checked(submitted, program).valid.map(({ value }) => value)

/** Divides rows into batches that run one after the other. Rows that name the same member are in different batches. */
export const batchesOf = <Row extends { readonly value: ImportRow }>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<ReadonlyArray<Row>> => {
  const batches: Array<Array<Row>> = []
  let named = new Set<string>()
  for (const one of rows) {
    const names = ImportRows.namesOf(one.value)
    const last = batches.at(-1)
    if (last === undefined || last.length === Bounds.importBatch || names.some((name) => named.has(name))) {
      batches.push([one])
      named = new Set(names)
    } else {
      last.push(one)
      for (const name of names) named.add(name)
    }
  }
  return batches
}
