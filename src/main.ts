/** The command line. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit } from "effect"
import { CliOutput, Command } from "effect/cli"
import { setFlagsFromString } from "node:v8"
import * as BackupCommands from "./app/cli/BackupCommands.ts"
import * as ClockCommands from "./app/cli/ClockCommands.ts"
import * as ConformanceCommands from "./app/cli/ConformanceCommands.ts"
import { attached, opened } from "./app/cli/Databases.ts"
import { emulate } from "./app/cli/EmulateCommand.ts"
import { exporting } from "./app/cli/ExportCommand.ts"
import * as FeedCommands from "./app/cli/FeedCommands.ts"
import * as FinanceCommands from "./app/cli/FinanceCommands.ts"
import * as JournalCommands from "./app/cli/JournalCommands.ts"
import { mcp } from "./app/cli/McpCommand.ts"
import * as MemberCommands from "./app/cli/MemberCommands.ts"
import * as MergeCommand from "./app/cli/MergeCommand.ts"
import { migrate } from "./app/cli/MigrateCommand.ts"
import { moveIn } from "./app/cli/MoveInCommand.ts"
import { nodes } from "./app/cli/NodeCommand.ts"
import { limitStopTime, stopWithParent } from "./app/cli/ProcessStop.ts"
import * as ProgramCommands from "./app/cli/ProgramCommands.ts"
import { serve } from "./app/cli/ServeCommand.ts"
import * as StaffCommands from "./app/cli/StaffCommands.ts"
import { exitWith } from "./app/cli/StorageCommand.ts"
import * as TokenCommands from "./app/cli/TokenCommands.ts"
import { commit } from "./base/metrics/Build.ts"
import { softwareVersion } from "./contract/Version.ts"

const members = Command.make("members").pipe(
  Command.withDescription("Show and change members, on a service (--url) or on the database."),
  Command.withExamples([
    {
      command: "lotbook members show member-003 --program demo-foodservice",
      description: "Balances, lots, holds and rewards of a demo member"
    }
  ]),
  Command.withSubcommands([...MemberCommands.members(opened), MergeCommand.merge(opened)])
)

/** The whole command line. */
export const lotbook = Command.make("lotbook").pipe(
  Command.withDescription(
    "A loyalty points engine for restaurants and shops. Without a command it starts the service, whose /docs has guides."
  ),
  Command.withExamples([
    { command: "lotbook serve", description: "Try it: embedded PostgreSQL, demo programme, demo members" },
    { command: "lotbook serve --help", description: "Every setting" },
    { command: "lotbook doctor http://127.0.0.1:3210", description: "Check a running service" }
  ]),
  Command.withSubcommands([
    serve,
    migrate(attached),
    JournalCommands.journal(opened),
    BackupCommands.backup(opened),
    JournalCommands.balance(opened),
    FinanceCommands.finance(opened),
    FeedCommands.feed(opened),
    members,
    moveIn(opened),
    exporting(opened),
    ProgramCommands.programs(opened),
    TokenCommands.tokens(opened),
    StaffCommands.staff(opened),
    TokenCommands.freeze(opened),
    ClockCommands.clock(opened),
    nodes(opened),
    mcp,
    ConformanceCommands.doctor,
    ConformanceCommands.verify,
    emulate
  ])
)

/** Prints one line for each fault of a command line, instead of the whole help followed by the fault. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.gen(function* () {
          const { formatCliError } = yield* CliOutput.Formatter
          const help = `${event.commandPath.join(" ")} --help`
          for (const error of event.errors) yield* Console.error(`${formatCliError(error)}; see ${help}`)
        })
      : CliOutput.defaultPresenter.present(event)
})

/** Flags of the command line itself; all others without a command are those of `serve`. */
const ownFlags = /^(?:--(?:help|version|completions|log-level|wizard)\b|-[hv]$)/

/** Runs a command line, without the name of the program. Without a command it starts the service. */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(lotbook, { version: `${softwareVersion} (${commit()})` })(
    (args[0] ?? "-").startsWith("-") && !ownFlags.test(args[0] ?? "") ? ["serve", ...args] : args
  ).pipe(
    Effect.catchTag("StartRefused", (error) => Effect.andThen(Console.error(error.message), exitWith(1))),
    Effect.provide([NodeServices.layer, presenter])
  )

/** The exit code of a command. A stop by a signal is not a failure. 2: the command could not start. */
export const exitCodeOf = <A, E>(exit: Exit.Exit<A, E>): number =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 2

// A Node that does not know which file it runs is older than the one that comes with the service.
if ((import.meta.main as boolean | undefined) === undefined) {
  process.stderr.write(
    `Node ${process.versions.node} is too old for this file. Run npx lotbook, or npm start: they use the Node that npm installed.\n`
  )
  process.exitCode = 2
}

// Tests import this file, to run commands without a process for each.
if (import.meta.main) {
  // V8 treats objects in flight during a young collection as long-lived, and then allocates all requests in the old
  // generation.
  setFlagsFromString("--no-allocation-site-pretenuring")
  stopWithParent()
  limitStopTime()
  NodeRuntime.runMain(run(process.argv.slice(2)), { teardown: (exit, onExit) => onExit(exitCodeOf(exit)) })
}
