/** The operators' routes that show and move the sandbox clock, and reset the sandbox. A live service has no such clock. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { ClockMove, ClockState } from "../../contract/admin/Clock.ts"
import { after } from "../../contract/IsoDuration.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import type { Moved } from "../../core/expiry/Sandbox.ts"
import { Sandbox } from "../../core/expiry/Sandbox.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { KeepResult } from "../../desk/surface/Idempotency.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import { SandboxReset } from "./SandboxReset.ts"

/** Stores the time with each move. A restart continues from it. */
export const storeStatement = "UPDATE sandbox_clock SET now = $1"

const isLive = refuse(
  "not_found",
  "This service runs on the real clock. A sandbox is made with --sandbox-clock 2026-07-14T10:00:00Z."
)

const shown = (now: number) => ({ now: fromMillis(now), sandbox: true })

/** A function from the present time to the new one; undefined unless exactly one of the three properties is given. */
const targetOf = ({ advance, reset, set }: typeof ClockMove.Type): ((now: number) => number) | undefined => {
  if (reset !== undefined) return undefined
  if (set !== undefined && advance === undefined) return () => toMillis(set)
  if (advance !== undefined && set === undefined) return (now) => after(now, advance)
  return undefined
}

const answerTo = ({ _tag, now }: Moved): Effect.Effect<typeof ClockState.Type, Refused> => {
  switch (_tag) {
    case "Moved":
      return Effect.succeed(shown(now))
    case "Backwards":
      return refuse("invalid_state", said`The clock never goes back; it stands at ${fromMillis(now)}.`)
    case "Beyond":
      return refuse("invalid_state", "The clock cannot go beyond the year 9999.")
    case "Unposted":
      return refuse(
        "storage_unavailable",
        said`The clock moved to ${fromMillis(now)}. Some entries due by then are not posted yet; the service posts them once the database responds.`
      )
  }
}

export const layer = HttpApiBuilder.group(AdminApi, "clock", (handlers) =>
  Effect.gen(function* () {
    const sandbox = Option.getOrUndefined(yield* Effect.serviceOption(Sandbox))
    const reset = Option.getOrUndefined(yield* Effect.serviceOption(SandboxReset))
    const freeze = yield* WriteFreeze
    const database = yield* PeoplePool
    const startOver = Effect.gen(function* () {
      if (reset === undefined) return yield* isLive
      if (freeze.isFrozen()) return yield* refuse("write_frozen", "Writes are frozen; nothing is deleted.")
      const entry = yield* Audit.entryOf({ action: "clock.reset", subject: { type: "installation", id: "clock" } })
      return shown(yield* reset.run(entry))
    }).pipe(Effect.provideService(PeoplePool, database))
    // With the result of the request's key: a repetition would move the clock again.
    const record = (from: number, to: number) =>
      Effect.gen(function* () {
        yield* database.query(storeStatement, [int8(to)])
        yield* (yield* KeepResult)({ status: 200, body: JSON.stringify(shown(to)) })
        yield* Audit.tell(database.query, {
          action: "clock.move",
          subject: { type: "installation", id: "clock" },
          changes: { before: fromMillis(from), after: fromMillis(to) }
        })
      }).pipe(database.transaction)
    return handlers
      .handle("clock", () => (sandbox === undefined ? isLive : Effect.sync(() => shown(sandbox.now()))))
      .handle("moveClock", ({ payload }) => {
        if (sandbox === undefined) return isLive
        const { advance, set } = payload
        if (payload.reset === true && advance === undefined && set === undefined) return startOver
        const target = targetOf(payload)
        if (target !== undefined) return Effect.flatMap(sandbox.move(target, record), answerTo)
        return refuseFaults([{ path: "", message: "must have exactly one of advance, set and reset" }])
      })
  })
)
