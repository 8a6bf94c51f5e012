/** Reads amounts of money that forms take. Pure. */

/**
 * Minor units of what a number input says; undefined if it says no number. Numbers that end in zeros, such as `12.50`, come
 * as text.
 */
export const minorUnitsOf = (typed: number | string, digits: number): number | undefined => {
  const amount = typed === "" ? Number.NaN : Number(typed)
  return Number.isNaN(amount) ? undefined : Math.round(amount * 10 ** digits)
}
