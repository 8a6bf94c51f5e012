/**
 * One simulated life of a service or two, wholly determined by its seed:
 * callers who retry, repeat and hurry, storage that fails in every way it can,
 * programmes that are published, processes that are killed, and time that jumps. What the callers were told is
 * held against the model of a guest, and the tables against both.
 */
import { Clock, Context, Effect, Fiber, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { isDeepStrictEqual } from "node:util"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { RequestOf, ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import { Accounts } from "../../src/core/account/Accounts.ts"
import { claimsText, isChained } from "../../src/core/account/Chain.ts"
import * as ClaimKeys from "../../src/core/account/ClaimKeys.ts"
import { decodeEvents } from "../../src/core/account/Codec.ts"
import type { Action } from "../../src/core/account/domain/Action.ts"
import { makeClaimKey } from "../../src/core/journal/Hashing.ts"
import { MemoryTables } from "../../src/core/journal/MemoryJournal.ts"
import type { Handled } from "../../src/core/protocol/Handler.ts"
import { Handlers } from "../../src/core/protocol/Handler.ts"
import type { Command } from "../model/Caller.ts"
import { Caller } from "../model/Caller.ts"
import type { Entry } from "../model/Guest.ts"
import { Guest } from "../model/Guest.ts"
import type { Exchange, History, Played } from "../model/History.ts"
import { isWrite } from "../model/History.ts"
import * as Operator from "../model/Operator.ts"
import * as Random from "../model/Random.ts"
import * as Cluster from "./Cluster.ts"
import * as Node from "./Node.ts"
import { Reader } from "./Reader.ts"
import { Spans } from "./Spans.ts"
import type * as Storage from "./Storage.ts"
import { calm, type Weather } from "./Storage.ts"
import * as Trace from "./Trace.ts"

const start = Date.UTC(2026, 6, 15, 3, 59, 56)
/** A tier period ends soon, at midnight in New York: most lives last some ten seconds. */
const renewsAt = Date.UTC(2026, 6, 15, 4)
/** The next one ends in a year, when members with a tier are due. */
const renewsAgainAt = Date.UTC(2027, 6, 15, 4)
const day = 86_400_000
/** Points are good for two days: long enough to be spent, short enough to expire in many runs. */
const lifeDays = 2
const program_id = "demo-foodservice"
const system = Testing.context("any-key-01").source.system

const demo = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "..", "..", "src", "app", "demo", "program.demo.json"), "utf8")
) as { readonly point_expiration: object; readonly tier_policy: { readonly period: object } }
const program = Testing.programOf({
  ...demo,
  tier_policy: { ...demo.tier_policy, period: { ...demo.tier_policy.period, starts_month: 7, starts_day: 15 } },
  point_expiration: { ...demo.point_expiration, days: lifeDays, warning_days: [1] }
})

/** Longest wait for an answer before a caller hangs up, ms. */
const patienceMs = 20_000
/** Longest pause before an attempt after trouble, and between two commands, ms. */
const maxPauseMs = 1_500
/** Moves of the clock until every command must have its answer. */
const maxMoves = 4_000

export interface Run {
  readonly seed: number
  /** Empty where all is well. */
  readonly faults: ReadonlyArray<string>
  readonly trace: ReadonlyArray<Trace.Traced>
  readonly acknowledged: number
  /** How often the reader of events has begun again where it had stored its position. */
  readonly restarts: number
}

/** Facts that the seed sets for the run as a whole. */
const planOf = (seed: number) => {
  const random = Random.make(seed, "plan")
  return {
    nodes: random.next() < 0.3 ? 2 : 1,
    callers: random.whole(1, 3),
    commands: random.whole(8, 24),
    residentLimit: random.next() < 0.5 ? 100 : random.whole(1, 2),
    kills: random.next() < 0.5,
    publishes: random.next() < 0.5,
    /** How hard the faults strike when they do. */
    roughness: random.pick([0, 0.2, 0.6]),
    merges: random.next() < 0.5,
    /** The services are nodes that share the partitions; else two of them know nothing of each other. */
    isCluster: random.next() < 0.3,
    spans: Random.make(seed, "plan of spans").next() < 0.5
  }
}
type Plan = ReturnType<typeof planOf>

