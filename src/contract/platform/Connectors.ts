/** Connectors: webhooks that receive the service's events (contract/events.md *Connectors*, *Webhook addresses*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { bounded, field, Identifier, Integer, optional, Text, Timestamp, Unit, whole } from "../Values.ts"
import examples from "./connectorExamples.json" with { type: "json" }
import { deliveredTypes } from "./EventTypes.ts"
import { expectedVersion, platformPath, version } from "./Platform.ts"

export const connectorsPath = `${platformPath}/connectors` as const
const deleteConnectorPath = `${connectorsPath}/delete` as const

/** Most deliveries of one connector that are in flight. */
const maxInFlight = 64
export const defaultInFlight = 8
const maxUrlLength = 2_048
/** Most connectors that are enabled. */
export const maxEnabled = 50
/** Most programmes of a connector. */
const maxPrograms = 100
/** Length of a secret, bytes: the bounds of Standard Webhooks. */
const minSecretBytes = 24
const maxSecretBytes = 64

const secretPattern = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

const isSecret = (text: string): boolean => {
  const [, encoded = ""] = secretPattern.exec(text) ?? []
  const bytes = (encoded.replaceAll("=", "").length * 6) >> 3
  return bytes >= minSecretBytes && bytes <= maxSecretBytes
}

/** A secret for signatures. Messages about faults do not contain it. */
const Secret = Schema.String.check(
  Schema.makeFilter(
    (text) => isSecret(text) || told`must be whsec_ and ${minSecretBytes} to ${maxSecretBytes} bytes in base64`,
    { toJsonSchema: () => ({ pattern: secretPattern.source, writeOnly: true }) }
  )
)

const Type = Schema.Literal("webhook")

const Subscribed = Schema.Literals([...deliveredTypes, "*"])

const distinct = Schema.makeFilter(
  (items: ReadonlyArray<unknown>) => new Set(items).size === items.length || "must not repeat an item",
  { toJsonSchema: () => ({ uniqueItems: true }) }
)

const EventTypes = Schema.Array(Subscribed).check(distinct)

const ProgramIds = Schema.Array(Identifier).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(maxPrograms, { message: told`must have at most ${maxPrograms} items` }),
  distinct
)

/** Most thresholds of a connector. */
export const maxThresholds = 10

export const Threshold = Schema.Struct({
  unit: field(Unit, "The unit of the balance."),
  amount: field(
    Integer,
    "The amount whose crossing is told. 0: tells when a balance becomes negative, and no longer is."
  )
}).annotate({ identifier: "Threshold", description: "An amount of a balance whose crossing a connector is told." })
export type Threshold = typeof Threshold.Type

const Thresholds = Schema.Array(Threshold).check(
  Schema.isMaxLength(maxThresholds, { message: told`must have at most ${maxThresholds} items` }),
  Schema.makeFilter(
    (items) =>
      new Set(items.map(({ amount, unit }) => `${unit} ${amount}`)).size === items.length || "must not repeat an item",
    { toJsonSchema: () => ({ uniqueItems: true }) }
  )
)

const MaxInFlight = whole(1, maxInFlight, told`must be a whole number from ${1} to ${maxInFlight}`)

export const ConnectorFacts = Schema.Struct({
  connector_id: optional(
    Identifier,
    "Id of the connector to create or change, unique in the service. Absent: a new connector with an id from the service."
  ),
  name: field(Text, "Its name, for people."),
  type: field(Type, "The kind of delivery."),
  configuration: field(
    Schema.Struct({
      url: field(
        bounded(1, maxUrlLength),
        "The https URL that receives events. Private addresses, and http on loopback, are only allowed with `PROTO_WEBHOOK_PRIVATE`."
      ),
      event_types: field(
        EventTypes,
        'The event types to deliver, or `"*"` for all; at least one, unless it has `guest_codes`.'
      ),
      program_ids: optional(ProgramIds, "Limits the events to these programmes. Absent: all programmes."),
      include_artifacts: optional(Schema.Boolean, "True: events contain the codes of wallet rewards. Absent: false."),
      guest_codes: optional(
        Schema.Boolean,
        "True: it sends codes to the telephones of guests who sign in. One connector does for each programme. Only an owner sets it. Absent: false."
      ),
      thresholds: optional(
        Thresholds,
        "Balances whose crossings, up or down, the connector is told as `proto.balance.crossed.v1`, beside `event_types`. Absent: none."
      ),
      max_in_flight: optional(
        MaxInFlight,
        `Most deliveries in flight, 1 to ${maxInFlight}. Absent: ${defaultInFlight}.`
      ),
      secret: optional(
        Secret,
        "Secret that signs deliveries (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Absent: unchanged; a connector without one gets one from the service, in `secret` of this one answer."
      )
    }),
    "The delivered events and their target. Replaced as a whole, except for the secret."
  ),
  enabled: optional(Schema.Boolean, "False: it delivers nothing. Absent: unchanged, or true for a new connector."),
  active: optional(Schema.Boolean, "Other name of `enabled`."),
  expected_version: expectedVersion
}).annotate({
  identifier: "ConnectorFacts",
  description: "A connector to create or change."
})
export type ConnectorFacts = typeof ConnectorFacts.Type

