/**
 * `Idempotency-Key` for all surfaces except the hot path: a request with a used
 * key and the same body gets the first result (contract/idempotency.md *Keys in a header*). The result is stored in
 * the transaction of the handler's statements, so both are committed or neither.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import { AdminDatabase } from "../surface/AdminDatabase.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../contract/protocol/Protocol.ts"
import { Journal } from "../journal/Journal.ts"
import { Accounts } from "../account/Accounts.ts"
import { refusedBy } from "../surface/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { isObject } from "../contract/Decode.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import { Programs } from "../program/Programs.ts"
import type { Caller } from "../protocol/Handler.ts"
import { invalid } from "./Body.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { Asked, Handle } from "./Route.ts"
import { callerOf } from "./Route.ts"
import { machineNow } from "../time/Times.ts"

/** A result that is not stored. The transaction is rolled back. */
class NotKept {
  readonly _tag = "NotKept"
  readonly reply: Reply
  constructor(reply: Reply) {
    this.reply = reply
  }
}

/** Stands for the result while the handler has given none. It is never stored. */
const nothingYet: Reply = { status: 599, contentType: json, body: "" }

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

/** Wraps a handler, so that it answers repeated keys with the first result. An id stands for the member that it leads to. */
export const make = Effect.gen(function* () {
  const { query, transaction } = yield* AdminDatabase
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

  /** The first result of a key if there is one, else the result of `handle`. */
  const once = (key: string, sent: Sent, { exchange: { path }, faults }: Asked, handle: Effect.Effect<Reply>) =>
    Effect.gen(function* () {
      // Another request with the key waits here until the first one has ended.
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [key])
      const [first] = yield* query(
        "SELECT fingerprint::text, named::text[], status, body FROM keyed_requests WHERE key = $1::text::uuid",
        [key]
      )
      if (first !== undefined) {
        const isSame =
          first["fingerprint"] === sent.fingerprint
            ? yield* isSameMembers(sent.program, first["named"] as ReadonlyArray<string>, sent.named)
            : first["fingerprint"] === sent.earlier
        if (isSame) return replayed(Number(first["status"]), String(first["body"]))
        const found = faults()
        if (found.length > 0) return invalid(path, found)
        const detail = "The Idempotency-Key was used before with another body."
        return problem("idempotency_conflict", { detail, instance: path })
      }
      const reply = yield* handle
      if (!isKept(reply)) return yield* Effect.fail(new NotKept(reply))
      const body = storedBody(reply)
      const texts = (all: ReadonlyArray<string>) => Result.getOrThrow(PgTypes.array(all, PgTypes.OID.text))
      yield* query(
        "SELECT keep_result($1::text::uuid, $2::text::uuid, $3, $4::float8::bigint, $5::float8::int, $6, $7)",
        [
          key,
          sent.fingerprint,
          texts(sent.named),
          PgTypes.float8(yield* machineNow),
          PgTypes.float8(reply.status),
          body,
          texts([...new Set([...membersIn(body), ...sent.named])])
        ]
      )
      return reply
    })

  const keyed = (handle: Handle, asked: Asked, key: string): Effect.Effect<Reply> => {
    const { exchange } = asked
    const { path, route } = exchange
    const claim = claimKey("keyed", callerOf(exchange).keyId, route?.operation ?? "", key)
    const { program = onlyProgram(callerOf(exchange)), ...facts } = sentIn(claimKey, asked)
    const sent = { ...facts, program }
    const first = (handled: Effect.Effect<Reply>) =>
      transaction(once(claim, sent, asked, handled)).pipe(
        Effect.catch((error) =>
          Effect.succeed(
            error._tag === "NotKept" ? error.reply : problem(error.code, { detail: error.detail, instance: path })
          )
        )
      )
    if (route?.isRepeatable !== true) return first(handle(asked))
    return Effect.gen(function* () {
      const before = yield* first(Effect.succeed(nothingYet))
      if (before !== nothingYet) return before
      const reply = yield* handle(asked)
      return isKept(reply) ? yield* first(Effect.succeed(reply)) : reply
    })
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
