/**
 * Wrong codes by the network that they come from, on all nodes (contract/guests.md *Wrong codes*): somebody who guesses for many
 * guests has one network, or few.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf } from "../../base/database/Values.ts"
import { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { networkOf } from "../../desk/access/WrongKeys.ts"
import * as Bounds from "./Bounds.ts"

const { text, uuid } = PgTypes

/** PostgreSQL's time, ms. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
const isInHour = `w.began > ${now} - ${Bounds.wrongMs}`

const waitRow = firstOf(Schema.Struct({ ms: Schema.Number }))

const keyOf = (claimKey: ClaimKey, address: string) => claimKey("network", networkOf(address))

interface Parts {
  readonly query: Query
  readonly claimKey: ClaimKey
}

/** Counts a wrong code, and forgets some of ended hours, but for those that another one forgets or counts: none waits for it. */
const count = ({ claimKey, query }: Parts, kind: string, address: string) =>
  query(
    `WITH old AS (DELETE FROM wrong_codes WHERE (network, kind) IN (
          SELECT network, kind FROM wrong_codes w WHERE NOT ${isInHour} AND (w.network, w.kind) <> ($1, $2)
            LIMIT ${Bounds.swept} FOR UPDATE SKIP LOCKED))
      INSERT INTO wrong_codes AS w (network, kind, began, count) VALUES ($1, $2, ${now}, 1)
      ON CONFLICT (network, kind) DO UPDATE SET began = CASE WHEN ${isInHour} THEN w.began ELSE excluded.began END,
        count = CASE WHEN ${isInHour} THEN w.count ELSE 0 END + 1`,
    [uuid(keyOf(claimKey, address)), text(kind)]
  )

/** Time until codes of a network are looked at again, ms; undefined: they are. */
const waitOf = ({ claimKey, query }: Parts, kind: string, address: string) =>
  Effect.map(
    waitRow(
      query(
        `SELECT (w.began + ${Bounds.wrongMs} - ${now})::float8 AS ms FROM wrong_codes w
          WHERE w.network = $1 AND w.kind = $2 AND ${isInHour} AND w.count >= ${Bounds.mostWrong}`,
        [uuid(keyOf(claimKey, address)), text(kind)]
      )
    ),
    (row) => row?.ms
  )

/**
 * Looks at a code unless too many of its network were wrong. `isWrong`: of a refusal, true if the code was. `address`: of the
 * caller; undefined: a command, which counts nowhere. `kind`: each kind of codes counts for itself.
 */
export const counted = Effect.fnUntraced(function* <A, R>(
  parts: Parts,
  { address, kind }: { readonly address: string | undefined; readonly kind: "claim" },
  look: Effect.Effect<A, Refused, R>,
  isWrong: (refused: Refused) => boolean
): Effect.fn.Return<A, Refused, R> {
  if (address === undefined) return yield* look
  const waitMs = yield* waitOf(parts, kind, address)
  if (waitMs !== undefined)
    return yield* Effect.fail(
      new Refused({
        code: "rate_limited",
        detail: "Too many wrong codes came from this network.",
        retryAfter: Math.max(1, Math.ceil(waitMs / 1000))
      })
    )
  return yield* Effect.tapError(look, (refused) => (isWrong(refused) ? count(parts, kind, address) : Effect.void))
})
