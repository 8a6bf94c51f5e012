/** The routes of the feed (contract/events.md *Feed*). */
import { Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PlatformApi } from "../../contract/platform/Api.ts"
import { defaultEvents, type FeedQuery, type StreamQuery } from "../../contract/platform/Feed.ts"
import type { Refused } from "../../contract/Refused.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import type { PlacedEvent } from "../../reads/feed/EventFeed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import type { TailPage } from "../../reads/feed/Tail.ts"
import * as Bounds from "./Bounds.ts"
import type { FeedReader } from "./FeedReader.ts"
import * as Reader from "./FeedReader.ts"
import * as OpenStreams from "./OpenStreams.ts"

/** A page that is waited for: empty, where it began, once the caller may read no more or has other restaurants. */
const unlessEnded = Effect.fnUntraced(function* (
  streams: OpenStreams.OpenStreams,
  caller: RequestCaller,
  from: Place,
  page: Effect.Effect<TailPage, Refused>
) {
  const ended = yield* streams.untilEnded(caller)
  return yield* Effect.raceFirst(page, Effect.as(ended, { events: [], next: from }))
})

const readFeed = Effect.fnUntraced(function* (
  { admitted, lagOf, placeOf, poll, readerOf, told, waiting }: FeedReader,
  streams: OpenStreams.OpenStreams,
  query: FeedQuery
) {
  const { after, limit = defaultEvents, wait_seconds = 0 } = query
  const caller = yield* CurrentCaller
  const reader = yield* readerOf(caller, query)
  const waitMs = Number(wait_seconds) * 1_000
  if (waitMs > 0) yield* Effect.andThen(admitted, waiting)
  const from = yield* placeOf(after)
  const asked = poll(reader, from, Number(limit), waitMs)
  const page = yield* waitMs > 0 ? unlessEnded(streams, caller, from, asked) : asked
  return HttpServerResponse.jsonUnsafe({
    events: page.events.map(({ event }) => event),
    next: told(caller, page.next),
    // Of all members: to a limited caller it would tell what happens elsewhere.
    ...(caller.restaurants === undefined ? { lag_seconds: yield* lagOf(page.next) } : undefined)
  })
}, Effect.scoped)

/** A page as server-sent events. Without any it is a comment with the position, which a client keeps without a message. */
const messagesOf = ({ events, next }: TailPage, told: (place: Place) => string): string =>
  events.length === 0
    ? `:\nid: ${told(next)}\n\n`
    : events.map((placed) => `id: ${told(placed.place)}\ndata: ${textOf(placed)}\n\n`).join("")

/** The texts of events that many streams send. */
const texts = new WeakMap<PlacedEvent, string>()

const textOf = (placed: PlacedEvent): string => {
  const made = texts.get(placed) ?? JSON.stringify(placed.event)
  texts.set(placed, made)
  return made
}

const streamFeed = Effect.fnUntraced(function* (
  { admitted, clock, mayWait, placeOf, poll, readerOf, told, waiting }: FeedReader,
  streams: OpenStreams.OpenStreams,
  query: typeof StreamQuery.Type
) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const caller = yield* CurrentCaller
  const reader = yield* readerOf(caller, query)
  const from = yield* placeOf(headers["last-event-id"] ?? query.after)
  yield* admitted
  const until = clock.now() + Bounds.streamMs
  const pages = Stream.paginate(from, (after) =>
    Effect.map(poll(reader, after, defaultEvents, Bounds.heartbeatMs), (page) => [
      [messagesOf(page, (place) => told(caller, place))],
      mayWait() && clock.now() < until ? Option.some(page.next) : Option.none()
    ])
  )
  // The comment sends the headers at once, so that the reader knows that it is connected.
  const text = Stream.unwrap(
    Effect.map(Effect.andThen(waiting, streams.untilEnded(caller)), (ended) =>
      Stream.concat(Stream.make(":\n\n"), pages).pipe(Stream.interruptWhen(ended))
    )
  )
  return HttpServerResponse.stream(Stream.encodeText(text), { contentType: "text/event-stream" })
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_feed", (handlers) =>
  Effect.gen(function* () {
    const reader = yield* Reader.make
    const streams = yield* OpenStreams.make
    return handlers
      .handle("readFeed", ({ query }) => readFeed(reader, streams, query))
      .handle("streamFeed", ({ query }) => streamFeed(reader, streams, query))
  })
)
