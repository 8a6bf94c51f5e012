/**
 * Keeps keys and sessions in memory current with the database: reads tokens that
 * any service or command has issued, rotated or revoked, and stores uses of tokens.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Result } from "effect"
import type { Scope } from "effect"
import type { Refused } from "../contract/admin/Common.ts"
import type { Scope as TokenScope } from "../contract/protocol/Scopes.ts"
import { auditText, usesChain } from "../journal/Audit.ts"
import type { Row } from "../surface/AdminDatabase.ts"
import { AdminDatabase } from "../surface/AdminDatabase.ts"
import * as Bounds from "./Bounds.ts"
import type { Known, StoredSecret, Use } from "./Keys.ts"
import { Keys } from "./Keys.ts"
import type { SessionRow } from "./Sessions.ts"
import { Sessions } from "./Sessions.ts"
import { machineNow } from "../time/Times.ts"

const secretsStatement = `SELECT encode(s.hash, 'hex') AS hash, t.token_id, t.name, t.scopes, t.programs, t.issuer,
    s.ends_at::float8 AS ends_at, t.expires_at::float8 AS expires_at
  FROM token_secrets s JOIN tokens t ON t.token_id = s.token_id WHERE t.revoked_at IS NULL`

const issuersStatement = "SELECT token_id, issuer FROM tokens WHERE issuer IS NOT NULL"

const millis = (value: unknown): number | undefined => (value === null ? undefined : Number(value))

export const texts = (values: ReadonlyArray<string>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

const secretOf = (row: Row): StoredSecret => ({
  hash: String(row["hash"]),
  tokenId: String(row["token_id"]),
  name: String(row["name"]),
  // Checked when it was issued.
  scopes: row["scopes"] as ReadonlyArray<TokenScope>,
  programs: (row["programs"] ?? undefined) as ReadonlyArray<string> | undefined,
  endsAt: millis(row["ends_at"]),
  expiresAt: millis(row["expires_at"])
})

/**
 * Reads the issued tokens again. If a token was issued, directly or through others, by a token of the environment, it is
 * only valid while that one is configured. Revocation and expiry of an issued token already apply to the tokens it issued.
 */
const refresh: Effect.Effect<void, Refused, AdminDatabase | Keys> = Effect.gen(function* () {
  const { query } = yield* AdminDatabase
  const keys = yield* Keys
  const rows = yield* query(secretsStatement)
  const issuers = new Map(
    (yield* query(issuersStatement)).map((row) => [String(row["token_id"]), String(row["issuer"])])
  )
  const configured = new Set(keys.environment.map(({ caller }) => caller.keyId))
  const isBacked = (row: Row): boolean => {
    let last = String(row["token_id"])
    for (let issuer = issuers.get(last); issuer !== undefined; issuer = issuers.get(last)) last = issuer
    return !last.startsWith("env-") || configured.has(last)
  }
  keys.replaceIssued(rows.filter(isBacked).map(secretOf))
})

/** Reads the issued tokens again after the open transaction has committed. If reading fails, the next poll reads them. */
export const refreshOnCommit: Effect.Effect<void, never, AdminDatabase | Keys> = Effect.gen(function* () {
  const database = yield* AdminDatabase
  const keys = yield* Keys
  yield* database.onCommit(
    refresh.pipe(
      Effect.provideService(AdminDatabase, database),
      Effect.provideService(Keys, keys),
      Effect.catch(() => Effect.sync(() => keys.forget()))
    )
  )
})

const version = Effect.gen(function* () {
  const { query } = yield* AdminDatabase
  const [row] = yield* query("SELECT tokens_version::float8 AS version FROM installation")
  return Number(row?.["version"])
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
 * Reads the issued tokens, and again whenever they change. If the database does not answer, the tokens in memory stay
 * valid; the service itself stops answering within two seconds (`Lease`).
 */
export const follow: Effect.Effect<void, Refused, AdminDatabase | Keys | Scope.Scope> = Effect.gen(function* () {
  const keys = yield* Keys
  let known = yield* version
  yield* refresh
  const look = Effect.gen(function* () {
    const found = yield* version
    if (found === known && !keys.mustRead) return
    yield* refresh
    known = found
  })
  // Removes ended keys even while the database does not answer.
  const end = Effect.sync(() => keys.endDue())
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.keyPollMs), end)))
  yield* Effect.forkScoped(forever("Reading tokens", Bounds.keyPollMs, look))
})

