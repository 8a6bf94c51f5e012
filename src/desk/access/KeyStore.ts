/**
 * Keeps keys and sessions in memory current with the database: reads tokens that
 * any service or command has issued, rotated or revoked, and stores uses of tokens.
 */

import type { Scope } from "effect"
import { Effect, Latch, Layer, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { Branded, Franchised } from "../../contract/admin/Locations.ts"
import type { Refused } from "../../contract/Refused.ts"
import { limitsIn } from "../../contract/RestaurantLimits.ts"
import { auditText, usesChain } from "../../core/journal/Audit.ts"
import * as Bounds from "./Bounds.ts"
import type { Known, Use } from "./Keys.ts"
import { Keys, StoredSecret, StoredUser } from "./Keys.ts"
import { Sessions } from "./Sessions.ts"
import * as SharedCounts from "./SharedCounts.ts"

const secretsStatement = `SELECT encode(s.hash, 'hex') AS hash, t.token_id AS "tokenId", t.name, t.scopes, t.programs,
    t.location_ids, t.franchisee_ids, t.brand_ids, s.ends_at AS "endsAt", t.expires_at AS "expiresAt"
  FROM token_secrets s JOIN tokens t ON t.token_id = s.token_id WHERE t.revoked_at IS NULL`

const issuersStatement = "SELECT token_id, issuer FROM tokens WHERE issuer IS NOT NULL"

const usersStatement = `SELECT user_id AS "userId", name, email, role, programs, location_ids, franchisee_ids, brand_ids FROM users
  WHERE status = 'active' AND role_gone_at IS NULL`

const placesStatement = `SELECT location_id, franchisees, brands FROM locations
  WHERE franchisees IS NOT NULL OR brands IS NOT NULL ORDER BY location_id`

const users = rowsOf(StoredUser)
const places = rowsOf(
  Schema.Struct({
    location_id: Schema.String,
    franchisees: optional(Schema.Array(Franchised)),
    brands: optional(Schema.Array(Branded))
  })
)
const secrets = rowsOf(StoredSecret)
const issuersOf = rowsOf(Schema.Struct({ token_id: Schema.String, issuer: Schema.String }))

/**
 * Reads the issued tokens and the people again. If a token was issued, directly or through others, by a token of the environment, it is
 * only valid while that one is configured. Revocation and expiry of an issued token already apply to the tokens it issued.
 */
const readTokens: Effect.Effect<void, Refused, PeoplePool | Keys> = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const keys = yield* Keys
  const stored = yield* secrets(query(secretsStatement))
  const issuers = new Map((yield* issuersOf(query(issuersStatement))).map((row) => [row.token_id, row.issuer]))
  const configured = new Set(keys.environment.map(({ caller }) => caller.keyId))
  const isBacked = ({ tokenId }: StoredSecret): boolean => {
    let last = tokenId
    for (let issuer = issuers.get(last); issuer !== undefined; issuer = issuers.get(last)) last = issuer
    return !last.startsWith("env-") || configured.has(last)
  }
  const people = yield* users(query(usersStatement))
  const isLimited = [...stored, ...people].some((one) => limitsIn(one) !== undefined)
  const found = isLimited ? yield* places(query(placesStatement)) : []
  keys.replaceUsers(people, found)
  keys.replaceIssued(stored.filter(isBacked), found)
})

export const refresh = Effect.flatMap(Keys, ({ reads }) => reads.withPermits(1)(readTokens))

/** Reads the issued tokens again after the open transaction has committed. If reading fails, the next poll reads them. */
export const refreshOnCommit: Effect.Effect<void, never, PeoplePool | Keys> = Effect.gen(function* () {
  const database = yield* PeoplePool
  const keys = yield* Keys
  yield* database.onCommit(
    refresh.pipe(
      Effect.provideService(PeoplePool, database),
      Effect.provideService(Keys, keys),
      Effect.catch(() => Effect.sync(() => keys.forget()))
    )
  )
})

const versionOf = oneOf(Schema.Struct({ version: Schema.Number }))

