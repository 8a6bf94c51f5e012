/**
 * Checks the audit's hash chains: each entry's hash covers the entry and the hash before it, and each chain ends at its
 * head.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import { hashedColumns, hashedOfUser } from "../../core/journal/Audit.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"

/**
 * A text with its length in front, as `framed` in the migrations. So two lists of texts never give the same hash input.
 */
const framed = (part: string | null): string => (part === null ? "-" : `${Array.from(part).length}:${part}`)

/** The columns that an entry's hash is over: of a person's entry two more. `n` as text: a damaged one may be above 2^53. */
const pageStatement = `SELECT n::text AS n, ARRAY[${hashedColumns.map((column) => `${column}::text`).join(", ")}] ||
    CASE WHEN user_id IS NULL THEN ARRAY[]::text[] ELSE ARRAY[${hashedOfUser.join(", ")}] END AS columns, hash
  FROM audit WHERE chain = $1 AND n > $2 ORDER BY audit.n LIMIT ${Bounds.pageRecords}`
const entryRows = rowsOf(
  Schema.Struct({
    n: Schema.BigIntFromString,
    columns: Schema.Array(Schema.NullOr(Schema.String)),
    hash: Schema.Uint8Array
  })
)
const headRows = rowsOf(Schema.Struct({ chain: Schema.Number, n: Schema.BigIntFromString, hash: Schema.Uint8Array }))
const lostRow = oneOf(Schema.Struct({ lost: Schema.Number }))

const difference = (chain: number, n: bigint | undefined, message: string): Difference => ({
  table: "audit",
  row: n === undefined ? `chain ${chain}` : `chain ${chain}, n ${n}`,
  message
})

/** The differences of one chain. Its head has the last `n` (`end`) and the last hash. */
const ofChain = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  secret: string,
  chain: number,
  end: bigint,
  endHash: Uint8Array
) {
  const found: Array<Difference> = []
  let last = 0n
  let before: Uint8Array = new Uint8Array()
  for (;;) {
    const rows = yield* entryRows(connection.query(pageStatement, [PgTypes.int2(chain), String(last)]))
    for (const { columns, hash, n: at } of rows) {
      if (at !== last + 1n) found.push(difference(chain, last + 1n, `${at - last - 1n} entries are missing`))
      const text = [secret, String(chain), String(at), ...columns].map(framed).join("")
      const expected = createHash("sha256").update(before).update(text).digest()
      if (!expected.equals(hash)) found.push(difference(chain, at, "the entry was changed, or the one before it was"))
      last = at
      before = hash
    }
    if (rows.length < Bounds.pageRecords) break
  }
  if (last !== end) found.push(difference(chain, undefined, `the chain ends with n ${last}; its head has n ${end}`))
  else if (!Buffer.from(endHash).equals(before))
    found.push(difference(chain, last, "the last entry is not the one of the head"))
  return found
})

/** The differences of all chains, in the connection's snapshot. */
export const differences = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, secret: string) {
  const heads = yield* headRows(connection.query("SELECT chain, n::text AS n, hash FROM audit_heads ORDER BY chain"))
  const found: Array<Difference> = []
  for (const { chain, hash, n } of heads) found.push(...(yield* ofChain(connection, secret, chain, n, hash)))
  const { lost } = yield* lostRow(
    connection.query(
      "SELECT count(*) AS lost FROM audit WHERE chain NOT IN (SELECT h.chain FROM audit_heads h) OR n < 1"
    )
  )
  if (lost > 0) found.push({ table: "audit", message: `${lost} entries belong to no chain` })
  return found
})
