/** Points as spreadsheets write them: with separators of thousands and decimals. */

/** The separator of thousands; the other one is that of decimals. */
export const thousands = [".", ","] as const
export type Thousands = (typeof thousands)[number]

const patterns: Readonly<Record<Thousands, RegExp>> = {
  ".": /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
  ",": /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/
}

/** The number without the spaces and apostrophes that some countries put between thousands. */
const written = (cell: string): string =>
  cell.trim().replaceAll(/(?<=\d)[ \u00a0\u2009\u202f'\u2019](?=\d{3}(?!\d))/g, "")

const hasSeparator = (cell: string): boolean => /\d[.,]\d/.test(cell)

/** The number as the service reads it. A text that is no whole number in this form stays as it is. */
export const wholePoints = (cell: string, separator: Thousands | undefined): string => {
  const text = written(cell)
  if (/^-?\d+$/.test(text)) return text
  if (separator === undefined || !patterns[separator].test(text)) return cell
  const [whole = "", decimals = ""] = text.replaceAll(separator, "").split(/[.,]/)
  return /^0*$/.test(decimals) ? whole : cell
}

/** True if a cell has to be converted. */
export const areFormatted = (cells: ReadonlyArray<string>): boolean =>
  cells.some((cell) => hasSeparator(cell) || wholePoints(cell, undefined) !== cell)

/** True if the numbers can be read in two ways, unless a separator is chosen. */
export const haveSeparators = (cells: ReadonlyArray<string>): boolean => cells.some(hasSeparator)

/** The separator of thousands that the cells tell; undefined: they do not. `1.000` alone tells nothing. */
export const guessThousands = (cells: ReadonlyArray<string>): Thousands | undefined => {
  const told = thousands.filter((one) =>
    cells.some((cell) => {
      const text = written(cell)
      return (
        hasSeparator(text) &&
        patterns[one].test(text) &&
        thousands.every((other) => other === one || !patterns[other].test(text))
      )
    })
  )
  return told.length === 1 ? told[0] : undefined
}
