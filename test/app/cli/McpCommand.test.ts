/** `lotbook mcp`: a service's `/mcp` over standard input and output. Holds contract/operators.md *Assistants*, *Commands*. */

import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect } from "effect"
import * as http from "node:http"
import { main } from "../../Built.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"
import * as McpClient from "../../edge/mcp/Client.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"

const key = { PROTO_ADMIN_KEY: Operators.rootKey }

const lines = (...messages: ReadonlyArray<unknown>): string =>
  messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("")

interface Message {
  readonly id: number | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

const messagesOf = (out: string): ReadonlyArray<Message> =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Message => JSON.parse(line))
    .toSorted((a, b) => (a.id ?? -1) - (b.id ?? -1))

const urlOf = Effect.map(TestServer.port, (port) => `http://127.0.0.1:${port}`)

/** Lines of a client to a service at this address. */
const bridged = (url: string, input: string, variables: Record<string, string> = key) =>
  Effect.map(InProcess.lotbook(["mcp", "--url", url], variables, input), (ran) => ({
    ...ran,
    messages: messagesOf(ran.out)
  }))

/** A server that answers everything alike, as a proxy in front of a service may. */
const answering = (status: number, body: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer((_, response) => response.writeHead(status).end(body))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as { readonly port: number }
      return { url: `http://127.0.0.1:${port}`, server }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  )

layer(Operators.layer(), { excludeTestServices: true, timeout: 60_000 })("lotbook mcp", (it) => {
  it.effect("forwards each line, answers with lines alone, and ends with its input", () =>
    Effect.gen(function* () {
      const url = yield* urlOf
      const { code, err, messages } = yield* bridged(
        url,
        lines(
          { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
          { jsonrpc: "2.0", method: "notifications/initialized" },
          "",
          { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_programs" } },
          // The present revision says in each request which one it is.
          {
            jsonrpc: "2.0",
            id: 3,
            method: "tools/call",
            params: {
              name: "list_programs",
              _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}
              }
            }
          }
        )
      )
      assert.strictEqual(code, 0)
      assert.strictEqual(err, `lotbook mcp: forwarding to ${url}/mcp\n`)
      assert.deepStrictEqual(
        messages.map(({ id }) => id),
        [1, 2, 3]
      )
      const [greeted, older, present] = messages
      assert.deepInclude(greeted?.result, { protocolVersion: "2025-06-18" })
      assert.notProperty(older?.result, "resultType")
      assert.deepInclude(present?.result, { resultType: "complete" })
      assert.deepStrictEqual(older?.result?.["structuredContent"], present?.result?.["structuredContent"])
    })
  )

  it.effect("tells in words what fails, and goes on", () =>
    Effect.gen(function* () {
      const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })
      const url = yield* urlOf
      const wrong = yield* bridged(url, lines("no JSON", [ping(1)], ping(2)), { PROTO_ADMIN_KEY: "unknown" })
      assert.strictEqual(wrong.code, 0)
      assert.deepStrictEqual(
        wrong.messages.map(({ error, id }) => [id, error?.code, error?.message.split(":")[0]]),
        [
          [null, -32700, "The line is not JSON."],
          [null, -32600, "A line must be one JSON-RPC message; batches are not taken."],
          [2, -32000, "unauthorized"]
        ]
      )
      const proxy = yield* answering(502, "<html>Bad gateway</html>")
      const behind = yield* bridged(proxy.url, lines(ping(1), { jsonrpc: "2.0", method: "notifications/x" }))
      assert.deepInclude(behind.messages[0]?.error, { message: "The service answered HTTP 502." })
      assert.include(behind.err, "The service answered HTTP 502.")
      proxy.server.close()
      proxy.server.closeAllConnections()
      const gone = yield* bridged(proxy.url, lines(ping(1)))
      assert.match(gone.messages[0]?.error?.message ?? "", /^http:\S+ does not respond: connect ECONNREFUSED/)
    }).pipe(Effect.scoped)
  )

  it.effect("cannot run without a key, or with an address that is none", () =>
    Effect.gen(function* () {
      const without = yield* InProcess.lotbook(["mcp"], { PROTO_ADMIN_KEY: "" }, "")
      assert.deepStrictEqual(without, { code: 2, out: "", err: "--url needs a key or token in PROTO_ADMIN_KEY.\n" })
      const nowhere = yield* InProcess.lotbook(["mcp", "--url", "nowhere"], key, "")
      assert.match(nowhere.err, /^--url must be an address such as/)
      assert.strictEqual(nowhere.code, 2)
    })
  )

  it.effect("serves a true client that starts it as a process, in both kinds of revisions", () =>
    Effect.gen(function* () {
      const args = [main, "mcp", "--url", yield* urlOf]
      for (const mode of ["legacy", "auto"] as const) {
        const transport = new StdioClientTransport({ command: process.execPath, args, env: key, stderr: "ignore" })
        const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect(transport)),
          () => Effect.promise(() => client.close())
        )
        const { answer } = yield* McpClient.call(client, "list_programs")
        assert.strictEqual(answer.summary, "1 programme.", mode)
      }
    }).pipe(Effect.scoped)
  )
})
