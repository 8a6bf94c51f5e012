/**
 * `lotbook migrate`: applies this version's migrations to a database, without a service.
 *
 * Safe to repeat, to run several times at once, and while services run: each file is applied once, under a lock, in its
 * own transaction.
 */
import { PgConnection } from "@effect/sql-pg"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Database } from "../../base/database/Database.ts"
import * as Migrations from "../../base/database/Migrations.ts"
import * as Roles from "../../base/database/Roles.ts"
import * as StartChecks from "../../base/database/StartChecks.ts"
import * as Settings from "../service/Settings.ts"
import { type OpenStorage, working } from "./StorageCommand.ts"

const grant = Flag.String("grant").pipe(
  Flag.withMetavar("ROLE"),
  Flag.withDescription("Give this role the rights to serve: a role that owns nothing and cannot change the tables"),
  Flag.optional
)

const granted = Effect.fnUntraced(function* (role: string) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  yield* Roles.grant(connection, role)
  yield* Console.log(`${role} has the rights to serve`)
}, Effect.scoped)

export const migrate = (open: OpenStorage<Database>) =>
  Command.make("migrate", { ...Settings.storageFlags, grant }, ({ grant, ...storage }) =>
    working(open)(
      storage,
      Effect.fnUntraced(function* () {
        const { describe } = yield* Database
        yield* StartChecks.run
        const applied = yield* Migrations.run()
        const done = applied.length === 0 ? "has every migration already" : `now has ${applied.join(", ")}`
        yield* Console.log(`${describe} ${done}`)
        if (Option.isSome(grant)) yield* granted(grant.value)
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
