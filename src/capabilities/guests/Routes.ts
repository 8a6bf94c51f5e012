/** The routes of guests' sessions, and of links for guests. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { randomBytes } from "node:crypto"
import { GuestApi } from "../../contract/guest/Api.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { MakeSignInLink } from "../../contract/platform/SignInLinks.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { digestOf } from "../../desk/access/Keys.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { CurrentSite } from "../staff/Site.ts"
import * as Bounds from "./Bounds.ts"
import { CurrentGuest, pagedProgram } from "./CurrentGuest.ts"
import { endedCookie } from "./GuestCookie.ts"
import * as GuestSessions from "./GuestSessions.ts"
import * as Store from "./SessionStore.ts"

type Parts = GuestSessions.Parts

/** The part of a session's hash that names it to its guest. It opens nothing. */
const sessionIdOf = (hash: string): string => hash.slice(0, 16)

const list = Effect.fnUntraced(function* ({ now, query }: Parts) {
  const { account, session } = yield* CurrentGuest
  const rows = yield* Store.list(query, account, now())
  return {
    sessions: rows.map(({ beganAt, by, device, hash, seenAt }) => ({
      session_id: sessionIdOf(hash),
      device,
      began_at: fromMillis(beganAt),
      seen_at: fromMillis(seenAt),
      by,
      current: hash === session.hash
    }))
  }
})

const signOut = Effect.fnUntraced(function* ({ query }: Parts) {
  const { account, program, session } = yield* CurrentGuest
  const { host } = yield* CurrentCaller
  yield* Store.end(query, account, session.hash)
  return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": endedCookie(host, program.id) } })
})

const endListed = Effect.fnUntraced(function* ({ query }: Parts, session: string) {
  const { account } = yield* CurrentGuest
  // A shorter text would name several.
  if (/^[0-9a-f]{16}$/.test(session)) yield* Store.end(query, account, session)
})

export const layer = HttpApiBuilder.group(GuestApi, "guest_sessions", (handlers) =>
  Effect.map(GuestSessions.needed, (parts) =>
    handlers
      .handle("signInByLink", ({ params, payload }) =>
        Effect.flatMap(Visible.known(parts.programs, params.program_id), (program) =>
          GuestSessions.byLink(parts, program, payload.token)
        )
      )
      .handle("showGuestSession", () => Effect.map(CurrentGuest, GuestSessions.shown))
      .handle("endGuestSession", () => signOut(parts))
      .handle("listGuestSessions", () => list(parts))
      .handle("endListedGuestSession", ({ params }) => endListed(parts, params.session_id))
  )
)

const makeLink = Effect.fnUntraced(function* (
  { accounts, now, programs, query, transaction }: Parts,
  { member_id, program_id }: typeof MakeSignInLink.Type,
  siteUrl: string
) {
  const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
  yield* pagedProgram(program)
  const { account, state } = yield* memberOf(accounts, program.id, member_id)
  if (state.status === "closed") return yield* refuse("member_not_active", said`Member ${member_id} is closed.`)
  const token = randomBytes(32).toString("base64url")
  const at = now()
  yield* transaction(
    Effect.andThen(
      Store.insertLink(query, program.id, account, digestOf(token), at),
      Audit.tell(query, {
        action: "member.sign_in_link",
        subject: { type: "member", id: state.member },
        programId: program.id
      })
    )
  )
  return {
    sign_in_url: `${siteUrl}/my/${program.id}#link=${token}`,
    expires_at: fromMillis(at + Bounds.linkMs)
  }
})

export const linksLayer = HttpApiBuilder.group(PlatformApi, "platform_sign_in_links", (handlers) =>
  Effect.gen(function* () {
    const parts = yield* GuestSessions.needed
    const { url } = yield* CurrentSite
    return handlers.handle("makeSignInLink", ({ payload }) => makeLink(parts, payload, url))
  })
)