const version = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const row = yield* versionOf(query("SELECT tokens_version AS version FROM installation"))
  return row.version
})

/** Repeats an effect for ever. The database logs why it fails: `pool_failing`, or `durability_waiting`. */
const forever = <R>(what: string, everyMs: number, work: Effect.Effect<void, Refused, R>) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep(everyMs),
      Effect.catch(work, () => Effect.logDebug(`${what} fails; retrying every ${everyMs} ms`))
    )
  )

/**
 * Reads the issued tokens, and again whenever they change, at once if a request has an unknown one. If the database does
 * not answer, the tokens in memory stay valid; the service itself stops answering within two seconds (`Membership`).
 */
export const follow: Effect.Effect<void, Refused, PeoplePool | Keys | Scope.Scope> = Effect.gen(function* () {
  const keys = yield* Keys
  let known = yield* version
  yield* refresh
  const compare = Effect.gen(function* () {
    const found = yield* version
    if (found === known && !keys.mustRead) return
    yield* refresh
    known = found
  })
  const asked = Latch.makeUnsafe(false)
  yield* Effect.acquireRelease(
    Effect.sync(() => keys.listen(() => asked.openUnsafe())),
    () => Effect.sync(() => keys.listen(undefined))
  )
  // Looks come one after another, so that a flood of unknown tokens costs one statement at a time.
  const look = Effect.gen(function* () {
    yield* Effect.raceFirst(asked.await, Effect.sleep(Bounds.keyPollMs))
    asked.closeUnsafe()
    const answered = keys.asked()
    const compared = Effect.catch(compare, () => Effect.logDebug("Reading tokens fails; it is tried again"))
    yield* Effect.ensuring(
      compared,
      Effect.sync(() => keys.answer(answered))
    )
  })
  // Removes ended keys even while the database does not answer.
  const end = Effect.sync(() => keys.endDue())
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.keyPollMs), end)))
  yield* Effect.forkScoped(Effect.forever(look))
  yield* Effect.forkScoped(forever("Exchanging counts", Bounds.sharePauseMs, SharedCounts.make()))
})

const usesStatement = `WITH used AS (SELECT * FROM unnest($1, $2, $3) u(token_id, address, entry)),
  fresh AS (INSERT INTO token_addresses (token_id, address, first_used_at) SELECT DISTINCT ON (token_id, address) token_id,
    address, $4 FROM used ON CONFLICT DO NOTHING RETURNING token_id, address)
  SELECT append_audit(${usesChain}, u.entry::jsonb) FROM used u JOIN fresh f USING (token_id, address)`

const useEntry = ({ at, key, network, requestId }: Use): string =>
  auditText({
    at,
    actor: { kind: key.kind === "root" ? "root" : "token", name: key.name, tokenId: key.tokenId },
    action: "token.used_from_new_address",
    subject: { type: "token", id: key.keyId },
    sourceIp: network,
    requestId
  })

/** Stores first uses from an address, each with its audit entry, and the tokens' last uses. */
const flushUses: Effect.Effect<void, Refused, PeoplePool | Keys> = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const keys = yield* Keys
  const uses = keys.takeUses()
  if (uses.length === 0) return
  const now = yield* machineNow
  const parameters = [
    texts(uses.map(({ key }) => key.keyId)),
    texts(uses.map(({ network }) => network)),
    texts(uses.map(useEntry)),
    int8(now)
  ]
  yield* Effect.onError(transaction(query(usesStatement, parameters)), () => Effect.sync(() => keys.keepUses(uses)))
})

const storeLastUses = (lastStored: WeakMap<Known, number>) =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const keys = yield* Keys
    const now = keys.now()
    const used = [...keys.issuedCallers()].filter(
      (key) => key.isUsed && now >= (lastStored.get(key) ?? Number.NEGATIVE_INFINITY) + Bounds.lastUsedMs
    )
    if (used.length === 0) return
    for (const key of used) {
      key.isUsed = false
      lastStored.set(key, now)
    }
    yield* query("UPDATE tokens SET last_used_at = $1 WHERE token_id = ANY ($2)", [
      int8(now),
      texts(used.map(({ keyId }) => keyId))
    ])
  })

