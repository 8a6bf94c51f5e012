/**
 * `lotbook programs`: show, check, publish and retire programmes, on a service or on the database
 * (contract/operators.md *Commands*).
 */
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as Times from "../../base/time/Times.ts"
import * as ManagedPrograms from "../../capabilities/programs/ManagedPrograms.ts"
import type * as Contract from "../../contract/admin/Programs.ts"
import type { ProgramList } from "../../contract/admin/ProgramsInForce.ts"
import type { Refused } from "../../contract/Refused.ts"
import * as Accounts from "../../core/account/Accounts.ts"
import * as PgJournal from "../../core/journal/postgres/PgJournal.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as PgFeed from "../../reads/feed/PgFeed.ts"
import * as RollupReads from "../../reads/rollups/RollupReads.ts"
import type { Storage } from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { ask, CommandRefused, targetFlags, toExitCode } from "./AdminTarget.ts"
import { optionalInt, optionalText } from "./Flags.ts"
import { databaseTime } from "./MemberCommands.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

type Managed = Effect.Success<ReturnType<typeof ManagedPrograms.make>>

/** Runs a use case on the programmes of a database. A running service picks up published versions. */
const onDatabase =
  <A>(open: Open, work: (programs: Managed) => Effect.Effect<A, Refused, CurrentCaller>) =>
  (storage: Storage) => {
    const services = Layer.mergeAll(
      Accounts.layer(),
      PeoplePool.layer,
      RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
    ).pipe(Layer.provideMerge(PgJournal.layer), Layer.provideMerge(open(storage)))
    const managed = Effect.flatMap(databaseTime, (time) => Times.at(time)(ManagedPrograms.make("command")))
    return Effect.provide(Effect.flatMap(managed, work), services).pipe(Effect.scoped)
  }

/** Reads a programme file as JSON. The use case checks its content. */
const readFile = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) => new CannotRun({ message: `${file}: ${messageOf(error)}` })
  })
  const fault = firstFault(text)
  if (fault !== undefined) return yield* new CannotRun({ message: `${file}: not JSON: ${fault}` })
  return JSON.parse(text) as object
})

const program = Argument.withDescription(Argument.String("program"), "the programme's id")
const file = Argument.withDescription(Argument.String("file"), "the programme file")
const note = optionalText("note", "a note about this version")
const confirmed = optionalInt("confirm-rewards", "confirm that one order may give so many rewards")
const reason = Flag.withDescription(Flag.String("reason"), "the reason, for the audit, without personal data; required")

const lines = (texts: ReadonlyArray<string>) => Effect.forEach(texts, (text) => Console.log(text), { discard: true })

const listed = ({ programs }: typeof ProgramList.Type) =>
  lines(
    programs.map(
      ({ members, name, program_id, status, version }) =>
        `${program_id}: ${name}, version ${version}, ${status}${members === undefined ? "" : `, ${members} members`}`
    )
  )

const list = (open: Open) =>
  Command.make("list", targetFlags, (flags) =>
    toExitCode(
      Effect.gen(function* () {
        for (let cursor: string | undefined; ; ) {
          const query = { limit: "200", ...(cursor === undefined ? undefined : { cursor }) }
          const page: typeof ProgramList.Type = yield* ask(flags, {
            at: (client) => client.programs.listPrograms({ query }),
            on: onDatabase(open, (programs) => programs.list(query))
          })
          yield* listed(page)
          cursor = page.next_cursor
          if (cursor === undefined) return
        }
      })
    )
  ).pipe(
    Command.withDescription("List programmes with their version, status and members."),
    Command.withExamples([
      {
        command: "lotbook programs list --url http://127.0.0.1:3210",
        description: "On a service; its key is in the environment"
      },
      { command: "lotbook programs list", description: "On the database" }
    ])
  )

const show = (open: Open) =>
  Command.make(
    "show",
    {
      ...targetFlags,
      program,
      version: optionalInt("version", "an earlier version (the one in force)")
    },
    Effect.fnUntraced(function* ({ program, version, ...flags }) {
      const shown = yield* Option.isNone(version)
        ? ask(flags, {
            at: (client) => client.programs.showProgram({ params: { program_id: program } }),
            on: onDatabase(open, (programs) => programs.show(program))
          })
        : ask(flags, {
            at: (client) =>
              client.programs.showProgramVersion({
                params: { program_id: program, version: String(version.value) }
              }),
            on: onDatabase(open, (programs) => programs.version(program, version.value))
          })
      yield* Console.error(`version ${shown.version}, published ${shown.published_at} by ${shown.published_by}`)
      yield* Console.log(JSON.stringify(shown.program, null, 2))
    }, toExitCode)
  ).pipe(
    Command.withDescription("Print a programme's definition, as a file that can be published."),
    Command.withExamples([
      {
        command: "lotbook programs show demo-foodservice > demo.json",
        description: "Save the version in force to a file"
      },
      { command: "lotbook programs show demo-foodservice --version 1", description: "An earlier version" }
    ])
  )

const changeLine = ({ from, path, to }: typeof Contract.ProgramChange.Type): string => {
  if (from === undefined) return `added ${path}: ${JSON.stringify(to)}`
  if (to === undefined) return `removed ${path}: ${JSON.stringify(from)}`
  return `change ${path}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`
}

