/** The routes of figures and lists by restaurant (contract/engagement.md *Figures by restaurant*). */
import { Layer } from "effect"
import * as RestaurantFigures from "./RestaurantFigures.ts"
import * as RestaurantOrders from "./RestaurantOrders.ts"
import * as RestaurantRedemptions from "./RestaurantRedemptions.ts"

export const layer = Layer.mergeAll(RestaurantFigures.layer, RestaurantOrders.layer, RestaurantRedemptions.layer)
