/** Unguessable ids and codes. */
import { randomFillSync } from "node:crypto"
import type { CardReward } from "./domain/Action.ts"

/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** Crockford's 37 check symbols: one for each remainder modulo 37. */
const checkSymbols = `${alphabet}*~$=U`
/** Symbols of 5 bits: 16 make 80 random bits. */
const codeSymbols = 16

/** Random bytes, drawn in bulk because a system call is slow. Each byte is used once. */
const drawn = new Uint8Array(1_024)
let used = drawn.length

const randomByte = (): number => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  return drawn[used++]!
}

/** The given number of random base 32 symbols. */
export const random = (symbols: number = codeSymbols): string => {
  let text = ""
  // 256 byte values give 8 for each of the 32 symbols, so all symbols are equally likely.
  for (let symbol = 0; symbol < symbols; symbol++) text += alphabet[randomByte() % alphabet.length]
  return text
}

/** An identifier with 80 random bits. */
export const identifier = (prefix: string): string => `${prefix}_${random()}`

/** Crockford's check symbol of a text in base 32: its number modulo 37. */
const checkSymbol = (text: string): string => {
  let remainder = 0
  for (const symbol of text) remainder = (remainder * 32 + alphabet.indexOf(symbol)) % checkSymbols.length
  return checkSymbols[remainder] ?? "0"
}

/** 80 random bits in groups of four, with a check symbol: `7Q2M-XK4T-0ZB9-HD3W-5`. */
export const artifactCode = (): string => {
  const text = random()
  return `${text.match(/.{4}/g)?.join("-") ?? text}-${checkSymbol(text)}`
}

/** Ids and codes for the rewards of full stamp cards and completed challenges. */
export const cards = (count: number): ReadonlyArray<CardReward> =>
  Array.from({ length: count }, () => ({ issued: identifier("irw"), code: artifactCode() }))
