/** Limits on giving, by role. */
import { useQuery } from "@tanstack/react-query"
import type { RoleLimits } from "../../contract/admin/Limits.ts"
import { Limits } from "../../contract/admin/Limits.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import type { Role } from "../../contract/Roles.ts"
import { scopesOf } from "../../contract/Roles.ts"
import { call, client } from "../shared/client.ts"
import { number } from "../shared/format.ts"
import { useMay } from "../shared/session.tsx"
import { staffStrings as text } from "../shared/staffStrings.ts"

export type LimitsOf = typeof RoleLimits.Type

type Name = (typeof limitNames)[number]
export type Most = Partial<Record<Name, number>>

/** Limits in words: "200 points at once". */
export const limitWords = (limits: Most): ReadonlyArray<string> =>
  limitNames.flatMap((name) => {
    const most = limits[name]
    return most === undefined ? [] : [text.limits.ownOf[name](number(most))]
  })

export const limitsClient = client(Limits)

export const useLimits = () => {
  const may = useMay()
  return useQuery({
    queryKey: ["limits"],
    enabled: may("listLimits"),
    queryFn: async () => (await call(limitsClient.limits.listLimits())).limits
  })
}

/** Permissions of a role, and how much it may give where that is known. */
export const useRoleWords = (): ((role: Role) => string) => {
  const known = useLimits().data
  return (role) => {
    const does = text.roleDoes[role]
    if (known === undefined || !scopesOf(role).has("points:give")) return does
    const told = limitWords(known.find((one) => one.role === role) ?? {})
    return `${does} ${told.length === 0 ? text.givesAll : text.gives(told.join(", "))}`
  }
}
