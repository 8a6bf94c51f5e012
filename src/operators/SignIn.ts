/** Signing in and out with a cookie (contract/operators.md *Sessions*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import { Refused } from "../contract/admin/Common.ts"
import { wholeScopes, workScopes } from "../contract/Scopes.ts"
import { fromMillis } from "../contract/Values.ts"
import { int8 } from "../database/Values.ts"
import type { CallerSession } from "../access/CurrentCaller.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import { PeoplePool, type Pool } from "../database/Pools.ts"
import * as Audit from "../surface/Audit.ts"
import * as Bounds from "../access/Bounds.ts"
import type { Known, KnownKeys } from "../access/Keys.ts"
import { digestOf, Keys } from "../access/Keys.ts"
import { refuse } from "../surface/Refusal.ts"
import { cookieOf, endedCookie, Sessions, type KnownSessions } from "../access/Sessions.ts"
import { networkOf } from "../access/WrongKeys.ts"

const viewOf = ({ caller, csrfToken, expiresAt }: CallerSession) => ({
  csrf_token: csrfToken,
  expires_at: fromMillis(expiresAt),
  name: caller.name,
  scopes: [...caller.scopes],
  ...(caller.programs === undefined ? undefined : { programs: [...caller.programs] })
})

const tooMany = (seconds: number) =>
  new Refused({
    code: "rate_limited",
    detail: "Too many wrong keys came from this address; wait as Retry-After says.",
    retryAfter: seconds
  })

/** True if the key has a scope that web pages use. */
const isForPages = (key: Known): boolean => [...wholeScopes, ...workScopes].some((scope) => key.scopes.has(scope))

const subjectOf = (hash: string) => ({ type: "session", id: hash.slice(0, 16) })

interface Parts {
  readonly keys: KnownKeys
  readonly sessions: KnownSessions
  readonly people: Pool
  /** Time of the last audit entry for a refused sign-in of each address, ms. At most one entry a minute and address. */
  readonly refusedAt: Map<string, number>
}

const tellRefused = ({ keys, people, refusedAt }: Parts, network: string) => {
  const now = keys.now()
  for (const [known, at] of refusedAt) {
    if (now < at + Bounds.wrongKeysWindowSeconds * 1_000) break
    refusedAt.delete(known)
  }
  if (refusedAt.has(network) || refusedAt.size >= Bounds.maxGuessers) return Effect.void
  refusedAt.set(network, now)
  return Audit.tell(people.query, { action: "session.refused", subject: { type: "address", id: network } })
}

/** Finds the key of a text. An unknown key counts as a wrong key of the address. */
const keyOf = Effect.fnUntraced(function* (parts: Parts, text: string) {
  const { keys } = parts
  const { sourceIp = "" } = yield* CurrentCaller
  const blocked = keys.wrong.blockedFor(sourceIp)
  if (blocked > 0) return yield* tooMany(blocked)
  const digest = digestOf(text)
  yield* Effect.callback<void>((resume) => {
    if (!keys.ask(sourceIp, digest, () => resume(Effect.void))) resume(Effect.void)
  })
  const key = keys.adminKey(digest)
  if (key !== undefined) return key
  keys.wrong.count(sourceIp)
  yield* tellRefused(parts, networkOf(sourceIp))
  return yield* refuse("unauthorized", "The key is neither the admin key nor a known token.")
})

const insertStatement = `INSERT INTO sessions (hash, key_hash, began_at, seen_at)
  VALUES (decode($1, 'hex'), $2, $3, $3)`

const signIn = Effect.fnUntraced(function* (parts: Parts, text: string) {
  const { keys, people, sessions } = parts
  const caller = yield* CurrentCaller
  const key = yield* keyOf(parts, text)
  if (!isForPages(key)) return yield* refuse("forbidden", "The key has no scope of the operators or the platform.")
  const { id, row } = sessions.begin(keys.sessionHash(key, digestOf(text)))
  const inserted = people.query(insertStatement, [row.hash, PgTypes.bytea(row.keyHash), int8(row.beganAt)])
  const told = Audit.tell(people.query, { action: "session.begin", subject: subjectOf(row.hash) })
  const entry = Effect.provideService(told, CurrentCaller, { ...caller, ...key, kind: "session" })
  yield* people.transaction(Effect.andThen(inserted, entry))
  sessions.add(row)
  const found = sessions.find(id)
  if (found === undefined) return yield* refuse("unauthorized", "The key is no longer valid.")
  return HttpServerResponse.jsonUnsafe(viewOf(found), { headers: { "set-cookie": cookieOf(caller.host, id) } })
})

const current = Effect.flatMap(CurrentCaller, ({ session }) =>
  session === undefined ? refuse("unauthorized", "There is no session.") : Effect.succeed(session)
)

const signOut = Effect.fnUntraced(function* ({ people, sessions }: Parts) {
  const { host } = yield* CurrentCaller
  const { hash } = yield* current
  const removed = people.query("DELETE FROM sessions WHERE hash = decode($1, 'hex')", [hash])
  const told = Audit.tell(people.query, { action: "session.end", subject: subjectOf(hash) })
  yield* people.transaction(Effect.andThen(removed, told))
  sessions.end(hash)
  return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": endedCookie(host) } })
})

export const layer = HttpApiBuilder.group(AdminApi, "session", (handlers) =>
  Effect.map(Effect.all({ keys: Keys, sessions: Sessions, people: PeoplePool }), (services) => {
    const parts: Parts = { ...services, refusedAt: new Map() }
    return handlers
      .handle("signIn", ({ payload }) => signIn(parts, payload.key))
      .handle("session", () => Effect.map(current, viewOf))
      .handle("signOut", () => signOut(parts))
  })
)
