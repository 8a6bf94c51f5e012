/**
 * The routes of connectors (contract/events.md *Connectors*). A secret is stored encrypted: no answer,
 * log, audit entry or stored result contains it.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Codes from "../account/Codes.ts"
import { PeoplePool } from "../database/Pools.ts"
import * as Audit from "../surface/Audit.ts"
import { paged, pageOf } from "../surface/Paging.ts"
import type { PageQuery } from "../surface/Paging.ts"
import { refuse, refuseFaults } from "../surface/Refusal.ts"
import * as Visible from "../surface/Visible.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { BodyFault } from "../contract/Decode.ts"
import { PlatformApi } from "../contract/platform/Api.ts"
import type { Connector, ConnectorFacts, ConnectorNamed } from "../contract/platform/Connectors.ts"
import { defaultInFlight } from "../contract/platform/Connectors.ts"
import { serviceTime } from "../time/Times.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Store from "./ConnectorStore.ts"
import * as Sealed from "./Sealed.ts"
import * as Versions from "../surface/Versions.ts"
import { faultOf, PrivateWebhooks } from "./WebhookUrl.ts"

const enabledFaults = ({ active, enabled }: ConnectorFacts): ReadonlyArray<BodyFault> =>
  active === undefined || enabled === undefined || active === enabled
    ? []
    : [{ path: "/active", message: "must be the same as `enabled`" }]

/** True if the caller may see events of all the connector's programmes (undefined: all programmes). */
const isWithin = ({ programs }: RequestCaller, ids: ReadonlyArray<string> | undefined): boolean =>
  programs === undefined || (ids?.every((id) => programs.has(id)) ?? false)

const subjectOf = (id: string) => ({ type: "connector", id })

/** The facts of a connector for the audit. Of the URL only the host: a path is often a secret itself. */
const auditFacts = ({ configuration, enabled, name }: Connector) => ({
  name,
  host: new URL(configuration.url).host,
  event_types: [...configuration.event_types],
  include_artifacts: configuration.include_artifacts,
  max_in_flight: configuration.max_in_flight,
  enabled,
  secret: configuration.secret.configured,
  ...(configuration.program_ids === undefined ? undefined : { program_ids: [...configuration.program_ids] })
})

/** The programme of an audit entry: the connector's, if it has exactly one. */
const programOf = ({ configuration: { program_ids: ids = [] } }: Connector): string | undefined =>
  ids.length === 1 ? ids[0] : undefined

const last4Of = (secret: string): string => secret.slice(-4)

/** The parts that the routes need. */
const needed = Effect.all({
  people: PeoplePool,
  journal: Journal,
  mayBePrivate: PrivateWebhooks,
  programs: Programs,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

const faultsOf = (
  { mayBePrivate, programs }: Parts,
  facts: ConnectorFacts,
  caller: RequestCaller
): ReadonlyArray<BodyFault> => {
  const { program_ids: ids = [], url } = facts.configuration
  const visible = new Set(Visible.programsOf(programs, caller).map(({ id }) => id))
  const message = faultOf(url, mayBePrivate)
  return [
    ...(message === undefined ? [] : [{ path: "/configuration/url", message }]),
    ...ids.flatMap((id, index) =>
      visible.has(id) ? [] : [{ path: `/configuration/program_ids/${index}`, message: "is not a programme here" }]
    ),
    ...enabledFaults(facts)
  ]
}

const mustBeWithin = (caller: RequestCaller, ids: ReadonlyArray<string> | undefined): Effect.Effect<void, Refused> =>
  isWithin(caller, ids)
    ? Effect.void
    : refuse("forbidden", "The token is limited to programmes, but the connector also covers others.")

/** Stores a connector. Requires: a transaction. */
const putIn = Effect.fnUntraced(function* (
  { journal, people: { query }, time }: Parts,
  id: string,
  facts: ConnectorFacts
) {
  const { configuration, name } = facts
  const { secret } = configuration
  yield* Store.lock(query, id)
  const before = yield* Store.find(query, id)
  if (before !== undefined) yield* mustBeWithin(yield* CurrentCaller, before.configuration.program_ids)
  yield* Versions.expect(`connector ${id}`, facts.expected_version, before?.version)
  const after = yield* Store.put(query, {
    id,
    name,
    url: new URL(configuration.url).href,
    eventTypes: configuration.event_types,
    programIds: configuration.program_ids,
    includeArtifacts: configuration.include_artifacts ?? false,
    maxInFlight: configuration.max_in_flight ?? defaultInFlight,
    enabled: facts.enabled ?? facts.active ?? before?.enabled ?? true,
    secret:
      secret === undefined ? undefined : { sealed: Sealed.seal(journal.claimKey, id, secret), last4: last4Of(secret) },
    at: time.now()
  })
  yield* Audit.tell(query, {
    action: before === undefined ? "connector.create" : "connector.change",
    subject: subjectOf(id),
    programId: programOf(after),
    changes: { ...(before === undefined ? undefined : { before: auditFacts(before) }), after: auditFacts(after) }
  })
  return { connector: after }
})

const put = Effect.fnUntraced(function* (parts: Parts, facts: ConnectorFacts) {
  const caller = yield* CurrentCaller
  yield* mustBeWithin(caller, facts.configuration.program_ids)
  const faults = faultsOf(parts, facts, caller)
  if (faults.length > 0) return yield* refuseFaults(faults)
  return yield* parts.people.transaction(putIn(parts, facts.connector_id ?? Codes.identifier("con"), facts))
})

const list = Effect.fnUntraced(function* ({ journal, people }: Parts, asked: PageQuery) {
  const caller = yield* CurrentCaller
  const visible = caller.programs === undefined ? undefined : [...caller.programs].toSorted()
  const bound = ["connectors", visible]
  const page = yield* pageOf(journal.claimKey, bound, asked)
  const before = page.after === undefined ? undefined : Number(page.after)
  const found = yield* Store.list(people.query, { programs: visible, before, limit: page.limit + 1 })
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, ({ n }) => String(n))
  return { connectors: rows.map(({ connector }) => connector), ...next }
})

const remove = Effect.fnUntraced(function* (
  { people: { query, transaction } }: Parts,
  { connector_id: id }: typeof ConnectorNamed.Type
) {
  const caller = yield* CurrentCaller
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const before = yield* Store.find(query, id)
      if (before === undefined) return yield* refuse("not_found", `There is no connector ${id}.`)
      yield* mustBeWithin(caller, before.configuration.program_ids)
      yield* Store.remove(query, id)
      yield* Audit.tell(query, {
        action: "connector.delete",
        subject: subjectOf(id),
        programId: programOf(before),
        changes: { before: auditFacts(before) }
      })
    })
  )
  return { connector_id: id, deleted: true as const }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_connectors", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("putConnector", ({ payload }) => put(parts, payload))
      .handle("listConnectors", ({ query }) => list(parts, query))
      .handle("deleteConnector", ({ payload }) => remove(parts, payload))
  )
)
