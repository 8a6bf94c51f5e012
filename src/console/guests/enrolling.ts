/** A guest who is enrolled: the typed draft, and the profile that is sent of it. Pure. */
import type { ProfileFacts } from "../../contract/platform/Members.ts"
import { phoneIn } from "./phone.ts"

/** Ways in which guests may be asked to be written to: each by an address that was typed. */
export type Way = "email" | "sms"

export interface Draft {
  readonly display_name: string
  readonly phone: string
  readonly email: string
  readonly birth_date: string
  readonly card: string
  readonly issuer: string
  /** Ways that the guest agreed to. */
  readonly granted: ReadonlyArray<Way>
}

export const empty: Draft = {
  display_name: "",
  phone: "",
  email: "",
  birth_date: "",
  card: "",
  issuer: "",
  granted: []
}

/** The source of consents that the guest gave while being enrolled. */
export const enrolSource = "console"

/** Text that was searched for in vain, in the field where it belongs. A number without signs may be a card's. */
export const draftOf = (search: string, country: string | undefined): Draft => {
  if (search.includes("@")) return { ...empty, email: search }
  const isPhone = /^\+|^00|[\s()./-]/.test(search) && phoneIn(search, country).startsWith("+")
  if (isPhone) return { ...empty, phone: search }
  return /\d{4}/.test(search) ? { ...empty, card: search } : { ...empty, display_name: search }
}

/** The ways of the typed addresses. */
export const waysOf = ({ email, phone }: Draft): ReadonlyArray<Way> => [
  ...(email.trim() === "" ? [] : (["email"] as const)),
  ...(phone.trim() === "" ? [] : (["sms"] as const))
]

type Facts = Pick<ProfileFacts, "display_name" | "phone" | "email" | "birth_date" | "consent">

/** The profile of what was typed. What was not ticked was not given, and is no answer. */
export const profileOf = (draft: Draft, country: string | undefined): Facts => {
  const { birth_date, display_name, email } = draft
  const typed = { display_name, phone: phoneIn(draft.phone, country), email, birth_date }
  const granted = waysOf(draft).filter((way) => draft.granted.includes(way))
  return {
    ...Object.fromEntries(
      Object.entries(typed).flatMap(([name, value]) => (value.trim() === "" ? [] : [[name, value.trim()]]))
    ),
    ...(granted.length === 0
      ? {}
      : {
          consent: granted.map((channel) => ({ purpose: "marketing", channel, granted: true, source: enrolSource }))
        })
  }
}

/** True if a guest can be found again by what was typed. */
export const isEnough = ({ card, display_name, email, phone }: Draft): boolean =>
  [card, display_name, email, phone].some((one) => one.trim() !== "")
