/**
 * Checks the audit's hash chains: each entry's hash covers the entry and the hash before it, and each chain ends at its
 * head.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { hashedColumns } from "../journal/Audit.ts"
import type { Difference } from "./Difference.ts"
import * as Bounds from "./Bounds.ts"

/**
 * A text with its length in front, as `framed` in the migrations. So two lists of texts never give the same hash input.
 */
const framed = (part: unknown): string => {
  if (part === null) return "-"
  const text = String(part)
  return `${Array.from(text).length}:${text}`
}

const pageStatement = `SELECT n::text, ${hashedColumns.map((column) => `${column}::text`).join(", ")}, hash FROM audit
  WHERE chain = $1::float8::smallint AND n > $2::text::bigint ORDER BY audit.n LIMIT ${Bounds.pageRecords}`

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
    const rows = yield* connection.queryValues(pageStatement, [PgTypes.float8(chain), String(last)])
    for (const [n, ...columns] of rows) {
      const at = BigInt(String(n))
      const hash = columns.pop() as Uint8Array
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
  const heads = yield* connection.queryValues("SELECT chain::float8, n::text, hash FROM audit_heads ORDER BY chain")
  const found: Array<Difference> = []
  for (const [chain, n, hash] of heads) {
    found.push(...(yield* ofChain(connection, secret, Number(chain), BigInt(String(n)), hash as Uint8Array)))
  }
  const [lost] = yield* connection.queryValues(
    "SELECT count(*)::float8 FROM audit WHERE chain NOT IN (SELECT h.chain FROM audit_heads h) OR n < 1"
  )
  if (Number(lost?.[0]) > 0) {
    found.push({ table: "audit", message: `${String(lost?.[0])} entries belong to no chain` })
  }
  return found
})
