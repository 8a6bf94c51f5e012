/** Opens a session of a page, for a key or a person (contract/operators.md *Sessions*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Pool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { CallerSession, KeyCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { deviceOf } from "../../desk/access/Device.ts"
import type { KnownKeys } from "../../desk/access/Keys.ts"
import type { KnownSessions, SessionRow } from "../../desk/access/Sessions.ts"
import { cookieOf } from "../../desk/access/Sessions.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as OwnLanguage from "./OwnLanguage.ts"
import { CurrentSite } from "./Site.ts"

interface Parts {
  readonly keys: KnownKeys
  readonly sessions: KnownSessions
  readonly people: Pool
}

export const viewOf = Effect.fnUntraced(function* (
  { keys, people }: Pick<Parts, "keys" | "people">,
  { caller, csrfToken, expiresAt }: CallerSession
) {
  const { isSandbox } = yield* CurrentSite
  const user = caller.kind === "user" ? keys.user(caller.keyId) : undefined
  // From the table: after a choice on another node the page must not go back to the one before.
  const language = user === undefined ? undefined : yield* OwnLanguage.chosen(people, user.keyId)
  return {
    csrf_token: csrfToken,
    expires_at: fromMillis(expiresAt),
    name: caller.name,
    scopes: [...caller.scopes],
    ...(caller.programs === undefined ? undefined : { programs: [...caller.programs] }),
    ...caller.restaurants?.limits,
    ...(user === undefined
      ? undefined
      : {
          user: {
            user_id: user.keyId,
            email: user.email,
            role: user.role,
            ...(language === undefined ? undefined : { language })
          }
        }),
    ...(isSandbox ? { sandbox: true as const } : undefined)
  }
})

/** The part of a session's hash that names it in the audit and to its owner. It opens nothing. */
export const sessionIdOf = (hash: string): string => hash.slice(0, 16)

export const subjectOf = (hash: string) => ({ type: "session", id: sessionIdOf(hash) })

const insertStatement = `INSERT INTO sessions (hash, key_hash, began_at, seen_at, user_id, passkey_id, device, address,
    ends_at, refresh, refresh_at)
  VALUES (decode($1, 'hex'), $2, $3, $3, $4, $5, $6, $7, $8, $9, $10)`

type Of = Pick<SessionRow, "keyHash" | "userId" | "endsAt"> & {
  readonly passkeyId?: string
  /** The provider's refresh token, sealed, and when the provider is asked again, ms. */
  readonly refresh?: { readonly token: Buffer; readonly at: number } | undefined
}

const idsOf = rowsOf(Schema.Struct({ id: Schema.String }))

const seenStatement = `UPDATE users SET last_seen_at = $2 WHERE user_id = $1 AND status = 'active' RETURNING user_id AS id`

/**
 * Refuses in the open transaction to open a session of a user who is not active any more, or by a passkey that was removed:
 * another node may have done so since this one read them. The row's lock makes later changes end the session.
 */
const mustStillBe = Effect.fnUntraced(function* (
  { query }: Pool,
  userId: string,
  passkeyId: string | undefined,
  now: number
) {
  const active = yield* idsOf(query(seenStatement, [userId, int8(now)]))
  const proof =
    passkeyId === undefined
      ? active
      : yield* idsOf(query("SELECT passkey_id AS id FROM passkeys WHERE passkey_id = $1", [passkeyId]))
  if (active.length === 0 || proof.length === 0)
    return yield* refuse("unauthorized", "This user or passkey may not sign in any more. Ask an owner.")
})

/** Opens a session of `caller` in one transaction with its entry in the audit, and answers with its cookie. */
export const openSession = Effect.fnUntraced(function* ({ keys, people, sessions }: Parts, caller: KeyCaller, of: Of) {
  const asked = yield* CurrentCaller
  const { id, row } = sessions.begin(of)
  const { sourceIp = "", userAgent } = asked
  const inserted = people.query(insertStatement, [
    row.hash,
    PgTypes.bytea(row.keyHash),
    int8(row.beganAt),
    PgTypes.text(of.userId ?? null),
    PgTypes.text(of.passkeyId ?? null),
    deviceOf(userAgent),
    sourceIp,
    int8(of.endsAt ?? null),
    PgTypes.bytea(of.refresh?.token ?? null),
    int8(of.refresh?.at ?? null)
  ])
  const told = Audit.tell(people.query, { action: "session.begin", subject: subjectOf(row.hash) })
  const entry = Effect.provideService(told, CurrentCaller, { ...asked, ...caller })
  const mayOpen = of.userId === undefined ? Effect.void : mustStillBe(people, of.userId, of.passkeyId, row.beganAt)
  yield* people.transaction(Effect.andThen(Effect.andThen(mayOpen, inserted), entry))
  sessions.add(row)
  const found = sessions.find(id)
  if (found === undefined) return yield* refuse("unauthorized", "The key is no longer valid.")
  return HttpServerResponse.jsonUnsafe(yield* viewOf({ keys, people }, found), {
    headers: { "set-cookie": cookieOf(asked.host, id) }
  })
})
