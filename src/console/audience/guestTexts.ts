/** A campaign's texts for guests of other languages than the first, as its form holds them. Pure. */
import type { Language } from "../../contract/Languages.ts"
import type { CampaignFacts } from "../../contract/platform/Campaigns.ts"

export interface GuestWordsDraft {
  readonly name: string
  readonly text: string
}

export type GuestTextsDraft = Readonly<Partial<Record<Language, GuestWordsDraft>>>

export const guestTextsDraftOf = (texts: CampaignFacts["guest_texts"]): GuestTextsDraft =>
  Object.fromEntries(
    Object.entries(texts ?? {}).map(([language, { name = "", text }]) => [language, { name, text }] as const)
  )

/** The texts as they are sent; undefined: no language has any. */
export const guestTextsOf = (draft: GuestTextsDraft): CampaignFacts["guest_texts"] => {
  const filled = Object.entries(draft).flatMap(([language, { name, text }]) =>
    text.trim() === ""
      ? []
      : [[language, { ...(name.trim() === "" ? {} : { name: name.trim() }), text: text.trim() }] as const]
  )
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}
