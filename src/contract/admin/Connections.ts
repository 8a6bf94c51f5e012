/** Connections of tills by their vendors' own contracts (contract/tills.md *Connections*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import {
  bounded,
  Channel,
  ForeignId,
  field,
  Identifier,
  Integer,
  optional,
  RecordedId,
  Timestamp,
  whole
} from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, listProblems, nextCursor, page, readProblems } from "./Endpoint.ts"

const connectionsPath = `${adminPath}/connections` as const

/** Most connections of a service. */
export const maxConnections = 200
/** Most restaurants of a connection. */
const maxRestaurants = 500
/** Longest overlap of a rotation, minutes: 30 days. */
const maxOverlapMinutes = 43_200

/** The vendors that are served now. */
const Vendor = Schema.Literal("toast")

/** The name is the actor in records, so it must be printable. */
const Name = bounded(1, 100).check(
  // Without a pattern in the description: readers of it that know no classes of Unicode take the class for letters.
  Schema.makeFilter((text) => /^[^\p{C}]+$/u.test(text) || "must be 1 to 100 printable characters")
)

const Restaurant = Schema.Struct({
  external_id: field(ForeignId, "The restaurant's id in the vendor's system, as the till sends it."),
  location_id: field(ForeignId, "`scope.location_id` of its orders."),
  channel: optional(Channel, "The channel of its orders; absent: that of the settings."),
  brand_id: optional(ForeignId, "`scope.brand_id` of its orders; absent: that of the settings."),
  merchant_id: optional(ForeignId, "`scope.merchant_id` of its orders; absent: that of the settings.")
}).annotate({ identifier: "ConnectionRestaurant" })
export type Restaurant = typeof Restaurant.Type

const Restaurants = Schema.Array(Restaurant).check(
  Schema.isMaxLength(maxRestaurants, { message: told`must have at most ${maxRestaurants} items` })
)

const Unknown = Schema.Literals(["accept", "refuse"])

const country = bounded(2, 2).check(
  Schema.isPattern(/^[A-Z]{2}$/, { message: "must be a country of ISO 3166 in two capital letters" })
)

const settingFields = {
  country: field(country, "The country whose telephone numbers tills type without a code, such as `US`."),
  tells: field(
    Schema.Literals(["masked", "names", "none"]),
    "Personal data that a search shows at the till: `masked` is the first name, the initial and the last two digits; `none` the balance alone."
  ),
  search_by_name: field(Schema.Boolean, "True if tills may look for guests by name."),
  channel: field(Channel, "The channel of its orders, which the vendor does not tell."),
  brand_id: field(ForeignId, "`scope.brand_id` of its orders."),
  merchant_id: field(ForeignId, "`scope.merchant_id` of its orders."),
  time_zone: field(bounded(1, 64), "The IANA time zone of restaurants whose location has none.")
}

/** All settings, as answers have them. */
const Settings = Schema.Struct(settingFields).annotate({ identifier: "ConnectionSettings" })
export type ConnectionSettings = typeof Settings.Type

const SettingsAsked = Schema.Struct({
  country: optional(
    settingFields.country,
    "The country whose telephone numbers tills type without a code; absent: `US`, or as it is."
  ),
  tells: optional(settingFields.tells, "Personal data that a search shows at the till; absent: `masked`, or as it is."),
  search_by_name: optional(
    settingFields.search_by_name,
    "True if tills may look for guests by name; absent: false, or as it is."
  ),
  channel: optional(settingFields.channel, "The channel of its orders; absent: `counter`, or as it is."),
  brand_id: optional(settingFields.brand_id, "`scope.brand_id` of its orders; absent: `default`, or as it is."),
  merchant_id: optional(
    settingFields.merchant_id,
    "`scope.merchant_id` of its orders; absent: `default`, or as it is."
  ),
  time_zone: optional(
    settingFields.time_zone,
    "The time zone of restaurants whose location has none; absent: `America/New_York`, or as it is."
  )
}).annotate({ identifier: "ConnectionSettingsAsked" })

