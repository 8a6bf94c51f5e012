/**
 * The routes of one guest, `/my/api/v1` (contract/guests.md *Routes*): what the gate checks of them before the body, and
 * the guest of a session, who is looked up before anything else is done.
 */
import { Effect } from "effect"
import { pageOf } from "../../capabilities/guests/CurrentGuest.ts"
import { guestIdIn } from "../../capabilities/guests/GuestCookie.ts"
import * as GuestSessions from "../../capabilities/guests/GuestSessions.ts"
import { guestPath } from "../../contract/guest/Endpoint.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import { csrfTokenOf } from "../../desk/access/Sessions.ts"
import * as Bounds from "./Bounds.ts"
import * as Csrf from "./Csrf.ts"
import type { Exchange } from "./Exchange.ts"
import * as GuestTurns from "./GuestTurns.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { DeskRequest, Handle, Route } from "./Route.ts"

export interface Options {
  readonly programs: () => Programs["Service"]
  /** Origin of the service for guests' browsers; undefined: that of the request's `Host` alone. */
  readonly publicUrl: string | undefined
}

const noSession = (path: string): Reply =>
  problem("unauthorized", { detail: "There is no session; sign in.", instance: path }, { "WWW-Authenticate": "Bearer" })

/** Guests who come again do so one after the other. */
const tooMany = (path: string): Reply => {
  const [first, last] = Bounds.guestRetrySeconds
  const seconds = first + Math.floor(Math.random() * (last - first + 1))
  const detail = "Too many guests are looking; nothing was done."
  return problem("overloaded", { detail, instance: path }, { "Retry-After": String(seconds) })
}

const csrfFailed = (fault: string, path: string): Reply =>
  problem("csrf_failed", { detail: `${fault}.`, instance: path })

/** The checks of a route before its body. Whether there is such a session, the database says later (`make`). */
const enter = ({ auth, method }: Route, { programs, publicUrl }: Options, exchange: Exchange): Reply | undefined => {
  const { incoming, params, path } = exchange
  const id = params["program_id"] ?? ""
  if (pageOf(programs().get(id)) === undefined)
    return problem("not_found", { detail: "There is no such page.", instance: path })
  const isRead = method === "GET"
  if (auth === "none") {
    // Nobody is signed in by a page of somebody else.
    const fault = isRead ? undefined : Csrf.siteFaultOf(incoming, publicUrl)
    return fault === undefined ? undefined : csrfFailed(fault, path)
  }
  const session = guestIdIn(incoming.headers.host, incoming.headers.cookie)
  if (session === undefined) return noSession(path)
  const fault = isRead ? undefined : Csrf.faultOf(incoming, csrfTokenOf(session), publicUrl)
  return fault === undefined ? undefined : csrfFailed(fault, path)
}

/** The route with its checks. */
export const entered = (route: Route, options: Options): Route => ({
  ...route,
  enter: (exchange) => enter(route, options, exchange)
})

const isOfGuests = ({ exchange: { route } }: DeskRequest): boolean => route?.path.startsWith(guestPath) === true

/**
 * Lets few requests of guests run at once, so that many guests who look do not hold up the tills, and sets the guest of a
 * session. Who has none gets 401.
 */
export const make = Effect.gen(function* () {
  const parts = yield* GuestSessions.needed
  const inTurn = GuestTurns.make()

  const admitted = Effect.fnUntraced(function* (handle: Handle, asked: DeskRequest) {
    const { exchange } = asked
    const { incoming, params, path, route } = exchange
    if (route?.auth !== "guest") return yield* handle(asked)
    const id = guestIdIn(incoming.headers.host, incoming.headers.cookie)
    const program = parts.programs.get(params["program_id"] ?? "")
    if (id === undefined || program === undefined) return noSession(path)
    exchange.guest = yield* GuestSessions.find(parts, program, id)
    return exchange.guest === undefined ? noSession(path) : yield* handle(asked)
  })

  return (handle: Handle): Handle =>
    (asked) => {
      if (!isOfGuests(asked)) return handle(asked)
      const { path } = asked.exchange
      const work = inTurn(admitted(handle, asked))
      if (work === undefined) return Effect.succeed(tooMany(path))
      return Effect.catch(work, ({ code, detail }) => Effect.succeed<Reply>(problem(code, { detail, instance: path })))
    }
})
