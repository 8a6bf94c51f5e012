/** Connectors: where events are delivered to (platform.md; events.md *Webhooks*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { annotated, changeProblems, listProblems, nextCursor, page, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bounded, field, Identifier, optional, Text, Timestamp, whole } from "../Values.ts"
import { PlatformKey, platformPath } from "./Common.ts"
import examples from "./connectorExamples.json" with { type: "json" }
import { eventTypes } from "./EventTypes.ts"

export const connectorsPath = `${platformPath}/connectors` as const
export const deleteConnectorPath = `${connectorsPath}/delete` as const

/** Deliveries of one connector at once. */
const maxInFlight = 64
export const defaultInFlight = 8
const maxUrlLength = 2_048
/** Most programmes that a connector names. */
const maxPrograms = 100
/** Bytes of a secret: the bounds of Standard Webhooks. */
const minSecretBytes = 24
const maxSecretBytes = 64

const secretPattern = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

const isSecret = (text: string): boolean => {
  const [, encoded = ""] = secretPattern.exec(text) ?? []
  const bytes = (encoded.replaceAll("=", "").length * 6) >> 3
  return bytes >= minSecretBytes && bytes <= maxSecretBytes
}

/** Never shown again: its message does not quote it either. */
const Secret = Schema.String.check(
  Schema.makeFilter(
    (text) => isSecret(text) || `must be whsec_ and ${minSecretBytes} to ${maxSecretBytes} bytes in base64`,
    { toJsonSchema: () => ({ pattern: secretPattern.source, writeOnly: true }) }
  )
)

const Type = Schema.Literal("webhook")

const Subscribed = Schema.Literals([...eventTypes, "*"])

const distinct = Schema.makeFilter(
  (items: ReadonlyArray<unknown>) => new Set(items).size === items.length || "must not name one twice",
  { toJsonSchema: () => ({ uniqueItems: true }) }
)

const EventTypes = Schema.Array(Subscribed).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  distinct
)

const ProgramIds = Schema.Array(Identifier).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(maxPrograms, { message: `must have at most ${maxPrograms} items` }),
  distinct
)

const InFlight = whole(1, maxInFlight, `must be a whole number from 1 to ${maxInFlight}`)

export const ConnectorFacts = Schema.Struct({
  connector_id: optional(
    Identifier,
    "The connector's id, unique in the service; one that is there is changed. Absent: a new one is made."
  ),
  name: field(Text, "What people call it."),
  type: field(Type, "How it delivers."),
  configuration: field(
    Schema.Struct({
      url: field(
        bounded(1, maxUrlLength),
        "Where events are sent, with https. An address that is not public needs `PROTO_WEBHOOK_PRIVATE`; on loopback http will do then."
      ),
      event_types: field(EventTypes, 'The types of event to deliver, or `"*"` for all.'),
      program_ids: optional(ProgramIds, "Only events of these programmes; absent: of all."),
      include_artifacts: optional(Schema.Boolean, "Whether events tell codes of wallet rewards; absent: no."),
      max_in_flight: optional(InFlight, `Deliveries at once, 1 to ${maxInFlight}; ${defaultInFlight} where absent.`),
      secret: optional(
        Secret,
        "Signs deliveries by Standard Webhooks. No answer shows it. Absent: the one that was given before stays."
      )
    }),
    "What it delivers and where; replaced as a whole, save the secret."
  ),
  enabled: optional(Schema.Boolean, "Whether it delivers. Absent: stays as it is; a new one does."),
  active: optional(Schema.Boolean, "Another spelling of `enabled`.")
}).annotate({ identifier: "ConnectorFacts", description: "A connector as it is sent." })
export type ConnectorFacts = typeof ConnectorFacts.Type

export const Connector = Schema.Struct({
  connector_id: field(Identifier, "The connector's id."),
  name: field(Schema.String, "What people call it."),
  type: field(Type, "How it delivers."),
  configuration: field(
    Schema.Struct({
      url: field(Schema.String, "Where events are sent."),
      event_types: field(Schema.Array(Subscribed), 'The types of event that it delivers, or `"*"` for all.'),
      program_ids: optional(Schema.Array(Identifier), "Only events of these programmes; absent: of all."),
      include_artifacts: field(Schema.Boolean, "Whether events tell codes of wallet rewards."),
      max_in_flight: field(InFlight, "Deliveries at once."),
      secret: field(
        Schema.Struct({
          configured: field(Schema.Boolean, "Whether there is one."),
          last4: optional(Schema.String, "Its last 4 characters.")
        }),
        "What signs deliveries."
      )
    }),
    "What it delivers and where."
  ),
  enabled: field(Schema.Boolean, "Whether it delivers."),
  created_at: field(Timestamp, "When it was made."),
  updated_at: field(Timestamp, "When it was changed last.")
}).annotate({ identifier: "Connector", description: "Where events are delivered to." })
export type Connector = typeof Connector.Type

export const ConnectorPut = Schema.Struct({ connector: field(Connector, "The connector as it is now.") })

export const ConnectorList = Schema.Struct({
  connectors: field(Schema.Array(Connector), "The page, the newest first."),
  next_cursor: nextCursor
})

export const ConnectorNamed = Schema.Struct({ connector_id: field(Identifier, "The connector.") })

export const ConnectorDeleted = Schema.Struct({
  connector_id: field(Identifier, "The connector that was."),
  deleted: field(Schema.Literal(true), "It is gone, with its secret.")
})

const deleteCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]

export class Connectors extends HttpApiGroup.make("platform_connectors")
  .add(
    HttpApiEndpoint.put("putConnector", connectorsPath, {
      payload: ConnectorFacts,
      success: ConnectorPut,
      error: problems(changeProblems)
    }).annotateMerge(
      annotated(
        "putConnector",
        "Make a connector or change it",
        "A token that is limited to programmes must name some of these in `program_ids`. Audited, without the path of the " +
          "URL and the secret. Scope: `platform:write`.",
        changeProblems,
        examples.putConnector
      )
    ),
    HttpApiEndpoint.get("listConnectors", connectorsPath, {
      query: page,
      success: ConnectorList,
      error: problems(listProblems)
    }).annotateMerge(
      annotated(
        "listConnectors",
        "List connectors",
        "A token that is limited to programmes sees the connectors of these alone. Scope: `platform:read`.",
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
        "deleteConnector",
        "Delete a connector",
        "What it has not delivered is not delivered any more. Audited. Scope: `platform:write`.",
        deleteCodes,
        examples.deleteConnector
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Connectors", description: "Where events are delivered to." })) {}
