/**
 * contract/transport.md *Paths and methods*. Holds contract/operators.md *Who may*;
 * contract/engagement.md *Shared rules*; contract/databases.md *Write freeze*.
 */
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { published } from "../../../src/app/service/Published.ts"
import { AuthOf } from "../../../src/contract/Access.ts"
import { guestsPath } from "../../../src/contract/guest/Endpoint.ts"
import { Surfaces as Described } from "../../../src/contract/OpenApi.ts"
import { workScopes } from "../../../src/contract/Scopes.ts"
import { Node } from "../../../src/core/cluster/Node.ts"
import * as HotPath from "../../../src/edge/http/HotPath.ts"
import * as Public from "../../../src/edge/http/Public.ts"
import type { Route } from "../../../src/edge/http/Route.ts"
import { Routes } from "../../../src/edge/http/Route.ts"
import * as Surfaces from "../../../src/edge/http/Surfaces.ts"

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

const unused = () => {
  throw new Error("no route is run")
}

describe("the service's routes", () => {
  it("serve every described operation, with the authentication that its description tells", () => {
    const node = Effect.runSync(Effect.provide(Node, Node.layer("live")))
    const served = new Routes([
      ...HotPath.routes(unused, unused),
      ...Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }),
      ...Public.routes({ published, node, current: unused, notActive: unused, isNamed: false })
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

  it("take 16 KiB at most where no caller is known (contract/transport.md *Bounds on callers*)", () => {
    const bodies = Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }).flatMap(
      ({ auth, body, path }) => (body === undefined ? [] : [{ path, auth, maxBytes: body.maxBytes }])
    )
    const open = bodies.filter(({ auth }) => auth === "none")
    assert.isAtLeast(open.length, 5)
    for (const { maxBytes, path } of open) assert.strictEqual(maxBytes, 16_384, path)
    for (const { auth, maxBytes, path } of bodies)
      if (auth !== "none") assert.strictEqual(maxBytes, auth === "guest" ? 16_384 : 1_048_576, path)
  })

  /** The routes of operators and of the platform. Those of one guest have no scopes. */
  const ofSurfaces = () =>
    Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }).filter(
      ({ path }) => !path.startsWith(guestsPath)
    )

  /** The routes of operators and of the platform that are not as their method says. */
  const differing = (differs: (route: Route, isRead: boolean) => boolean) =>
    ofSurfaces()
      .filter((route) => differs(route, route.method === "GET"))
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted()

  it("need their surface's whole scope for reads of a GET, and that for writes of all else, save what changes nothing", () => {
    const surfaceOf = ({ path }: Route) => (path.startsWith("/admin/") ? "admin" : "platform")
    assert.deepStrictEqual(
      differing((route, isRead) => route.scopes?.[1] !== `${surfaceOf(route)}:${isRead ? "read" : "write"}`),
      [
        "GET /admin/api/v1/business",
        "GET /admin/api/v1/members/:program_id/:member_id/rewards/:issued_reward_id",
        "GET /admin/api/v1/session",
        "GET /admin/api/v1/session/ways",
        "GET /admin/api/v1/staff",
        "GET /admin/api/v1/staff/limits",
        "GET /admin/api/v1/staff/me",
        "GET /admin/api/v1/staff/me/sessions",
        "POST /admin/api/v1/asks",
        "POST /admin/api/v1/programs/:program_id/promotions/preview",
        "POST /admin/api/v1/programs/evaluate",
        "POST /admin/api/v1/programs/preview",
        "POST /admin/api/v1/programs/validate",
        "POST /admin/api/v1/session",
        "POST /admin/api/v1/session/end",
        "POST /admin/api/v1/session/passkey",
        "POST /admin/api/v1/session/passkey/options",
        "POST /admin/api/v1/session/provider",
        "POST /admin/api/v1/session/provider/finish",
        "POST /admin/api/v1/staff",
        "POST /admin/api/v1/staff/:user_id/disable",
        "POST /admin/api/v1/staff/:user_id/enable",
        "POST /admin/api/v1/staff/:user_id/invite",
        "POST /admin/api/v1/staff/:user_id/limits",
        "POST /admin/api/v1/staff/:user_id/passkeys/remove",
        "POST /admin/api/v1/staff/:user_id/role",
        "POST /admin/api/v1/staff/:user_id/sessions/end",
        "POST /admin/api/v1/staff/invitation",
        "POST /admin/api/v1/staff/invitation/accept",
        "POST /admin/api/v1/staff/limits",
        "POST /admin/api/v1/staff/me/language",
        "POST /admin/api/v1/staff/me/passkeys",
        "POST /admin/api/v1/staff/me/passkeys/:passkey_id/remove",
        "POST /admin/api/v1/staff/me/passkeys/:passkey_id/rename",
        "POST /admin/api/v1/staff/me/passkeys/options",
        "POST /admin/api/v1/staff/me/sessions/end",
        "POST /platform/v1/campaigns/audience/preview",
        "POST /platform/v1/orders/adjust",
        "POST /platform/v1/orders/claim",
        "POST /platform/v1/segments/preview",
        "PUT /platform/v1/orders"
      ]
    )
  })

  it("have each the scope of its kind of work (contract/operators.md *Scopes*)", () => {
    const routesOf = (scope: string) =>
      ofSurfaces()
        .filter(({ scopes }) => (scopes?.[0] ?? "none") === scope)
        .map(
          ({ method, path }) =>
            `${method} ${path.replace(/^\/(admin\/api|platform)\/v1/, (_, of: string) => of.replace("/api", ""))}`
        )
        .toSorted()
    const shown = ["none", ...workScopes].map((scope) => [scope, routesOf(scope)] as const)
    assert.deepStrictEqual(Object.fromEntries(shown), {
      "audience:read": [
        "GET admin/handovers",
        "GET admin/handovers/:handover_id",
        "GET platform/campaigns",
        "GET platform/campaigns/report",
        "GET platform/campaigns/run/preview",
        "GET platform/campaigns/runs",
        "GET platform/imports",
        "GET platform/imports/errors",
        "GET platform/segments",
        "POST platform/campaigns/audience/preview",
        "POST platform/segments/preview"
      ],
      "audience:write": [
        "POST admin/handovers",
        "POST admin/handovers/:handover_id/approve",
        "POST admin/handovers/:handover_id/decline",
        "POST platform/campaigns/audience/confirm",
        "POST platform/campaigns/delete",
        "POST platform/campaigns/run",
        "POST platform/campaigns/status",
        "POST platform/campaigns/test",
        "POST platform/events",
        "POST platform/events/batch",
        "POST platform/imports/members",
        "POST platform/segments/archive",
        "POST platform/segments/delete",
        "PUT platform/campaigns",
        "PUT platform/segments"
      ],
      // A caller with it alone has these two of its own entries.
      "audit:own": [],
      "audit:read": [
        "GET admin/audit",
        "GET admin/audit.csv",
        "GET admin/programs/:program_id/move-in/runs",
        "GET admin/programs/:program_id/move-in/runs/:run_id"
      ],
      "developer:read": [
        "GET admin/connections",
        "GET admin/connections/:connection_id",
        "GET admin/connections/:connection_id/transactions",
        "GET admin/nodes",
        "GET admin/requests",
        "GET admin/sandbox/faults",
        "GET admin/tokens",
        "GET platform/connectors",
        "GET platform/connectors/deliveries",
        "GET platform/feed",
        "GET platform/feed/stream"
      ],
      "developer:write": [
        "DELETE admin/connections/:connection_id",
        "PATCH admin/connections/:connection_id",
        "POST admin/clock",
        "POST admin/connections",
        "POST admin/connections/:connection_id/rotate",
        "POST admin/tokens",
        "POST admin/tokens/:token_id/revoke",
        "POST admin/tokens/:token_id/rotate",
        "POST platform/connectors/delete",
        "POST platform/connectors/replay",
        "POST platform/connectors/retry",
        "POST platform/connectors/rotate",
        "POST platform/connectors/status",
        "POST platform/connectors/test",
        "PUT admin/sandbox/faults",
        "PUT platform/connectors"
      ],
      "figures:read": [
        "GET admin/attention",
        "GET admin/clock",
        "GET admin/locations",
        "GET admin/maintenance",
        "GET admin/overview",
        "GET admin/programs/:program_id/promotions",
        "GET platform",
        "GET platform/",
        "GET platform/analytics",
        "GET platform/restaurants/figures"
      ],
      "finance:close": ["POST admin/finance/close"],
      "finance:read": [
        "GET admin/finance/closings/:program_id",
        "GET admin/finance/closings/:program_id/:period",
        "GET admin/finance/closings/:program_id/:period/file",
        "GET admin/finance/cohorts",
        "GET admin/finance/roll-forward"
      ],
      "members:erase": ["POST platform/imports/take-back", "POST platform/members/erase"],
      "members:export": [
        "GET admin/members/:program_id/:member_id/export.html",
        "GET admin/members/:program_id/:member_id/export.json",
        "GET platform/members.csv"
      ],
      "members:merge": ["POST admin/members/:program_id/merge"],
      "members:read": [
        "GET admin/asks",
        "GET admin/members",
        "GET admin/members/:program_id/:member_id",
        "GET admin/members/:program_id/:member_id/balance",
        "GET admin/members/:program_id/:member_id/ledger",
        "GET admin/members/:program_id/:member_id/ledger.csv",
        "GET admin/programs/:program_id/move-in/guests",
        "GET platform/events",
        "GET platform/members",
        "GET platform/members/campaigns",
        "GET platform/members/challenges",
        "GET platform/members/consents",
        "GET platform/restaurants/guest",
        "GET platform/restaurants/orders",
        "GET platform/restaurants/orders.csv",
        "GET platform/restaurants/redemptions",
        "GET platform/restaurants/redemptions.csv",
        "POST admin/asks"
      ],
      "members:write": [
        "POST admin/members/:program_id/:member_id/identities",
        "POST admin/members/:program_id/:member_id/status",
        "POST admin/programs/:program_id/move-in",
        "POST platform/members/sign-in-link",
        "PUT admin/programs/:program_id/move-in/runs/:run_id",
        "PUT platform/members"
      ],
      none: [
        "GET admin/business",
        "GET admin/session",
        "GET admin/session/ways",
        "GET admin/staff/me",
        "GET admin/staff/me/sessions",
        "POST admin/session",
        "POST admin/session/end",
        "POST admin/session/passkey",
        "POST admin/session/passkey/options",
        "POST admin/session/provider",
        "POST admin/session/provider/finish",
        "POST admin/staff/invitation",
        "POST admin/staff/invitation/accept",
        "POST admin/staff/me/language",
        "POST admin/staff/me/passkeys",
        "POST admin/staff/me/passkeys/:passkey_id/remove",
        "POST admin/staff/me/passkeys/:passkey_id/rename",
        "POST admin/staff/me/passkeys/options",
        "POST admin/staff/me/sessions/end"
      ],
      "points:give": [
        "GET admin/members/:program_id/:member_id/rewards/:issued_reward_id",
        "POST admin/asks/:ask_id/approve",
        "POST admin/asks/:ask_id/decline",
        "POST admin/members/:program_id/:member_id/adjustments",
        "POST admin/members/:program_id/:member_id/orders/:order_id/move",
        "POST admin/members/:program_id/:member_id/receipts",
        "POST admin/members/:program_id/:member_id/receipts/claim",
        "POST admin/members/:program_id/:member_id/rewards",
        "POST admin/members/:program_id/:member_id/rewards/:issued_reward_id/cancel",
        "POST admin/programs/:program_id/rewards/take-back"
      ],
      "programs:publish": [
        "DELETE admin/programs/:program_id/logo",
        "POST admin/programs/:program_id/restore",
        "POST admin/programs/:program_id/retire",
        "POST admin/programs/:program_id/rollback",
        "POST admin/programs/publish",
        "PUT admin/locations",
        "PUT admin/programs/:program_id/logo"
      ],
      "programs:read": [
        "GET admin/programs",
        "GET admin/programs/:program_id",
        "GET admin/programs/:program_id/categories",
        "GET admin/programs/:program_id/logo",
        "GET admin/programs/:program_id/products",
        "GET admin/programs/:program_id/versions",
        "GET admin/programs/:program_id/versions/:version",
        "GET platform/promotions",
        "POST admin/programs/:program_id/promotions/preview",
        "POST admin/programs/evaluate",
        "POST admin/programs/preview",
        "POST admin/programs/validate"
      ],
      "service:write": ["POST admin/maintenance"],
      "staff:read": ["GET admin/staff", "GET admin/staff/limits"],
      "staff:write": [
        "DELETE admin/business/logo",
        "POST admin/staff",
        "POST admin/staff/:user_id/disable",
        "POST admin/staff/:user_id/enable",
        "POST admin/staff/:user_id/invite",
        "POST admin/staff/:user_id/limits",
        "POST admin/staff/:user_id/passkeys/remove",
        "POST admin/staff/:user_id/role",
        "POST admin/staff/:user_id/sessions/end",
        "POST admin/staff/limits",
        "PUT admin/business",
        "PUT admin/business/logo"
      ]
    })
  })

  it("are refused while writes are frozen, save reads and what a freeze must not stop", () => {
    assert.deepStrictEqual(
      differing((route, isRead) => route.isWrite !== !isRead),
      [
        "DELETE /admin/api/v1/business/logo",
        "DELETE /admin/api/v1/connections/:connection_id",
        "DELETE /admin/api/v1/programs/:program_id/logo",
        "PATCH /admin/api/v1/connections/:connection_id",
        "POST /admin/api/v1/clock",
        "POST /admin/api/v1/connections",
        "POST /admin/api/v1/connections/:connection_id/rotate",
        "POST /admin/api/v1/maintenance",
        // These three refuse by themselves what is no dry run.
        "POST /admin/api/v1/members/:program_id/:member_id/adjustments",
        "POST /admin/api/v1/members/:program_id/:member_id/orders/:order_id/move",
        "POST /admin/api/v1/members/:program_id/:member_id/receipts",
        "POST /admin/api/v1/members/:program_id/merge",
        "POST /admin/api/v1/programs/:program_id/move-in",
        "POST /admin/api/v1/programs/:program_id/promotions/preview",
        "POST /admin/api/v1/programs/:program_id/rewards/take-back",
        "POST /admin/api/v1/programs/evaluate",
        "POST /admin/api/v1/programs/preview",
        "POST /admin/api/v1/programs/validate",
        "POST /admin/api/v1/session",
        "POST /admin/api/v1/session/end",
        "POST /admin/api/v1/session/passkey",
        "POST /admin/api/v1/session/passkey/options",
        "POST /admin/api/v1/session/provider",
        "POST /admin/api/v1/session/provider/finish",
        "POST /admin/api/v1/staff",
        "POST /admin/api/v1/staff/:user_id/disable",
        "POST /admin/api/v1/staff/:user_id/enable",
        "POST /admin/api/v1/staff/:user_id/invite",
        "POST /admin/api/v1/staff/:user_id/limits",
        "POST /admin/api/v1/staff/:user_id/passkeys/remove",
        "POST /admin/api/v1/staff/:user_id/role",
        "POST /admin/api/v1/staff/:user_id/sessions/end",
        "POST /admin/api/v1/staff/invitation",
        "POST /admin/api/v1/staff/invitation/accept",
        "POST /admin/api/v1/staff/limits",
        "POST /admin/api/v1/staff/me/language",
        "POST /admin/api/v1/staff/me/passkeys",
        "POST /admin/api/v1/staff/me/passkeys/:passkey_id/remove",
        "POST /admin/api/v1/staff/me/passkeys/:passkey_id/rename",
        "POST /admin/api/v1/staff/me/passkeys/options",
        "POST /admin/api/v1/staff/me/sessions/end",
        "POST /admin/api/v1/tokens",
        "POST /admin/api/v1/tokens/:token_id/revoke",
        "POST /admin/api/v1/tokens/:token_id/rotate",
        "POST /platform/v1/campaigns/audience/preview",
        "POST /platform/v1/segments/preview",
        "PUT /admin/api/v1/business",
        "PUT /admin/api/v1/business/logo",
        "PUT /admin/api/v1/locations",
        "PUT /admin/api/v1/programs/:program_id/logo",
        "PUT /admin/api/v1/programs/:program_id/move-in/runs/:run_id",
        "PUT /admin/api/v1/sandbox/faults"
      ]
    )
  })

  it("need a key of all programmes for what concerns the whole installation", () => {
    assert.deepStrictEqual(
      differing((route) => route.isForUnlimited === true),
      [
        "DELETE /admin/api/v1/business/logo",
        "GET /admin/api/v1/clock",
        "GET /admin/api/v1/maintenance",
        "GET /admin/api/v1/nodes",
        "GET /admin/api/v1/sandbox/faults",
        "POST /admin/api/v1/clock",
        "POST /admin/api/v1/maintenance",
        "POST /admin/api/v1/programs/:program_id/restore",
        "POST /admin/api/v1/programs/:program_id/retire",
        "POST /admin/api/v1/staff",
        "POST /admin/api/v1/staff/:user_id/disable",
        "POST /admin/api/v1/staff/:user_id/enable",
        "POST /admin/api/v1/staff/:user_id/invite",
        "POST /admin/api/v1/staff/:user_id/limits",
        "POST /admin/api/v1/staff/:user_id/passkeys/remove",
        "POST /admin/api/v1/staff/:user_id/role",
        "POST /admin/api/v1/staff/:user_id/sessions/end",
        "POST /admin/api/v1/staff/limits",
        "POST /admin/api/v1/tokens",
        "POST /admin/api/v1/tokens/:token_id/revoke",
        "POST /admin/api/v1/tokens/:token_id/rotate",
        "PUT /admin/api/v1/business",
        "PUT /admin/api/v1/business/logo",
        "PUT /admin/api/v1/locations",
        "PUT /admin/api/v1/sandbox/faults"
      ]
    )
  })
})
