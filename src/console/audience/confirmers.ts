import { roles, scopesOf } from "../../contract/Roles.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { allows, askedFor, mayGive } from "../../contract/Scopes.ts"
import { useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

const mayConfirm = (held: ReadonlySet<Scope>): boolean => {
  const asked = askedFor("confirmAudience")
  return asked !== undefined && allows(held, asked) && mayGive(held, "platform")
}

/** Whether the session may confirm the changed audience of a campaign. */
export const useMayConfirm = (): boolean => mayConfirm(new Set(useSession().scopes))

/** The roles that may, in words. */
export const confirmerWords = (): string =>
  roles
    .filter((role) => mayConfirm(scopesOf(role)))
    .map((role) => staffStrings.roles[role])
    .join(", ")
