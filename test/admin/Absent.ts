/** For tests of services without PostgreSQL: the operators' database does not answer. */
import { Effect, Layer } from "effect"
import { AdminDatabase } from "../../src/admin/AdminDatabase.ts"
import { storageUnavailable } from "../../src/admin/Refusal.ts"

export const layer: Layer.Layer<AdminDatabase> = Layer.succeed(AdminDatabase, {
  query: () => Effect.fail(storageUnavailable),
  transaction: (work) => work
})
