/** The first start makes a database live or a sandbox, permanently (contract/databases.md *Live or sandbox*). */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Database, DatabaseStartError, unusable } from "./Database.ts"
import { firstOf, int8, oneOf, optional } from "./Values.ts"

/** Fixed when the database is created. */
export type Environment = "live" | "sandbox"

const environmentRow = oneOf(Schema.Struct({ environment: Schema.Literals(["live", "sandbox"]) }))
const nowRow = firstOf(Schema.Struct({ now: optional(Schema.Number) }))

const refusal = (describe: string, stays: string) =>
  new DatabaseStartError({
    message:
      stays === "sandbox"
        ? `${describe} is a sandbox database: start with --sandbox-clock, or use another database.`
        : `${describe} is a live database: start without --sandbox-clock, or use another database.`
  })

/**
 * Sets the environment of a new database, and the time of a new sandbox (`sandboxClock`, ms); refuses a database of the
 * other environment.
 */
export const settle = Effect.fnUntraced(
  function* (environment: Environment, sandboxClock?: number) {
    const { clientConfig, describe } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    yield* connection.query("UPDATE installation SET environment = $1 WHERE environment IS NULL", [environment])
    const { environment: stays } = yield* environmentRow(connection.query("SELECT environment FROM installation"))
    if (stays !== environment) return yield* refusal(describe, stays)
    if (sandboxClock !== undefined)
      yield* connection.query(
        "UPDATE sandbox_clock SET now = greatest($1, (SELECT max(at) FROM journal)) WHERE now IS NULL",
        [int8(sandboxClock)]
      )
  },
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) => Effect.fail(unusable(describe, error)))
  )
)

/** The last time of a sandbox's clock, ms; undefined for a live database or a new sandbox. */
export const sandboxNow = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const row = yield* nowRow(
    connection.query(
      `SELECT greatest((SELECT now FROM sandbox_clock), (SELECT max(at) FROM journal)) AS now
        FROM installation WHERE environment = 'sandbox'`
    )
  )
  return row?.now
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) => Effect.fail(unusable(describe, error)))
  )
)
