/** PostgreSQL servers of tests: starts one, gives its address, and runs statements. As `globalSetup`, one for the run. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { Database } from "../src/base/database/Database.ts"
import * as EmbeddedPostgres from "../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../src/base/database/Migrations.ts"
import * as Folders from "./Folders.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly password: string }
  }
}

export type Config = Database["Service"]["clientConfig"]

/** How to connect to a server of ours on this machine, as the user that owns it. */
export const configOf = (port: number, password: string, database = "postgres"): Config => ({
  host: "127.0.0.1",
  port,
  username: "lotbook",
  password: Redacted.make(password),
  database
})

const passwordOf = ({ password }: Config): string => {
  if (!Redacted.isRedacted(password)) throw new Error("a server of tests has a password")
  return Redacted.value(password)
}

/** The URL of a database, with its password. `port`: another one that leads there, such as a proxy's. */
export const urlOf = (config: Config, port = config.port): string =>
  `postgres://${config.username}:${passwordOf(config)}@${config.host}:${port}/${config.database ?? "postgres"}`

/** Runs a statement on a connection of its own. */
export const query = (config: Config, statement: string, parameters: ReadonlyArray<unknown> = []) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make(config)
      return (yield* connection.query(statement, parameters, false)).rows
    })
  )

/** Starts an embedded server in a data folder, until `stop`. */
export const start = async (folder: string, connections?: number) => {
  const scope = Scope.makeUnsafe()
  const { clientConfig } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.make(folder, connections), scope))
  return { clientConfig, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Stops the server and removes its files when this process is gone, however it ended. */
export const watch = (folder: string) => {
  const script = `cat > /dev/null
pid=$(head -n 1 "$0/postgres/postmaster.pid" 2> /dev/null) && kill -INT "$pid" && while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
rm -rf "$0"`
  const watcher = spawn("sh", ["-c", script, folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  watcher.unref()
  return watcher
}

/** Each of the workers may have a service or two with all their connections. */
const ofAll = 300

export default async (project: TestProject) => {
  const folder = Folders.make("lotbook-test-")
  const watcher = watch(folder)
  const { clientConfig, stop } = await start(folder, ofAll)
  // Template of each new database of the server.
  const template = { clientConfig: { ...clientConfig, database: "template1" }, describe: "template1" }
  await Effect.runPromise(Effect.provideService(Migrations.run(), Database, template))
  project.provide("postgres", { port: clientConfig.port ?? 0, password: passwordOf(clientConfig) })
  return async () => {
    await stop()
    fs.rmSync(folder, { recursive: true, force: true })
    watcher.stdin.end()
  }
}
