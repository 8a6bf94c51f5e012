/** Every English text about the guests' page of a programme. */
import { texts } from "./texts.ts"

export const guestPageStrings = texts("guestPage", {
  title: "The guests' page",
  edit: "Change the guests' page",
  advanced: "Advanced: every property of the guests' page",
  none: "Guests have no page. With one they see their points, show their card and claim receipts.",
  at: (address: string) => `Guests find it at ${address}`,
  languages: (names: string) => `It speaks ${names}`,
  links: (labels: string) => `It leads to ${labels}`,
  picture: (scheme: string) => `The page, ${scheme}`,
  schemes: { light: "light", dark: "dark" },
  has: "Guests have",
  kinds: { none: "No page", page: "A page" },
  name: "Name above the page",
  colour: "Colour, such as #1a7f5a",
  colourHint: "Text on it is black or white, whichever is read better. Links have it where they can be read.",
  language: "Languages",
  languageNames: { en: "English", de: "German" },
  languageSets: { en: "English", de: "German", "en,de": "English, and German", "de,en": "German, and English" },
  languageHint: "The first is for guests whose own language is not there.",
  linkLabel: (n: number) => `Words of link ${n}`,
  linkUrl: (n: number) => `Address of link ${n}`,
  addLink: "Add a link",
  linksHint: "Such as menu, imprint and privacy. Empty ones are left out.",
  faults: {
    name: "Write 1 to 60 characters.",
    colour: "Write # and six digits or letters from a to f, such as #1a7f5a.",
    links: "Each link needs words, at most 40 characters, and an address that begins with https://."
  },
  logo: {
    title: "Logo",
    none: "There is no logo. The page has its name alone.",
    ofBusiness: "The programme has no logo of its own. The page has the one of your own look, under People.",
    alt: "The logo",
    size: (width: string, height: string) => `${width} × ${height} pixels`,
    choose: "Choose a picture",
    hint: "PNG, at most 200 kB and 2,048 pixels a side. Guests see it at once, without publishing.",
    notPng: "This is no PNG. Save the picture as PNG, then choose it again.",
    tooLarge: (kB: string) => `This picture has ${kB} kB. It may have 200 kB: make it smaller, then choose it again.`,
    tooWide: (width: string, height: string) =>
      `This picture is ${width} × ${height} pixels. It may have 2,048 a side: make it smaller, then choose it again.`,
    remove: "Remove the logo",
    removeEffect: "Guests see the name alone, within half a minute.",
    removeForBusiness: "Guests see the logo of your own look instead, within half a minute."
  },
  table: {
    title: "Cards for the tables",
    hint: "Guests scan it, join, and have points from their next visit.",
    place: "Restaurant",
    anywhere: "None in particular",
    code: "A code that leads to joining",
    print: "Print the card",
    save: "Save the code as SVG"
  }
})
