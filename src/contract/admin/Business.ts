/** The look of the business in the console and in mails (contract/operators.md *The business's look*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { storageProblems } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, filled, optional, Text } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems } from "./Endpoint.ts"
import { PutLogo } from "./Logos.ts"

const path = `${adminPath}/business` as const

/** Not `GuestPage`'s: the console's first page has this, and nothing of programmes' files. */
const Colour = Schema.String.check(
  Schema.isPattern(/^#[0-9A-Fa-f]{6}$/, { message: "must be a colour such as #1a7f5a" })
)

/** It comes into subjects of mails. */
const Name = filled(1, 60).check(Schema.isPattern(/^[^\r\n]*$/, { message: "must be one line" }))

const named = {
  name: optional(Name, "What people call the business; absent: Lotbook's name is shown."),
  colour: optional(Colour, "`#rrggbb`. The console's head and the pages before sign-in have a band of it.")
}

export const Look = Schema.Struct({
  ...named,
  logo: optional(
    Schema.Struct({
      url: field(Text, "The path at which everybody may load it; it changes with the picture."),
      width: field(Schema.Int, "The picture's width, pixels."),
      height: field(Schema.Int, "The picture's height, pixels.")
    }).annotate({ identifier: "BusinessLogo" }),
    "PNG; absent: Lotbook's mark is shown."
  )
}).annotate({ identifier: "BusinessLook" })
export type Look = typeof Look.Type

export const PutLook = Schema.Struct(named).annotate({ identifier: "BusinessLookPut" })

const showProblems: ReadonlyArray<ProblemCode> = [...storageProblems, "validation_failed", "internal_error"]
const putProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "forbidden"]

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
const look = { name: "Green Bowl", colour: "#1a7f5a" }
const drawn = { logo: { url: "/console/logo.png?v=431ced6916a2", width: 1, height: 1 } }

export class Business extends HttpApiGroup.make("business")
  .add(
    HttpApiEndpoint.get("showBusiness", path, { success: Look, error: problems(showProblems) })
      .annotate(AuthOf, "none")
      .annotateMerge(
        annotated(
          "business.show",
          "Show the look of the business",
          "Everybody may see it: the page of the sign-in has it.",
          showProblems,
          { response: look },
          true
        )
      ),
    HttpApiEndpoint.put("putBusiness", path, { payload: PutLook, success: Look, error: problems(putProblems) })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "business.put",
          "Set the name and the colour of the business",
          "What is absent is taken away. The logo stays.",
          putProblems,
          { request: look, response: look }
        )
      ),
    HttpApiEndpoint.put("putBusinessLogo", `${path}/logo`, {
      payload: PutLogo,
      success: Look,
      error: problems(putProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "business_logo.put",
          "Set the logo of the business",
          "Programmes without a logo of their own have it on their guests' page too.",
          putProblems,
          { request: { png }, response: { ...look, ...drawn } }
        )
      ),
    HttpApiEndpoint.delete("deleteBusinessLogo", `${path}/logo`, { success: Look, error: problems(putProblems) })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "business_logo.delete",
          "Remove the logo of the business",
          "Without a logo it changes nothing.",
          putProblems,
          { response: look }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Business", description: "The look of the business." })) {}
