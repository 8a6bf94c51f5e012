/** The figures of a programme, for operators (admin.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { field, Identifier, Integer, Money, optional, Timestamp, Unit } from "../Values.ts"
import { AdminKey, adminPath, annotated, readProblems, Refusals } from "./Common.ts"
import examples from "./figureExamples.json" with { type: "json" }

export const overviewPath = `${adminPath}/overview` as const

const Members = Schema.Struct({
  total: field(Integer, "Members of every status."),
  active: field(Integer, "Members who can do everything."),
  suspended: field(Integer, "Members who can only finish what was begun."),
  closed: field(Integer, "Members who have left, or were merged into others."),
  by_tier: field(
    Schema.Array(
      Schema.Struct({
        tier_id: field(Schema.String, "The tier's id in the programme."),
        members: field(Integer, "Members of every status who are in it now.")
      })
    ),
    "The tiers from the lowest to the highest; empty where the programme has none."
  )
})

const Points = Schema.Struct({
  unit: field(Unit, "What the account counts."),
  outstanding: field(Integer, "The sum of all members' balances, those below zero included."),
  reserved: field(Integer, "What open reservations hold of it."),
  expiring_30_days: field(
    Integer,
    "What expires within 30 days from now if it is not spent before, to within a quarter of an hour."
  )
})

const Today = Schema.Struct({
  orders: field(Integer, "Orders that accrued."),
  eligible_spend: field(Money, "Their eligible spend; later refunds do not change it."),
  issued: field(Integer, "Points of the primary account that accruals posted."),
  redeemed: field(Integer, "Points of it that redemptions took, less what reversals gave back."),
  expired: field(Integer, "Points of it that expired."),
  adjusted: field(
    Integer,
    "Points of it that adjustments posted, manual ones included; negative where more was taken. `issued` − `redeemed` − `expired` + `adjusted` is the day's change of `outstanding`."
  )
})

const Service = Schema.Struct({
  version: field(Schema.String, "The version of Lotbook."),
  environment: field(Schema.Literals(["live", "sandbox"]), "What the database was made for."),
  role: field(Schema.Literals(["active", "standby"]), "`active`: a standby answers no figures."),
  write_frozen: field(Schema.Boolean, "True while every write is refused."),
  resident_accounts: field(Integer, "Members' accounts that are in memory."),
  started_at: field(Timestamp, "When this service became the active one, by the machine's clock.")
})

export const Overview = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(
    Timestamp,
    "Everything up to this instant is counted; it stays behind the present where the figures are being caught up."
  ),
  members: field(Members, "How many members there are."),
  points: field(Schema.Array(Points), "The programme's accounts, in its order."),
  today: field(
    Today,
    "What was posted since midnight in the time zone of the programme's tier policy, UTC where it has none."
  ),
  service: field(Service, "The service that answers.")
}).annotate({ identifier: "Overview" })
export type Overview = typeof Overview.Type

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "not_found"]

export class Overviews extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("overview", overviewPath, {
      query: Schema.Struct({
        program_id: optional(Identifier, "The programme; absent: the first by id that the caller may see.")
      }),
      success: Overview,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "overview",
        "The figures of a programme",
        "Members, points and what happened today, answered from sums that are kept as things happen. " +
          "A figure beyond 2^53 − 1 is shown as that. Scope: `admin:read`, or the admin key.",
        codes,
        examples.overview,
        true
      )
    )
  )
  .middleware(AdminKey)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Overview", description: "The figures of a programme, for operators." })
  ) {}
