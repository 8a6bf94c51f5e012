/** Text as prefix search compares it: names and e-mail addresses whatever their case. */
export const searchKey = (text: string): string => text.normalize("NFC").toLowerCase()
