/** The restaurants that orders name by an id (contract/operators.md *Locations*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import {
  BusinessDate,
  bounded,
  ForeignId,
  field,
  Identifier,
  Integer,
  optional,
  RecordedId,
  Text,
  Timestamp
} from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"

export const locationsPath = `${adminPath}/locations` as const

/** Most changes of franchisee, and of brand, that a location has. */
const maxChanges = 100

const from = field(BusinessDate, "The business day of orders from which it holds, up to the next entry's.")

export const Franchised = Schema.Struct({
  from,
  franchisee_id: optional(ForeignId, "Whose restaurant it is; absent: nobody's.")
}).annotate({ identifier: "Franchised" })

export const Branded = Schema.Struct({
  from,
  brand_id: optional(ForeignId, "Which brand it has; absent: none.")
}).annotate({ identifier: "Branded" })

const ofChanges = <A extends Schema.Top>(change: A) =>
  Schema.Array(change).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(maxChanges, { message: told`must have at most ${100} items` })
  )

const facts = {
  address: optional(Text, "Where it is."),
  time_zone: optional(bounded(1, 64), "Its IANA time zone, such as `Europe/Berlin`."),
  brand: optional(Text, "The brand that guests know it by."),
  closed: optional(Schema.Literal(true), "It is closed for good, and known for what is past alone; absent: it is not."),
  franchisees: optional(
    ofChanges(Franchised),
    "Whose restaurant it is and was, by rising day. Before the first entry it is nobody's."
  ),
  brands: optional(
    ofChanges(Branded),
    "Which brand it has and had, by rising day, by its id. Before the first entry it has none."
  )
}

export const LocationFacts = Schema.Struct({
  location_id: field(ForeignId, "`scope.location_id` of its orders."),
  name: field(Text, "What people call it."),
  ...facts
}).annotate({ identifier: "LocationFacts" })

export const Location = Schema.Struct({
  location_id: field(RecordedId, "`scope.location_id` of its orders."),
  name: optional(Text, "What people call it; absent: orders name it, and nobody has named it yet."),
  ...facts,
  last_order_at: optional(
    Timestamp,
    "Start of the quarter of an hour in which its newest order accrued; absent: none in the last 7 days."
  ),
  last_order_on: optional(BusinessDate, "Business day of its newest order; absent: none yet."),
  order_weekdays: optional(
    Schema.Array(Integer),
    "Days of the week with an order in the four weeks up to `last_order_on`, 1 for Monday to 7 for Sunday: on others it is " +
      "closed. Absent: its orders of these weeks lie within six days."
  )
}).annotate({ identifier: "Location" })
export type Location = typeof Location.Type

const LocationList = Schema.Struct({
  program_id: field(Identifier, "The programme whose orders are looked at."),
  locations: field(Schema.Array(Location), "By name, then those without one by id.")
}).annotate({ identifier: "LocationList" })

const named = {
  location_id: "location-42",
  name: "East Side",
  address: "12 Canal Street",
  time_zone: "America/New_York"
}

const franchised = {
  ...named,
  franchisees: [
    { from: "2024-03-01", franchisee_id: "ada-foods" },
    { from: "2026-10-15", franchisee_id: "harbour-group" }
  ],
  brands: [{ from: "2024-03-01", brand_id: "corner-bowl" }]
}

export class Locations extends HttpApiGroup.make("locations")
  .add(
    HttpApiEndpoint.get("listLocations", locationsPath, {
      query: {
        program_id: optional(
          Identifier,
          "The programme whose orders are looked at. Absent: the first that the caller may see."
        )
      },
      success: LocationList,
      error: problems([...readProblems, "not_found"])
    }).annotateMerge(
      annotated(
        "location.list",
        "List the restaurants",
        "Those that have a name, closed ones included, and those that orders of the programme name; at most 1,000 of these. " +
          "With the time of the newest order, a place that has fallen silent shows.",
        [...readProblems, "not_found"],
        {
          query: { program_id: "demo-foodservice" },
          response: {
            program_id: "demo-foodservice",
            locations: [{ ...named, last_order_on: "2026-07-14" }]
          }
        },
        true
      )
    ),
    HttpApiEndpoint.put("putLocation", locationsPath, {
      payload: LocationFacts,
      success: LocationFacts,
      error: problems(frozenChangeProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "location.put",
          "Name a restaurant",
          "Sets what is known of a location, also before its first order. It replaces what was there: an absent value ends. " +
            "So a change of franchisee comes with the entries before it.",
          frozenChangeProblems,
          { request: franchised, response: franchised }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Locations", description: "The restaurants that orders name by an id." })
  ) {}
