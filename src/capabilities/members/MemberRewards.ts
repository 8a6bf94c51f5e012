/** The operators' route that shows a reward with its code (contract/operators.md *Scopes*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { RewardShown } from "../../contract/admin/MemberRewards.ts"
import { isOwn } from "../../core/account/domain/State.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as OneMember from "./OneMember.ts"

export const layer = HttpApiBuilder.group(AdminApi, "member_rewards", (handlers) =>
  Effect.map(OneMember.needed, (parts) =>
    handlers.handle("showMemberReward", ({ params }) =>
      Effect.gen(function* () {
        const { issued_reward_id: id, member_id } = params
        const { resident, state } = yield* OneMember.see(parts, params)
        const reward = state.rewards.find(({ issued }) => issued === id)
        if (reward === undefined || !isOwn(reward))
          return yield* refuse("not_found", `Member ${member_id} has no reward ${id}.`)
        return Render.present<typeof RewardShown.Type>({
          issued_reward: Render.issuedReward(ownerOf(resident), reward)
        })
      })
    )
  )
)
