/** Claim codes: 11 characters of Crockford's base 32, which are 55 bits, and a check (contract/orders.md *Claim codes*). */
import type { ClaimKey } from "../../core/journal/Hashing.ts"

/** No I, L, O and U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const symbolBits = 5n
const symbols = 11

/** Luhn's check modulo 32: it finds each wrong symbol and nearly each swap of neighbours. */
const checkOf = (code: string): string => {
  let sum = 0
  for (const [place, symbol] of [...code].toReversed().entries()) {
    const value = alphabet.indexOf(symbol) * (place % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / alphabet.length) + (value % alphabet.length)
  }
  return alphabet[(alphabet.length - (sum % alphabet.length)) % alphabet.length] ?? "0"
}

/**
 * The code of an order: always the same, and unguessable, because it follows from the id by the database's secret. So no
 * table has it.
 */
export const of = (claimKey: ClaimKey, program: string, order: string): string => {
  let bits = BigInt(`0x${claimKey("claim code", program, order).replaceAll("-", "")}`)
  let code = ""
  for (let symbol = 0; symbol < symbols; symbol++) {
    code += alphabet[Number(bits % BigInt(alphabet.length))]
    bits >>= symbolBits
  }
  return code + checkOf(code)
}

/** The code that a guest has typed; undefined: it cannot be one. */
export const read = (typed: string): string | undefined => {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1")
  const isCode = code.length === symbols + 1 && [...code].every((symbol) => alphabet.includes(symbol))
  return isCode && checkOf(code.slice(0, symbols)) === code[symbols] ? code : undefined
}

/** Keyed hash of a code, by which the table finds its order. */
export const hashOf = (claimKey: ClaimKey, program: string, code: string) => claimKey("claim code hash", program, code)
