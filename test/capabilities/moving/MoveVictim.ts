/** A process that moves guests and is killed at a record: `node MoveVictim.ts STEP RECORD`, the database in `DATABASE`. */
import { Effect, Layer } from "effect"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { database, die } from "../../Victims.ts"
import * as Moves from "./Moves.ts"

const [, , step = "", deadly = ""] = process.argv

let records = 0

const journal = Layer.effect(
  Journal,
  Effect.map(Journal, (real) =>
    Journal.of({
      ...real,
      submit: (record, done) => {
        const isLast = ++records === Number(deadly)
        real.submit(record, (outcome) => {
          if (isLast && step === "committed") die()
          done(outcome)
        })
        if (isLast && step === "sent") setImmediate(die)
      }
    })
  )
).pipe(Layer.provide(PgJournal.layer))

await Effect.runPromise(Moves.moveIn(Moves.many).pipe(Effect.provide(Layer.provide(Moves.service(journal), database))))
