/** People: who they are and what they may. A change and its entry of the audit are one transaction. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { GivingLimits } from "../../contract/admin/GivingLimits.ts"
import type { Invitation, Invited, RoleChange } from "../../contract/admin/Staff.ts"
import { User } from "../../contract/admin/Staff.ts"
import { Language } from "../../contract/Languages.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import type { Refused } from "../../contract/Refused.ts"
import { changed, limitsIn, namesLimits, type RestaurantLimits } from "../../contract/RestaurantLimits.ts"
import type { Role } from "../../contract/Roles.ts"
import { isWithin, roles } from "../../contract/Roles.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as AccessBounds from "../../desk/access/Bounds.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller, mayUseAll } from "../../desk/access/CurrentCaller.ts"
import * as KeyStore from "../../desk/access/KeyStore.ts"
import type { Keys } from "../../desk/access/Keys.ts"
import { digestOf, rootId } from "../../desk/access/Keys.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import * as Invitees from "./Invitees.ts"
import { CurrentSite } from "./Site.ts"
import * as TokensOf from "./TokensOf.ts"

export type UserView = typeof User.Type
type Needs = PeoplePool | CurrentCaller | Keys | Programs

const PasskeyRow = Schema.Struct({
  passkey_id: Schema.String,
  name: Schema.String,
  created_at: Schema.Number,
  last_used_at: Schema.NullOr(Schema.Number)
})

const Row = Schema.Struct({
  user_id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Schema.Literals(roles),
  programs: optional(Schema.Array(Schema.String)),
  ...Limited.columns,
  status: User.fields.status,
  created_at: Schema.Number,
  created_by: Schema.String,
  last_seen_at: optional(Schema.Number),
  invitation_ends_at: optional(Schema.Number),
  of_provider: Schema.Boolean,
  role_gone_at: optional(Schema.Number),
  passkeys: Schema.Array(PasskeyRow),
  limits: optional(GivingLimits),
  language: optional(Language)
})
type Row = typeof Row.Type

const usersOf = rowsOf(Row)

const columns = `SELECT u.user_id, u.email, u.name, u.role, u.programs, u.location_ids, u.franchisee_ids, u.brand_ids, u.status, u.created_at, u.created_by, u.last_seen_at,
    u.issuer IS NOT NULL AS of_provider, u.role_gone_at, u.language,
    (SELECT json_strip_nulls(json_build_object(${limitNames.map((name) => `'${name}', l.${name}`).join(", ")}))
      FROM user_limits l WHERE l.user_id = u.user_id) AS limits,
    (SELECT i.ends_at FROM invitations i WHERE i.user_id = u.user_id) AS invitation_ends_at,
    coalesce((SELECT json_agg(json_build_object('passkey_id', p.passkey_id, 'name', p.name, 'created_at', p.created_at,
      'last_used_at', p.last_used_at) ORDER BY p.created_at, p.passkey_id) FROM passkeys p WHERE p.user_id = u.user_id),
      '[]') AS passkeys
  FROM users u`

const viewOf = ({
  brand_ids,
  created_at,
  franchisee_ids,
  invitation_ends_at,
  language,
  last_seen_at,
  limits,
  location_ids,
  of_provider,
  passkeys,
  programs,
  role_gone_at,
  ...row
}: Row): UserView => ({
  ...row,
  ...(invitation_ends_at === undefined ? undefined : { invitation_ends_at: fromMillis(invitation_ends_at) }),
  ...(of_provider ? { of_provider } : undefined),
  ...(role_gone_at === undefined ? undefined : { role_gone_at: fromMillis(role_gone_at) }),
  ...(limits === undefined ? undefined : { limits }),
  ...(language === undefined ? undefined : { language }),
  ...(programs === undefined ? undefined : { programs }),
  ...limitsIn({ location_ids, franchisee_ids, brand_ids }),
  passkeys: passkeys.map(({ created_at, last_used_at, name, passkey_id }) => ({
    passkey_id,
    name,
    created_at: fromMillis(created_at),
    ...(last_used_at === null ? undefined : { last_used_at: fromMillis(last_used_at) })
  })),
  created_at: fromMillis(created_at),
  ...(last_seen_at === undefined ? undefined : { last_seen_at: fromMillis(last_seen_at) })
})

/** The people that the caller may see, oldest first. */
export const list: Effect.Effect<ReadonlyArray<UserView>, Refused, PeoplePool | CurrentCaller> = Effect.gen(
  function* () {
    const { query } = yield* PeoplePool
    const caller = yield* CurrentCaller
    const rows = yield* usersOf(query(`${columns} ORDER BY u.created_at, u.user_id`))
    return rows.map(viewOf).filter((user) => mayUseAll(caller, user.programs))
  }
)

