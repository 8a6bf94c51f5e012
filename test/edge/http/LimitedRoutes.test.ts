/** Every route says how it holds to restaurants (contract/people.md *Limited to restaurants*). */
import { assert, describe, it } from "vitest"
import { isForLimited } from "../../../src/contract/LimitedRoutes.ts"
import { scopes } from "../../../src/contract/Scopes.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"
import { refuseCaller } from "../../../src/edge/http/Checks.ts"
import type { Exchange } from "../../../src/edge/http/Exchange.ts"
import type { Route } from "../../../src/edge/http/Route.ts"
import { callerRoutes } from "./CallerRoutes.ts"
import { refusedRoutes } from "./RefusedRoutes.ts"

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
    assert.isAbove(callerRoutes.length, 130)
    assert.deepStrictEqual(
      callerRoutes
        .filter(({ operation }) => refusedRoutes.includes(operation) === isForLimited(operation))
        .map(({ operation }) => operation),
      []
    )
  })

  it("refuse the caller, unless they are open or say how they hold to the limit", () => {
    const refusedOf = (route: object) => refuseCaller({ caller, path: "/p" } as unknown as Exchange, route as Route)
    for (const route of [...callerRoutes, { operation: "a route that nobody has put into the table" }]) {
      const refused = refusedOf(route)
      assert.strictEqual(refused?.code, isForLimited(route.operation) ? undefined : "forbidden", route.operation)
      if (refused !== undefined)
        assert.include(String(refused.body), "The token is limited to restaurants; this is for all.")
    }
  })
})
