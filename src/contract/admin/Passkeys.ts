/** Signing in with a passkey, and accepting an invitation, which makes one (contract/people.md *Passkeys*, *Invitations*). */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Language } from "../Languages.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, storageProblems } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { toldLimits } from "../RestaurantLimits.ts"
import { bounded, FreeJson, field, Identifier, optional, Text, Timestamp } from "../Values.ts"
import { Ceremony, Credential } from "./Account.ts"
import { annotated } from "./Endpoint.ts"
import { Session, sessionPath } from "./Sessions.ts"
import { PrintableName, Role, staffPath } from "./Staff.ts"

const invitationPath = `${staffPath}/invitation` as const

const Secret = field(bounded(1, 128), "What follows the `#` in the address of the invitation.")

const ShownInvitation = Schema.Struct({
  email: field(Text, "The e-mail address of who is invited."),
  name: field(Text, "The name of who is invited."),
  role: field(Role, "What that person may do."),
  programs: optional(Schema.Array(Identifier), "The programmes that it is limited to; absent: all."),
  ...toldLimits,
  ends_at: field(Timestamp, "When the invitation ends."),
  language: optional(Language, "The language of the invitation, or that the user has chosen since; absent: neither."),
  options: field(FreeJson, "The options for the browser, as in a ceremony.")
}).annotate({ identifier: "ShownInvitation" })

const PasskeySignIn = Schema.Struct({ credential: Credential }).annotate({ identifier: "PasskeySignIn" })
const InvitationSecret = Schema.Struct({ invitation: Secret }).annotate({ identifier: "InvitationSecret" })
export const Acceptance = Schema.Struct({
  invitation: Secret,
  name: field(PrintableName, "A name for the passkey, such as the device that keeps it."),
  credential: Credential,
  language: optional(
    Language,
    "The language of the page on which the passkey is made. It takes the place of the invitation's if the user has not been here before."
  )
}).annotate({ identifier: "Acceptance" })

const open: ReadonlyArray<ProblemCode> = [...storageProblems, "rate_limited", "validation_failed", "internal_error"]
const signing: ReadonlyArray<ProblemCode> = [...new Set([...bodyProblems, ...open, "unauthorized" as const])]
const inviting: ReadonlyArray<ProblemCode> = [
  ...new Set([...bodyProblems, ...open, "not_found" as const, "expired" as const, "invalid_state" as const])
]
const accepting: ReadonlyArray<ProblemCode> = [...new Set([...inviting, "conflict" as const])]

const session = {
  csrf_token: "kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E",
  expires_at: "2026-07-14T18:05:00.000Z",
  name: "Maria Rossi",
  scopes: [
    "figures:read",
    "programs:read",
    "members:read",
    "members:write",
    "points:give",
    "audience:read",
    "audit:own"
  ],
  user: { user_id: "usr_7Q2MXK4T0ZB9HD3W", email: "maria@example.com", role: "support" }
} as const
const secret = "inv_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"

const ProviderPage = Schema.Struct({
  url: field(Schema.String, "The provider's page. It leads back to the console's page `signed-in`.")
}).annotate({ identifier: "ProviderPage" })
const ProviderAnswer = Schema.Struct({
  query: field(bounded(1, 8_000), "The query of the address that the provider has led back to, without the `?`.")
}).annotate({ identifier: "ProviderAnswer" })
const beginning: ReadonlyArray<ProblemCode> = [...open, "unauthorized", "not_found"]
const finishing: ReadonlyArray<ProblemCode> = [
  ...new Set([...signing, "forbidden" as const, "not_found" as const, "conflict" as const])
]

const isServed = { isServedFrozen: true }

export class Passkeys extends HttpApiGroup.make("passkeys")
  .add(
    HttpApiEndpoint.post("signInOptions", `${sessionPath}/passkey/options`, {
      success: Ceremony,
      error: problems(open)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated("session.passkey_options", "Begin to sign in with a passkey", "Sends what the browser needs.", open, {
          response: { options: {} }
        })
      ),
    HttpApiEndpoint.post("signInWithPasskey", `${sessionPath}/passkey`, {
      payload: PasskeySignIn,
      success: Session,
      error: problems(signing)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "session.passkey",
          "Sign in with a passkey",
          "Opens a session and sets its cookie, as signing in with a key does. Wrong attempts count as wrong keys.",
          signing,
          { request: { credential: {} }, response: session }
        )
      ),
    HttpApiEndpoint.post("beginAtProvider", `${sessionPath}/provider`, {
      success: ProviderPage,
      error: problems(beginning)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "session.provider",
          "Begin to sign in at the company's provider",
          "Sends the address of the provider's page, and sets a cookie for 5 minutes. `not_found` without a provider.",
          beginning,
          { response: { url: "https://login.example.com/auth?client_id=lotbook" } }
        )
      ),
    HttpApiEndpoint.post("finishAtProvider", `${sessionPath}/provider/finish`, {
      payload: ProviderAnswer,
      success: Session,
      error: problems(finishing)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "session.provider_finish",
          "Sign in with the provider's answer",
          "Opens a session for 15 minutes, which goes on while the provider confirms it. `forbidden` without a role here.",
          finishing,
          { request: { query: "code=Yp0m2n6r8sV1&state=b4k7q9w3z5c0" }, response: session }
        )
      ),
    HttpApiEndpoint.post("showInvitation", invitationPath, {
      payload: InvitationSecret,
      success: ShownInvitation,
      error: problems(inviting)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "invitation.show",
          "Show an invitation",
          "Whom it is for, and what the browser needs to make a passkey. `not_found` if it was used or replaced, `expired` " +
            "after 7 days. Wrong ones count as wrong keys.",
          inviting,
          {
            request: { invitation: secret },
            response: {
              email: "maria@example.com",
              name: "Maria Rossi",
              role: "support",
              ends_at: "2026-07-21T10:05:00.000Z",
              options: {}
            }
          }
        )
      ),
    HttpApiEndpoint.post("acceptInvitation", `${invitationPath}/accept`, {
      payload: Acceptance,
      success: Session,
      error: problems(accepting)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "invitation.accept",
          "Accept an invitation",
          "Stores the passkey, makes the user active, ends the invitation and opens a session.",
          accepting,
          { request: { invitation: secret, name: "Till at West", credential: {} }, response: session }
        )
      )
  )
  .annotate(AuthOf, "none")
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Passkeys", description: "Signing in, and accepting an invitation." })) {}