/** How a connector's deliveries go. Times are of the machine's clock, except `undelivered_since`. */
export const ConnectorHealth = Schema.Struct({
  waiting: field(Integer, "Deliveries that wait for another attempt, or for one of the same member."),
  last_success_at: optional(Timestamp, "When an event was last delivered; absent: none was yet."),
  failing_since: optional(Timestamp, "The first failed attempt since the last success; absent: none failed since."),
  disabled_reason: optional(
    Schema.Literals(["gone", "failing"]),
    "Why the service disabled it: the receiver answered 410, or nothing was delivered for 3 days. Absent otherwise."
  ),
  undelivered_since: optional(
    Timestamp,
    "Time of the oldest change that is still to be read for it, which a disabled one can replay from; absent: there is none."
  )
}).annotate({ identifier: "ConnectorHealth", description: "How a connector's deliveries go." })
export type ConnectorHealth = typeof ConnectorHealth.Type

export const Connector = Schema.Struct({
  connector_id: field(Identifier, "The connector's id."),
  name: field(Schema.String, "Its name, for people."),
  type: field(Type, "The kind of delivery."),
  configuration: field(
    Schema.Struct({
      url: field(Schema.String, "The URL that receives events."),
      event_types: field(Schema.Array(Subscribed), 'The event types that it delivers, or `"*"` for all.'),
      program_ids: optional(Schema.Array(Identifier), "Limits the events to these programmes. Absent: all programmes."),
      include_artifacts: field(Schema.Boolean, "True: events contain the codes of wallet rewards."),
      guest_codes: optional(
        Schema.Literal(true),
        "True: it sends codes to the telephones of guests who sign in. Absent: it does not."
      ),
      thresholds: optional(Thresholds, "Balances whose crossings it is told. Absent: none."),
      max_in_flight: field(MaxInFlight, "Most deliveries in flight."),
      secret: field(
        Schema.Struct({
          configured: field(Schema.Boolean, "True if a secret is stored."),
          last4: optional(Schema.String, "The secret's last 4 characters."),
          overlap_until: optional(
            Timestamp,
            "Until when the secret before signs too, by the machine's clock; absent: it does not."
          )
        }),
        "The secret that signs deliveries, without its text."
      )
    }),
    "The delivered events and their target."
  ),
  enabled: field(Schema.Boolean, "False: it delivers nothing."),
  health: field(ConnectorHealth, "How its deliveries go."),
  version,
  created_at: field(Timestamp, "When it was created."),
  updated_at: field(Timestamp, "When it last changed.")
}).annotate({ identifier: "Connector", description: "A webhook that receives the service's events." })
export type Connector = typeof Connector.Type

/** The secret of an answer that has made one. */
export const madeSecret = {
  secret: optional(Schema.String, "The secret that the service has made. It is shown only once."),
  secret_withheld: optional(
    Schema.Literal(true),
    "Only in a replay: the first answer with this `Idempotency-Key` had the secret. If it was lost, rotate it with a new key."
  )
}

const ConnectorPut = Schema.Struct({ connector: field(Connector, "The connector as it is now."), ...madeSecret })

const ConnectorList = Schema.Struct({
  connectors: field(Schema.Array(Connector), "A page of connectors, newest first."),
  next_cursor: nextCursor
})

export const ConnectorNamed = Schema.Struct({ connector_id: field(Identifier, "The connector.") })

const ConnectorDeleted = Schema.Struct({
  connector_id: field(Identifier, "The deleted connector."),
  deleted: field(Schema.Literal(true), "Always true: the connector and its secret are deleted.")
})

const putCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "conflict", "invalid_state"]
const deleteCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]

export class Connectors extends HttpApiGroup.make("platform_connectors")
  .add(
    HttpApiEndpoint.put("putConnector", connectorsPath, {
      payload: ConnectorFacts,
      success: ConnectorPut,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "connector.put",
        "Create or change a connector",
        `A new connector delivers what happens from then on; at most ${maxEnabled} are enabled. ` +
          "A token that is limited to programmes must name one or more of them in `program_ids`. Audited, without the secret and the path of the URL.",
        putCodes,
        examples.putConnector
      )
    ),
    HttpApiEndpoint.get("listConnectors", connectorsPath, {
      query: page,
      success: ConnectorList,
      error: problems(listProblems)
    }).annotateMerge(
      annotated(
        "connector.list",
        "List connectors",
        "A token that is limited to programmes sees only connectors limited to these.",
        listProblems,
        examples.listConnectors,
        true
      )
    ),
    HttpApiEndpoint.post("deleteConnector", deleteConnectorPath, {
      payload: ConnectorNamed,
      success: ConnectorDeleted,
      error: problems(deleteCodes)
    }).annotateMerge(
      annotated(
        "connector.delete",
        "Delete a connector",
        "Undelivered events are dropped. Audited.",
        deleteCodes,
        examples.deleteConnector
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Connectors", description: "Webhooks that receive the service's events." })
  ) {}
