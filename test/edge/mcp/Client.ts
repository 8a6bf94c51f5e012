/** A client of MCP as assistants have it, over real HTTP. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Scope } from "effect"
import { Effect } from "effect"
import type { HttpServer } from "effect/http"
import * as TestServer from "../../app/service/TestServer.ts"

export type Mode = "legacy" | "auto" | { readonly pin: string }

const rootKey = "proto-dev-admin-key"

/** Connects with a key. `auto`: the newest revision that both speak; `legacy`: one of 2025. */
export const connected = (
  key: string = rootKey,
  mode: Mode = "auto"
): Effect.Effect<Client, never, HttpServer.HttpServer | Scope.Scope> =>
  Effect.flatMap(TestServer.port, (port) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
        const requestInit = { headers: { authorization: `Bearer ${key}` } }
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit })
        )
        return client
      }),
      (client) => Effect.promise(() => client.close())
    )
  )

export interface Told {
  readonly isError: boolean
  readonly text: string
  readonly answer: {
    readonly summary: string
    readonly explanation: ReadonlyArray<string>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into the answers of eight tools.
    readonly data: Record<string, any>
    readonly left_out?: ReadonlyArray<object>
  }
}

export const call = (client: Client, name: string, args: Record<string, unknown> = {}): Effect.Effect<Told> =>
  Effect.promise(async () => {
    const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: args })
    const [first] = content
    return { isError, text: first?.type === "text" ? first.text : "", answer: structuredContent as Told["answer"] }
  })
