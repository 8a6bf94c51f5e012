/** Forms of addresses that guests type, and examples of them. */
import { callingCodeOf } from "../contract/Phones.ts"

/** The service looks closer; this spares a request for what is plainly no address. */
export const emailForm = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Numbers that the countries keep for examples: nobody has them. */
const examples: Readonly<Record<string, string>> = {
  AU: "+61 491 570 006",
  CA: "+1 416 555 0123",
  DE: "+49 171 3920012",
  FR: "+33 6 39 98 01 23",
  GB: "+44 7700 900123",
  US: "+1 212 555 0123"
}

/** A number of a country, or how its numbers begin; undefined: the country is not known here. */
export const exampleIn = (country: string): string | undefined => {
  const code = callingCodeOf(country)
  return examples[country] ?? (code === undefined ? undefined : `${code} …`)
}
