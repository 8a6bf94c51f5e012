/** Dates as spreadsheets write them. */

export const dateOrders = ["DMY", "MDY", "YMD"] as const
export type DateOrder = (typeof dateOrders)[number]

/** Three numbers, with the time of midnight that some exports add. */
const written = /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})(?:[T ]0{1,2}:00(?::00(?:\.0+)?)?)?$/

const partsOf = (cell: string): ReadonlyArray<string> | undefined => {
  const [, first, , second, third] = written.exec(cell.trim()) ?? []
  return first === undefined || second === undefined || third === undefined ? undefined : [first, second, third]
}

const isDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/**
 * The date as `1990-12-10`. A text that is no date in this order stays as it is, and so does a year of two digits:
 * nobody knows its century. A year in the first place is followed by the month in any order.
 */
export const isoDate = (cell: string, order: DateOrder): string => {
  const parts = partsOf(cell)
  if (parts === undefined) return cell
  const [first = "", second = "", third = ""] = parts
  const [year, month, day] =
    first.length === 4
      ? [first, second, third]
      : order === "DMY"
        ? [third, second, first]
        : order === "MDY"
          ? [third, first, second]
          : parts
  if (year?.length !== 4 || month === undefined || day === undefined) return cell
  if (!isDate(Number(year), Number(month), Number(day))) return cell
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
}

export interface DateGuess {
  readonly order: DateOrder
  /** False if the dates can be read in another order too, or if some are in one order and some in another. */
  readonly isSure: boolean
}

/** The order in which most of the dates can be read. */
export const guessDateOrder = (cells: ReadonlyArray<string>): DateGuess => {
  const yearLast = cells.flatMap((cell) => {
    const parts = partsOf(cell)
    return parts === undefined || parts[0]?.length === 4 ? [] : [cell.trim()]
  })
  if (yearLast.length === 0) return { order: cells.some((cell) => partsOf(cell)) ? "YMD" : "DMY", isSure: true }
  // Dates with other marks may have another order: each kind must tell its own.
  const guesses = Map.groupBy(yearLast, (cell) => /[./-]/.exec(cell)?.[0])
    .values()
    .map(guessAlike)
    .toArray()
  const { order } = guessAlike(yearLast)
  return { order, isSure: guesses.every((guess) => guess.isSure && guess.order === order) }
}

/** The order of dates with the same marks. */
const guessAlike = (cells: ReadonlyArray<string>): DateGuess => {
  const isIn = (cell: string, order: DateOrder): boolean => isoDate(cell, order) !== cell
  // A date that is none in any order, such as the 31st of February, tells nothing.
  const days = cells.filter((cell) => isIn(cell, "DMY") && !isIn(cell, "MDY")).length
  const months = cells.filter((cell) => isIn(cell, "MDY") && !isIn(cell, "DMY")).length
  if (days !== months) return { order: days > months ? "DMY" : "MDY", isSure: days === 0 || months === 0 }
  // Full stops are written where the day is first.
  return { order: "DMY", isSure: cells.every((cell) => cell.includes(".")) }
}
