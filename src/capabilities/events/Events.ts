/**
 * The routes of events of guests: recorded once for each idempotency key, singly or in
 * batches, and listed (contract/engagement.md *Events of guests*). The events of a batch succeed or fail independently.
 */
import { Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { canonical, isObject, strictDecoder } from "../../contract/Decode.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { BatchResult, EventQuery, GuestEvent } from "../../contract/platform/Events.ts"
import { EventFacts, eventsBatchPath, maxProperties, maxPropertiesBytes } from "../../contract/platform/Events.ts"
import { type Problem, problemStatus } from "../../contract/protocol/Problem.ts"
import { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Money } from "../../contract/Values.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Codes from "../../core/account/Codes.ts"
import { mergedAccounts } from "../../core/account/domain/State.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import { KeptTimes } from "../../core/retention/Kept.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Given from "../../desk/surface/Given.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Problems from "../../desk/surface/Problems.ts"
import { isTransient, refuse } from "../../desk/surface/Refusal.ts"
import { isSameMember } from "../../desk/surface/SameMember.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Reached from "../segments/Reached.ts"
import * as Bounds from "./Bounds.ts"
import type { NewEvent, StoredEvent } from "./EventStore.ts"
import * as Store from "./EventStore.ts"

/** An event of a request, after the checks that need no database. */
interface CheckedEvent {
  readonly program: Program
  readonly facts: EventFacts
  readonly value: Money | undefined
  readonly key: string
  /** Hash of the facts without the member. The member is compared by its account, so that a merged id still matches. */
  readonly fingerprint: string
}

/** A recorded event; `isNew`: recorded by this request. */
interface RecordedEvent {
  readonly event: GuestEvent
  readonly isNew: boolean
}

const invalid = ([first, ...others]: readonly [BodyFault, ...ReadonlyArray<BodyFault>]): Refused =>
  new Refused({
    code: "validation_failed",
    detail: `The request: ${first.path === "" ? "it" : first.path} ${first.message}.`,
    errors: [first, ...others]
  })

/** The value of an event. The contract has two spellings; if both are given they must be equal. */
const valueOf = (
  { currency, value, value_minor_units: amount }: EventFacts,
  program: Program
): Result.Result<Money | undefined, BodyFault> => {
  if (amount === undefined && value === undefined)
    return currency === undefined
      ? Result.succeed(undefined)
      : Result.fail({ path: "/currency", message: "must come with `value_minor_units`" })
  if (value === undefined) return Result.succeed({ amount: amount ?? 0, currency: currency ?? program.currency })
  if (amount !== undefined && amount !== value.amount)
    return Result.fail({ path: "/value_minor_units", message: "must be the amount of `value`" })
  if (currency !== undefined && currency !== value.currency)
    return Result.fail({ path: "/currency", message: "must be that of `value`" })
  return Result.succeed(value)
}

const propertiesFault = ({ properties }: EventFacts): BodyFault | undefined => {
  if (!isObject(properties)) return undefined
  const path = "/properties"
  if (Object.keys(properties).length > maxProperties) return { path, ...said`must have at most ${maxProperties} keys` }
  return Buffer.byteLength(JSON.stringify(properties)) > maxPropertiesBytes
    ? { path, message: "must be at most 64 KiB of JSON" }
    : undefined
}

/** The facts that a repeated key must have again, in one spelling, without the member. */
const factsText = ({ program, facts, value }: Pick<CheckedEvent, "program" | "facts" | "value">): string =>
  canonical({
    program_id: program.id,
    type: facts.type,
    event_id: facts.event_id,
    occurred_at: facts.occurred_at === undefined ? undefined : toMillis(facts.occurred_at),
    source: facts.source,
    value: value === undefined ? undefined : [value.amount, value.currency],
    campaign_id: facts.campaign_id,
    location_id: facts.location_id,
    metadata: facts.properties
  })

const newEvent = ({ facts, fingerprint, key, value }: CheckedEvent, resident: Resident, now: number): NewEvent => {
  const { account, member, program } = ownerOf(resident)
  return {
    key,
    fingerprint,
    event_id: facts.event_id ?? Codes.identifier("evt"),
    program_id: program,
    account,
    member_id: member,
    type: facts.type,
    occurred_at: facts.occurred_at === undefined ? now : toMillis(facts.occurred_at),
    recorded_at: now,
    source: facts.source,
    value: value?.amount,
    currency: value?.currency,
    campaign_id: facts.campaign_id,
    location_id: facts.location_id,
    properties: facts.properties
  }
}

const byKey = <Row extends { readonly key: string }>(rows: ReadonlyArray<Row>): Map<string, Row> =>
  new Map(rows.toReversed().map((row) => [row.key, row]))

const decodeFacts = strictDecoder(EventFacts)

/** The problem document of an event in a batch: the same as for a single refused request. */
const problemIn = ({ code, detail, errors }: Refused): typeof Problem.Type =>
  JSON.parse(Problems.document(code, { detail, instance: eventsBatchPath, errors }))

/** The parts that the routes need. */
const needed = Effect.all({
  accounts: Accounts,
  given: Given.make,
  work: WorkPool,
  journal: Journal,
  programs: Programs,
  reached: Reached.make,
  keptDays: KeptTimes,
  time: serviceTime
})
type Parts = Effect.Success<typeof needed>

const checked = Effect.fnUntraced(function* (
  { journal: { claimKey }, programs }: Parts,
  facts: EventFacts
): Effect.fn.Return<CheckedEvent, Refused, CurrentCaller> {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, facts.program_id)
  const value = valueOf(facts, program)
  const fault = Result.isFailure(value) ? value.failure : propertiesFault(facts)
  if (fault !== undefined) return yield* Effect.fail(invalid([fault]))
  const known = { program, facts, value: Result.getOrThrow(value) }
  const key = claimKey("behaviour", program.id, facts.idempotency_key)
  return { ...known, key, fingerprint: claimKey("behaviour facts", factsText(known)) }
})

