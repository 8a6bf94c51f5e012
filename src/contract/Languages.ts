/** The languages of the console and of mails to people who work with it (contract/people.md *Own account*). */
import { Schema } from "effect"

export const Language = Schema.Literals(["en", "de"])
export type Language = typeof Language.Type
