/**
 * Moves guests of another provider in, some at a time (contract/moving.md *Moving*). What a request does not finish, the same
 * request does later, on any node: claims of guests, lots and rewards keep everything from being done twice.
 */
import { Effect } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import type { GuestMoved, MovedIn, MoveIn } from "../../contract/admin/MoveIn.ts"
import type { ProfileFacts } from "../../contract/platform/Members.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { allows } from "../../contract/Scopes.ts"
import type { Unit } from "../../contract/Values.ts"
import { toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Moved } from "../../core/account/domain/Action.ts"
import type { Outcome } from "../../core/account/Outcome.ts"
import * as Rows from "../../core/account/Rows.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { mustGive } from "../../desk/surface/Giving.ts"
import { orUnavailable, refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { attributesOf, consentsOf, fieldsOf } from "../members/ProfileChange.ts"
import * as ProfileStore from "../members/ProfileStore.ts"
import * as Bounds from "./Bounds.ts"
import { lastEarnedOf } from "./Checks.ts"
import * as Here from "./Here.ts"
import * as MovedKeys from "./MovedKeys.ts"
import { remembered } from "./Remembered.ts"
import * as SinceMoved from "./SinceMoved.ts"
import type { Asked, Facts, RewardsHere, Todo } from "./Todo.ts"
import { todoOf } from "./Todo.ts"

const needed = Effect.gen(function* () {
  const services = Effect.all({ accounts: Accounts, journal: Journal, programs: Programs, time: serviceTime })
  return { ...(yield* services), files: yield* ArchiveFiles }
})
type Parts = Effect.Success<typeof needed> & { readonly pool: Pool }

/** The request that guests come with. */
interface Request extends Asked {
  readonly actor: string
  readonly origin: string | undefined
}

/** The codes of rewards that were moved before, and those that others have. */
const rewardsHere = Effect.fnUntraced(function* (
  { journal }: Parts,
  { claimKey, program }: Asked,
  guests: ReadonlyArray<MovedGuest>
) {
  const codes = [...new Set(guests.flatMap(({ rewards }) => rewards.map(({ code }) => code)))]
  const keys = codes.map((code) => ({
    code,
    moved: ClaimKeys.issuedReward(claimKey, MovedKeys.rewardId(claimKey, program.id, code)),
    taken: ClaimKeys.artifact(claimKey, program.id, code)
  }))
  const all = keys.flatMap(({ moved, taken }) => [moved, taken])
  const held = new Set((yield* orUnavailable(journal.holders(all))).map(({ key }) => key))
  const codesOf = (which: "moved" | "taken") => new Set(keys.flatMap((one) => (held.has(one[which]) ? [one.code] : [])))
  return { moved: codesOf("moved"), taken: codesOf("taken") } satisfies RewardsHere
})

/** Looks at a guest, and at its account if a correction takes points: only the account knows what its lots have left. */
const lookAt = Effect.fnUntraced(function* ({ accounts }: Parts, guest: MovedGuest, facts: Facts, asked: Asked) {
  const todo = todoOf(guest, facts, asked)
  if (todo.account === undefined || todo.points.every(({ amount }) => amount > 0)) return todo
  const found = yield* accounts.readOn(todo.account)
  if (found === undefined) return todo
  return found._tag === "Resident" ? todoOf(guest, { ...facts, state: found.state }, asked) : yield* refusedBy(found)
})

/** Looks at guests: what is left to do of each; undefined: it was erased. */
const look = Effect.fnUntraced(function* (parts: Parts, asked: Asked, guests: ReadonlyArray<MovedGuest>) {
  const { files, journal, pool } = parts
  const { guests: known, taken } = yield* remembered(
    { files, journal, query: pool.query, now: asked.now },
    asked.program.id,
    guests
  )
  const here = yield* Here.look({ journal, query: pool.query }, asked.program.id, guests)
  const rewards = yield* rewardsHere(parts, asked, guests)
  const lookAtEach = (guest: MovedGuest, place: number) => {
    const before = known[place]
    if (before?.isErased === true) return Effect.succeed(undefined)
    return lookAt(parts, guest, { before, here: here[place]!, rewards, taken }, asked)
  }
  return yield* Effect.forEach(guests, lookAtEach, { concurrency: Bounds.movedAtOnce })
})

const instant = (text: string | undefined): number | undefined => (text === undefined ? undefined : toMillis(text))

/** A profile as the platform's requests have it. The version of a consent's text is part of its source. */
const factsOf = ({
  birth_date,
  consents,
  display_name,
  email,
  external_id,
  phone,
  attributes
}: MovedGuest): ProfileFacts => {
  const consent = consents.map(({ source, version, ...one }) => {
    const told = version === undefined ? source : `${source ?? ""} (text ${version})`.trim()
    return told === undefined ? one : { ...one, source: told }
  })
  const facts = { birth_date, display_name, email, external_id, phone, attributes }
  const present = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
  return consent.length === 0 ? present : { ...present, consent }
}

const unitsOf = (by: Readonly<Partial<Record<Unit, number>>> = {}) =>
  Object.entries(by) as ReadonlyArray<[Unit, number]>

/** The standing counts once, with the guest. */
const countersOf = ({ standing }: MovedGuest): Moved["counters"] => {
  const units = new Map<Unit, readonly [number, number]>()
  for (const [unit, lifetime] of unitsOf(standing?.lifetime)) units.set(unit, [lifetime, 0])
  for (const [unit, sum] of unitsOf(standing?.period_sum)) units.set(unit, [units.get(unit)?.[0] ?? 0, sum])
  return [...units].map(([unit, [lifetime, sum]]) => [unit, lifetime, sum] as const)
}

const movedOf = (
  { guest, hasFresh, identities, isMovedBefore, points, rewards }: Todo,
  parts: Parts,
  { now, program }: Asked
): Moved => {
  const { standing } = guest
  const keys = identities.map((one) => ClaimKeys.identity(parts.journal.claimKey, program.id, one))
  // A later move renews nothing but by what it adds.
  const later = hasFresh ? instant(standing?.last_earned_at) : undefined
  const lastEarned = isMovedBefore ? later : lastEarnedOf(guest, now)
  const what = { identities: keys, points, rewards, lastEarned }
  if (isMovedBefore || standing === undefined) return { ...what, counters: [], orders: 0 }
  const { orders = 0, tier_id, tier_until } = standing
  return {
    ...{ ...what, counters: countersOf(guest), orders },
    tier: tier_id === undefined ? undefined : { id: tier_id, until: instant(tier_until) }
  }
}

/** Enrols a guest with all that it has, in one record. */
const enrolled = (parts: Parts, todo: Todo, asked: Request): Effect.Effect<Outcome> => {
  const { claims, guest, identities } = todo
  const { external_id, joined_at, member_id } = guest
  const facts = factsOf(guest)
  const attributes = attributesOf(facts)
  const id = external_id ?? member_id
  const own = id === undefined ? undefined : ({ type: "external", value: id } as const)
  const [first, ...others] = own === undefined ? identities : [own, ...identities]
  if (first === undefined) throw new Error("a guest has an id or a card, by the files' checks")
  return parts.accounts.enroll({
    program: asked.program.id,
    identity: first,
    identities: others,
    via: asked.greet ? "platform" : "move_in",
    attributes: attributes === undefined ? undefined : Rows.withAttributes({ identities: [] }, attributes).attributes,
    member: member_id,
    joined: joined_at === undefined ? undefined : Math.min(toMillis(joined_at), parts.time.now()),
    moves: movedOf({ ...todo, identities: others }, parts, asked),
    further: claims,
    profile: { type: "set", fields: fieldsOf(facts, undefined), consents: consentsOf(facts, [], parts.time.now()) },
    actor: asked.actor,
    origin: asked.origin
  })
}

/** The profile of a guest without what the member has already: the member's own is newer. */
const lackedBy = (facts: ProfileFacts, stored: ProfileStore.StoredMember | undefined): ProfileFacts => {
  const known: Readonly<Record<string, unknown>> = {
    external_id: stored?.externalId,
    display_name: stored?.displayName,
    email: stored?.email,
    phone: stored?.phone,
    birth_date: stored?.birthDate
  }
  const attributes = Object.entries(facts.attributes ?? {}).filter(([name]) => stored?.attributes?.[name] === undefined)
  const lacked = Object.entries(facts).filter(([name]) => name !== "attributes" && (known[name] ?? null) === null)
  return {
    ...Object.fromEntries(lacked),
    ...(attributes.length === 0 ? {} : { attributes: Object.fromEntries(attributes) })
  }
}

/** Gives a member all that is left of a guest, in one record. */
const given = Effect.fnUntraced(function* (parts: Parts, account: number, todo: Todo, asked: Request) {
  const { claims, guest, identities, isMovedBefore } = todo
  const stored = isMovedBefore ? undefined : yield* ProfileStore.find(parts.pool.query, account)
  const facts = isMovedBefore ? {} : lackedBy(factsOf(guest), stored)
  const fields = fieldsOf(facts, stored)
  const consents = consentsOf(facts, stored?.consents ?? [], parts.time.now())
  const attributes = attributesOf(facts, stored?.attributes)
  const { external_id } = fields
  const outcome = yield* parts.accounts.executeOn(account, (program) => ({
    action: {
      ...{ type: "move_in", ...movedOf(todo, parts, asked) },
      external:
        typeof external_id === "string"
          ? ClaimKeys.externalId(parts.journal.claimKey, program, external_id)
          : undefined,
      changesProfile: Object.keys(fields).length + consents.length > 0 || attributes !== undefined
    },
    guards: { further: claims },
    identities,
    attributes,
    profile: isMovedBefore ? undefined : { type: "set", fields, consents },
    actor: asked.actor,
    origin: asked.origin
  }))
  if (outcome === undefined) throw new Error("an account that was found is there")
  return outcome
})

const outcomeOf = ({ account, isMovedBefore, points, rewards }: Todo): GuestMoved["outcome"] => {
  if (!isMovedBefore) return account === undefined ? "enrolled" : "joined"
  return points.length + rewards.length > 0 ? "added" : "same"
}

const toldOf = (todo: Todo | undefined): GuestMoved => {
  if (todo === undefined) return { outcome: "erased", posted: 0, faults: [], differences: [] }
  const { differences, faults, isKept, points } = todo
  return isKept
    ? { outcome: "refused", posted: 0, faults, differences }
    : { outcome: outcomeOf(todo), posted: points.length, faults, differences }
}

/** The result of an account's outcome; undefined: somebody else has changed the same, and it must be looked at again. */
const settled = Effect.fnUntraced(function* (
  told: GuestMoved,
  { account }: Todo,
  outcome: Outcome
): Effect.fn.Return<GuestMoved | undefined, Refused> {
  if (outcome._tag === "Refusal")
    return outcome.code === "conflict" ? undefined : { ...told, outcome: "refused", posted: 0, code: outcome.code }
  if (outcome._tag !== "Answered") return yield* refusedBy(outcome)
  const { reply } = outcome.record
  // An enrolment that finds a member brings nothing.
  if (account === undefined && reply.type === "member" && !reply.created) return undefined
  const member_id = outcome.resident?.state.member
  return member_id === undefined ? told : { ...told, member_id }
})

/** Moves one guest. */
const moved = Effect.fnUntraced(function* (
  parts: Parts,
  guest: MovedGuest,
  found: Todo | undefined,
  asked: Request
): Effect.fn.Return<GuestMoved, Refused> {
  let todo = found
  for (let tries = 0; tries < Bounds.lookedAgain; tries++) {
    const told = toldOf(todo)
    if (todo === undefined || told.outcome === "same" || told.outcome === "refused") return told
    const { account } = todo
    const outcome = yield* account === undefined ? enrolled(parts, todo, asked) : given(parts, account, todo, asked)
    const done = yield* settled(told, todo, outcome)
    if (done !== undefined) return done
    todo = (yield* look(parts, { ...asked, now: parts.time.now() }, [guest]))[0]
  }
  return { ...toldOf(todo), outcome: "refused", posted: 0, code: "conflict" }
})

/** Tells members with what orders brought before, and those who were moved before with what makes their balances. */
const withSince = Effect.fnUntraced(function* ({ files, pool }: Parts, todos: ReadonlyArray<Todo | undefined>) {
  const here = todos.flatMap((todo) => (todo?.account === undefined ? [] : { ...todo, account: todo.account }))
  // A correction of a lot that differs brings points after the orders so far.
  const pending = here
    .filter(({ differences, points }) => points.length + differences.length > 0)
    .map(({ account }) => account)
  const found = yield* SinceMoved.read(
    { files, query: pool.query },
    here.map(({ account }) => account),
    new Set(pending)
  )
  return todos.map((todo): GuestMoved => {
    const told = found.get(todo?.account ?? 0)
    if (told === undefined) return toldOf(todo)
    const { before, member_id, since } = told
    return {
      ...{ ...toldOf(todo), member_id },
      ...(todo?.movedAs === undefined ? undefined : { moved_as: todo.movedAs }),
      ...(todo?.isMovedBefore === true ? { since } : undefined),
      ...(before.length === 0 ? undefined : { before })
    }
  })
})

const counted = (guests: ReadonlyArray<GuestMoved>) =>
  Object.fromEntries(
    Map.groupBy(guests, ({ outcome }) => outcome)
      .entries()
      .map(([outcome, all]) => [outcome, all.length])
  )

const moveIn = Effect.fnUntraced(function* (
  parts: Parts,
  program_id: string,
  { correct = false, dry_run = false, greet = false, guests, since = false, waive = [] }: MoveIn
): Effect.fn.Return<MovedIn, Refused, CurrentCaller> {
  const { journal, pool, programs, time } = parts
  const caller = yield* CurrentCaller
  const program = yield* Visible.named(programs, caller, program_id)
  if (caller.kind === "user")
    return yield* refuse("forbidden", "Guests are moved in with a key or a token, by lotbook move-in.")
  if (since && !allows(caller.scopes, { scope: "members:read", whole: "admin:read" }))
    return yield* refuse(
      "forbidden",
      said`since tells balances of members. The token lacks the scope ${"members:read"}.`
    )
  const asked = { claimKey: journal.claimKey, correct, greet, now: time.now(), program, waive }
  const todos = yield* look(parts, asked, guests)
  if (dry_run) return { dry_run: true, guests: since ? yield* withSince(parts, todos) : todos.map(toldOf) }
  if (program.isRetired) return yield* refuse("program_retired", `Programme ${program_id} was retired.`)
  yield* mustGive("admin", "A move in")
  const request = { ...asked, actor: caller.name, origin: caller.requestId }
  const done = yield* Effect.forEach(guests, (guest, place) => moved(parts, guest, todos[place], request), {
    concurrency: Bounds.movedAtOnce
  })
  const subject = { type: "program", id: program_id }
  const changes = { after: counted(done) }
  yield* pool.transaction(Audit.tell(pool.query, { action: "guest.move_in", subject, programId: program_id, changes }))
  return { guests: done }
})

/** Moves guests, over a pool of the caller's kind. */
export const make = (pool: Pool) =>
  Effect.map(needed, (services) => {
    const parts: Parts = { ...services, pool }
    return { moveIn: (program: string, asked: MoveIn) => moveIn(parts, program, asked) }
  })
