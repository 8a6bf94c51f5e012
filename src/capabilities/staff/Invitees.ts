/** People to invite by their address (contract/people.md *Invitations*): who they are, and what is said of those who are users. Pure. */
import type { User } from "../../contract/admin/Staff.ts"
import { limitNames, type RestaurantLimits } from "../../contract/RestaurantLimits.ts"
import type { Role } from "../../contract/Roles.ts"

type UserView = typeof User.Type

/** A person to invite by address alone, as far as it is known. */
export interface Invitee extends RestaurantLimits {
  readonly email: string
  readonly name?: string | undefined
  readonly role?: Role | undefined
  readonly programs?: ReadonlyArray<string> | undefined
}

/** True if a known user is asked for with something else than it has: an invitation changes nothing of a user. */
export const differs = (known: UserView, { name, programs, role, ...limits }: Invitee): boolean =>
  (name !== undefined && name !== known.name) ||
  (role !== undefined && role !== known.role) ||
  (programs !== undefined && JSON.stringify(programs) !== JSON.stringify(known.programs)) ||
  limitNames.some(
    (limit) => limits[limit] !== undefined && JSON.stringify(limits[limit]) !== JSON.stringify(known[limit])
  )

export const isAlready = ({ email, name, role }: UserView): string =>
  `${email} is a user already: ${name}, ${role}. Leave --name, --role, --program and limits out to invite that user again; a role is ` +
  "changed in the console."

export const noUser = (email: string): string =>
  `There is no user with the e-mail address ${email}. For a new one give --name and --role.`
