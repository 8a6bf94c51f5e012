/** Signing in at the company's own provider, and asking it again while the session goes on (contract/people.md *OpenID Connect*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { said } from "../../contract/Said.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as KeyStore from "../../desk/access/KeyStore.ts"
import { Keys } from "../../desk/access/Keys.ts"
import { isLoopbackHost, noKey, Sessions } from "../../desk/access/Sessions.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import { attempt, mayTry, refuseWrong } from "./Attempts.ts"
import * as Bounds from "./Bounds.ts"
import * as Ceremonies from "./Ceremonies.ts"
import { openSession } from "./OpenSession.ts"
import type { ProviderOptions, Told } from "./Provider.ts"
import * as Provider from "./Provider.ts"
import { CurrentSite } from "./Site.ts"
import { endLimitsOf } from "./Users.ts"

const parts = Effect.all({ keys: Keys, people: PeoplePool, sessions: Sessions })

/** The cookie of a sign-in under way. The provider leads back by a link, so that a strict one might not come. */
export const cookieName = (host: string | undefined): string =>
  isLoopbackHost(host) ? "lotbook_sign_in" : "__Host-lotbook_sign_in"

const attributesOf = (host: string | undefined): string =>
  `Path=/; HttpOnly; SameSite=Lax${isLoopbackHost(host) ? "" : "; Secure"}`

const secretIn = (host: string | undefined, cookie: string | undefined): string | undefined => {
  const start = `${cookieName(host)}=`
  const found = cookie?.split(/; */).find((one) => one.startsWith(start))
  return found?.slice(start.length)
}

const redirectOf = Effect.map(CurrentSite, ({ consoleUrl }) => `${consoleUrl}/signed-in`)

const configured = Effect.flatMap(Provider.CurrentProvider, (options) =>
  options === undefined
    ? refuse("not_found", "No provider signs people in here (PROTO_OIDC_ISSUER). Use a passkey.")
    : Effect.succeed(options)
)

const silent = () =>
  refuse("unauthorized", "The company's sign-in does not answer as it should. Try again; the log has the cause.")

const placesOf = new WeakMap<ProviderOptions, Semaphore.Semaphore>()

/** Asks the provider for somebody without a session, unless too many wait for it: it costs them nothing. */
const asking = Effect.fnUntraced(function* <A, E, R>(options: ProviderOptions, ask: Effect.Effect<A, E, R>) {
  const places = placesOf.get(options) ?? Semaphore.makeUnsafe(Bounds.askingAtOnce)
  placesOf.set(options, places)
  const asked = yield* places.withPermitsIfAvailable(1)(ask)
  return Option.isSome(asked)
    ? asked.value
    : yield* refuse("overloaded", "Too many sign-ins wait for the company's provider. Try again in a moment.")
})

export const begin = Effect.gen(function* () {
  yield* mayTry(yield* parts)
  const options = yield* configured
  return yield* asking(options, beginAt(options))
})

const beginAt = Effect.fnUntraced(function* (options: ProviderOptions) {
  const { host } = yield* CurrentCaller
  const secret = yield* Ceremonies.newChallenge("provider")
  const url = yield* Effect.catch(Provider.begin(options, yield* redirectOf, secret), silent)
  const cookie = `${cookieName(host)}=${secret}; Max-Age=${Bounds.challengeMs / 1_000}; ${attributesOf(host)}`
  return HttpServerResponse.jsonUnsafe({ url }, { headers: { "set-cookie": cookie } })
})

const userRows = rowsOf(
  Schema.Struct({
    user_id: Schema.String,
    status: Schema.String,
    role: Schema.String,
    email: Schema.String,
    role_gone_at: optional(Schema.Number)
  })
)
type StoredUser = Effect.Success<ReturnType<typeof userRows>>[number]

const userColumns = "user_id, status, role, email, role_gone_at"
const userStatement = `SELECT ${userColumns} FROM users WHERE issuer = $1 AND subject = $2 FOR UPDATE`
const insertStatement = `INSERT INTO users (user_id, email, name, role, status, created_at, created_by, issuer, subject)
  VALUES ($1, $2, $3, $4, 'active', $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING ${userColumns}`

