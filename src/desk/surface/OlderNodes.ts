/** Versions before 0.4.0, which may run beside during an upgrade and do not hold to what they do not know. */
import { Effect, Schema } from "effect"
import { isOlder } from "../../base/database/Migrations.ts"
import { type Pool, storageUnavailable } from "../../base/database/Pools.ts"
import { oneOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { refuse } from "./Refusal.ts"

const firstVersion = "0.4.0"

const nodesOf = oneOf(Schema.Struct({ is_barred: Schema.Boolean, running: Schema.Array(Schema.String) }))
// One bar for all that the version brought: it is named after what came first.
const nodesStatement = `SELECT EXISTS (SELECT FROM migrations WHERE name = 'restaurant limits') AS is_barred,
    ARRAY(SELECT DISTINCT version FROM nodes WHERE NOT dead ORDER BY 1) AS running`

/** Refuses while an older version runs. Returns whether none starts any more. */
const mustBeNew = Effect.fnUntraced(function* ({ query }: Pool, unknown: string) {
  const { is_barred, running } = yield* nodesOf(query(nodesStatement))
  const older = running.find((version) => isOlder(version, firstVersion))
  return older === undefined
    ? is_barred
    : yield* refuse(
        "invalid_state",
        said`A node of version ${older} runs, which knows no ${unknown}. Replace it first.`
      )
})

/**
 * Before something is stored that older versions do not hold to (`unknown`): none starts from now on, and none runs. The bar
 * is committed apart, also within a transaction: a node that starts meanwhile must see it, or be seen.
 */
export const bar = Effect.fnUntraced(function* (pool: Pool, unknown: string): Effect.fn.Return<void, Refused> {
  if (yield* mustBeNew(pool, unknown)) return
  const barred = pool.apart((connection) => connection.query("SELECT bar_nodes_without_limits()"))
  yield* Effect.catch(barred, (error) =>
    Effect.andThen(Effect.logWarning("Older versions could not be kept from starting", error), storageUnavailable)
  )
  yield* mustBeNew(pool, unknown)
})
