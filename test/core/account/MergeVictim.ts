/**
 * A service that merges two members, or moves an order from one to the other, and is gone at a step of it, as `kill -9`
 * leaves it: `node MergeVictim.ts STEP FROM INTO [ORDER]`, the database as JSON in `DATABASE`.
 */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { database, die } from "../../Victims.ts"

const [, , step, from = "", into = "", order] = process.argv

/** The journal, in which the process dies at its step. */
const deadly = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      submitLinked: (records, done) => {
        if (step === "decided") die()
        journal.submitLinked(records, (outcomes) => {
          if (step === "committed") die()
          done(outcomes)
        })
        // The statement leaves in this turn of the event loop or the next.
        if (step === "sent") setImmediate(die)
      }
    })
  )
).pipe(Layer.provide(PgJournal.layer))

const done = Effect.flatMap(Accounts.Accounts, ({ merge, moveOrder }) =>
  order === undefined
    ? merge(Testing.demoProgram.id, { from, into })
    : moveOrder(Testing.demoProgram.id, { order, from, into, reason: "test" })
)
await Effect.runPromise(
  Effect.provide(
    done,
    Accounts.layer().pipe(
      Layer.provide(Programs.layerFrom([Testing.demoProgram])),
      Layer.provide(deadly),
      Layer.provide(database)
    )
  )
)
die()