/** The member to record the event for: for a merged member, the remaining one. */
const activeMember = Effect.fnUntraced(function* (
  { accounts }: Parts,
  { facts: { member_id }, program }: CheckedEvent
) {
  const found = yield* memberOf(accounts, program.id, member_id)
  const { status } = found.state
  return status === "active" ? found : yield* refuse("member_not_active", said`The member ${member_id} is ${status}.`)
})

/** A deleted event as it was recorded: what is not kept of it is as in the request, whose facts are the same. */
const again = (
  { facts: { campaign_id, location_id, properties, source, type }, value }: CheckedEvent,
  { event_id, member_id, occurred_at, program_id, recorded_at }: GuestEvent
): GuestEvent => ({
  event_id,
  program_id,
  member_id,
  type,
  occurred_at,
  recorded_at,
  ...(source === undefined ? undefined : { source }),
  ...(campaign_id === undefined ? undefined : { campaign_id }),
  ...(location_id === undefined ? undefined : { location_id }),
  ...(properties === undefined ? undefined : { properties }),
  ...(value === undefined ? undefined : { value })
})

/** The outcome of an event, from the event that is stored under its key (undefined: another event has its id). */
const outcomeOf = Effect.fnUntraced(function* (
  { accounts }: Parts,
  one: CheckedEvent,
  stored: StoredEvent | undefined,
  isNew: boolean
): Effect.fn.Return<RecordedEvent, Refused> {
  if (stored === undefined)
    return yield* refuse("conflict", said`The event ${one.facts.event_id ?? ""} was recorded before under another key.`)
  const { facts, fingerprint, program } = one
  const isSame =
    stored.fingerprint === fingerprint &&
    (yield* isSameMember(accounts, program.id, facts.member_id, stored.event.member_id))
  if (isSame) return { event: stored.n === 0 ? again(one, stored.event) : stored.event, isNew }
  return yield* refuse("idempotency_conflict", "The idempotency key was used before with other facts.")
})

/** The accounts of members, and those that were merged into them. */
type Contained = ReadonlyMap<number, ReadonlyArray<number>>

/** The guests of events, each with all of its own. */
const guestsOf = (events: ReadonlyArray<NewEvent>, contained: Contained): ReadonlyArray<Reached.Changed> =>
  [...Map.groupBy(events, ({ account }) => account)].map(([account, own]) => ({
    accounts: [account, ...(contained.get(account) ?? [])],
    before: {},
    after: {},
    isImported: false,
    events: own
  }))

