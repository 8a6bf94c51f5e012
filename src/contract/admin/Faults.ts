/** The faults of a sandbox, for operators (contract/operators.md *Faults*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { basePath } from "../protocol/Protocol.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { field, optional, Text, whole } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"

const faultsPath = `${adminPath}/sandbox/faults` as const

export const faultKinds = ["drop_request", "drop_answer", "delay", "answer_503", "duplicate"] as const

const number = (minimum: number, maximum: number) =>
  whole(minimum, maximum, told`must be a whole number from ${minimum} to ${maximum}`)

const rule = {
  fault: field(
    Schema.Literals(faultKinds),
    "`drop_request`: the connection is closed and nothing is done. `drop_answer`: the same once it is done. " +
      "`delay`: it is done later. `answer_503`: nothing is done. `duplicate`: it is done twice, and the second answer is sent."
  ),
  next: optional(
    number(1, 1_000_000),
    "The next so many requests that fit. Exactly one of `next` and `rate_bps` is given."
  ),
  rate_bps: optional(number(1, 10_000), "A share of the requests that fit, in basis points."),
  method: optional(Schema.Literals(["GET", "POST"]), "Only requests of this method."),
  path: optional(Text, "Only requests to this whole path, such as `/proto/v1/accruals`."),
  delay_ms: optional(number(1, 60_000), "How long it waits, in milliseconds. With `delay`, and only there."),
  retry_after_seconds: optional(number(0, 3_600), "The header `Retry-After`. Only with `answer_503`; absent: 1.")
}

export const FaultRule = Schema.Struct(rule).annotate({ identifier: "FaultRule" })

const CountedFault = Schema.Struct({
  ...rule,
  applied: field(number(0, Number.MAX_SAFE_INTEGER), "How many requests the rule has hit.")
}).annotate({ identifier: "CountedFault" })

const Seed = number(0, 2 ** 32 - 1)

export const FaultsPut = Schema.Struct({
  rules: field(
    Schema.Array(FaultRule).check(Schema.isMaxLength(20)),
    "At most 20, instead of those before. The first that applies counts. None: no faults."
  ),
  seed: optional(Seed, "Decides which requests `rate_bps` hits. Absent: by chance.")
}).annotate({ identifier: "FaultsPut" })

export const FaultsState = Schema.Struct({
  rules: field(Schema.Array(CountedFault), "In their order."),
  seed: field(Seed, "The seed that the rules go by.")
}).annotate({ identifier: "FaultsState" })

const readCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const putCodes: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]

const example = { fault: "duplicate", next: 2, path: `${basePath}/accounts/get` }

export class SandboxFaults extends HttpApiGroup.make("faults")
  .add(
    HttpApiEndpoint.get("faults", faultsPath, { success: FaultsState, error: problems(readCodes) }).annotateMerge(
      annotated(
        "faults.show",
        "Show the sandbox's faults",
        "Answers `not_found` on a live service, and to callers from other machines.",
        readCodes,
        { response: { rules: [], seed: 0 } },
        true
      )
    ),
    HttpApiEndpoint.put("setFaults", faultsPath, {
      payload: FaultsPut,
      success: FaultsState,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "faults.set",
        "Set the sandbox's faults",
        `Requests to \`${basePath}\` meet them, to test how a till retries. They hold in the node that answers, until others ` +
          "are set, a reset or the end of its process. Answers `not_found` on a live service, and to callers from other machines. Audited.",
        putCodes,
        { request: { rules: [example], seed: 7 }, response: { rules: [{ ...example, applied: 0 }], seed: 7 } }
      )
    )
  )
  .middleware(Refusals)
  .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sandbox faults",
      description: "Lost, late and repeated requests on a service started with `--sandbox-clock`."
    })
  ) {}
