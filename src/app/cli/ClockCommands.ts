/**
 * `lotbook clock confirm`: confirms PostgreSQL's clock after a long time without a service
 * (contract/databases.md *Clock of the service*).
 */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Clocks from "../../capabilities/operators/Clocks.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, toExitCode } from "./AdminTarget.ts"
import { reason } from "./MemberCommands.ts"

const confirm = (open: Open) =>
  Command.make(
    "confirm",
    { ...Settings.storageFlags, reason },
    Effect.fnUntraced(function* ({ reason, ...flags }) {
      const at = yield* askDatabase(flags, (storage) =>
        Effect.provide(Clocks.confirm(reason), Layer.provide(PeoplePool.layer, open(storage)))
      )
      yield* Console.log(`Confirmed the time ${fromMillis(at)}. Waiting services continue within a second.`)
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Confirm PostgreSQL's clock after more than 31 days without a service. Check its time first: points due by then expire."
    ),
    Command.withExamples([
      { command: "lotbook clock confirm --reason 'Closed for the winter'", description: "On the database" }
    ])
  )

export const clock = (open: Open) =>
  Command.make("clock").pipe(
    Command.withDescription("Confirm the clock of an installation that was off for a long time."),
    Command.withExamples([
      { command: "lotbook clock confirm --reason 'Closed for the winter'", description: "On the database" }
    ]),
    Command.withSubcommands([confirm(open)])
  )
