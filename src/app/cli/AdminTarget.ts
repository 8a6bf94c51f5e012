/**
 * The target of the operators' commands: a service at a URL, through the typed client of
 * its API, or a database, through the same use cases in this process.
 *
 * Exit codes: 0 done, 1 refused, 2 the command could not run.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option, Redacted, Result, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import * as os from "node:os"
import type { Database } from "../../base/database/Database.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { environmentName } from "../../contract/protocol/Protocol.ts"
import { scopes } from "../../contract/Scopes.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { Storage } from "../service/Settings.ts"
import * as Settings from "../service/Settings.ts"
import { optionalText } from "./Flags.ts"
import { CannotRun, exiting, messageOf, type OpenStorage } from "./StorageCommand.ts"

/** Opens the storage of a database that has this version's migrations. */
export type Open = OpenStorage<Database | Programs>

/** The variable with the key or token for a service. */
export const keyName = environmentName("ADMIN_KEY")

/** The flags of every command: a service's address, or the database. */
export const targetFlags = {
  ...Settings.storageFlags,
  url: optionalText(
    "url",
    `address of the service, such as https://loyalty.example.com, with the key or token of ${keyName}; default: the database`
  )
}

export interface Target {
  readonly databaseUrl: Option.Option<string>
  readonly dataDir: Option.Option<string>
  readonly url: Option.Option<string>
}

/** The command itself refuses; the service's refusals have the same properties. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", { detail: Schema.String }) {}

const clientOver = (httpClient: HttpClient.HttpClient, baseUrl: string) =>
  HttpApiClient.makeWith(AdminApi, { httpClient, baseUrl })

export type AdminClient = Effect.Success<ReturnType<typeof clientOver>>

const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // A container's user may have no name.
    return "operator"
  }
}

/** A user who can open the database has every scope. */
const commandCaller = (): RequestCaller => ({
  kind: "system",
  keyId: "command",
  name: `command of ${userName()}`,
  scopes: new Set(scopes),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
})

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** Sends every request with the key or token of the environment. `wanted`: the kind that the service's routes take. */
export const keyedClient = Effect.fnUntraced(function* (url: string, wanted: string) {
  if (!isHttp(url))
    return yield* new CannotRun({ message: `--url must be an address such as https://loyalty.example.com, not ${url}` })
  const key = Settings.given({}, process.env).adminKey
  if (key === undefined || key === "")
    return yield* new CannotRun({ message: `--url needs a key or ${wanted} in ${keyName}.` })
  const client = yield* HttpClient.HttpClient
  return HttpClient.mapRequest(client, (request) => HttpClientRequest.bearerToken(request, Redacted.make(key)))
})

const clientAt = (url: string) =>
  Effect.flatMap(keyedClient(url, "token with an admin scope"), (client) => clientOver(client, url))

/** The same work for a service and for a database. */
export interface Work<A, E, F> {
  readonly at: (client: AdminClient) => Effect.Effect<A, E>
  readonly on: (storage: Storage) => Effect.Effect<A, F, CurrentCaller>
}

export const isTransport = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError"

/** Runs the work on the service of `--url`, else on the database that flags and environment choose. */
export const ask = <A, E, F>({ dataDir, databaseUrl, url }: Target, { at, on }: Work<A, E, F>) =>
  Effect.gen(function* () {
    if (Option.isSome(url))
      return yield* Effect.flatMap(clientAt(url.value), at).pipe(
        Effect.provide(NodeHttpClient.layerNodeHttp),
        Effect.mapError((error) =>
          isTransport(error) ? new CannotRun({ message: `${url.value} does not respond: ${messageOf(error)}` }) : error
        )
      )
    return yield* askDatabase({ dataDir, databaseUrl }, on)
  })

/** Runs the work on the database that flags and environment choose. */
export const askDatabase = <A, E>(
  { dataDir, databaseUrl }: Pick<Target, "dataDir" | "databaseUrl">,
  on: (storage: Storage) => Effect.Effect<A, E, CurrentCaller>
) =>
  Effect.gen(function* () {
    const storage = Settings.readStorage(Settings.given({ dataDir, databaseUrl }, process.env))
    if (Result.isFailure(storage)) return yield* new CannotRun({ message: storage.failure })
    return yield* Effect.provideService(on(storage.success), CurrentCaller, commandCaller())
  })

/** A refusal: a problem document of a service, or a use case's. */
interface Refused {
  readonly code?: string | undefined
  readonly detail: string
  readonly errors?: ReadonlyArray<BodyFault> | undefined
}

export const isRefused = (error: unknown): error is Refused =>
  typeof error === "object" && error !== null && "detail" in error && typeof error.detail === "string"

export const refusalText = ({ code, detail, errors = [] }: Refused): string =>
  [
    code === undefined ? detail : `${code}: ${detail}`,
    ...errors.map(({ message, path }) => `  ${path === "" ? "" : `${path} `}${message}`)
  ].join("\n")

const done = 0
const wasRefused = 1

/** Runs a command, prints its failure, and sets the exit code. */
export const toExitCode = <E>(work: Effect.Effect<void, E>): Effect.Effect<void> =>
  exiting(
    Effect.as(work, done).pipe(
      Effect.catch((error) =>
        isRefused(error) ? Effect.as(Console.error(refusalText(error)), wasRefused) : Effect.fail(error)
      )
    )
  )
