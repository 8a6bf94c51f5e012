/** `lotbook journal seal`: seals the spans that are over (contract/databases.md *Seals*). */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Database } from "../../base/database/Database.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import * as Bounds from "../../reads/reconcile/Bounds.ts"
import type { Difference } from "../../reads/reconcile/Difference.ts"
import * as Seals from "../../reads/reconcile/Seals.ts"
import * as Settings from "../service/Settings.ts"
import { CannotRun, type OpenStorage, working } from "./StorageCommand.ts"

const allSealed = 0
const differencesFound = 1

const count = (value: number): string => value.toLocaleString("en-US")

/** Seals one span after the other. */
const seal = Effect.fnUntraced(function* (onDifference: (difference: Difference) => Effect.Effect<void>) {
  for (;;) {
    const outcome = yield* Seals.sealNext({ pageRows: Bounds.rangeRows, onDifference, onPage: Effect.void })
    switch (outcome._tag) {
      case "Elsewhere":
        return yield* new CannotRun({ message: "A service or another command seals at this moment." })
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
  Command.make("seal", { ...Settings.storageFlags }, (storage) =>
    working(open)(storage, () => seal(onDifference))
  ).pipe(
    Command.withDescription(
      "Verify and seal the spans that are over. A service does it by itself. Exit code 0: all are sealed, 1: differences, 2: could not run."
    ),
    Command.withExamples([{ command: "lotbook journal seal", description: "Seal now, before a full verification" }])
  )
