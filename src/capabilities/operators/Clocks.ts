/**
 * The confirmation of a clock that is far ahead of the newest stored heartbeat
 * (contract/databases.md *Clock of the service*).
 */
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { oneOf, optional } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"

const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const heartbeats = oneOf(Schema.Struct({ former: optional(Schema.Number), confirmed: Schema.Number }))

/** Stores PostgreSQL's time as that of a heartbeat, with an audit entry; returns it, ms. */
export const confirm = (reason: string): Effect.Effect<number, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    return yield* transaction(
      Effect.gen(function* () {
        const { confirmed, former } = yield* heartbeats(
          query(
            `UPDATE newest_beat b SET at = ${now}
              FROM (SELECT greatest(at, (SELECT max(beat_at) FROM nodes)) AS at FROM newest_beat FOR UPDATE) former
            RETURNING former.at AS former, b.at AS confirmed`
          )
        )
        yield* Audit.tell(query, {
          action: "clock.confirm",
          subject: { type: "installation", id: "clock" },
          changes: {
            before: { newest_heartbeat: former === undefined ? null : fromMillis(former) },
            after: { now: fromMillis(confirmed) }
          },
          reason
        })
        return confirmed
      })
    )
  })
