/**
 * `lotbook export`: writes a programme with all its guests into a file, and checks such a file (contract/exports.md *File*, *Check*).
 *
 * Exit codes: 0 done, 1 the file or the tables are damaged, 2 the command could not run.
 */
import type { Schema } from "effect"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs"
import type { Database } from "../../base/database/Database.ts"
import * as Moment from "../../base/database/Moment.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { machineNow } from "../../base/time/Times.ts"
import * as Check from "../../capabilities/exports/Check.ts"
import * as Export from "../../capabilities/exports/Export.ts"
import * as Guests from "../../capabilities/exports/Guests.ts"
import type { Opener } from "../../capabilities/exports/InFile.ts"
import type { Readers } from "../../capabilities/exports/OutFile.ts"
import * as OutFile from "../../capabilities/exports/OutFile.ts"
import type { Manifest } from "../../capabilities/exports/Tally.ts"
import { Writer } from "../../capabilities/exports/Writer.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, toExitCode } from "./AdminTarget.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { optionalText, toggle } from "./Flags.ts"
import { databaseTime, json, print } from "./MemberCommands.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

/** Pause between lines of progress, ms. */
const progressMs = 5_000

const number = (value: number | bigint): string => value.toLocaleString("en-US")

const file = Argument.withDescription(Argument.String("file"), "the file")
const passphraseFile = optionalText("passphrase-file", "a file whose first line is the passphrase")

const firstLine = (name: string, path: string) =>
  Effect.try({
    try: () => fs.readFileSync(path, "utf8").split(/\r?\n/, 1)[0] ?? "",
    catch: (error) => new CannotRun({ message: `${name} ${path}: ${messageOf(error)}` })
  })

const passphraseOf = Effect.fnUntraced(function* (path: string) {
  const passphrase = yield* firstLine("--passphrase-file", path)
  if (passphrase === "") return yield* new CannotRun({ message: `--passphrase-file ${path}: its first line is empty.` })
  return { passphrase }
})

interface ReaderFlags {
  readonly recipient: ReadonlyArray<string>
  readonly passphraseFile: Option.Option<string>
  readonly plain: boolean
}

/** Exactly one way is demanded: nobody writes guests in the clear by leaving out a flag. */
const readersOf = Effect.fnUntraced(function* ({ passphraseFile, plain, recipient }: ReaderFlags) {
  const ways = [recipient.length > 0, Option.isSome(passphraseFile), plain].filter(Boolean).length
  if (ways !== 1) return yield* new CannotRun({ message: "Give one of --recipient, --passphrase-file and --plain." })
  if (recipient.length > 0) return { recipients: recipient } satisfies Readers as Readers
  return Option.isSome(passphraseFile)
    ? ((yield* passphraseOf(passphraseFile.value)) as Readers)
    : { isPlain: true as const }
})

const progress = Effect.map(machineNow, (began) => {
  let last = began
  return (guests: number) =>
    Effect.flatMap(machineNow, (now) => {
      if (now - last < progressMs) return Effect.void
      last = now
      return Console.error(`${number(guests)} guests, ${number(Math.round((guests * 1000) / (now - began)))} a second`)
    })
})

const countsLines = ({ counts, heads, sums }: Manifest): ReadonlyArray<string> => [
  ...Object.entries(counts)
    .filter(([kind]) => kind !== "export" && kind !== "total")
    .map(([kind, count]) => `${kind}: ${number(count)}`),
  ...sums.map(({ entries, unit }) => `${unit}: ${number(BigInt(entries))}`),
  `heads: ${heads}`
]

/** A file that is being written. */
interface Writing {
  readonly program: Program
  readonly context: Omit<Export.ExportContext, "program">
}

interface Asked {
  readonly file: string
  readonly program: string
  readonly readers: Readers
  readonly isCompressed: boolean
}

/** Writes a file, then the audit's entry. The file has its name only once the entry is there. */
const written = Effect.fnUntraced(function* <A, E>(
  { file, isCompressed, program: id, readers }: Asked,
  work: (writing: Writing) => Effect.Effect<A, E, Database>,
  told: (result: A) => { readonly [name: string]: Schema.Json }
) {
  const program = (yield* Programs).get(id)
  if (program === undefined) return yield* new CannotRun({ message: `There is no programme ${id}.` })
  const out = yield* OutFile.make(file, { readers, isCompressed })
  const connection = yield* Moment.open("export")
  const context = { connection, writer: new Writer(out), takenAt: yield* machineNow, progress: yield* progress }
  const result = yield* work({ program, context })
  yield* out.end
  const { query, transaction } = yield* PeoplePool
  yield* transaction(
    Audit.tell(query, {
      action: "program.export",
      subject: { type: "program", id },
      programId: id,
      changes: { after: { ...told(result), encrypted: !("isPlain" in readers) } }
    })
  )
  yield* out.place
  return result
}, Effect.scoped)

const everything = (asked: Asked) =>
  written(
    asked,
    ({ context, program }) => Export.write({ ...context, program: program.id }),
    ({ counts, heads }) => ({ guests: counts.guest ?? 0, heads })
  )

