/** `lotbook journal seal`: seals the spans that are over (contract/databases.md *Seals*). */
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { Database } from "../../base/database/Database.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import * as Bounds from "../../reads/reconcile/Bounds.ts"
import type { Difference } from "../../reads/reconcile/Difference.ts"
import * as Seals from "../../reads/reconcile/Seals.ts"
import * as Settings from "../service/Settings.ts"
import { optionalInt } from "./Flags.ts"
import { CannotRun, type OpenStorage, working } from "./StorageCommand.ts"

const allSealed = 0
const differencesFound = 1

const count = (value: number): string => value.toLocaleString("en-US")

const anew = optionalInt(
  "anew",
  "make the seal of the last sealed span again, by its number, or all seals with 0; with the role that owns the tables"
)

const elsewhere = new CannotRun({ message: "A service or another command seals at this moment." })

const forget = Effect.fnUntraced(function* (span: number) {
  if (!(yield* Seals.forget(span))) return yield* elsewhere
  yield* Console.log(`${span === 0 ? "All seals are" : `The seal of span ${span} is`} forgotten, and made again.`)
})

/** Seals one span after the other. */
const seal = Effect.fnUntraced(function* (onDifference: (difference: Difference) => Effect.Effect<void>) {
  for (;;) {
    const outcome = yield* Seals.sealNext({ pageRows: Bounds.rangeRows, onDifference, onPage: Effect.void })
    switch (outcome._tag) {
      case "Elsewhere":
        return yield* elsewhere
      case "Differs":
        yield* Console.log(`Span ${outcome.span} has ${count(outcome.differences)} differences and is not sealed.`)
        return differencesFound
      case "Nothing":
        yield* Console.log(`Span ${outcome.span} is not over. Every span before it is sealed.`)
        return allSealed
      case "Sealed": {
        const { accounts, entries, records, span } = outcome
        yield* Console.log(
          `Span ${span} is sealed: ${count(accounts)} accounts, ${count(records)} records, ${count(entries)} entries`
        )
      }
    }
  }
})

export const sealing = (
  open: OpenStorage<Database | Programs>,
  onDifference: (difference: Difference) => Effect.Effect<void>
) =>
  Command.make("seal", { ...Settings.storageFlags, anew }, ({ anew, ...storage }) =>
    working(open)(storage, () =>
      Option.isNone(anew) ? seal(onDifference) : Effect.andThen(forget(anew.value), seal(onDifference))
    )
  ).pipe(
    Command.withDescription(
      "Verify and seal the spans that are over. A service does it by itself. Exit code 0: all are sealed, 1: differences, 2: could not run."
    ),
    Command.withExamples([
      { command: "lotbook journal seal", description: "Seal now, before a full verification" },
      {
        command: "lotbook journal seal --anew 0",
        description: "Make all seals again, because one is damaged"
      }
    ])
  )
