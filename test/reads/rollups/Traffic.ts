/**
 * Members of two programmes with random histories, decided as the service does
 * it and appended to a journal; and what there is of them, counted from their
 * states alone.
 */
import { Effect, Schedule } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import type { Recorded } from "../../../src/core/account/Codec.ts"
import type { Action } from "../../../src/core/account/domain/Action.ts"
import { decide } from "../../../src/core/account/domain/Decide.ts"
import type { Decided } from "../../../src/core/account/domain/Decision.ts"
import { merge } from "../../../src/core/account/domain/Merge.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import { initialState } from "../../../src/core/account/domain/State.ts"
import * as Record from "../../../src/core/account/Record.ts"
import * as ReservationId from "../../../src/core/account/ReservationId.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import type { JournalRecord } from "../../../src/core/journal/Records.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { Past } from "../../core/account/domain/Scenario.ts"
import { adjust, issue, manual, placed, recalledFor, reserve, status } from "../../core/account/domain/Scenario.ts"
import { appendAll } from "../../core/journal/Records.ts"
import type { Random } from "../../model/Random.ts"

const folder = path.join(import.meta.dirname, "..", "..", "core", "rules")
const { tier_policy: policy, ...demoFile } = Testing.demoProgram.file
if (policy === undefined) throw new Error("the demo's tiers begin anew each year")
const promotions = [
  {
    promotion_id: "double",
    name: "Double",
    effect: { multiply_bps: 20_000 },
    limits: { per_member: { count: 2, every: "week" } }
  },
  { promotion_id: "extra", name: "Extra", effect: { add: 3 } }
]
/** The demo's programme, whose tiers last through the following period, with promotions and a challenge. */
export const demo = Testing.programOf({
  ...demoFile,
  tier_policy: { ...policy, retention: "following_period" },
  stacking: "all",
  promotions,
  challenges: [
    { challenge_id: "visits", name: "Visits", count: { orders: 3 }, every: "month", gives: { reward_id: "one-off" } }
  ]
})
/** The stamp programme, whose credits end together when nothing was earned for 30 days. */
export const stamps = Testing.programOf({
  ...JSON.parse(fs.readFileSync(path.join(folder, "program.stamps.json"), "utf8")),
  point_expiration: { type: "after_inactivity", days: 30, warning_days: [7] }
})

const day = 86_400_000
/** New Year is near, when the demo's tiers begin anew. */
export const start = Date.UTC(2025, 10, 1, 10)

export interface Member {
  readonly account: number
  readonly name: string
  readonly program: Program
  state: State
  hash: string
  readonly records: Array<Pick<Recorded, "events" | "seq">>
  readonly merged: Array<Member>
  /** Names of the members whose identities it has. */
  identities: ReadonlyArray<string>
}

const pastOf = ({ account, merged, records }: Member): Past => ({ account, records, merged: merged.map(pastOf) })

const cards = (account: number, seq: number) =>
  Array.from({ length: 20 }, (_, index) => ({
    issued: `full-${account}-${seq}-${index}`,
    code: `CODE-${account}-${seq}-${index}`
  }))

/** An order's scope: one of three locations. */
const scopeOf = (program: Program, n: number) => ({
  scope: { program_id: program.id, brand_id: "brand", merchant_id: "merchant", location_id: `location-${n % 3}` }
})

/** Some orders are of the business day before: after midnight, or out of the queue of an offline till. */
const withDay = (action: Action, seq: number): Action => {
  if (action.type !== "accrue" || seq % 3 > 0) return action
  const before = Testing.placedAt(Date.parse(action.order.placed_at) - day)
  return { ...action, order: { ...action.order, business_date: before.business_date } }
}

/** Requests that a member may make, with ids of its own. */
const actionOf = (random: Random, member: Member): Action => {
  const { account, program } = member
  const { seq } = member.state
  const id = `${account}-${seq}`
  // Records that came with a merge are named as they were.
  const owner = member.merged.length === 0 ? account : random.pick([member, ...member.merged]).account
  const old = random.whole(1, Math.max(1, seq))
  const reward = program === stamps ? "free-coffee" : "one-off"
  const chance = random.next()
  if (chance < 0.4)
    return {
      type: "accrue",
      order: Testing.order(`order-${id}`, random.whole(0, 30_000), scopeOf(program, seq), program.id)
    }
  if (chance < 0.5)
    return adjust(
      `order-${owner}-${old}`,
      random.pick(["partial_refund", "full_refund", "correction"]),
      -random.whole(1, 9_000)
    )
  if (chance < 0.65) {
    const expires = random.next() < 0.5 ? undefined : start + random.whole(100, 900) * day
    const amount = random.whole(1, 900)
    return manual(amount, { adjustment: `manual-${id}`, qualifies: random.next() < 0.5, expires })
  }
  if (chance < 0.7) return manual(-random.whole(1, 500), { adjustment: `manual-${id}`, classification: "correction" })
  if (chance < 0.78) {
    const order = Testing.order(`hold-${seq}`, 500, { status: "open", ...scopeOf(program, seq) }, program.id)
    return reserve(seq, { reward, order })
  }
  // One that is still there, as nearly all have run out.
  const hold = member.state.reservations.findLast((one) => one.status === "reserved" || one.status === "captured")
  if (chance < 0.87 && hold !== undefined)
    return random.next() < 0.5
      ? { type: "capture", reservation: hold.reservation, order: hold.order }
      : { type: "reverse", reservation: hold.reservation, reason: "test" }
  if (chance < 0.9) return { type: "reverse", reservation: ReservationId.make(owner, old + 1), reason: "test" }
  if (chance < 0.93) return issue(`issued-${id}`, { reward, expires: start + 2_000 * day })
  if (chance < 0.95) return status(random.pick(["active", "suspended"]))
  return { type: "expire" }
}

