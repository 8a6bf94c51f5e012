/**
 * Issues, rotates and revokes tokens. A token has at most its issuer's scopes and
 * ends no later than its issuer (contract/operators.md *Tokens*).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { randomBytes } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { type IssuedToken, type Rotation, Token, type TokenRequest } from "../../contract/admin/Tokens.ts"
import type { Refused } from "../../contract/Refused.ts"
import { isWithinLimits, limitsIn } from "../../contract/RestaurantLimits.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { mayHandOn } from "../../contract/Scopes.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller, mayUseAll } from "../../desk/access/CurrentCaller.ts"
import * as KeyStore from "../../desk/access/KeyStore.ts"
import { digestOf, Keys, rootId } from "../../desk/access/Keys.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"

type TokenView = typeof Token.Type
type Needs = PeoplePool | CurrentCaller | Keys | Programs

interface StoredToken {
  readonly view: TokenView
  /** ms; undefined: never. */
  readonly expiresAt: number | undefined
}

const tokenColumns = `SELECT t.token_id, t.name, t.scopes, t.programs, t.location_ids, t.franchisee_ids, t.brand_ids, t.created_at, t.created_by, t.expires_at,
    t.revoked_at, t.last_used_at,
    (SELECT s.hint FROM token_secrets s WHERE s.token_id = t.token_id AND s.ends_at IS NULL) AS hint,
    EXISTS (SELECT FROM token_secrets s WHERE s.token_id = t.token_id AND s.ends_at > $1) AS rotating
  FROM tokens t`

const Row = Schema.Struct({
  token_id: Schema.String,
  name: Schema.String,
  scopes: Token.fields.scopes,
  programs: optional(Schema.Array(Schema.String)),
  ...Limited.columns,
  created_at: Schema.Number,
  created_by: Schema.String,
  expires_at: optional(Schema.Number),
  revoked_at: optional(Schema.Number),
  last_used_at: optional(Schema.Number),
  hint: Schema.String,
  rotating: Schema.Boolean
})
type Row = typeof Row.Type

const tokens = rowsOf(Row)

const statusOf = ({ expires_at, revoked_at, rotating }: Row, now: number): TokenView["status"] => {
  if (revoked_at !== undefined) return "revoked"
  if (expires_at !== undefined && expires_at <= now) return "expired"
  return rotating ? "rotating" : "active"
}

const storedOf = (row: Row, now: number): StoredToken => ({
  view: {
    token_id: row.token_id,
    name: row.name,
    scopes: row.scopes,
    ...(row.programs === undefined ? undefined : { programs: row.programs }),
    ...limitsIn(row),
    created_at: fromMillis(row.created_at),
    created_by: row.created_by,
    ...(row.expires_at === undefined ? undefined : { expires_at: fromMillis(row.expires_at) }),
    ...(row.last_used_at === undefined ? undefined : { last_used_at: fromMillis(row.last_used_at) }),
    status: statusOf(row, now),
    hint: row.hint
  },
  expiresAt: row.expires_at
})

const environmentTokens = Effect.map(Keys, ({ environment }) =>
  environment.map(
    ({ caller }): TokenView => ({
      token_id: caller.keyId,
      name: caller.name,
      scopes: [...caller.scopes],
      ...(caller.programs === undefined ? undefined : { programs: [...caller.programs] }),
      created_by: "environment",
      status: "active"
    })
  )
)

/** True if the caller may see and change the token: it reaches nothing beyond the caller's programmes and restaurants. */
const isInReach = (caller: RequestCaller, token: TokenView): boolean =>
  mayUseAll(caller, token.programs) && isWithinLimits(caller.restaurants?.limits, token)

/** The issued tokens that the caller may see, oldest first. */
export const issued: Effect.Effect<ReadonlyArray<TokenView>, Refused, PeoplePool | CurrentCaller> = Effect.gen(
  function* () {
    const { query } = yield* PeoplePool
    const caller = yield* CurrentCaller
    const now = yield* machineNow
    const rows = yield* tokens(query(`${tokenColumns} ORDER BY t.created_at, t.token_id`, [int8(now)]))
    return rows.map((row) => storedOf(row, now).view).filter((token) => isInReach(caller, token))
  }
)

/** The tokens of this process's environment, then the issued tokens. */
const list: Effect.Effect<ReadonlyArray<TokenView>, Refused, Needs> = Effect.gen(function* () {
  const caller = yield* CurrentCaller
  const environment = (yield* environmentTokens).filter((token) => isInReach(caller, token))
  return [...environment, ...(yield* issued)]
})

/** A token of the caller's reach, locked; another one is none. */
const lockedOfCaller = Effect.fnUntraced(function* (tokenId: string, now: number) {
  const caller = yield* CurrentCaller
  const found = yield* locked(tokenId, now)
  return isWithinLimits(caller.restaurants?.limits, found.view)
    ? found
    : yield* refuse("not_found", said`There is no token ${tokenId}.`)
})

