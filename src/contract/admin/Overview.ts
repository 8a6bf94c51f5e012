/** The figures of a programme, for operators (contract/operators.md *Overview*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { nodeRoles } from "../protocol/Protocol.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, Integer, MoneySum, optional, Sum, Timestamp, Unit } from "../Values.ts"
import { adminPath, annotated, readProblems } from "./Endpoint.ts"
import examples from "./figureExamples.json" with { type: "json" }

const overviewPath = `${adminPath}/overview` as const

const Members = Schema.Struct({
  total: field(Integer, "Members of every status."),
  active: field(Integer, "Members without restrictions."),
  suspended: field(Integer, "Members who can only finish open orders and reservations."),
  closed: field(Integer, "Members who were closed or merged into others."),
  by_tier: field(
    Schema.Array(
      Schema.Struct({
        tier_id: field(Schema.String, "The tier's id in the programme."),
        members: field(Integer, "Members of every status who have it now.")
      })
    ),
    "The tiers from the lowest to the highest; empty if the programme has none."
  )
})

const Points = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  outstanding: field(Sum, "The sum of all members' balances, including balances below zero."),
  reserved: field(Sum, "The part of it that open reservations hold."),
  expiring_30_days: field(
    Sum,
    "Points that expire within 30 days if they are not spent before. The limit of 30 days is exact to a quarter of an hour."
  )
})

const Today = Schema.Struct({
  orders: field(Integer, "Orders that accrued and are not closed."),
  eligible_spend: field(MoneySum, "Their eligible spend, net of refunds."),
  issued: field(Sum, "Points of the primary account that accruals posted."),
  redeemed: field(Sum, "Points of the primary account that redemptions took, minus those that reversals returned."),
  expired: field(Sum, "Points of the primary account that expired."),
  adjusted: field(
    Sum,
    "Points of the primary account that adjustments posted, including manual ones; negative if more points were taken. `issued` − `redeemed` − `expired` + `adjusted` is the day's change of `outstanding`."
  )
})

const Service = Schema.Struct({
  version: field(Schema.String, "The version of Lotbook."),
  environment: field(Schema.Literals(["live", "sandbox"]), "The kind of the database."),
  role: field(Schema.Literals(nodeRoles), "`node`, or `leaving` while this node hands over."),
  partitions: field(Integer, "Partitions of accounts that this node owns, of 256."),
  nodes: field(Integer, "Nodes of the database that this node sees, with itself."),
  write_frozen: field(Schema.Boolean, "True while every write is refused."),
  resident_accounts: field(Integer, "Number of members' accounts in memory."),
  started_at: field(Timestamp, "When this node began to answer, by the machine's clock.")
})

export const Overview = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(
    Timestamp,
    "The figures include everything up to this instant. It is behind the present while the figures are catching up."
  ),
  members: field(Members, "Numbers of members."),
  points: field(Schema.Array(Points), "The programme's accounts, in its order."),
  today: field(Today, "Sums since midnight in the time zone of the programme's tier policy, or in UTC if it has none."),
  service: field(Service, "The service that answers.")
}).annotate({ identifier: "Overview" })
export type Overview = typeof Overview.Type

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "not_found"]

export class Overviews extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("overview", overviewPath, {
      query: Schema.Struct({
        program_id: optional(Identifier, "The programme; absent: the first one, by id, that the caller may see.")
      }),
      success: Overview,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "overview.show",
        "Show the figures of a programme",
        "Members, points and today's sums. The service updates the sums continuously. ",
        codes,
        examples.overview,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Overview", description: "The figures of a programme, for operators." })
  ) {}
