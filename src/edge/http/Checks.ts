/** Every check of contract/transport.md *Order of the checks* except the body's own, in order, and what each refuses. */
import type { IncomingMessage } from "node:http"
import type { Tills } from "../../capabilities/tills/Tills.ts"
import type { Auth } from "../../contract/Access.ts"
import { isForLimited } from "../../contract/LimitedRoutes.ts"
import { detailOf, said } from "../../contract/Said.ts"
import type { Node } from "../../core/cluster/Node.ts"
import type { KeyCaller } from "../../desk/access/CurrentCaller.ts"
import { mayUse, otherProgram, subjectOf } from "../../desk/access/CurrentCaller.ts"
import { digestOf, type KnownKeys } from "../../desk/access/Keys.ts"
import type { KnownSessions } from "../../desk/access/Sessions.ts"
import { sessionIdIn } from "../../desk/access/Sessions.ts"
import type { Addresses } from "./Addresses.ts"
import type { Authenticator } from "./Authentication.ts"
import { bearerToken } from "./Authentication.ts"
import * as Body from "./Body.ts"
import type { Connections } from "./Connections.ts"
import type { Cors } from "./Cors.ts"
import * as Csrf from "./Csrf.ts"
import type { Exchange } from "./Exchange.ts"
import type { Load } from "./Load.ts"
import type { Reply } from "./Reply.ts"
import { problem, queryOf } from "./Reply.ts"
import type { Route, Routes } from "./Route.ts"
import * as TillRoutes from "./TillRoutes.ts"

/** Facts that the checks need. */
export interface CheckOptions {
  readonly routes: Routes
  readonly node: Node["Service"]
  /** False until the handlers can run, and while a sandbox is started over. */
  readonly isReady: () => boolean
  readonly isFrozen: () => boolean
  /** `bearer`: for routes that take a token. `admin`: for routes that take a token or the admin key. */
  readonly authenticate: { readonly bearer: Authenticator; readonly admin: Authenticator }
  readonly keys: KnownKeys
  readonly sessions: () => KnownSessions | undefined
  readonly tills: () => Tills | undefined
  readonly addresses: Addresses
  /** Origin of the service for people's browsers; undefined: this machine alone. */
  readonly publicUrl: string | undefined
  /** Pages of other origins that may call the service. */
  readonly cors: Cors
  readonly load: Load
  readonly connections: Connections
}

/** True if this node is current and its handlers can run. */
export const isCurrent = ({ isReady, node }: Pick<CheckOptions, "isReady" | "node">): boolean =>
  node.isCurrent() && isReady()

const challenge = { "WWW-Authenticate": "Bearer" }

const wantedOf = ({ auth }: Route): string =>
  auth === "admin"
    ? "Authorization: Bearer KEY, with the admin key or a token that has a scope for this"
    : "Authorization: Bearer TOKEN"

const unauthorized = (header: string | undefined, isRepeated: boolean, route: Route, path: string): Reply => {
  const why = isRepeated
    ? "The Authorization header came more than once"
    : header === undefined
      ? "The Authorization header is missing"
      : bearerToken(header) === undefined
        ? "The Authorization header is not of the form Bearer TOKEN"
        : route.auth === "admin"
          ? "The key is neither the admin key nor a known token"
          : "The token is not known here"
  return problem("unauthorized", { detail: `${why}; send ${wantedOf(route)}.`, instance: path }, challenge)
}

/** The answer to an address that guesses keys. */
const blockedAddress = (seconds: number, path: string): Reply => {
  const detail = "Too many wrong keys came from this address; wait as Retry-After says."
  return problem("rate_limited", { detail, instance: path }, { "Retry-After": String(seconds) })
}

/** Sets session and caller from the request's cookie. False if there is no session. */
const enterSession = ({ sessions }: CheckOptions, exchange: Exchange): boolean => {
  const { cookie, host } = exchange.incoming.headers
  const id = sessionIdIn(host, cookie)
  const session = id === undefined ? undefined : sessions()?.find(id)
  exchange.session = session
  exchange.caller = session?.caller
  return session !== undefined
}

