/** The people who may put work in force: activate a campaign, confirm its audience, publish the programme. */
import type { Handover } from "../../contract/admin/Handovers.ts"
import { roles, scopesOf } from "../../contract/Roles.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { allows, askedFor, mayGive } from "../../contract/Scopes.ts"
import { useMay, useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

export type Kind = Handover["kind"]

const routes = { campaign: "setCampaignStatus", audience: "confirmAudience", program: "publishProgram" } as const

const mayPut = (held: ReadonlySet<Scope>, kind: Kind): boolean => {
  const asked = askedFor(routes[kind])
  return asked !== undefined && allows(held, asked) && (kind === "program" || mayGive(held, "platform"))
}

/** Whether the session may put such work in force. */
export const useMayPut = (kind: Kind): boolean => mayPut(new Set(useSession().scopes), kind)

/** Whether the session's person hands such work over: may prepare it, and not put it in force. Keys hand nothing over. */
export const useHandsOver = (kind: Kind): boolean => {
  const may = useMay()
  const mayPutIt = useMayPut(kind)
  return useSession().user !== undefined && may("handOver") && !mayPutIt
}

/** The roles that may put such work in force, in words. */
export const putterWords = (kind: Kind): string =>
  roles
    .filter((role) => mayPut(scopesOf(role), kind))
    .map((role) => staffStrings.roles[role])
    .join(", ")
