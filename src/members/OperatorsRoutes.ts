/** The routes of one member, for operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import { AdminDatabase } from "../surface/AdminDatabase.ts"
import * as Audit from "../surface/Audit.ts"
import * as OneMember from "./OneMember.ts"

export const layer = HttpApiBuilder.group(AdminApi, "member", (handlers) =>
  Effect.map(Effect.all([OneMember.make, AdminDatabase]), ([members, database]) =>
    handlers
      .handle("showMember", ({ params }) => members.show(params))
      .handle("memberLedger", ({ params, query }) => members.ledger(params, query))
      .handle("memberLedgerCsv", ({ params, query }) =>
        Effect.tap(members.ledgerCsv(params, query), () =>
          Audit.tell({
            action: "member.export",
            subject: { type: "member", id: params.member_id },
            programId: params.program_id
          }).pipe(Effect.provideService(AdminDatabase, database))
        )
      )
      .handle("memberBalance", ({ params, query }) => members.balance(params, query.at))
      .handle("adjustMember", ({ params, payload }) => members.adjust(params, payload))
      .handle("issueMemberReward", ({ params, payload }) => members.issue(params, payload))
      .handle("setMemberStatus", ({ params, payload }) => members.setStatus(params, payload))
      .handle("changeMemberIdentities", ({ params, payload }) => members.setIdentities(params, payload))
  )
)
