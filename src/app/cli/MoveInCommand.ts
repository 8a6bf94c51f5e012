/** `lotbook move-in`: guests of another provider (contract/moving.md *Plan*, *Run*). */
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs"
import * as fsp from "node:fs/promises"
import * as path from "node:path"
import { machineNow } from "../../base/time/Times.ts"
import * as Bounds from "../../capabilities/moving/Bounds.ts"
import type { FaultName } from "../../capabilities/moving/Faults.ts"
import { faultNames, kindOf } from "../../capabilities/moving/Faults.ts"
import * as ListFiles from "../../capabilities/moving/ListFiles.ts"
import type { Mapping } from "../../capabilities/moving/Mapping.ts"
import * as Mappings from "../../capabilities/moving/Mapping.ts"
import type { Planned } from "../../capabilities/moving/Plan.ts"
import { plan as planned } from "../../capabilities/moving/Plan.ts"
import type { Ran } from "../../capabilities/moving/Run.ts"
import { run as ran } from "../../capabilities/moving/Run.ts"
import * as Sample from "../../capabilities/moving/Sample.ts"
import type { HereFault } from "../../contract/admin/MoveIn.ts"
import { faultsDetail } from "../../contract/Decode.ts"
import { firstFault } from "../../core/rules/JsonPlace.ts"
import type { Open } from "./AdminTarget.ts"
import { CommandRefused, targetFlags, toExitCode } from "./AdminTarget.ts"
import { optionalText, toggle } from "./Flags.ts"
import { json, print } from "./MemberCommands.ts"
import { onTarget } from "./MoveTarget.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("files of guests, lots, rewards and consents: CSV, or JSON in lines"),
  Argument.variadic({ min: 1 })
)

const moveFlags = {
  ...targetFlags,
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

/** The mapping of a move. Refuses files that are not there, and two of one name: faults and mappings know files by name. */
const mappingOf = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, mapping: Option.Option<string>) {
  for (const [index, file] of paths.entries()) {
    if (!fs.existsSync(file)) return yield* new CannotRun({ message: `There is no file ${file}.` })
    const isTwice = paths.findIndex((other) => path.basename(other) === path.basename(file)) < index
    if (isTwice) return yield* new CannotRun({ message: `Two files are named ${path.basename(file)}.` })
  }
  return Option.isSome(mapping) ? yield* readMapping(mapping.value) : undefined
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
    Effect.fnUntraced(function* (flags) {
      const { faults, files, json } = flags
      const mapping: Mapping | undefined = yield* mappingOf(files, flags.mapping)
      if (Option.isSome(flags.suggest)) return yield* suggest(flags.suggest.value, files)
      const found = yield* onTarget(open, flags, "read", (target) =>
        Effect.gen(function* () {
          const { counts, report } = yield* ListFiles.faults(faults)
          return { counts, planned: yield* planned(files, mapping, { ...target, report }) }
        }).pipe(Effect.scoped)
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
        command:
          "lotbook move-in plan guests.csv lots.csv --program demo-foodservice --mapping mapping.json --url http://127.0.0.1:3210",
        description: "Counts, sums and faults, for a service"
      }
    ])
  )

const hereFaults: ReadonlyArray<string> = [
  "card_elsewhere",
  "opening_balance",
  "doubled_code"
] satisfies ReadonlyArray<HereFault>

/** Names of faults that are waived. */
const waivedBy = Effect.fnUntraced(function* (text: string) {
  const names = text.split(",").filter((name) => name !== "")
  const unknown = names.find(
    (name) => !faultNames.some((known) => known === name && kindOf(known).waived !== undefined)
  )
  if (unknown !== undefined)
    return yield* new CannotRun({ message: `There is no fault ${unknown} that can be waived.` })
  return new Set(names)
})

/** Prints progress at a pace: guests, rate, time left. */
const progressOf = (total: number, began: number) => {
  let [last, told] = [began, 0]
  return (guests: number) =>
    Effect.flatMap(machineNow, (now) => {
      if (now - last < Bounds.progressMs) return Effect.void
      const rate = ((guests - told) * 1000) / (now - last)
      last = now
      told = guests
      const minutes = Math.ceil((total - guests) / Math.max(rate, 1) / 60)
      return Console.error(
        `${number(guests)} of ${number(total)} guests, ${number(Math.round(rate))} a second, ${minutes} min left`
      )
    })
}

const ranLines = ({ differences, outcomes, posted }: Ran, left: string): ReadonlyArray<string> => [
  ...Object.entries(outcomes).map(([outcome, count]) => `${outcome}: ${number(count)}`),
  `lots: ${number(posted)}`,
  ...(differences > 0 || outcomes.refused !== undefined
    ? [`differences: ${number(differences)}; what is left is listed in ${left}`]
    : [])
]

const runFlags = {
  ...moveFlags,
  waive: Flag.withDefault(
    Flag.withDescription(Flag.String("waive"), "names of faults, with commas, in spite of which guests are moved"),
    ""
  ),
  correct: toggle("correct", "post the differences of lots that were moved before"),
  greet: toggle("greet", "count new members as new, and let welcome campaigns reach them"),
  left: Flag.withDefault(
    Flag.withDescription(Flag.String("left"), "where refused guests and differences are listed"),
    "move-in-left.csv"
  )
}

const run = (open: Open) =>
  Command.make(
    "run",
    runFlags,
    Effect.fnUntraced(function* (flags) {
      const { correct, faults, files, greet, json } = flags
      const mapping = yield* mappingOf(files, flags.mapping)
      const waived = yield* waivedBy(flags.waive)
      const waive = hereFaults.filter((name): name is HereFault => waived.has(name))
      const done = yield* onTarget(open, flags, "write", (target) =>
        Effect.gen(function* () {
          const { counts, report } = yield* ListFiles.faults(faults)
          const { figures, pass } = yield* planned(files, mapping, { ...target, report })
          const standing = new Map([...counts].filter(([name]) => !waived.has(name)))
          if (standing.size > 0) return { standing, ran: undefined }
          const left = yield* ListFiles.left(flags.left)
          const progress = progressOf(figures.guests, yield* machineNow)
          return {
            standing,
            ran: yield* ran(pass, { send: target.send, asked: { correct, greet, waive }, left, progress })
          }
        }).pipe(Effect.scoped)
      )
      if (done.ran === undefined) {
        yield* print(json, { faults: Object.fromEntries(done.standing) }, () => faultLines(done.standing, faults))
        return yield* new CommandRefused({ detail: "There are faults that were not waived. Nothing was moved." })
      }
      const result = done.ran
      yield* print(json, result, () => ranLines(result, flags.left))
      if (result.differences > 0 || result.outcomes.refused !== undefined)
        return yield* new CommandRefused({ detail: "Something is left." })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Move the guests of a plan. Each guest, lot and reward is moved once; run again, it goes on. Exit code 1: faults, refused guests or differences."
    ),
    Command.withExamples([
      {
        command:
          "lotbook move-in run guests.csv lots.csv --program demo-foodservice --mapping mapping.json --url http://127.0.0.1:3210",
        description: "On a service, beside its tills"
      },
      {
        command:
          "lotbook move-in run guests.csv lots.csv --program demo-foodservice --mapping mapping.json --waive expired,not_yet",
        description: "In spite of these faults, on the database"
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
    Command.withSubcommands([plan(open), run(open)])
  )
