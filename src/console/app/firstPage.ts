/** The page that each role begins with. Pure. */
import type { Role } from "../../contract/Roles.ts"

/** Roles whose work begins elsewhere than on Today. */
const beginsAt: Partial<Readonly<Record<Role, string>>> = {
  support: "/counter",
  marketer: "/audience",
  developer: "/developers",
  finance: "/finance",
  franchisee: "/restaurants"
}

/** Of the pages that a session may open, in their order, the one that it begins with; undefined: it may open none. */
export const firstPageOf = <Page extends { readonly to: string }>(
  role: Role | undefined,
  pages: ReadonlyArray<Page>
): Page | undefined => pages.find(({ to }) => role !== undefined && to === beginsAt[role]) ?? pages[0]
