/** The operators' routes for the faults of a sandbox. A live service has none, and other machines set none. */
import { Context, Effect, Layer, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { randomInt } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { FaultRule, FaultsState } from "../../contract/admin/Faults.ts"
import { basePath } from "../../contract/protocol/Protocol.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import { FaultRules } from "./FaultRules.ts"

type Rules = FaultRules<typeof FaultRule.Type>

/** The faults that requests of a sandbox meet, in this process alone. */
export class SandboxFaults extends Context.Service<
  SandboxFaults,
  {
    /** Undefined: none. */
    rules: Rules | undefined
  }
>()("lotbook/capabilities/operators/SandboxFaults") {
  static readonly layer = Layer.sync(SandboxFaults, () => SandboxFaults.of({ rules: undefined }))
}

const isLive = refuse("not_found", "This service runs on the real clock, and only a sandbox has faults.")

const isElsewhere = refuse("not_found", "Only callers on the service's own machine see and set faults.")

const isLoopback = (address: string | undefined): boolean => address === "::1" || address?.startsWith("127.") === true

const stateOf = (rules: Rules | undefined): typeof FaultsState.Type => ({
  rules: rules?.rules().map(({ applied, rule }) => ({ ...rule, applied })) ?? [],
  seed: rules?.seed ?? 0
})

/** Faults of a rule beyond its schema. */
const faultOf = ({ delay_ms, fault, next, path, rate_bps, retry_after_seconds }: typeof FaultRule.Type) => {
  if ((next === undefined) === (rate_bps === undefined)) return "must have exactly one of next and rate_bps"
  if ((delay_ms === undefined) !== (fault !== "delay")) return "must have delay_ms with delay, and only there"
  if (retry_after_seconds !== undefined && fault !== "answer_503") return "has retry_after_seconds without answer_503"
  if (path !== undefined && !path.startsWith(`${basePath}/`)) return `must have a path under ${basePath}`
  return undefined
}

export const layer = HttpApiBuilder.group(AdminApi, "faults", (handlers) =>
  Effect.gen(function* () {
    const faults = Option.getOrUndefined(yield* Effect.serviceOption(SandboxFaults))
    const database = yield* PeoplePool
    const here = Effect.gen(function* () {
      if (faults === undefined) return yield* isLive
      const { sourceIp } = yield* CurrentCaller
      return isLoopback(sourceIp) ? faults : yield* isElsewhere
    })
    return handlers
      .handle("faults", () => Effect.map(here, ({ rules }) => stateOf(rules)))
      .handle("setFaults", ({ payload }) =>
        Effect.gen(function* () {
          const found = yield* here
          const wrong = payload.rules.flatMap((rule, at) => {
            const message = faultOf(rule)
            return message === undefined ? [] : [{ path: `/rules/${at}`, message }]
          })
          if (wrong.length > 0) return yield* refuseFaults(wrong)
          const next = new FaultRules(payload.rules, payload.seed ?? randomInt(2 ** 32))
          const told = (rules: Rules | undefined) => rules?.rules().map(({ rule }) => ({ ...rule })) ?? []
          const entry = Audit.tell(database.query, {
            action: "faults.set",
            subject: { type: "installation", id: "faults" },
            changes: { before: { rules: told(found.rules) }, after: { rules: told(next) } }
          })
          yield* database.transaction(entry)
          // No rule, no look at one.
          found.rules = payload.rules.length === 0 ? undefined : next
          return stateOf(next)
        })
      )
  })
)
