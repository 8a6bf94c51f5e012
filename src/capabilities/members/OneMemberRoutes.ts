/** The routes of one member, for operators. */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { RewardShown } from "../../contract/admin/MemberRewards.ts"
import { said } from "../../contract/Said.ts"
import { isOwn } from "../../core/account/domain/State.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as LedgerPages from "./LedgerPages.ts"
import * as OneMember from "./OneMember.ts"
import * as Receipts from "./Receipts.ts"

/** 200 for a repeated business identifier and for `dry_run`, 201 otherwise. */
const answered = <Body extends object>({ body, created }: OneMember.Done<Body>) =>
  created ? body : HttpServerResponse.jsonUnsafe(body)

const memberLayer = HttpApiBuilder.group(AdminApi, "member", (handlers) =>
  Effect.map(Effect.all([OneMember.make, OneMember.needed, PeoplePool]), ([members, parts, { query }]) =>
    handlers
      .handle("showMember", ({ params }) => members.show(params))
      .handle("memberLedger", ({ params, query }) => LedgerPages.ledger(parts, params, query))
      .handle("memberLedgerCsv", ({ params, query: filters }) =>
        Effect.tap(LedgerPages.ledgerCsv(parts, params, filters), () =>
          Audit.tell(query, {
            action: "member.export",
            subject: { type: "member", id: params.member_id },
            programId: params.program_id
          })
        )
      )
      .handle("memberBalance", ({ params, query }) => members.balance(params, query.at))
      .handle("adjustMember", ({ params, payload }) => Effect.map(members.adjust(params, payload), answered))
      .handle("issueMemberReward", ({ params, payload }) => Effect.map(members.issue(params, payload), answered))
      .handle("cancelMemberReward", ({ params, payload }) =>
        members.cancelReward(params, params.issued_reward_id, payload)
      )
      .handle("setMemberStatus", ({ params, payload }) => members.setStatus(params, payload))
      .handle("changeMemberIdentities", ({ params, payload }) => members.setIdentities(params, payload))
  )
)

export const layer = Layer.merge(memberLayer, Receipts.layer)

/** The route that shows a reward with its code (contract/operators.md *Scopes*). */
export const rewardsLayer = HttpApiBuilder.group(AdminApi, "member_rewards", (handlers) =>
  Effect.map(OneMember.needed, (parts) =>
    handlers.handle("showMemberReward", ({ params }) =>
      Effect.gen(function* () {
        const { issued_reward_id: id, member_id } = params
        const { resident, state } = yield* OneMember.see(parts, params)
        const reward = state.rewards.find(({ issued }) => issued === id)
        if (reward === undefined || !isOwn(reward))
          return yield* refuse("not_found", said`Member ${member_id} has no reward ${id}.`)
        return Render.present<typeof RewardShown.Type>({
          issued_reward: Render.issuedReward(ownerOf(resident), reward)
        })
      })
    )
  )
)
