/** Figures as a file that spreadsheets read (RFC 4180). */
import { csvLine, isFormula } from "../../../contract/Csv.ts"
import { decimals } from "../format.ts"
import { fileStrings } from "./fileStrings.ts"

/** An amount of minor units. */
export interface Amount {
  readonly amount: number
  readonly currency: string
}

export type Cell = string | number | Amount | undefined

/** How a spreadsheet separates cells and writes decimals. */
export interface Separators {
  readonly cells: "," | ";"
  readonly decimals: "." | ","
}

const standard: Separators = { cells: ",", decimals: "." }

/** A text that a spreadsheet would take for a formula begins with an apostrophe. A number is none. */
const written = (cell: Cell = "", { decimals: mark }: Separators): string => {
  if (typeof cell === "string") return isFormula(cell) ? `'${cell}` : cell
  return (typeof cell === "number" ? String(cell) : decimals(cell)).replace(".", mark)
}

/** The first row is the header. */
export const figuresCsv = (rows: ReadonlyArray<ReadonlyArray<Cell>>, separators = standard): string => {
  const special = separators.cells === ";" ? /[";\r\n]/ : /[",\r\n]/
  const lineOf = (cells: ReadonlyArray<Cell>) =>
    csvLine(
      cells.map((cell) => written(cell, separators)),
      separators.cells,
      special
    )
  // Excel takes a file without a byte order mark for one in the encoding of the machine.
  return `\uFEFF${rows.map(lineOf).join("")}`
}

/** Subject of figures: the file's name and each of its rows tell it. */
export interface About {
  readonly program: string
  /** Name of the restaurant; absent: of all of them. */
  readonly location?: string | undefined
  /** The first and the last day, `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
}

/** One table below the other, each with its header, in rows of one length that end with the facts. */
export const withFacts = (
  tables: ReadonlyArray<ReadonlyArray<ReadonlyArray<Cell>>>,
  facts: ReadonlyArray<readonly [name: string, value: Cell]>
): ReadonlyArray<ReadonlyArray<Cell>> => {
  const width = Math.max(0, ...tables.flat().map(({ length }) => length))
  const filled = (row: ReadonlyArray<Cell>) => [...row, ...Array.from({ length: width - row.length }, () => undefined)]
  return tables.flatMap((table, place) => [
    ...(place === 0 ? [] : [[...filled([]), ...facts.map(() => undefined)]]),
    ...table.map((row, line) => [...filled(row), ...facts.map(([name, value]) => (line === 0 ? name : value))])
  ])
}

/** The name of a file of figures, without its ending. */
export const titleOf = (title: string, { from, location, program, to }: About): string =>
  [title, program, location, from === to ? from : fileStrings.days(from, to)]
    .filter((part) => part !== undefined)
    .join(" ")

/** `Orders by day` becomes `orders-by-day.csv`; `ending` without its dot. */
export const fileName = (title: string, ending: "csv" | "xlsx" = "csv"): string =>
  `${title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")}.${ending}`