/** Reads a token and locks its row until the transaction ends. */
const locked = Effect.fnUntraced(function* (tokenId: string, now: number) {
  const { query } = yield* PeoplePool
  const [row] = yield* tokens(query(`${tokenColumns} WHERE t.token_id = $2 FOR UPDATE OF t`, [int8(now), tokenId]))
  if (row !== undefined) return storedOf(row, now)
  const environment = yield* environmentTokens
  if (environment.some((token) => token.token_id === tokenId)) {
    return yield* refuse(
      "invalid_state",
      "The token is the environment's (PROTO_TOKEN, PROTO_TOKENS); change it there."
    )
  }
  return yield* refuse("not_found", said`There is no token ${tokenId}.`)
})

/** True for the admin key and for commands on the database: they may grant every scope. */
const mayGrantAll = ({ keyId, kind }: RequestCaller): boolean => kind === "system" || keyId === rootId

const beyond = (caller: RequestCaller, scopes: ReadonlyArray<Scope>): ReadonlyArray<number> =>
  mayGrantAll(caller) ? [] : scopes.flatMap((scope, index) => (mayHandOn(caller.scopes, scope) ? [] : [index]))

const secretStatement = "INSERT INTO token_secrets (hash, token_id, hint) VALUES ($1, $2, $3)"

/** Adds a new secret to a token: 256 random bits. */
const addSecret = Effect.fnUntraced(function* (tokenId: string) {
  const { query } = yield* PeoplePool
  const secret = `lot_${randomBytes(32).toString("base64url")}`
  yield* query(secretStatement, [PgTypes.bytea(digestOf(secret)), tokenId, secret.slice(-4)])
  return secret
})

/** The facts of a new token for the audit. */
const changesOf = ({ expires_at, name, programs, scopes, ...token }: TokenView) =>
  Audit.changesOf(undefined, { name, scopes, programs, ...limitsIn(token), expires_at })

const subjectOf = (id: string) => ({ type: "token", id })

/** The end of a new token, ms: the requested one, or the issuer's. Refuses an end after the issuer's. */
const endOf = Effect.fnUntraced(function* (asked: string | undefined, issuerEndsAt: number | undefined, now: number) {
  const at = asked === undefined ? issuerEndsAt : toMillis(asked)
  const fault = (sentence: Sentence) => refuseFaults([faultAt("/expires_at", sentence)])
  if (at !== undefined && at <= now) return yield* fault("must be in the future")
  if (at !== undefined && issuerEndsAt !== undefined && at > issuerEndsAt) {
    return yield* fault(said`must not be later than the issuing token's, ${fromMillis(issuerEndsAt)}`)
  }
  return at
})

const limitsOf = rowsOf(Schema.Struct(Limited.columns))

/**
 * Refuses if the issuing token has ended meanwhile. Locks its row, or that of a person, so that it is neither revoked nor
 * narrowed before the commit. Returns its limits.
 */
const holdIssuer = Effect.fnUntraced(function* ({ keyId, kind, restaurants, tokenId }: RequestCaller, now: number) {
  if (kind === "user") {
    const { query } = yield* PeoplePool
    const statement = "SELECT location_ids, franchisee_ids, brand_ids FROM users WHERE user_id = $1 FOR SHARE"
    const [user] = yield* limitsOf(query(statement, [keyId]))
    return user === undefined ? restaurants?.limits : limitsIn(user)
  }
  if (tokenId === undefined) return restaurants?.limits
  const { view } = yield* locked(tokenId, now)
  if (view.status === "revoked" || view.status === "expired") {
    return yield* refuse("forbidden", "The token of this request is no longer valid.")
  }
  return limitsIn(view)
})

/** Refuses a limited caller programmes that there are none of: their tokens would come into reach with them. */
const mustBePrograms = Effect.fnUntraced(function* (ids: ReadonlyArray<string> = []) {
  const known = yield* Programs
  const faults = ids.flatMap((id, index) =>
    known.get(id) === undefined ? [faultAt(`/programs/${index}`, said`there is no programme ${id}`)] : []
  )
  if (faults.length > 0) return yield* refuse("forbidden", "Nobody reaches further with a token than they do.", faults)
})

const insertStatement = `INSERT INTO tokens (token_id, name, scopes, programs, issuer, created_at, created_by, expires_at,
    location_ids, franchisee_ids, brand_ids)
  VALUES ($1, $2, $3, $4::text[], $5, $6, $7, $8, $9::text[], $10::text[], $11::text[])`

