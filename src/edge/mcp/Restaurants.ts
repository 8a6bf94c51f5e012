/** Tools about restaurants, which hold to those of a limited caller (contract/people.md *Limited to restaurants*). */
import { Effect } from "effect"
import { platformPath } from "../../contract/platform/Platform.ts"
import type { RestaurantFigures } from "../../contract/platform/RestaurantFigures.ts"
import type { RestaurantGuest } from "../../contract/platform/RestaurantGuest.ts"
import type { RestaurantOrders } from "../../contract/platform/RestaurantOrders.ts"
import type { RestaurantRedemptions } from "../../contract/platform/RestaurantRedemptions.ts"
import { BusinessDate, Cursor, ForeignId, Identifier, Value } from "../../contract/Values.ts"
import * as Bounds from "./Bounds.ts"
import { said } from "./GuestText.ts"
import { answer } from "./ToolAnswer.ts"
import * as Toolbox from "./Toolbox.ts"
import * as Words from "./Words.ts"

const range = {
  program_id: Toolbox.programId,
  from: Toolbox.optionally(BusinessDate, "First business day. Absent: the range has 30 days."),
  to: Toolbox.optionally(BusinessDate, "Last business day, included. Absent: today."),
  location_id: Toolbox.optionally(ForeignId, "This restaurant alone. Absent: all that the caller may see.")
}

interface Ranged {
  readonly program_id: string
  readonly from?: string
  readonly to?: string
  readonly location_id?: string
}

export const restaurantFigures = Toolbox.make("restaurant_figures", {
  title: "Figures by restaurant",
  description:
    "Orders, eligible spend and points by restaurant and business day, of at most 400 days. Money is in the currency's minor units.",
  asks: ["restaurantFigures"],
  parameters: range
})

const figures = Toolbox.handler("restaurant_figures", (asked: Ranged) =>
  Effect.map(Toolbox.get<RestaurantFigures>(`${platformPath}/restaurants/figures`, { ...asked }), (data) => {
    const orders = data.restaurants.reduce((sum, one) => sum + one.orders, 0)
    return answer({
      summary: `${Words.count(orders, "order")} at ${Words.count(data.restaurants.length, "restaurant")} of programme ${said(data.program_id)} from ${data.from} to ${data.to}.`,
      explanation: [`The figures include every change up to ${data.as_of}.`],
      data
    })
  })
)

const pages = {
  limit: Toolbox.optionally(
    Toolbox.upTo(Bounds.mostEntries),
    `Most rows, 1 to ${Bounds.mostEntries}. Absent: ${Bounds.entriesByDefault}.`
  ),
  cursor: Toolbox.optionally(Cursor, "next_cursor of the previous answer, with the same other parameters.")
}

interface Paged extends Ranged {
  readonly limit?: number
  readonly cursor?: string | undefined
}

interface Page {
  readonly as_of: string
  readonly next_cursor?: string | undefined
}

/** Asks for a page of a list and says how much there is. */
const page = <Data extends Page>(
  list: string,
  noun: string,
  countOf: (data: Data) => number,
  { limit = Bounds.entriesByDefault, ...asked }: Paged
) =>
  Effect.map(Toolbox.get<Data>(`${platformPath}/restaurants/${list}`, { ...asked, limit: String(limit) }), (data) =>
    answer({
      summary: `${Words.count(countOf(data), noun)}.${data.next_cursor === undefined ? "" : " There are more: ask again with cursor."}`,
      explanation: [`The list includes every change up to ${data.as_of}.`],
      data
    })
  )

export const restaurantOrders = Toolbox.make("restaurant_orders", {
  title: "Orders by restaurant",
  description:
    "Orders that accrued at restaurants, by falling business day, with their eligible spend and guests. Money is in the currency's minor units.",
  asks: ["restaurantOrders"],
  parameters: {
    ...range,
    ...pages
  }
})

const orders = Toolbox.handler("restaurant_orders", (asked: Paged) =>
  page<RestaurantOrders>("orders", "order", (data) => data.orders.length, asked)
)

export const restaurantRedemptions = Toolbox.make("restaurant_redemptions", {
  title: "Redemptions by restaurant",
  description:
    "Rewards that were used at restaurants, by falling day, with their orders, points and guests, also those that were given back.",
  asks: ["restaurantRedemptions"],
  parameters: { ...range, ...pages }
})

const redemptions = Toolbox.handler("restaurant_redemptions", (asked: Paged) =>
  page<RestaurantRedemptions>("redemptions", "redemption", (data) => data.redemptions.length, asked)
)

export const restaurantGuest = Toolbox.make("restaurant_guest", {
  title: "A guest at a restaurant",
  description:
    "A guest's balances, the entries at restaurants that the caller may see, and all other points as one sum. By one of known_by, order_id and member_id.",
  asks: ["restaurantGuest"],
  parameters: {
    program_id: Toolbox.programId,
    known_by: Toolbox.optionally(
      Value,
      "The whole number of a card, a whole e-mail address or telephone number of the guest."
    ),
    order_id: Toolbox.optionally(ForeignId, "An order of the guest at such a restaurant."),
    member_id: Toolbox.optionally(Identifier, "The guest, who has ordered at such a restaurant in the last 400 days.")
  }
})

interface Known {
  readonly program_id: string
  readonly known_by?: string
  readonly order_id?: string
  readonly member_id?: string
}

const guest = Toolbox.handler("restaurant_guest", (asked: Known) =>
  Effect.map(Toolbox.get<RestaurantGuest>(`${platformPath}/restaurants/guest`, { ...asked }), (data) => {
    const held = data.balances.map(({ available, unit }) => `${available} ${unit}`).join(" and ")
    return answer({
      summary: `Member ${said(data.member_id)} can spend ${held} now.`,
      explanation: data.elsewhere.map(({ amount, unit }) => `${amount} ${unit} came and went elsewhere.`),
      data
    })
  })
)

export const handlers = {
  restaurant_figures: figures,
  restaurant_orders: orders,
  restaurant_redemptions: redemptions,
  restaurant_guest: guest
}