const rough = (random: Random.Random, most: number): Weather => {
  const some = () => (random.next() < 0.5 ? 0 : random.next() * most)
  return { slow: some() * 2, unsent: some(), ambiguous: some(), late: some(), read: some() / 2 }
}

interface Life {
  readonly guest: Guest
  readonly history: History
}

class World {
  readonly seed: number
  readonly plan: Plan
  readonly tables = new MemoryTables()
  readonly trace: Array<Trace.Traced> = []
  readonly faults: Array<string> = []
  readonly histories: Array<Life> = []
  readonly claimKey = makeClaimKey("in-memory")
  readonly spans = new Spans(
    this.tables,
    this.claimKey,
    (event) => this.tell(event),
    () => this.now()
  )
  /** When each command without a definite answer was sent first, ms. */
  readonly open = new Set<{ readonly since: number }>()
  readonly reader = new Reader(this.tables, this.spans, program.currency)
  readonly published: Storage.Published = { program }
  readonly nodeTables: Cluster.NodeTables | undefined
  /** How many records had been committed when each version was published. */
  private readonly publishedAfter: Array<number> = [0]
  nodes: Array<Node.Node> = []
  acknowledged = 0
  now: () => number = () => 0
  private started = 0

  constructor(seed: number) {
    this.seed = seed
    const plan = planOf(seed)
    this.plan = plan.isCluster ? { ...plan, nodes: 3 } : plan
    this.nodeTables = plan.isCluster ? new Cluster.NodeTables() : undefined
  }

  readonly tell: Trace.Tell = (event) => {
    this.trace.push({ at: this.now(), event })
  }

  /** `hasFiles`: it has the folder of archived spans; undefined: as the seed says. */
  startNode(weather: Weather, isAlone = false, hasFiles?: boolean) {
    const name = `service ${++this.started}`
    return Node.start({
      name,
      weather,
      published: this.published,
      tables: this.tables,
      spans: this.spans,
      hasFiles: hasFiles ?? Random.make(this.seed, `files of ${name}`).next() < 0.5,
      residentLimit: this.plan.residentLimit,
      random: Random.make(this.seed, name),
      tell: this.tell,
      nodeTables: isAlone ? undefined : this.nodeTables
    })
  }

  /** Publishes the next version of the programme: the same with another name, so that the model need not know. */
  publish(): void {
    const version = this.publishedAfter.push(this.tables.log.length)
    this.published.program = { ...program, version, definition: { ...program.definition, name: `Version ${version}` } }
    this.tables.revision++
    this.tell({ _tag: "Published", version })
  }

  /** The version in force when a record was committed, by its place among all. */
  versionAt(place: number): number {
    return this.publishedAfter.findLastIndex((after) => after <= place) + 1
  }

  /** Where in the journal a command was done: the record that its key claimed. */
  recordOf(exchange: Exchange): number {
    return this.tables.holder(this.keyOf(exchange))?.seq ?? 0
  }

  keyOf({ key, operation }: Pick<Exchange, "key" | "operation">): string {
    return ClaimKeys.idempotency(this.claimKey, program_id, system, operation, key)
  }
}

/** An answer as the wire would carry it, or nothing where the caller must ask again. */
const answerOf = (
  handled: Handled
):
  | { readonly status: number; readonly body: unknown }
  | { readonly status: number; readonly code: string }
  | undefined => {
  if (handled._tag === "Refusal") return { status: 409, code: handled.code }
  if (handled._tag !== "Answer") return undefined
  const context = { request_id: "req", processed_at: fromMillis(handled.processedAt) }
  return { status: handled.created ? 201 : 200, body: JSON.parse(JSON.stringify({ context, ...handled.body })) }
}

