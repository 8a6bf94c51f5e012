/** The route of assistants behind the gate (contract/operators.md *Assistants*), and that no request needs a session. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Demo from "../../../src/app/demo/Demo.ts"
import { maxBodyBytes } from "../../../src/contract/protocol/Protocol.ts"
import * as Server from "../../../src/edge/mcp/Server.ts"
import { scopesOf } from "../../../src/edge/mcp/Toolbox.ts"
import * as DemoServer from "../../app/service/DemoServer.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"
import * as Client from "./Client.ts"

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }

const callOf = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: "call",
  method: "tools/call",
  params: { name, arguments: args }
})

/** A message of an older revision; nothing else has to come before it. */
const send = (message: unknown, headers: Record<string, string> = {}, method = "POST") =>
  TestServer.send("/mcp", message, { method, headers: { ...Operators.root, ...headers } })

const lines: Array<Readonly<Record<string, unknown>>> = []
const logged = Layer.mergeAll(
  Logger.layer([Logger.make(({ fiber }) => void lines.push(fiber.getRef(References.CurrentLogAnnotations)))]),
  Layer.succeed(References.MinimumLogLevel, "Debug")
)

layer(DemoServer.layer.pipe(Layer.provide(logged)), { excludeTestServices: true, timeout: 60_000 })(
  "the route of assistants",
  (it) => {
    it.effect("takes the admin key, a token or a session, and refuses all else with a problem", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send(list)).status, 200)
        assert.strictEqual((yield* send(list, { authorization: "Bearer proto-dev-token" })).status, 200)
        for (const authorization of ["", "Bearer unknown"]) {
          const { body, headers, status } = yield* send(list, { authorization })
          assert.deepInclude(body, { code: "unauthorized", status: 401, instance: "/mcp" })
          assert.strictEqual(status, 401)
          assert.strictEqual(headers.get("content-type"), "application/problem+json")
          assert.strictEqual(headers.get("www-authenticate"), "Bearer")
        }
        const session = yield* Operators.signIn(Operators.rootKey)
        assert.strictEqual((yield* send(list, Operators.page(session))).status, 200)
        const { "x-csrf-token": _, ...forged } = Operators.page(session)
        assert.deepInclude((yield* send(list, forged)).body, { code: "csrf_failed" })
      })
    )

    it.effect("refuses pages of other origins, and takes those of its own", () =>
      Effect.gen(function* () {
        const port = yield* TestServer.port
        assert.strictEqual((yield* send(list, { origin: `http://127.0.0.1:${port}` })).status, 200)
        for (const origin of ["https://evil.example", "null"])
          assert.deepInclude((yield* send(list, { origin })).body, { code: "forbidden", status: 403 })
      })
    )

    it.effect("has POST alone", () =>
      Effect.gen(function* () {
        for (const method of ["GET", "DELETE", "PUT"]) {
          const { headers, status } = yield* send(undefined, {}, method)
          assert.strictEqual(status, 405, method)
          assert.strictEqual(headers.get("allow"), "POST")
        }
      })
    )

    it.effect("takes one JSON object of a bounded size, and tells what is wrong with a message", () =>
      Effect.gen(function* () {
        for (const [text, code, status] of [
          ["{", "invalid_json", 400],
          ["[]", "invalid_json", 400],
          [JSON.stringify([list, list]), "invalid_json", 400],
          ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', "invalid_json", 400],
          [JSON.stringify({ ...list, x: "x".repeat(maxBodyBytes) }), "payload_too_large", 413]
        ] as const)
          assert.deepInclude((yield* send(text)).body, { code, status }, text.slice(0, 60))
        assert.deepInclude((yield* send(list, { "content-type": "text/plain" })).body, {
          code: "unsupported_media_type"
        })
        for (const [message, code] of [
          [{}, -32600],
          [{ jsonrpc: "1.0", id: 1, method: "tools/list" }, -32600],
          [{ jsonrpc: "2.0", id: 1, method: 7 }, -32600],
          [{ jsonrpc: "2.0", id: 1, method: "no/such" }, -32601],
          [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }, -32602],
          [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "no_such" } }, -32602],
          [{ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "lotbook://nothing" } }, -32602]
        ] as const) {
          const { body, status } = yield* send(message)
          const { error } = body as { readonly error?: { readonly code: number } }
          assert.deepInclude(error, { code }, JSON.stringify(message))
          assert.strictEqual(status, 200, JSON.stringify(message))
        }
        // A revision that the service does not speak is named with those that it speaks.
        const unknown = "1999-01-01"
        const _meta = {
          "io.modelcontextprotocol/protocolVersion": unknown,
          "io.modelcontextprotocol/clientCapabilities": {}
        }
        const asked = send(
          { ...list, params: { _meta } },
          { "mcp-protocol-version": unknown, "mcp-method": list.method }
        )
        const { body, status } = yield* asked
        assert.deepInclude(body["error"], { data: { supported: ["2026-07-28"], requested: unknown } })
        assert.strictEqual(status, 400)
      })
    )

    it.effect("answers requests of each revision without a session, and gives none", () =>
      Effect.gen(function* () {
        for (const protocolVersion of ["2025-11-25", "2025-06-18", "2025-03-26", "2020-01-01"]) {
          const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
          const { body, headers } = yield* send({ jsonrpc: "2.0", id: 0, method: "initialize", params })
          const negotiated = protocolVersion === "2020-01-01" ? "2025-11-25" : protocolVersion
          assert.deepInclude(body["result"], {
            protocolVersion: negotiated,
            capabilities: { tools: {}, resources: {} }
          })
          assert.isNull(headers.get("mcp-session-id"))
        }
        const notified = yield* send({ jsonrpc: "2.0", method: "notifications/initialized" })
        assert.deepInclude(notified, { status: 202, body: { text: "" } })
        assert.deepInclude((yield* send({ jsonrpc: "2.0", id: 3, method: "ping" })).body, { id: 3, result: {} })
        const { body } = yield* send(list, {
          "mcp-protocol-version": "2025-06-18",
          "mcp-session-id": "of another node"
        })
        const { result } = body as { readonly result: object }
        assert.sameMembers(Object.keys(result), ["tools", "_meta"])
      })
    )

    it.effect("names in the log each tool that is called, and none of its parameters", () =>
      Effect.gen(function* () {
        yield* Effect.orDie(Demo.seed)
        const telephone = "+49 170 1234567"
        lines.length = 0
        yield* send(callOf("find_guest", { search: telephone }))
        yield* send(list)
        yield* send(callOf(telephone, {}))
        const own = lines.filter(({ operation }) => operation === "mcp")
        assert.deepStrictEqual(
          own.map(({ caller, status, tool, via }) => [caller, status, via, tool]),
          [
            ["root", 200, "mcp", "find_guest"],
            ["root", 200, "mcp", undefined],
            ["root", 200, "mcp", undefined]
          ]
        )
        assert.notInclude(JSON.stringify(lines), "1234567")
      })
    )

    it.effect("leaves everything as it was", () =>
      Effect.gen(function* () {
        const client = yield* Client.connected()
        const program_id = "demo-foodservice"
        const read = Operators.get("/audit?limit=200")
        const before = yield* read
        const shown = yield* Operators.get(`/members/${program_id}/member-003/ledger`)
        for (const [name, args] of [
          ["find_guest", { search: "member" }],
          ["explain_balance", { program_id, member_id: "member-003" }],
          ["explain_order", { program_id, order_id: "demo-member-003-1" }],
          ["list_audiences", { program_id }]
        ] as const)
          assert.isFalse((yield* Client.call(client, name, args)).isError, name)
        assert.deepStrictEqual((yield* read).body, before.body)
        assert.deepStrictEqual((yield* Operators.get(`/members/${program_id}/member-003/ledger`)).body, shown.body)
      })
    )

    it.effect("answers while writes are frozen", () =>
      Effect.gen(function* () {
        yield* Operators.post("/maintenance", { write_frozen: true })
        const client = yield* Client.connected()
        const told = yield* Client.call(client, "list_audiences", { program_id: "demo-foodservice" })
        assert.isFalse(told.isError, told.text)
        yield* Operators.post("/maintenance", { write_frozen: false })
      })
    )
  }
)