/** The user that the provider tells of: the one of its issuer and subject, or a new one. An address links nobody. */
const userOf = Effect.fnUntraced(function* (told: Told) {
  const pool = yield* PeoplePool
  const { query, transaction } = pool
  const { email, issuer, name, role, subject } = told
  const now = yield* machineNow
  const known = Effect.map(userRows(query(userStatement, [issuer, subject])), ([row]) => row)
  if (role === undefined) {
    const lost = Effect.flatMap(known, (user) => (user === undefined ? Effect.void : loseRole(user, now)))
    yield* Effect.andThen(transaction(lost), KeyStore.refresh)
    return yield* refuse("forbidden", "The company's sign-in gives you no role here. Ask who manages it.")
  }
  yield* Limited.barOlder(pool, { role })
  return yield* transaction(
    Effect.gen(function* () {
      const user = yield* known
      if (user === undefined) {
        if (email === undefined)
          return yield* refuse("forbidden", "The company's sign-in tells no e-mail address. Ask who manages it.")
        const userId = Codes.identifier("usr")
        const [made] = yield* userRows(
          query(insertStatement, [userId, email, name ?? subject, role, int8(now), "provider", issuer, subject])
        )
        if (made === undefined)
          return yield* refuse(
            "conflict",
            said`There is another user with the address ${email}. Ask an owner to disable it.`
          )
        yield* tell("staff.join", userId, { after: { role } })
        return made.user_id
      }
      if (user.status === "disabled") return yield* refuse("forbidden", "This user is disabled. Ask an owner.")
      if (user.role !== role) yield* changeRole(user.user_id, user.role, role)
      yield* follow(user, told)
      return user.user_id
    })
  )
})

const tell = Effect.fnUntraced(function* (action: string, id: string, changes: Audit.AuditFacts["changes"]) {
  const { query } = yield* PeoplePool
  yield* Audit.tell(query, { action, subject: { type: "user", id }, changes, reason: "told by the provider" })
})

/** A change of role at the provider ends the sessions that began with the former role. */
const changeRole = Effect.fnUntraced(function* (userId: string, before: string, role: string) {
  const { query } = yield* PeoplePool
  yield* query("UPDATE users SET role = $2 WHERE user_id = $1", [userId, role])
  yield* endLimitsOf(role, userId)
  yield* query("DELETE FROM sessions WHERE user_id = $1", [userId])
  yield* tell("staff.role", userId, { before: { role: before }, after: { role } })
})

const goneStatement = "UPDATE users SET role_gone_at = $2 WHERE user_id = $1"
const addressStatement = `UPDATE users u SET email = $2 WHERE user_id = $1
  AND NOT EXISTS (SELECT FROM users o WHERE lower(o.email) = lower($2) AND o.user_id <> u.user_id) RETURNING ${userColumns}`

/** The provider gives a person no role any more: the sessions end, and the person shows so. */
const loseRole = Effect.fnUntraced(function* ({ role, role_gone_at, user_id }: StoredUser, now: number) {
  const { query } = yield* PeoplePool
  yield* query("DELETE FROM sessions WHERE user_id = $1", [user_id])
  if (role_gone_at !== undefined) return
  yield* query(goneStatement, [user_id, int8(now)])
  yield* tell("staff.role_gone", user_id, { before: { role } })
})

/** Takes over what the provider tells of a person with a role. An address that another user has stays with that one. */
const follow = Effect.fnUntraced(function* (user: StoredUser, { email, role }: Told) {
  const { query } = yield* PeoplePool
  const { email: before, role_gone_at, user_id } = user
  if (role_gone_at !== undefined) {
    yield* query(goneStatement, [user_id, int8(null)])
    yield* tell("staff.role_back", user_id, { after: { role: role ?? user.role } })
  }
  if (email === undefined || email === before) return
  const changed = yield* userRows(query(addressStatement, [user_id, email]))
  // The audit has no address, which is of the person.
  if (changed.length > 0) yield* tell("staff.email", user_id, {})
})

/** The secret of a sign-in that began here; undefined: there is none. */
const begun = Effect.gen(function* () {
  const { cookie, host } = yield* CurrentCaller
  const secret = secretIn(host, cookie)
  return secret !== undefined && (yield* Ceremonies.takeChallenge(secret, "provider")) ? secret : undefined
})

/** Opens a session of whom the provider has led back, with `query`, the query of the address that it led to. */
export const finish = Effect.fnUntraced(function* (query: string) {
  const services = yield* parts
  const options = yield* configured
  const secret = yield* attempt(services, begun)
  if (secret === undefined)
    return yield* refuseWrong(
      services,
      "unauthorized",
      "This sign-in took too long, or was used before. Sign in again."
    )
  const at = new URL(yield* redirectOf)
  at.search = query
  const told = yield* asking(
    options,
    Effect.catch(Provider.finish(options, at, secret), () => Effect.succeed(undefined))
  )
  if (told === undefined)
    return yield* refuseWrong(services, "unauthorized", "The company's sign-in gave no valid proof. Sign in again.")
  const userId = yield* userOf(told)
  yield* KeyStore.refresh
  const user = services.keys.user(userId)
  if (user === undefined) return yield* refuse("forbidden", "This user is disabled. Ask an owner.")
  const now = yield* machineNow
  const { claimKey } = yield* Journal
  const token = told.refreshToken
  return yield* openSession(services, user, {
    keyHash: noKey,
    userId,
    endsAt: now + Bounds.confirmedMs,
    refresh:
      token === undefined ? undefined : { token: Sealed.seal(claimKey, userId, token), at: now + Bounds.confirmMs }
  })
})

