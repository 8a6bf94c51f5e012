/** The logo of a programme's page for guests (contract/operators.md *Logos*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { grouped, told } from "../Said.ts"
import { field, Identifier, Text, Timestamp } from "../Values.ts"
import { annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"

/** The largest picture, bytes: a telephone loads it once. */
export const maxLogoBytes = 200_000
/** The most pixels of a side: a small file of more would fill a telephone's memory. */
export const maxLogoSide = 2_048

const maxBase64 = 4 * Math.ceil(maxLogoBytes / 3)

/** The characters alone: whether it is a picture, the use case says. */
const Base64 = Schema.String.check(
  Schema.isMaxLength(maxBase64, { message: told`must have at most ${grouped(maxLogoBytes)} bytes` }),
  Schema.isPattern(/^[A-Za-z0-9+/]*={0,2}$/, { message: "must be a picture in base64" })
)

const facts = {
  program_id: field(Identifier, "The programme."),
  width: field(Schema.Int, "The picture's width, pixels."),
  height: field(Schema.Int, "The picture's height, pixels."),
  logo_url: field(Text, "The path at which guests load it; it changes with the picture."),
  changed_at: field(Timestamp, "When it was set, by the machine's clock.")
}

export const LogoSet = Schema.Struct(facts).annotate({ identifier: "ProgramLogo" })
export type LogoSet = typeof LogoSet.Type

export const LogoShown = Schema.Struct({
  ...facts,
  png: field(Schema.String, "The picture, PNG in base64.")
}).annotate({ identifier: "ProgramLogoShown" })

export const PutLogo = Schema.Struct({
  png: field(
    Base64,
    `The picture: PNG of at most ${maxLogoBytes.toLocaleString("en")} bytes and ${maxLogoSide.toLocaleString("en")} pixels a side, in base64.`
  )
}).annotate({ identifier: "ProgramLogoPut" })

const path = `${programPath}/logo` as const
const showProblems: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const putProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
const set = {
  program_id: "demo-foodservice",
  width: 1,
  height: 1,
  logo_url: "/my/demo-foodservice/logo.png?v=431ced6916a2",
  changed_at: "2026-07-14T10:05:00.000Z"
}

export class Logos extends HttpApiGroup.make("logos")
  .add(
    HttpApiEndpoint.get("showLogo", path, {
      params,
      success: LogoShown,
      error: problems(showProblems)
    }).annotateMerge(
      annotated(
        "program_logo.show",
        "Show the logo of a programme",
        "The picture of the guests' page. `not_found`: it has none.",
        showProblems,
        { response: { ...set, png } },
        true
      )
    ),
    HttpApiEndpoint.put("putLogo", path, { params, payload: PutLogo, success: LogoSet, error: problems(putProblems) })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "program_logo.put",
          "Set the logo of a programme",
          "Guests see it within half a minute, without a publication.",
          putProblems,
          { request: { png }, response: set }
        )
      ),
    HttpApiEndpoint.delete("deleteLogo", path, {
      params,
      success: HttpApiSchema.NoContent,
      error: problems(putProblems)
    })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "program_logo.delete",
          "Remove the logo of a programme",
          "The page then has the programme's name alone. Without a logo it changes nothing.",
          putProblems,
          {}
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Logos", description: "The pictures of the guests' pages." })) {}