/** The answer for the trace. */
const toldBy = (handled: Handled | undefined, answer: ReturnType<typeof answerOf>) => {
  if (handled?._tag === "Archived") return "archived"
  return answer === undefined || !("code" in answer) ? answer?.status : answer.code
}

/** Somebody else looks at the guest while nobody knows what became of a command: what shows is what is in the tables. */
const glance = Effect.fnUntraced(function* (world: World, node: Node.Node, member_id: string) {
  const handlers = Context.get(node.services, Handlers)
  const asked = { context: Testing.context("glance"), member_id, program_id }
  const seen = yield* Effect.timeoutOption(Node.ask(node, handlers["account.get"](asked, Testing.caller)), patienceMs)
  const answer = seen._tag === "None" || seen.value === undefined ? undefined : answerOf(seen.value)
  if (answer === undefined || "code" in answer) return
  const account = [...world.tables.accounts.values()].find(({ memberId }) => memberId === member_id)
  // Points that are due and not posted yet are counted by a read and are in no table.
  if (account === undefined || (account.nextDue ?? Infinity) <= world.now()) return
  const there = account.entries.reduce((sum, entry) => sum + entry.amount, 0)
  const shown = (answer.body as ResponseOf<"account.get">).balances[0]?.amount
  if (shown !== there) world.faults.push(`${member_id}: a glance showed ${shown}, the tables say ${there}`)
})

/** Sends a command until its answer is definite. */
const perform = Effect.fnUntraced(function* (world: World, random: Random.Random, member: string, command: Command) {
  const { key, operation, payload } = command
  const request = { context: Testing.context(key), ...payload } as RequestOf<Played>
  const open = { since: world.now() }
  world.open.add(open)
  for (let attempts = 1; ; attempts++) {
    const node = random.pick(world.nodes)
    const sentAt = world.now()
    const handler = Context.get(node.services, Handlers)[operation] as (
      request: unknown,
      caller: typeof Testing.caller
    ) => Effect.Effect<Handled>
    const handled = yield* Effect.timeoutOption(Node.ask(node, handler(request, Testing.caller)), patienceMs)
    const found = Option.getOrUndefined(handled)
    const answer = found === undefined ? undefined : answerOf(found)
    const told = toldBy(found, answer)
    world.tell({ _tag: "Asked", member, operation, key, node: node.name, told })
    if (answer !== undefined) {
      world.open.delete(open)
      return { operation, payload, key, attempts, sentAt, answeredAt: world.now(), answer } as Exchange
    }
    if (world.plan.nodes === 1 && random.next() < 0.5) yield* glance(world, node, member)
    yield* Effect.sleep(random.whole(1, maxPauseMs))
  }
})

const card = (value: string) => ({ type: "loyalty_id", value, issuer: "faults" }) as const

const actionOf = (world: World, command: Operator.OperatorCommand): Action => {
  const keys = (cards: ReadonlyArray<string>) =>
    cards.map((value) => ClaimKeys.identity(world.claimKey, program_id, card(value)))
  return command.operation === "status"
    ? { type: "set_status", status: command.status, reason: "simulated" }
    : { type: "change_identities", add: keys(command.add), remove: keys(command.remove) }
}

/** When a guest was given its status: an attempt before the answered one may have done it. */
const statusAt = (world: World, member: string, otherwise: number): number => {
  const account = [...world.tables.accounts.values()].find(({ memberId }) => memberId === member)
  const events = (account?.records ?? []).flatMap(decodeEvents)
  return events.findLast(({ type }) => type === "status_changed")?.at ?? otherwise
}