/**
 * Waits for the database if a request comes with a token or a session that this node does not know: another node may
 * have issued or begun it. So it does where connections of tills may have changed. False: it need not wait.
 */
export const awaitsCaller = (options: CheckOptions, exchange: Exchange, done: () => void): boolean => {
  const { authorization, cookie, host } = exchange.incoming.headers
  if (TillRoutes.isAddress(exchange)) return options.node.isCurrent() && TillRoutes.awaits(options.tills, done)
  if (authorization !== undefined) return awaitsToken(options, exchange, authorization, done)
  return cookie !== undefined && awaitsSession(options, sessionIdIn(host, cookie), done)
}

/** Authentications for which no token is looked up. */
const withoutToken: ReadonlySet<Auth> = new Set(["none", "session", "guest"])

const awaitsToken = (
  { addresses, authenticate: { admin, bearer }, keys, node, routes }: CheckOptions,
  { incoming, path }: Exchange,
  header: string,
  done: () => void
): boolean => {
  const { method = "", socket } = incoming
  if (bearer.remembers(socket, header) || admin.remembers(socket, header) || !node.isCurrent()) return false
  const token = bearerToken(header)
  if (token === undefined) return false
  const found = routes.find(method, path)
  if ("status" in found || withoutToken.has(found.route.auth)) return false
  const address = addresses.of(incoming)
  const digest = digestOf(token)
  if (keys.isSpared(address, token, digest)) return keys.ask(address, digest, done)
  if (keys.wrong.enter(address) > 0) return false
  const isAsked = keys.ask(address, digest, () => {
    keys.wrong.leave(address)
    done()
  })
  if (!isAsked) keys.wrong.leave(address)
  return isAsked
}

const awaitsSession = ({ sessions }: CheckOptions, id: string | undefined, done: () => void): boolean => {
  const known = sessions()
  return id !== undefined && known !== undefined && !known.isKnown(id) && known.ask(id, done)
}

const noSession = (path: string): Reply =>
  problem("unauthorized", { detail: "There is no session; sign in.", instance: path }, challenge)

/** Check 3: authentication. Sets the caller. */
const authenticate = (options: CheckOptions, exchange: Exchange, route: Route): Reply | undefined => {
  const { auth } = route
  if (auth === "none") return undefined
  const { behindProxy, incoming, path } = exchange
  if (auth === "session") return enterSession(options, exchange) ? undefined : noSession(path)
  const isRepeated = Body.repeats(incoming, "authorization")
  const header = isRepeated ? undefined : incoming.headers.authorization
  const authenticator = options.authenticate[auth === "admin" ? "admin" : "bearer"]
  exchange.caller = authenticator.remembered(incoming.socket, header)
  if (exchange.caller !== undefined) {
    if (behindProxy !== undefined) options.keys.used(exchange.caller, behindProxy, exchange.requestId)
    return undefined
  }
  if (auth !== "bearer" && incoming.headers.authorization === undefined && enterSession(options, exchange))
    return undefined
  const found = authenticator.find(incoming.socket, header, exchange.sourceIp, exchange.requestId)
  if (found === undefined) {
    const { authorization, cookie, host } = incoming.headers
    const hasEnded = auth !== "bearer" && authorization === undefined && sessionIdIn(host, cookie) !== undefined
    return hasEnded ? noSession(path) : unauthorized(header, isRepeated, route, path)
  }
  if ("blockedForSeconds" in found) return blockedAddress(found.blockedForSeconds, path)
  exchange.caller = found
  return undefined
}