export const create = (request: typeof TokenRequest.Type): Effect.Effect<typeof IssuedToken.Type, Refused, Needs> =>
  Effect.gen(function* () {
    const pool = yield* PeoplePool
    const { query, transaction } = pool
    const caller = yield* CurrentCaller
    const now = yield* machineNow
    const { name, programs, scopes } = request
    const faults = beyond(caller, scopes).map((index) => ({
      path: `/scopes/${index}`,
      message: "is not a scope of who asks"
    }))
    if (faults.length > 0)
      return yield* refuse("forbidden", "Nobody grants a token more scopes than their own.", faults)
    if (caller.restaurants !== undefined) yield* mustBePrograms(programs)
    const expiresAt = yield* endOf(request.expires_at, caller.expiresAt, now)
    const tokenId = Codes.identifier("tok")
    yield* Limited.barOlder(pool, request)
    const issued = yield* transaction(
      Effect.gen(function* () {
        const limits = yield* Limited.within(yield* holdIssuer(caller, now), request, caller)
        yield* query(insertStatement, [
          tokenId,
          name,
          texts(scopes),
          programs === undefined ? PgTypes.text(null) : texts(programs),
          PgTypes.text(mayGrantAll(caller) ? null : caller.keyId),
          int8(now),
          caller.name,
          int8(expiresAt ?? null),
          ...Limited.parameters(limits)
        ])
        const secret = yield* addSecret(tokenId)
        const { view } = yield* locked(tokenId, now)
        yield* Audit.tell(query, {
          action: "token.create",
          subject: subjectOf(tokenId),
          changes: changesOf(view)
        })
        return { ...view, secret }
      })
    )
    yield* KeyStore.refreshOnCommit
    return issued
  })

const mustBeGood = ({ status, token_id }: TokenView) =>
  status === "revoked" || status === "expired"
    ? refuse("invalid_state", said`Token ${token_id} is ${status}.`)
    : Effect.void

export const rotate = (
  tokenId: string,
  { overlap_seconds = Bounds.defaultOverlapSeconds }: typeof Rotation.Type
): Effect.Effect<typeof IssuedToken.Type, Refused, Needs> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    const caller = yield* CurrentCaller
    const now = yield* machineNow
    const issued = yield* transaction(
      Effect.gen(function* () {
        const before = yield* lockedOfCaller(tokenId, now)
        yield* mustBeGood(before.view)
        const outlives =
          caller.expiresAt !== undefined && (before.expiresAt ?? Number.POSITIVE_INFINITY) > caller.expiresAt
        if (beyond(caller, before.view.scopes).length > 0 || (outlives && caller.keyId !== tokenId)) {
          return yield* refuse("forbidden", "Nobody rotates a token that they could not have issued.")
        }
        yield* query(
          `UPDATE token_secrets SET ends_at = $2
            WHERE token_id = $1 AND (ends_at IS NULL OR ends_at > $2)`,
          [tokenId, int8(now + overlap_seconds * 1_000)]
        )
        const secret = yield* addSecret(tokenId)
        const { view } = yield* locked(tokenId, now)
        const changes = { after: { overlap_seconds } }
        yield* Audit.tell(query, { action: "token.rotate", subject: subjectOf(tokenId), changes })
        return { ...view, secret }
      })
    )
    yield* KeyStore.refreshOnCommit
    return issued
  })

/** Revokes a token and all tokens that it issued, directly or through others. Returns the token first. */
const lineStatement = `WITH RECURSIVE line AS (
    SELECT token_id, 0 AS depth FROM tokens WHERE token_id = $1
    UNION ALL SELECT t.token_id, l.depth + 1 FROM tokens t JOIN line l ON t.issuer = l.token_id
  ), revoked AS (
    UPDATE tokens t SET revoked_at = $2 FROM line l
      WHERE t.token_id = l.token_id AND t.revoked_at IS NULL RETURNING t.token_id, l.depth
  ) SELECT token_id AS id FROM revoked ORDER BY depth, token_id`

const endedOf = rowsOf(Schema.Struct({ id: Schema.String }))

/** Revokes a token. If it was revoked before, nothing changes. */
export const revoke = (tokenId: string, reason: string): Effect.Effect<TokenView, Refused, Needs> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    const now = yield* machineNow
    const revoked = yield* transaction(
      Effect.gen(function* () {
        const before = yield* lockedOfCaller(tokenId, now)
        const ended = yield* endedOf(query(lineStatement, [tokenId, int8(now)]))
        const { view } = yield* locked(tokenId, now)
        const changes = { before: { status: before.view.status }, after: { status: view.status } }
        for (const { id } of ended)
          yield* Audit.tell(query, { action: "token.revoke", subject: subjectOf(id), reason, changes })
        return view
      })
    )
    yield* KeyStore.refreshOnCommit
    return revoked
  })

export const layer = HttpApiBuilder.group(AdminApi, "tokens", (handlers) =>
  Effect.map(Effect.context<PeoplePool | Keys | Programs>(), (context) => {
    const within = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideContext(work, context)
    return handlers
      .handle("tokens", () => within(Effect.map(list, (tokens) => ({ tokens }))))
      .handle("createToken", ({ payload }) => within(create(payload)))
      .handle("rotateToken", ({ params, payload }) => within(rotate(params.token_id, payload)))
      .handle("revokeToken", ({ params, payload }) => within(revoke(params.token_id, payload.reason)))
  })
)