/** Another node may have heard from the person later. */
const seenStatement = `WITH seen AS (UPDATE sessions SET seen_at = $1 WHERE hash = decode($2, 'hex') RETURNING user_id)
  UPDATE users u SET last_seen_at = $1 FROM seen s WHERE u.user_id = s.user_id AND coalesce(u.last_seen_at, 0) < $1`

const storeSessions = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const sessions = yield* Sessions
  const { ended, seen } = sessions.takeNews()
  if (ended.length > 0) {
    const removed = query("DELETE FROM sessions WHERE encode(hash, 'hex') = ANY ($1)", [texts(ended)])
    yield* Effect.onError(removed, () => Effect.sync(() => sessions.keepEnded(ended)))
  }
  for (const { hash, seenAt } of seen) yield* query(seenStatement, [int8(seenAt), hash])
})

const sessionRows = rowsOf(
  Schema.Struct({
    hash: Schema.String,
    keyHash: Schema.Uint8Array,
    userId: optional(Schema.String),
    endsAt: optional(Schema.Number),
    beganAt: Schema.Number,
    seenAt: Schema.Number
  })
)

const sessionsStatement = `SELECT encode(hash, 'hex') AS hash, key_hash AS "keyHash", user_id AS "userId", ends_at AS "endsAt", began_at AS "beganAt",
    seen_at AS "seenAt" FROM sessions
  WHERE hash = ANY (SELECT decode(u, 'hex') FROM unnest($1) u) ORDER BY began_at`

/** Reads the sessions that this node has in memory or was asked for: other nodes begin and end some. */
export const lookForSessions = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const { answer, hashes } = (yield* Sessions).look()
  if (hashes.length === 0) return
  const rows = yield* Effect.onError(sessionRows(query(sessionsStatement, [texts(hashes)])), () =>
    Effect.sync(() => answer(undefined))
  )
  answer(rows.map((row) => ({ ...row, keyHash: Buffer.from(row.keyHash) })))
})

/** Follows the sessions: at once what is asked for, and every `Bounds.keyPollMs` what is known. */
const followSessions = Effect.gen(function* () {
  const sessions = yield* Sessions
  const asked = Latch.makeUnsafe(false)
  yield* Effect.acquireRelease(
    Effect.sync(() => sessions.onAsked(() => asked.openUnsafe())),
    () => Effect.sync(() => sessions.onAsked(undefined))
  )
  const look = Effect.gen(function* () {
    asked.closeUnsafe()
    yield* Effect.catch(lookForSessions, () => Effect.logDebug("Reading sessions fails; it is tried again"))
    yield* Effect.raceFirst(asked.await, Effect.sleep(Bounds.keyPollMs))
  })
  yield* Effect.forkScoped(Effect.forever(look))
})

/** Deletes sessions that ended by their age, or that no node has heard from. */
const removeEnded = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const now = yield* machineNow
  // Nodes store late what they have heard.
  const idle = now - Bounds.sessionIdleMs - 6 * Bounds.lastUsedMs
  yield* query("DELETE FROM sessions WHERE began_at < $1 OR seen_at < $2 OR ends_at < $3", [
    int8(now - Bounds.sessionAgeMs),
    int8(idle),
    int8(now)
  ])
})

/** The work of a node on keys and sessions, besides `follow`. */
export const layer: Layer.Layer<never, Refused, Keys | PeoplePool | Sessions> = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* removeEnded
    yield* followSessions
    const lastUses = storeLastUses(new WeakMap())
    const flush = Effect.andThen(flushUses, Effect.andThen(lastUses, storeSessions))
    yield* Effect.forkScoped(forever("Storing uses of tokens and sessions", Bounds.usesFlushMs, flush))
    yield* Effect.forkScoped(forever("Deleting ended sessions", Bounds.sessionIdleMs, removeEnded))
  })
)
