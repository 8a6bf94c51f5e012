/**
 * The HttpApi of `/platform/v1`: customer engagement for marketing systems
 * (contract/engagement.md *Routes*). Each resource has a file of its own.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AuthOf, strict } from "../Access.ts"
import { AnalyticsGroup } from "./Analytics.ts"
import { Campaigns } from "./Campaigns.ts"
import { Connectors } from "./Connectors.ts"
import { Deliveries } from "./Deliveries.ts"
import { Discovery } from "./Discovery.ts"
import { Events } from "./Events.ts"
import { Feed } from "./Feed.ts"
import { Promotions } from "./GuestPromotions.ts"
import { Imports } from "./Imports.ts"
import { ImportsTakenBack } from "./ImportTakenBack.ts"
import { KeptOrders } from "./KeptOrders.ts"
import { Members } from "./Members.ts"
import { PendingAudiences } from "./PendingAudience.ts"
import { platformName, platformVersion } from "./Platform.ts"
import { RestaurantFiguresGroup } from "./RestaurantFigures.ts"
import { RestaurantGuests } from "./RestaurantGuest.ts"
import { RestaurantOrdersGroup } from "./RestaurantOrders.ts"
import { RestaurantRedemptionsGroup } from "./RestaurantRedemptions.ts"
import { Segments } from "./Segments.ts"
import { SignInLinks } from "./SignInLinks.ts"

export class PlatformApi extends HttpApi.make("lotbook-platform")
  .add(
    Discovery,
    Members,
    AnalyticsGroup,
    Events,
    Segments,
    Campaigns,
    PendingAudiences,
    Promotions,
    Feed,
    Connectors,
    Deliveries,
    Imports,
    ImportsTakenBack,
    KeptOrders,
    SignInLinks,
    RestaurantFiguresGroup,
    RestaurantGuests,
    RestaurantOrdersGroup,
    RestaurantRedemptionsGroup
  )
  .annotateMerge(OpenApi.annotations({ title: platformName, version: platformVersion }))
  .annotate(AuthOf, "platform")
  .annotateMerge(strict) {}
