/**
 * A service that imports members and is gone at a step of it, as `kill -9` leaves
 * it: `node ImportVictim.ts STEP`, the database as JSON in `DATABASE`.
 */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Imports from "../../../src/capabilities/imports/Imports.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { database, die } from "../../Victims.ts"
import * as Sent from "./ImportSent.ts"

const [, , step = ""] = process.argv

/** Records of the journal after which the process dies: within the second wave. */
const deadlyRecord = 220
let records = 0

const journal = Layer.effect(
  Journal,
  Effect.map(Journal, (real) =>
    Journal.of({
      ...real,
      submit: (record, done) => {
        const isLast = ++records === deadlyRecord
        real.submit(record, (outcome) => {
          if (isLast && step === "committed") die()
          done(outcome)
        })
        if (isLast && step === "sent") setImmediate(die)
      }
    })
  )
).pipe(Layer.provide(PgJournal.layer))

/** Statements at which the process dies: before them, and after. */
const deadly: Readonly<Record<string, string>> = {
  begun: "INSERT INTO imports",
  "not kept": "WITH done AS",
  kept: "WITH done AS",
  "not completed": "UPDATE imports"
}

const pool = Layer.effect(
  WorkPool,
  Effect.map(WorkPool, (real) =>
    WorkPool.of({
      ...real,
      query: (statement, parameters) => {
        const isStep = statement.startsWith(deadly[step] ?? "nothing")
        const isBefore = step.startsWith("not ")
        return Effect.suspend(() => {
          if (isStep && isBefore) die()
          return Effect.tap(real.query(statement, parameters), () => Effect.sync(() => void (isStep && die())))
        })
      }
    })
  )
).pipe(Layer.provide(Pools.layer))

const service = Accounts.layer().pipe(
  Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
  Layer.provideMerge(journal),
  Layer.provideMerge(pool),
  Layer.provide(database)
)

await Effect.runPromise(
  Effect.flatMap(Imports.make, ({ importMembers }) => importMembers(Sent.request(step), {})).pipe(
    Effect.provideService(CurrentCaller, Sent.caller),
    Effect.provide(Layer.merge(service, Layer.provide(PeoplePool.layer, database)))
  )
)
