/** Tokens that a person has made keep to her limits to restaurants (contract/people.md *Limited to restaurants*). */
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { rowsOf } from "../../base/database/Values.ts"
import { intersected, isWithinLimits, limitsIn, type RestaurantLimits } from "../../contract/RestaurantLimits.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Limited from "../../desk/surface/Limited.ts"

/** Tokens of a user and those that they made, directly or through others, locked until the transaction ends. */
const lineStatement = `WITH RECURSIVE line AS (
    SELECT token_id FROM tokens WHERE issuer = $1
    UNION SELECT t.token_id FROM tokens t JOIN line l ON t.issuer = l.token_id)
  SELECT t.token_id, t.location_ids, t.franchisee_ids, t.brand_ids FROM tokens t JOIN line l ON l.token_id = t.token_id
  WHERE t.revoked_at IS NULL ORDER BY t.token_id FOR UPDATE OF t`
const lineOf = rowsOf(Schema.Struct({ token_id: Schema.String, ...Limited.columns }))

/** A token locks its issuer's row while it is made: after the locks, a second look finds those that were on their way. */
const line = Effect.fnUntraced(function* (userId: string) {
  const { query } = yield* PeoplePool
  const look = lineOf(query(lineStatement, [userId]))
  let found = yield* look
  for (let known = -1; known < found.length; ) {
    known = found.length
    found = yield* look
  }
  return found
})

const updateStatement = `UPDATE tokens SET location_ids = $2::text[], franchisee_ids = $3::text[], brand_ids = $4::text[]
  WHERE token_id = $1`

/** Narrows the tokens of a user's line to her limits. Requires: her row is locked, in the open transaction. */
export const narrow = Effect.fnUntraced(function* (userId: string, limits: RestaurantLimits, reason: string) {
  const { query } = yield* PeoplePool
  const outer = limitsIn(limits)
  if (outer === undefined) return
  for (const { token_id, ...own } of yield* line(userId)) {
    if (isWithinLimits(outer, own)) continue
    const after = intersected(outer, own)
    yield* query(updateStatement, [token_id, ...Limited.parameters(after)])
    const changes = Audit.changesOf(limitsIn(own) ?? {}, limitsIn(after) ?? {})
    yield* Audit.tell(query, { action: "token.narrow", subject: { type: "token", id: token_id }, reason, changes })
  }
})