const usesStatement = `WITH used AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) u(token_id, address, entry)),
  fresh AS (INSERT INTO token_addresses (token_id, address, first_used_at) SELECT DISTINCT ON (token_id, address) token_id,
    address, $4::float8::bigint FROM used ON CONFLICT DO NOTHING RETURNING token_id, address)
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
const flushUses: Effect.Effect<void, Refused, AdminDatabase | Keys> = Effect.gen(function* () {
  const { query, transaction } = yield* AdminDatabase
  const keys = yield* Keys
  const uses = keys.takeUses()
  if (uses.length === 0) return
  const now = yield* machineNow
  const parameters = [
    texts(uses.map(({ key }) => key.keyId)),
    texts(uses.map(({ network }) => network)),
    texts(uses.map(useEntry)),
    PgTypes.float8(now)
  ]
  yield* Effect.onError(transaction(query(usesStatement, parameters)), () => Effect.sync(() => keys.keepUses(uses)))
})

const storeLastUses = (lastStored: WeakMap<Known, number>) =>
  Effect.gen(function* () {
    const { query } = yield* AdminDatabase
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
    yield* query("UPDATE tokens SET last_used_at = $1::float8::bigint WHERE token_id = ANY ($2::text[])", [
      PgTypes.float8(now),
      texts(used.map(({ keyId }) => keyId))
    ])
  })

const storeSessions = Effect.gen(function* () {
  const { query } = yield* AdminDatabase
  const sessions = yield* Sessions
  const { ended, seen } = sessions.takeNews()
  if (ended.length > 0) {
    const removed = query("DELETE FROM sessions WHERE encode(hash, 'hex') = ANY ($1::text[])", [texts(ended)])
    yield* Effect.onError(removed, () => Effect.sync(() => sessions.keepEnded(ended)))
  }
  for (const { hash, seenAt } of seen) {
    yield* query("UPDATE sessions SET seen_at = $1::float8::bigint WHERE hash = decode($2, 'hex')", [
      PgTypes.float8(seenAt),
      hash
    ])
  }
})

const sessionOf = (row: Row): SessionRow => ({
  hash: String(row["hash"]),
  keyHash: Buffer.from(String(row["key_hash"]), "hex"),
  beganAt: Number(row["began_at"]),
  seenAt: Number(row["seen_at"])
})

const purge = Effect.gen(function* () {
  const { query } = yield* AdminDatabase
  const before = (yield* machineNow) - Bounds.keyedRequestMs
  yield* query("DELETE FROM keyed_requests WHERE at < $1::float8::bigint", [PgTypes.float8(before)])
})

/** The work of the active service on keys and sessions, besides `follow`. */
export const layer: Layer.Layer<never, Refused, AdminDatabase | Keys | Sessions> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { query } = yield* AdminDatabase
    const rows = yield* query(`SELECT encode(hash, 'hex') AS hash, encode(key_hash, 'hex') AS key_hash,
      began_at::float8 AS began_at, seen_at::float8 AS seen_at FROM sessions ORDER BY began_at`)
    const sessions = yield* Sessions
    sessions.restore(rows.map(sessionOf))
    const lastUses = storeLastUses(new WeakMap())
    const flush = Effect.andThen(flushUses, Effect.andThen(lastUses, storeSessions))
    yield* Effect.forkScoped(forever("Storing uses of tokens and sessions", Bounds.usesFlushMs, flush))
    yield* Effect.forkScoped(forever("Removing old results of keyed requests", Bounds.purgeMs, purge))
  })
)
