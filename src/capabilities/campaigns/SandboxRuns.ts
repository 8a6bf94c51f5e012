/**
 * Campaigns while a sandbox's clock moves: each occurrence of a schedule runs, and each delayed event of a trigger
 * gives, with the clock at its own instant (contract/databases.md *Sandbox clock*).
 */
import { Effect, Layer, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf, optional } from "../../base/database/Values.ts"
import * as Pace from "../../base/time/Pace.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Posting } from "../../core/expiry/Expiry.ts"
import { OnTheWay } from "../../core/expiry/Sandbox.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Rollups } from "../../reads/rollups/Rollups.ts"
import * as Bounds from "./Bounds.ts"
import { CampaignRuns } from "./CampaignRuns.ts"

const nextStatement = `SELECT min(at) AS at FROM (
    SELECT min(c.next_at) AS at FROM campaigns c WHERE c.next_at > $1
    UNION ALL SELECT min(e.due_at) FROM campaign_events e JOIN campaigns c ON c.campaign_id = e.campaign_id
      WHERE c.status = 'active' AND e.outcome IS NULL AND NOT e.begun AND e.due_at > $1
  ) due`

const nextRow = oneOf(Schema.Struct({ at: optional(Schema.Number) }))

const make = Effect.gen(function* () {
  const { round } = yield* CampaignRuns
  const { query } = yield* WorkPool
  const { catchUp } = yield* Rollups
  const freeze = yield* WriteFreeze
  const { now } = yield* serviceTime
  const rounds = Effect.gen(function* () {
    for (let done = 0; done < Bounds.movedRounds; done++) {
      // Audiences are chosen by the figures of members, also of those to whom the round before gave.
      yield* catchUp()
      const result = yield* round
      if (result === "busy") yield* Effect.sleep(Pace.overloadedMs)
      else if (result !== "worked") break
      yield* Effect.yieldNow
    }
  })
  const orUnavailable = <A>(effect: Effect.Effect<A, Refused | JournalUnavailable>) =>
    Effect.catch(effect, (error) =>
      Effect.as(Effect.logDebug("Campaigns wait for the database", error), "unavailable" as const)
    )
  return OnTheWay.of({
    postDue: Effect.suspend(
      (): Effect.Effect<Posting> =>
        freeze.mayWrite() ? orUnavailable(Effect.as(rounds, "done" as const)) : Effect.succeed("frozen")
    ),
    next: Effect.suspend(() => orUnavailable(Effect.map(nextRow(query(nextStatement, [int8(now())])), ({ at }) => at)))
  })
})

export const layer: Layer.Layer<OnTheWay, never, CampaignRuns | Rollups | WorkPool | WriteFreeze> = Layer.effect(
  OnTheWay,
  make
)
