/** The guests' page of an edited programme, as its dialog shows and changes it. Pure. */
import type { GuestPage } from "../../contract/ProgramFile.ts"

type Language = GuestPage["languages"][number]

/** A link, as it is typed. */
export interface LinkEntry {
  readonly label: string
  readonly url: string
}

/** The page, as the dialog holds it. */
export interface GuestPageEntry {
  readonly name: string
  readonly colour: string
  /** The first is for guests whose own language is not there. */
  readonly languages: ReadonlyArray<Language>
  readonly links: ReadonlyArray<LinkEntry>
  /** Changed among all properties alone. */
  readonly codesPerDay: number | undefined
}

export const mostLinks = 5

/** The language of guests whose own is not there. */
export const firstLanguage = ([first = "en"]: ReadonlyArray<Language>): Language => first

/** The colour of a new page. */
const firstColour = "#1a7f5a"

export const guestPageEntryOf = (page: GuestPage | undefined, programme: string): GuestPageEntry => ({
  name: page?.name ?? programme.slice(0, 60),
  colour: page?.colour ?? firstColour,
  languages: page?.languages ?? ["en", "de"],
  links: page?.links ?? [],
  codesPerDay: page?.codes_per_day
})

/** The page as it is published: empty links are left out. */
export const guestPageOf = ({ codesPerDay, colour, languages, links, name }: GuestPageEntry): GuestPage => {
  const typed = links
    .map(({ label, url }) => ({ label: label.trim(), url: url.trim() }))
    .filter(({ label, url }) => label !== "" || url !== "")
  return {
    name: name.trim(),
    colour,
    languages,
    ...(typed.length === 0 ? undefined : { links: typed }),
    ...(codesPerDay === undefined ? undefined : { codes_per_day: codesPerDay })
  }
}

const isLink = ({ label, url }: LinkEntry): boolean =>
  (label.trim() === "" && url.trim() === "") ||
  (label.trim() !== "" && label.trim().length <= 40 && URL.parse(url.trim())?.protocol === "https:")

type GuestPageFault = "name" | "colour" | "links"

export const guestPageFaults = ({ colour, links, name }: GuestPageEntry): ReadonlyArray<GuestPageFault> => [
  ...(name.trim() === "" || name.trim().length > 60 ? (["name"] as const) : []),
  ...(/^#[0-9a-f]{6}$/i.test(colour) ? [] : (["colour"] as const)),
  ...(links.every(isLink) ? [] : (["links"] as const))
]
