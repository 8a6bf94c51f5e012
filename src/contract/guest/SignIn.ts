/** Guests sign in by a code to their e-mail address, or join with it (contract/guests.md *Codes*, *Joining*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { ConsentChannel, ConsentPurpose, Email, Phone } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { BusinessDate, bounded, FilledText, ForeignId, field, optional, Text, Timestamp } from "../Values.ts"
import { GuestParams, guestPath, ofGuest, openProblems } from "./Endpoint.ts"
import { SignedIn } from "./Sessions.ts"

/** Most consents that a guest decides on when joining. */
const maxConsents = 10

const JoinConsent = Schema.Struct({
  purpose: field(ConsentPurpose, "The purpose, such as `marketing`."),
  channel: optional(ConsentChannel, "The channel. Absent: the purpose as a whole."),
  granted: field(Schema.Boolean, "True: the guest consents.")
}).annotate({ identifier: "GuestJoinConsent" })

export const Join = Schema.Struct({
  name: optional(FilledText, "What to call the guest."),
  birthday: optional(BusinessDate, "The guest's birthday."),
  consents: field(
    Schema.Array(JoinConsent).check(
      Schema.isMaxLength(maxConsents, { message: told`must have at most ${maxConsents} items` })
    ),
    "What the guest has decided. Kept with the version of the text."
  ),
  text_version: optional(
    bounded(1, 64),
    "`text_version` of the page that the guest has read. Absent: the present one."
  ),
  at: optional(ForeignId, "The restaurant whose table card the guest has scanned.")
}).annotate({ identifier: "GuestJoin", description: "What a guest who joins has entered." })
export type Join = typeof Join.Type

export const AskForCode = Schema.Struct({
  email: optional(Email, "The guest's e-mail address. Either this or `phone`."),
  phone: optional(
    Phone,
    "The guest's telephone number, of the programme's country, where `sign_in.phone` of the page is true."
  ),
  language: optional(bounded(2, 35), "The language of the page, such as `de`."),
  join: optional(Join, "What the guest has entered, if the address has no account. Absent: asked for later.")
}).annotate({ identifier: "GuestAskForCode" })

export const RequestId = field(bounded(1, 64), "`request_id` of the answer that told of the code.")

export const CodeAsked = Schema.Struct({
  request_id: field(Text, "Needed with the code. Whoever does not have it can do nothing with the code."),
  expires_at: field(Timestamp, "The code works until then, 10 minutes.")
}).annotate({ identifier: "GuestCodeAsked", description: "A code is on its way." })

export const EnterCode = Schema.Struct({
  request_id: RequestId,
  code: field(
    Schema.String.check(Schema.isPattern(/^[0-9]{6}$/, { message: "must be six digits" })),
    "The six digits that were sent."
  )
}).annotate({ identifier: "GuestEnterCode" })

const Choosable = Schema.Struct({
  guest: field(Text, "Stands for the guest in `POST …/sign-in/choice` of this request."),
  name: optional(Text, "The guest's name."),
  joined_at: field(Timestamp, "When the guest joined."),
  card_ending: optional(Text, "The last four characters of the guest's card.")
}).annotate({ identifier: "GuestChoosable" })

const Choose = Schema.Struct({
  status: field(Schema.Literal("choose"), "Several guests have the address."),
  request_id: field(Text, "The `request_id` that was sent."),
  guests: field(Schema.Array(Choosable), "The guests, the oldest first.")
}).annotate({ identifier: "GuestChoose", description: "Guests of an address to choose from." })

const JoinNow = Schema.Struct({
  status: field(Schema.Literal("join"), "The address has no account: join with `POST …/sign-in/join`."),
  request_id: field(Text, "The `request_id` that was sent.")
}).annotate({ identifier: "GuestJoinNow", description: "An address that may join." })

const Entered = Schema.Union([SignedIn, Choose, JoinNow]).annotate({
  identifier: "GuestCodeEntered",
  description: "What a right code leads to; `status` tells which."
})

export const ChooseGuest = Schema.Struct({
  request_id: RequestId,
  guest: field(bounded(1, 64), "`guest` of the guest that is chosen.")
}).annotate({ identifier: "GuestChooseGuest" })