/** Inserts events. A person's are audited, and what campaigns give because of them counts for her. */
const insert = Effect.fnUntraced(function* (
  { given, programs, reached, work: { query, transaction } }: Parts,
  events: ReadonlyArray<NewEvent>,
  contained: Contained
): Effect.fn.Return<ReadonlyArray<StoredEvent>, Refused, CurrentCaller> {
  const inserted = Store.insert(query, events)
  if (events.length === 0 || (yield* CurrentCaller).kind !== "user") return yield* inserted
  const audit = yield* Audit.maker
  const told = ({ event: { event_id, member_id, program_id, type } }: StoredEvent) =>
    audit({
      action: "event.record",
      subject: { type: "member", id: member_id },
      programId: program_id,
      changes: Audit.changesOf(undefined, { event_id, type })
    })
  let work: Effect.Effect<ReadonlyArray<StoredEvent>, Refused, CurrentCaller> = transaction(
    Effect.tap(inserted, (all) => Effect.forEach(all, (one) => Audit.append(query, told(one)), { discard: true }))
  )
  for (const [id, own] of Map.groupBy(events, ({ program_id }) => program_id)) {
    const program = programs.get(id)
    if (program === undefined) throw new Error("an event that was checked has a programme")
    const because = yield* reached.because(program)
    if (because === undefined) continue
    const amounts = yield* because(guestsOf(own, contained))
    const facts = own.flatMap(({ account, fingerprint, key }) => [key, fingerprint, String(account)])
    const gift = { program, id: ["events", ...facts], ...amounts }
    work = given.within(gift, (all) => ({ isNew: all.length > 0 }), work)
  }
  return yield* work
})

/** Records events. Returns the outcome of each, in order. */
const record = Effect.fnUntraced(function* (
  parts: Parts,
  all: ReadonlyArray<Result.Result<CheckedEvent, Refused>>
): Effect.fn.Return<ReadonlyArray<Result.Result<RecordedEvent, Refused>>, Refused, CurrentCaller> {
  const { query } = parts.work
  const keys = all.flatMap((one) => (Result.isSuccess(one) ? [one.success.key] : []))
  const before = byKey(yield* Store.find(query, keys))
  const at = parts.time.now()
  const contained = new Map<number, ReadonlyArray<number>>()
  const madeFor = (one: CheckedEvent) => (resident: Resident) => {
    contained.set(resident.account, mergedAccounts(resident.state))
    return newEvent(one, resident, at)
  }
  const made = yield* Effect.forEach(
    all,
    (one): Effect.Effect<Result.Result<NewEvent | undefined, Refused>> => {
      if (Result.isFailure(one)) return Effect.succeed(Result.fail(one.failure))
      const { success } = one
      if (before.has(success.key)) return Effect.succeed(Result.succeed(undefined))
      return Effect.result(Effect.map(activeMember(parts, success), madeFor(success)))
    },
    { concurrency: Bounds.memberReads }
  )
  // Of several events with one key, the first is inserted.
  const wanted = byKey(made.flatMap((one) => (Result.isSuccess(one) && one.success !== undefined ? one.success : [])))
  const inserted = byKey(yield* insert(parts, [...wanted.values()].toReversed(), contained))
  const lost = [...wanted.keys()].filter((key) => !inserted.has(key))
  const found = new Map([...before, ...inserted, ...byKey(yield* Store.find(query, lost))])
  return yield* Effect.forEach(all, (one, index) => {
    const event = made[index]!
    if (Result.isFailure(one)) return Effect.succeed(Result.fail(one.failure))
    if (Result.isFailure(event)) return Effect.succeed(Result.fail(event.failure))
    const isNew = event.success !== undefined && wanted.get(one.success.key) === event.success
    const stored = found.get(one.success.key)
    const outcome = outcomeOf(parts, one.success, stored, isNew && inserted.has(one.success.key))
    // Not inserted and not found by key: either the member was erased meanwhile, or another event has the id.
    return Effect.result(stored === undefined ? Effect.andThen(activeMember(parts, one.success), outcome) : outcome)
  })
})

/** Events make guests part of audiences. A token that records them was issued for that; a person must be one who may give. */
const mustRecord = Effect.flatMap(CurrentCaller, ({ kind }) =>
  kind === "user" ? mustGive("platform", "An event that makes a guest part of an audience") : Effect.void
)

