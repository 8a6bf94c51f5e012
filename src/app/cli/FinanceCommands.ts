/**
 * `lotbook finance verify`: proves closed months (contract/finance.md *Verification*).
 *
 * Exit codes: 0 all are as they were told, 1 differences, 2 the command could not run.
 */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import type { Database } from "../../base/database/Database.ts"
import * as Recount from "../../capabilities/finance/Recount.ts"
import * as PgFeed from "../../reads/feed/PgFeed.ts"
import * as FinanceStore from "../../reads/finance/FinanceStore.ts"
import * as Settings from "../service/Settings.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { type OpenStorage, printable, working } from "./StorageCommand.ts"

const asTold = 0
const differencesFound = 1

const verified = Effect.gen(function* () {
  let wrong = 0
  const months = yield* Recount.run(({ faults, period, program }) => {
    if (faults.length === 0) return Console.log(printable(`${program} ${period}: as it was told`))
    wrong++
    return Console.log(printable(`${program} ${period}: ${faults.join("; ")}`))
  })
  yield* Console.log(
    wrong === 0 ? `${months} closed months are as they were told.` : `${wrong} of ${months} closed months differ.`
  )
  return wrong === 0 ? asTold : differencesFound
})

// Fresh: the feed of this run has its folder of archived spans.
const reads = Layer.fresh(Layer.provideMerge(FinanceStore.layer, PgFeed.layer))

const verify = (open: OpenStorage<Database>) =>
  Command.make("verify", { ...Settings.storageFlags, from: ArchiveFolder.from }, ({ from, ...storage }) =>
    working(open)(storage, () => ArchiveFolder.reading(from)(Effect.provide(verified, reads)))
  ).pipe(
    Command.withDescription(
      "Count every closed month anew from the journal, archived files too, and compare it byte for byte. Exit code 0: all are as they were told, 1: differences, 2: could not run."
    ),
    Command.withExamples([
      { command: "lotbook finance verify", description: "After an upgrade, a restore or a year" },
      { command: "lotbook finance verify --from /mnt/archive", description: "With archived months in this folder" }
    ])
  )

export const finance = (open: OpenStorage<Database>) =>
  Command.make("finance").pipe(
    Command.withDescription("Prove closed months."),
    Command.withExamples([{ command: "lotbook finance verify", description: "Count all closed months anew" }]),
    Command.withSubcommands([verify(open)])
  )
