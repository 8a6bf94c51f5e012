/** Processes that a test starts on its database to be killed, as `kill -9` does. */
import { Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { Database } from "../src/base/database/Database.ts"

/** Runs a file on the test's database to its end; the signal that ended it, or its exit code. */
export const run = Effect.fnUntraced(function* (file: string, ...given: ReadonlyArray<string>) {
  const { database, host, password, port, username } = (yield* Database).clientConfig
  const plain = Redacted.isRedacted(password) ? Redacted.value(password) : password
  const DATABASE = JSON.stringify({ database, host, password: plain, port, username })
  return yield* Effect.promise(
    () =>
      new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
        const victim = spawn(process.execPath, [file, ...given], {
          env: { ...process.env, DATABASE },
          stdio: ["ignore", "ignore", "inherit"]
        })
        victim.once("error", reject)
        victim.once("exit", (code, signal) => resolve(signal ?? code))
      })
  )
})

/** In the process: the database that it was started on. */
export const database = Layer.sync(Database, () => {
  const { password, ...config } = JSON.parse(process.env["DATABASE"] ?? "") as {
    readonly password: string
    readonly host: string
    readonly port: number
    readonly username: string
    readonly database: string
  }
  return { clientConfig: { ...config, password: Redacted.make(password) }, describe: "test" }
})

/** In the process: its end. */
export const die = (): void => {
  process.kill(process.pid, "SIGKILL")
}
