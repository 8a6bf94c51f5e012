/** A service with deliveries on PostgreSQL, whose time and rounds a test drives. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/webhooks/Bounds.ts"
import { DeliveryStore } from "../../../src/capabilities/webhooks/DeliveryStore.ts"
import { Webhooks } from "../../../src/capabilities/webhooks/Webhooks.ts"
import { PrivateWebhooks } from "../../../src/capabilities/webhooks/WebhookUrl.ts"
import type { Connector } from "../../../src/contract/platform/Connectors.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Model from "../../reads/rollups/Model.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const twoPrograms = Programs.layerFrom([Testing.demoProgram, { ...Testing.demoProgram, id: "other" }])
const events = EventFeed.layer.pipe(Layer.provideMerge(PgFeed.layer))

const serviceOf = <E>(programs: Layer.Layer<Programs, E>) =>
  TestServer.layerFor(PgJournal.layer, programs, Pools.layer, [], undefined, Model.layer, events)

/** `isPrivate`: receivers may be on loopback. */
const layerWith = <E>(isPrivate: boolean, programs: Layer.Layer<Programs, E>) =>
  Webhooks.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(DeliveryStore.layer, events)),
    Layer.provideMerge(serviceOf(programs)),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(Layer.succeed(PrivateWebhooks, isPrivate))
  )
export const layer = layerWith(true, twoPrograms)

/** The same with other programmes. */
export const layerOf = <E>(programs: Layer.Layer<Programs, E>) => layerWith(true, programs)

const path = "/platform/v1/connectors"

export const post = (action: string, body: object) => TestServer.send(`${path}/${action}`, body)
const get = (query: string) => TestServer.send(`${path}${query}`, undefined, { method: "GET" })

/** A secret in the format of Standard Webhooks, which no log or row may show. */
export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

/** Creates or changes a connector, of all types unless `configuration` says others. */
export const put = (connector_id: string, url: string, configuration: object = {}) =>
  TestServer.send(
    path,
    {
      connector_id,
      name: connector_id,
      type: "webhook",
      configuration: { url, event_types: ["*"], secret, ...configuration }
    },
    { method: "PUT" }
  )

/** The connector as it is now. */
export const connector = (id: string) =>
  Effect.map(get("?limit=200"), ({ body }) => {
    const found = (body["connectors"] as ReadonlyArray<Connector>).find(({ connector_id }) => connector_id === id)
    if (found === undefined) throw new Error(`there is no connector ${id}`)
    return found
  })

interface Delivered {
  readonly event_id: string
  readonly event_type: string
  readonly status: string
  readonly attempts: ReadonlyArray<{ readonly status?: number; readonly error?: string }>
  readonly next_attempt_at?: string
  readonly last_answer?: string
}

export const deliveries = (id: string, more = "") =>
  Effect.map(
    get(`/deliveries?connector_id=${id}&limit=200${more}`),
    ({ body }) => body["deliveries"] as ReadonlyArray<Delivered>
  )

/** One round of the worker, until nothing is in flight. */
export const round = Effect.flatMap(Webhooks, ({ round, settled }) => Effect.andThen(round, settled))

/** Time passes, and the worker stores its progress and reads what changed. */
export const pass = (ms: number) => Effect.andThen(TestClock.adjust(ms), round)

/** Rounds until something is so. Other tests' transactions may hold the feed back for a moment. */
export const until = Effect.fnUntraced(function* (isDone: () => boolean) {
  yield* pass(Bounds.pollMs)
  while (!isDone()) {
    yield* round
    yield* Effect.promise(setImmediate)
  }
  yield* pass(Bounds.storeMs)
})

/** Enrols members. Other tests' transactions may hold the feed back: "from now on" begins behind what can be read. */
export const enrollAll = (...members: ReadonlyArray<string>) =>
  Effect.andThen(
    Effect.forEach(members, (id) => enroll(id)),
    Effect.repeat(
      Effect.map(TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" }), ({ body }) =>
        (body["events"] as ReadonlyArray<{ readonly subject: string }>).map(({ subject }) => subject)
      ),
      { until: (subjects) => members.every((member) => subjects.includes(member)) }
    )
  )
