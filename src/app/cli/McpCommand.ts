/** `lotbook mcp`: lets an assistant look at a service, over standard input and output (contract/operators.md *Assistants*). */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Duration, Effect, Schema, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpClientRequest } from "effect/http"
import * as Bridge from "../../edge/mcp/Bridge.ts"
import { keyedClient, keyName, toExitCode } from "./AdminTarget.ts"
import { messageOf, printable } from "./StorageCommand.ts"

/** Messages that are posted at the same time: an assistant calls a few tools at once. */
const atOnce = 8
/** Longest wait for an answer, ms: more than any tool takes, and less than an assistant waits. */
const answerMs = 60_000

const path = "/mcp"

class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { message: Schema.String }) {}

const postTo = (url: string) =>
  Effect.map(
    keyedClient(url, "token"),
    (client): Bridge.Post =>
      (message, headers) =>
        HttpClientRequest.post(new URL(path, url)).pipe(
          HttpClientRequest.setHeaders({ ...headers, accept: "application/json, text/event-stream" }),
          HttpClientRequest.bodyText(JSON.stringify(message), "application/json"),
          client.execute,
          Effect.flatMap((response) => Effect.map(response.text, (body) => ({ status: response.status, body }))),
          Effect.timeout(Duration.millis(answerMs)),
          Effect.mapError((error) => new Unanswered({ message: `${url} does not respond: ${messageOf(error)}` }))
        )
  )

/** Standard output has the messages alone. */
const warn = (message: string) => Console.error(printable(message))

const bridge = Effect.fnUntraced(function* (url: string) {
  const post = yield* postTo(url)
  const { stdin } = yield* Stdio.Stdio
  yield* warn(`lotbook mcp: forwarding to ${url}${path}`)
  yield* stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.mapEffect(Bridge.forward(post, warn), { concurrency: atOnce, unordered: true }),
    Stream.runForEach((line) => (line === undefined ? Effect.void : Console.log(line)))
  )
})

export const mcp = Command.make(
  "mcp",
  {
    url: Flag.withDefault(
      Flag.withDescription(
        Flag.String("url"),
        `address of the service, such as https://loyalty.example.com, with the key or token of ${keyName}; default: this machine's`
      ),
      "http://127.0.0.1:3210"
    )
  },
  ({ url }) =>
    Effect.flatMap(Stdio.Stdio, (stdio) =>
      toExitCode(
        bridge(url).pipe(Effect.provide(NodeHttpClient.layerNodeHttp), Effect.provideService(Stdio.Stdio, stdio))
      )
    )
).pipe(
  Command.withDescription(
    "Let an assistant look at a service, by the Model Context Protocol over standard input and output. It finds guests, explains balances and orders, and reads figures, audiences and the audit; it changes nothing. " +
      "The assistant starts this command and ends it. What it may see follows from the scopes of the key or token."
  ),
  Command.withShortDescription("Let an assistant look at a service, over standard input and output."),
  Command.withExamples([
    { command: "lotbook mcp", description: "Beside a service of this machine; the assistant's settings have the key" },
    {
      command: "lotbook mcp --url https://loyalty.example.com",
      description: "For a service elsewhere, with a token of few scopes"
    }
  ])
)
