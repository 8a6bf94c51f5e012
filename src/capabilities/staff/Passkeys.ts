/** Passkeys of people: signing in with one, and making and removing them (contract/people.md *Passkeys*). */

import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, rowsOf, texts } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import type { Acceptance } from "../../contract/admin/Passkeys.ts"
import type { Language } from "../../contract/Languages.ts"
import type { Refused } from "../../contract/Refused.ts"
import { limitsIn } from "../../contract/RestaurantLimits.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import type { CallerSession, RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as KeyStore from "../../desk/access/KeyStore.ts"
import type { KnownUser } from "../../desk/access/Keys.ts"
import { digestOf, Keys } from "../../desk/access/Keys.ts"
import { noKey, Sessions } from "../../desk/access/Sessions.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import { attempt, mayTry, refuseWrong } from "./Attempts.ts"
import * as Bounds from "./Bounds.ts"
import * as Ceremonies from "./Ceremonies.ts"
import { openSession, sessionIdOf } from "./OpenSession.ts"
import * as OwnLanguage from "./OwnLanguage.ts"
import type { UserView } from "./Users.ts"
import * as Users from "./Users.ts"

const parts = Effect.all({ keys: Keys, people: PeoplePool, sessions: Sessions })

const noProof =
  "The browser's answer is no valid proof of a passkey of this service: it is too old, was used before, or is for another address. Try again."

const notKnown =
  "This service does not know the passkey any more. Use another one, or ask an owner for a new invitation."

const openFor = Effect.fnUntraced(function* (user: KnownUser, passkeyId: string) {
  return yield* openSession(yield* parts, user, { keyHash: noKey, userId: user.keyId, passkeyId })
})

export const signInOptions = Effect.gen(function* () {
  yield* mayTry(yield* parts)
  return { options: yield* Ceremonies.authentication }
})

export const signIn = Effect.fnUntraced(function* (credential: unknown) {
  const services = yield* parts
  const signed = yield* attempt(services, Ceremonies.signedBy(credential))
  if (signed === "unknown") return yield* refuseWrong(services, "unauthorized", notKnown)
  if (signed === undefined) return yield* refuseWrong(services, "unauthorized", noProof)
  const { passkeyId, userId } = signed
  const user = yield* known(userId)
  // Only who has the passkey gets so far, so that it may know.
  if (user === undefined) return yield* refuse("unauthorized", "This user is disabled. Ask an owner.")
  return yield* openFor(user, passkeyId)
})

/** A user who may sign in. This node may not have heard of the user yet. */
const known = Effect.fnUntraced(function* (userId: string) {
  const keys = yield* Keys
  const found = keys.user(userId)
  if (found !== undefined) return found
  yield* KeyStore.refresh
  return keys.user(userId)
})

const invitations = rowsOf(Schema.Struct({ userId: Schema.String, endsAt: Schema.Number }))

/** The user of an invitation, locked with it until the transaction ends. Unknown invitations count as wrong keys. */
const invitedBy = Effect.fnUntraced(function* (secret: string) {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  const digest = PgTypes.bytea(digestOf(secret))
  const [found] = yield* invitations(
    query('SELECT user_id AS "userId", ends_at AS "endsAt" FROM invitations WHERE hash = $1 FOR UPDATE', [digest])
  )
  return found === undefined
    ? undefined
    : { user: yield* Users.shown(found.userId), endsAt: found.endsAt, isOver: now >= found.endsAt }
})

const mustBeInvited = Effect.fnUntraced(function* (secret: string) {
  const services = yield* parts
  const found = yield* attempt(services, invitedBy(secret))
  if (found === undefined)
    return yield* refuseWrong(
      services,
      "not_found",
      "This invitation was used already, a newer one replaced it, or it was withdrawn. Sign in, or ask who invited you for a new one."
    )
  if (found.isOver) return yield* refuse("expired", "This invitation has ended. Ask who invited you for a new one.")
  return found
})

const personOf = ({ email, name, user_id: userId }: UserView) => ({ email, name, userId })

export const showInvitation = Effect.fnUntraced(function* (secret: string) {
  const { endsAt, user } = yield* mustBeInvited(secret)
  const { email, language, name, programs, role } = user
  const options = yield* Ceremonies.registration("invitation", personOf(user), yield* credentialsOf(user.user_id))
  return {
    email,
    name,
    role,
    ...(programs === undefined ? undefined : { programs }),
    ...limitsIn(user),
    ends_at: fromMillis(endsAt),
    ...(language === undefined ? undefined : { language }),
    options
  }
})

