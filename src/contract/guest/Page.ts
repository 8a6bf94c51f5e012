/** The guests' page before anybody has signed in (contract/guests.md *The page itself*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { GuestPage, GuestPageLink } from "../ProgramFile.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, optional, Text } from "../Values.ts"
import { GuestParams, guestPath, ofGuest } from "./Endpoint.ts"

export const PageFacts = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  name: GuestPage.fields.name,
  colour: GuestPage.fields.colour,
  languages: GuestPage.fields.languages,
  links: field(Schema.Array(GuestPageLink), "Pages that it leads to."),
  logo_url: optional(Text, "The path of the programme's logo. Absent: there is none."),
  sign_in: field(
    Schema.Struct({
      email: field(Schema.Boolean, "True: codes are mailed."),
      phone: field(Schema.Boolean, "True: codes are sent to telephones.")
    }),
    "How guests sign in, besides links of the staff."
  ),
  country: optional(Text, "The programme's country (ISO 3166), whose telephones get codes. Absent: it names none."),
  time_zone: field(Text, "The IANA zone of the programme's days, in which the page tells dates."),
  can_join: field(Schema.Boolean, "True: guests join here."),
  can_claim: field(Schema.Boolean, "True: guests claim receipts here."),
  text_version: field(Text, "The version of the words by which the page asks for consents.")
}).annotate({ identifier: "GuestPageFacts", description: "The page before anybody has signed in." })
export type PageFacts = typeof PageFacts.Type

const codes: ReadonlyArray<ProblemCode> = [
  "not_found",
  "validation_failed",
  "rate_limited",
  "internal_error",
  "not_active"
]

export class GuestPageGroup extends HttpApiGroup.make("guest_page")
  .add(
    HttpApiEndpoint.get("showGuestPage", `${guestPath}/page`, {
      params: GuestParams,
      success: PageFacts,
      error: problems(codes)
    })
      .annotate(AuthOf, "none")
      .annotateMerge(
        ofGuest(
          "guest_page.show",
          "Show the page",
          "What the programme says of its page. With an `ETag`; kept for a minute.",
          codes,
          {
            response: {
              program_id: "demo-foodservice",
              name: "Corner Bowl Rewards",
              colour: "#1a7f5a",
              languages: ["en", "de"],
              links: [{ label: "Corner Bowl", url: "https://www.corner-bowl.example/" }],
              logo_url: "/my/demo-foodservice/logo.png?v=431ced6916a2",
              sign_in: { email: false, phone: false },
              country: "US",
              time_zone: "America/New_York",
              can_join: false,
              can_claim: true,
              text_version: "1"
            }
          },
          true
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Guest page", description: "The page before anybody has signed in." })) {}
