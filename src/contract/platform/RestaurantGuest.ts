/** A guest as a restaurant may see one (contract/members.md *A guest at a restaurant*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Balance, LedgerEntry } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { ForeignId, field, Identifier, MemberStatus, optional, Sum, Unit, Value } from "../Values.ts"
import { platformPath, programId } from "./Platform.ts"
import examples from "./restaurantExamples.json" with { type: "json" }

/** Most entries of an answer. */
export const maxGuestEntries = 100

export const RestaurantGuest = Schema.Struct({
  member_id: field(Identifier, "The member."),
  status: field(MemberStatus, "`active` members earn and redeem."),
  tier_id: optional(Identifier, "The tier; absent: none."),
  balances: field(Schema.Array(Balance), "What the guest has now."),
  entries: field(
    Schema.Array(LedgerEntry),
    `Entries at restaurants that the caller may see, newest first, at most ${maxGuestEntries}.`
  ),
  elsewhere: field(
    Schema.Array(
      Schema.Struct({
        unit: field(Unit, "The account's unit."),
        amount: field(Sum, "The sum of all other entries.")
      }).annotate({ identifier: "Elsewhere", description: "Points that came and went elsewhere, as one sum." })
    ),
    "Of each account what is not in entries at these restaurants: with them it is the balance, without what is reserved."
  )
}).annotate({ identifier: "RestaurantGuest", description: "A guest as a restaurant sees one." })
export type RestaurantGuest = typeof RestaurantGuest.Type

const oneWay = Schema.makeFilter(
  ({ known_by, member_id, order_id }: Readonly<Partial<Record<"known_by" | "member_id" | "order_id", unknown>>>) =>
    [known_by, member_id, order_id].filter((way) => way !== undefined).length === 1 || {
      path: ["known_by"],
      issue: "is required, unless there is an order_id or a member_id; only one of them"
    },
  { toJsonSchema: () => ({}) }
)

export const RestaurantGuestQuery = Schema.Struct({
  program_id: programId,
  known_by: optional(Value, "The whole number of a card, a whole e-mail address or telephone number of the guest."),
  order_id: optional(ForeignId, "An order of the guest at a restaurant that the caller may see."),
  member_id: optional(Identifier, "The guest, who has ordered at such a restaurant in the last 400 days.")
})
export type RestaurantGuestQuery = typeof RestaurantGuestQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found", "conflict"]

export class RestaurantGuests extends HttpApiGroup.make("platform_restaurant_guests")
  .add(
    HttpApiEndpoint.get("restaurantGuest", `${platformPath}/restaurants/guest`, {
      query: RestaurantGuestQuery.check(oneWay),
      success: RestaurantGuest,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "restaurants.guest",
        "Show a guest as a restaurant sees one",
        "By a whole card number, e-mail address or telephone number, by an order there, or a guest who has ordered there in the last 400 days. Everybody else is `not_found`.",
        codes,
        {
          query: { program_id: "demo-foodservice", member_id: "member-005" },
          response: examples.guest
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Restaurants' guests", description: "Guests as restaurants see them." })
  ) {}
