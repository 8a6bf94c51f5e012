/**
 * Resets a sandbox without a restart of the process: closes all parts with state in memory, empties the tables, and
 * builds the parts again as at a start. Until then requests get 503 `not_active`.
 */
import { PgTypes } from "@effect/sql-pg"
import { Context, Deferred, Effect, Exit, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { sessionName } from "../../base/database/SessionName.ts"
import { int8, oneOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { AuditEntry } from "../../core/journal/Audit.ts"
import { auditText } from "../../core/journal/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"

/** The requests in flight. */
export interface Requests {
  /** Admits no new request until the returned function is called or the parts are built again. */
  readonly hold: () => () => void
  /** Number of requests in flight, including the one that resets. */
  readonly running: () => number
}

export class SandboxReset extends Context.Service<
  SandboxReset,
  {
    /** Resets the sandbox. `entry`: the first entry of the new audit. Returns the clock's new time, ms. */
    readonly run: (entry: AuditEntry) => Effect.Effect<number, Refused, PeoplePool>
  }
>()("lotbook/capabilities/operators/SandboxReset") {}

const othersStatement = `SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND starts_with(application_name, $1) AND application_name <> $2`

const count = oneOf(Schema.Struct({ n: Schema.Number }))
const outcome = oneOf(Schema.Struct({ is_done: Schema.Boolean }))

/** Refuses while another service of the database is alive, because its state in memory would become stale. */
const refuseOthers = Effect.gen(function* () {
  const { holder, query } = yield* PeoplePool
  const others = yield* count(query(othersStatement, [sessionName("node", ""), sessionName("node", holder)]))
  if (others.n > 0)
    return yield* refuse("invalid_state", "Another service of this database is alive. Stop it and try again.")
})

const underWay = refuse("not_active", "The sandbox is being reset. Try again in a few seconds.")

const busy = refuse("overloaded", "Requests in flight did not end in time. Nothing was changed; try again.")

/** Empties the tables. `now`: the clock's new time, ms. */
export const empty = (now: number, entry: AuditEntry): Effect.Effect<void, Refused, PeoplePool> =>
  Effect.gen(function* () {
    const { holder, query } = yield* PeoplePool
    const reset = yield* outcome(
      query("SELECT reset_sandbox($1, $2, $3::jsonb) AS is_done", [
        PgTypes.text(holder ?? null),
        int8(now),
        PgTypes.text(auditText(entry))
      ])
    )
    if (!reset.is_done)
      return yield* refuse("not_active", "This service is not the only node of its database any more.")
  })

/** A reset that a request waits for. */
export interface ResetRequest {
  readonly entry: AuditEntry
  readonly answer: Deferred.Deferred<number, Refused>
}

/** Passes resets from the route to the owner of the parts in memory. */
export class Resets {
  private readonly requests: Requests
  private readonly check: Effect.Effect<void, Refused, PeoplePool>
  private asked = Deferred.makeUnsafe<ResetRequest>()
  /** True from the request until its response. */
  isUnderWay = false

  /** `check` refuses a reset before anything is held back. */
  constructor(requests: Requests, check: Effect.Effect<void, Refused, PeoplePool> = refuseOthers) {
    this.requests = requests
    this.check = check
  }

  /** The next reset. All other requests have ended, and no new one is admitted until the parts are built again. */
  get next(): Effect.Effect<ResetRequest> {
    return Effect.tap(
      Effect.suspend(() => Deferred.await(this.asked)),
      () =>
        Effect.sync(() => {
          this.asked = Deferred.makeUnsafe()
        })
    )
  }

  readonly service = SandboxReset.of({
    run: (entry) =>
      Effect.suspend(() => {
        if (this.isUnderWay) return underWay
        this.isUnderWay = true
        return Effect.ensuring(
          this.runOne(entry),
          Effect.sync(() => {
            this.isUnderWay = false
          })
        )
      })
  })

  private runOne(entry: AuditEntry) {
    return Effect.gen({ self: this }, function* () {
      yield* this.check
      const release = this.requests.hold()
      for (let waitedMs = 0; this.requests.running() > 1; waitedMs += Bounds.drainPollMs) {
        if (waitedMs > Bounds.drainMs) {
          release()
          return yield* busy
        }
        yield* Effect.sleep(Bounds.drainPollMs)
      }
      const answer = Deferred.makeUnsafe<number, Refused>()
      Deferred.doneUnsafe(this.asked, Exit.succeed({ entry, answer }))
      return yield* Deferred.await(answer)
    })
  }
}
