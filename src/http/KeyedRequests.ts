/**
 * `Idempotency-Key` for all surfaces except the hot path: a request with a used
 * key and the same body gets the first result (contract/idempotency.md *Keys in a header*). The result is stored in
 * the transaction of the handler's statements, so both are committed or neither.
 */
import { PgTypes } from "@effect/sql-pg"
import { Deferred, Effect, Schedule, Schema } from "effect"
import { PeoplePool, storageUnavailable } from "../database/Pools.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../contract/protocol/Protocol.ts"
import { firstOf, int8 } from "../database/Values.ts"
import { Journal } from "../journal/Journal.ts"
import { texts } from "../journal/postgres/Parameters.ts"
import { Accounts } from "../account/Accounts.ts"
import { refusedBy } from "../surface/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { isObject } from "../contract/Decode.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Programs } from "../program/Programs.ts"
import type { Caller } from "../protocol/Handler.ts"
import { invalid } from "./Body.ts"
import * as Bounds from "./Bounds.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { Asked, Handle } from "./Route.ts"
import { callerOf } from "./Route.ts"
import { machineNow } from "../time/Times.ts"

const { int4, text, uuid } = PgTypes

/** A result that is not stored. The transaction is rolled back. */
class NotKept {
  readonly _tag = "NotKept"
  readonly reply: Reply
  constructor(reply: Reply) {
    this.reply = reply
  }
}

/** Another process holds the key. The transaction is rolled back, which gives its connection back. */
class HeldElsewhere {
  readonly _tag = "HeldElsewhere"
}

const isKept = ({ status }: Reply): boolean => status < 300