const guestsOnly = (asked: Asked) =>
  written(
    asked,
    ({ context, program }) =>
      Effect.flatMap(databaseTime, (time) => Guests.write({ ...context, program, now: time.now() })),
    ({ guests }) => ({ guests, only: "guests" })
  )

const figuresLines = (figures: Guests.Figures): ReadonlyArray<string> => {
  const { below, closed, consents, guests, rewards, suspended } = figures
  return [
    `guests: ${number(guests)}, of whom ${number(suspended)} are suspended here`,
    `left out: ${number(closed)} who are closed, merged or erased; ${number(below)} balances below zero`,
    `rewards: ${number(rewards)}`,
    `consents: ${number(consents)}`,
    ...figures.units().map(([unit, sum]) => `${unit}: ${number(sum)}`)
  ]
}

const figuresJson = (figures: Guests.Figures) => {
  const { below, closed, consents, guests, rewards, suspended } = figures
  const units = figures.units().map(([unit, sum]) => ({ unit, amount: String(sum) }))
  return { guests, suspended, left_out: closed, below_zero: below, rewards, consents, units }
}

const openerOf = Effect.fnUntraced(function* (flags: {
  readonly identity: Option.Option<string>
  readonly passphraseFile: Option.Option<string>
}) {
  if (Option.isSome(flags.passphraseFile)) return (yield* passphraseOf(flags.passphraseFile.value)) as Opener
  if (Option.isNone(flags.identity)) return undefined
  const path = flags.identity.value
  const text = yield* Effect.try({
    try: () => fs.readFileSync(path, "utf8"),
    catch: (error) => new CannotRun({ message: `--identity ${path}: ${messageOf(error)}` })
  })
  const identities = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"))
  return { identities } as Opener
})

const check = Command.make(
  "check",
  {
    file,
    json,
    identity: optionalText("identity", "a file with the secret keys of age, such as age-keygen writes"),
    passphraseFile
  },
  Effect.fnUntraced(function* (flags) {
    const { head, manifest } = yield* Check.check(flags.file, yield* openerOf(flags))
    yield* print(flags.json, { ...head, ...manifest }, () => [
      `${head.program_id} as of ${head.taken_at}: whole`,
      ...countsLines(manifest)
    ])
  }, toExitCode)
).pipe(
  Command.withDescription(
    "Check a file of an export without a database: every line, count, sum, head and checksum. Exit code 0: whole, 1: damaged, 2: could not run."
  ),
  Command.withExamples([
    { command: "lotbook export check guests.lotbook --identity key.txt", description: "An encrypted file, by its key" }
  ])
)

export const exporting = (open: Open) =>
  Command.make(
    "export",
    {
      ...Settings.storageFlags,
      file,
      json,
      program: Flag.withDescription(Flag.String("program"), "the programme; required"),
      recipient: Flag.atLeast(
        Flag.withDescription(
          Flag.String("recipient"),
          "a public key of age (age1…) that can read the file; repeatable"
        ),
        0
      ),
      passphraseFile,
      plain: toggle("plain", "do not encrypt"),
      from: ArchiveFolder.from,
      guests: toggle("guests", "guests alone, in the columns of move-in, as lines of JSON that are not compressed")
    },
    Effect.fnUntraced(function* (flags) {
      const { file, program } = flags
      const asked = { file, program, readers: yield* readersOf(flags), isCompressed: !flags.guests }
      const onDatabase = <A, E>(work: Effect.Effect<A, E, Database | PeoplePool | Programs | CurrentCaller>) =>
        askDatabase(flags, (storage) =>
          Effect.provide(
            ArchiveFolder.reading(flags.from)(work),
            PeoplePool.layer.pipe(Layer.provideMerge(open(storage)))
          )
        )
      if (flags.guests) {
        const figures = yield* onDatabase(guestsOnly(asked))
        return yield* print(flags.json, figuresJson(figures), () => [`Wrote ${file}.`, ...figuresLines(figures)])
      }
      const manifest = yield* onDatabase(everything(asked))
      yield* print(flags.json, manifest, () => [`Wrote ${file}.`, ...countsLines(manifest)])
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Write a programme with all its guests into a file: versions, guests, consents, journal, ledger, rewards and lots, as of one moment beside running services. Exit code 0: written, 1: the tables are damaged, 2: could not run."
    ),
    Command.withExamples([
      {
        command: "lotbook export guests.lotbook --program demo-foodservice --recipient age1…",
        description: "Encrypted for the owner of a key"
      },
      {
        command: "lotbook export guests.lotbook --program demo-foodservice --passphrase-file passphrase.txt",
        description: "Encrypted with a passphrase"
      },
      {
        command: "lotbook export --guests guests.jsonl --program demo-foodservice --plain",
        description: "Guests as lotbook move-in takes them"
      },
      {
        command: "lotbook export guests.lotbook --program demo-foodservice --recipient age1… --from /archive",
        description: "Where old months lie in files"
      }
    ]),
    Command.withSubcommands([check])
  )
