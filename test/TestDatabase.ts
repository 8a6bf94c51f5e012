/** A fresh, migrated database in the run's PostgreSQL; searched for secrets, and gone when the scope closes. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Layer, Scope } from "effect"
import { inject } from "vitest"
import { randomBytes } from "node:crypto"
import { Database } from "../src/base/database/Database.ts"
import * as Leaks from "./Leaks.ts"
import * as TestPostgres from "./TestPostgres.ts"

const server = (database?: string) => {
  const { password, port } = inject("postgres")
  return TestPostgres.configOf(port, password, database)
}

interface Session {
  readonly connection: PgConnection.PgConnection
  readonly close: Effect.Effect<void>
}

/** Sessions that rest until the next statement, by user and database: a new one costs more than most statements. */
const resting = new Map<string, Array<Session>>()

const keyOf = ({ database, username }: TestPostgres.Config) => `${username} ${database}`

/** One that rests and still answers: tests end sessions; else a new one. */
const session = Effect.fnUntraced(function* (config: TestPostgres.Config) {
  for (;;) {
    const found = resting.get(keyOf(config))?.pop()
    if (found === undefined) break
    if (Exit.isSuccess(yield* Effect.exit(found.connection.query("SELECT 1")))) return found
    yield* found.close
  }
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  const connection = yield* Effect.onError(Scope.provide(PgConnection.make(config), scope), () => close)
  return { connection, close }
})

const run = (config: TestPostgres.Config, statement: string, parameters: ReadonlyArray<unknown> = []) =>
  Effect.acquireUseRelease(
    session(config),
    ({ connection }) => Effect.map(connection.query(statement, parameters, false), ({ rows }) => rows),
    (used, exit) => {
      if (Exit.isFailure(exit)) return used.close
      resting.set(keyOf(config), [...(resting.get(keyOf(config)) ?? []), used])
      return Effect.void
    }
  )

/**
 * Runs a statement on the server's own database, once no session rests in another, which may be copied or dropped by
 * it.
 */
export const administer = (statement: string) =>
  Effect.suspend(() => {
    const config = server()
    const others = [...resting.keys()].filter((key) => key !== keyOf(config))
    const closed = others.flatMap((key) => resting.get(key) ?? []).map(({ close }) => close)
    for (const key of others) resting.delete(key)
    return Effect.andThen(Effect.all(closed), run(config, statement))
  })

/** Runs a statement on the test's database. */
export const query = (statement: string, parameters?: ReadonlyArray<unknown>) =>
  Effect.flatMap(Database, ({ clientConfig }) => run(clientConfig, statement, parameters))

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
            Leaks.rowsShowNone((statement) => run(clientConfig, statement)),
            Effect.orDie(administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
          )
      )
    )
  })
).pipe(Layer.orDie)
