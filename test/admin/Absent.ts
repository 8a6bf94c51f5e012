/** For tests of services without PostgreSQL: the operators' database does not answer. */
import { Effect, Layer } from "effect"
import { AdminDatabase } from "../../src/admin/AdminDatabase.ts"
import { storageUnavailable } from "../../src/admin/Refusal.ts"

export const layer: Layer.Layer<AdminDatabase> = Layer.succeed(AdminDatabase, {
  query: () => Effect.fail(storageUnavailable),
  transaction: (work) => work,
  connection: { query: () => Effect.die(new Error("the operators' database is absent")) },
  apart: () => Effect.die(new Error("the operators' database is absent")),
  onCommit: (effect) => effect
})
