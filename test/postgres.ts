/** One embedded PostgreSQL for the whole run; each test file takes a database of its own in it. */
import { Effect, Exit, Redacted, Scope } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../src/database/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly password: string }
  }
}

export default async (project: TestProject) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-test-"))
  fs.chmodSync(folder, 0o755)
  const scope = Scope.makeUnsafe()
  const { clientConfig } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.make(folder), scope))
  if (!Redacted.isRedacted(clientConfig.password)) throw new Error("the embedded server has a password")
  project.provide("postgres", { port: clientConfig.port ?? 0, password: String(Redacted.value(clientConfig.password)) })
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
