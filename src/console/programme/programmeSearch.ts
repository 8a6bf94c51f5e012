/** The section of the programme's forms in the address bar. */

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

/** Without a valid section: the first one. */
export const programmeSearch = ({ section }: Readonly<Record<string, unknown>>): { readonly section?: Section } => {
  const named = sections.find((one) => one === section)
  return named === undefined || named === "general" ? {} : { section: named }
}