const credentials = rowsOf(Schema.Struct({ id: Schema.String }))

const credentialsOf = (userId: string) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    Effect.map(
      credentials(query("SELECT credential_id AS id FROM passkeys WHERE user_id = $1 ORDER BY created_at", [userId])),
      (rows) => rows.map(({ id }) => id)
    )
  )

const addStatement = `INSERT INTO passkeys
    (passkey_id, user_id, credential_id, public_key, counter, transports, host, name, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING passkey_id AS id`

/** Stores a passkey in the open transaction. */
const add = Effect.fnUntraced(function* (userId: string, name: string, made: Ceremonies.Made) {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  const passkeyId = Codes.identifier("pk")
  const { counter, credentialId, host, publicKey, transports } = made
  const added = yield* credentials(
    query(addStatement, [
      passkeyId,
      userId,
      credentialId,
      PgTypes.bytea(Buffer.from(publicKey)),
      int8(counter),
      texts(transports),
      host,
      name,
      int8(now)
    ])
  )
  if (added.length === 0) return yield* refuse("conflict", "This passkey is known already.")
  return passkeyId
})

const addedEntry = (userId: string, passkeyId: string) => ({
  action: "passkey.add",
  subject: { type: "user", id: userId },
  changes: { after: { passkey_id: passkeyId } }
})

/** Whether the page's language takes the place of the invitation's: of a user who has not been here yet. */
const followsPage = ({ language, last_seen_at }: UserView, page: Language | undefined): page is Language =>
  page !== undefined && language !== undefined && language !== page && last_seen_at === undefined

/** Makes a user's passkey by an invitation, which ends, and opens a session. */
export const acceptInvitation = Effect.fnUntraced(function* (accepted: typeof Acceptance.Type) {
  const { credential, invitation: secret, language, name } = accepted
  const services = yield* parts
  const { keys, people } = services
  const { user } = yield* mustBeInvited(secret)
  const made = yield* Ceremonies.made(credential, "invitation", user.user_id)
  if (made === undefined) return yield* refuseWrong(services, "validation_failed", noProof)
  const asked = yield* CurrentCaller
  const passkeyId = yield* people.transaction(
    Effect.gen(function* () {
      // Somebody may have used the invitation, or disabled the user, while the browser asked for a finger.
      const stillInvited = yield* invitedBy(secret)
      if (stillInvited === undefined)
        return yield* refuse(
          "not_found",
          "This invitation was used already, a newer one replaced it, or it was withdrawn."
        )
      if (stillInvited.user.status === "disabled")
        return yield* refuse("invalid_state", "This user is disabled. Ask an owner.")
      const added = yield* add(user.user_id, name, made)
      yield* people.query("UPDATE users SET status = 'active' WHERE user_id = $1", [user.user_id])
      yield* people.query("DELETE FROM invitations WHERE user_id = $1", [user.user_id])
      const kept = followsPage(stillInvited.user, language) ? OwnLanguage.keep(user.user_id, language) : Effect.void
      const told = Effect.andThen(Audit.tell(people.query, addedEntry(user.user_id, added)), kept)
      const actor: RequestCaller = { ...asked, kind: "user", keyId: user.user_id, name: user.name, role: user.role }
      yield* Effect.provideService(told, CurrentCaller, actor)
      return added
    })
  )
  yield* KeyStore.refresh
  const joined = keys.user(user.user_id)
  if (joined === undefined) return yield* refuse("invalid_state", "This user is disabled. Ask an owner.")
  return yield* openFor(joined, passkeyId)
})

/** The session of a person; a session that a key opened has no account. */
const own: Effect.Effect<CallerSession, Refused, CurrentCaller> = Effect.flatMap(CurrentCaller, ({ session }) =>
  session === undefined
    ? refuse("unauthorized", "There is no session; sign in.")
    : session.caller.kind === "user"
      ? Effect.succeed(session)
      : refuse("forbidden", "This session was opened with a key. Only people have an account: sign in with a passkey.")
)

export const me = Effect.flatMap(own, ({ caller: { keyId } }) => Users.shown(keyId))

export const chooseLanguage = (language: Language) =>
  Effect.flatMap(own, ({ caller: { keyId } }) => OwnLanguage.choose(keyId, language))

const sessionRows = rowsOf(
  Schema.Struct({
    hash: Schema.String,
    device: Schema.String,
    address: Schema.String,
    beganAt: Schema.Number,
    seenAt: Schema.Number
  })
)

