/** Files that spreadsheets open (contract/operators.md *Lists*). */

/**
 * True for a text that a spreadsheet takes for a formula: by its first character, by a full-width form of one, which some
 * read as the narrow one, or by one after spaces, line ends and marks that a program may drop.
 */
export const isFormula = (text: string): boolean => /^(?:[\s\uFEFF]*[=+\-@＝＋－＠]|[\t\r\n\u00A0\uFEFF])/u.test(text)

/** A line of a file (RFC 4180). `special`: finds what a cell must be quoted for. */
export const csvLine = (cells: ReadonlyArray<string>, separator = ",", special = /[",\r\n]/): string =>
  `${cells.map((cell) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator)}\r\n`
