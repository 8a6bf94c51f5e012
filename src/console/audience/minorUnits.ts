/** Reads amounts of money that forms take. Pure. */

/** Minor units of a number field's amount; undefined: it is empty, `NaN`: it is none. */
export const minorUnitsOf = (typed: number | "", digits: number): number | undefined =>
  typed === "" ? undefined : Math.round(typed * 10 ** digits)
