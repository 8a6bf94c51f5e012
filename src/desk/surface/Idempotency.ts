/**
 * The first results of requests with an `Idempotency-Key`, for all routes besides `/proto/v1`, whose keys the journal
 * claims (contract/idempotency.md *Keys in a header*). A result is stored in the transaction of the request's own
 * statements, so both are committed or neither. Where the journal commits, it is stored afterwards: after a crash between
 * the two, identifiers and state stop a second effect.
 */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Schedule, Schema, Semaphore } from "effect"
import { PeoplePool, storageUnavailable, WorkPool } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, texts } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import * as Bounds from "./Bounds.ts"
import { refuse } from "./Refusal.ts"
import { isSameMember } from "./SameMember.ts"

const { int4, text, uuid } = PgTypes

/** A request as its key remembers it. */
export interface Keyed {
  /** Hash of caller, route and key. */
  readonly key: string
  /** Hash of the request without the member ids in it. */
  readonly fingerprint: string
  /** The member ids in it, in order. Each stands for the member that it leads to. */
  readonly members: ReadonlyArray<string>
  /** The programme of these members. */
  readonly program: string | undefined
}

/** A result as it is stored; the body is JSON. */
export interface Kept {
  readonly status: number
  readonly body: string
}

/** `Answered`: by this request. `Replayed`: by the first one. `Conflict`: the first one was another request. */
export type KeyedOutcome<A> =
  | { readonly _tag: "Answered"; readonly answer: A }
  | { readonly _tag: "Replayed"; readonly kept: Kept }
  | { readonly _tag: "Conflict" }

export interface Once<A> {
  readonly keyed: Keyed
  readonly handle: Effect.Effect<A>
  /**
   * True if `handle` commits itself. Its result is stored afterwards, unless `handle` has stored one by `KeepResult`: it
   * must if it changes something more when done twice.
   */
  readonly isRepeatable: boolean
  /** The result to store. Undefined: none, and what `handle` did in the transaction is rolled back. */
  readonly keep: (answer: A) => Kept | undefined
}

/** Where first results are kept. */
export interface Store {
  /** The first result of a key if there is one, else that of the request. */
  readonly once: <A>(asked: Once<A>) => Effect.Effect<KeyedOutcome<A>, Refused>
}

/**
 * Stores the result of the request in hand, in the transaction that is open: for a handler that commits itself, and would
 * have a second effect if it were called again. Does nothing for a request without a key.
 */
export const KeepResult = Context.Reference<(kept: Kept) => Effect.Effect<void, Refused>>(
  "lotbook/desk/surface/KeepResult",
  { defaultValue: () => () => Effect.void }
)

/** An answer without a result to store. The transaction is rolled back. */
class NotKept<A> {
  readonly _tag = "NotKept"
  readonly answer: A
  constructor(answer: A) {
    this.answer = answer
  }
}

/** Another process holds the key. The transaction is rolled back, which gives its connection back. */
class HeldElsewhere {
  readonly _tag = "HeldElsewhere"
}

/** The member ids in a stored body. An erasure finds the body by them. */
const membersIn = (body: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  JSON.parse(body, (name, value: unknown) => {
    if (name === "member_id" && typeof value === "string") found.add(value)
    return value
  })
  return [...found]
}

const lockStatement = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS is_held"

const lockOf = oneOf(Schema.Struct({ is_held: Schema.Boolean }))

const findStatement = "SELECT fingerprint, named, status, body FROM keyed_requests WHERE key = $1"

const keptOf = firstOf(
  Schema.Struct({
    fingerprint: Schema.String,
    named: Schema.Array(Schema.String),
    status: Schema.Number,
    body: Schema.String
  })
)

/** Removes results that were kept long enough. */
export const removeOld: Effect.Effect<void, Refused, WorkPool> = Effect.gen(function* () {
  const { query } = yield* WorkPool
  yield* query("DELETE FROM keyed_requests WHERE at < $1", [int8((yield* machineNow) - Bounds.keptResultMs)])
})

interface Parts extends Pick<PeoplePool["Service"], "query" | "transaction"> {
  readonly accounts: Accounts["Service"]
  /** The requests of each key that run or wait here. */
  readonly queues: Map<string, { readonly turn: Semaphore.Semaphore; length: number }>
}

/** Builds the store. In its scope, old results are removed. */
export const make = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const parts: Parts = { query, transaction, accounts: yield* Accounts, queues: new Map() }
  const removal = Effect.catch(removeOld, () => Effect.logDebug("Removing old results fails; it is tried again"))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.purgeMs), removal)))
  return { once: <A>(asked: Once<A>) => once(parts, asked) }
})

