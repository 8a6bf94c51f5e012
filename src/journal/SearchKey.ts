/** Keys of prefix search. */

/** The form in which names and e-mail addresses are compared: their case does not matter. */
export const searchKey = (text: string): string => text.normalize("NFC").toLowerCase()

/** A text after every text with the prefix: it ends with the last character of Unicode. */
export const prefixEnd = (prefix: string): string => `${prefix}\u{10ffff}`
