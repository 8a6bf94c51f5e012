/** All routes that a key or a session opens. */
import { Effect } from "effect"
import { published } from "../../../src/app/service/Published.ts"
import { Node } from "../../../src/core/cluster/Node.ts"
import * as HotPath from "../../../src/edge/http/HotPath.ts"
import * as Metrics from "../../../src/edge/http/Metrics.ts"
import * as Public from "../../../src/edge/http/Public.ts"
import type { Route } from "../../../src/edge/http/Route.ts"
import * as Surfaces from "../../../src/edge/http/Surfaces.ts"
import * as TillRoutes from "../../../src/edge/http/TillRoutes.ts"

const unused = () => {
  throw new Error("no route is run")
}

const node = Effect.runSync(Effect.provide(Node, Node.layer("live")))

export const callerRoutes: ReadonlyArray<Pick<Route, "method" | "path" | "operation" | "auth">> = [
  ...HotPath.routes(unused, unused),
  ...Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }),
  ...Public.routes({ published, node, current: unused, notActive: unused, isNamed: false }),
  ...TillRoutes.routes(unused),
  Metrics.route,
  { method: "POST", path: "/mcp", operation: "mcp", auth: "admin" } as const
].filter(({ auth, operation }) => (auth !== "none" || operation === "connection.toast") && auth !== "guest")