/** Settings of a connection that says none. */
export const defaultSettings: ConnectionSettings = {
  country: "US",
  tells: "masked",
  search_by_name: false,
  channel: "counter",
  brand_id: "default",
  merchant_id: "default",
  time_zone: "America/New_York"
}

const Status = Schema.Literals(["active", "paused"])

const Health = Schema.Struct({
  transactions: field(Integer, "Transactions of the last 24 hours."),
  refused: field(Integer, "Those of them that were refused."),
  differing: field(Integer, "Those whose sums did not agree with their lines."),
  unfinished: field(Integer, "Transactions that have begun and not ended.")
}).annotate({ identifier: "ConnectionHealth" })

export const Connection = Schema.Struct({
  connection_id: field(Identifier, "The connection's id, part of its address."),
  vendor: field(Vendor, "The vendor of the tills."),
  program_id: field(Identifier, "The programme in which its guests earn."),
  name: field(Name, "The name; records and the audit have `connection:` before it."),
  status: field(Status, "`paused`: every request is refused as one of an unknown connection."),
  path: field(Schema.String, "The path of its address, below the service's public one."),
  restaurants: field(Restaurants, "The vendor's restaurants and the locations that they are."),
  unknown_restaurant: field(Unknown, "`accept`: a restaurant that is not listed is the location of its own id."),
  settings: field(Settings, "Facts that the vendor does not tell, and data that tills may see."),
  key_hint: field(Schema.String, "The last four characters of its key."),
  rotating_until: optional(Timestamp, "The key before is accepted until then; absent: it is not."),
  last_seen_at: optional(Timestamp, "When a request with its key came last, to within ten seconds; absent: never."),
  health: field(Health, "Counts of its transactions."),
  version: field(Integer, "Counts the changes of the connection."),
  created_at: field(Timestamp, "When it was made."),
  updated_at: field(Timestamp, "When it was changed last.")
}).annotate({ identifier: "Connection" })
export type Connection = typeof Connection.Type

const ConnectionWithKey = Schema.Struct({
  connection: field(Connection, "The connection."),
  secret: optional(Schema.String, "Its new key, for the vendor's form. It is shown only here."),
  secret_withheld: optional(
    Schema.Literal(true),
    "Only in a replay: the first answer with this `Idempotency-Key` had the key. If it was lost, rotate it with a new one."
  )
}).annotate({ identifier: "ConnectionWithKey" })

export const NewConnection = Schema.Struct({
  vendor: field(Vendor, "The vendor of the tills."),
  program_id: field(Identifier, "The programme in which its guests earn."),
  name: field(Name, "A name for people."),
  restaurants: optional(Restaurants, "The vendor's restaurants and their locations; absent: none yet."),
  unknown_restaurant: optional(Unknown, "Absent: `refuse`."),
  settings: optional(SettingsAsked, "Absent ones have their defaults.")
}).annotate({ identifier: "NewConnection" })

export const ConnectionChange = Schema.Struct({
  name: optional(Name, "Another name."),
  status: optional(Status, "Pauses it, or makes it active again."),
  restaurants: optional(Restaurants, "Replaces the table of restaurants."),
  unknown_restaurant: optional(Unknown, "What becomes of a restaurant that is not listed."),
  settings: optional(SettingsAsked, "Settings to change; the others stay."),
  expected_version: optional(Integer, "Refused with `conflict` if the connection has another version.")
}).annotate({ identifier: "ConnectionChange" })

export const ConnectionRotation = Schema.Struct({
  overlap_minutes: optional(
    whole(0, maxOverlapMinutes, told`must be a whole number from ${0} to ${maxOverlapMinutes}`),
    "Minutes for which the key before is accepted too; absent: 60."
  )
}).annotate({ identifier: "ConnectionRotation" })

