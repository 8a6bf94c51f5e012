/** One rounding for the rates of all reports: analytics and campaigns. */

const wholeBps = 10_000

/** The share of a part in a whole, basis points, rounded down; 0 if the whole is 0. */
export const ratioBps = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((part * wholeBps) / whole)