/** Runs the requests of a key one after another. Those that wait hold no connection. */
const inTurn = <A>({ queues }: Parts, key: string, work: Effect.Effect<A, Refused>): Effect.Effect<A, Refused> =>
  Effect.suspend(() => {
    const queue = queues.get(key) ?? { turn: Semaphore.makeUnsafe(1), length: 0 }
    if (queue.length === Bounds.sameKey)
      return refuse("overloaded", "Too many requests with this key are waiting; nothing was done.")
    queue.length++
    queues.set(key, queue)
    const end = Effect.sync(() => {
      if (--queue.length === 0) queues.delete(key)
    })
    return Effect.ensuring(queue.turn.withPermits(1)(work), end)
  })

/** Runs `work` in a transaction that holds the key. While another process holds it, looks again now and then. */
const holding = <A, E>(
  { query, transaction }: Parts,
  key: string,
  work: Effect.Effect<A, E | Refused>
): Effect.Effect<A, E | Refused> =>
  transaction(
    Effect.gen(function* () {
      const { is_held } = yield* lockOf(query(lockStatement, [text(key)]))
      return is_held ? yield* work : yield* Effect.fail(new HeldElsewhere())
    })
  ).pipe(
    Effect.retry({
      while: (error) => error instanceof HeldElsewhere,
      schedule: Schedule.spaced(Bounds.heldKeyPollMs),
      times: Bounds.heldKeyWaitMs / Bounds.heldKeyPollMs
    }),
    Effect.catch((error) => Effect.fail(error instanceof HeldElsewhere ? storageUnavailable : error))
  )

const isSameMembers = Effect.fnUntraced(function* (
  { accounts }: Parts,
  program: string | undefined,
  some: ReadonlyArray<string>,
  others: ReadonlyArray<string>
): Effect.fn.Return<boolean, Refused> {
  if (some.length !== others.length) return false
  for (const [index, one] of some.entries()) {
    const other = others[index]!
    const isSame = program === undefined ? one === other : yield* isSameMember(accounts, program, one, other)
    if (!isSame) return false
  }
  return true
})

/** The outcome of a key that was used before; undefined if it was not. */
const before = Effect.fnUntraced(function* (
  parts: Parts,
  { fingerprint, key, members, program }: Keyed
): Effect.fn.Return<Exclude<KeyedOutcome<never>, { _tag: "Answered" }> | undefined, Refused> {
  const { query } = parts
  const first = yield* keptOf(query(findStatement, [uuid(key)]))
  if (first === undefined) return undefined
  const isSame = first.fingerprint === fingerprint && (yield* isSameMembers(parts, program, first.named, members))
  return isSame ? { _tag: "Replayed", kept: first } : { _tag: "Conflict" }
})

const store = Effect.fnUntraced(function* (
  { query }: Parts,
  { fingerprint, key, members }: Keyed,
  { body, status }: Kept
) {
  yield* query("SELECT keep_result($1, $2, $3, $4, $5, $6, $7)", [
    uuid(key),
    uuid(fingerprint),
    texts(members),
    int8(yield* machineNow),
    int4(status),
    text(body),
    texts([...new Set([...membersIn(body), ...members])])
  ])
})

/** The outcome of a key that was used before, else that of `handle`, stored with what `handle` did. */
const stored = <A>(parts: Parts, { handle, keep, keyed }: Omit<Once<A>, "isRepeatable">) =>
  holding(
    parts,
    keyed.key,
    Effect.gen(function* (): Effect.fn.Return<KeyedOutcome<A>, Refused | NotKept<A>> {
      const earlier = yield* before(parts, keyed)
      if (earlier !== undefined) return earlier
      const answer = yield* handle
      const kept = keep(answer)
      if (kept === undefined) return yield* Effect.fail(new NotKept(answer))
      yield* store(parts, keyed, kept)
      return { _tag: "Answered", answer }
    })
  ).pipe(
    Effect.catchIf(
      (error) => error instanceof NotKept,
      ({ answer }) => Effect.succeed<KeyedOutcome<A>>({ _tag: "Answered", answer })
    )
  )

/** The first result of a key if there is one, else that of `handle`. A copy waits for the end of the first request. */
const once = <A>(
  parts: Parts,
  { handle, isRepeatable, keep, keyed }: Once<A>
): Effect.Effect<KeyedOutcome<A>, Refused> => {
  if (!isRepeatable) return inTurn(parts, keyed.key, stored(parts, { handle, keep, keyed }))
  const afterwards = Effect.gen(function* () {
    const earlier = yield* holding(parts, keyed.key, before(parts, keyed))
    if (earlier !== undefined) return earlier
    let isKept = false
    const keepNow = (kept: Kept) =>
      Effect.tap(store(parts, keyed, kept), () =>
        Effect.sync(() => {
          isKept = true
        })
      )
    const answer = yield* Effect.provideService(handle, KeepResult, keepNow)
    if (isKept || keep(answer) === undefined) return { _tag: "Answered", answer } as const
    return yield* stored(parts, { handle: Effect.succeed(answer), keep, keyed })
  })
  return inTurn(parts, keyed.key, afterwards)
}
