/** A fresh, migrated database in the run's PostgreSQL; searched for secrets, and gone when the scope closes. */
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import { randomBytes } from "node:crypto"
import { Database } from "../src/base/database/Database.ts"
import * as Leaks from "./Leaks.ts"
import * as TestPostgres from "./TestPostgres.ts"

const server = (database?: string) => {
  const { password, port } = inject("postgres")
  return TestPostgres.configOf(port, password, database)
}

/** Runs a statement on the server's own database. */
export const administer = (statement: string) => Effect.suspend(() => TestPostgres.query(server(), statement))

/** Runs a statement on the test's database. */
export const query = (statement: string, parameters?: ReadonlyArray<unknown>) =>
  Effect.flatMap(Database, ({ clientConfig }) => TestPostgres.query(clientConfig, statement, parameters))

/** Copied as files: by pages of the WAL, PostgreSQL's default, a copy takes three times the CPU. */
export const layer: Layer.Layer<Database> = Layer.unwrap(
  Effect.sync(() => {
    const name = `test_${randomBytes(6).toString("hex")}`
    return Layer.effect(
      Database,
      Effect.acquireRelease(
        Effect.as(administer(`CREATE DATABASE ${name} STRATEGY = FILE_COPY`), {
          clientConfig: server(name),
          describe: name
        }),
        ({ clientConfig }) =>
          Effect.ensuring(
            Leaks.rowsShowNone(clientConfig),
            Effect.orDie(administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
          )
      )
    )
  })
).pipe(Layer.orDie)
