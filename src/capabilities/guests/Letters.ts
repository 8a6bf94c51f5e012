/** Mails to guests, in the programme's name and the guest's language. A language is one entry of `words`. Pure. */
import type { Letter, Look } from "../mail/Letter.ts"

interface Words {
  readonly subject: (page: string) => string
  readonly hello: string
  readonly code: (page: string) => string
  readonly joining: (page: string) => string
  readonly address: (page: string) => string
  readonly closing: (page: string) => ReadonlyArray<string>
  readonly text: (page: string, code: string) => string
  readonly changedSubject: (page: string) => string
  readonly changed: (page: string) => ReadonlyArray<string>
  readonly leavesSubject: (page: string) => string
  readonly leaves: (page: string, date: string) => ReadonlyArray<string>
}

const words: Readonly<Record<"en" | "de", Words>> = {
  en: {
    subject: (page) => `Your code for ${page}`,
    hello: "Hello,",
    code: (page) => `this is your code for ${page}:`,
    joining: (page) => `this address has no account at ${page} yet. With this code you make one:`,
    address: (page) => `with this code you make this the e-mail address of your account at ${page}:`,
    closing: (page) => [
      `It works for 10 minutes, on the page of ${page} where you asked for it. Please do not pass it on.`,
      "If you did not ask for it, you need do nothing: nobody gets in without it."
    ],
    text: (page, code) => `${code} is your code for ${page}. It works for 10 minutes. Please do not pass it on.`,
    changedSubject: (page) => `Your address at ${page} has changed`,
    changed: (page) => [
      `another e-mail address was confirmed for your account at ${page}. From now on its codes go there.`,
      "If that was not you, please tell us at once."
    ],
    leavesSubject: (page) => `You are leaving ${page}`,
    leaves: (page, date) => [
      `you have asked to leave ${page}. On ${date} everything that we hold about you is erased, your points too.`,
      "If you sign in before, you stay."
    ]
  },
  de: {
    subject: (page) => `Dein Code für ${page}`,
    hello: "Hallo,",
    code: (page) => `das ist dein Code für ${page}:`,
    joining: (page) => `zu dieser Adresse gibt es bei ${page} noch kein Konto. Mit diesem Code legst du eines an:`,
    address: (page) => `mit diesem Code wird das die E-Mail-Adresse deines Kontos bei ${page}:`,
    closing: (page) => [
      `Er gilt 10 Minuten, auf der Seite von ${page}, auf der du ihn angefordert hast. Bitte gib ihn nicht weiter.`,
      "Wenn du ihn nicht angefordert hast, musst du nichts tun: Ohne ihn kommt niemand hinein."
    ],
    text: (page, code) => `${code} ist dein Code für ${page}. Er gilt 10 Minuten. Bitte gib ihn nicht weiter.`,
    changedSubject: (page) => `Deine Adresse bei ${page} hat sich geändert`,
    changed: (page) => [
      `für dein Konto bei ${page} wurde eine andere E-Mail-Adresse bestätigt. Codes gehen von nun an dorthin.`,
      "Wenn du das nicht warst, sag uns bitte sofort Bescheid."
    ],
    leavesSubject: (page) => `Du verlässt ${page}`,
    leaves: (page, date) => [
      `du hast darum gebeten, ${page} zu verlassen. Am ${date} wird alles gelöscht, was wir über dich haben, auch deine Punkte.`,
      "Wenn du dich vorher anmeldest, bleibst du dabei."
    ]
  }
}

/** The look of a programme's mails: that of its page. */
export const lookOf = (
  program_id: string,
  { colour, name }: { readonly name: string; readonly colour: string }
): Look => ({
  name,
  colour,
  program_id
})

const wordsOf = (language: string): Words => (language === "de" ? words.de : words.en)

/** The use of a mailed code: to an address that somebody has, to one that leads to joining, or to confirm a new address. */
export type CodeFor = "code" | "joining" | "address"

/** A code, with the use of it. */
export const code = (look: Look, language: string, digits: string, use: CodeFor): Letter => {
  const said = wordsOf(language)
  const page = look.name
  return {
    subject: said.subject(page),
    opening: [said.hello, said[use](page)],
    code: digits,
    closing: said.closing(page),
    language,
    look
  }
}

/** A code as a text message: the same whether or not somebody has the number. */
export const text = (page: string, language: string, digits: string): string => wordsOf(language).text(page, digits)

const plain = (look: Look, language: string, subject: string, said: ReadonlyArray<string>): Letter => ({
  subject,
  opening: [wordsOf(language).hello, ...said],
  closing: [],
  language,
  look
})

/** Tells a former address that another one has taken its place. */
export const addressChanged = (look: Look, language: string): Letter => {
  const said = wordsOf(language)
  return plain(look, language, said.changedSubject(look.name), said.changed(look.name))
}

/** A date as the language writes it, with the month's name: 07/12 is another day elsewhere. */
const dateIn = (language: string, zone: string, at: number): string =>
  new Intl.DateTimeFormat(language === "de" ? "de" : "en-GB", { dateStyle: "long", timeZone: zone }).format(at)

interface Leaves {
  /** When everything is erased, ms. */
  readonly at: number
  /** The programme's zone. */
  readonly zone: string
}

/** Tells a guest who leaves until when she may come back. */
export const leaving = (look: Look, language: string, { at, zone }: Leaves): Letter => {
  const said = wordsOf(language)
  return plain(look, language, said.leavesSubject(look.name), said.leaves(look.name, dateIn(language, zone, at)))
}
