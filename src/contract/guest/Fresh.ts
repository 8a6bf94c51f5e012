/** Changes that a guest makes by a fresh code: of the e-mail address, and leaving (contract/guests.md *Fresh codes*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Email } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Timestamp } from "../Values.ts"
import { GuestParams, guestChangeProblems, guestPath, ofGuest } from "./Endpoint.ts"
import { GuestSession } from "./Sessions.ts"
import { CodeAsked, EnterCode } from "./SignIn.ts"

const NewEmail = Schema.Struct({
  email: field(Email, "The new address.")
}).annotate({ identifier: "GuestNewEmail" })

const ChangedEmail = Schema.Struct({
  email: field(Email, "The guest's address from now on.")
}).annotate({ identifier: "GuestChangedEmail", description: "The address that a guest has confirmed." })

const Leaving = Schema.Struct({
  erases_at: field(Timestamp, "Then everything about the guest is erased, unless the guest signs in before.")
}).annotate({ identifier: "GuestLeaves", description: "A guest who leaves." })

const request_id = "l3Vd0c6Zq8n1p4s7u0x3A6D9G2J5M8P1S4V7Y0b3e6h"
const asked = { request_id, expires_at: "2026-07-14T12:10:00.000Z" }
const entered = { request_id, code: "482913" }
const codes: ReadonlyArray<ProblemCode> = [...guestChangeProblems, "invalid_state"]
const byFreshCode: ReadonlyArray<ProblemCode> = [...codes, "forbidden", "write_frozen", "member_not_active"]

export class GuestFresh extends HttpApiGroup.make("guest_fresh")
  .add(
    HttpApiEndpoint.post("askForFreshCode", `${guestPath}/fresh`, {
      params: GuestParams,
      payload: Schema.Struct({}),
      success: CodeAsked.pipe(HttpApiSchema.status(202)),
      error: problems(codes)
    }).annotateMerge(
      ofGuest(
        "guest_fresh.ask",
        "Ask for a fresh code",
        "Sends a code to the guest's own e-mail address, else telephone. `invalid_state`: the guest has none, or codes are not sent this way.",
        codes,
        { request: {}, response: asked },
        false,
        false
      )
    ),
    HttpApiEndpoint.post("enterFreshCode", `${guestPath}/fresh/code`, {
      params: GuestParams,
      payload: EnterCode,
      success: GuestSession,
      error: problems(codes)
    }).annotateMerge(
      ofGuest(
        "guest_fresh.enter",
        "Enter a fresh code",
        "For 10 minutes the session may change the e-mail address, download and leave.",
        codes,
        {
          request: entered,
          response: {
            csrf_token: "kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E",
            expires_at: "2026-10-12T12:00:00.000Z",
            by: "link" as const,
            fresh_until: "2026-07-14T12:10:00.000Z",
            language: "en"
          }
        },
        false,
        false
      )
    ),
    HttpApiEndpoint.post("changeMyEmail", `${guestPath}/email`, {
      params: GuestParams,
      payload: NewEmail,
      success: CodeAsked.pipe(HttpApiSchema.status(202)),
      error: problems(byFreshCode)
    }).annotateMerge(
      ofGuest(
        "guest_email.change",
        "Change the e-mail address",
        "Mails a code to the new address. Nothing changes before it is entered. `forbidden`: the session needs a fresh code first.",
        byFreshCode,
        { request: { email: "ada@example.org" }, response: asked },
        false,
        false
      )
    ),
    HttpApiEndpoint.post("confirmMyEmail", `${guestPath}/email/code`, {
      params: GuestParams,
      payload: EnterCode,
      success: ChangedEmail,
      error: problems(byFreshCode)
    }).annotateMerge(
      ofGuest(
        "guest_email.confirm",
        "Confirm the e-mail address",
        "Changes the address, and tells the former one.",
        byFreshCode,
        { request: entered, response: { email: "ada@example.org" } },
        false,
        false
      )
    ),
    HttpApiEndpoint.post("leave", `${guestPath}/leave`, {
      params: GuestParams,
      success: Leaving,
      error: problems(byFreshCode)
    }).annotateMerge(
      ofGuest(
        "guest.leave",
        "Leave",
        "Erases everything about the guest after 7 days. Signing in before undoes it. The guest is told by mail.",
        byFreshCode,
        { response: { erases_at: "2026-07-21T12:00:00.000Z" } },
        false,
        false
      )
    )
  )
  .middleware(Refusals)
  .annotateEndpoints(AccessOf, { hasOwnKeys: true })
  .annotateMerge(
    OpenApi.annotations({ title: "Guests with a fresh code", description: "Changing the address, and leaving." })
  ) {}
