/** The first start makes a database live or a sandbox, permanently (contract/databases.md *Live or sandbox*). */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Environment } from "./Active.ts"
import { Database, DatabaseStartError, unusable } from "./Database.ts"

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
    const [row] = (yield* connection.query("SELECT environment FROM installation")).rows
    const stays = String(row?.["environment"])
    if (stays !== environment) return yield* refusal(describe, stays)
    if (sandboxClock !== undefined)
      yield* connection.query(
        "UPDATE sandbox_clock SET now = greatest($1::float8::bigint, (SELECT max(at) FROM journal)) WHERE now IS NULL",
        [PgTypes.float8(sandboxClock)]
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
  const [row] = (yield* connection.query(
    `SELECT environment, greatest((SELECT now FROM sandbox_clock), (SELECT max(at) FROM journal))::float8 AS now
      FROM installation WHERE environment = 'sandbox'`
  )).rows
  return row?.["now"] === null || row === undefined ? undefined : Number(row["now"])
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) => Effect.fail(unusable(describe, error)))
  )
)
