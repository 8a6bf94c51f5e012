/** The routes of one member, for operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import * as OneMember from "./OneMember.ts"

export const layer = HttpApiBuilder.group(AdminApi, "member", (handlers) =>
  Effect.map(OneMember.make, (members) =>
    handlers
      .handle("showMember", ({ params }) => members.show(params))
      .handle("memberLedger", ({ params, query }) => members.ledger(params, query))
      .handle("memberLedgerCsv", ({ params, query }) => members.ledgerCsv(params, query))
      .handle("memberBalance", ({ params, query }) => members.balance(params, query.at))
      .handle("adjustMember", ({ params, payload }) => members.adjust(params, payload))
      .handle("issueMemberReward", ({ params, payload }) => members.issue(params, payload))
      .handle("setMemberStatus", ({ params, payload }) => members.setStatus(params, payload))
      .handle("changeMemberIdentities", ({ params, payload }) => members.setIdentities(params, payload))
  )
)