/** Check 4: scopes. */
const scope = ({ caller, path }: Exchange, { isForUnlimited, operation, scopes }: Route): Reply | undefined => {
  if (caller === undefined) return undefined
  if (scopes !== undefined && !scopes.some((one) => caller.scopes.has(one))) {
    const who = caller.kind === "user" ? "Your role" : "The token"
    return problem("forbidden", { ...detailOf(said`${who} lacks the scope ${scopes.join(" or ")}.`), instance: path })
  }
  if (isForUnlimited === true && caller.programs !== undefined) {
    return problem("forbidden", {
      detail:
        caller.kind === "user"
          ? "Your account is limited to programmes; this is for all."
          : "The token is limited to programmes; this is for all.",
      instance: path
    })
  }
  if (caller.restaurants !== undefined && !isForLimited(operation)) {
    return problem("forbidden", {
      detail:
        caller.kind === "user"
          ? "Your account is limited to restaurants; this is for all."
          : "The token is limited to restaurants; this is for all.",
      instance: path
    })
  }
  return undefined
}

/** The checks of the caller beside authentication, for a question that a request of the caller asks within. */
export const refuseCaller = scope

/** The CSRF check, between checks 4 and 5. */
const csrf = (
  { publicUrl }: Pick<CheckOptions, "publicUrl">,
  { incoming, path, session }: Exchange,
  { method }: Route
): Reply | undefined => {
  if (session === undefined || method === "GET") return undefined
  const fault = Csrf.faultOf(incoming, session.csrfToken, publicUrl)
  return fault === undefined ? undefined : problem("csrf_failed", { detail: `${fault}.`, instance: path })
}

/** Check 6: the rate limit. */
const rate = ({ keys: { rateLimit } }: CheckOptions, exchange: Exchange, { budget }: Route): Reply | undefined => {
  const { caller, path, session } = exchange
  if (rateLimit === undefined || caller === undefined || budget === undefined) return undefined
  const { headers, isExceeded } = rateLimit.count(caller, budget, session?.hash ?? caller.keyId)
  exchange.limited = headers
  const detail = `${subjectOf(caller)} has used up its ${budget} requests of this minute.`
  return isExceeded ? problem("rate_limited", { detail, instance: path }) : undefined
}

/** The fault of a request that Node lets through; undefined: there is none. */
const faultOf = (incoming: IncomingMessage): string | undefined => {
  const { headers, httpVersionMajor, httpVersionMinor } = incoming
  if (httpVersionMajor !== 1) return "The service speaks HTTP/1.1 and HTTP/1.0."
  if (httpVersionMinor === 0 && headers["transfer-encoding"] !== undefined) return "HTTP/1.0 has no Transfer-Encoding."
  if (httpVersionMinor === 1 && headers.host === undefined) return "HTTP/1.1 requires a Host header."
  return Body.repeats(incoming, "host") ? "The Host header came more than once." : undefined
}

const malformed = ({ incoming, path }: Exchange): Reply | undefined => {
  const detail = faultOf(incoming)
  return detail === undefined ? undefined : problem("malformed_request", { detail, instance: path })
}

/** The answer to an operation that arrives while too many are running. */
export const overloaded = (path: string): Reply =>
  problem("overloaded", { detail: "Too many requests are waiting; nothing was done.", instance: path })

/** Caches this answer for each path of an operation, because under overload most requests get it. */
const madeOverloaded = new Map<string, Reply>()
const overloadedAt = (path: string): Reply => {
  const made = madeOverloaded.get(path) ?? overloaded(path)
  madeOverloaded.set(path, made)
  return made
}

/** The answer to a caller who is limited to other programmes. */
export const notForProgram = (path: string, program: string, caller: KeyCaller): Reply =>
  problem("forbidden", { ...detailOf(otherProgram(caller, program)), instance: path })

