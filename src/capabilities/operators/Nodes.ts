/** The nodes of the database, as its tables show them (contract/operators.md *Nodes*). */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { rowsOf } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { DatabaseNodes } from "../../contract/admin/Nodes.ts"
import { nodeRoles } from "../../contract/protocol/Protocol.ts"
import type { Refused } from "../../contract/Refused.ts"
import { partitionCount } from "../../core/cluster/Placement.ts"

const nodeRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    address: Schema.String,
    version: Schema.String,
    protocol: Schema.Number,
    role: Schema.Literals([...nodeRoles, "dead"]),
    partitions: Schema.Number,
    beat_age_ms: Schema.Number
  })
)

const statement = `SELECT id, address, version, protocol,
    CASE WHEN dead THEN 'dead' WHEN wants THEN 'node' WHEN leaves THEN 'leaving' ELSE 'joining' END AS role,
    (SELECT count(*) FROM partitions p WHERE p.owner = n.id) AS partitions,
    greatest(0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - beat_at) AS beat_age_ms
  FROM nodes n ORDER BY address, id`

/** Works beside services and without one. */
export const read: Effect.Effect<DatabaseNodes, Refused, PeoplePool> = Effect.gen(function* () {
  const { holder, query } = yield* PeoplePool
  const rows = yield* nodeRows(query(statement))
  const owned = rows.reduce((sum, { partitions, role }) => (role === "dead" ? sum : sum + partitions), 0)
  return {
    nodes: rows.map((row) => ({ ...row, is_this: row.id === holder })),
    partitions: partitionCount,
    unowned: partitionCount - owned
  }
})

export const layer = HttpApiBuilder.group(AdminApi, "nodes", (handlers) =>
  Effect.map(PeoplePool, (pool) => handlers.handle("nodes", () => Effect.provideService(read, PeoplePool, pool)))
)
