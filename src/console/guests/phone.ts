/** Telephone numbers as people write them. Pure. */
import { callingCodeOf, phoneIn as e164In } from "../../contract/Phones.ts"

/**
 * A number in the contract's form, E.164. `country`: the programme's (ISO 3166), whose numbers need no country code. What
 * cannot be read stays, so that the service names the fault.
 */
export const phoneIn = (text: string, country: string | undefined): string =>
  e164In(text, callingCodeOf(country)) ?? text.trim()
