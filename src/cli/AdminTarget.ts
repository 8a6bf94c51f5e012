/**
 * Where the operators' commands work: a service at a URL, by the typed client of
 * its API, or a database, by the same use cases in this process.
 *
 * Exit codes: 0 done, 1 refused, 2 the command could not run.
 */
import { NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Option, Redacted, Result } from "effect"
import type { Layer } from "effect"
import { Flag } from "effect/cli"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import * as os from "node:os"
import type { AdminDatabase } from "../admin/AdminDatabase.ts"
import { Keys } from "../admin/Keys.ts"
import { AdminApi } from "../contract/admin/Api.ts"
import { scopes } from "../contract/protocol/Operations.ts"
import { environmentName } from "../contract/protocol/Protocol.ts"
import type { RequestCaller } from "../protocol/CurrentCaller.ts"
import { CurrentCaller } from "../protocol/CurrentCaller.ts"
import type { Storage } from "./Settings.ts"
import * as Settings from "./Settings.ts"
import { CannotRun, exitWith } from "./StorageCommand.ts"

/** Opens the operators' database. `main` provides it, because only `main` chooses live layers. */
export type Open = (storage: Storage) => Layer.Layer<AdminDatabase, { readonly message: string }>

/** What use cases on the database need. */
export type OnDatabase = AdminDatabase | CurrentCaller | Keys

/** The flags of every command: a service's address, or the database. */
export const targetFlags = {
  url: Flag.optional(
    Flag.withDescription(
      Flag.String("url"),
      `a running service, such as http://127.0.0.1:3210, with the key from ${environmentName("ADMIN_KEY")}; without it the database`
    )
  ),
  ...Settings.storageFlags
}

export interface Target {
  readonly url: Option.Option<string>
  readonly databaseUrl: Option.Option<string>
  readonly dataDir: Option.Option<string>
}

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

const clientAt = (url: string): Effect.Effect<AdminClient, CannotRun, HttpClient.HttpClient> => {
  if (!URL.canParse(url)) return Effect.fail(new CannotRun({ message: `--url: ${url} is not a URL` }))
  const key = Settings.adminKey(process.env)
  return Effect.flatMap(HttpClient.HttpClient, (client) =>
    clientOver(
      HttpClient.mapRequest(client, (request) => HttpClientRequest.bearerToken(request, Redacted.value(key))),
      url
    )
  )
}

/** The text of a failure; of a refusal, each fault too. */
const messageOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  if ("detail" in error) {
    const faults = "errors" in error && Array.isArray(error.errors) ? error.errors : []
    return [String(error.detail), ...faults.map(({ message, path }) => `  ${path} ${message}`)].join("\n")
  }
  if ("reason" in error) return messageOf(error.reason)
  const cause = "cause" in error ? error.cause : undefined
  if (cause instanceof Error) return messageOf(cause)
  return "message" in error ? String(error.message) : String(error)
}

const done = 0
const wasRefused = 1
const couldNotRun = 2

const isRefusal = (error: unknown): boolean => typeof error === "object" && error !== null && "detail" in error

/** The same work in both places, and what to print of its result. */
export interface Work<A, E, F> {
  readonly at: (client: AdminClient) => Effect.Effect<A, E>
  readonly on: Effect.Effect<A, F, OnDatabase>
  readonly print: (result: A) => Effect.Effect<void>
}

const openTarget = Effect.fnUntraced(function* (target: Target, open: Open) {
  const given = Settings.given(target, process.env)
  const storage = Settings.readStorage(given)
  if (Result.isFailure(storage)) return yield* new CannotRun({ message: storage.failure })
  const keys = Settings.readKeys(Settings.given({}, process.env))
  if (Result.isFailure(keys)) return yield* new CannotRun({ message: keys.failure })
  return { database: open(storage.success), keys: Keys.layer(keys.success) }
})

export const working =
  (open: Open) =>
  <A, E, F>(target: Target, { at, on, print }: Work<A, E, F>): Effect.Effect<void> =>
    Effect.gen(function* () {
      // Until the work is done: an interrupted command must not exit with 0.
      yield* exitWith(couldNotRun)
      const url = Option.getOrUndefined(target.url)
      if (url !== undefined) {
        yield* print(yield* Effect.provide(Effect.flatMap(clientAt(url), at), NodeHttpClient.layerNodeHttp))
      } else {
        const { database, keys } = yield* openTarget(target, open)
        const result = on.pipe(
          Effect.provideService(CurrentCaller, commandCaller()),
          Effect.provide(keys),
          Effect.provide(database)
        )
        yield* print(yield* result)
      }
      yield* exitWith(done)
    }).pipe(
      Effect.catch((error) =>
        Effect.andThen(Console.error(messageOf(error)), isRefusal(error) ? exitWith(wasRefused) : Effect.void)
      )
    )
