/** What people may give by their roles (contract/operators.md *Limits*). Pure. */
import type { LimitReached } from "../contract/protocol/Problem.ts"
import { limitNames } from "../contract/protocol/Problem.ts"
import type { Role } from "../contract/Roles.ts"
import { roles, scopesOf } from "../contract/Roles.ts"

/** The limits of a role. Undefined: none beyond the programme's. */
export interface Limits {
  readonly role: Role
  readonly points_per_action?: number | undefined
  readonly points_per_day?: number | undefined
  readonly rewards_per_day?: number | undefined
}

export interface Amounts {
  /** Of all units. */
  readonly points: number
  readonly rewards: number
}

const nothing: Amounts = { points: 0, rewards: 0 }

type Name = LimitReached["name"]

/** What of an amount a limit bounds. */
const bounded = ({ points, rewards }: Amounts, name: Name): number => (name === "rewards_per_day" ? rewards : points)

const left = (limit = Infinity, given = 0): number => Math.max(0, limit - given)

/** The most that each limit lets a user give who has `given` something today. */
const mostBy = (limits: Limits | undefined, given: Amounts): Readonly<Record<Name, number>> => ({
  points_per_action: left(limits?.points_per_action),
  points_per_day: left(limits?.points_per_day, given.points),
  rewards_per_day: left(limits?.rewards_per_day, given.rewards)
})

/** The first limit that giving `amounts` exceeds, for a user of the role who has `given` something today. */
export const exceeded = (
  all: ReadonlyArray<Limits>,
  role: Role,
  given: Amounts,
  amounts: Amounts
): LimitReached | undefined => {
  const limitsOf = (of: Role) => all.find((one) => one.role === of)
  const exceededBy = (most: Readonly<Record<Name, number>>) =>
    limitNames.find((name) => bounded(amounts, name) > most[name])
  const most = mostBy(limitsOf(role), given)
  const name = exceededBy(most)
  if (name === undefined) return undefined
  const allowed = left(limitsOf(role)?.[name])
  // On another day the role itself may be wide enough, and so may a colleague of it: named are roles that may give more.
  const mayGive = (one: Role) =>
    scopesOf(one).has("points:give") &&
    left(limitsOf(one)?.[name]) > allowed &&
    exceededBy(mostBy(limitsOf(one), nothing)) === undefined
  return {
    name,
    allowed,
    left: name === "points_per_action" ? Math.min(allowed, most.points_per_day) : most[name],
    roles: roles.filter(mayGive)
  }
}

const whatOf: Readonly<Record<Name, string>> = {
  points_per_action: "points at once",
  points_per_day: "points a day",
  rewards_per_day: "rewards a day"
}

/** What the refused person reads. */
export const detailOf = (role: Role, { allowed, left, name, roles: may }: LimitReached, amounts: Amounts): string =>
  `The role ${role} may give ${allowed} ${whatOf[name]}; this gives ${bounded(amounts, name)}. ` +
  `${name === "points_per_action" ? "At most now" : "Left today"}: ${left}. Roles that may: ${may.join(", ")}.`
