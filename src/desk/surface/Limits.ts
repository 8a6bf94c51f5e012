/** Limits on giving, by role (contract/operators.md *Limits*). Pure. */
import type { LimitReached } from "../../contract/protocol/Problem.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles, scopesOf } from "../../contract/Roles.ts"

/** Limits by name. Undefined: none beyond the programme's. */
export interface Most {
  readonly points_per_action?: number | undefined
  readonly points_per_day?: number | undefined
  readonly rewards_per_day?: number | undefined
  readonly orders_moved_per_day?: number | undefined
}

/** The limits of a role. */
export interface Limits extends Most {
  readonly role: Role
}

/** A person who gives: the role, and limits of her own. */
export interface Giver {
  readonly role: Role
  readonly own?: Most | undefined
}

/** Amounts that a person causes: gives, takes away or moves. */
export interface Amounts {
  /** Of all units. */
  readonly points: number
  readonly rewards: number
  /** Orders that go to another member. */
  readonly moves: number
  /** The part of them that campaigns give because of what a person does; absent: none. */
  readonly byCampaigns?: Amounts | undefined
}

export const nothing: Amounts = { points: 0, rewards: 0, moves: 0 }

type Name = LimitReached["name"]

/** The amount that a limit bounds. */
const bounded = ({ moves, points, rewards }: Amounts, name: Name): number =>
  name === "rewards_per_day" ? rewards : name === "orders_moved_per_day" ? moves : points

const left = (limit = Infinity, given = 0): number => Math.max(0, limit - given)

/** Of each limit the lesser. */
export const lesser = (a: Most | undefined, b: Most | undefined): Partial<Record<Name, number>> =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const most = Math.min(a?.[name] ?? Infinity, b?.[name] ?? Infinity)
      return most === Infinity ? [] : [[name, most] as const]
    })
  )

/** The most that each limit lets a user give who has `given` something today. */
const mostBy = (limits: Most | undefined, given: Amounts): Readonly<Record<Name, number>> => ({
  points_per_action: left(limits?.points_per_action),
  points_per_day: left(limits?.points_per_day, given.points),
  rewards_per_day: left(limits?.rewards_per_day, given.rewards),
  orders_moved_per_day: left(limits?.orders_moved_per_day, given.moves)
})

/** The first limit that giving `amounts` exceeds, for a user who has `given` something today. */
export const exceeded = (
  all: ReadonlyArray<Limits>,
  { own, role }: Giver,
  given: Amounts,
  amounts: Amounts
): LimitReached | undefined => {
  const limitsOf = (of: Role) => all.find((one) => one.role === of)
  const exceededBy = (most: Readonly<Record<Name, number>>) =>
    limitNames.find((name) => bounded(amounts, name) > most[name])
  const limits = lesser(limitsOf(role), own)
  const most = mostBy(limits, given)
  const name = exceededBy(most)
  if (name === undefined) return undefined
  const allowed = left(limits[name])
  // On another day the role itself may be wide enough, and so may a colleague of it: named are roles that may give more.
  // A franchisee may give at own restaurants alone, which others' guests have nothing of.
  const mayGive = (one: Role) =>
    (one !== "franchisee" || role === "franchisee") &&
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

const actOf: Readonly<Record<Name, (allowed: number) => string>> = {
  points_per_action: (allowed) => `give or take ${allowed} points at once`,
  points_per_day: (allowed) => `give or take ${allowed} points a day`,
  rewards_per_day: (allowed) => `give or take ${allowed} rewards a day`,
  orders_moved_per_day: (allowed) => `move ${allowed} orders a day`
}

/** The size of a refused request, and the part that campaigns give. */
const sizeOf = (amounts: Amounts, name: Name): string => {
  const all = bounded(amounts, name)
  const byCampaigns = bounded(amounts.byCampaigns ?? nothing, name)
  if (!Number.isFinite(all)) return "has no limit"
  return `is ${all}${byCampaigns === 0 ? "" : `, ${byCampaigns} of it from campaigns`}`
}

/** Sentence for the refused person. */
export const detailOf = (
  { own, role }: Giver,
  { allowed, left, name, roles: may }: LimitReached,
  amounts: Amounts
): string =>
  `${own?.[name] === allowed ? "You" : `The role ${role}`} may ${actOf[name](allowed)}; this ${sizeOf(amounts, name)}. ` +
  `${name === "points_per_action" ? "At most now" : "Left today"}: ${left}. Roles that may: ${may.join(", ")}.`
