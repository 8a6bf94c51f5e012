/**
 * `Idempotency-Key` for all surfaces except the hot path: a request with a used
 * key and the same body gets the first result (contract/idempotency.md *Keys in a header*).
 */
import { Effect } from "effect"
import { isObject } from "../../contract/Decode.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../../contract/protocol/Protocol.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Caller } from "../../core/protocol/Handler.ts"
import * as Idempotency from "../../desk/surface/Idempotency.ts"
import { invalid } from "./Body.ts"
import type { Reply } from "./Reply.ts"
import { json, problem } from "./Reply.ts"
import type { DeskRequest, Handle } from "./Route.ts"
import { callerOf } from "./Route.ts"

/** The properties of answers that are shown only once. */
const secrets = ["secret", "invitation_url", "sign_in_url"]

/** The body as it is stored: without its secret. */
const storedBody = ({ body }: Reply): string => {
  const shown = Object.entries(JSON.parse(body.toString()) as Readonly<Record<string, unknown>>)
  const kept = shown.filter(([name]) => !secrets.includes(name))
  return JSON.stringify({
    ...Object.fromEntries(kept),
    ...(kept.length === shown.length ? undefined : { secret_withheld: true })
  })
}

/** Only successes are stored. */
const kept = (reply: Reply): Idempotency.Kept | undefined =>
  reply.status < 300 ? { status: reply.status, body: storedBody(reply) } : undefined

const sentIn = (
  claimKey: ClaimKey,
  { bytes = Buffer.alloc(0), exchange }: DeskRequest
): Omit<Idempotency.Keyed, "key"> => {
  const { incoming, params, path, route } = exchange
  const url = incoming.url ?? path
  const members: Array<string> = []
  const others = Object.entries(params).filter(([name, value]) => name !== "member_id" || members.push(value) === 0)
  const isNaming = bytes.includes('"member_id"')
  const taken: unknown = isNaming
    ? JSON.parse(bytes.toString(), (name, value: unknown) => {
        if (name !== "member_id" || typeof value !== "string") return value
        members.push(value)
        return ""
      })
    : undefined
  const program = isObject(taken) ? taken["program_id"] : undefined
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : ""
  const facts = [route?.path ?? path, JSON.stringify(others), query, isNaming ? JSON.stringify(taken) : ""]
  return {
    fingerprint: claimKey("keyed request", ...facts, isNaming ? "" : bytes.toString("base64")),
    members,
    program: params["program_id"] ?? (typeof program === "string" ? program : undefined)
  }
}

const replayed = ({ body, status }: Idempotency.Kept): Reply => ({
  status,
  body,
  contentType: json,
  headers: { "Idempotent-Replayed": "true" }
})

const conflict = ({ exchange: { path }, faults }: DeskRequest): Reply => {
  const found = faults()
  if (found.length > 0) return invalid(path, found)
  const detail = "The Idempotency-Key was used before with another body."
  return problem("idempotency_conflict", { detail, instance: path })
}

/** Wraps a handler, so that it answers repeated keys with the first result, which `once` stores. */
export const over = Effect.fnUntraced(function* (once: Idempotency.Store["once"]) {
  const { claimKey } = yield* Journal
  const programs = yield* Programs

  /** The programme of a request that names none: the only one that its caller may see. */
  const onlyProgram = ({ programs: own }: Caller) => {
    const seen = programs.all().filter(({ id }) => own === undefined || own.has(id))
    return seen.length === 1 ? seen[0]?.id : undefined
  }

  const keyed = (handle: Handle, asked: DeskRequest, key: string): Effect.Effect<Reply> => {
    const { exchange } = asked
    const { path, route } = exchange
    const caller = callerOf(exchange)
    const { program = onlyProgram(caller), ...facts } = sentIn(claimKey, asked)
    return once({
      keyed: { ...facts, program, key: claimKey("keyed", caller.keyId, route?.operation ?? "", key) },
      handle: handle(asked),
      keep: kept,
      isRepeatable: route?.isRepeatable === true
    }).pipe(
      Effect.map((outcome) => {
        switch (outcome._tag) {
          case "Answered":
            return outcome.answer
          case "Replayed":
            return replayed(outcome.kept)
          case "Conflict":
            return conflict(asked)
        }
      }),
      Effect.catch(({ code, detail }) => Effect.succeed(problem(code, { detail, instance: path })))
    )
  }

  return (handle: Handle): Handle =>
    (asked) => {
      const { incoming, path, route } = asked.exchange
      const key = incoming.headers["idempotency-key"]
      const takesKey = route !== undefined && route.method !== "GET"
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

/** The same with results in the database. */
export const make = Effect.flatMap(Idempotency.make, ({ once }) => over(once))
