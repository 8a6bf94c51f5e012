/** The routes of deliveries (contract/events.md *Delivery*, *Replay*). */
import { Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { strictDecoder } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type {
  ConnectorRotation,
  ConnectorStatus,
  ConnectorTest,
  DeliveryQuery,
  ReplayRequest,
  TestOutcome
} from "../../contract/platform/Deliveries.ts"
import { defaultOverlapSeconds } from "../../contract/platform/Deliveries.ts"
import { PROTOCOL } from "../../contract/protocol/Protocol.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, Timestamp, toMillis } from "../../contract/Values.ts"
import * as Codes from "../../core/account/Codes.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { orUnavailable, refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./ConnectorStore.ts"
import * as Lists from "./DeliveryList.ts"
import * as Owned from "./Owned.ts"
import * as Sender from "./Sender.ts"
import * as Signature from "./Signature.ts"
import { PrivateWebhooks } from "./WebhookUrl.ts"

type Parts = Owned.Parts

const listDeliveries = Effect.fnUntraced(function* (
  { journal, people }: Parts,
  { connector_id, cursor, limit, status }: DeliveryQuery
) {
  const { n } = yield* Owned.find(people.query, connector_id)
  const bound = ["deliveries", connector_id, status]
  const page = yield* pageOf(journal.claimKey, bound, { cursor, limit })
  const before = page.after === undefined ? undefined : Number(page.after)
  const found = yield* Lists.list(people.query, { connector: n, status, before, limit: page.limit + 1 })
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, (one) => String(one.n))
  return { deliveries: rows.map(({ delivery }) => delivery), ...next }
})

const decodeTimestamp = strictDecoder(Timestamp)

/** A place that a caller names: `next` of the feed, `0`, or `time:` and an instant. */
const placeOf = ({ feed }: Parts, name: "after" | "until", text: string): Effect.Effect<Place, Refused> => {
  const fault = refuseFaults([
    { path: `/${name}`, message: "must be `next` of the feed, `0`, or `time:` and a timestamp" }
  ])
  if (text === "0") return Effect.succeed(PlaceOf.beginning)
  if (text.startsWith("time:")) {
    const instant = decodeTimestamp(text.slice(5))
    return Result.isFailure(instant) ? fault : orUnavailable(feed.since(toMillis(instant.success)))
  }
  const place = PlaceOf.fromText(text)
  return place === undefined ? fault : Effect.succeed(place)
}

const rangeOf = Effect.fnUntraced(function* (parts: Parts, { after, event_ids, until }: ReplayRequest) {
  if ((event_ids === undefined) === (after === undefined))
    return yield* refuseFaults([{ path: "", message: "must have either `event_ids` or `after`" }])
  if (after === undefined) {
    if (until === undefined) return undefined
    return yield* refuseFaults([{ path: "/until", message: "belongs to `after`" }])
  }
  const place = yield* placeOf(parts, "after", after)
  const end = until === undefined ? yield* orUnavailable(parts.feed.now) : yield* placeOf(parts, "until", until)
  if (PlaceOf.compare(place, end) > 0)
    return yield* refuseFaults([{ path: "/until", message: "must not be before `after`" }])
  return { place: PlaceOf.toText(place), until: PlaceOf.toText(end) }
})

const replay = Effect.fnUntraced(function* (parts: Parts, asked: ReplayRequest) {
  const { connector_id: id, event_ids: ids } = asked
  const { query, transaction } = parts.people
  yield* Owned.find(query, id)
  const range = yield* rangeOf(parts, asked)
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const { connector, n } = yield* Owned.find(query, id)
      if (!connector.enabled) return yield* refuse("invalid_state", said`Connector ${id} is disabled; enable it first.`)
      if ((yield* Lists.countReplays(query, n)) >= Bounds.replays)
        return yield* refuse(
          "invalid_state",
          said`Connector ${id} has ${Bounds.replays} replays that are not done yet.`
        )
      if (ids !== undefined) {
        const [missing] = yield* Lists.missing(query, n, ids)
        if (missing !== undefined)
          return yield* refuse("not_found", said`There is no delivery of event ${missing}; replay by position instead.`)
      }
      yield* Lists.addReplay(query, n, range, ids)
      const changes = { after: range === undefined ? { event_ids: ids?.length ?? 0 } : { ...range } }
      yield* Audit.tell(query, { action: "connector.replay", ...Owned.audited(connector), changes })
    })
  )
  return HttpServerResponse.jsonUnsafe({ connector_id: id, accepted: true }, { status: 202 })
})

