/**
 * Discovery: the resources of `/platform/v1`, and the transaction contract that it builds on
 * (contract/engagement.md *Routes*).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import { basePath, profile, protocolVersion } from "../protocol/Protocol.ts"
import { field } from "../Values.ts"
import { platformName, platformPath, platformVersion } from "./Platform.ts"

const Offered = Schema.Struct({
  name: field(Schema.String, "The path below the base; `discovery` for the base itself."),
  methods: field(Schema.Array(Schema.String), "The supported methods, without HEAD."),
  path: field(Schema.String, "The complete path.")
}).annotate({ identifier: "Offered", description: "A resource of the platform." })

export const Offer = Schema.Struct({
  name: field(Schema.String, "The name of the platform."),
  version: field(Schema.Literal(platformVersion), "The version of the platform."),
  resources: field(Schema.Array(Offered), "Every resource of the platform."),
  transaction_contract: field(
    Schema.Struct({
      base_path: field(Schema.String, "The base path of that contract."),
      protocol_version: field(Schema.String, "The version of that contract."),
      profile: field(Schema.String, "The profile of that contract.")
    }),
    "The contract for points and rewards, which the platform uses and does not change."
  )
}).annotate({ identifier: "Offer", description: "The resources of the platform." })

const response = {
  name: platformName,
  version: platformVersion,
  resources: [
    { name: "discovery", methods: ["GET"], path: platformPath },
    { name: "members", methods: ["GET", "PUT"], path: `${platformPath}/members` },
    { name: "members/consents", methods: ["GET"], path: `${platformPath}/members/consents` },
    { name: "members.csv", methods: ["GET"], path: `${platformPath}/members.csv` },
    { name: "members/erase", methods: ["POST"], path: `${platformPath}/members/erase` },
    { name: "analytics", methods: ["GET"], path: `${platformPath}/analytics` },
    { name: "events", methods: ["POST", "GET"], path: `${platformPath}/events` },
    { name: "events/batch", methods: ["POST"], path: `${platformPath}/events/batch` },
    { name: "segments", methods: ["GET", "PUT"], path: `${platformPath}/segments` },
    { name: "segments/preview", methods: ["POST"], path: `${platformPath}/segments/preview` },
    { name: "segments/archive", methods: ["POST"], path: `${platformPath}/segments/archive` },
    { name: "segments/delete", methods: ["POST"], path: `${platformPath}/segments/delete` },
    { name: "campaigns", methods: ["PUT", "GET"], path: `${platformPath}/campaigns` },
    { name: "campaigns/status", methods: ["POST"], path: `${platformPath}/campaigns/status` },
    { name: "campaigns/delete", methods: ["POST"], path: `${platformPath}/campaigns/delete` },
    { name: "campaigns/run", methods: ["POST"], path: `${platformPath}/campaigns/run` },
    { name: "campaigns/test", methods: ["POST"], path: `${platformPath}/campaigns/test` },
    { name: "campaigns/runs", methods: ["GET"], path: `${platformPath}/campaigns/runs` },
    { name: "campaigns/run/preview", methods: ["GET"], path: `${platformPath}/campaigns/run/preview` },
    { name: "campaigns/report", methods: ["GET"], path: `${platformPath}/campaigns/report` },
    { name: "members/campaigns", methods: ["GET"], path: `${platformPath}/members/campaigns` },
    { name: "campaigns/audience/preview", methods: ["POST"], path: `${platformPath}/campaigns/audience/preview` },
    { name: "campaigns/audience/confirm", methods: ["POST"], path: `${platformPath}/campaigns/audience/confirm` },
    { name: "promotions", methods: ["GET"], path: `${platformPath}/promotions` },
    { name: "members/challenges", methods: ["GET"], path: `${platformPath}/members/challenges` },
    { name: "feed", methods: ["GET"], path: `${platformPath}/feed` },
    { name: "feed/stream", methods: ["GET"], path: `${platformPath}/feed/stream` },
    { name: "connectors", methods: ["PUT", "GET"], path: `${platformPath}/connectors` },
    { name: "connectors/delete", methods: ["POST"], path: `${platformPath}/connectors/delete` },
    { name: "connectors/deliveries", methods: ["GET"], path: `${platformPath}/connectors/deliveries` },
    { name: "connectors/replay", methods: ["POST"], path: `${platformPath}/connectors/replay` },
    { name: "connectors/retry", methods: ["POST"], path: `${platformPath}/connectors/retry` },
    { name: "connectors/test", methods: ["POST"], path: `${platformPath}/connectors/test` },
    { name: "connectors/rotate", methods: ["POST"], path: `${platformPath}/connectors/rotate` },
    { name: "connectors/status", methods: ["POST"], path: `${platformPath}/connectors/status` },
    { name: "imports/members", methods: ["POST"], path: `${platformPath}/imports/members` },
    { name: "imports", methods: ["GET"], path: `${platformPath}/imports` },
    { name: "imports/errors", methods: ["GET"], path: `${platformPath}/imports/errors` },
    { name: "imports/take-back", methods: ["POST"], path: `${platformPath}/imports/take-back` },
    { name: "orders", methods: ["PUT"], path: `${platformPath}/orders` },
    { name: "orders/adjust", methods: ["POST"], path: `${platformPath}/orders/adjust` },
    { name: "orders/claim", methods: ["POST"], path: `${platformPath}/orders/claim` },
    { name: "members/sign-in-link", methods: ["POST"], path: `${platformPath}/members/sign-in-link` },
    { name: "restaurants/figures", methods: ["GET"], path: `${platformPath}/restaurants/figures` },
    { name: "restaurants/guest", methods: ["GET"], path: `${platformPath}/restaurants/guest` },
    { name: "restaurants/orders", methods: ["GET"], path: `${platformPath}/restaurants/orders` },
    { name: "restaurants/orders.csv", methods: ["GET"], path: `${platformPath}/restaurants/orders.csv` },
    { name: "restaurants/redemptions", methods: ["GET"], path: `${platformPath}/restaurants/redemptions` },
    { name: "restaurants/redemptions.csv", methods: ["GET"], path: `${platformPath}/restaurants/redemptions.csv` }
  ],
  transaction_contract: { base_path: basePath, protocol_version: protocolVersion, profile }
}

export class Discovery extends HttpApiGroup.make("platform_discovery")
  .add(
    HttpApiEndpoint.get("platform", platformPath, { success: Offer, error: problems(readProblems) }).annotateMerge(
      annotated(
        "platform.show",
        "List the platform's resources",
        "Every resource with its methods. The path may also end with a slash.",
        readProblems,
        { response },
        true
      )
    )
  )
  .annotate(AccessOf, { alsoWithSlash: true })
  .annotateMerge(
    OpenApi.annotations({ title: "Discovery", description: `Customer engagement, version ${platformVersion}.` })
  ) {}
