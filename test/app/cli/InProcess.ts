/**
 * The command line in this process, which saves the start of one for each command.
 *
 * Commands must run one after the other, because they share the environment and
 * the exit code of this process. They share no services with the test.
 */
import { Console, Effect } from "effect"
import { Readable } from "node:stream"
import { Database } from "../../../src/base/database/Database.ts"
import * as Main from "../../../src/main.ts"
import { urlOf } from "./Lotbook.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Sets environment variables and clears the exit code. Returns a function that restores both. */
const enter = (variables: Readonly<Record<string, string>>): (() => void) => {
  const { exitCode } = process
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  process.exitCode = undefined
  return () => {
    process.exitCode = exitCode
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Gives the process this standard input. Returns a function that restores its own. */
const feed = (input: string): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(process, "stdin")
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([Buffer.from(input)]) })
  return () => void (own === undefined || Object.defineProperty(process, "stdin", own))
}

/** Runs a command to its end, with environment variables, and with a standard input if it reads one. */
export const lotbook = (
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {},
  input?: string
): Effect.Effect<Ran> =>
  Effect.promise(async () => {
    const printed = { out: "", err: "" }
    const printTo = (name: keyof typeof printed) => (text: unknown) => {
      printed[name] += `${String(text)}\n`
    }
    const captured: Console.Console = Object.assign(Object.create(console), {
      log: printTo("out"),
      error: printTo("err")
    })
    const leave = enter(variables)
    const unfeed = input === undefined ? () => undefined : feed(input)
    try {
      const exit = await Effect.runPromiseExit(Effect.provideService(Main.run(args), Console.Console, captured))
      return { code: Main.exitCodeOf(exit), ...printed }
    } finally {
      unfeed()
      leave()
    }
  })

/** Runs a command on the test's database. */
export const onDatabase = (...args: ReadonlyArray<string>): Effect.Effect<Ran, never, Database> =>
  Effect.flatMap(Database, (database) => lotbook(args, { DATABASE_URL: urlOf(database) }))
