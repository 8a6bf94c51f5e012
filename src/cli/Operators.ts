/**
 * Where the operators' commands work: on a service by its address, or on the
 * database. Exit codes: 0 done, 1 refused, 2 could not run.
 */
import { Console, Effect, type Option, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { PgConnection } from "@effect/sql-pg"
import type { BodyFault } from "../contract/Decode.ts"
import { environmentName } from "../contract/protocol/Protocol.ts"
import { Database } from "../database/Database.ts"
import { isServed } from "../database/PgLease.ts"
import type { Programs } from "../program/Programs.ts"
import type { Storage } from "./Settings.ts"
import * as Settings from "./Settings.ts"
import { CannotRun, exitWith, messageOf, type OpenStorage } from "./StorageCommand.ts"

/** Opens what a command on the database uses. */
export type Open = OpenStorage<Database | Programs>

/** The service refused; nothing was done. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { message: Schema.String }) {}

const keyName = environmentName("ADMIN_KEY")

export const targetFlags = {
  ...Settings.storageFlags,
  url: Flag.optional(
    Flag.withDescription(
      Flag.String("url"),
      `address of the service, such as https://loyalty.example.com, with the key or token of ${keyName}; default: the database`
    )
  )
}

export interface TargetFlags {
  readonly databaseUrl: Option.Option<string>
  readonly dataDir: Option.Option<string>
  readonly url: Option.Option<string>
}

/** Runs a command to its exit code. */
export const running = <E>(work: Effect.Effect<void, E | Refusal>): Effect.Effect<void> =>
  // Until the work is done: an interrupted command must not exit with 0.
  Effect.andThen(exitWith(2), Effect.andThen(work, exitWith(0))).pipe(
    Effect.catch((error) =>
      Effect.andThen(Console.error(messageOf(error)), error instanceof Refusal ? exitWith(1) : Effect.void)
    )
  )

/** The database that flags and environment choose. */
export const storageOf = ({ dataDir, databaseUrl }: TargetFlags): Effect.Effect<Storage, CannotRun> => {
  const storage = Settings.readStorage(Settings.given({ dataDir, databaseUrl }, process.env))
  return Result.isFailure(storage)
    ? Effect.fail(new CannotRun({ message: storage.failure }))
    : Effect.succeed(storage.success)
}

/** Refuses to write beside a running service: its accounts in memory would go on showing the old state. */
export const mustBeAlone = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  if (yield* isServed(connection))
    return yield* new CannotRun({ message: "A service is active on this database: give its address with --url." })
}).pipe(Effect.scoped)

const faultsText = (errors: ReadonlyArray<BodyFault>): string =>
  errors.map(({ message, path }) => `\n  ${path === "" ? "" : `${path} `}${message}`).join("")

export const refusalText = (code: string, detail: string, errors: ReadonlyArray<BodyFault> = []): string =>
  `${code}: ${detail}${faultsText(errors)}`

/** Sends a request to a service; a problem document is a refusal. */
export const send = Effect.fnUntraced(function* (base: string, method: "GET" | "POST", path: string, body?: object) {
  const url = URL.canParse(base) ? new URL(path, base) : undefined
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return yield* new CannotRun({
      message: `--url must be an address such as https://loyalty.example.com, not ${base}`
    })
  const key = process.env[keyName]
  if (key === undefined || key === "")
    return yield* new CannotRun({ message: `--url needs a key or token with an admin scope in ${keyName}.` })
  const response = yield* Effect.tryPromise({
    try: () =>
      fetch(url, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? undefined : { body: JSON.stringify(body) })
      }),
    catch: (cause) => new CannotRun({ message: `${url.origin} does not answer: ${messageOf(cause)}` })
  })
  const answer = yield* Effect.tryPromise({
    try: () => response.json() as Promise<Record<string, unknown>>,
    catch: () => new CannotRun({ message: `${url.origin} answered ${response.status} and no JSON.` })
  })
  if (response.ok) return answer
  const errors = Array.isArray(answer["errors"]) ? (answer["errors"] as ReadonlyArray<BodyFault>) : []
  return yield* new Refusal({ message: refusalText(String(answer["code"]), String(answer["detail"]), errors) })
})
