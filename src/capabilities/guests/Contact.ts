/** Where a guest gets codes: an e-mail address in lower case, or a telephone number as E.164. */
import { Schema } from "effect"
import { hash } from "node:crypto"
import type { Identity } from "../../core/journal/Records.ts"

export const Contact = Schema.Struct({ kind: Schema.Literals(["email", "phone"]), address: Schema.String })
export type Contact = typeof Contact.Type

export const ofEmail = (email: string): Contact => ({ kind: "email", address: email.toLowerCase() })
export const ofPhone = (phone: string): Contact => ({ kind: "phone", address: phone })

/** The identity by which a till knows a guest of this address. */
export const identityOf = ({ address, kind }: Contact): Identity => ({
  type: kind === "email" ? "email_hash" : "phone_hash",
  value: hash("sha256", address)
})
