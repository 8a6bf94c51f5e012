/**
 * A service that imports members, takes the import back and is gone at a step of that, as `kill -9` leaves it:
 * `node TakeBackVictim.ts STEP`, the database as JSON in `DATABASE`.
 */
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Imports from "../../../src/capabilities/imports/Imports.ts"
import * as TakeBack from "../../../src/capabilities/imports/TakeBack.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { database, die } from "../../Victims.ts"
import * as Sent from "./ImportSent.ts"

const [, , step = ""] = process.argv

/** Records of the taking back after which the process dies: counter-entries and erasures of the second wave are among them. */
const deadlyRecord = 90
let records = -Infinity

const journal = Layer.effect(
  Journal,
  Effect.map(Journal, (real) =>
    Journal.of({
      ...real,
      submit: (record, done) => {
        const isLast = ++records === deadlyRecord && step === "committed"
        real.submit(record, (outcome) => {
          if (isLast) die()
          done(outcome)
        })
      }
    })
  )
).pipe(Layer.provide(PgJournal.layer))

const pool = Layer.effect(
  WorkPool,
  Effect.map(WorkPool, (real) =>
    WorkPool.of({
      ...real,
      query: (statement, parameters) => {
        if (step === "not noted" && statement.startsWith("UPDATE imports SET taken_back_at")) die()
        return real.query(statement, parameters)
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

const work = Effect.gen(function* () {
  const { importMembers } = yield* Imports.make
  const import_id = yield* Sent.importIdOf(yield* importMembers(Sent.request(step), {}))
  const { takeBack } = yield* TakeBack.make
  records = 0
  yield* takeBack({ import_id, reason: "wrong file" })
})

await Effect.runPromise(
  work.pipe(
    Effect.provideService(CurrentCaller, Sent.caller),
    Effect.provide(Layer.merge(service, Layer.provide(PeoplePool.layer, database)))
  )
)