export class Traffic {
  readonly members: Array<Member> = []
  now = start
  private readonly name: string
  private readonly random: Random

  /** `name` begins the ids of its members. */
  constructor(name: string, random: Random) {
    this.name = name
    this.random = random
  }

  private readonly submit = Effect.fnUntraced(function* (this: Traffic, member: Member, action: Action) {
    const { account, program, state } = member
    const given = {
      now: this.now,
      program,
      cards: cards(account, state.seq),
      recalled: recalledFor(state, action, pastOf(member))
    }
    const reservation = ReservationId.make(account, state.seq + 1)
    const decision = decide(state, withDay(placed(action, given.now), state.seq), {
      ...given,
      ...(action.type === "reserve" ? { reservation } : undefined)
    })
    return decision._tag === "Decided" ? yield* this.record(member, decision) : undefined
  }).bind(this)

  private readonly record = Effect.fnUntraced(function* (
    this: Traffic,
    member: Member,
    decision: Omit<Decided, "_tag" | "cards">,
    identities?: ReadonlyArray<string>
  ) {
    const { claimKey, revision } = yield* Journal
    const { account, name, program } = member
    const record = Record.make(claimKey, decision, {
      account,
      before: member.state,
      previous: member.hash,
      program,
      revision: yield* revision,
      claims: [],
      actor: "test",
      origin: undefined,
      member: identities === undefined ? undefined : { identities: identities.map(identityOf) },
      opens: { programId: program.id, memberId: name, identities: [identityOf(name)] }
    })
    member.state = decision.state
    member.hash = record.hash
    member.records.push({ seq: record.seq, events: decision.events })
    return record
  }).bind(this)

  /** The member itself, or the one that it was merged into: the service asks that one. */
  private remaining(member: Member): Member {
    const into = this.members.find(({ account }) => account === member.state.mergedInto?.account)
    return into === undefined ? member : this.remaining(into)
  }

  /** Merges one member into another of the same programme, where that is possible. */
  private readonly merge = Effect.fnUntraced(function* (this: Traffic, from: Member, into: Member) {
    if (from === into || from.program !== into.program) return
    const given = { now: this.now, program: into.program, cards: cards(into.account, into.state.seq) }
    const decision = merge({ from, into }, given)
    if (decision._tag !== "Decided") return
    const identities = [...into.identities, ...from.identities]
    const leaving = yield* this.record(from, decision.from, [])
    yield* this.append([leaving, yield* this.record(into, decision.into, identities)])
    into.identities = identities
    into.merged.push(from)
  }).bind(this)

  readonly enroll = Effect.fnUntraced(function* (this: Traffic, name: string, program: Program = demo) {
    const journal = yield* Journal
    const account = yield* journal.newAccountNumber
    const member: Member = {
      account,
      name,
      program,
      state: initialState,
      hash: "",
      records: [],
      merged: [],
      identities: [name]
    }
    this.members.push(member)
    const identity = ClaimKeys.identity(journal.claimKey, program.id, identityOf(name))
    yield* this.append([yield* this.submit(member, { type: "enroll", program: program.id, member: name, identity })])
    return member
  }).bind(this)

  /** Carries one action out, which must be decided. */
  readonly act = Effect.fnUntraced(function* (this: Traffic, member: Member, action: Action) {
    const record = yield* this.submit(member, action)
    if (record === undefined) throw new Error(`not decided: ${JSON.stringify(action)}`)
    yield* this.append([record])
  }).bind(this)

  /** So many random actions of random members, some of them new, while time goes on; one group of records after the other. */
  readonly run = Effect.fnUntraced(function* (this: Traffic, actions: number) {
    const { random } = this
    for (let done = 0; done < actions; ) {
      if (this.members.length === 0 || random.next() < 0.2)
        yield* this.enroll(`${this.name}-${this.members.length}`, random.pick([demo, stamps]))
      if (random.next() < 0.1) yield* this.merge(random.pick(this.members), random.pick(this.members))
      const group: Array<JournalRecord | undefined> = []
      for (let size = random.whole(1, 8); size > 0; size--, done++) {
        const member = this.remaining(random.pick(this.members))
        group.push(yield* this.submit(member, actionOf(random, member)))
      }
      yield* this.append(group)
      if (random.next() < 0.5) this.now += random.whole(0, 60_000)
      else this.now += random.next() < 0.9 ? random.whole(0, 3_600_000) : random.whole(1, 40) * day
    }
  }).bind(this)

  private readonly append = Effect.fnUntraced(function* (
    this: Traffic,
    group: ReadonlyArray<JournalRecord | undefined>
  ) {
    const records = group.filter((record) => record !== undefined)
    const journal = yield* Journal
    // A busy machine opens a connection late; nothing was sent then, so the caller sends it again.
    const outcomes = yield* appendAll(journal, records).pipe(
      Effect.filterOrFail((all) => all.every(({ _tag }) => _tag !== "unavailable")),
      Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
      Effect.orDie
    )
    for (const outcome of outcomes)
      if (outcome._tag !== "committed") throw new Error(`not committed: ${JSON.stringify(outcome)}`)
  }).bind(this)
}

export const identityOf = (name: string) => ({ type: "loyalty_id", value: `card-${name}`, issuer: "x" })
