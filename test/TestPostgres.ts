/** One embedded PostgreSQL for the whole run; tests take migrated databases of their own in it. */
import { spawn } from "node:child_process"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as fs from "node:fs"
import type { TestProject } from "vitest/node"
import { Database } from "../src/database/Database.ts"
import * as EmbeddedPostgres from "../src/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../src/database/Migrations.ts"
import * as Folders from "./Folders.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly password: string }
  }
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

export default async (project: TestProject) => {
  const folder = Folders.make("lotbook-test-")
  const watcher = watch(folder)
  const scope = Scope.makeUnsafe()
  const { clientConfig } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.make(folder), scope))
  if (!Redacted.isRedacted(clientConfig.password)) throw new Error("the embedded server has a password")
  // What each new database of the server is a copy of.
  const template = { clientConfig: { ...clientConfig, database: "template1" }, describe: "template1" }
  await Effect.runPromise(Effect.provideService(Migrations.run(), Database, template))
  project.provide("postgres", { port: clientConfig.port ?? 0, password: String(Redacted.value(clientConfig.password)) })
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    fs.rmSync(folder, { recursive: true, force: true })
    watcher.stdin.end()
  }
}
