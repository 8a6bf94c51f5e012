/** The limits of the roles and of single people, for owners (contract/operators.md *Limits*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { LimitChange, RoleLimits, UserLimitChange } from "../../contract/admin/Limits.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Role } from "../../contract/Roles.ts"
import { roles } from "../../contract/Roles.ts"
import { said } from "../../contract/Said.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import type { Limits, Most } from "../../desk/surface/Limits.ts"
import { lesser } from "../../desk/surface/Limits.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import type { UserView } from "./Users.ts"
import { locked, mustBeWithin } from "./Users.ts"

type View = typeof RoleLimits.Type

const viewOf = (all: ReadonlyArray<Limits>, role: Role): View => {
  const limits = all.find((one) => one.role === role)
  const set = limitNames.flatMap((name) => (limits?.[name] === undefined ? [] : [[name, limits[name]] as const]))
  return { role, ...Object.fromEntries(set) }
}

const list: Effect.Effect<ReadonlyArray<View>, Refused, PeoplePool> = Effect.map(Given.limits, (all) =>
  roles.map((role) => viewOf(all, role))
)

/** A person's own account, with the limits that hold for it and what counts of today. */
export const withLimits = Effect.fnUntraced(function* (user: UserView) {
  const { role: _, ...ofRole } = viewOf(yield* Given.limits, user.role)
  const limits = lesser(ofRole, user.limits)
  if (Object.keys(limits).length === 0) return user
  const given_today = yield* (yield* Given.make).today(user.user_id)
  return { ...user, limits, given_today }
})

const setStatement = `INSERT INTO role_limits (role, ${limitNames.join(", ")}) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (role) DO UPDATE SET ${limitNames.map((name) => `${name} = excluded.${name}`).join(", ")}`

/** Of changes at once each has the one before it in its entry of the audit. */
const lockStatement = "LOCK TABLE role_limits IN SHARE ROW EXCLUSIVE MODE"

const change = ({
  reason,
  role,
  ...limits
}: typeof LimitChange.Type): Effect.Effect<View, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const pool = yield* PeoplePool
    const { query, transaction } = pool
    if (role === "owner")
      return yield* refuseFaults([{ path: "/role", message: "must not be owner: owners have the programme's limits" }])
    yield* mustBeWithin(role)
    yield* Limited.barOlder(pool, { role })
    return yield* transaction(
      Effect.gen(function* () {
        yield* query(lockStatement)
        const before = viewOf(yield* Given.limits, role)
        const values = limitNames.map((name) => int8(limits[name] ?? null))
        yield* query(setStatement, [PgTypes.text(role), ...values])
        const after = viewOf(yield* Given.limits, role)
        const changes = Audit.changesOf(before, after)
        yield* Audit.tell(query, { action: "staff.limits", subject: { type: "role", id: role }, reason, changes })
        return after
      })
    )
  })

const setUserStatement = `INSERT INTO user_limits (user_id, ${limitNames.join(", ")}) VALUES ($1, $2, $3, $4, $5)`

/** Refuses limits of a person that are above the role's, which would hold nothing. */
const mustBeBelow = Effect.fnUntraced(function* (role: Role, limits: Most) {
  const ofRole = viewOf(yield* Given.limits, role)
  const faults = limitNames.flatMap((name) => {
    const [most, asked] = [ofRole[name] ?? Infinity, limits[name]]
    if (asked === undefined) return []
    if (role === "owner") return [{ path: `/${name}`, message: "must be absent: owners have the programme's limits" }]
    return asked > most ? [{ path: `/${name}`, ...said`must be at most ${most}, the limit of the role ${role}` }] : []
  })
  if (faults.length > 0) return yield* refuseFaults(faults)
})

const changeOf = (
  userId: string,
  { reason, ...limits }: typeof UserLimitChange.Type
): Effect.Effect<UserView, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    return yield* transaction(
      Effect.gen(function* () {
        const before = yield* locked(userId)
        yield* mustBeWithin(before.role)
        yield* mustBeBelow(before.role, limits)
        const values = limitNames.map((name) => int8(limits[name] ?? null))
        yield* query("DELETE FROM user_limits WHERE user_id = $1", [PgTypes.text(userId)])
        if (Object.keys(limits).length > 0) yield* query(setUserStatement, [PgTypes.text(userId), ...values])
        const after = yield* locked(userId)
        const changes = Audit.changesOf(before.limits, after.limits)
        yield* Audit.tell(query, { action: "staff.limits", subject: { type: "user", id: userId }, reason, changes })
        return after
      })
    )
  })

export const layer = HttpApiBuilder.group(AdminApi, "limits", (handlers) =>
  Effect.map(PeoplePool, (people) => {
    const within = Effect.provideService(PeoplePool, people)
    return handlers
      .handle("listLimits", () => within(Effect.map(list, (limits) => ({ limits }))))
      .handle("changeLimits", ({ payload }) => within(change(payload)))
      .handle("changeUserLimits", ({ params, payload }) => within(changeOf(params.user_id, payload)))
  })
)
