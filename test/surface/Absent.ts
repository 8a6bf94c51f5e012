/** For tests of services without PostgreSQL: the operators' database takes entries of the audit, and answers nothing. */
import { Effect, Layer } from "effect"
import { AdminDatabase } from "../../src/surface/AdminDatabase.ts"
import { appendStatement } from "../../src/surface/Audit.ts"
import { storageUnavailable } from "../../src/surface/Refusal.ts"
import { storeStatement } from "../../src/operators/SandboxClock.ts"

const absent: AdminDatabase["Service"] = {
  query: () => Effect.fail(storageUnavailable),
  transaction: (work) => work,
  longTransaction: (work) => work,
  connection: { query: () => Effect.die(new Error("the operators' database is absent")) },
  apart: () => Effect.die(new Error("the operators' database is absent")),
  holder: undefined,
  onCommit: (effect) => effect
}

/** Adds the entries of the audit to `entries`, as JSON texts. */
export const auditing = (entries: Array<string>): Layer.Layer<AdminDatabase> =>
  Layer.succeed(AdminDatabase, {
    ...absent,
    query: (statement, parameters = []) => {
      if (statement === storeStatement) return Effect.succeed([])
      if (statement !== appendStatement) return absent.query(statement, parameters)
      entries.push(JSON.stringify(parameters[1]))
      return Effect.succeed([])
    }
  })

export const layer: Layer.Layer<AdminDatabase> = auditing([])

/** Takes no entries of the audit either. */
export const unreachable: Layer.Layer<AdminDatabase> = Layer.succeed(AdminDatabase, absent)