/** The answer of a service that is no node of its database: not yet, or not any more. */
export const notActive = (node: Node["Service"], path: string): Reply => {
  const { environment } = node
  const role = node.role()
  const fault = node.clockFault()
  if (fault !== undefined) {
    const { database, detail, machine } = fault
    const more = { environment, role, machine_time: machine, database_time: database }
    return problem("clock_disagrees", { detail, instance: path, more })
  }
  if (role === "leaving") {
    const detail = "This node stops; other nodes of the database answer."
    const reply = problem("not_active", { detail, instance: path, more: { environment, role } })
    return { ...reply, headers: { ...reply.headers, Connection: "close" } }
  }
  if (node.isAwaitingStorage()) {
    const detail =
      "PostgreSQL has not confirmed yet that commits are durable; until it does, this service answers nothing."
    return problem("storage_unavailable", { detail, instance: path, more: { environment, role } })
  }
  // Admitted by the database before the parts that execute requests are built.
  const isJoining = role === "joining" || node.isAdmitting()
  const detail = isJoining
    ? "This service has not joined the nodes of its database yet."
    : "The database has not confirmed in time that this node is still alive."
  const more = { environment, role: isJoining ? "joining" : role }
  return problem("not_active", { detail, instance: path, more })
}

/** Counts a request behind a proxy for its own address; a direct request is counted by its connection. */
const limitAddress = ({ addresses }: CheckOptions, exchange: Exchange): Reply | undefined => {
  const { incoming, path } = exchange
  if (!addresses.isProxy(incoming.socket.remoteAddress)) return undefined
  const address = addresses.of(incoming)
  exchange.behindProxy = address
  if (!addresses.enter(address)) return overloaded(path)
  exchange.ended = () => addresses.leave(address)
  return undefined
}

/** All checks before the body: the first refusal, or the route. */
export const admit = (options: CheckOptions, exchange: Exchange): Reply | Route => {
  const { addresses, connections, cors, isFrozen, isReady, load, node, routes } = options
  const { incoming, path } = exchange
  const fault = malformed(exchange) ?? limitAddress(options, exchange)
  if (fault !== undefined) return fault
  const found = routes.find(incoming.method ?? "", path)
  if ("status" in found) {
    exchange.pattern = found.pattern
    const { Allow: allow } = found.headers ?? {}
    return (allow === undefined ? undefined : cors.preflight(incoming, allow)) ?? found
  }
  const { params, route } = found
  exchange.route = route
  exchange.params = params
  if (route.isForEveryRole !== true && !(node.isAdmitting() && isReady())) return notActive(node, path)
  const unknown = route.enter === undefined ? authenticate(options, exchange, route) : route.enter(exchange)
  exchange.isRefusedCaller = unknown !== undefined
  const refused = unknown ?? scope(exchange, route) ?? csrf(options, exchange, route)
  if (refused !== undefined) return refused
  if (route.isWrite === true && isFrozen()) {
    return problem("write_frozen", { detail: "Writes are frozen; reads work.", instance: path })
  }
  // Counts operations whose body is complete, even if they have not begun. Incomplete bodies do not count, so that
  // slow connections block no other caller.
  if (route.isBounded === true && load.isFull(Body.waiting())) {
    // A proxy's connection carries many callers, and the next request may be of a caller that was never refused.
    if (!addresses.isProxy(incoming.socket.remoteAddress)) connections.shed(incoming.socket)
    return overloadedAt(path)
  }
  const beforeBody = rate(options, exchange, route)
  if (beforeBody !== undefined) return beforeBody
  return (route.body === undefined ? undefined : Body.refuseHead(exchange, route.body)) ?? route
}

/** Check 10 for the query, and check 11. */
export const refuseContent = (exchange: Exchange, route: Route, body: unknown) => {
  const { caller, incoming, path } = exchange
  const faults = route.query?.(queryOf(incoming.url ?? "")) ?? []
  if (faults.length > 0) return Body.invalid(path, faults)
  const program = route.programOf?.(body)
  exchange.program = program
  if (program === undefined || caller === undefined || mayUse(caller, program)) return undefined
  return notForProgram(path, program, caller)
}
