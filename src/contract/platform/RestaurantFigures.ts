/** Figures by restaurant (contract/engagement.md *Figures by restaurant*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import {
  BusinessDate,
  ForeignId,
  field,
  Identifier,
  Integer,
  MoneySum,
  optional,
  RecordedId,
  Sum,
  Text,
  Timestamp,
  Unit
} from "../Values.ts"
import { platformPath, programId } from "./Platform.ts"

/** Longest range, days. */
export const maxFigureDays = 400
/** Default length of the range, days. */
export const defaultFigureDays = 30
/** Longest range whose guests are counted, days: each order is read. */
export const maxGuestDays = 62

const Points = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  issued: field(Sum, "Points that accruals posted."),
  redeemed: field(Sum, "Points that redemptions took."),
  reversed: field(Sum, "Points that reversals of redemptions gave back."),
  adjusted: field(Sum, "Net points of refunds, corrections and manual entries there; may be negative.")
}).annotate({ identifier: "RestaurantPoints", description: "Points that were posted at a restaurant." })

const orders = {
  orders: field(Sum, "Orders of these business days that accrued."),
  eligible_spend: field(MoneySum, "Eligible spend of these orders, net of all refunds until now.")
}

const Restaurant = Schema.Struct({
  location_id: field(RecordedId, "The restaurant."),
  name: optional(Text, "What people call it; absent: nobody has named it."),
  ...orders,
  guests: optional(
    Integer,
    `Different members with an order there. Absent: the range has more than ${maxGuestDays} days, or is older than single orders are kept.`
  ),
  points: field(Schema.Array(Points), "Its points, one item for each account with entries there.")
}).annotate({ identifier: "RestaurantFigures" })

const Day = Schema.Struct({
  date: field(BusinessDate, "The business day."),
  ...orders
}).annotate({ identifier: "RestaurantsDay", description: "Orders of all these restaurants on a business day." })

export const RestaurantFigures = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(Timestamp, "The figures include every change up to this instant, and may include later ones."),
  from: field(BusinessDate, "First business day."),
  to: field(BusinessDate, "Last business day."),
  restaurants: field(Schema.Array(Restaurant), "Restaurants with an order or an entry in the range, by their ids."),
  by_day: field(Schema.Array(Day), "Every business day of the range with an order, in order of time.")
}).annotate({ identifier: "FiguresByRestaurant", description: "Figures by restaurant." })
export type RestaurantFigures = typeof RestaurantFigures.Type

export const RestaurantsQuery = Schema.Struct({
  program_id: programId,
  from: optional(BusinessDate, `First business day. Absent: the range has ${defaultFigureDays} days.`),
  to: optional(BusinessDate, "Last business day, included. Absent: today in the programme's time zone."),
  location_id: optional(ForeignId, "This restaurant alone. Absent: all that the caller may see.")
})
export type RestaurantsQuery = typeof RestaurantsQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]

export class RestaurantFiguresGroup extends HttpApiGroup.make("platform_restaurant_figures")
  .add(
    HttpApiEndpoint.get("restaurantFigures", `${platformPath}/restaurants/figures`, {
      query: RestaurantsQuery,
      success: RestaurantFigures,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurants.figures",
        "Show figures by restaurant",
        `At most ${maxFigureDays} days. A caller that is limited to restaurants sees these, on the days on which they are its.`,
        codes,
        {
          query: { program_id: "demo-foodservice", from: "2020-07-01", to: "2020-07-31" },
          response: {
            program_id: "demo-foodservice",
            as_of: "2026-07-14T10:05:00.000Z",
            from: "2020-07-01",
            to: "2020-07-31",
            restaurants: [],
            by_day: []
          }
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Restaurants", description: "Figures by restaurant." })) {}
