/** Rules that all routes of a connector share: which the caller may use, what answers and the audit show, enabling. */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { maxEnabled } from "../../contract/platform/Connectors.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller, mayUseAll, subjectOf } from "../../desk/access/CurrentCaller.ts"
import { orUnavailable, refuse } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import { EventFeed } from "../../reads/feed/EventFeed.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Store from "./ConnectorStore.ts"

/** The parts that the routes of connectors need. */
export const needed = Effect.all({
  people: PeoplePool,
  journal: Journal,
  feed: EventFeed,
  time: serviceTime,
  machine: machineTime
})
export type Parts = Effect.Success<typeof needed>

/** Refuses a caller that may not see events of all the connector's programmes (undefined: all programmes). */
export const mustBeWithin = (
  caller: RequestCaller,
  ids: ReadonlyArray<string> | undefined
): Effect.Effect<void, Refused> =>
  mayUseAll(caller, ids)
    ? Effect.void
    : refuse("forbidden", said`${subjectOf(caller)} is limited to programmes, but the connector also covers others.`)

/** A connector that the caller may use. */
export const find = Effect.fnUntraced(function* (
  query: Query,
  id: string
): Effect.fn.Return<Store.StoredConnector, Refused, CurrentCaller> {
  const found = yield* Store.find(query, id)
  if (found === undefined) return yield* refuse("not_found", said`There is no connector ${id}.`)
  yield* mustBeWithin(yield* CurrentCaller, found.connector.configuration.program_ids)
  return found
})

/** A connector as answers show it. */
export const shown = Effect.fnUntraced(function* (
  { feed, machine }: Parts,
  { connector, place: text }: Store.StoredConnector
): Effect.fn.Return<Connector, Refused> {
  const { overlap_until, ...secret } = connector.configuration.secret
  const isOverlapping = overlap_until !== undefined && toMillis(overlap_until) > machine.now()
  const configuration = isOverlapping ? connector.configuration : { ...connector.configuration, secret }
  const place = text === undefined ? undefined : PlaceOf.fromText(text)
  const oldest = place && (yield* orUnavailable(feed.oldestAfter(place)))
  const health =
    oldest === undefined ? connector.health : { ...connector.health, undelivered_since: fromMillis(oldest) }
  return { ...connector, configuration, health }
})

/** The place from which a connector begins that is enabled now. */
export const presentPlace = ({ feed }: Parts): Effect.Effect<string, Refused> =>
  Effect.map(orUnavailable(feed.now), PlaceOf.toText)

/** Refuses one more enabled connector than there may be. Requires: a transaction. */
export const mayEnable = (query: Query): Effect.Effect<void, Refused> =>
  Effect.flatMap(Store.countEnabled(query), (count) =>
    count < maxEnabled
      ? Effect.void
      : refuse(
          "invalid_state",
          said`${maxEnabled} connectors are enabled, and no more may be; disable another one first.`
        )
  )

/** Encrypts a connector's secret. */
export const sealed = ({ journal }: Parts, id: string, secret: string) => ({
  sealed: Sealed.seal(journal.claimKey, id, secret),
  last4: secret.slice(-4)
})

/** The subject and programme of a connector's audit entries. The programme is there if it has exactly one. */
export const audited = ({ configuration: { program_ids: ids = [] }, connector_id: id }: Connector) => ({
  subject: { type: "connector", id },
  programId: ids.length === 1 ? ids[0] : undefined
})