/** The body as it is stored: without the secret, which is shown only once. */
const storedBody = ({ body }: Reply): string => {
  const text = body.toString()
  if (text === "") return text
  const { secret, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>
  return JSON.stringify(secret === undefined ? rest : { ...rest, secret_withheld: true })
}

/** The member ids in a stored body. An erasure finds the body by them. */
const membersIn = (body: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  if (body !== "")
    JSON.parse(body, (name, value: unknown) => {
      if (name === "member_id" && typeof value === "string") found.add(value)
      return value
    })
  return [...found]
}

/** A request as its key remembers it. */
interface Sent {
  readonly fingerprint: string
  /** The member ids in it, in order. The fingerprint leaves them out. */
  readonly named: ReadonlyArray<string>
  /** The fingerprint that earlier versions made of the same request, ids included. */
  readonly earlier: string
  readonly program: string | undefined
}

const sentIn = (claimKey: ClaimKey, { bytes = Buffer.alloc(0), exchange }: Asked): Sent => {
  const { incoming, params, path, route } = exchange
  const url = incoming.url ?? path
  const named: Array<string> = []
  const others = Object.entries(params).filter(([name, value]) => name !== "member_id" || named.push(value) === 0)
  const isNaming = bytes.includes('"member_id"')
  const taken: unknown = isNaming
    ? JSON.parse(bytes.toString(), (name, value: unknown) => {
        if (name !== "member_id" || typeof value !== "string") return value
        named.push(value)
        return ""
      })
    : undefined
  const program = isObject(taken) ? taken["program_id"] : undefined
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : ""
  const facts = [route?.path ?? path, JSON.stringify(others), query, isNaming ? JSON.stringify(taken) : ""]
  return {
    fingerprint: claimKey("keyed request", ...facts, isNaming ? "" : bytes.toString("base64")),
    named,
    earlier: claimKey("keyed body", url, bytes.toString("base64")),
    program: params["program_id"] ?? (typeof program === "string" ? program : undefined)
  }
}

const replayed = (status: number, body: string): Reply => ({
  status,
  body,
  contentType: json,
  headers: { "Idempotent-Replayed": "true" }
})

const lock = firstOf(Schema.Struct({ is_held: Schema.Boolean }))

const storedResult = firstOf(
  Schema.Struct({
    fingerprint: Schema.String,
    named: Schema.Array(Schema.String),
    status: Schema.Number,
    body: Schema.String
  })
)

/** Wraps a handler, so that it answers repeated keys with the first result. An id stands for the member that it leads to. */
export const make = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  const { claimKey } = yield* Journal
  const accounts = yield* Accounts
  const programs = yield* Programs

  /** The programme of a request that names none: the only one that its caller may see. */
  const onlyProgram = ({ programs: own }: Caller) => {
    const seen = programs.all().filter(({ id }) => own === undefined || own.has(id))
    return seen.length === 1 ? seen[0]?.id : undefined
  }

  /** True if the ids of two requests lead to the same members. */
  const isSameMembers = Effect.fnUntraced(function* (
    program: string | undefined,
    some: ReadonlyArray<string>,
    others: ReadonlyArray<string>
  ): Effect.fn.Return<boolean, Refused> {
    if (some.length !== others.length) return false
    for (const [index, one] of some.entries()) {
      const other = others[index]!
      if (one === other) continue
      if (program === undefined) return false
      const [found, wanted] = yield* Effect.all([accounts.read(program, one), accounts.read(program, other)])
      for (const read of [found, wanted])
        if (read !== undefined && read._tag !== "Resident") return yield* refusedBy(read)
      if (found === undefined || wanted === undefined || found._tag !== "Resident" || wanted._tag !== "Resident")
        return false
      if (found.account !== wanted.account) return false
    }
    return true
  })

  /** The last request of each key that runs or waits here. */
  const last = new Map<string, Deferred.Deferred<void>>()

  /** Runs the requests of a key one after another. Those that wait hold no connection. */
  const inTurn = <A>(key: string, work: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      const before = last.get(key)
      const ended = Deferred.makeUnsafe<void>()
      last.set(key, ended)
      const end = Effect.suspend(() => {
        if (last.get(key) === ended) last.delete(key)
        return Deferred.succeed(ended, undefined)
      })
      return Effect.ensuring(before === undefined ? work : Effect.andThen(Deferred.await(before), work), end)
    })

  /** Runs `work` in a transaction that holds the key. While another process holds it, looks again now and then. */
  const holding = <A, E>(key: string, work: Effect.Effect<A, E | Refused>): Effect.Effect<A, E | Refused> =>
    transaction(
      Effect.gen(function* () {
        const row = yield* lock(query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS is_held", [key]))
        return row!.is_held ? yield* work : yield* Effect.fail(new HeldElsewhere())
      })
    ).pipe(
      Effect.retry({
        while: (error) => error instanceof HeldElsewhere,
        schedule: Schedule.spaced(Bounds.keyPollMs),
        times: Bounds.keyWaitMs / Bounds.keyPollMs
      }),
      Effect.catch((error) => Effect.fail(error instanceof HeldElsewhere ? storageUnavailable : error))
    )

  /** The answer to a key that was used before; undefined if it was not. */
  const answerBefore = Effect.fnUntraced(function* (key: string, sent: Sent, { exchange: { path }, faults }: Asked) {
    const first = yield* storedResult(
      query("SELECT fingerprint, named, status, body FROM keyed_requests WHERE key = $1", [uuid(key)])
    )
    if (first === undefined) return undefined
    const isSame =
      first.fingerprint === sent.fingerprint
        ? yield* isSameMembers(sent.program, first.named, sent.named)
        : first.fingerprint === sent.earlier
    if (isSame) return replayed(first.status, first.body)
    const found = faults()
    if (found.length > 0) return invalid(path, found)
    const detail = "The Idempotency-Key was used before with another body."
    return problem("idempotency_conflict", { detail, instance: path })
  })

  /** The answer to a key that was used before, else that of `handle`, which is stored if it is one to keep. */
  const once = (key: string, sent: Sent, asked: Asked, handle: Effect.Effect<Reply>) =>
    Effect.gen(function* () {
      const before = yield* answerBefore(key, sent, asked)
      if (before !== undefined) return before
      const reply = yield* handle
      if (!isKept(reply)) return yield* Effect.fail(new NotKept(reply))
      const body = storedBody(reply)
      yield* query("SELECT keep_result($1, $2, $3, $4, $5, $6, $7)", [
        uuid(key),
        uuid(sent.fingerprint),
        texts(sent.named),
        int8(yield* machineNow),
        int4(reply.status),
        text(body),
        texts([...new Set([...membersIn(body), ...sent.named])])
      ])
      return reply
    })

  /** The same for a handler that commits itself: its answer is stored afterwards. */
  const onceRepeatable = (key: string, sent: Sent, asked: Asked, handle: Effect.Effect<Reply>) =>
    Effect.gen(function* () {
      const before = yield* holding(key, answerBefore(key, sent, asked))
      if (before !== undefined) return before
      const reply = yield* handle
      return isKept(reply) ? yield* holding(key, once(key, sent, asked, Effect.succeed(reply))) : reply
    })

  const keyed = (handle: Handle, asked: Asked, key: string): Effect.Effect<Reply> => {
    const { exchange } = asked
    const { path, route } = exchange
    const claim = claimKey("keyed", callerOf(exchange).keyId, route?.operation ?? "", key)
    const { program = onlyProgram(callerOf(exchange)), ...facts } = sentIn(claimKey, asked)
    const sent = { ...facts, program }
    const answered =
      route?.isRepeatable === true
        ? onceRepeatable(claim, sent, asked, handle(asked))
        : holding(claim, once(claim, sent, asked, handle(asked)))
    return inTurn(
      claim,
      Effect.catch(answered, (error) =>
        Effect.succeed(
          error._tag === "NotKept" ? error.reply : problem(error.code, { detail: error.detail, instance: path })
        )
      )
    )
  }

  return (handle: Handle): Handle =>
    (asked) => {
      const { incoming, path, route } = asked.exchange
      const key = incoming.headers["idempotency-key"]
      const takesKey = route?.method === "POST" || route?.method === "PUT"
      if (typeof key !== "string" || !takesKey || route.auth === "none" || route.auth === "session")
        return handle(asked)
      // The keys in the body take precedence (contract/idempotency.md *Keys in a header*). The handler stores them, so
      // no copy of a guest's data stays here.
      if (route.hasOwnKeys === true) return handle(asked)
      if (key.length < minIdempotencyKeyLength || key.length > maxIdempotencyKeyLength) {
        const message = `must have ${minIdempotencyKeyLength} to ${maxIdempotencyKeyLength} characters`
        const detail = `The header Idempotency-Key ${message}.`
        return Effect.succeed(problem("validation_failed", { detail, instance: path, errors: [{ path: "", message }] }))
      }
      return keyed(handle, asked, key)
    }
})