/** Does what an operator wants until the answer is definite; it has no key, doing it again changes nothing. */
const operate = Effect.fnUntraced(function* (world: World, random: Random.Random, guest: Guest) {
  const command = Operator.draw(random, guest)
  const action = actionOf(world, command)
  const identities = command.operation === "status" ? [] : command.add.map(card)
  for (;;) {
    const node = random.pick(world.nodes)
    const accounts = Context.get(node.services, Accounts)
    const done = accounts.execute(program_id, guest.member, { action, guards: {}, identities })
    const waited = yield* Effect.timeoutOption(Node.ask(node, done), patienceMs)
    const outcome = waited._tag === "None" ? undefined : waited.value
    const told = outcome?._tag === "Refusal" ? outcome.code : outcome?._tag
    world.tell({ _tag: "Operated", member: guest.member, command, node: node.name, told })
    if (outcome?._tag === "Refusal") return guest.operated({ ...command, answer: { code: outcome.code } })
    if (outcome?._tag === "Answered") {
      const at = command.operation === "status" ? statusAt(world, guest.member, outcome.record.at) : outcome.record.at
      return guest.operated({ ...command, answer: { at } })
    }
    yield* Effect.sleep(random.whole(1, maxPauseMs))
  }
})

/** Holds exchanges that went on at once against the model, in an order that explains them. */
const judge = (world: World, guest: Guest, exchanges: ReadonlyArray<Exchange>): void => {
  const acknowledged = exchanges.filter(({ answer }) => "body" in answer)
  world.acknowledged += acknowledged.length
  // Only what has a record has its place; a read or a refusal may have come before or after the other.
  const isPlaced = acknowledged.length === exchanges.length && exchanges.every(({ operation }) => isWrite(operation))
  const orders = isPlaced
    ? [exchanges.toSorted((one, other) => world.recordOf(one) - world.recordOf(other))]
    : [exchanges, exchanges.toReversed()]
  // A key that has ended may be answered by its id: the guest says which it was.
  const forgotten = exchanges.filter((one) => world.spans.forgotten.has(world.keyOf(one)))
  for (const { key, operation } of forgotten) guest.ended.add(`${operation} ${key}`)
  const tried = orders.map((order) => {
    const copy = guest.clone()
    for (const exchange of order) copy.take(exchange)
    return { order, faults: copy.faults }
  })
  const best = tried.find(({ faults }) => faults.length === 0) ?? tried[0]
  for (const exchange of best?.order ?? []) guest.take(exchange)
  for (const one of forgotten)
    if (!guest.ended.has(`${one.operation} ${one.key}`)) world.spans.forgotten.delete(world.keyOf(one))
}

interface Merged {
  readonly from: Life
  readonly into: Life
  readonly sentAt: number
  readonly answer: { readonly at: number; readonly balance: number | undefined } | { readonly code: string }
}

/** Sends a merge until its answer is definite. */
const performMerge = Effect.fnUntraced(function* (
  world: World,
  random: Random.Random,
  { from, into }: Pick<Merged, "from" | "into">,
  name: string
) {
  const [one, other] = [from.history.member, into.history.member]
  const key = {
    key: ClaimKeys.idempotency(world.claimKey, program_id, system, "member.merge", name),
    fingerprint: world.claimKey("merge", one, other)
  }
  for (;;) {
    const node = random.pick(world.nodes)
    const sentAt = world.now()
    const accounts = Context.get(node.services, Accounts)
    const merging = accounts.merge(program_id, { from: one, into: other, key })
    const asked = yield* Effect.timeoutOption(Node.ask(node, merging), patienceMs)
    const outcome = asked._tag === "None" ? undefined : asked.value
    world.tell({ _tag: "MergeAsked", from: one, into: other, node: node.name, told: outcome?._tag })
    if (outcome?._tag === "Refusal") return { from, into, sentAt, answer: { code: outcome.code } } satisfies Merged
    if (outcome?._tag === "Answered") {
      const { at, reply } = outcome.record
      const balance = reply.type === "member" ? reply.balances[0]?.[1] : undefined
      world.tell({ _tag: "Merged", from: one, into: other })
      return { from, into, sentAt, answer: { at, balance } } satisfies Merged
    }
    yield* Effect.sleep(random.whole(1, maxPauseMs))
  }
})