const dueRows = rowsOf(
  Schema.Struct({ hash: Schema.Uint8Array, userId: Schema.String, subject: Schema.String, refresh: Schema.Uint8Array })
)

/** Each session to confirm goes to one node, which has so long for it. One that has ended stays so. */
const takeStatement = `UPDATE sessions s SET refresh_at = $1 + ${Bounds.confirmAgainMs} FROM users u
  WHERE u.user_id = s.user_id AND u.subject IS NOT NULL AND s.hash IN (SELECT hash FROM sessions
    WHERE refresh_at <= $1 AND ends_at > $1 ORDER BY refresh_at LIMIT ${Bounds.confirmedAtOnce} FOR UPDATE SKIP LOCKED)
  RETURNING s.hash, s.user_id AS "userId", u.subject, s.refresh`

const confirmStatement = `UPDATE sessions SET ends_at = $2 + ${Bounds.confirmedMs}, refresh_at = $2 + ${Bounds.confirmMs},
    refresh = coalesce($3, refresh) WHERE hash = $1`

type Due = Effect.Success<ReturnType<typeof dueRows>>[number]

const confirm = Effect.fnUntraced(function* (options: ProviderOptions, due: Due) {
  const pool = yield* PeoplePool
  const { query, transaction } = pool
  const { claimKey } = yield* Journal
  const { subject, userId } = due
  const hash = Buffer.from(due.hash)
  const token = Sealed.open(claimKey, userId, Buffer.from(due.refresh))
  const told = yield* Effect.result(Provider.refresh(options, token, subject))
  const now = yield* machineNow
  // While the provider is silent the session goes on to its end, and is asked for again.
  if (told._tag === "Failure" && !Provider.isRefusal(told.failure.cause)) return
  const found = told._tag === "Failure" ? undefined : told.success
  const role = found?.role
  yield* Limited.barOlder(pool, { role })
  yield* transaction(
    Effect.gen(function* () {
      const [user] = yield* userRows(query(`SELECT ${userColumns} FROM users WHERE user_id = $1 FOR UPDATE`, [userId]))
      if (user === undefined) return
      if (found !== undefined && role === undefined) yield* loseRole(user, now)
      else if (found === undefined || role === undefined) {
        yield* query("DELETE FROM sessions WHERE hash = $1", [PgTypes.bytea(hash)])
        yield* tell("staff.end_sessions", userId, { after: { ended: 1 } })
      } else {
        yield* follow(user, found)
        if (role !== user.role) return yield* changeRole(userId, user.role, role)
        const next = found.refreshToken
        const sealed = next === undefined ? null : Sealed.seal(claimKey, userId, next)
        yield* query(confirmStatement, [PgTypes.bytea(hash), int8(now), PgTypes.bytea(sealed)])
      }
    })
  )
  if (found !== undefined) yield* KeyStore.refresh
})

/** The provider's own word in the audit. */
const provider = {
  kind: "system",
  keyId: "provider",
  name: "the provider of people",
  scopes: new Set<never>(),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
} as const

/** One session that cannot be confirmed keeps no other one waiting. */
const orLater = Effect.catchCause((cause) => Effect.logWarning("A session could not be confirmed", cause))

/** Asks the provider about sessions that are due. */
export const confirmDue = Effect.gen(function* () {
  const options = yield* Provider.CurrentProvider
  if (options === undefined) return
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  for (const due of yield* dueRows(query(takeStatement, [int8(now)]))) yield* orLater(confirm(options, due))
}).pipe(Effect.provideService(CurrentCaller, provider))

/** Confirms sessions for as long as the node serves. */
export const layerWorker: Layer.Layer<never, never, Keys | Journal | PeoplePool> = Layer.effectDiscard(
  Effect.gen(function* () {
    const options = yield* Provider.CurrentProvider
    if (options === undefined) return
    yield* Effect.forkScoped(Provider.look(options))
    const look = Effect.catchCause(confirmDue, (cause) => Effect.logWarning("Sessions could not be confirmed", cause))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.confirmLookMs), look)))
  })
)
