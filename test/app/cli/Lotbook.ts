/** The command line in its own process, on the test's database. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { Database } from "../../../src/base/database/Database.ts"
import { main } from "../../Built.ts"
import * as TestPostgres from "../../TestPostgres.ts"

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The address of the test's database. */
export const urlOf = ({ clientConfig }: Database["Service"]): string => TestPostgres.urlOf(clientConfig)

/** Runs a command on the test's database to its end, or until `stop`. */
export const lotbook = (args: ReadonlyArray<string>, stop?: Promise<void>) =>
  Effect.flatMap(Database, (database) =>
    Effect.callback<Ran>((resume) => {
      const env = { ...process.env, DATABASE_URL: urlOf(database), NO_COLOR: "1" }
      const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
      let out = ""
      let err = ""
      child.stdout.on("data", (chunk) => {
        out += String(chunk)
      })
      child.stderr.on("data", (chunk) => {
        err += String(chunk)
      })
      void stop?.then(() => child.kill("SIGTERM"))
      child.on("close", (code) => resume(Effect.succeed({ code, out, err })))
      return Effect.sync(() => child.kill())
    })
  )
