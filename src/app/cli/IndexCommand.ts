/** `lotbook journal index`: indexes the claims of ended eras (contract/databases.md *Claims*). */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Database } from "../../base/database/Database.ts"
import * as ClaimsIndex from "../../core/journal/postgres/ClaimsIndex.ts"
import * as Settings from "../service/Settings.ts"
import { CannotRun, type OpenStorage, working } from "./StorageCommand.ts"

export const indexing = (open: OpenStorage<Database>) =>
  Command.make("index", { ...Settings.storageFlags }, (storage) =>
    working(open)(
      storage,
      Effect.fnUntraced(function* () {
        const outcome = yield* ClaimsIndex.indexEnded()
        switch (outcome._tag) {
          case "Elsewhere":
            return yield* new CannotRun({ message: "A service or another command indexes claims at this moment." })
          case "NotOwner":
            return yield* new CannotRun({
              message: `journal index makes an index: run it with the role that owns the tables, ${outcome.owner}, in DATABASE_URL.`
            })
          case "Nothing":
            yield* Console.log("There are not enough claims yet that no index has. Nothing was done.")
            return 0
          case "Indexed":
            yield* Console.log(`The claims of all eras before ${outcome.before} are indexed.`)
            return 0
        }
      })
    )
  ).pipe(
    Command.withDescription(
      "Index the claims of ended eras, if there are many. A service whose role owns the tables does it by itself. Safe beside running services."
    ),
    Command.withExamples([{ command: "lotbook journal index", description: "Index claims now, with the owner's role" }])
  )
