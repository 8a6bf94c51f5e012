/** The settings of the mail server: both, or none (contract/configuration.md *Variables*). */
import { Redacted, Result } from "effect"
import type { MailOptions } from "../../capabilities/mail/Mail.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import { Email } from "../../contract/platform/Members.ts"
import type { SettingName } from "./SettingNames.ts"

type Values = { readonly [Name in SettingName]?: string | undefined }

const decodeEmail = strictDecoder(Email)

const isServer = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    (url?.protocol === "smtp:" || url?.protocol === "smtps:") &&
    url.hostname !== "" &&
    url.search === "" &&
    url.hash === "" &&
    (url.pathname === "" || url.pathname === "/")
  )
}

/** An address, or a name and an address in angle brackets. */
const isSender = (text: string): boolean => {
  const named = /^[^<>\p{C}]+ <([^<>]+)>$/u.exec(text)
  return Result.isSuccess(decodeEmail(named?.[1] ?? text))
}

/** Reads them, and tells each fault. Undefined: no mail server. */
export const read = (
  { mailFrom, smtpUrl }: Values,
  fault: (name: SettingName, message: string) => void
): MailOptions | undefined => {
  if (smtpUrl === undefined) {
    if (mailFrom !== undefined) fault("mailFrom", "needs PROTO_SMTP_URL too")
    return undefined
  }
  // The address may hold a password: no message repeats it.
  if (!isServer(smtpUrl))
    fault(
      "smtpUrl",
      "must be a mail server such as smtps://name:password@mail.example.com or smtp://mail.example.com:587; write %40 for an @ in the password"
    )
  if (mailFrom === undefined) fault("mailFrom", "must be set with PROTO_SMTP_URL")
  else if (!isSender(mailFrom))
    fault("mailFrom", "must be an address, or a name and an address such as Corner Bowl <points@example.com>")
  return { url: Redacted.make(smtpUrl), from: mailFrom ?? "" }
}
