/** Reads the transactions of another provider (contract/moving.md *Compare*). Each file is read once. */
import { Effect } from "effect"
import { toMillis } from "../../contract/Values.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Fault, Report } from "../moving/Faults.ts"
import { keepsRow } from "../moving/Faults.ts"
import type { Row } from "../moving/FileRows.ts"
import type { Mapping } from "../moving/Mapping.ts"
import { eachRow, openFile } from "../moving/OpenFiles.ts"
import { type Form, formOf, said } from "../moving/Reading.ts"

/** A transaction: points that an order gave, or took if they are below zero. */
export interface Transaction {
  readonly order: string
  readonly points: number
  /** ms */
  readonly at: number
}

type Tell = (fault: Pick<Fault, "name" | "column" | "detail">) => undefined

/** The transaction of a row; undefined: it has a fault. */
const transactionOf = (row: Row, form: Form, tell: Tell): Transaction | undefined => {
  if (row.fault !== undefined) return tell({ name: "uneven", column: "", detail: row.fault })
  const { faults, value } = said(row, form)
  for (const fault of faults) tell(fault)
  const { at, order_id: order, points } = value
  if (faults.some(({ name }) => !keepsRow(name, form.kind))) return undefined
  if (typeof order !== "string") return tell({ name: "without_id", column: "order_id", detail: "It has no order_id." })
  if (typeof points !== "number" || !Number.isSafeInteger(points))
    return tell({ name: "invalid", column: "points", detail: "It must be a whole number." })
  if (typeof at !== "string") return tell({ name: "invalid", column: "at", detail: "It must be a date and a time." })
  return { order, points, at: toMillis(at) }
}

interface Context {
  readonly program: Program
  readonly report: Report
  readonly take: (transaction: Transaction) => void
}

/** Reads all files. Returns the number of rows. */
export const read = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  mapping: Mapping | undefined,
  { program, report, take }: Context
) {
  let rows = 0
  for (const path of paths) {
    const file = yield* openFile(path, mapping, report)
    if (file === undefined) continue
    const { name } = file
    if (file.mapping.holds !== "orders") {
      report({ file: name, row: 0, column: "", name: "unmapped", detail: "It holds no orders: order_id, points, at." })
      continue
    }
    const form = formOf(file.mapping, program)
    yield* eachRow(file, report, (row) => {
      rows++
      const found = transactionOf(row, form, (fault) => void report({ file: name, row: row.row, ...fault }))
      if (found !== undefined) take(found)
    })
  }
  return rows
})
