/** The write freeze (contract/databases.md *Write freeze*): its stored switch for commands, and the operators' routes. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, storageUnavailable } from "../../base/database/Pools.ts"
import { oneOf } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Refused } from "../../contract/Refused.ts"
import { auditText } from "../../core/journal/Audit.ts"
import { followedMs, WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { AuditFacts } from "../../desk/surface/Audit.ts"
import { entryOf } from "../../desk/surface/Audit.ts"

/** The audit's facts of a change of the switch. */
const facts = (before: boolean, after: boolean, reason?: string): AuditFacts => ({
  action: after ? "freeze.on" : "freeze.off",
  reason,
  subject: { type: "installation", id: "writes" },
  changes: { before: { write_frozen: before }, after: { write_frozen: after } }
})

const Switch = Schema.Struct({ write_frozen: Schema.Boolean })
type Switch = typeof Switch.Type

const served = oneOf(Schema.Struct({ served: Schema.Boolean }))

export const read: Effect.Effect<Switch, Refused, PeoplePool> = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  return yield* oneOf(Switch)(query("SELECT write_frozen FROM installation"))
})

export const set = (frozen: boolean, reason?: string): Effect.Effect<Switch, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const entry = yield* entryOf(facts((yield* read).write_frozen, frozen, reason))
    yield* query("SELECT set_write_frozen($1, $2::jsonb)", [PgTypes.bool(frozen), PgTypes.text(auditText(entry))])
    // Until every node refuses.
    if (frozen && (yield* served(query("SELECT EXISTS (SELECT FROM nodes WHERE NOT dead) AS served"))).served)
      yield* Effect.sleep(followedMs)
    return { write_frozen: frozen }
  })

export const layer = HttpApiBuilder.group(AdminApi, "maintenance", (handlers) =>
  Effect.map(WriteFreeze, (freeze) => {
    const state = () => ({ write_frozen: freeze.isFrozen() })
    return handlers
      .handle("maintenance", () => Effect.sync(state))
      .handle("freeze", ({ payload: { reason, write_frozen } }) =>
        Effect.flatMap(entryOf(facts(freeze.isFrozen(), write_frozen, reason)), (entry) =>
          Effect.mapBoth(freeze.set(write_frozen, entry), { onSuccess: state, onFailure: () => storageUnavailable })
        )
      )
  })
)
