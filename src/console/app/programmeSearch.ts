/** The section of the programme's forms in the address bar. */
import { strings } from "./strings.ts"

type Section = keyof typeof strings.programme.sections

/** Without a valid section: the first one. */
export const programmeSearch = ({ section }: Readonly<Record<string, unknown>>): { readonly section?: Section } =>
  typeof section === "string" && section !== "general" && section in strings.programme.sections
    ? { section: section as Section }
    : {}
