/** `lotbook programs`: show, check, publish and retire programmes, on a service or on the database (admin.md). */
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as Accounts from "../account/Accounts.ts"
import { AdminDatabase } from "../admin/AdminDatabase.ts"
import * as ManagedPrograms from "../admin/ManagedPrograms.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type * as Contract from "../contract/admin/Programs.ts"
import { programsPath } from "../contract/admin/Programs.ts"
import * as PgFeed from "../feed/PgFeed.ts"
import * as PgJournal from "../journal/postgres/PgJournal.ts"
import { CurrentCaller } from "../protocol/CurrentCaller.ts"
import * as RollupReads from "../rollups/RollupReads.ts"
import { caller, serviceClock } from "./MemberCommands.ts"
import type { Open, TargetFlags } from "./Operators.ts"
import * as Operators from "./Operators.ts"
import { Refusal, targetFlags } from "./Operators.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

type Managed = Effect.Success<ReturnType<typeof ManagedPrograms.make>>

/** A request as each target sends it. */
interface Asked {
  readonly method: "GET" | "POST"
  /** Behind the programmes' path. */
  readonly rest: string
  readonly body?: object
  readonly onDatabase: (programs: Managed) => Effect.Effect<object, Refused, CurrentCaller>
}

/** A running service follows what is published here. */
const onDatabase = (open: Open, flags: TargetFlags, { onDatabase }: Asked) =>
  Effect.gen(function* () {
    const storage = yield* Operators.storageOf(flags)
    const work = Effect.gen(function* () {
      const clock = yield* serviceClock
      const programs = yield* Effect.provideService(ManagedPrograms.make("command"), Clock.Clock, clock)
      return yield* onDatabase(programs).pipe(
        Effect.provideService(CurrentCaller, caller),
        Effect.mapError(
          ({ code, detail, errors }) => new Refusal({ message: Operators.refusalText(code, detail, errors) })
        )
      )
    })
    const services = Layer.mergeAll(
      Accounts.layer(),
      AdminDatabase.layer,
      RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
    ).pipe(Layer.provideMerge(PgJournal.layer), Layer.provideMerge(open(storage)))
    return yield* Effect.provide(work, services)
  }).pipe(Effect.scoped)

const ask = (open: Open, flags: TargetFlags, asked: Asked) =>
  Option.isSome(flags.url)
    ? Operators.send(flags.url.value, asked.method, programsPath + asked.rest, asked.body)
    : onDatabase(open, flags, asked)

const pathOf = (id: string, rest = ""): string => `/${encodeURIComponent(id)}${rest}`

/** A programme file's JSON; what is wrong with its content is for the service to say. */
const readFile = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) => new CannotRun({ message: `${file}: ${messageOf(error)}` })
  })
  return yield* Effect.try({
    try: () => JSON.parse(text) as object,
    catch: (error) => new CannotRun({ message: `${file}: not JSON: ${messageOf(error)}` })
  })
})

const program = Argument.withDescription(Argument.String("program"), "the programme's id")
const file = Argument.withDescription(Argument.String("file"), "the programme file")
const note = Flag.optional(Flag.withDescription(Flag.String("note"), "what to remember of this version"))
const reason = Flag.withDescription(Flag.String("reason"), "why, for the audit; no place for personal data")

const lines = (texts: ReadonlyArray<string>) => Effect.forEach(texts, (text) => Console.log(text), { discard: true })

/** What a service answers is of the contract; `send` gives it as plain JSON. */
const as = <A>(answer: object): A => answer as A

const listed = ({ programs }: typeof Contract.ProgramList.Type) =>
  lines(
    programs.map(
      ({ members, name, program_id, status, version }) =>
        `${program_id}: ${name}, version ${version}, ${status}, ${members} members`
    )
  )

const list = (open: Open) =>
  Command.make("list", targetFlags, (flags) =>
    Operators.running(
      Effect.gen(function* () {
        for (let cursor: string | undefined; ; ) {
          const query = { limit: "200", ...(cursor === undefined ? undefined : { cursor }) }
          const rest = `?${new URLSearchParams(query).toString()}`
          const asked: Asked = { method: "GET", rest, onDatabase: (programs) => programs.list(query) }
          const page = as<typeof Contract.ProgramList.Type>(yield* ask(open, flags, asked))
          yield* listed(page)
          cursor = page.next_cursor
          if (cursor === undefined) return
        }
      })
    )
  ).pipe(Command.withDescription("List programmes with their version, status and members."))

