/**
 * kill -9 of a service that delivers events under load, to a receiver that now and then is slow, refuses or hangs up: each
 * event and each crossed threshold reaches it at least once, each member's first arrivals are in order, and a kill repeats no
 * more than what was in flight. Holds contract/events.md *Delivery*, *Thresholds*.
 */
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { defaultInFlight } from "../../src/contract/platform/Connectors.ts"
import type { FeedEvent } from "../../src/contract/platform/FeedEvents.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { Receiver } from "../capabilities/webhooks/Receiver.ts"
import * as RandomOf from "../model/Random.ts"
import { enrolment, post, send } from "./Post.ts"
import { until } from "./Processes.ts"
import { Service } from "./Service.ts"

const members = 40
const callers = 8
/** Events that arrive between two kills, and the longest time after them, ms. */
const apart = 150
const laterMs = 2_000
/** Share of the events that the receiver does not take, for each way of not taking one, and that it takes late. */
const refusedShare = 0.01
const slowShare = 0.03
const slowMs = 400
const thresholds = [3, 12, 40].map((amount) => ({ unit: "points", amount }))
/** The most events that a kill may repeat: those in flight. */
const repeatsOfAKill = defaultInFlight

export interface Outcome {
  readonly kills: number
  /** Events and crossed thresholds. */
  readonly events: number
  /** Arrivals beyond the first one of each event. */
  readonly repeats: number
  /** The longest time by which an event that came again after a kill had arrived before it, ms. */
  readonly oldestMs: number
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

/** Sends requests until `isOver`. What comes of them does not matter: the feed tells what was committed. */
const load = async (port: number, caller: number, isOver: () => boolean): Promise<void> => {
  for (let n = 0; !isOver(); n++) {
    const status = await post(port, operations["ledger.manual_adjustment"].path, {
      member_id: `hooked-${(n * callers + caller) % members}`,
      program_id: "demo-foodservice",
      adjustment_id: `hooked-${caller}-${n}`,
      // Up by five, down by four, so that balances cross each threshold several times.
      amount: n % 2 === 0 ? 5 : -4,
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

/** The id of the event that crossed: that of the crossing without unit and amount. */
const causeOf = (id: string): string => id.replace(/-[a-z]+--?[0-9]+$/, "")

/** The ids of all crossings, from the balances that the members' changes add up to. */
const crossedBy = (events: ReadonlyArray<FeedEvent>): ReadonlyArray<string> => {
  const balances = new Map<string, number>()
  return events.flatMap(({ data, id, subject }) => {
    const before = balances.get(subject) ?? 0
    const change = "entries" in data ? (data.entries ?? []).reduce((sum, { amount }) => sum + amount, 0) : 0
    balances.set(subject, before + change)
    return thresholds
      .filter(({ amount }) => before < amount !== before + change < amount)
      .map(({ amount, unit }) => `${id}-${unit}-${amount}`)
  })
}

/** Faults of what a receiver has heard. */
const faultsOf = (receiver: Receiver, events: ReadonlyArray<FeedEvent>): ReadonlyArray<string> => {
  const wanted = [...events.map(({ id }) => id), ...crossedBy(events)]
  const heard = new Set(receiver.ids)
  const missing = wanted.filter((id) => !heard.has(id)).map((id) => `${id} is missing`)
  const known = new Set(wanted)
  const invented = [...heard].filter((id) => !known.has(id)).map((id) => `${id} is in no feed`)
  const last = new Map<string, number>()
  const numbered = new Map(events.map(({ id, sequence }) => [id, sequence]))
  const disordered = receiver.heard.flatMap(
    ({ event: { id, sequence = numbered.get(causeOf(id)) ?? "", subject = "" } }) => {
      const before = last.get(subject) ?? 0
      if (Number(sequence) > before) last.set(subject, Number(sequence))
      return Number(sequence) > before + 1 ? [`${subject}: ${sequence} after ${before}`] : []
    }
  )
  return [...missing, ...invented, ...disordered]
}

export const run = async ({ flags, folder, kills, seed, told = () => undefined }: Plan): Promise<Outcome> => {
  const random = RandomOf.make(seed, "webhooks")
  const service = await Service.start(folder, ["--webhook-private", "true", ...flags])
  const { port } = service
  const receiver = new Receiver()
  await Effect.runPromise(receiver.listen)
  const arrivals = new Map<string, number>()
  const killedAt: Array<number> = []
  const refused = new Set<string>()
  let oldestMs = 0
  receiver.answering = (heard, answer, request) => {
    const before = arrivals.get(heard.event.id)
    if (before !== undefined) oldestMs = Math.max(oldestMs, (killedAt.find((at) => at > before) ?? Infinity) - before)
    arrivals.set(heard.event.id, Date.now())
    const chance = random.next()
    if (chance < slowShare) {
      void sleep(slowMs).then(() => answer.writeHead(204).end())
      return "answered"
    }
    // Refused once: the pause after a second time is half a minute.
    if (chance >= slowShare + 3 * refusedShare || refused.has(heard.event.id)) return undefined
    refused.add(heard.event.id)
    if (chance < slowShare + refusedShare) answer.writeHead(503, { "retry-after": "1" }).end()
    else if (chance < slowShare + 2 * refusedShare) answer.writeHead(500).end()
    else request.socket.destroy()
    // It does not count as heard.
    receiver.heard.splice(receiver.heard.lastIndexOf(heard), 1)
    arrivals.delete(heard.event.id)
    return "answered"
  }
  await send(port, "PUT", "/platform/v1/connectors", {
    connector_id: "hooked",
    name: "hooked",
    type: "webhook",
    configuration: { url: receiver.url, event_types: ["*"], thresholds }
  })
  for (let n = 0; n < members; n++) await post(port, operations["member.enroll"].path, enrolment(`hooked-${n}`))
  let isOver = false
  const calling = Promise.all(Array.from({ length: callers }, (_, caller) => load(port, caller, () => isOver)))
  for (let kill = 1; kill <= kills; kill++) {
    const { length } = receiver.heard
    await until("events arrive", () => receiver.heard.length >= length + apart)
    await sleep(random.whole(0, laterMs))
    await service.kill()
    killedAt.push(Date.now())
    service.spawn()
    await service.ready()
    told(kill)
  }
  isOver = true
  await calling
  const events = await feedOf(port)
  const all = events.length + crossedBy(events).length
  const heard = () => new Set(receiver.ids).size >= all
  await until(`all ${all} events are delivered`, () => Promise.resolve(heard())).catch(() => undefined)
  const repeats = receiver.heard.length - new Set(receiver.ids).size
  const tooMany = repeats > kills * repeatsOfAKill ? [`${repeats} came again after ${kills} kills`] : []
  const forNothing = oldestMs === Infinity ? ["an event came again although it was taken and no kill followed"] : []
  const outcome = {
    kills,
    events: all,
    repeats,
    oldestMs,
    faults: [...faultsOf(receiver, events), ...tooMany, ...forNothing]
  }
  await service.stop()
  await Effect.runPromise(receiver.kill)
  return outcome
}
