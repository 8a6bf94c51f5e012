/** The operators' routes that issue, list, rotate and revoke tokens (contract/operators.md *Tokens*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { askedLimits } from "../AskedLimits.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { toldLimits } from "../RestaurantLimits.ts"
import { told } from "../Said.ts"
import { scopes } from "../Scopes.ts"
import { bounded, FilledReason, field, Identifier, optional, Text, Timestamp, whole } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"

const tokensPath = `${adminPath}/tokens` as const

/** Longest overlap of a rotation, s. */
const maxOverlapSeconds = 30 * 86_400

const Scope = Schema.Literals(scopes)

/** Scopes or programmes: at least one, each once. */
const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(100, { message: told`must have at most ${100} items` }),
    Schema.isUnique({ message: "must not repeat an item" })
  )

const described = {
  token_id: field(Identifier, "The token's id. It is not secret."),
  name: field(Text, "The token's name. Records and the audit log show it."),
  scopes: field(Schema.Array(Scope), "The token's scopes."),
  programs: optional(Schema.Array(Identifier), "The programmes that it is limited to; absent: all."),
  ...toldLimits,
  created_at: optional(Timestamp, "When it was issued; absent for a token of the environment."),
  created_by: field(Text, "The name of the key that issued it, or `environment`."),
  expires_at: optional(Timestamp, "When it ends; absent: never."),
  last_used_at: optional(Timestamp, "When it was used last, to within about ten seconds."),
  status: field(
    Schema.Literals(["active", "rotating", "revoked", "expired"]),
    "`rotating`: an older secret still works until its overlap ends."
  ),
  hint: optional(Schema.String, "The last four characters of its newest secret.")
}

export const Token = Schema.Struct(described).annotate({ identifier: "Token" })

export const IssuedToken = Schema.Struct({
  ...described,
  secret: optional(
    Schema.String,
    "The bearer token that callers send. It is shown only once, because only its hash is stored."
  ),
  secret_withheld: optional(
    Schema.Literal(true),
    "Only in a replay: the first answer with this `Idempotency-Key` had the secret. If it was lost, rotate the token with a new key."
  )
}).annotate({ identifier: "IssuedToken" })

const TokenList = Schema.Struct({
  tokens: field(Schema.Array(Token), "Tokens of the environment first, then issued tokens, oldest first.")
}).annotate({ identifier: "TokenList" })

/** The token's name is the actor in records, so it must be printable. */
const Name = bounded(1, 128).check(
  // Without a pattern in the description: readers of it that know no classes of Unicode take the class for letters.
  Schema.makeFilter((text) => /^[^\p{C}]+$/u.test(text) || "must be 1 to 128 printable characters")
)

export const TokenRequest = Schema.Struct({
  name: field(Name, "A name for people, such as the till's place."),
  scopes: field(listOf(Scope), "The token's scopes. The issuing token must have all of them."),
  programs: optional(listOf(Identifier), "The programmes that it is limited to; absent: all."),
  ...askedLimits,
  expires_at: optional(
    Timestamp,
    "When it ends, not later than the issuing token; absent: when that one ends, or never."
  )
}).annotate({ identifier: "TokenRequest" })

export const Rotation = Schema.Struct({
  overlap_seconds: optional(
    whole(0, maxOverlapSeconds, told`must be a whole number from ${0} to ${maxOverlapSeconds}`),
    "Time for which the older secret still works, in seconds; absent: 86400, a day."
  )
}).annotate({ identifier: "Rotation" })

export const Revocation = Schema.Struct({
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
}).annotate({ identifier: "Revocation" })

const params = { token_id: described.token_id }

const createProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "invalid_state"]
const rotateProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state"]

const example = {
  token_id: "tok_7Q2MXK4T0ZB9HD3W",
  name: "Till at West",
  scopes: ["protocol:read", "protocol:write"],
  programs: ["demo-foodservice"],
  created_at: "2026-07-14T10:05:00.000Z",
  created_by: "root",
  status: "active",
  hint: "x7Qa"
}
/** The tokens of the demo (`src/app/demo/Demo.ts`). */
const demoTokens = {
  east: { ...example, token_id: "tok_DEMOEAST", name: "Till at East", created_by: "demo" },
  west: { ...example, token_id: "tok_DEMOWEST", name: "Till at West", created_by: "demo" }
}
const secret = "lot_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"

export class Tokens extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("tokens", tokensPath, { success: TokenList, error: problems(readProblems) }).annotateMerge(
      annotated(
        "token.list",
        "List tokens",
        "All tokens, including revoked and expired ones. A caller that is limited to programmes only sees tokens that are limited to some of these. ",
        readProblems,
        {
          response: {
            tokens: [
              {
                token_id: "env-994ff87c2c2fd103",
                name: "sandbox",
                scopes: ["protocol:read", "protocol:write", "platform:read", "platform:write", "metrics:read"],
                created_by: "environment",
                status: "active"
              },
              demoTokens.east,
              demoTokens.west
            ]
          }
        },
        true
      )
    ),
    HttpApiEndpoint.post("createToken", tokensPath, {
      payload: TokenRequest,
      success: IssuedToken.pipe(HttpApiSchema.status(201)),
      error: problems(createProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "token.create",
          "Issue a token",
          "It works at once on every service. Only the first answer has the secret; a replay has `secret_withheld` instead. ",
          createProblems,
          {
            request: {
              name: "Till at West",
              scopes: ["protocol:read", "protocol:write"],
              programs: ["demo-foodservice"]
            },
            response: { ...example, secret }
          }
        )
      ),
    HttpApiEndpoint.post("rotateToken", `${tokensPath}/:token_id/rotate`, {
      params,
      payload: Rotation,
      success: IssuedToken,
      error: problems(rotateProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "token.rotate",
          "Give a token a new secret",
          "The older secret works until the overlap ends. Only the first answer has the new secret; a replay has `secret_withheld` instead. " +
            "Nobody rotates a token that they could not have issued. ",
          rotateProblems,
          {
            params: { token_id: "tok_DEMOWEST" },
            request: { overlap_seconds: 3600 },
            response: { ...demoTokens.west, status: "rotating", secret }
          }
        )
      ),
    HttpApiEndpoint.post("revokeToken", `${tokensPath}/:token_id/revoke`, {
      params,
      payload: Revocation,
      success: Token,
      error: problems(rotateProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "token.revoke",
          "Revoke a token",
          "Within a second every service refuses it, also on open connections, and every token that it issued. ",
          rotateProblems,
          {
            params: { token_id: "tok_DEMOEAST" },
            request: { reason: "The till was sold" },
            response: { ...demoTokens.east, status: "revoked" }
          }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Tokens", description: "Keys of tills, pages and automation." })) {}
