/** Routes: facts and handler, and the table of all routes. */
import type { Effect } from "effect"
import type { BodyFault } from "../../contract/Decode.ts"
import type { Known } from "../../desk/access/Keys.ts"
import type { Exchange } from "./Exchange.ts"
import type { Query } from "./Query.ts"
import type { Reply, TextReply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { RouteFacts } from "./RouteFacts.ts"

/** A request that has passed every check. */
export interface Admitted {
  readonly exchange: Exchange
  /** The decoded body; undefined if the route takes no JSON. */
  readonly body: unknown
  readonly bytes: Buffer | undefined
}

/** A request to a surface beside the hot path, whose handler decodes it. */
export interface DeskRequest extends Admitted {
  readonly query: Query
  /** The fault, looked for only where the request is refused. */
  readonly faults: () => ReadonlyArray<BodyFault>
}

/** Answers a request to a surface beside the hot path. */
export type Handle = (asked: DeskRequest) => Effect.Effect<Reply>

/** The caller of an authenticated route. */
export const callerOf = ({ caller }: Exchange): Known => {
  if (caller === undefined) throw new Error("an authenticated route has a caller")
  return caller
}

export interface Route extends RouteFacts {
  /** Authenticates by a credential of another system: sets the caller, or refuses. `auth` is `none` then. */
  readonly enter?: (exchange: Exchange) => Reply | undefined
  readonly run: (admitted: Admitted) => Reply | Effect.Effect<Reply>
}

export interface Found {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The answer to a path or method that is not served. */
interface Unserved extends TextReply {
  /** The route whose path has other methods. */
  readonly pattern?: string
}

const noParams: Found["params"] = {}

interface Pattern {
  readonly regExp: RegExp
  readonly parameters: number
  readonly methods: Map<string, Route>
}

const compiled = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((segment) =>
        segment.startsWith(":") ? `(?<${segment.slice(1)}>[^/]+)` : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      )
      .join("/")}$`
  )

const decodedParams = (groups: Readonly<Record<string, string>>): Found["params"] | undefined => {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return undefined
  }
}

/** All routes, by path and method. A path without parameters wins over a pattern. */
export class Routes {
  private readonly literal = new Map<string, Map<string, Found>>()
  private readonly patterns: Array<Pattern> = []

  constructor(routes: Iterable<Route>) {
    for (const route of routes) this.add(route)
    // A literal segment wins over a parameter: `merge` is not a member id.
    this.patterns.sort((a, b) => a.parameters - b.parameters)
  }

  private add(route: Route): void {
    if (!route.path.includes("/:")) {
      const methods = this.literal.get(route.path) ?? new Map<string, Found>()
      methods.set(route.method, { route, params: noParams })
      this.literal.set(route.path, methods)
      return
    }
    const regExp = compiled(route.path)
    const found = this.patterns.find((pattern) => pattern.regExp.source === regExp.source)
    const parameters = route.path.split("/:").length
    if (found === undefined) this.patterns.push({ regExp, parameters, methods: new Map([[route.method, route]]) })
    else found.methods.set(route.method, route)
  }

  /** Checks 1 and 2. Every path with GET also has HEAD. */
  find(method: string, path: string): Found | Unserved {
    const wanted = method === "HEAD" ? "GET" : method
    const literal = this.literal.get(path)
    if (literal !== undefined) return literal.get(wanted) ?? notAllowed(path, path, literal.keys())
    for (const { methods, regExp } of this.patterns) {
      const matched = regExp.exec(path)
      const params = matched === null ? undefined : decodedParams(matched.groups ?? {})
      if (params === undefined) continue
      const route = methods.get(wanted)
      if (route !== undefined) return { route, params }
      const [other] = methods.values()
      return notAllowed(path, other?.path, methods.keys())
    }
    return problem("not_found", { detail: `Nothing is served at ${path.slice(0, 200)}.`, instance: path })
  }
}

const notAllowed = (path: string, pattern: string | undefined, methods: Iterable<string>): Unserved => {
  const allow = [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ")
  const reply = problem("method_not_allowed", { detail: `${path} takes ${allow}.`, instance: path }, { Allow: allow })
  return pattern === undefined ? reply : { ...reply, pattern }
}
