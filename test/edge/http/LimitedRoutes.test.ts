/** Every route says how it holds to restaurants (contract/people.md *Limited to restaurants*). */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { published } from "../../../src/app/service/Published.ts"
import { isForLimited } from "../../../src/contract/LimitedRoutes.ts"
import { scopes } from "../../../src/contract/Scopes.ts"
import { Node } from "../../../src/core/cluster/Node.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"
import { refuseCaller } from "../../../src/edge/http/Checks.ts"
import type { Exchange } from "../../../src/edge/http/Exchange.ts"
import * as HotPath from "../../../src/edge/http/HotPath.ts"
import * as Metrics from "../../../src/edge/http/Metrics.ts"
import * as Public from "../../../src/edge/http/Public.ts"
import type { Route } from "../../../src/edge/http/Route.ts"
import * as Surfaces from "../../../src/edge/http/Surfaces.ts"
import * as TillRoutes from "../../../src/edge/http/TillRoutes.ts"
import { refusedRoutes } from "./RefusedRoutes.ts"

const unused = () => {
  throw new Error("no route is run")
}

const node = Effect.runSync(Effect.provide(Node, Node.layer("live")))

/** All routes that a key or a session opens. */
const withCaller: ReadonlyArray<Pick<Route, "method" | "path" | "operation" | "auth">> = [
  ...HotPath.routes(unused, unused),
  ...Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }),
  ...Public.routes({ published, node, current: unused, notActive: unused, isNamed: false }),
  ...TillRoutes.routes(unused),
  Metrics.route,
  { method: "POST", path: "/mcp", operation: "mcp", auth: "admin" } as const
].filter(({ auth, operation }) => (auth !== "none" || operation === "connection.toast") && auth !== "guest")

const caller = {
  kind: "token" as const,
  keyId: "tok_1",
  name: "Till",
  scopes: new Set(scopes),
  programs: undefined,
  restaurants: new Restaurants({ location_ids: ["loc-1"] }, []),
  isUsed: false
}

describe("routes for a caller that is limited to restaurants", () => {
  it("are all in the table", () => {
    assert.isAbove(withCaller.length, 130)
    assert.deepStrictEqual(
      withCaller
        .filter(({ operation }) => refusedRoutes.includes(operation) === isForLimited(operation))
        .map(({ operation }) => operation),
      []
    )
  })

  it("refuse the caller, unless they are open or say how they hold to the limit", () => {
    const refusedOf = (route: object) => refuseCaller({ caller, path: "/p" } as unknown as Exchange, route as Route)
    for (const route of [...withCaller, { operation: "a route that nobody has put into the table" }]) {
      const refused = refusedOf(route)
      assert.strictEqual(refused?.code, isForLimited(route.operation) ? undefined : "forbidden", route.operation)
      if (refused !== undefined)
        assert.include(String(refused.body), "The token is limited to restaurants; this is for all.")
    }
  })
})
