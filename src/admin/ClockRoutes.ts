/**
 * The sandbox's clock for operators: `GET` shows it, `POST` moves it on.
 * Refused unless the service was started with `--sandbox-clock`.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { after, IsoDuration } from "../contract/IsoDuration.ts"
import { fromMillis, Timestamp, toMillis } from "../contract/Values.ts"
import { Sandbox } from "../expiry/Sandbox.ts"
import type { Reply } from "../http/Reply.ts"
import { problem } from "../http/Reply.ts"
import type { Route } from "../http/Transport.ts"
import * as Transport from "../http/Transport.ts"

const path = "/admin/api/v1/clock"

/** `{"advance": "P30D"}` or `{"set": "2026-08-01T00:00:00Z"}`: exactly one of them. */
const Move = Schema.Struct({ advance: Schema.optionalKey(IsoDuration), set: Schema.optionalKey(Timestamp) })

const shown = (now: number, sandbox: boolean): Reply => ({
  status: 200,
  body: JSON.stringify({ now: fromMillis(now), sandbox })
})

const neitherNor = problem("validation_failed", {
  detail: "The request does not fit its schema; errors says where.",
  instance: path,
  errors: [{ path: "", message: "must have exactly one of advance and set" }]
})

const refused = (detail: string): Reply => problem("invalid_state", { detail, instance: path })

export const make = Effect.gen(function* () {
  const sandbox = Option.getOrUndefined(yield* Effect.serviceOption(Sandbox))

  const get: Route["run"] = () =>
    sandbox === undefined
      ? Effect.map(Clock.currentTimeMillis, (now) => shown(now, false))
      : Effect.sync(() => shown(sandbox.now(), true))

  const post = Transport.withBody(Move, ({ advance, set }): Effect.Effect<Reply> => {
    if (sandbox === undefined) {
      return Effect.succeed(
        refused("This service runs on the real clock. Start a sandbox with --sandbox-clock 2026-07-14T10:00:00Z.")
      )
    }
    const target =
      set !== undefined && advance === undefined
        ? () => toMillis(set)
        : advance !== undefined && set === undefined
          ? (now: number) => after(now, advance)
          : undefined
    if (target === undefined) return Effect.succeed(neitherNor)
    return Effect.map(sandbox.move(target), ({ _tag, now }) => {
      switch (_tag) {
        case "Moved":
          return shown(now, true)
        case "Backwards":
          return refused(`The clock never goes back; it stands at ${fromMillis(now)}.`)
        case "Beyond":
          return refused("The clock cannot go beyond the year 9999.")
        case "Unposted":
          return problem("storage_unavailable", {
            detail: `The clock stands at ${fromMillis(now)}. Not everything due by then could be posted; that is done as soon as the database answers.`,
            instance: path
          })
      }
    })
  })

  return [
    ["GET", path, { auth: "admin", run: get }],
    ["POST", path, { auth: "admin", run: post }]
  ] as ReadonlyArray<readonly [string, string, Route]>
})