/** Faults of a merge's answer; undefined where there are none. Merges the guests where it was done. */
const takeMerge = ({ answer, sentAt }: Merged, from: Guest, into: Guest): string | undefined => {
  if ("code" in answer)
    return answer.code === "invalid_state" &&
      [from, into].some((guest) => guest.status === "closed" || guest.isHeld(sentAt))
      ? undefined
      : `the merge was refused: ${answer.code}`
  const isHeld = [from, into].some((guest) => guest.isHeld(answer.at))
  const sum = from.balanceAt(answer.at) + into.balanceAt(answer.at)
  into.absorb(from, answer.at)
  if (isHeld) return "a guest with open holds was merged"
  if (into.balance !== sum || answer.balance !== sum)
    return `the merge left ${into.balance} and said ${answer.balance}; both had ${sum}`
  return undefined
}

/** Merges two guests of a caller, perhaps twice or both ways at once. */
const mergeTwo = Effect.fnUntraced(function* (world: World, random: Random.Random, caller: Caller, name: string) {
  const own = world.histories.filter(({ history }) => caller.histories.includes(history))
  if (own.length < 2) return
  const from = random.pick(own)
  const into = random.pick(own.filter((life) => life !== from))
  const how = random.pick(["once", "twice", "crossing"] as const)
  const send = (pair: Pick<Merged, "from" | "into">, way: string, place: number) =>
    performMerge(world, Random.make(world.seed, `merge ${name} ${place}`), pair, `merge ${name} ${way}`)
  const answers = yield* Effect.all(
    [
      send({ from, into }, "there", 1),
      ...(how === "twice" ? [send({ from, into }, "there", 2)] : []),
      ...(how === "crossing" ? [send({ from: into, into: from }, "back", 2)] : [])
    ],
    { concurrency: "unbounded" }
  )
  const done = answers.find(({ answer }) => "at" in answer)
  for (const fault of faultsOf(answers, done)) world.faults.push(`${into.history.member}: ${fault}`)
  if (done === undefined) return
  caller.merged(done.from.history, done.into.history)
  world.histories.splice(world.histories.indexOf(done.from), 1)
})

/** Judges merges of two guests that went on at once; of two that cross, the other finds a closed guest. */
const faultsOf = (answers: ReadonlyArray<Merged>, done: Merged | undefined): ReadonlyArray<string> => {
  // A hold may end between the two: then the first was refused, and the other merged.
  const early = answers.filter(
    ({ answer, from, into, sentAt }) =>
      "code" in answer && answer.code === "invalid_state" && [from, into].some(({ guest }) => guest.isHeld(sentAt))
  )
  const judged = done === undefined ? answers : [done]
  const faults = judged.flatMap((one) => takeMerge(one, one.from.guest, one.into.guest) ?? [])
  if (done === undefined) return faults
  const isRepeated = ({ answer, from }: Merged) =>
    from === done.from ? isDeepStrictEqual(answer, done.answer) : "code" in answer && answer.code === "invalid_state"
  return answers.every((one) => early.includes(one) || isRepeated(one))
    ? faults
    : [...faults, `merges at once were answered ${JSON.stringify(answers.map(({ answer }) => answer))}`]
}