/** A user, with the row locked until the transaction ends. */
export const locked = Effect.fnUntraced(function* (userId: string) {
  const { query } = yield* PeoplePool
  const [row] = yield* usersOf(query(`${columns} WHERE u.user_id = $1 FOR UPDATE OF u`, [userId]))
  return row === undefined ? yield* refuse("not_found", said`There is no user ${userId}.`) : viewOf(row)
})

/** The user with an e-mail address, whatever its case. */
const byEmail = Effect.fnUntraced(function* (email: string) {
  const { query } = yield* PeoplePool
  const [row] = yield* usersOf(query(`${columns} WHERE lower(u.email) = lower($1)`, [email]))
  return row === undefined ? undefined : viewOf(row)
})

const mayAll = ({ keyId, kind }: RequestCaller): boolean => kind === "system" || keyId === rootId

/** Refuses to make somebody of a role above the caller's own, or to change somebody who is. */
export const mustBeWithin = Effect.fnUntraced(function* (role: Role) {
  const caller = yield* CurrentCaller
  if (mayAll(caller) || isWithin(caller.scopes, role)) return
  return yield* refuse("forbidden", said`The role ${role} may do more than you. Ask somebody who has it.`)
})

/** Refuses a programme that there is not: a misspelt one would leave a user without any. */
const mustBePrograms = Effect.fnUntraced(function* (ids: ReadonlyArray<string> = []) {
  const programs = yield* Programs
  const faults = ids.flatMap((id, index) =>
    programs.get(id) === undefined ? [{ path: `/programs/${index}`, ...said`there is no programme ${id}` }] : []
  )
  if (faults.length > 0) return yield* refuseFaults(faults)
})

/** Refuses a franchisee without a limit to restaurants. */
const mustBeLimited = (role: Role, limits: RestaurantLimits): Effect.Effect<void, Refused> =>
  role !== "franchisee" || limitsIn(limits) !== undefined
    ? Effect.void
    : refuseFaults([
        { path: "/franchisee_ids", message: "is required for a franchisee, or location_ids, or brand_ids" }
      ])

const ownersOf = rowsOf(Schema.Struct({ user_id: Schema.String }))
type Owners = ReadonlyArray<{ readonly user_id: string }>

const isOwner =
  "role = 'owner' AND status = 'active' AND programs IS NULL AND role_gone_at IS NULL AND location_ids IS NULL " +
  "AND franchisee_ids IS NULL AND brand_ids IS NULL"

/**
 * The owners who can sign in and are limited to no programme and no restaurant, who alone may change people. Locked in one order: of two who
 * remove each other at once, one stays.
 */
const lockedOwners = Effect.flatMap(PeoplePool, ({ query }) =>
  ownersOf(query(`SELECT user_id FROM users WHERE ${isOwner} ORDER BY user_id FOR UPDATE`))
)

/** Refuses to take the last owner away who can sign in. */
const mustKeepOwner = (owners: Owners, userId: string): Effect.Effect<void, Refused> =>
  owners.length === 1 && owners[0]?.user_id === userId
    ? refuse(
        "invalid_state",
        "This is the last active owner of all programmes. Make somebody else an owner first, and wait until that person has signed in."
      )
    : Effect.void

export const subjectOf = (id: string) => ({ type: "user", id })

/** A name and an address are of the person, so the audit says only that they were given. */
const factsOf = ({ limits, programs, role, status, ...user }: UserView) => ({
  role,
  status,
  ...limitsIn(user),
  ...(limits === undefined ? undefined : { limits }),
  ...(programs === undefined ? undefined : { programs: [...programs] })
})

const invitationStatement = `INSERT INTO invitations (user_id, hash, ends_at) VALUES ($1, $2, $3)
  ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, ends_at = excluded.ends_at`

/** Makes the invitation of a user, instead of an earlier one. Returns the address that leads to it. */
const makeInvitation = Effect.fnUntraced(function* (userId: string, now: number) {
  const { query } = yield* PeoplePool
  const secret = `inv_${randomBytes(32).toString("base64url")}`
  yield* query(invitationStatement, [userId, PgTypes.bytea(digestOf(secret)), int8(now + Bounds.invitationMs)])
  const { consoleUrl } = yield* CurrentSite
  // Behind the #, so that no server and no log sees it.
  return `${consoleUrl}/invitation#${secret}`
})

const insertStatement = `INSERT INTO users (user_id, email, name, role, programs, status, created_at, created_by,
    location_ids, franchisee_ids, brand_ids, language)
  VALUES ($1, $2, $3, $4, $5::text[], 'invited', $6, $7, $8::text[], $9::text[], $10::text[], $11) ON CONFLICT DO NOTHING RETURNING user_id`

