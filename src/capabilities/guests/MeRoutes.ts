/** The routes by which a guest sees and does everything but signing in (contract/guests.md *What a guest sees*). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { GuestApi } from "../../contract/guest/Api.ts"
import { needed as claimsNeeded } from "../claims/Parts.ts"
import * as MemberExport from "../members/MemberExport.ts"
import type * as OneMember from "../members/OneMember.ts"
import * as Claims from "./Claims.ts"
import { CurrentGuest, freshGuest } from "./CurrentGuest.ts"
import * as History from "./History.ts"
import * as Me from "./Me.ts"
import { needed } from "./Parts.ts"
import * as Profile from "./Profile.ts"
import * as TakeReward from "./TakeReward.ts"

const response = ({ body, created }: { readonly body: object; readonly created: boolean }) =>
  HttpServerResponse.jsonUnsafe(body, { status: created ? 201 : 200 })

/** The guest's file, for a session with a fresh code alone. */
const download = Effect.fnUntraced(function* (parts: OneMember.Parts) {
  const { memberId, program } = yield* freshGuest
  return yield* MemberExport.exported(parts, { program_id: program.id, member_id: memberId }, true)
})

/** The same as a page that prints. */
const print = Effect.fnUntraced(function* (parts: MemberExport.Printing) {
  const { memberId, program } = yield* freshGuest
  return yield* MemberExport.printed(parts, { program_id: program.id, member_id: memberId }, undefined, true)
})

export const layer = HttpApiBuilder.group(GuestApi, "guest_me", (handlers) =>
  Effect.gen(function* () {
    const parts = yield* needed
    const claims = yield* claimsNeeded
    const printing = yield* MemberExport.printing
    const guest = CurrentGuest
    return handlers
      .handle("showMe", () => Effect.flatMap(guest, (who) => Me.show(parts, who)))
      .handle("showMyHistory", ({ query }) => Effect.flatMap(guest, (who) => History.page(parts, who, query)))
      .handle("claimMyOrder", ({ payload }) =>
        Effect.flatMap(guest, (who) => Effect.map(Claims.claim(parts, claims, who, payload.claim_code), response))
      )
      .handle("takeMyReward", ({ payload }) =>
        Effect.flatMap(guest, (who) =>
          Effect.map(TakeReward.take(parts, who, who.session.hash, payload.reward_id), response)
        )
      )
      .handle("changeMyProfile", ({ payload }) => Effect.flatMap(guest, (who) => Profile.change(parts, who, payload)))
      .handle("downloadMyData", () => download(printing.member))
      .handle("printMyData", () => print(printing))
  })
)
