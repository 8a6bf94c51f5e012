/** Links by which guests sign in to their page, made for one guest (contract/guests.md *Links*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, changeProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, optional, Text, Timestamp } from "../Values.ts"
import { platformPath, programId } from "./Platform.ts"

export const MakeSignInLink = Schema.Struct({
  program_id: programId,
  member_id: field(Identifier, "The guest who will sign in.")
}).annotate({ identifier: "MakeSignInLink" })

export const SignInLink = Schema.Struct({
  sign_in_url: optional(
    Text,
    "The programme's page with the link's token behind `#`. Give it to the guest alone. Absent: the answer is a replay."
  ),
  secret_withheld: optional(Schema.Literal(true), "The answer is a replay, without the link: make another one."),
  expires_at: field(Timestamp, "The link works until then, and once: 15 minutes.")
}).annotate({ identifier: "SignInLink", description: "A link by which a guest signs in." })

const codes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "member_not_active"]

export class SignInLinks extends HttpApiGroup.make("platform_sign_in_links")
  .add(
    HttpApiEndpoint.post("makeSignInLink", `${platformPath}/members/sign-in-link`, {
      payload: MakeSignInLink,
      success: SignInLink.pipe(HttpApiSchema.status(201)),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "sign_in_link.create",
        "Make a link for a guest",
        "The guest who opens the link is signed in to the programme's page, for instance from the programme's own app. The " +
          "programme needs a `guest_page`. Only the first answer has the link; a replay has `secret_withheld` instead.",
        codes,
        {
          request: { member_id: "member-001", program_id: "demo-foodservice" },
          response: {
            sign_in_url: "http://localhost:3210/my/demo-foodservice#link=9uP0hQn3m0n1cU7V4zOQmXy2r3b0T5sK6wL8aDfGhJk",
            expires_at: "2026-07-14T10:20:00.000Z"
          }
        }
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Sign-in links", description: "Links by which guests sign in to their page." })
  ) {}
