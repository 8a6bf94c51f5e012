/**
 * kill -9 of a service that delivers events under load: each event reaches the receiver at least once, and each member's
 * first arrivals are in order. Holds contract/events.md *Delivery*.
 */
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { FeedEvent } from "../../src/contract/platform/FeedEvents.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import * as RandomOf from "../model/Random.ts"
import { Receiver } from "../webhooks/Receiver.ts"
import { enrolment, post } from "./Post.ts"
import { until } from "./Processes.ts"
import { Service } from "./Service.ts"

const members = 40
const callers = 8
/** Events that arrive between two kills, and the longest time after them, ms. */
const apart = 150
const laterMs = 300
/** Share of the events that the receiver does not take at once. */
const refusedShare = 0.02

export interface Outcome {
  readonly kills: number
  readonly events: number
  /** Arrivals beyond the first one of each event. */
  readonly repeats: number
  readonly faults: ReadonlyArray<string>
}

interface Plan {
  readonly folder: string
  /** Where the service has its database. */
  readonly flags: ReadonlyArray<string>
  readonly kills: number
  readonly seed: number
  readonly told?: (kill: number) => void
}

const send = async (port: number, method: string, path: string, body?: object) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) })
  })
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Readonly<Record<string, unknown>>
}

/** Sends requests until `isOver`. What comes of them does not matter: the feed tells what was committed. */
const load = async (port: number, caller: number, isOver: () => boolean): Promise<void> => {
  for (let n = 0; !isOver(); n++) {
    const status = await post(port, operations["ledger.manual_adjustment"].path, {
      member_id: `hooked-${(n * callers + caller) % members}`,
      program_id: "demo-foodservice",
      adjustment_id: `hooked-${caller}-${n}`,
      amount: 1,
      classification: "gift",
      reason: "load",
      qualifies_for_tier: false
    })
    if (status === undefined || status >= 500) await sleep(20)
  }
}

const feedOf = async (port: number): Promise<ReadonlyArray<FeedEvent>> => {
  const all: Array<FeedEvent> = []
  for (let after = "0"; ; ) {
    const page = await send(port, "GET", `/platform/v1/feed?after=${after}&limit=1000`)
    const events = page["events"] as ReadonlyArray<FeedEvent>
    all.push(...events)
    if (events.length === 0 && page["lag_seconds"] === 0) return all
    after = String(page["next"])
  }
}

/** Faults of what a receiver has heard. */
const faultsOf = (receiver: Receiver, events: ReadonlyArray<FeedEvent>): ReadonlyArray<string> => {
  const heard = new Set(receiver.ids)
  const missing = events.filter(({ id }) => !heard.has(id)).map(({ id }) => `${id} is missing`)
  const known = new Set(events.map(({ id }) => id))
  const invented = [...heard].filter((id) => !known.has(id)).map((id) => `${id} is in no feed`)
  const last = new Map<string, number>()
  const disordered = receiver.heard.flatMap(({ event: { sequence = "", subject = "" } }) => {
    const before = last.get(subject) ?? 0
    if (Number(sequence) > before) last.set(subject, Number(sequence))
    return Number(sequence) > before + 1 ? [`${subject}: ${sequence} after ${before}`] : []
  })
  return [...missing, ...invented, ...disordered]
}

export const run = async ({ flags, folder, kills, seed, told = () => undefined }: Plan): Promise<Outcome> => {
  const random = RandomOf.make(seed, "webhooks")
  const service = await Service.start(folder, ["--webhook-private", "true", ...flags])
  const { port } = service
  const receiver = new Receiver()
  await Effect.runPromise(receiver.listen)
  receiver.answering = (_, answer) => {
    if (random.next() >= refusedShare) return undefined
    answer.writeHead(503, { "retry-after": "1" }).end()
    // It does not count as heard.
    receiver.heard.pop()
    return "answered"
  }
  await send(port, "PUT", "/platform/v1/connectors", {
    connector_id: "hooked",
    name: "hooked",
    type: "webhook",
    configuration: { url: receiver.url, event_types: ["*"] }
  })
  for (let n = 0; n < members; n++) await post(port, operations["member.enroll"].path, enrolment(`hooked-${n}`))
  let isOver = false
  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => load(port, caller, () => isOver)))
  for (let kill = 1; kill <= kills; kill++) {
    const { length } = receiver.heard
    await until("events arrive", () => receiver.heard.length >= length + apart)
    await sleep(random.whole(0, laterMs))
    await service.kill()
    service.spawn()
    await service.ready()
    told(kill)
  }
  isOver = true
  await calling
  const events = await feedOf(port)
  const heard = () => new Set(receiver.ids).size >= events.length
  await until(`all ${events.length} events are delivered`, () => Promise.resolve(heard())).catch(() => undefined)
  const outcome = {
    kills,
    events: events.length,
    repeats: receiver.heard.length - new Set(receiver.ids).size,
    faults: faultsOf(receiver, events)
  }
  await service.stop()
  await Effect.runPromise(receiver.kill)
  return outcome
}
