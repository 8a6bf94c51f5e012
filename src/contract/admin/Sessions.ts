/** Sessions of web pages: signing in with a key, and out (contract/operators.md *Sessions*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Language } from "../Languages.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, storageProblems } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { toldLimits } from "../RestaurantLimits.ts"
import { roles } from "../Roles.ts"
import { scopes } from "../Scopes.ts"
import { bounded, field, Identifier, optional, Text, Timestamp } from "../Values.ts"
import { adminPath, annotated } from "./Endpoint.ts"

export const sessionPath = `${adminPath}/session` as const

const Scope = Schema.Literals(scopes)

export const SignIn = Schema.Struct({
  key: field(bounded(1, 512), "The admin key, or a token with a scope of the operators or the platform.")
}).annotate({ identifier: "SignIn" })

export const Session = Schema.Struct({
  csrf_token: field(Schema.String, "Send it in the header `X-CSRF-Token` of every write with the session's cookie."),
  expires_at: field(
    Timestamp,
    "The end of the session, which 30 idle minutes end earlier. If the company's provider signed in, it moves on each time the provider confirms the session, to 8 hours at most."
  ),
  name: field(Text, "The name of the key, or of the user."),
  scopes: field(Schema.Array(Scope), "The scopes of the session."),
  programs: optional(Schema.Array(Identifier), "The programmes that it is limited to; absent: all."),
  ...toldLimits,
  user: optional(
    Schema.Struct({
      user_id: field(Identifier, "The user's id."),
      email: field(Text, "The e-mail address."),
      role: field(Schema.Literals(roles), "What the user may do."),
      language: optional(Language, "The language that the user has chosen; absent: none.")
    }).annotate({ identifier: "SessionUser" }),
    "Who signed in; absent: somebody with a key."
  ),
  sandbox: optional(Schema.Literal(true), "The service is a sandbox; absent: it is live.")
}).annotate({ identifier: "Session" })

const signInProblems: ReadonlyArray<ProblemCode> = [
  ...bodyProblems,
  ...storageProblems,
  "unauthorized",
  "forbidden",
  "rate_limited",
  "internal_error"
]
const sessionProblems: ReadonlyArray<ProblemCode> = [
  "unauthorized",
  "not_active",
  "validation_failed",
  "internal_error"
]
const endProblems: ReadonlyArray<ProblemCode> = [
  "unauthorized",
  "csrf_failed",
  "not_active",
  "storage_unavailable",
  "validation_failed",
  "internal_error"
]

const waysProblems: ReadonlyArray<ProblemCode> = [...storageProblems, "validation_failed", "internal_error"]

const Ways = Schema.Struct({
  provider: field(Schema.Boolean, "True if the company's provider signs people in (`PROTO_OIDC_ISSUER`)."),
  first_start: field(Schema.Boolean, "True while no owner can sign in: the admin key makes the first one."),
  admin_key: field(Schema.Boolean, "False if the admin key may not sign in (`PROTO_ADMIN_KEY_CONSOLE`).")
}).annotate({ identifier: "SignInWays" })

const example = {
  csrf_token: "kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E",
  expires_at: "2026-07-14T18:05:00.000Z",
  name: "root",
  scopes: ["admin:read", "admin:write", "platform:read", "platform:write", "staff:read", "staff:write"]
}

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("signIn", sessionPath, {
      payload: SignIn,
      success: Session,
      error: problems(signInProblems)
    })
      .annotate(AuthOf, "none")
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "session.create",
          "Sign in",
          "Opens a session and sets its cookie. It ends after 8 hours, or after 30 idle minutes. After ten wrong keys in " +
            "a minute, an address gets `rate_limited` for a while, even with a right key.",
          signInProblems,
          { request: { key: "proto-dev-admin-key" }, response: example }
        )
      ),
    HttpApiEndpoint.get("signInWays", `${sessionPath}/ways`, { success: Ways, error: problems(waysProblems) })
      .annotate(AuthOf, "none")
      .annotateMerge(
        annotated(
          "session.ways",
          "Show how people sign in",
          "A passkey always does.",
          waysProblems,
          { response: { provider: false, first_start: true, admin_key: true } },
          true
        )
      ),
    HttpApiEndpoint.get("session", sessionPath, { success: Session, error: problems(sessionProblems) })
      .annotate(AuthOf, "session")
      .annotateMerge(
        annotated(
          "session.show",
          "Show the session",
          "For a reloaded page: the same response as to a sign-in. `unauthorized` without a session.",
          sessionProblems,
          { response: example },
          true
        )
      ),
    HttpApiEndpoint.post("signOut", `${sessionPath}/end`, {
      success: HttpApiSchema.NoContent,
      error: problems(endProblems)
    })
      .annotate(AuthOf, "session")
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated("session.end", "Sign out", "Ends the session at once and deletes its cookie.", endProblems, {})
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Sessions", description: "Signing in and out with a cookie, for web pages." })
  ) {}
