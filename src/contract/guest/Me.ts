/** Routes by which a guest sees and does things on the programme's page (contract/guests.md *What a guest sees*, *Taking a reward*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { page } from "../admin/Endpoint.ts"
import { MemberFile, MemberPage, memberPageExample } from "../admin/MemberExport.ts"
import memberExamples from "../admin/memberExamples.json" with { type: "json" }
import type { Examples } from "../Description.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { bounded, field, Identifier } from "../Values.ts"
import { GuestParams, guestChangeProblems, guestPath, guestReadProblems, ofGuest } from "./Endpoint.ts"
import examples from "./meExamples.json" with { type: "json" }
import { ClaimedByGuest, GuestMember, HistoryPage, Me, ProfileByGuest, WalletEntry } from "./Shown.ts"

export const ClaimByGuest = Schema.Struct({
  claim_code: field(
    bounded(1, 64),
    "The code of the receipt; small letters, spaces and hyphens do not matter, nor O for 0, I and L for 1."
  )
}).annotate({ identifier: "GuestClaim" })

export const TakeReward = Schema.Struct({
  reward_id: field(Identifier, "The reward.")
}).annotate({ identifier: "GuestTakeReward" })

const historyProblems: ReadonlyArray<ProblemCode> = [...guestReadProblems, "invalid_cursor"]
const dataProblems: ReadonlyArray<ProblemCode> = [...guestReadProblems, "forbidden"]
const changeProblems: ReadonlyArray<ProblemCode> = [...guestChangeProblems, "write_frozen", "member_not_active"]
const profileProblems: ReadonlyArray<ProblemCode> = [...changeProblems, "program_retired"]
const rewardProblems: ReadonlyArray<ProblemCode> = [
  ...profileProblems,
  "conflict",
  "insufficient_balance",
  "reward_not_available"
]
const claimProblems: ReadonlyArray<ProblemCode> = [
  ...profileProblems,
  "claims_off",
  "conflict",
  "invalid_state",
  "invalid_order",
  "currency_mismatch"
]

const both = <S extends Schema.Top>(schema: S) =>
  [schema.pipe(HttpApiSchema.status(201)), schema.pipe(HttpApiSchema.status(200))] as const

const params = GuestParams

export class GuestMe extends HttpApiGroup.make("guest_me")
  .add(
    HttpApiEndpoint.get("showMe", `${guestPath}/me`, {
      params,
      success: Me,
      error: problems(guestReadProblems)
    }).annotateMerge(
      ofGuest(
        "guest.show",
        "Show the guest",
        "Everything that the page's first view shows, with everything due by now counted.",
        guestReadProblems,
        examples.showMe,
        true
      )
    ),
    HttpApiEndpoint.get("showMyHistory", `${guestPath}/history`, {
      params,
      query: page,
      success: HistoryPage,
      error: problems(historyProblems)
    }).annotateMerge(
      ofGuest(
        "guest.history",
        "List what happened with points",
        "The newest first. Where older entries are archived, the page ends with `archived` instead of a cursor.",
        historyProblems,
        examples.showMyHistory,
        true
      )
    ),
    HttpApiEndpoint.post("claimMyOrder", `${guestPath}/claims`, {
      params,
      payload: ClaimByGuest,
      success: both(ClaimedByGuest),
      error: problems(claimProblems)
    }).annotateMerge(
      ofGuest(
        "guest.claim_order",
        "Claim an order",
        "Posts what the order of a receipt earns. The same order again is answered 200; one that another guest has is a `conflict`. " +
          "Wrong codes count by guest and by address. The order is its key: the header `Idempotency-Key` is ignored.",
        claimProblems,
        examples.claimMyOrder,
        false,
        false
      )
    ),
    HttpApiEndpoint.post("takeMyReward", `${guestPath}/rewards`, {
      params,
      payload: TakeReward,
      success: both(WalletEntry),
      error: problems(rewardProblems)
    }).annotateMerge(
      ofGuest(
        "guest.take_reward",
        "Take a reward into the wallet",
        "Takes its cost and issues it, in one record. Send an `Idempotency-Key`: a repeated one is answered 200 with the same " +
          "reward, also after a crash; with another reward it is a `conflict`. Without a key, each request takes one.",
        rewardProblems,
        examples.takeMyReward,
        false,
        false
      )
    ),
    HttpApiEndpoint.patch("changeMyProfile", `${guestPath}/profile`, {
      params,
      payload: ProfileByGuest,
      success: GuestMember,
      error: problems(profileProblems)
    }).annotateMerge(
      ofGuest(
        "guest.change_profile",
        "Change the profile",
        "Changes name, birthday, language and consents; what is absent stays. E-mail address and telephone are changed " +
          "elsewhere. The header `Idempotency-Key` is ignored: the same change again changes nothing.",
        profileProblems,
        examples.changeMyProfile,
        false,
        false
      )
    ),
    HttpApiEndpoint.get("downloadMyData", `${guestPath}/data`, {
      params,
      success: MemberFile,
      error: problems(dataProblems)
    }).annotateMerge(
      ofGuest(
        "guest.data",
        "Download all data",
        "Everything that is kept about the guest, streamed, as a file. `forbidden` without a fresh code (`fresh_until` of the " +
          "session). A file that fails half way resets the connection, and is no valid JSON.",
        dataProblems,
        { response: (memberExamples["member_file.show"] as Examples).response },
        true
      )
    ),
    HttpApiEndpoint.get("printMyData", `${guestPath}/data.html`, {
      params,
      success: MemberPage,
      error: problems(dataProblems)
    }).annotateMerge(
      ofGuest(
        "guest.data_page",
        "Show all data as a page that prints",
        "The same as the file, in the guest's language, streamed. `forbidden` without a fresh code (`fresh_until` of the session).",
        dataProblems,
        { response: memberPageExample },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateEndpoints(AccessOf, { hasOwnKeys: true })
  .annotateMerge(
    OpenApi.annotations({ title: "Guest", description: "What a guest sees and does on the programme's page." })
  ) {}
