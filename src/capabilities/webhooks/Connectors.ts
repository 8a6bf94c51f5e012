/**
 * The routes of connectors (contract/events.md *Connectors*). A secret is stored encrypted. Only the answer that has
 * made one contains it: no other, no log, no audit entry and no stored result.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Query } from "../../base/database/Pools.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { Connector, ConnectorFacts, ConnectorNamed } from "../../contract/platform/Connectors.ts"
import { defaultInFlight } from "../../contract/platform/Connectors.ts"
import { crossedType } from "../../contract/platform/EventTypes.ts"
import { said } from "../../contract/Said.ts"
import { allows, mayGive } from "../../contract/Scopes.ts"
import * as Codes from "../../core/account/Codes.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { KeyCaller, RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as OlderNodes from "../../desk/surface/OlderNodes.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Versions from "../../desk/surface/Versions.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Store from "./ConnectorStore.ts"
import * as Owned from "./Owned.ts"
import * as Signature from "./Signature.ts"
import { faultOf, PrivateWebhooks } from "./WebhookUrl.ts"

const enabledFaults = ({ active, enabled }: ConnectorFacts): ReadonlyArray<BodyFault> =>
  active === undefined || enabled === undefined || active === enabled
    ? []
    : [{ path: "/active", message: "must be the same as `enabled`" }]

const thresholdFaults = ({ configuration }: ConnectorFacts): ReadonlyArray<BodyFault> => {
  const { event_types, thresholds = [] } = configuration
  const index = event_types.indexOf(crossedType)
  return index < 0 || thresholds.length > 0
    ? []
    : [{ path: `/configuration/event_types/${index}`, message: "needs `thresholds`, which say what is crossed" }]
}

const eventFaults = ({ configuration }: ConnectorFacts): ReadonlyArray<BodyFault> =>
  configuration.event_types.length > 0 || configuration.guest_codes === true
    ? []
    : [{ path: "/configuration/event_types", message: "must have at least 1 item" }]

/** The facts of a connector for the audit. Of the URL only the host: a path is often a secret itself. */
const auditFacts = ({ configuration, enabled, name }: Connector) => ({
  name,
  host: new URL(configuration.url).host,
  event_types: [...configuration.event_types],
  include_artifacts: configuration.include_artifacts,
  ...(configuration.guest_codes === undefined ? undefined : { guest_codes: true }),
  ...(configuration.thresholds === undefined ? undefined : { thresholds: [...configuration.thresholds] }),
  max_in_flight: configuration.max_in_flight,
  enabled,
  secret: configuration.secret.configured,
  ...(configuration.program_ids === undefined ? undefined : { program_ids: [...configuration.program_ids] })
})

/** The parts that these routes need. */
const needed = Effect.all({ owned: Owned.needed, mayBePrivate: PrivateWebhooks, programs: Programs })
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
    ...eventFaults(facts),
    ...thresholdFaults(facts),
    ...enabledFaults(facts)
  ]
}

const maySeeCodes = ({ scopes }: KeyCaller): boolean =>
  allows(scopes, { scope: "members:read", whole: "platform:read" }) && mayGive(scopes, "platform")

const checkGuestCodes = Effect.fnUntraced(function* (query: Query, id: string, programs?: ReadonlyArray<string>) {
  const other = yield* Store.otherForGuestCodes(query, id, programs)
  if (other !== undefined)
    return yield* refuse(
      "invalid_state",
      said`Connector ${other.id} sends the codes of one of these programmes already.`
    )
})

