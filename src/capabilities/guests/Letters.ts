/** Mails to guests, in the programme's name and the guest's language. A language is one entry of `words`. Pure. */
import type { Letter } from "../mail/Letter.ts"

interface Words {
  readonly subject: (page: string) => string
  readonly hello: string
  readonly code: (page: string) => string
  readonly joining: (page: string) => string
  readonly closing: (page: string) => ReadonlyArray<string>
}

const words: Readonly<Record<"en" | "de", Words>> = {
  en: {
    subject: (page) => `Your code for ${page}`,
    hello: "Hello,",
    code: (page) => `this is your code for ${page}:`,
    joining: (page) => `this address has no account at ${page} yet. With this code you make one:`,
    closing: (page) => [
      `It works for 10 minutes, on the page of ${page} where you asked for it. Please do not pass it on.`,
      "If you did not ask for it, you need do nothing: nobody gets in without it."
    ]
  },
  de: {
    subject: (page) => `Ihr Code für ${page}`,
    hello: "Guten Tag,",
    code: (page) => `das ist Ihr Code für ${page}:`,
    joining: (page) => `zu dieser Adresse gibt es bei ${page} noch kein Konto. Mit diesem Code legen Sie eines an:`,
    closing: (page) => [
      `Er gilt 10 Minuten, auf der Seite von ${page}, auf der Sie ihn angefordert haben. Bitte geben Sie ihn nicht weiter.`,
      "Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun: Ohne ihn kommt niemand hinein."
    ]
  }
}

const wordsOf = (language: string): Words => (language === "de" ? words.de : words.en)

/** A code. `isKnown`: somebody has the address; else the mail leads to joining. */
export const code = (page: string, language: string, digits: string, isKnown: boolean): Letter => {
  const said = wordsOf(language)
  return {
    subject: said.subject(page),
    opening: [said.hello, isKnown ? said.code(page) : said.joining(page)],
    code: digits,
    closing: said.closing(page),
    language
  }
}
