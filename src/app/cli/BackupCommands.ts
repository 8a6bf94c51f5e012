/**
 * `lotbook backup check`: verifies a restored copy, counts missing records, and names erased guests and revoked tokens
 * that the restore brought back.
 *
 * Exit codes: 0 nothing to do, 1 something differs or is back, 2 the command could not run.
 */
import { Console, Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Profiles from "../../capabilities/members/Profiles.ts"
import * as Tokens from "../../capabilities/operators/Tokens.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Keys } from "../../desk/access/Keys.ts"
import * as Anchor from "../../reads/reconcile/Anchor.ts"
import * as Verify from "../../reads/reconcile/Verify.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, CommandRefused, toExitCode } from "./AdminTarget.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { toggle } from "./Flags.ts"
import { anchorFlags, printDifference } from "./JournalCommands.ts"
import { onDatabase } from "./MemberCommands.ts"
import { CannotRun } from "./StorageCommand.ts"

const reason = "Undone after a restore"

/** Erases the guests and revokes the tokens again, through the accounts and with audit entries. */
const undo = ({ accounts, tokens }: Anchor.Revived) =>
  Effect.gen(function* () {
    const programs = yield* Programs
    const profiles = yield* Profiles.make((yield* PeoplePool).query)
    for (const { member, program } of accounts) {
      const found = programs.get(program)
      if (found === undefined) return yield* new CannotRun({ message: `There is no programme ${program}.` })
      yield* profiles.erase(found, { member_id: member, reason })
      yield* Console.log(`Erased ${member} in ${program} again.`)
    }
    for (const token of tokens) {
      yield* Tokens.revoke(token, reason)
      yield* Console.log(`Revoked token ${token} again.`)
    }
  })

const check = (open: Open) =>
  Command.make(
    "check",
    {
      ...Settings.storageFlags,
      ...anchorFlags,
      from: ArchiveFolder.from,
      apply: toggle("apply", "erase the guests and revoke the tokens that are back")
    },
    Effect.fnUntraced(function* ({ anchor, anchorKey, apply, from, ...storage }) {
      if (Option.isNone(anchor) || Option.isNone(anchorKey))
        return yield* new CannotRun({ message: "backup check needs --anchor and --anchor-key." })
      const body = yield* Anchor.read(anchor.value, yield* Anchor.readKey(anchorKey.value))
      const examined = yield* askDatabase(storage, (chosen) =>
        Effect.provide(
          Effect.gen(function* () {
            const compared = {
              ...(yield* Anchor.compare(body, "records")),
              missingRecords: yield* Anchor.missingRecords(body)
            }
            const onProgress = () => Effect.void
            const verified = yield* Verify.run({ share: 100, isFull: true, onProgress, onDifference: printDifference })
            return { compared, verified }
          }).pipe(ArchiveFolder.reading(from)),
          open(chosen)
        )
      )
      const { compared, verified } = examined
      const { differences, missingRecords, revived } = compared
      yield* Console.log(
        `${verified.accounts} accounts, ${verified.records} records, ${verified.entries} entries; ${verified.differences} differences in the copy itself`
      )
      yield* Console.log(
        `The anchor was written at ${body.written_at}. The copy lacks ${missingRecords} of its records.`
      )
      yield* Effect.forEach(differences, (difference) => printDifference(difference, undefined), { discard: true })
      for (const { member, program } of revived.accounts)
        yield* Console.log(`Erased guest is back: ${member} in ${program}`)
      for (const token of revived.tokens) yield* Console.log(`Revoked token is back: ${token}`)
      const isRevived = revived.accounts.length + revived.tokens.length > 0
      if (isRevived && apply) {
        const keys = Settings.readKeys(Settings.given({}, process.env))
        if (Result.isFailure(keys)) return yield* new CannotRun({ message: keys.failure })
        const work = Effect.provide(undo(revived), Keys.layer(keys.success))
        yield* askDatabase(
          storage,
          onDatabase(open, "write", () => work)
        )
      } else if (isRevived) yield* Console.log("Run the command with --apply to erase and revoke them again.")
      const isRight = verified.differences + differences.length === 0 && (!isRevived || apply)
      if (!isRight)
        return yield* new CommandRefused({
          detail: "The copy differs from the anchor. The lines above name the differences."
        })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Check a restored copy against an anchor that is newer than the backup. Verifies the copy, counts missing records, and names erased guests and revoked tokens that are back. Exit code 0: nothing to do, 1: differences, 2: could not run."
    ),
    Command.withShortDescription("Check a restored copy."),
    Command.withExamples([
      {
        command: "lotbook backup check --anchor /safe/2026-07.json --anchor-key /safe/anchor.pem",
        description: "Before a service starts on the copy"
      }
    ])
  )

export const backup = (open: Open) =>
  Command.make("backup").pipe(
    Command.withDescription("Check restored copies of the database."),
    Command.withExamples([
      {
        command: "lotbook backup check --anchor /safe/2026-07.json --anchor-key /safe/anchor.pem",
        description: "Monthly, on a copy restored for this"
      }
    ]),
    Command.withSubcommands([check(open)])
  )