/** Stores a connector. `place`: where one begins that is enabled now. Requires: a transaction. */
const putIn = Effect.fnUntraced(function* ({ owned }: Parts, id: string, facts: ConnectorFacts, place: string) {
  const { machine, people, time } = owned
  const { query } = people
  const { configuration, name } = facts
  yield* Store.lock(query, id)
  const stored = yield* Store.find(query, id)
  const before = stored?.connector
  if (before !== undefined) yield* Owned.mustBeWithin(yield* CurrentCaller, before.configuration.program_ids)
  yield* Versions.expect(`connector ${id}`, facts.expected_version, before?.version)
  const was = before?.enabled ?? false
  const enabled = facts.enabled ?? facts.active ?? before?.enabled ?? true
  if (enabled && !was) yield* Owned.mayEnable(query)
  const guestCodes = configuration.guest_codes ?? false
  if (guestCodes) yield* checkGuestCodes(query, id, configuration.program_ids)
  const made =
    configuration.secret === undefined && before?.configuration.secret.configured !== true
      ? Signature.newSecret()
      : undefined
  const secret = configuration.secret ?? made
  const { connector: after, n } = yield* Store.put(query, {
    id,
    name,
    url: new URL(configuration.url).href,
    eventTypes: configuration.event_types,
    programIds: configuration.program_ids,
    includeArtifacts: configuration.include_artifacts ?? false,
    guestCodes,
    thresholds: configuration.thresholds ?? [],
    maxInFlight: configuration.max_in_flight ?? defaultInFlight,
    enabled,
    secret: secret === undefined ? undefined : Owned.sealed(owned, id, secret),
    at: time.now()
  })
  if (enabled && !was) yield* Store.begin(query, n, place)
  if (was && !enabled) yield* Store.end(query, n, machine.now())
  yield* Audit.tell(query, {
    action: before === undefined ? "connector.create" : "connector.change",
    ...Owned.audited(after),
    changes: { ...(before === undefined ? undefined : { before: auditFacts(before) }), after: auditFacts(after) }
  })
  return made === undefined ? {} : { secret: made }
})

const put = Effect.fnUntraced(function* (parts: Parts, facts: ConnectorFacts) {
  const { owned } = parts
  const { people } = owned
  const caller = yield* CurrentCaller
  yield* Owned.mustBeWithin(caller, facts.configuration.program_ids)
  const faults = faultsOf(parts, facts, caller)
  if (faults.length > 0) return yield* refuseFaults(faults)
  // Also if it has them already: it might get another address.
  if (facts.configuration.include_artifacts === true && !maySeeCodes(caller))
    return yield* refuse(
      "forbidden",
      "include_artifacts sends the codes of rewards, which redeem them. It needs the scopes members:read and points:give."
    )
  if (facts.configuration.guest_codes === true && !caller.scopes.has("staff:write"))
    return yield* refuse(
      "forbidden",
      "guest_codes sends codes that sign guests in. It needs the scope staff:write, which owners have."
    )
  // An older node lets callers without staff:write change its address, and so read codes.
  if (facts.configuration.guest_codes === true) yield* OlderNodes.bar(people, "codes to guests' telephones")
  const id = facts.connector_id ?? Codes.identifier("con")
  const place = yield* Owned.presentPlace(owned)
  const made = yield* people.transaction(putIn(parts, id, facts, place))
  const connector = yield* Owned.shown(owned, yield* Owned.find(people.query, id))
  return { connector, ...made }
})

const list = Effect.fnUntraced(function* ({ owned }: Parts, asked: PageQuery) {
  const { journal, people } = owned
  const caller = yield* CurrentCaller
  const visible = caller.programs === undefined ? undefined : [...caller.programs].toSorted()
  const bound = ["connectors", visible]
  const page = yield* pageOf(journal.claimKey, bound, asked)
  const before = page.after === undefined ? undefined : Number(page.after)
  const found = yield* Store.list(people.query, { programs: visible, before, limit: page.limit + 1 })
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, ({ n }) => String(n))
  return { connectors: yield* Effect.forEach(rows, (row) => Owned.shown(owned, row)), ...next }
})

const remove = Effect.fnUntraced(function* ({ owned }: Parts, { connector_id: id }: typeof ConnectorNamed.Type) {
  const { query, transaction } = owned.people
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const { connector } = yield* Owned.find(query, id)
      yield* Store.remove(query, id)
      yield* Audit.tell(query, {
        action: "connector.delete",
        ...Owned.audited(connector),
        changes: { before: auditFacts(connector) }
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
