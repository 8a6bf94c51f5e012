/** Signing in and out with a cookie (contract/operators.md *Sessions*). */
import { Effect, Metric } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Pool } from "../../base/database/Pools.ts"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { wholeScopes, workScopes } from "../../contract/Scopes.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { Known, KnownKeys } from "../../desk/access/Keys.ts"
import { digestOf, Keys, rootId } from "../../desk/access/Keys.ts"
import { endedCookie, type KnownSessions, Sessions } from "../../desk/access/Sessions.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import { attempt, refuseWrong } from "./Attempts.ts"
import { openSession, subjectOf, viewOf } from "./OpenSession.ts"
import { CurrentProvider } from "./Provider.ts"
import { CurrentSite } from "./Site.ts"

/** True if the key has a scope that web pages use. */
const isForPages = (key: Known): boolean => [...wholeScopes, ...workScopes].some((scope) => key.scopes.has(scope))

interface Parts {
  readonly keys: KnownKeys
  readonly sessions: KnownSessions
  readonly people: Pool
}

/** Finds the key of a text. An unknown key counts as a wrong key of the address. */
const keyOf = Effect.fnUntraced(function* (parts: Parts, text: string, digest: Buffer) {
  const { keys } = parts
  const { sourceIp = "" } = yield* CurrentCaller
  const looked = Effect.callback<void>((resume) => {
    if (!keys.ask(sourceIp, digest, () => resume(Effect.void))) resume(Effect.void)
  })
  yield* attempt(parts, looked, keys.isSpared(sourceIp, text, digest))
  const key = keys.adminKey(digest)
  if (key === undefined)
    return yield* refuseWrong(parts, "unauthorized", "The key is neither the admin key nor a known token.")
  keys.wasRight(key, sourceIp, digest)
  return key
})

const signIns = Metric.counter("lotbook_admin_key_sign_ins_total", {
  description: "Sign-ins of the admin key to the console while an owner could sign in",
  incremental: true
})

/** The admin key in the console, once there is an owner: for emergencies, so that somebody should look. */
const tellRoot = Effect.fnUntraced(function* ({ keys }: Parts, key: Known) {
  if (key.keyId !== rootId) return
  const { isRootWelcome } = yield* CurrentSite
  if (!isRootWelcome) {
    const detail = "The admin key does not sign in here (PROTO_ADMIN_KEY_CONSOLE=false). Sign in with a passkey."
    return yield* refuse("forbidden", detail)
  }
  if (!keys.hasOwner()) return
  const { sourceIp } = yield* CurrentCaller
  yield* Metric.update(signIns, 1)
  yield* LogEvent.of("admin_key_in_console", { source_ip: sourceIp })(
    Effect.logWarning("The admin key signed in to the console, although there are owners")
  )
})

const signIn = Effect.fnUntraced(function* (parts: Parts, text: string) {
  const { keys } = parts
  const digest = digestOf(text)
  const key = yield* keyOf(parts, text, digest)
  if (!isForPages(key)) return yield* refuse("forbidden", "The key has no scope of the operators or the platform.")
  yield* tellRoot(parts, key)
  return yield* openSession(parts, { ...key, kind: "session" }, { keyHash: keys.sessionHash(key, digest) })
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
  Effect.gen(function* () {
    const services = yield* Effect.all({ keys: Keys, sessions: Sessions, people: PeoplePool })
    const site = yield* CurrentSite
    const provider = yield* CurrentProvider
    const ways = Effect.sync(() => ({
      provider: provider !== undefined,
      first_start: !services.keys.hasOwner(),
      admin_key: site.isRootWelcome
    }))
    // A series that is there from the start: the first sign-in is an increase.
    yield* Metric.update(signIns, 0)
    return handlers
      .handle("signIn", ({ payload }) => signIn(services, payload.key))
      .handle("signInWays", () => ways)
      .handle("session", () => Effect.flatMap(current, (found) => viewOf(services, found)))
      .handle("signOut", () => signOut(services))
  })
)