/** One caller's life: command after command, now and then two at once. */
const live = Effect.fnUntraced(function* (world: World, index: number) {
  const random = Random.make(world.seed, `caller ${index}`)
  const operator = Random.make(world.seed, `operator of ${index}`)
  const caller = new Caller(`c${index}`, random, {
    now: world.now,
    // Writes of a service that is no node of the same database show on another one with its next write.
    reads: world.plan.nodes === 1 || world.plan.isCluster,
    ...(world.plan.merges ? { exchangesPerGuest: 6 } : undefined),
    creditExpires: () => (random.next() < 0.5 ? world.now() + random.whole(1_000, 3 * day) : undefined)
  })
  for (let done = 0; done < world.plan.commands; ) {
    const { command, history } = caller.next()
    let life = world.histories.find((one) => one.history === history)
    if (life === undefined) {
      life = { history, guest: new Guest(history.member, lifeDays * day, renewsAt) }
      world.histories.push(life)
    }
    if (operator.next() < 0.12 && history.exchanges.length > 0) yield* operate(world, operator, life.guest)
    const chance = random.next()
    const isTwin = chance < 0.15 && isWrite(command.operation)
    const isBurst = !isTwin && chance < 0.4 && history.exchanges.length > 0
    const commands = isTwin ? [command, command] : isBurst ? [command, caller.next().command] : [command]
    const exchanges = yield* Effect.forEach(
      commands,
      (one, place) => perform(world, Random.make(world.seed, `${index} ${done} ${place}`), history.member, one),
      { concurrency: "unbounded" }
    )
    judge(world, life.guest, exchanges)
    for (const exchange of exchanges.slice(0, isTwin ? 1 : exchanges.length)) caller.note(history, exchange)
    done += exchanges.length
    yield* Effect.sleep(random.whole(0, maxPauseMs))
    if (world.plan.merges && random.next() < 0.3) yield* mergeTwo(world, random, caller, `${index} ${done}`)
  }
})

/** Stops a process, lets it go on, troubles its sessions and links, or lets it leave in order. */
const rageAmongNodes = Effect.fnUntraced(function* (world: World, random: Random.Random, place: number) {
  const member = world.nodes[place]?.member
  if (member === undefined) return
  const chance = random.next()
  if (chance < 0.35) {
    if (member.goes.isOpen()) member.goes.closeUnsafe()
    else member.goes.openUnsafe()
    world.tell({ _tag: member.goes.isOpen() ? "Continued" : "Stopped", node: member.id })
  } else if (chance < 0.6) member.process.trouble = random.next() < 0.5 ? 0 : random.next() * world.plan.roughness
  else if (chance < 0.7 && member.goes.isOpen()) {
    world.tell({ _tag: "Left", node: member.id })
    yield* Effect.forkChild(member.membership.handOver)
  }
})

/** Nodes that others have declared dead, or that have handed over, end, and others start: a supervisor's work. */
const supervise = Effect.fnUntraced(function* (world: World) {
  for (const [place, node] of world.nodes.entries()) {
    const { member } = node
    if (member === undefined || !member.goes.isOpen()) continue
    const hasEnded = !(world.nodeTables?.isLive(member.id) ?? true) && member.membership.node.role() !== "joining"
    const hasLeft = member.membership.node.role() === "leaving" && !member.membership.node.isAdmitting()
    if (!hasEnded && !hasLeft) continue
    yield* Node.kill(node)
    world.nodes = world.nodes.with(place, yield* world.startNode(calm))
  }
})

/** Changes the weather, or kills a service. */
const rage = Effect.fnUntraced(function* (world: World, random: Random.Random) {
  const { kills, roughness } = world.plan
  const place = random.whole(0, world.nodes.length - 1)
  const node = world.nodes[place]
  if (node === undefined) return
  if (node.member !== undefined && random.next() < 0.6) return yield* rageAmongNodes(world, random, place)
  if (kills && random.next() < 0.3) {
    world.tell({ _tag: "Killed", node: node.name })
    yield* Node.kill(node)
    world.nodes = world.nodes.with(place, yield* world.startNode(calm))
  } else node.way.weather = random.next() < 0.4 ? calm : rough(random, roughness)
})