const sessionsStatement = (
  now: number
) => `SELECT encode(hash, 'hex') AS hash, device, address, began_at AS "beganAt", seen_at AS "seenAt"
  FROM sessions WHERE user_id = $1 AND ${Users.isOpenAt(now)} ORDER BY began_at DESC, hash`

export const ownSessions = Effect.gen(function* () {
  const { caller, hash: current } = yield* own
  const { query } = yield* PeoplePool
  const rows = yield* sessionRows(query(sessionsStatement(yield* machineNow), [caller.keyId]))
  return {
    sessions: rows.map(({ address, beganAt, device, hash, seenAt }) => ({
      session_id: sessionIdOf(hash),
      device,
      address,
      began_at: fromMillis(beganAt),
      last_seen_at: fromMillis(seenAt),
      is_this: hash === current
    }))
  }
})

/** Ends one session of the caller's, or all but this one. */
export const endOwnSessions = Effect.fnUntraced(function* (sessionId: string | undefined) {
  const { caller, hash } = yield* own
  const { query, transaction } = yield* PeoplePool
  return yield* transaction(
    Effect.gen(function* () {
      const ended = yield* sessionId === undefined
        ? Users.endSessions(caller.keyId, "encode(hash, 'hex') <> $2", hash)
        : Users.endSessions(caller.keyId, "left(encode(hash, 'hex'), 16) = $2", sessionId)
      const subject = { type: "user", id: caller.keyId }
      yield* Audit.tell(query, { action: "staff.end_sessions", subject, changes: { after: { ended } } })
      return { ended }
    })
  )
})

export const newOptions = Effect.gen(function* () {
  const user = yield* me
  yield* Users.mustHavePasskeys(user)
  return { options: yield* Ceremonies.registration("passkey", personOf(user), yield* credentialsOf(user.user_id)) }
})

export const addPasskey = Effect.fnUntraced(function* (name: string, credential: unknown) {
  const { user_id: userId } = yield* me
  const made = yield* Ceremonies.made(credential, "passkey", userId)
  if (made === undefined) return yield* refuse("validation_failed", noProof)
  const { query, transaction } = yield* PeoplePool
  return yield* transaction(
    Effect.gen(function* () {
      const before = yield* Users.locked(userId)
      // Another node may have disabled the user since this one read it.
      if (before.status !== "active") return yield* refuse("unauthorized", "This user may not sign in any more.")
      if (before.passkeys.length >= Bounds.maxPasskeys)
        return yield* refuse("conflict", said`A user has at most ${Bounds.maxPasskeys} passkeys; remove one first.`)
      const added = yield* add(userId, name, made)
      yield* Audit.tell(query, addedEntry(userId, added))
      return yield* Users.shown(userId)
    })
  )
})

/** The caller, locked until the open transaction ends. Refuses a passkey that is not the caller's. */
const ownerOf = Effect.fnUntraced(function* (passkeyId: string) {
  const { caller } = yield* own
  const user = yield* Users.locked(caller.keyId)
  if (user.passkeys.some(({ passkey_id }) => passkey_id === passkeyId)) return user
  return yield* refuse("not_found", said`You have no passkey ${passkeyId}.`)
})

/** Gives a passkey another name. The audit says which one: a name may be of a person. */
export const renamePasskey = Effect.fnUntraced(function* (passkeyId: string, name: string) {
  const { query, transaction } = yield* PeoplePool
  return yield* transaction(
    Effect.gen(function* () {
      const { user_id: userId } = yield* ownerOf(passkeyId)
      yield* query("UPDATE passkeys SET name = $2 WHERE passkey_id = $1", [passkeyId, name])
      const changes = { after: { passkey_id: passkeyId } }
      yield* Audit.tell(query, { action: "passkey.rename", subject: { type: "user", id: userId }, changes })
      return yield* Users.shown(userId)
    })
  )
})

/** Removes a passkey, and ends the sessions that it opened. */
export const removePasskey = Effect.fnUntraced(function* (passkeyId: string) {
  const { query, transaction } = yield* PeoplePool
  return yield* transaction(
    Effect.gen(function* () {
      const { passkeys, user_id: userId } = yield* ownerOf(passkeyId)
      if (passkeys.length === 1)
        return yield* refuse("invalid_state", "This is your last passkey. Add another one first.")
      yield* Users.endSessions(userId, "passkey_id = $2", passkeyId)
      yield* query("DELETE FROM passkeys WHERE passkey_id = $1", [passkeyId])
      const user = yield* Users.shown(userId)
      const changes = { before: { passkey_id: passkeyId } }
      yield* Audit.tell(query, { action: "passkey.remove", subject: { type: "user", id: userId }, changes })
      return user
    })
  )
})
