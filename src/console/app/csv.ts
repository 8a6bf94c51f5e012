/** Figures as a file that spreadsheets read (RFC 4180). */
export type Cell = string | number | undefined

/** A text that a spreadsheet would take for a formula begins with an apostrophe. A number is none. */
const defused = (cell: Cell): string => {
  const text = String(cell ?? "")
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The first row is the header. */
export const figuresCsv = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  // Excel takes a file without a byte order mark for one in the encoding of the machine.
  `\uFEFF${rows.map((cells) => `${cells.map((cell) => quoted(defused(cell))).join(",")}\r\n`).join("")}`

/** `Orders by day` becomes `orders-by-day.csv`. */
export const fileName = (title: string): string =>
  `${title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")}.csv`