/** Moves the clock, mostly a little, sometimes by days, until the fiber has ended. */
const passTime = Effect.fnUntraced(function* (world: World, fiber: Fiber.Fiber<unknown>) {
  const random = Random.make(world.seed, "time")
  const adversary = Random.make(world.seed, "adversary")
  const operator = Random.make(world.seed, "operator")
  const reader = Random.make(world.seed, "reader")
  const spans = Random.make(world.seed, "spans")
  const keys = Random.make(world.seed, "keys")
  for (let moves = 0; fiber.pollUnsafe() === undefined; moves++) {
    if (moves >= maxMoves) {
      world.faults.push("unanswered: a command never came to a definite answer")
      return yield* Fiber.interrupt(fiber)
    }
    if (adversary.next() < 0.2) yield* rage(world, adversary)
    if (world.plan.isCluster) yield* supervise(world)
    if (world.plan.publishes && operator.next() < 0.1) world.publish()
    world.reader.step(reader)
    if (world.plan.spans && spans.next() < 0.3) world.spans.step(spans)
    if (world.plan.spans && keys.next() < 0.2)
      world.spans.endKeys(Math.min(world.now(), ...[...world.open].map(({ since }) => since)))
    const chance = random.next()
    const step = world.plan.isCluster
      ? random.whole(1, chance < 0.95 ? 500 : 8_000)
      : chance < 0.9
        ? random.whole(1, 1_000)
        : chance < 0.97
          ? random.whole(1_000, 150_000)
          : random.whole(1, 2 * day)
    yield* TestClock.adjust(step)
  }
})

/** State of every guest, as a fresh service shows it; with the folder of files, each guest's entries too. */
const inspect = Effect.fnUntraced(function* (world: World, when: string, hasFiles = true) {
  const [node] = world.nodes
  if (node === undefined) throw new Error("a service runs")
  const handlers = Context.get(node.services, Handlers)
  const context = Testing.context("inspection")
  for (const { guest, history } of world.histories) {
    const before = guest.faults.length
    const asked = { context, member_id: history.member, program_id }
    guest.settle(world.now())
    const account = answerOf(yield* handlers["account.get"](asked, Testing.caller))
    if (account === undefined || "code" in account) guest.faults.push(`accounts/get: ${JSON.stringify(account)}`)
    else guest.checkAccount(account.body as never)
    if (!hasFiles) {
      nameFaults(guest, before, when)
      continue
    }
    const entries: Array<Entry> = []
    for (let cursor: string | undefined; ; ) {
      const page = answerOf(
        yield* handlers["ledger.list"](
          { ...asked, limit: 50, ...(cursor === undefined ? {} : { cursor }) },
          Testing.caller
        )
      )
      if (page === undefined || "code" in page) {
        guest.faults.push(`ledger/list: ${JSON.stringify(page)}`)
        break
      }
      const body = page.body as { readonly entries: ReadonlyArray<Entry>; readonly next_cursor?: string }
      entries.push(...body.entries)
      cursor = body.next_cursor
      if (cursor === undefined) break
    }
    guest.checkLedger(entries)
    nameFaults(guest, before, when)
  }
})

const nameFaults = (guest: Guest, from: number, when: string): void => {
  for (let fault = from; fault < guest.faults.length; fault++) guest.faults[fault] += ` (${when})`
}

/** Rules that hold of the tables, whatever was told to anybody. */
const checkTables = (world: World): void => {
  const { accounts, claims, identities, keys, log } = world.tables
  const held = [...claims.values(), ...keys.values(), ...world.spans.endedKeys]
  for (const [place, record] of log.entries()) {
    const version = world.versionAt(place)
    if (record.programVersion !== version)
      world.faults.push(`record ${record.account}/${record.seq} is of version ${record.programVersion}, not ${version}`)
  }
  for (const [number, { entries, member, memberId, nextDue, records }] of accounts) {
    let previous = ""
    for (const [index, record] of records.entries()) {
      const own = held.filter(({ account, seq }) => account === number && seq === record.seq)
      if (record.seq !== index + 1) world.faults.push(`${memberId}: record ${record.seq} stands at ${index + 1}`)
      if (!isChained(world.claimKey, previous, record, claimsText(own)))
        world.faults.push(`${memberId}: record ${record.seq} does not fit its hash`)
      previous = record.hash
    }
    const listed = member.identities.map((one) => ClaimKeys.identity(world.claimKey, program_id, one)).toSorted()
    const found = [...identities].flatMap(([key, { account }]) => (account === number ? [key] : [])).toSorted()
    if (listed.join() !== found.join()) world.faults.push(`${memberId}: its identities are not those that find it`)
    for (const [index, entry] of entries.entries())
      if (entry.n !== index + 1) world.faults.push(`${memberId}: entry ${entry.n} stands at ${index + 1}`)
    const last = records.at(-1)
    const sum = entries.reduce((all, entry) => all + entry.amount, 0)
    if (last !== undefined && decodeEvents(last).some(({ type }) => type === "merged_away") && sum !== 0)
      world.faults.push(`${memberId}: ${sum} points are left of a merged guest`)
    if (nextDue !== null && nextDue < renewsAgainAt)
      world.faults.push(`${memberId}: something is due at ${fromMillis(nextDue)} and nobody posts it`)
  }
}

