/** The routes of one member, for operators. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as OneMember from "./OneMember.ts"

/** 200 for a repeated business identifier and for `dry_run`, 201 otherwise. */
const answered = <Body extends object>({ body, created }: OneMember.Done<Body>) =>
  created ? body : HttpServerResponse.jsonUnsafe(body)

export const layer = HttpApiBuilder.group(AdminApi, "member", (handlers) =>
  Effect.map(Effect.all([OneMember.make, PeoplePool]), ([members, { query }]) =>
    handlers
      .handle("showMember", ({ params }) => members.show(params))
      .handle("memberLedger", ({ params, query }) => members.ledger(params, query))
      .handle("memberLedgerCsv", ({ params, query: filters }) =>
        Effect.tap(members.ledgerCsv(params, filters), () =>
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
