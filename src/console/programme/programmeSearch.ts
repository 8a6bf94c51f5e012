/** The section of the programme's forms, and the draft that they begin with, in the address bar. */

const sections = [
  "general",
  "earning",
  "accounts",
  "tiers",
  "rewards",
  "promotions",
  "challenges",
  "expiry",
  "stampCard",
  "guestPage"
] as const
export type Section = (typeof sections)[number]

/** Without a valid section: the first one. `handover`: the change that is handed over, which the forms begin with. */
export const programmeSearch = ({
  handover,
  section
}: Readonly<Record<string, unknown>>): { readonly section?: Section; readonly handover?: string } => {
  const named = sections.find((one) => one === section)
  return {
    ...(named === undefined || named === "general" ? {} : { section: named }),
    ...(typeof handover === "string" ? { handover } : {})
  }
}
