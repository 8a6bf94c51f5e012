/** The people of the console, as the pages see them. */
import { queryOptions, useQuery } from "@tanstack/react-query"
import type { User } from "../../contract/admin/Staff.ts"
import { Staff } from "../../contract/admin/Staff.ts"
import type { Role } from "../../contract/Roles.ts"
import { isWithin, roles } from "../../contract/Roles.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { call, client } from "../shared/client.ts"
import { useIsRoot, useMay, useSession } from "../shared/session.tsx"

export const staffClient = client(Staff)

export type Person = typeof User.Type

const staffQuery = queryOptions({
  queryKey: ["staff"],
  queryFn: async () => (await call(staffClient.staff.listStaff())).users
})

/** Interval for refetching: an invited person becomes active without the page's doing, ms. */
const refreshMs = 15_000

export const useStaff = () => useQuery({ ...staffQuery, refetchInterval: refreshMs })

/** A function that tells a person's name by id; undefined: the session may not see it. */
export const usePersonName = (): ((id: string) => string | undefined) => {
  const { name, user } = useSession()
  const { data } = useQuery({ ...staffQuery, enabled: useMay()("listStaff") })
  return (id) => (user?.user_id === id ? name : data?.find(({ user_id }) => user_id === id)?.name)
}

export const isActiveOwner = ({ role, role_gone_at, status }: Person): boolean =>
  role === "owner" && status === "active" && role_gone_at === undefined

/** The roles that the session may give. */
export const useRoles = (): ReadonlyArray<Role> => {
  const held = new Set<Scope>(useSession().scopes)
  const isRoot = useIsRoot()
  return roles.filter((role) => isRoot || isWithin(held, role))
}
