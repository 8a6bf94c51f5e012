/** Decimals of other systems' JSON, exactly: as the text that the body has, never as binary floating point. */

/** A JSON number, with an exponent where the other system writes one. */
const decimalPattern = /^(-?)(\d{1,20})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/

/** `digits` × 10^−`scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const decimalOf = (text: string): Decimal | undefined => {
  const [, sign, whole, decimals = "", exponent = "0"] = decimalPattern.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + decimals)
  return { digits: sign === "-" ? -digits : digits, scale: decimals.length - Number(exponent) }
}

/** True for the text of a number that the functions below take. */
export const isDecimal = (text: string): boolean => decimalPattern.test(text)

/** Whole parts of 10^−`places`, halves away from 0. Requires the text of a number. */
export const partsOf = (text: string, places: number): bigint => {
  const decimal = decimalOf(text)
  if (decimal === undefined) throw new Error("not the text of a number")
  const { digits, scale } = decimal
  if (scale <= places) return digits * 10n ** BigInt(places - scale)
  const unit = 10n ** BigInt(scale - places)
  const half = unit / 2n
  return (digits < 0n ? digits - half : digits + half) / unit
}

/** Whole parts of 10^−`places` as the number that JSON carries exactly, up to 15 digits. */
export const numberOf = (parts: number, places: number): number => Number(`${parts}e-${places}`)
