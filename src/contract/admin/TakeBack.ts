/** Taking back the unused rewards of one cause, for operators (contract/operators.md *Taking rewards back*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, field, Identifier, Integer, optional, Timestamp } from "../Values.ts"
import { annotated, changeProblems } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"

/** Most rewards that one request cancels. */
export const maxTakenBack = 200

export const RewardCause = Schema.Struct({
  stamp_card: optional(Schema.Literal(true), "Rewards of full stamp cards, whichever reward the card had."),
  challenge_id: optional(Identifier, "Rewards of a challenge that was completed."),
  run_id: optional(Identifier, "Rewards of a campaign's run.")
}).annotate({ identifier: "RewardCause", description: "What issued the rewards: exactly one of the three." })
export type RewardCause = typeof RewardCause.Type

export const TakeBack = Schema.Struct({
  cause: field(RewardCause, "What issued the rewards."),
  from: optional(Timestamp, "Rewards issued at this instant and later. Absent: from the first."),
  until: optional(Timestamp, "Rewards issued before this instant. Absent: up to the last."),
  reason: field(FilledReason, "The reason, for each reward and the audit log. It must not contain personal data."),
  dry_run: optional(Schema.Boolean, "True: only counts the rewards. Served while writes are frozen.")
})

export const TakenBack = Schema.Struct({
  dry_run: optional(Schema.Literal(true), "Nothing was changed."),
  found: field(Integer, "Unused rewards of the cause before the request."),
  cancelled: field(Integer, `Those that this request cancelled, at most ${maxTakenBack}. With \`dry_run\` 0.`),
  left: field(
    Integer,
    "Those that it tried and left: held by a reservation, or used or cancelled by somebody else meanwhile. With `dry_run` 0."
  )
})
export type TakenBack = typeof TakenBack.Type

const codes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "program_retired", "limit_exceeded"]

const examples = {
  request: { cause: { stamp_card: true }, from: "2026-07-13T00:00:00Z", reason: "The card counted points" },
  response: { found: 0, cancelled: 0, left: 0 }
}

export class RewardsTakenBack extends HttpApiGroup.make("takeBack")
  .add(
    HttpApiEndpoint.post("takeBackRewards", `${programPath}/rewards/take-back`, {
      params,
      payload: TakeBack,
      success: TakenBack,
      error: problems(codes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "reward.take_back",
          "Take back the unused rewards of one cause",
          `Cancels at most ${maxTakenBack} rewards, each as \`rewards/{issued_reward_id}/cancel\` does. While \`found\` is more than ` +
            "`cancelled` and `left` together there are more: send the request again, without a key or with another one. ",
          codes,
          examples
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Rewards taken back", description: "Cancels the unused rewards of one cause." })
  ) {}