describe("two nodes", () => {
  it.live("answer the same client by turns, also one that was greeted by the other", () =>
    Effect.gen(function* () {
      const nodes = yield* Operators.two
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const greeted = send({ jsonrpc: "2.0", id: 0, method: "initialize", params })
      assert.property((yield* Effect.provide(greeted, nodes[0])).body, "result")
      for (const node of [nodes[1], nodes[0], nodes[1]]) {
        const { body } = yield* Effect.provide(send(callOf("list_programs", {})), node)
        assert.property(body, "result")
      }
    }).pipe(Effect.scoped, Effect.provide(Operators.database))
  )
})

describe("the contract's table of tools", () => {
  const file = path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "contract", "operators.md")
  const [, section = ""] = fs.readFileSync(file, "utf8").split("\n## Assistants\n")
  const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)]

  it("has every tool with its parameters and scopes", () => {
    assert.deepStrictEqual(
      rows.map(([, name]) => name),
      Object.keys(Server.tools.tools)
    )
    for (const [, name = "", parameters = "", scopes = ""] of rows) {
      const tool = Object.entries(Server.tools.tools).find(([own]) => own === name)?.[1]
      const { fields } = tool!.parametersSchema as { readonly fields: Readonly<Record<string, unknown>> }
      assert.sameMembers(
        [...parameters.matchAll(/`(\w+)\??`/g)].map(([, own]) => own),
        Object.keys(fields),
        name
      )
      for (const [, scope = ""] of scopes.matchAll(/`(\w+:\w+)`/g)) assert.include(tool!.description, scope, name)
    }
    assert.deepStrictEqual(scopesOf("audit"), ["audit:read", "admin:read", "audit:own"])
  })
})
