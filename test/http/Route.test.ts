/** contract/transport.md *Paths and methods*. */
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { Node } from "../../src/cluster/Node.ts"
import { AuthOf } from "../../src/contract/Access.ts"
import { Surfaces as Described } from "../../src/contract/OpenApi.ts"
import * as HotPath from "../../src/http/HotPath.ts"
import * as Public from "../../src/http/Public.ts"
import type { Route } from "../../src/http/Route.ts"
import { Routes } from "../../src/http/Route.ts"
import * as Surfaces from "../../src/http/Surfaces.ts"

const route = (method: Route["method"], path: string): Route => ({
  method,
  path,
  operation: `${method} ${path}`,
  auth: "none",
  run: () => ({ status: 200, body: "" })
})

const routes = new Routes([
  route("GET", "/members/:program_id/:member_id"),
  route("POST", "/members/:program_id/:member_id"),
  route("POST", "/members/:program_id/merge"),
  route("GET", "/a.b")
])

const find = (method: string, path: string) => {
  const found = routes.find(method, path)
  return "status" in found ? [found.status, found.headers?.["Allow"]] : [found.route.operation, found.params]
}

describe("routes", () => {
  it("match exactly, with one segment for each parameter", () => {
    const operation = "GET /members/:program_id/:member_id"
    assert.deepEqual(find("GET", "/members/demo/m-1"), [operation, { program_id: "demo", member_id: "m-1" }])
    assert.deepEqual(find("GET", "/members/demo/m%3A1"), [operation, { program_id: "demo", member_id: "m:1" }])
    for (const path of [
      "/members/demo",
      "/members/demo/",
      "/members/demo/m/1",
      "/Members/demo/m",
      "/axb",
      "/members/demo/%E0%A4"
    ]) {
      assert.deepEqual(find("GET", path), [404, undefined], path)
    }
    assert.deepEqual(find("GET", "/a.b"), ["GET /a.b", {}])
  })

  it("answer HEAD wherever they answer GET, and name the methods that a path has", () => {
    assert.strictEqual(find("HEAD", "/members/demo/m-1")[0], "GET /members/:program_id/:member_id")
    assert.deepEqual(find("PUT", "/members/demo/m-1"), [405, "GET, HEAD, POST"])
    assert.deepEqual(find("DELETE", "/a.b"), [405, "GET, HEAD"])
    assert.deepInclude(routes.find("PUT", "/members/demo/m-1"), { pattern: "/members/:program_id/:member_id" })
    assert.deepInclude(routes.find("DELETE", "/a.b"), { pattern: "/a.b" })
  })
})

describe("the service's routes", () => {
  it("serve every described operation, with the authentication that its description tells", () => {
    const unused = () => {
      throw new Error("no route is run")
    }
    const node = Effect.runSync(Effect.provide(Node, Node.layer("live")))
    const served = new Routes([
      ...HotPath.routes(unused),
      ...Surfaces.routes(unused),
      ...Public.routes({ node, current: unused, notActive: unused })
    ])
    HttpApi.reflect(Described, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) => {
        const found = served.find(method, path)
        const auth = "status" in found ? found.status : found.route.auth
        assert.strictEqual(auth, Context.getUnsafe(mergedAnnotations, AuthOf), `${method} ${path}`)
      }
    })
  })
})
