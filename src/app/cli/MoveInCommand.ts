/** `lotbook move-in`: guests of another provider (contract/moving.md *Plan*). */
import { Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs"
import * as fsp from "node:fs/promises"
import * as path from "node:path"
import { PeoplePool } from "../../base/database/Pools.ts"
import * as FaultFile from "../../capabilities/moving/FaultFile.ts"
import type { FaultName } from "../../capabilities/moving/Faults.ts"
import type { Mapping } from "../../capabilities/moving/Mapping.ts"
import * as Mappings from "../../capabilities/moving/Mapping.ts"
import type { Planned } from "../../capabilities/moving/Plan.ts"
import { plan as planned } from "../../capabilities/moving/Plan.ts"
import * as Sample from "../../capabilities/moving/Sample.ts"
import { faultsDetail } from "../../contract/Decode.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, CommandRefused, toExitCode } from "./AdminTarget.ts"
import { optionalText } from "./Flags.ts"
import { json, onDatabase, print } from "./MemberCommands.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("files of guests, lots, rewards and consents: CSV, or JSON in lines"),
  Argument.variadic({ min: 1 })
)

const moveFlags = {
  ...Settings.storageFlags,
  files,
  program: Flag.withDescription(Flag.String("program"), "the programme that the guests come to; required"),
  mapping: optionalText("mapping", "the file that says what columns are (columns have the names of fields)"),
  faults: Flag.withDefault(
    Flag.withDescription(Flag.String("faults"), "where the list of faults is written"),
    "move-in-faults.csv"
  ),
  json
}

const readMapping = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fsp.readFile(file, "utf8"),
    catch: (error) => new CannotRun({ message: `${file}: ${messageOf(error)}` })
  })
  const fault = firstFault(text)
  if (fault !== undefined) return yield* new CannotRun({ message: `${file}: not JSON: ${fault}` })
  const read = Mappings.read(JSON.parse(text))
  if (Result.isFailure(read)) return yield* new CannotRun({ message: `${file}: ${faultsDetail(read.failure)}` })
  return read.success
})

/** Refuses files that are not there, and two of one name: faults and mappings know files by their names. */
const areThere = (paths: ReadonlyArray<string>) =>
  Effect.forEach(paths, (file, index) => {
    if (!fs.existsSync(file)) return new CannotRun({ message: `There is no file ${file}.` })
    const isTwice = paths.findIndex((other) => path.basename(other) === path.basename(file)) < index
    return isTwice ? new CannotRun({ message: `Two files are named ${path.basename(file)}.` }) : Effect.void
  })

const number = (n: number | bigint): string => n.toLocaleString("en-US")

const faultLines = (counts: ReadonlyMap<FaultName, number>, file: string): ReadonlyArray<string> =>
  counts.size === 0
    ? ["no faults"]
    : [`faults, listed in ${file}:`, ...[...counts].map(([name, count]) => `  ${name}: ${number(count)}`)]

const plannedLines = ({ figures, rows }: Planned): ReadonlyArray<string> => [
  `rows: ${number(rows.guests)} of guests, ${number(rows.lots)} of lots, ${number(rows.rewards)} of rewards, ${number(rows.consents)} of consents`,
  `guests: ${number(figures.guests)}, of whom ${number(figures.members)} are members already`,
  `rewards: ${number(figures.rewards)}`,
  `consents: ${number(figures.consents)}`,
  `promised tiers: ${number(figures.tiers)}`,
  ...figures
    .units()
    .flatMap(({ amount, lots, months, unit }) => [
      `${unit}: ${number(amount)} in ${number(lots)} lots`,
      ...months.map(([month, sum]) => `  ${month}: ${number(sum)}`)
    ])
]

/** The same as JSON; sums are text, because they may be beyond what JSON carries exactly. */
const plannedJson = ({ figures, rows }: Planned, counts: ReadonlyMap<FaultName, number>) => ({
  rows,
  guests: figures.guests,
  members: figures.members,
  rewards: figures.rewards,
  consents: figures.consents,
  promised_tiers: figures.tiers,
  units: figures.units().map(({ amount, lots, months, unit }) => ({
    unit,
    amount: String(amount),
    lots,
    expiring: months.map(([month, sum]) => ({ month, amount: String(sum) }))
  })),
  faults: Object.fromEntries(counts)
})

const suggest = Effect.fnUntraced(function* (to: string, paths: ReadonlyArray<string>) {
  const mapping = yield* Sample.suggested(paths).pipe(
    Effect.mapError(({ detail }) => new CannotRun({ message: detail }))
  )
  yield* Effect.try({
    try: () => fs.writeFileSync(to, `${JSON.stringify(mapping, null, 2)}\n`, { flag: "wx", mode: 0o600 }),
    catch: (error) => new CannotRun({ message: `${to}: ${messageOf(error)}` })
  })
  const left = mapping.files.flatMap(({ columns, dates, file, thousands }) => [
    `${file}: ${Object.values(columns).filter((field) => field === null).length} columns are left out`,
    ...(dates === null ? [`${file}: the order of dates is to be said`] : []),
    ...(thousands === null ? [`${file}: the separator of thousands is to be said, if points have one`] : [])
  ])
  yield* print(false, mapping, () => [`Wrote ${to}. Correct it, and plan with --mapping ${to}.`, ...left])
})

const plan = (open: Open) =>
  Command.make(
    "plan",
    { ...moveFlags, suggest: optionalText("suggest", "write a mapping that the first rows suggest, and plan nothing") },
    Effect.fnUntraced(function* ({ faults, files, json, mapping, program, suggest: to, ...storage }) {
      yield* areThere(files)
      if (Option.isSome(to)) return yield* suggest(to.value, files)
      const known: Mapping | undefined = Option.isSome(mapping) ? yield* readMapping(mapping.value) : undefined
      const found = yield* askDatabase(
        storage,
        onDatabase(open, "read", (time) =>
          Effect.gen(function* () {
            const programmes = yield* Programs
            const chosen = programmes.get(program)
            if (chosen === undefined) return yield* new CannotRun({ message: `There is no programme ${program}.` })
            const list = yield* FaultFile.make(faults)
            const made = yield* planned(files, known, {
              ...{ journal: yield* Journal, query: (yield* PeoplePool).query, now: time.now() },
              program: chosen,
              report: list.report
            })
            return { planned: made, counts: list.counts }
          }).pipe(Effect.scoped)
        )
      )
      yield* print(json, plannedJson(found.planned, found.counts), () => [
        ...plannedLines(found.planned),
        ...faultLines(found.counts, faults)
      ])
      if (found.counts.size > 0) return yield* new CommandRefused({ detail: "There are faults. Nothing was moved." })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Read files of guests, lots, rewards and consents, and tell sums and faults. Changes nothing; exit code 1: there are faults."
    ),
    Command.withExamples([
      {
        command: "lotbook move-in plan guests.csv lots.csv --program demo-foodservice --suggest mapping.json",
        description: "Write a mapping to correct"
      },
      {
        command: "lotbook move-in plan guests.csv lots.csv --program demo-foodservice --mapping mapping.json",
        description: "Counts, sums and faults"
      }
    ])
  )

export const moveIn = (open: Open) =>
  Command.make("move-in").pipe(
    Command.withDescription("Bring guests from another provider, with points, rewards, tiers and consents."),
    Command.withExamples([
      {
        command: "lotbook move-in plan guests.csv lots.csv --program demo-foodservice --suggest mapping.json",
        description: "Begin with a mapping"
      }
    ]),
    Command.withSubcommands([plan(open)])
  )
