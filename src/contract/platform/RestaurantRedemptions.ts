/** Redemptions by restaurant (contract/engagement.md *Redemptions by restaurant*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { BusinessDate, field, Identifier, optional, RecordedId, Sum, Timestamp, Unit } from "../Values.ts"
import { platformPath } from "./Platform.ts"
import { maxFigureDays, RestaurantsQuery } from "./RestaurantFigures.ts"

const redemptionsPath = `${platformPath}/restaurants/redemptions` as const

const RestaurantRedemption = Schema.Struct({
  reservation_id: field(Identifier, "The reservation."),
  order_id: field(RecordedId, "The order at which the reward was used."),
  location_id: field(RecordedId, "The restaurant."),
  date: field(BusinessDate, "The day of the reservation in the programme's time zone."),
  reserved_at: field(Timestamp, "When it was reserved."),
  captured_at: field(Timestamp, "When it was captured."),
  reversed_at: optional(Timestamp, "When it was given back; absent: it was not."),
  member_id: field(Identifier, "The member whose it is now."),
  reward_id: field(Identifier, "The reward."),
  issued_reward_id: optional(
    Identifier,
    "The reward of the wallet that was used; absent: it was paid with points at the order."
  ),
  unit: field(Unit, "The account that paid."),
  points: field(Sum, "Points that it took; 0: a reward of the wallet.")
}).annotate({ identifier: "RestaurantRedemption", description: "A reward that was used at a restaurant." })

export const RestaurantRedemptions = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(Timestamp, "The list includes every change up to this instant, and may include later ones."),
  redemptions: field(
    Schema.Array(RestaurantRedemption),
    "By falling day, then by falling restaurant's id, then newest first."
  ),
  next_cursor: nextCursor
}).annotate({ identifier: "RestaurantRedemptions", description: "Redemptions by restaurant." })
export type RestaurantRedemptions = typeof RestaurantRedemptions.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const query = { program_id: "demo-foodservice", from: "2020-07-01", to: "2020-07-31" }

export class RestaurantRedemptionsGroup extends HttpApiGroup.make("platform_restaurant_redemptions")
  .add(
    HttpApiEndpoint.get("restaurantRedemptions", redemptionsPath, {
      query: { ...RestaurantsQuery.fields, ...page },
      success: RestaurantRedemptions,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurant_redemption.list",
        "List redemptions by restaurant",
        `Captured reservations of at most ${maxFigureDays} days, also those that were given back later. A caller that is limited to restaurants sees those that were reserved within two days of when a restaurant was its.`,
        codes,
        {
          query,
          response: { program_id: "demo-foodservice", as_of: "2026-07-14T10:05:00.000Z", redemptions: [] }
        },
        true
      )
    ),
    HttpApiEndpoint.get("restaurantRedemptionsCsv", `${redemptionsPath}.csv`, {
      query: RestaurantsQuery,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurant_redemption.export",
        "Export redemptions by restaurant as CSV",
        "All pages in one file. Cells that a spreadsheet would treat as formulas begin with an apostrophe.",
        codes,
        {
          query,
          response:
            "reservation_id,order_id,location_id,date,reserved_at,captured_at,reversed_at,member_id,reward_id,issued_reward_id,unit,points\r\n"
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Restaurants' redemptions", description: "Redemptions by restaurant." })
  ) {}
