/** The code of a reward in a wallet (contract/operators.md *Scopes*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { IssuedReward } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { field } from "../Values.ts"
import { annotated, readProblems } from "./Endpoint.ts"
import { IssuedRewardParams, memberPath } from "./Members.ts"
import examples from "./memberExamples.json" with { type: "json" }

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]

export const RewardShown = Schema.Struct({ issued_reward: field(IssuedReward, "The reward as it is now.") })

export class MemberRewards extends HttpApiGroup.make("member_rewards")
  .add(
    HttpApiEndpoint.get("showMemberReward", `${memberPath}/rewards/:issued_reward_id`, {
      params: IssuedRewardParams,
      success: RewardShown,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "member_reward.show",
        "Show a reward of a member with its code",
        "To give the code out. Who has the code can redeem it, so each look is a request of its own in the request log.",
        codes,
        examples["member_reward.show"],
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Rewards of a member", description: "Codes of rewards in wallets." })) {}
