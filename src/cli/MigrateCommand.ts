/**
 * `lotbook migrate`: applies this version's migrations to a database, without a service.
 *
 * Safe to repeat, to run several times at once, and while services run: each file is applied once, under a lock, in its
 * own transaction.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Database } from "../database/Database.ts"
import * as Migrations from "../database/Migrations.ts"
import * as StartChecks from "../database/StartChecks.ts"
import * as Settings from "../service/Settings.ts"
import { type OpenStorage, working } from "./StorageCommand.ts"

export const migrate = (open: OpenStorage<Database>) =>
  Command.make("migrate", Settings.storageFlags, (storage) =>
    working(open)(
      storage,
      Effect.fnUntraced(function* () {
        const { describe } = yield* Database
        yield* StartChecks.run
        const applied = yield* Migrations.run()
        const done = applied.length === 0 ? "has every migration already" : `now has ${applied.join(", ")}`
        yield* Console.log(`${describe} ${done}`)
        return 0
      })
    )
  ).pipe(
    Command.withDescription(
      "Apply missing migrations. Safe to repeat, and while services run. Exit code 0: the database has all of them, 2: could not run."
    ),
    Command.withExamples([
      {
        command: "lotbook migrate",
        description: "Before a rolling upgrade, on the database of the services"
      }
    ])
  )