export const JoinWithCode = Schema.Struct({
  request_id: RequestId,
  join: field(Join, "What the guest has entered.")
}).annotate({ identifier: "GuestJoinWithCode" })

const request_id = "l3Vd0c6Zq8n1p4s7u0x3A6D9G2J5M8P1S4V7Y0b3e6h"
const asked = { request_id, expires_at: "2026-07-14T12:10:00.000Z" }
const signedIn = {
  status: "signed_in" as const,
  session: {
    csrf_token: "kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E",
    expires_at: "2026-10-12T12:00:00.000Z",
    by: "code" as const,
    fresh_until: "2026-07-14T12:10:00.000Z",
    language: "en"
  }
}
const join = {
  name: "Ada",
  consents: [{ purpose: "marketing", channel: "email" as const, granted: false }],
  at: "location-42"
}

/** The refusals of codes, in whichever route they are entered. */
const askProblems: ReadonlyArray<ProblemCode> = [...openProblems, "invalid_state"]
const codeProblems: ReadonlyArray<ProblemCode> = [
  ...openProblems,
  "unauthorized",
  "write_frozen",
  "program_retired",
  "conflict"
]

const signInPath = `${guestPath}/sign-in` as const

export class GuestSignIn extends HttpApiGroup.make("guest_sign_in")
  .add(
    HttpApiEndpoint.post("askForGuestCode", signInPath, {
      params: GuestParams,
      payload: AskForCode,
      success: CodeAsked.pipe(HttpApiSchema.status(202)),
      error: problems(askProblems)
    }).annotateMerge(
      ofGuest(
        "guest_code.ask",
        "Ask for a code",
        "Mails a code, or sends it to a telephone. The answer is the same whether or not the address has an account; one without " +
          "an account is led to joining. An address gets 3 codes an hour. `invalid_state`: codes are not sent this way.",
        askProblems,
        { request: { email: "ada@example.com", language: "en" }, response: asked }
      )
    ),
    HttpApiEndpoint.post("enterGuestCode", `${signInPath}/code`, {
      params: GuestParams,
      payload: EnterCode,
      success: [Entered, SignedIn.pipe(HttpApiSchema.status(201))],
      error: problems(codeProblems)
    }).annotateMerge(
      ofGuest(
        "guest_code.enter",
        "Enter a code",
        "Signs in, and sets the session's cookie. 201: the guest has joined by it. If several guests have the address, one is " +
          "chosen next; if none has, the guest joins next. After 5 wrong codes of a request no code of it is right.",
        codeProblems,
        { request: { request_id, code: "482913" }, response: signedIn }
      )
    ),
    HttpApiEndpoint.post("chooseGuest", `${signInPath}/choice`, {
      params: GuestParams,
      payload: ChooseGuest,
      success: SignedIn,
      error: problems(codeProblems)
    }).annotateMerge(
      ofGuest(
        "guest_code.choose",
        "Choose a guest",
        "Signs in as one of the guests of the address, after the code.",
        codeProblems,
        { request: { request_id, guest: "0e9f2c7a-51d4-4b68-9a30-7c1e8f2d6b45" }, response: signedIn }
      )
    ),
    HttpApiEndpoint.post("joinWithGuestCode", `${signInPath}/join`, {
      params: GuestParams,
      payload: JoinWithCode,
      success: [SignedIn.pipe(HttpApiSchema.status(201)), SignedIn.pipe(HttpApiSchema.status(200))],
      error: problems(codeProblems)
    }).annotateMerge(
      ofGuest(
        "guest_code.join",
        "Join",
        "Makes a member with the address, after the code, and signs in. The member gets a card: a `loyalty_id` of 16 random " +
          "digits. 200: the address has an account by now.",
        codeProblems,
        { request: { request_id, join }, response: signedIn }
      )
    )
  )
  .middleware(Refusals)
  .annotateEndpoints(AuthOf, "none")
  .annotateEndpoints(AccessOf, { isServedFrozen: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Guests sign in",
      description: "Signing in and joining by a code to an e-mail address or a telephone."
    })
  ) {}
