/**
 * Commands that work on the storage alone, with or without a running service.
 *
 * Exit codes: 2 if the command could not run, else the code of its work.
 */

import type { Layer } from "effect"
import { Console, Effect, Result, Schema } from "effect"
import type { Storage } from "../service/Settings.ts"
import * as Settings from "../service/Settings.ts"

/** Opens the storage. A parameter of the commands, so that tests can pass another. */
export type OpenStorage<Needs> = (storage: Storage) => Layer.Layer<Needs, { readonly message: string }>

/** The command could not run. */
export class CannotRun extends Schema.TaggedError<CannotRun>()("CannotRun", { message: Schema.String }) {}

/** Sets the exit code. Does not end the process. */
export const exitWith = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

/** Escapes control characters: values contain foreign text, which must not control the terminal. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The message of the innermost cause. */
export const messageOf = (error: unknown): string => {
  const cause = error instanceof Error && "cause" in error ? error.cause : undefined
  if (cause !== undefined && cause !== null) return messageOf(cause)
  return error instanceof Error ? error.message : String(error)
}

const couldNotRun = 2

/** Runs a command's work. The work returns the exit code. */
export const exiting = <E, R>(work: Effect.Effect<number, E, R>): Effect.Effect<void, never, R> =>
  // Until the work is done: an interrupted command must not exit with 0.
  Effect.andThen(exitWith(couldNotRun), Effect.flatMap(work, exitWith)).pipe(
    Effect.catch((error) => Console.error(messageOf(error)))
  )

/** Runs a command's work on the storage from flags and environment. The work returns the exit code. */
export const working =
  <Needs>(open: OpenStorage<Needs>) =>
  <E>(parsed: Parameters<typeof Settings.given>[0], work: () => Effect.Effect<number, E, Needs>): Effect.Effect<void> =>
    exiting(
      Effect.gen(function* () {
        const storage = Settings.readStorage(Settings.given(parsed, process.env))
        if (Result.isFailure(storage)) return yield* new CannotRun({ message: storage.failure })
        return yield* Effect.provide(work(), open(storage.success))
      })
    )