const Deleted = Schema.Struct({
  connection_id: field(Identifier, "The connection that is gone."),
  deleted: field(Schema.Literal(true), "It is gone.")
}).annotate({ identifier: "ConnectionDeleted" })

export const Became = Schema.Struct({
  order_id: optional(RecordedId, "The order of the check."),
  points: optional(Integer, "Points of the programme's primary account that it gave, or took if negative."),
  differs: optional(Schema.Literal(true), "The check's sums did not agree with its lines; its own total decided."),
  reservations: optional(Schema.Array(Schema.String), "The redemptions that it captured or reversed.")
}).annotate({ identifier: "ConnectionResult" })

export const ConnectionTransaction = Schema.Struct({
  transaction_id: field(Schema.String, "The vendor's id of it."),
  type: field(Schema.String, "The vendor's name of its type."),
  status: field(
    Schema.Literals(["begun", "done", "refused", "kept"]),
    "`begun`: it has not ended yet. `kept`: a reversal named it before it came, so that it will do nothing."
  ),
  restaurant: optional(Schema.String, "The vendor's id of the restaurant."),
  check_id: optional(Schema.String, "The vendor's id of the check."),
  became: optional(Became, "Its result; absent: nothing."),
  reason: optional(Schema.String, "Why it was refused, or did nothing."),
  at: field(Timestamp, "When it came, by the machine's clock."),
  ended_at: optional(Timestamp, "When it ended.")
}).annotate({ identifier: "ConnectionTransaction" })
export type ConnectionTransaction = typeof ConnectionTransaction.Type

const ConnectionList = Schema.Struct({
  connections: field(Schema.Array(Connection), "Newest first.")
}).annotate({ identifier: "ConnectionList" })

const TransactionList = Schema.Struct({
  transactions: field(Schema.Array(ConnectionTransaction), "Newest first, of the last 30 days."),
  next_cursor: nextCursor
}).annotate({ identifier: "ConnectionTransactionList" })

const params = { connection_id: Connection.fields.connection_id }

const oneProblems: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const transactionProblems: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const createProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state"]
const changeProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "conflict"]
const rotateProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]
const deleteProblems: ReadonlyArray<ProblemCode> = [...readProblems, "csrf_failed", "idempotency_conflict", "not_found"]

const example: Connection = {
  connection_id: "cnx_5f0c9b1e7a42d8366e1f4b90c7d2a853",
  vendor: "toast",
  program_id: "demo-foodservice",
  name: "Corner Bowl",
  status: "active",
  path: "/connect/toast/cnx_5f0c9b1e7a42d8366e1f4b90c7d2a853",
  restaurants: [{ external_id: "TOAST-EAST", location_id: "location-42" }],
  unknown_restaurant: "refuse",
  settings: { ...defaultSettings, brand_id: "corner-bowl", merchant_id: "merchant-east" },
  key_hint: "x7Qa",
  health: { transactions: 0, refused: 0, differing: 0, unfinished: 0 },
  version: 1,
  created_at: "2026-07-14T10:05:00.000Z",
  updated_at: "2026-07-14T10:05:00.000Z"
}
const secret = "tll_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"
const named = { connection_id: example.connection_id }
/** A connection over which a check came. */
const used: Connection = { ...example, health: { ...example.health, transactions: 1 } }
/** A connection that is deleted. */
const former: Connection = {
  ...example,
  connection_id: "cnx_0a93d2c7e1f40b6885f2c1d7b93e4a60",
  path: "/connect/toast/cnx_0a93d2c7e1f40b6885f2c1d7b93e4a60",
  name: "Former tills"
}

