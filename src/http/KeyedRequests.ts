/**
 * `Idempotency-Key` for all surfaces except the hot path: a request with a used
 * key and the same body gets the first result (admin.md). The result is stored in
 * the transaction of the handler's statements, so both are committed or neither.
 */
import { PgTypes } from "@effect/sql-pg"
import { Clock, Effect, Result } from "effect"
import { AdminDatabase } from "../admin/AdminDatabase.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../contract/protocol/Protocol.ts"
import { Journal } from "../journal/Journal.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { Admitted } from "./Route.ts"
import { callerOf } from "./Route.ts"

type Handle = (admitted: Admitted) => Effect.Effect<Reply>

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

const replayed = (status: number, body: string): Reply => ({
  status,
  body,
  contentType: json,
  headers: { "Idempotent-Replayed": "true" }
})

/** Wraps a handler, so that it answers repeated keys with the first result. */
export const make = Effect.gen(function* () {
  const { query, transaction } = yield* AdminDatabase
  const { claimKey } = yield* Journal

  /** The first result of a key if there is one, else the result of `handle`. */
  const once = (key: string, fingerprint: string, path: string, handle: Effect.Effect<Reply>) =>
    Effect.gen(function* () {
      // Another request with the key waits here until the first one has ended.
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [key])
      const [first] = yield* query(
        "SELECT fingerprint::text, status, body FROM keyed_requests WHERE key = $1::text::uuid",
        [key]
      )
      if (first !== undefined) {
        // If an erasure has removed the stored body, its fingerprint equals the key, and bodies are not compared.
        if (first["fingerprint"] === fingerprint || first["fingerprint"] === key)
          return replayed(Number(first["status"]), String(first["body"]))
        const detail = "The Idempotency-Key was used before with another body."
        return problem("idempotency_conflict", { detail, instance: path })
      }
      const reply = yield* handle
      if (!isKept(reply)) return yield* Effect.fail(new NotKept(reply))
      const body = storedBody(reply)
      yield* query("SELECT keep_result($1::text::uuid, $2::text::uuid, $3::float8::bigint, $4::float8::int, $5, $6)", [
        key,
        fingerprint,
        PgTypes.float8(yield* Clock.currentTimeMillis),
        PgTypes.float8(reply.status),
        body,
        Result.getOrThrow(PgTypes.array(membersIn(body), PgTypes.OID.text))
      ])
      return reply
    })

  const keyed = (handle: Handle, admitted: Admitted, key: string): Effect.Effect<Reply> => {
    const { bytes = Buffer.alloc(0), exchange } = admitted
    const { path, route } = exchange
    const claim = claimKey("keyed", callerOf(exchange).keyId, route?.operation ?? "", key)
    const fingerprint = claimKey("keyed body", exchange.incoming.url ?? path, bytes.toString("base64"))
    const first = (handled: Effect.Effect<Reply>) =>
      transaction(once(claim, fingerprint, path, handled)).pipe(
        Effect.catch((error) =>
          Effect.succeed(
            error._tag === "NotKept" ? error.reply : problem(error.code, { detail: error.detail, instance: path })
          )
        )
      )
    if (route?.isRepeatable !== true) return first(handle(admitted))
    return Effect.gen(function* () {
      const before = yield* first(Effect.succeed(nothingYet))
      if (before !== nothingYet) return before
      const reply = yield* handle(admitted)
      return isKept(reply) ? yield* first(Effect.succeed(reply)) : reply
    })
  }

  return (handle: Handle): Handle =>
    (admitted) => {
      const { incoming, path, route } = admitted.exchange
      const key = incoming.headers["idempotency-key"]
      const takesKey = route?.method === "POST" || route?.method === "PUT"
      if (typeof key !== "string" || !takesKey || route.auth === "none" || route.auth === "session")
        return handle(admitted)
      // The keys in the body take precedence (platform.md). The handler stores them, so no copy of a guest's data stays here.
      if (route.hasOwnKeys === true) return handle(admitted)
      if (key.length < minIdempotencyKeyLength || key.length > maxIdempotencyKeyLength) {
        const message = `must have ${minIdempotencyKeyLength} to ${maxIdempotencyKeyLength} characters`
        const detail = `The header Idempotency-Key ${message}.`
        return Effect.succeed(problem("validation_failed", { detail, instance: path, errors: [{ path: "", message }] }))
      }
      return keyed(handle, admitted, key)
    }
})
