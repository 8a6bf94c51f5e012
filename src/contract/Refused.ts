/** Refusals of all surfaces but `/proto/v1`, as one error that the server turns into a problem document. */
import { Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { LimitReached, type ProblemCode, problemStatus, Template } from "./protocol/Problem.ts"

const Fault = Schema.Struct({ path: Schema.String, message: Schema.String, template: Schema.optionalKey(Template) })

/** The reason why a request was refused. A handler fails with it, and the server answers a problem document. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: Schema.Literals(Object.keys(problemStatus) as Array<ProblemCode>),
  detail: Schema.String,
  template: Schema.optional(Template),
  errors: Schema.optional(Schema.Array(Fault)),
  /** With `limit_exceeded`. */
  limit: Schema.optional(LimitReached),
  /** With `archived`: YYYY-MM. */
  month: Schema.optional(Schema.String),
  /** Seconds until a retry makes sense, if the code itself does not determine it. */
  retryAfter: Schema.optional(Schema.Number)
}) {}

/** Lets handlers fail with `Refused`. It is empty, because each endpoint describes its problem documents itself. */
const refusals: ReadonlyArray<typeof Refused> = []

/** Turns `Refused` into a problem document. */
export class Refusals extends HttpApiMiddleware.Service<Refusals>()("lotbook/contract/Refusals", {
  error: refusals
}) {}