const recordOne = Effect.fnUntraced(function* (parts: Parts, facts: EventFacts) {
  yield* mustRecord
  const [outcome] = yield* record(parts, [Result.succeed(yield* checked(parts, facts))])
  if (outcome === undefined) throw new Error("one event has one outcome")
  if (Result.isFailure(outcome)) return yield* Effect.fail(outcome.failure)
  const { event, isNew } = outcome.success
  const headers = isNew ? undefined : { "Idempotent-Replayed": "true" }
  return HttpServerResponse.jsonUnsafe({ event }, { status: isNew ? 201 : 200, headers })
})

/** Checks an event of a batch. The paths of its faults begin with its index. */
const ofBatch = (parts: Parts, one: unknown, index: number) => {
  const decoded = decodeFacts(one)
  const event = Result.isSuccess(decoded)
    ? checked(parts, decoded.success)
    : Effect.fail(new Refused({ code: "validation_failed", detail: "", errors: decoded.failure }))
  const placed = Effect.mapError(event, (refused) => {
    const [first, ...others] = (refused.errors ?? []).map(({ message, path }) => ({
      path: `/events/${index}${path}`,
      message
    }))
    return first === undefined ? refused : invalid([first, ...others])
  })
  return Effect.result(placed)
}

/** Transient trouble with one event refuses the whole batch, so that no stored result contains it. */
const recordBatch = Effect.fnUntraced(function* (parts: Parts, events: ReadonlyArray<unknown>) {
  yield* mustRecord
  const asked = yield* Effect.forEach(events, (one, index) => ofBatch(parts, one, index))
  const outcomes = yield* record(parts, asked)
  for (const outcome of outcomes) {
    if (Result.isFailure(outcome) && isTransient(outcome.failure)) return yield* Effect.fail(outcome.failure)
  }
  const results = outcomes.map(
    (outcome): BatchResult =>
      Result.isSuccess(outcome)
        ? { status: outcome.success.isNew ? 201 : 200, event: outcome.success.event }
        : {
            status: problemStatus[outcome.failure.code],
            problem: problemIn(outcome.failure)
          }
  )
  return { results }
})

const accountsOf = Effect.fnUntraced(function* ({ accounts }: Parts, program: Program, member: string | undefined) {
  if (member === undefined) return undefined
  const { account, state } = yield* memberOf(accounts, program.id, member)
  return [account, ...mergedAccounts(state)]
})

const list = Effect.fnUntraced(function* (parts: Parts, { cursor, limit, program_id, ...filters }: EventQuery) {
  const { programs, work } = parts
  const { claimKey } = parts.journal
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  const bound = ["events", program.id, filters]
  const page = yield* pageOf(claimKey, bound, { cursor, limit })
  const [occurredAt, n] = page.after?.split(" ").map(Number) ?? []
  const found = yield* Store.list(work.query, {
    program: program.id,
    accounts: yield* accountsOf(parts, program, filters.member_id),
    type: filters.type,
    campaign: filters.campaign_id,
    from: filters.from === undefined ? undefined : toMillis(filters.from),
    until: filters.until === undefined ? undefined : toMillis(filters.until),
    after: occurredAt === undefined || n === undefined ? undefined : { occurredAt, n },
    limit: page.limit + 1
  })
  const { rows, ...next } = paged(claimKey, bound, page, found, (one) => `${one.occurredAt} ${one.n}`)
  const keptFrom = fromMillis(parts.time.now() - parts.keptDays.guest_events * dayMs)
  return { events: rows.map(({ event }) => event), kept_from: keptFrom, ...next }
})

export const make = Effect.map(needed, (parts) => ({
  list: (asked: EventQuery) => list(parts, asked),
  recordBatch: (events: ReadonlyArray<unknown>) => recordBatch(parts, events),
  recordOne: (facts: EventFacts) => recordOne(parts, facts)
}))

export const layer = HttpApiBuilder.group(PlatformApi, "platform_events", (handlers) =>
  Effect.map(make, ({ list, recordBatch, recordOne }) =>
    handlers
      .handle("recordEvent", ({ payload }) => recordOne(payload))
      .handle("listEvents", ({ query }) => list(query))
      .handle("recordEvents", ({ payload }) => recordBatch(payload.events))
  )
)
