/** The limits of the roles, for owners (contract/operators.md *Limits*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { LimitChange, RoleLimits } from "../contract/admin/Limits.ts"
import { limitNames } from "../contract/protocol/Problem.ts"
import type { Role } from "../contract/Roles.ts"
import { roles } from "../contract/Roles.ts"
import type { CurrentCaller } from "../access/CurrentCaller.ts"
import { PeoplePool } from "../database/Pools.ts"
import { int8 } from "../database/Values.ts"
import * as Audit from "../surface/Audit.ts"
import * as Given from "../surface/Given.ts"
import type { Limits } from "../surface/Limits.ts"
import { refuseFaults } from "../surface/Refusal.ts"
import type { UserView } from "./Users.ts"
import { mustBeWithin } from "./Users.ts"

type View = typeof RoleLimits.Type

const viewOf = (all: ReadonlyArray<Limits>, role: Role): View => {
  const limits = all.find((one) => one.role === role)
  const set = limitNames.flatMap((name) => (limits?.[name] === undefined ? [] : [[name, limits[name]] as const]))
  return { role, ...Object.fromEntries(set) }
}

const list: Effect.Effect<ReadonlyArray<View>, Refused, PeoplePool> = Effect.map(Given.limits, (all) =>
  roles.map((role) => viewOf(all, role))
)

/** A person's own account, with the limits of the role and what counts of today. */
export const withLimits = Effect.fnUntraced(function* (user: UserView) {
  const { role: _, ...limits } = viewOf(yield* Given.limits, user.role)
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
    const { query, transaction } = yield* PeoplePool
    if (role === "owner")
      return yield* refuseFaults([{ path: "/role", message: "must not be owner: owners have the programme's limits" }])
    yield* mustBeWithin(role)
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

export const layer = HttpApiBuilder.group(AdminApi, "limits", (handlers) =>
  Effect.map(PeoplePool, (people) => {
    const within = Effect.provideService(PeoplePool, people)
    return handlers
      .handle("listLimits", () => within(Effect.map(list, (limits) => ({ limits }))))
      .handle("changeLimits", ({ payload }) => within(change(payload)))
  })
)
