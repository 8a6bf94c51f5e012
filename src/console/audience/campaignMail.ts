/** The mail of a campaign, as its form holds it. Pure. */
import type { Language } from "../../contract/Languages.ts"
import type { CampaignMail } from "../../contract/platform/CampaignMail.ts"

interface Words {
  readonly subject: string
  readonly text: string
}

export interface MailDraft extends Words {
  /** False: the campaign has no mail. What was written is kept while the form is open. */
  readonly isOn: boolean
  /** Words by language, for guests who do not read the first one. */
  readonly texts: Readonly<Partial<Record<Language, Words>>>
  readonly days: number | undefined
}

export const noWords: Words = { subject: "", text: "" }

export const mailDraftOf = (mail: CampaignMail | undefined): MailDraft => ({
  isOn: mail !== undefined,
  subject: mail?.subject ?? "",
  text: mail?.text ?? "",
  texts: mail?.texts ?? {},
  days: mail?.days
})

const isEmpty = ({ subject, text }: Words): boolean => subject.trim() === "" && text.trim() === ""

const isWhole = ({ subject, text }: Words): boolean => subject.trim() !== "" && text.trim() !== ""

/** Of each language both subject and text, or none. */
export const isMailComplete = ({ isOn, texts, ...words }: MailDraft): boolean =>
  !isOn || (isWhole(words) && Object.values(texts).every((one) => isEmpty(one) || isWhole(one)))

/** The mail as it is sent to the service; undefined: none. */
export const mailOf = ({ days, isOn, subject, text, texts }: MailDraft): CampaignMail | undefined => {
  if (!isOn) return undefined
  const others = Object.entries(texts).flatMap(([language, one]) =>
    isEmpty(one) ? [] : [[language, { subject: one.subject.trim(), text: one.text.trim() }] as const]
  )
  return {
    subject: subject.trim(),
    text: text.trim(),
    ...(others.length === 0 ? undefined : { texts: Object.fromEntries(others) }),
    ...(days === undefined ? undefined : { days })
  }
}