const validatedLines = (found: typeof Contract.Validated.Type): ReadonlyArray<string> => [
  ...found.errors.map(({ message, path }) => `error ${path}: ${message}`),
  ...found.blocking.map(({ message, path }) => `blocking ${path}: ${message}`),
  ...found.warnings.map(({ message, path }) => `warning ${path}: ${message}`),
  ...found.changes.map(changeLine),
  `affected: ${found.affected.members} members, ${found.affected.open_reservations} open reservations, ${found.affected.issued_rewards} issued rewards`
]

const validate = (open: Open) =>
  Command.make(
    "validate",
    { ...targetFlags, file },
    Effect.fnUntraced(function* ({ file, ...flags }) {
      const body = yield* readFile(file)
      const found = yield* ask(flags, {
        at: (client) => client.programs.validateProgram({ payload: body }),
        on: onDatabase(open, (programs) => programs.validate(body))
      })
      yield* lines(validatedLines(found))
      if (!found.valid) return yield* new CommandRefused({ detail: `${file} cannot be published.` })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Check a programme file against the version in force; exit code 1: it cannot be published."
    ),
    Command.withExamples([
      {
        command: "lotbook programs validate src/app/demo/program.demo.json --url http://127.0.0.1:3210",
        description: "List the changes, and those that block a publication"
      }
    ])
  )

const published = ({ program_id, version }: typeof Contract.PublishedVersion.Type) =>
  Console.log(`${program_id}: published version ${version}`)

const publish = (open: Open) =>
  Command.make(
    "publish",
    {
      ...targetFlags,
      file,
      note,
      expected: optionalInt("expected-version", "publish only if this version is in force; 0: a new programme"),
      confirmed
    },
    Effect.fnUntraced(function* ({ confirmed, expected, file, note, ...flags }) {
      const body = {
        program: yield* readFile(file),
        ...(Option.isNone(expected) ? undefined : { expected_version: expected.value }),
        ...(Option.isNone(confirmed) ? undefined : { confirm_rewards: confirmed.value }),
        ...(Option.isNone(note) ? undefined : { note: note.value })
      }
      const answer = yield* ask(flags, {
        at: (client) => client.programs.publishProgram({ payload: body }),
        on: onDatabase(open, (programs) => programs.publish(body))
      })
      yield* published(answer)
    }, toExitCode)
  ).pipe(
    Command.withDescription("Publish a programme file. It takes effect on every service immediately."),
    Command.withExamples([
      {
        command:
          "lotbook programs publish src/app/demo/program.demo.json --url http://127.0.0.1:3210 --expected-version 1 --note 'Double points on Monday'",
        description: "Publish only if version 1 is still in force"
      }
    ])
  )

const rollback = (open: Open) =>
  Command.make(
    "rollback",
    {
      ...targetFlags,
      program,
      note,
      confirmed,
      version: Flag.withDescription(Flag.Int("version"), "the version whose definition is published again")
    },
    Effect.fnUntraced(function* ({ confirmed, note, program, version, ...flags }) {
      const body = {
        version,
        ...(Option.isNone(confirmed) ? undefined : { confirm_rewards: confirmed.value }),
        ...(Option.isNone(note) ? undefined : { note: note.value })
      }
      const answer = yield* ask(flags, {
        at: (client) => client.programs.rollBackProgram({ params: { program_id: program }, payload: body }),
        on: onDatabase(open, (programs) => programs.rollBack(program, body))
      })
      yield* published(answer)
    }, toExitCode)
  ).pipe(
    Command.withDescription("Publish the definition of an earlier version again."),
    Command.withExamples([
      {
        command:
          "lotbook programs rollback demo-foodservice --version 1 --note 'Wrong rate' --url http://127.0.0.1:3210",
        description: "Version 1 is in force again, under a new number"
      }
    ])
  )

const setStatus = (open: Open, name: "retire" | "restore", description: string) =>
  Command.make(
    name,
    { ...targetFlags, program, reason },
    Effect.fnUntraced(function* ({ program, reason, ...flags }) {
      const request = { params: { program_id: program }, payload: { reason } }
      const { program_id, status } = yield* ask(flags, {
        at: ({ programs }) => (name === "retire" ? programs.retireProgram(request) : programs.restoreProgram(request)),
        on: onDatabase(open, (programs) => programs[name](program, reason))
      })
      yield* Console.log(`${program_id}: ${status}`)
    }, toExitCode)
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      {
        command: `lotbook programs ${name} demo-foodservice --reason 'End of the season' --url http://127.0.0.1:3210`,
        description: "On a service; its key is in the environment"
      }
    ])
  )

export const programs = (open: Open) =>
  Command.make("programs").pipe(
    Command.withDescription("Show, check, publish and retire programmes, on a service (--url) or on the database."),
    Command.withExamples([{ command: "lotbook programs list", description: "On the database" }]),
    Command.withSubcommands([
      list(open),
      show(open),
      validate(open),
      publish(open),
      rollback(open),
      setStatus(
        open,
        "retire",
        "Retire a programme: only captures, reversals, refunds, expirations and reads remain possible."
      ),
      setStatus(open, "restore", "Restore a retired programme.")
    ])
  )
