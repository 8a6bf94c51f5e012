/** Requests that give points or rewards without being an adjustment (contract/operators.md *Scopes*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { mayGive } from "../../contract/Scopes.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import { refuse } from "./Refusal.ts"

/** Refuses a caller that may not give. `what` gives, such as “Starting a campaign”. */
export const mustGive = (surface: "admin" | "platform", what: string): Effect.Effect<void, Refused, CurrentCaller> =>
  Effect.flatMap(CurrentCaller, ({ kind, scopes }) =>
    mayGive(scopes, surface)
      ? Effect.void
      : refuse(
          "forbidden",
          said`${what} gives points or rewards. ${kind === "user" ? "Your role" : "The token"} lacks the scope ${"points:give"}.`
        )
  )