const show = (open: Open) =>
  Command.make(
    "show",
    {
      ...targetFlags,
      program,
      version: Flag.optional(Flag.withDescription(Flag.Int("version"), "an earlier version (the one in force)"))
    },
    ({ program, version, ...flags }) =>
      Operators.running(
        Effect.gen(function* () {
          const asked: Asked = Option.isNone(version)
            ? { method: "GET", rest: pathOf(program), onDatabase: (programs) => programs.show(program) }
            : {
                method: "GET",
                rest: pathOf(program, `/versions/${version.value}`),
                onDatabase: (programs) => programs.version(program, version.value)
              }
          const shown = as<typeof Contract.ProgramShown.Type>(yield* ask(open, flags, asked))
          yield* Console.error(`version ${shown.version}, published ${shown.published_at} by ${shown.published_by}`)
          yield* Console.log(JSON.stringify(shown.program, null, 2))
        })
      )
  ).pipe(Command.withDescription("Print a programme's definition, as a file that can be published."))

const changeLine = ({ from, path, to }: typeof Contract.ProgramChange.Type): string => {
  if (from === undefined) return `added ${path}: ${JSON.stringify(to)}`
  if (to === undefined) return `removed ${path}: ${JSON.stringify(from)}`
  return `change ${path}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`
}

const validatedLines = (found: typeof Contract.Validated.Type): ReadonlyArray<string> => [
  ...found.errors.map(({ message, path }) => `error ${path}: ${message}`),
  ...found.blocking.map(({ message, path }) => `blocking ${path}: ${message}`),
  ...found.changes.map(changeLine),
  `affected: ${found.affected.members} members, ${found.affected.open_reservations} open reservations, ${found.affected.issued_rewards} issued rewards`
]

const validate = (open: Open) =>
  Command.make("validate", { ...targetFlags, file }, ({ file, ...flags }) =>
    Operators.running(
      Effect.gen(function* () {
        const body = yield* readFile(file)
        const asked: Asked = {
          method: "POST",
          rest: "/validate",
          body,
          onDatabase: (programs) => programs.validate(body)
        }
        const found = as<typeof Contract.Validated.Type>(yield* ask(open, flags, asked))
        yield* lines(validatedLines(found))
        if (!found.valid) return yield* new Refusal({ message: `${file} cannot be published.` })
      })
    )
  ).pipe(
    Command.withDescription("Check a programme file against the version in force; exit code 1: it cannot be published.")
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
      expected: Flag.optional(
        Flag.withDescription(Flag.Int("expected-version"), "publish only while this version is in force; 0: a new one")
      )
    },
    ({ expected, file, note, ...flags }) =>
      Operators.running(
        Effect.gen(function* () {
          const body = {
            program: yield* readFile(file),
            ...(Option.isNone(expected) ? undefined : { expected_version: expected.value }),
            ...(Option.isNone(note) ? undefined : { note: note.value })
          }
          const asked: Asked = {
            method: "POST",
            rest: "/publish",
            body,
            onDatabase: (programs) => programs.publish(body)
          }
          yield* published(as(yield* ask(open, flags, asked)))
        })
      )
  ).pipe(Command.withDescription("Publish a programme file: in force on every service at once."))

const rollback = (open: Open) =>
  Command.make(
    "rollback",
    {
      ...targetFlags,
      program,
      note,
      version: Flag.withDescription(Flag.Int("version"), "the version whose definition is published again")
    },
    ({ note, program, version, ...flags }) =>
      Operators.running(
        Effect.gen(function* () {
          const body = { version, ...(Option.isNone(note) ? undefined : { note: note.value }) }
          const asked: Asked = {
            method: "POST",
            rest: pathOf(program, "/rollback"),
            body,
            onDatabase: (programs) => programs.rollBack(program, body)
          }
          yield* published(as(yield* ask(open, flags, asked)))
        })
      )
  ).pipe(Command.withDescription("Publish the definition of an earlier version again."))

const setStatus = (open: Open, name: "retire" | "restore", description: string) =>
  Command.make(name, { ...targetFlags, program, reason }, ({ program, reason, ...flags }) =>
    Operators.running(
      Effect.gen(function* () {
        const asked: Asked = {
          method: "POST",
          rest: pathOf(program, `/${name}`),
          body: { reason },
          onDatabase: (programs) => programs[name](program, reason)
        }
        const { program_id, status } = as<typeof Contract.StatusOfProgram.Type>(yield* ask(open, flags, asked))
        yield* Console.log(`${program_id}: ${status}`)
      })
    )
  ).pipe(Command.withDescription(description))

export const programs = (open: Open) =>
  Command.make("programs").pipe(
    Command.withDescription(
      "Show, check, publish and retire programmes, on a service by its address or on the database."
    ),
    Command.withSubcommands([
      list(open),
      show(open),
      validate(open),
      publish(open),
      rollback(open),
      setStatus(open, "retire", "Retire a programme: only captures, reversals, refunds, expirations and reads go on."),
      setStatus(open, "restore", "Take a retired programme back.")
    ])
  )
