/** The installation's secret: the key of all hashes, and of the link between nodes. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Database, unusable } from "./Database.ts"
import { oneOf } from "./Values.ts"

const secretRow = oneOf(Schema.Struct({ secret: Schema.String }))

export const secret = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const { secret } = yield* secretRow(connection.query("SELECT secret FROM installation"))
  return secret
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) => Effect.fail(unusable(describe, error)))
  )
)