const retry = Effect.fnUntraced(function* (
  { people: { query, transaction } }: Parts,
  { connector_id: id }: typeof ConnectorTest.Type
) {
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const { connector, n } = yield* Owned.find(query, id)
      if (!connector.enabled) return yield* refuse("invalid_state", said`Connector ${id} is disabled; enable it first.`)
      yield* Lists.tryNow(query, n)
      yield* Audit.tell(query, { action: "connector.retry", ...Owned.audited(connector), changes: {} })
    })
  )
  return HttpServerResponse.jsonUnsafe({ connector_id: id, accepted: true }, { status: 202 })
})

const ping = (id: string, now: number) =>
  JSON.stringify({
    specversion: "1.0",
    id,
    source: "/platform/v1/connectors",
    type: `${PROTOCOL}.ping.v1`,
    time: fromMillis(now),
    datacontenttype: "application/json",
    data: {}
  })

/** `isPrivate`: the receiver may have an address that is not public. */
const test = Effect.fnUntraced(function* (
  parts: Parts,
  isPrivate: boolean,
  { connector_id: id }: typeof ConnectorTest.Type
) {
  const { journal, machine, people, time } = parts
  const { connector } = yield* Owned.find(people.query, id)
  yield* people.transaction(
    Audit.tell(people.query, { action: "connector.test", ...Owned.audited(connector), changes: {} })
  )
  const now = machine.now()
  const secrets = yield* Store.secretsOf(people.query, id, now)
  const opened = secrets.map((secret) => Sealed.open(journal.claimKey, id, secret))
  const event = Codes.identifier("ping")
  const body = ping(event, time.now())
  const headers = Signature.headersOf(opened, { id: event, now, body })
  const sent = Sender.once(connector.configuration.url, headers, body)
  const { durationMs, ...outcome } = yield* Effect.provideService(sent, PrivateWebhooks, isPrivate)
  const { body: answered, error, status } = outcome
  if (Sender.isSuccess(outcome)) yield* Store.tryAgain(people.query, id)
  return {
    ...(status === undefined ? undefined : { status }),
    duration_ms: durationMs,
    ...(error === undefined ? undefined : { error }),
    ...(answered === undefined ? undefined : { body: answered })
  } satisfies TestOutcome
})

const rotate = Effect.fnUntraced(function* (
  parts: Parts,
  { connector_id: id, overlap_seconds = defaultOverlapSeconds }: ConnectorRotation
) {
  const { machine, people, time } = parts
  const { query, transaction } = people
  const secret = Signature.newSecret()
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const { connector, n } = yield* Owned.find(query, id)
      const until = machine.now() + overlap_seconds * 1000
      yield* Store.rotate(query, n, Owned.sealed(parts, id, secret), until, time.now())
      const changes = { after: { overlap_seconds } }
      yield* Audit.tell(query, { action: "connector.rotate", ...Owned.audited(connector), changes })
    })
  )
  return { connector: yield* Owned.shown(parts, yield* Owned.find(query, id)), secret }
})

const setStatus = Effect.fnUntraced(function* (parts: Parts, { connector_id: id, enabled }: ConnectorStatus) {
  const { machine, people, time } = parts
  const { query, transaction } = people
  const place = yield* Owned.presentPlace(parts)
  yield* transaction(
    Effect.gen(function* () {
      yield* Store.lock(query, id)
      const { connector, n } = yield* Owned.find(query, id)
      if (connector.enabled === enabled) return
      if (enabled) yield* Owned.mayEnable(query)
      yield* Store.setEnabled(query, n, enabled, time.now())
      if (enabled) yield* Store.begin(query, n, place)
      else yield* Store.end(query, n, machine.now())
      const changes = { before: { enabled: !enabled }, after: { enabled } }
      yield* Audit.tell(query, { action: "connector.status", ...Owned.audited(connector), changes })
    })
  )
  return { connector: yield* Owned.shown(parts, yield* Owned.find(query, id)) }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_deliveries", (handlers) =>
  Effect.map(Effect.all([Owned.needed, PrivateWebhooks]), ([parts, isPrivate]) =>
    handlers
      .handle("listDeliveries", ({ query }) => listDeliveries(parts, query))
      .handle("replayConnector", ({ payload }) => replay(parts, payload))
      .handle("retryConnector", ({ payload }) => retry(parts, payload))
      .handle("testConnector", ({ payload }) => test(parts, isPrivate, payload))
      .handle("rotateConnector", ({ payload }) => rotate(parts, payload))
      .handle("setConnectorStatus", ({ payload }) => setStatus(parts, payload))
  )
)
