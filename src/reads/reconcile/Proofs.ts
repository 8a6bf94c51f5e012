/**
 * Checks what no account's journal covers: versions of programmes, tokens, passkeys, attributes of members, and the heads of
 * the audit. Rows are compared with keyed hashes of themselves, tokens, passkeys and what was configured with the audit.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Bounds from "./Bounds.ts"
import * as Configured from "./Configured.ts"
import type { Difference, Table } from "./Difference.ts"

/** Each statement returns a row for each difference: a message, and the account or the row that differs. */
const statements: ReadonlyArray<readonly [table: Table, statement: string]> = [
  [
    "programs",
    `SELECT p.program_id || ' version ' || p.version AS row, 'the version was changed, or the one before it was' AS message
      FROM programs p WHERE p.hash IS DISTINCT FROM program_hash(p)`
  ],
  [
    "programs",
    `SELECT p.program_id AS row,
        'versions are missing: the newest is ' || max(p.version) || ', there are ' || count(*) AS message
      FROM programs p GROUP BY p.program_id HAVING max(p.version) <> count(*)`
  ],
  [
    "programs",
    `SELECT DISTINCT concat(a.program_id, ' version ', a.changes::jsonb -> 'after' ->> 'version') AS row,
        'the audit has its publication, but there is no such version' AS message
      FROM audit a WHERE a.action IN ('program.publish', 'program.rollback') AND NOT EXISTS (
        SELECT FROM programs p WHERE p.program_id = a.program_id
          AND p.version = (a.changes::jsonb -> 'after' ->> 'version')::int)`
  ],
  [
    "members",
    `SELECT m.account, 'the attributes were changed past the service' AS message
      FROM members m WHERE m.attributes_hash IS DISTINCT FROM attributes_hash(m.account, m.attributes)
      LIMIT ${Bounds.maxPrinted}`
  ],
  [
    "passkeys",
    `SELECT p.passkey_id AS row, 'the audit has no entry that its user added it' AS message
      FROM passkeys p WHERE (SELECT i.environment FROM installation i) IS DISTINCT FROM 'sandbox' AND NOT EXISTS (
        SELECT FROM audit a WHERE a.action = 'passkey.add' AND a.subject_id = p.user_id
          AND a.changes::jsonb -> 'after' ->> 'passkey_id' = p.passkey_id)`
  ],
  [
    "audit",
    `SELECT 'head of chain ' || h.chain AS row,
        'the head was changed past the service: entries may be missing at the end' AS message
      FROM audit_heads h WHERE h.seal IS DISTINCT FROM head_seal(h.chain, h.n, h.hash)`
  ]
]

const differenceRows = rowsOf(
  Schema.Struct({
    account: Schema.optionalKey(Schema.Number),
    row: Schema.optionalKey(Schema.String),
    message: Schema.String
  })
)

const tokensStatement = `SELECT t.token_id AS id, t.name, t.scopes, t.programs, t.expires_at AS "expiresAt",
    t.revoked_at IS NOT NULL AS "isRevoked",
    (SELECT a.changes::json -> 'after' FROM audit a WHERE a.action = 'token.create' AND a.subject_id = t.token_id
      ORDER BY a.n LIMIT 1) AS granted,
    EXISTS (SELECT FROM audit a WHERE a.action = 'token.revoke' AND a.subject_id = t.token_id) AS "wasRevoked"
  FROM tokens t ORDER BY t.token_id`

const Granted = Schema.Struct({
  name: Schema.optionalKey(Schema.Unknown),
  scopes: Schema.optionalKey(Schema.Unknown),
  programs: Schema.optionalKey(Schema.Unknown),
  expires_at: Schema.optionalKey(Schema.Unknown)
})
const tokenRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    scopes: Schema.Array(Schema.String),
    programs: optional(Schema.Array(Schema.String)),
    expiresAt: optional(Schema.Number),
    isRevoked: Schema.Boolean,
    /** The audit's account of it; undefined without an entry of its creation. */
    granted: optional(Granted),
    wasRevoked: Schema.Boolean
  })
)
const environmentRow = oneOf(Schema.Struct({ environment: Schema.NullOr(Schema.String) }))

const sameAs = (value: unknown): string => JSON.stringify(value ?? null)

/** Tokens that differ from what the audit says of them. A sandbox's reset ends its audit and keeps its tokens. */
const tokens = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, isSandbox: boolean) {
  const found: Array<Difference> = []
  for (const token of yield* tokenRows(connection.query(tokensStatement))) {
    const { expiresAt, granted, id, isRevoked, name, programs, scopes, wasRevoked } = token
    const say = (message: string) => found.push({ table: "tokens", row: id, message })
    if (granted === undefined) {
      if (!isSandbox) say("the audit has no entry of its creation")
      continue
    }
    const expires_at = expiresAt === undefined ? undefined : fromMillis(expiresAt)
    const stored: typeof Granted.Type = { name, scopes, programs, expires_at }
    for (const field of ["name", "scopes", "programs", "expires_at"] as const) {
      if (!isDeepStrictEqual(stored[field], granted[field]))
        say(`${field} is ${sameAs(stored[field])}; the audit says ${sameAs(granted[field])}`)
    }
    if (wasRevoked && !isRevoked) say("it is not revoked; the audit says that it was")
  }
  return found
})

/** All differences, in the connection's snapshot. */
export const differences = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection
): Effect.fn.Return<ReadonlyArray<Difference>, SqlError.SqlError> {
  const found: Array<Difference> = []
  for (const [table, statement] of statements) {
    const rows = yield* differenceRows(connection.query(statement))
    found.push(...rows.map((row) => ({ table, ...row })))
  }
  const { environment } = yield* environmentRow(connection.query("SELECT environment FROM installation"))
  const isSandbox = environment === "sandbox"
  return [
    ...found,
    ...(yield* tokens(connection, isSandbox)),
    ...(yield* Configured.differences(connection, isSandbox))
  ]
})