const insertedOf = rowsOf(Schema.Struct({ user_id: Schema.String }))

export const invite = (asked: typeof Invitation.Type): Effect.Effect<typeof Invited.Type, Refused, Needs> =>
  Effect.gen(function* () {
    const pool = yield* PeoplePool
    const { query, transaction } = pool
    const caller = yield* CurrentCaller
    const now = yield* machineNow
    const { email, language, name, programs, role } = asked
    yield* mustBeWithin(role)
    yield* mustBePrograms(programs)
    yield* mustBeLimited(role, asked)
    const userId = Codes.identifier("usr")
    yield* Limited.barOlder(pool, asked)
    return yield* transaction(
      Effect.gen(function* () {
        const inserted = yield* insertedOf(
          query(insertStatement, [
            userId,
            email,
            name,
            role,
            programs === undefined ? PgTypes.text(null) : texts(programs),
            int8(now),
            caller.name,
            ...Limited.parameters(asked),
            PgTypes.text(language ?? null)
          ])
        )
        if (inserted.length === 0)
          return yield* refuse(
            "conflict",
            "Somebody with this e-mail address is a user already. Invite that user again, or enable it."
          )
        const invitation_url = yield* makeInvitation(userId, now)
        const user = yield* locked(userId)
        const changes = Audit.changesOf(undefined, factsOf(user))
        yield* Audit.tell(query, { action: "staff.invite", subject: subjectOf(userId), changes })
        return { user, invitation_url }
      })
    )
  })

/** Refuses what would let somebody in whom the company's provider has shut out. */
export const mustHavePasskeys = ({ of_provider }: UserView): Effect.Effect<void, Refused> =>
  of_provider === true
    ? refuse("invalid_state", "This user signs in at the company's provider, and has no passkeys here.")
    : Effect.void

/** Invites a user again: a new address, and the earlier one ends. */
export const inviteAgain = (userId: string): Effect.Effect<typeof Invited.Type, Refused, Needs> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    const now = yield* machineNow
    return yield* transaction(
      Effect.gen(function* () {
        const user = yield* locked(userId)
        yield* mustBeWithin(user.role)
        if (user.status === "disabled")
          return yield* refuse("invalid_state", "The user is disabled. Enable the user first.")
        yield* mustHavePasskeys(user)
        const invitation_url = yield* makeInvitation(userId, now)
        yield* Audit.tell(query, { action: "staff.invite", subject: subjectOf(userId) })
        return { user: yield* shown(userId), invitation_url }
      })
    )
  })

/** Invites the user with an address again, or a new one, for whom name and role are needed. */
export const inviteByEmail = (asked: Invitees.Invitee): Effect.Effect<typeof Invited.Type, Refused, Needs> =>
  Effect.gen(function* () {
    const { email, name, programs, role, ...limits } = asked
    const known = yield* byEmail(email)
    if (known !== undefined) {
      if (Invitees.differs(known, asked)) return yield* refuse("conflict", Invitees.isAlready(known))
      return yield* inviteAgain(known.user_id)
    }
    if (name === undefined || role === undefined) return yield* refuse("not_found", Invitees.noUser(email))
    return yield* invite({
      email,
      name,
      role,
      ...(programs === undefined ? undefined : { programs }),
      ...limitsIn(limits)
    })
  })

/** The condition on a row of `sessions` that it goes on: rows of those that are over stay for a while. `now`: ms. */
export const isOpenAt = (now: number): string =>
  `began_at > ${now - AccessBounds.sessionAgeMs} AND seen_at > ${now - AccessBounds.sessionIdleMs}
    AND coalesce(ends_at > ${now}, true)`

const endedRows = rowsOf(Schema.Struct({ isOpen: Schema.Boolean }))

/** Ends sessions of a user by a condition on `sessions`. Returns how many of them went on. */
export const endSessions = Effect.fnUntraced(function* (userId: string, condition = "true", of?: string) {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  const ended = yield* endedRows(
    query(
      `DELETE FROM sessions WHERE user_id = $1 AND ${condition} RETURNING ${isOpenAt(now)} AS "isOpen"`,
      of === undefined ? [userId] : [userId, of]
    )
  )
  return ended.filter(({ isOpen }) => isOpen).length
})

