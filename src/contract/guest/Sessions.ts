/** Sessions of guests: opened by a link, shown, ended (contract/guests.md *Sessions*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { bounded, field, Identifier, optional, Text, Timestamp } from "../Values.ts"
import { GuestParams, guestChangeProblems, guestPath, guestReadProblems, ofGuest, openProblems } from "./Endpoint.ts"

/** How a session was opened: by a code to an e-mail address or a telephone, or by a link. */
export const signedInBy = ["code", "link", "phone"] as const
export type SignedInBy = (typeof signedInBy)[number]
const By = Schema.Literals(signedInBy)

export const GuestSession = Schema.Struct({
  csrf_token: field(Schema.String, "Send it in the header `X-CSRF-Token` of every change."),
  expires_at: field(Timestamp, "The end of the session, 90 days after its beginning."),
  by: field(By, "How it was opened: `code` to an e-mail address, `phone`, or `link`."),
  fresh_until: optional(
    Timestamp,
    "Until then the session may change the e-mail address, leave and download. Absent: a code is needed first (`POST …/fresh`)."
  ),
  language: field(Text, "The guest's language, else the programme's first one, such as `en`.")
}).annotate({ identifier: "GuestSession", description: "The session of a guest." })
export type GuestSession = typeof GuestSession.Type

export const SignedIn = Schema.Struct({
  status: field(Schema.Literal("signed_in"), "The session is open, and the answer has set its cookie."),
  session: field(GuestSession, "The session."),
  stays: optional(Schema.Literal(true), "The guest was leaving, and stays: nothing is erased."),
  had_account: optional(
    Schema.Literal(true),
    "The guest meant to join, and has had an account of this address: what was entered now fills what was empty."
  )
}).annotate({ identifier: "GuestSignedIn", description: "A guest who is signed in." })

export const SignInByLink = Schema.Struct({
  token: field(bounded(1, 128), "What stands behind `#link=` in the link.")
}).annotate({ identifier: "GuestSignInByLink" })

const ListedSession = Schema.Struct({
  session_id: field(Identifier, "Names the session; it opens nothing."),
  device: field(Text, "Such as “Safari on iPhone”."),
  began_at: field(Timestamp, "When it began."),
  seen_at: field(Timestamp, "When it was last used, to the hour."),
  by: field(By, "How it was opened."),
  current: field(Schema.Boolean, "True of the session that asks.")
}).annotate({ identifier: "GuestListedSession", description: "A session of the guest." })

const SessionList = Schema.Struct({
  sessions: field(Schema.Array(ListedSession), "All open sessions of the guest, newest first.")
}).annotate({ identifier: "GuestSessionList" })

const SessionParams = Schema.Struct({
  ...GuestParams.fields,
  session_id: field(Identifier, "The session.")
})

const example: GuestSession = {
  csrf_token: "kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E",
  expires_at: "2026-10-12T12:00:00.000Z",
  by: "link",
  language: "en"
}
const signedIn = { status: "signed_in" as const, session: example }

const linkProblems: ReadonlyArray<ProblemCode> = [...openProblems, "unauthorized"]
const sessionPath = `${guestPath}/session` as const
const sessionsPath = `${guestPath}/sessions` as const

export class GuestSessions extends HttpApiGroup.make("guest_sessions")
  .add(
    HttpApiEndpoint.post("signInByLink", `${guestPath}/sign-in/link`, {
      params: GuestParams,
      payload: SignInByLink,
      success: SignedIn,
      error: problems(linkProblems)
    })
      .annotate(AuthOf, "none")
      .annotateMerge(
        ofGuest(
          "guest_session.open_by_link",
          "Sign in by a link",
          "Spends the link, which works once and for 15 minutes, and sets the session's cookie. A page asks for it when its " +
            "guest presses a button: programs that look at links must not spend them.",
          linkProblems,
          { request: { token: "9uP0hQn3m0n1cU7V4zOQmXy2r3b0T5sK6wL8aDfGhJk" }, response: signedIn }
        )
      ),
    HttpApiEndpoint.get("showGuestSession", sessionPath, {
      params: GuestParams,
      success: GuestSession,
      error: problems(guestReadProblems)
    }).annotateMerge(
      ofGuest(
        "guest_session.show",
        "Show the session",
        "For a reloaded page. `unauthorized` without a session.",
        guestReadProblems,
        { response: example },
        true
      )
    ),
    HttpApiEndpoint.delete("endGuestSession", sessionPath, {
      params: GuestParams,
      success: HttpApiSchema.NoContent,
      error: problems(guestChangeProblems)
    }).annotateMerge(
      ofGuest(
        "guest_session.end",
        "Sign out",
        "Ends the session at once and deletes its cookie.",
        guestChangeProblems,
        {},
        false,
        false
      )
    ),
    HttpApiEndpoint.get("listGuestSessions", sessionsPath, {
      params: GuestParams,
      success: SessionList,
      error: problems(guestReadProblems)
    }).annotateMerge(
      ofGuest(
        "guest_session.list",
        "List the guest's sessions",
        "Where the guest is signed in.",
        guestReadProblems,
        {
          response: {
            sessions: [
              {
                session_id: "5f0c2a9be1d47a60",
                device: "Safari on iPhone",
                began_at: "2026-07-14T12:00:00.000Z",
                seen_at: "2026-07-14T12:00:00.000Z",
                by: "link",
                current: true
              }
            ]
          }
        },
        true
      )
    ),
    HttpApiEndpoint.delete("endListedGuestSession", `${sessionsPath}/:session_id`, {
      params: SessionParams,
      success: HttpApiSchema.NoContent,
      error: problems(guestChangeProblems)
    }).annotateMerge(
      ofGuest(
        "guest_session.end_listed",
        "End a session",
        "Ends a session of the guest at once, such as that of a lost telephone. One that has ended is none: 204 too.",
        guestChangeProblems,
        { params: { session_id: "5f0c2a9be1d47a60" } },
        false,
        false
      )
    )
  )
  .middleware(Refusals)
  .annotateEndpoints(AccessOf, { isServedFrozen: true, hasOwnKeys: true })
  .annotateMerge(
    OpenApi.annotations({ title: "Guest sessions", description: "Where a guest is signed in to the programme's page." })
  ) {}