export class Connections extends HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("listConnections", connectionsPath, {
      success: ConnectionList,
      error: problems(readProblems)
    }).annotateMerge(
      annotated(
        "connection.list",
        "List connections",
        "All connections of tills, without their keys. A caller that is limited to programmes sees those of its own. ",
        readProblems,
        { response: { connections: [former, used] } },
        true
      )
    ),
    HttpApiEndpoint.get("showConnection", `${connectionsPath}/:connection_id`, {
      params,
      success: Connection,
      error: problems(oneProblems)
    }).annotateMerge(
      annotated(
        "connection.show",
        "Show a connection",
        "One connection, without its key. ",
        oneProblems,
        { params: named, response: used },
        true
      )
    ),
    HttpApiEndpoint.get("listConnectionTransactions", `${connectionsPath}/:connection_id/transactions`, {
      params,
      query: page,
      success: TransactionList,
      error: problems(transactionProblems)
    }).annotateMerge(
      annotated(
        "connection.transactions",
        "List what came over a connection",
        "Each transaction with its result, or why it was refused; nothing of a guest but what the result names. ",
        transactionProblems,
        {
          params: named,
          response: {
            transactions: [
              {
                transaction_id: "0f5b7f2e-7a61-4a3f-9c1d-1b2c3d4e5f60",
                type: "LOYALTY_ACCRUE",
                status: "done",
                restaurant: "TOAST-EAST",
                check_id: "6a1c9d52-30ab-4b57-8f0e-5d1e2f3a4b5c",
                became: { order_id: "toast:6a1c9d52-30ab-4b57-8f0e-5d1e2f3a4b5c", points: 110 },
                at: "2026-07-14T10:05:00.000Z",
                ended_at: "2026-07-14T10:05:00.004Z"
              }
            ]
          }
        },
        true
      )
    ),
    HttpApiEndpoint.post("createConnection", connectionsPath, {
      payload: NewConnection,
      success: ConnectionWithKey.pipe(HttpApiSchema.status(201)),
      error: problems(createProblems)
    })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "connection.create",
          "Connect tills",
          "Makes the address and the key for the vendor's form. Only the first answer has the key; a replay has `secret_withheld` instead. " +
            "For owners: it needs `protocol:read`, `protocol:write` and `members:read` too. ",
          createProblems,
          {
            request: {
              vendor: example.vendor,
              program_id: example.program_id,
              name: example.name,
              restaurants: example.restaurants,
              settings: { brand_id: "corner-bowl", merchant_id: "merchant-east" }
            },
            response: { connection: example, secret }
          }
        )
      ),
    HttpApiEndpoint.patch("changeConnection", `${connectionsPath}/:connection_id`, {
      params,
      payload: ConnectionChange,
      success: Connection,
      error: problems(changeProblems)
    })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "connection.change",
          "Change a connection",
          "Within a second every node goes by it. Whatever lets a till see or do more is for owners: making it active again, accepting " +
            "unknown restaurants, telling more of guests, searching by name. ",
          changeProblems,
          { params: named, request: { status: "paused" }, response: { ...used, status: "paused", version: 2 } }
        )
      ),
    HttpApiEndpoint.post("rotateConnection", `${connectionsPath}/:connection_id/rotate`, {
      params,
      payload: ConnectionRotation,
      success: ConnectionWithKey,
      error: problems(rotateProblems)
    })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        annotated(
          "connection.rotate",
          "Give a connection a new key",
          "The key before is accepted until the overlap ends. Only the first answer has the new one. For owners. ",
          rotateProblems,
          {
            params: named,
            request: { overlap_minutes: 60 },
            response: {
              connection: { ...used, status: "paused", rotating_until: "2026-07-14T11:05:00.000Z", version: 3 },
              secret
            }
          }
        )
      ),
    HttpApiEndpoint.delete("deleteConnection", `${connectionsPath}/:connection_id`, {
      params,
      success: Deleted,
      error: problems(deleteProblems)
    })
      // In steps, each committed by itself.
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "connection.delete",
          "Delete a connection",
          "With its list of transactions. Points that were earned over it stay. For owners. ",
          deleteProblems,
          {
            params: { connection_id: former.connection_id },
            response: { connection_id: former.connection_id, deleted: true }
          }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Connections",
      description: "Tills that speak their vendor's own loyalty contract with the service."
    })
  ) {}