/** Changes a user in one transaction with its entry in the audit, and ends the user's sessions. */
const change = (
  userId: string,
  action: string,
  reason: string,
  work: (before: UserView, owners: Owners) => Effect.Effect<void, Refused, PeoplePool | CurrentCaller | Programs>
): Effect.Effect<UserView, Refused, Needs> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    const changed = yield* transaction(
      Effect.gen(function* () {
        const owners = yield* lockedOwners
        const before = yield* locked(userId)
        yield* mustBeWithin(before.role)
        yield* work(before, owners)
        const after = yield* locked(userId)
        const changes = Audit.changesOf(factsOf(before), factsOf(after))
        yield* Audit.tell(query, { action, subject: subjectOf(userId), reason, changes })
        return after
      })
    )
    yield* KeyStore.refreshOnCommit
    return changed
  })

/** A user as it is now. */
export const shown = Effect.fnUntraced(function* (userId: string) {
  const { query } = yield* PeoplePool
  const [row] = yield* usersOf(query(`${columns} WHERE u.user_id = $1`, [userId]))
  return row === undefined ? yield* refuse("not_found", said`There is no user ${userId}.`) : viewOf(row)
})

/** Ends the limits of somebody who becomes an owner: owners have none. */
export const endLimitsOf = Effect.fnUntraced(function* (role: string, userId: string) {
  const { query } = yield* PeoplePool
  if (role === "owner") yield* query("DELETE FROM user_limits WHERE user_id = $1", [userId])
})

const roleStatement = `UPDATE users SET role = $2, programs = $3::text[], location_ids = $4::text[],
    franchisee_ids = $5::text[], brand_ids = $6::text[]
  WHERE user_id = $1`

/** Refuses another role or other programmes of a person whose role the company's provider tells; limits to restaurants are told here. */
const mustBeOurs = (before: UserView, { programs, role, ...asked }: Omit<typeof RoleChange.Type, "reason">) => {
  const isSame = role === before.role && JSON.stringify(programs) === JSON.stringify(before.programs)
  return before.of_provider === true && !(isSame && namesLimits(asked))
    ? refuse("invalid_state", "The role comes from the company's provider. Change it there.")
    : Effect.void
}

export const changeRole = (userId: string, { reason, ...asked }: typeof RoleChange.Type) =>
  change(userId, "staff.role", reason, (before, owners) =>
    Effect.gen(function* () {
      const pool = yield* PeoplePool
      const { query } = pool
      const { programs, role } = asked
      const limits = changed(before, asked)
      yield* Limited.barOlder(pool, { ...limits, role })
      yield* mustBeWithin(role)
      yield* mustBeLimited(role, limits)
      yield* mustBeOurs(before, asked)
      yield* mustBePrograms(programs)
      if (role !== "owner" || programs !== undefined || limitsIn(limits) !== undefined)
        yield* mustKeepOwner(owners, userId)
      yield* query(roleStatement, [
        userId,
        role,
        programs === undefined ? PgTypes.text(null) : texts(programs),
        ...Limited.parameters(limits)
      ])
      yield* TokensOf.narrow(userId, limits, reason)
      yield* endLimitsOf(role, userId)
      yield* endSessions(userId)
    })
  )

export const disable = (userId: string, reason: string) =>
  change(userId, "staff.disable", reason, (_, owners) =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* mustKeepOwner(owners, userId)
      yield* query("UPDATE users SET status = 'disabled' WHERE user_id = $1", [userId])
      yield* query("DELETE FROM invitations WHERE user_id = $1", [userId])
      yield* endSessions(userId)
    })
  )

/** Removes all passkeys of a user, whose devices may be in other hands. A new invitation makes another one. */
export const removePasskeys = (userId: string, reason: string) =>
  change(userId, "staff.remove_passkeys", reason, (before, owners) =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* mustHavePasskeys(before)
      yield* mustKeepOwner(owners, userId)
      yield* query("DELETE FROM passkeys WHERE user_id = $1", [userId])
      yield* query("UPDATE users SET status = 'invited' WHERE user_id = $1 AND status = 'active'", [userId])
      yield* endSessions(userId)
    })
  )

export const enable = (userId: string, reason: string) =>
  change(userId, "staff.enable", reason, (before) =>
    Effect.gen(function* () {
      if (before.status !== "disabled") return
      const { query } = yield* PeoplePool
      const status = before.passkeys.length > 0 || before.of_provider === true ? "active" : "invited"
      yield* query("UPDATE users SET status = $2 WHERE user_id = $1", [userId, status])
    })
  )

export const endAllSessions = (userId: string, reason: string): Effect.Effect<number, Refused, Needs> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    return yield* transaction(
      Effect.gen(function* () {
        const user = yield* locked(userId)
        yield* mustBeWithin(user.role)
        const ended = yield* endSessions(userId)
        const changes = { after: { ended } }
        yield* Audit.tell(query, { action: "staff.end_sessions", subject: subjectOf(userId), reason, changes })
        return ended
      })
    )
  })
