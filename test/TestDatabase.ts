/** A fresh, migrated database in the run's PostgreSQL; searched for secrets, and gone when the scope closes. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { Database } from "../src/database/Database.ts"
import * as Leaks from "./Leaks.ts"

const server = () => {
  const { password, port } = inject("postgres")
  return { host: "127.0.0.1", port, username: "lotbook", password: Redacted.make(password), database: "postgres" }
}

/** Runs a statement on the server's own database. */
const administer = (statement: string) =>
  Effect.scoped(Effect.flatMap(PgConnection.make(server()), (connection) => connection.query(statement, [], false)))

export const layer: Layer.Layer<Database> = Layer.unwrap(
  Effect.sync(() => {
    const name = `test_${randomBytes(6).toString("hex")}`
    return Layer.effect(
      Database,
      Effect.acquireRelease(
        Effect.as(administer(`CREATE DATABASE ${name}`), {
          clientConfig: { ...server(), database: name },
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
