/** Orders by restaurant (contract/engagement.md *Orders by restaurant*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { BusinessDate, field, Identifier, MoneySum, optional, RecordedId, Timestamp } from "../Values.ts"
import { platformPath } from "./Platform.ts"
import { maxFigureDays, RestaurantsQuery } from "./RestaurantFigures.ts"

const ordersPath = `${platformPath}/restaurants/orders` as const

const RestaurantOrder = Schema.Struct({
  order_id: field(RecordedId, "The order."),
  location_id: field(RecordedId, "The restaurant."),
  business_date: field(BusinessDate, "Its business day; the UTC day of its accrual where the till named none."),
  accrued_at: field(Timestamp, "When it accrued."),
  member_id: field(Identifier, "The member that has it now."),
  eligible_spend: field(MoneySum, "Its eligible spend, net of all refunds until now."),
  closed: optional(Schema.Literal(true), "It was refunded in full or voided; absent: it was not.")
}).annotate({ identifier: "RestaurantOrder", description: "An order that accrued at a restaurant." })

export const RestaurantOrders = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(Timestamp, "The list includes every change up to this instant, and may include later ones."),
  orders: field(
    Schema.Array(RestaurantOrder),
    "By falling business day, then by falling restaurant's id, then newest first."
  ),
  next_cursor: nextCursor
}).annotate({ identifier: "RestaurantOrders", description: "Orders by restaurant." })
export type RestaurantOrders = typeof RestaurantOrders.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const query = { program_id: "demo-foodservice", from: "2020-07-01", to: "2020-07-31" }

export class RestaurantOrdersGroup extends HttpApiGroup.make("platform_restaurant_orders")
  .add(
    HttpApiEndpoint.get("restaurantOrders", ordersPath, {
      query: { ...RestaurantsQuery.fields, ...page },
      success: RestaurantOrders,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurant_order.list",
        "List orders by restaurant",
        `Of at most ${maxFigureDays} business days. A caller that is limited to restaurants sees these, on the days on which they are its.`,
        codes,
        {
          query,
          response: { program_id: "demo-foodservice", as_of: "2026-07-14T10:05:00.000Z", orders: [] }
        },
        true
      )
    ),
    HttpApiEndpoint.get("restaurantOrdersCsv", `${ordersPath}.csv`, {
      query: RestaurantsQuery,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurant_order.export",
        "Export orders by restaurant as CSV",
        "All pages in one file. Cells that a spreadsheet would treat as formulas begin with an apostrophe.",
        codes,
        {
          query,
          response: "order_id,location_id,business_date,accrued_at,member_id,eligible_spend,currency,closed\r\n"
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Restaurants' orders", description: "Orders by restaurant." })) {}
