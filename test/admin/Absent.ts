/** For tests of services without PostgreSQL: the operators' database takes entries of the audit, and answers nothing. */
import { Effect, Layer } from "effect"
import { AdminDatabase } from "../../src/admin/AdminDatabase.ts"
import { appendStatement } from "../../src/admin/Audit.ts"
import { storageUnavailable } from "../../src/admin/Refusal.ts"

export const layer: Layer.Layer<AdminDatabase> = Layer.succeed(AdminDatabase, {
  query: (statement) => (statement === appendStatement ? Effect.succeed([]) : Effect.fail(storageUnavailable)),
  transaction: (work) => work,
  connection: { query: () => Effect.die(new Error("the operators' database is absent")) },
  apart: () => Effect.die(new Error("the operators' database is absent")),
  onCommit: (effect) => effect
})
