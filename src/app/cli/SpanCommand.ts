/** `lotbook journal span`: begins a span of the journal by hand (contract/databases.md *Spans*). */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Connect from "../../base/database/Connect.ts"
import type { Database } from "../../base/database/Database.ts"
import * as Spans from "../../core/journal/postgres/Spans.ts"
import * as Settings from "../service/Settings.ts"
import { CannotRun, type OpenStorage, working } from "./StorageCommand.ts"

export const span = (open: OpenStorage<Database>) =>
  Command.make("span", { ...Settings.storageFlags }, (storage) =>
    working(open)(
      storage,
      Effect.fnUntraced(function* () {
        const { before, present } = yield* Connect.apart(Spans.beginByHand)
        if (present === before)
          return yield* new CannotRun({ message: `No partition is there for span ${before + 1}: nothing has begun.` })
        yield* Console.log(`Span ${present} of the journal has begun. Records lie in it from now on.`)
        return 0
      })
    )
  ).pipe(
    Command.withDescription(
      "Begin a span of the journal now. A service begins one with each month by itself. Safe beside running services."
    ),
    Command.withExamples([{ command: "lotbook journal span", description: "Records from now on lie in the next span" }])
  )
