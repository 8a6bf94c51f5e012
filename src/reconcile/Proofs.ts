/**
 * Checks what no account's journal covers: versions of programmes, tokens, attributes of members, and the heads of the
 * audit. Rows are compared with keyed hashes of themselves, tokens with the audit.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { fromMillis } from "../contract/Values.ts"
import type { Difference, Table } from "./Difference.ts"
import * as Bounds from "./Bounds.ts"

/** Each statement returns a row for each difference: account or null, row or null, message. */
const statements: ReadonlyArray<readonly [table: Table, statement: string]> = [
  [
    "programs",
    `SELECT null, p.program_id || ' version ' || p.version, 'the version was changed, or the one before it was'
      FROM programs p WHERE p.hash IS DISTINCT FROM program_hash(p)`
  ],
  [
    "programs",
    `SELECT null, p.program_id, 'versions are missing: the newest is ' || max(p.version) || ', there are ' || count(*)
      FROM programs p GROUP BY p.program_id HAVING max(p.version) <> count(*)`
  ],
  [
    "programs",
    `SELECT DISTINCT null, a.program_id || ' version ' || (a.changes::jsonb -> 'after' ->> 'version'),
        'the audit has its publication, but there is no such version'
      FROM audit a WHERE a.action IN ('program.publish', 'program.rollback') AND NOT EXISTS (
        SELECT FROM programs p WHERE p.program_id = a.program_id
          AND p.version = (a.changes::jsonb -> 'after' ->> 'version')::int)`
  ],
  [
    "members",
    `SELECT m.account::float8, null, 'the attributes were changed past the service'
      FROM members m WHERE m.attributes_hash IS DISTINCT FROM attributes_hash(m.account, m.attributes)
      LIMIT ${Bounds.maxPrinted}`
  ],
  [
    "audit",
    `SELECT null, 'head of chain ' || h.chain, 'the head was changed past the service: entries may be missing at the end'
      FROM audit_heads h WHERE h.seal IS DISTINCT FROM head_seal(h.chain, h.n, h.hash)`
  ]
]

const tokensStatement = `SELECT t.token_id, t.name, array_to_json(t.scopes)::text, array_to_json(t.programs)::text,
    t.expires_at::float8, t.revoked_at IS NOT NULL,
    (SELECT a.changes FROM audit a WHERE a.action = 'token.create' AND a.subject_id = t.token_id ORDER BY a.n LIMIT 1),
    EXISTS (SELECT FROM audit a WHERE a.action = 'token.revoke' AND a.subject_id = t.token_id)
  FROM tokens t ORDER BY t.token_id`

interface Granted {
  readonly name?: unknown
  readonly scopes?: unknown
  readonly programs?: unknown
  readonly expires_at?: unknown
}

const grantedIn = (changes: unknown): Granted => (JSON.parse(String(changes)) as { readonly after: Granted }).after

const sameAs = (value: unknown): string => JSON.stringify(value ?? null)

/** Tokens that differ from what the audit says of them. A sandbox's reset ends its audit and keeps its tokens. */
const tokens = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, isSandbox: boolean) {
  const found: Array<Difference> = []
  for (const row of yield* connection.queryValues(tokensStatement)) {
    const [id, name, scopes, programs, expiresAt, isRevoked, changes, wasRevoked] = row
    const say = (message: string) => found.push({ table: "tokens", row: String(id), message })
    if (changes === null || changes === undefined) {
      if (!isSandbox) say("the audit has no entry of its creation")
      continue
    }
    const granted = grantedIn(changes)
    const expires_at = expiresAt === null ? undefined : fromMillis(Number(expiresAt))
    const stored: Granted = {
      name,
      scopes: JSON.parse(String(scopes)),
      programs: programs === null ? undefined : JSON.parse(String(programs)),
      expires_at
    }
    for (const field of ["name", "scopes", "programs", "expires_at"] as const) {
      if (!isDeepStrictEqual(stored[field], granted[field]))
        say(`${field} is ${sameAs(stored[field])}; the audit says ${sameAs(granted[field])}`)
    }
    if (wasRevoked === true && isRevoked !== true) say("it is not revoked; the audit says that it was")
  }
  return found
})

/** All differences, in the connection's snapshot. */
export const differences = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection
): Effect.fn.Return<ReadonlyArray<Difference>, SqlError.SqlError> {
  const found: Array<Difference> = []
  for (const [table, statement] of statements) {
    for (const [account, row, message] of yield* connection.queryValues(statement)) {
      found.push({
        table,
        message: String(message),
        ...(account === null ? undefined : { account: Number(account) }),
        ...(row === null ? undefined : { row: String(row) })
      })
    }
  }
  const [environment] = yield* connection.queryValues("SELECT environment FROM installation")
  return [...found, ...(yield* tokens(connection, environment?.[0] === "sandbox"))]
})