const simulate = Effect.fnUntraced(function* (world: World) {
  const clock = yield* Clock.Clock
  world.now = () => clock.currentTimeMillisUnsafe()
  yield* TestClock.setTime(start)
  for (let node = 0; node < world.plan.nodes; node++) world.nodes.push(yield* world.startNode(calm))
  const callers = yield* Effect.forkChild(
    Effect.forEach(
      Array.from({ length: world.plan.callers }, (_, index) => index),
      (index) => live(world, index),
      { concurrency: "unbounded", discard: true }
    )
  )
  yield* passTime(world, callers)
  const lives = yield* Fiber.await(callers)
  if (lives._tag === "Failure" && world.faults.length === 0) return yield* lives
  // Records in flight land; then a fresh service is all that reads.
  for (const node of world.nodes) {
    node.way.weather = calm
    node.member?.goes.openUnsafe()
  }
  yield* TestClock.adjust(patienceMs)
  for (const node of world.nodes) yield* Node.kill(node)
  world.nodes = [yield* world.startNode(calm, true, false)]
  yield* TestClock.adjust("5 seconds")
  yield* inspect(world, "without the files", false)
  for (const node of world.nodes) yield* Node.kill(node)
  world.nodes = [yield* world.startNode(calm, true, true)]
  yield* TestClock.adjust("5 seconds")
  yield* inspect(world, "at the end")
  // In steps: a fiber that yields may begin its sleep only after the clock was moved.
  for (let halves = 2 * (lifeDays + 2); halves > 0; halves--) yield* TestClock.adjust("12 hours")
  yield* inspect(world, "when all has expired")
  checkTables(world)
  world.reader.finish()
  for (const node of world.nodes) yield* Node.kill(node)
  yield* TestClock.adjust("30 seconds")
})

/** Errors in the services' logs are faults, whatever their callers were told. */
const errorsTo = (world: World) =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      if (logLevel === "Error" || logLevel === "Fatal") world.faults.push(`logged: ${String(message)} ${String(cause)}`)
    })
  ])

/** Runs a seed. */
export const run = (seed: number): Effect.Effect<Run> =>
  Effect.gen(function* () {
    const world = new World(seed)
    const exit = yield* Effect.exit(Effect.provide(Effect.scoped(simulate(world)), errorsTo(world)))
    if (exit._tag === "Failure") world.faults.push(`broken: ${String(exit.cause)}`)
    const told = world.histories.flatMap(({ guest, history }) =>
      guest.faults.map((fault) => `${history.member}: ${fault}`)
    )
    const { acknowledged, faults, reader, spans, trace } = world
    const { restarts } = reader
    return {
      seed,
      faults: [...faults, ...spans.faults, ...reader.faults, ...new Set(told)],
      trace,
      acknowledged,
      restarts
    }
  }).pipe(Effect.provide(TestClock.layer(), { local: true }))

/** Facts that tell two runs apart. */
export const fingerprint = ({ trace }: Run): string => hash("sha256", trace.map(Trace.lineOf).join("\n"))
