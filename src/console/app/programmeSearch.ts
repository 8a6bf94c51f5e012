/** The section of the programme's forms, as the address holds it. */
import { strings } from "./strings.ts"

export type Section = keyof typeof strings.programme.sections

/** Without one: the first. */
export const programmeSearch = ({ section }: Readonly<Record<string, unknown>>): { readonly section?: Section } =>
  typeof section === "string" && section !== "general" && section in strings.programme.sections
    ? { section: section as Section }
    : {}
