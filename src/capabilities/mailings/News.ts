/** A campaign's mail as a guest gets it, in the guest's language. Pure. */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { CampaignMail } from "../../contract/platform/CampaignMail.ts"
import type { Letter } from "../mail/Letter.ts"

const words = {
  en: {
    page: "Your points and rewards",
    why: (page: string) => `You get this mail because you have agreed to mail from ${page}.`,
    unsubscribe: "Unsubscribe"
  },
  de: {
    page: "Deine Punkte und Prämien",
    why: (page: string) => `Du bekommst diese Mail, weil du Mails von ${page} zugestimmt hast.`,
    unsubscribe: "Abbestellen"
  }
} as const

interface Addressed {
  readonly program_id: string
  readonly page: NonNullable<ProgramFile["guest_page"]>
  /** Chosen by the guest; undefined: nothing is. */
  readonly language: string | undefined
  readonly pageUrl: string
  readonly unsubscribeUrl: string
}

/** Paragraphs are divided by empty lines. */
const paragraphsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map((one) => one.trim().replaceAll("\r\n", "\n"))
    .filter((one) => one !== "")

export const letterOf = (
  mail: CampaignMail,
  { language, page, pageUrl, program_id, unsubscribeUrl }: Addressed
): Letter => {
  const first = page.languages[0] ?? "en"
  const own = page.languages.find((one) => one === language) ?? first
  const { subject, text } = mail.texts?.[own] ?? mail
  const said = words[own]
  return {
    subject,
    opening: paragraphsOf(text),
    hasOwnLinks: true,
    link: { label: said.page, url: pageUrl },
    closing: [said.why(page.name)],
    unsubscribe: { label: said.unsubscribe, url: unsubscribeUrl },
    language: own,
    look: { name: page.name, colour: page.colour, program_id }
  }
}
