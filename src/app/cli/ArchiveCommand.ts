/** `lotbook journal archive` and `journal restore`: spans as files, and back (contract/databases.md *Archive*). */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Database } from "../../base/database/Database.ts"
import * as ArchiveSpans from "../../reads/reconcile/ArchiveSpans.ts"
import * as RestoreSpans from "../../reads/reconcile/RestoreSpans.ts"
import * as Settings from "../service/Settings.ts"
import { CannotRun, type OpenStorage, working } from "./StorageCommand.ts"

const count = (value: number): string => value.toLocaleString("en-US")
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const monthOf = (text: string): Effect.Effect<string, CannotRun> =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
    ? Effect.succeed(text)
    : Effect.fail(new CannotRun({ message: `${text} is no month: write it as 2025-01.` }))

export const archive = (open: OpenStorage<Database>) =>
  Command.make(
    "archive",
    {
      ...Settings.storageFlags,
      before: Flag.withDescription(Flag.String("before"), "the first month that stays, such as 2025-01"),
      to: Flag.withDescription(Flag.String("to"), "the folder for the files")
    },
    ({ before, to, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          const archived = yield* ArchiveSpans.archive(yield* monthOf(before), to, ({ bytes, file, month, span }) =>
            Console.log(
              `Span ${span} (${month}) lies in ${file}, ${megabytes(bytes)} MB, and no longer in the database`
            )
          )
          if (archived === 0) yield* Console.log(`No sealed span before ${before} is left, save the last two.`)
          return 0
        })
      )
  ).pipe(
    Command.withDescription(
      "Move sealed months out of the database into files, which are read back and compared first. Safe beside running services. Run it with the role that owns the tables."
    ),
    Command.withExamples([
      { command: "lotbook journal archive --before 2025-01 --to /archive", description: "Everything before 2025" }
    ])
  )

export const restore = (open: OpenStorage<Database>) =>
  Command.make(
    "restore",
    {
      ...Settings.storageFlags,
      month: Argument.withDescription(Argument.String("month"), "the month, such as 2025-01"),
      from: Flag.withDescription(Flag.String("from"), "the folder with the files")
    },
    ({ from, month, ...storage }) =>
      working(open)(
        storage,
        Effect.fnUntraced(function* () {
          const restored = yield* RestoreSpans.restore(yield* monthOf(month), from, (one) =>
            Console.log(
              `Span ${one.span} (${one.month}) is in the database again: ${count(one.records)} records` +
                (one.keysEnded ? ". Its idempotency keys beside a business id have ended: the ids answer." : "")
            )
          )
          if (restored === 0) return yield* new CannotRun({ message: `Nothing of ${month} is archived.` })
          return 0
        })
      )
  ).pipe(
    Command.withDescription(
      "Bring an archived month back into the database. Safe beside running services. Run it with the role that owns the tables."
    ),
    Command.withExamples([
      { command: "lotbook journal restore 2025-01 --from /archive", description: "For requests that need it" }
    ])
  )
