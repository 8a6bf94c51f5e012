/** `lotbook move-in`: guests of another provider (contract/moving.md *Plan*, *Run*). */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs"
import * as path from "node:path"
import { machineNow } from "../../base/time/Times.ts"
import { absent } from "../../capabilities/moving/Absent.ts"
import * as Bounds from "../../capabilities/moving/Bounds.ts"
import type { Fault } from "../../capabilities/moving/Faults.ts"
import * as ListFiles from "../../capabilities/moving/ListFiles.ts"
import type { Mapping } from "../../capabilities/moving/Mapping.ts"
import { kindsOfFile } from "../../capabilities/moving/Mapping.ts"
import type { Planned } from "../../capabilities/moving/Plan.ts"
import { plan as planned } from "../../capabilities/moving/Plan.ts"
import { reconcile as reconciled } from "../../capabilities/moving/Reconciliation.ts"
import type { Left, Ran } from "../../capabilities/moving/Run.ts"
import { run as runAll } from "../../capabilities/moving/Run.ts"
import { RunLog } from "../../capabilities/moving/RunReport.ts"
import * as Sample from "../../capabilities/moving/Sample.ts"
import type { HereFault } from "../../contract/admin/MoveIn.ts"
import type { Open, Target } from "./AdminTarget.ts"
import { CommandRefused, toExitCode } from "./AdminTarget.ts"
import { compare } from "./CompareCommand.ts"
import { optionalText, toggle } from "./Flags.ts"
import { print } from "./MemberCommands.ts"
import { faultLines, mappingOf, moveFlags, number, waive, waivedBy } from "./MoveInFlags.ts"
import * as Words from "./MoveInWords.ts"
import type { MoveTarget } from "./MoveTarget.ts"
import { onTarget } from "./MoveTarget.ts"
import type { Reporter } from "./RunReporter.ts"
import { reporterOf } from "./RunReporter.ts"
import { CannotRun, messageOf } from "./StorageCommand.ts"

/** Columns that a mapping leaves out. Where none has a name that is known, they may be cells of a guest, and are not named. */
const columnsLeft = (columns: Mapping["files"][number]["columns"]): ReadonlyArray<string> => {
  const out = Object.keys(columns).filter((name) => columns[name] === null)
  if (out.length === 0) return []
  return out.length === Object.keys(columns).length
    ? ["no column is known; does the file have a header?"]
    : [`columns that are left out: ${out.join(", ")}`]
}

const suggest = Effect.fnUntraced(function* (to: string, paths: ReadonlyArray<string>) {
  const mapping = yield* Sample.suggested(paths).pipe(
    Effect.mapError(({ detail }) => new CannotRun({ message: detail }))
  )
  yield* Effect.try({
    try: () => fs.writeFileSync(to, `${JSON.stringify(mapping, null, 2)}\n`, { flag: "wx", mode: 0o600 }),
    catch: (error) => new CannotRun({ message: `${to}: ${messageOf(error)}` })
  })
  const left = mapping.files.flatMap(({ columns, dates, file, holds, thousands }) => [
    ...(holds === null ? [`${file}: it is to be said what it holds: ${kindsOfFile.join(", ")}`] : []),
    ...columnsLeft(columns).map((words) => `${file}: ${words}`),
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
          const progress = progressOf(yield* machineNow, "looked at")
          const made = yield* planned(files, mapping, { ...target, report, progress })
          return { counts, planned: made, missing: yield* absent(target.moved, made.seen) }
        }).pipe(Effect.scoped)
      )
      yield* print(json, Words.plannedJson(found), () => Words.plannedLines(found, faults))
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

/** Prints progress at a pace: guests, rate, time left. `done`: the word for guests who are done. */
const progressOf = (began: number, done: string) => {
  let [last, told] = [began, 0]
  return (guests: number, total: number) =>
    Effect.flatMap(machineNow, (now) => {
      if (now - last < Bounds.progressMs) return Effect.void
      const rate = ((guests - told) * 1000) / (now - last)
      last = now
      told = guests
      const seconds = Math.ceil((total - guests) / Math.max(rate, 1))
      const rest = seconds < 60 ? `${seconds} s` : `${number(Math.ceil(seconds / 60))} min`
      return Console.error(
        `${done} ${number(guests)} of ${number(total)} guests, ${number(Math.round(rate))} a second, ${rest} left`
      )
    })
}

const left = Flag.withDefault(
  Flag.withDescription(Flag.String("left"), "where refused guests and differences are listed"),
  "move-in-left.csv"
)

const runFlags = {
  ...moveFlags,
  waive,
  left,
  correct: toggle("correct", "post the differences of lots that were moved before"),
  greet: toggle("greet", "count new members as new, and let welcome campaigns reach them")
}

/** A plan whose faults were all waived. */
interface Waived<E> {
  readonly target: MoveTarget<E>
  readonly planned: Planned
  readonly waive: ReadonlyArray<HereFault>
  /** Names of all faults and kinds that are waived. */
  readonly waived: ReadonlySet<string>
  /** Writes a line of the list of what is left. */
  readonly left: (one: Left) => void
  /** Tells the target of a run; undefined: nothing is written to it. */
  readonly reporter: Reporter | undefined
}

type WaivingFlags = Target & {
  readonly files: ReadonlyArray<string>
  readonly program: string
  readonly mapping: Option.Option<string>
  readonly faults: string
  readonly waive: string
  readonly left: string
}

/** Does work on a plan, unless faults stand that were not waived. */
const onWaived = <A>(
  open: Open,
  flags: WaivingFlags,
  kind: "read" | "write",
  work: <E>(waived: Waived<E>) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const mapping = yield* mappingOf(flags.files, flags.mapping)
    const names = yield* waivedBy(flags.waive)
    const waive = hereFaults.filter((name): name is HereFault => names.has(name))
    const log = new RunLog(
      flags.files.map((file) => path.basename(file)),
      names
    )
    const ended = yield* onTarget(open, flags, kind, (target) =>
      Effect.gen(function* () {
        const { counts, report: list } = yield* ListFiles.faults(flags.faults)
        const report = (fault: Fault): void => {
          list(fault)
          log.fault(fault)
        }
        const progress = progressOf(yield* machineNow, "looked at")
        const made = yield* planned(flags.files, mapping, { ...target, report, progress })
        const leftOut: Words.LeftOutNames = new Map([...made.leftOut].filter(([name]) => names.has(name)))
        const standing = new Map([...counts].filter(([name]) => !names.has(name)))
        const reporter = kind === "write" ? yield* reporterOf({ target, planned: made, log }) : undefined
        if (standing.size > 0) {
          yield* reporter?.refused ?? Effect.void
          return { standing, result: undefined, leftOut, before: made.before, erased: made.figures.erased }
        }
        const listLeft = yield* ListFiles.left(flags.left)
        const left = (one: Left): void => {
          listLeft(one)
          log.left(one)
        }
        const waived = { target, planned: made, waive, waived: names, left, reporter }
        return { standing, result: yield* work(waived), leftOut, before: made.before, erased: made.figures.erased }
      }).pipe(Effect.scoped)
    )
    const { before, erased, leftOut, result, standing } = ended
    if (result !== undefined) return { before, erased, leftOut, result }
    for (const line of faultLines(standing, flags.faults)) yield* Console.log(line)
    const done = kind === "write" ? "moved" : "compared"
    return yield* new CommandRefused({ detail: `There are faults that were not waived. Nothing was ${done}.` })
  })

const run = (open: Open) =>
  Command.make(
    "run",
    runFlags,
    Effect.fnUntraced(function* (flags) {
      const { correct, greet, json } = flags
      const done = yield* onWaived(open, flags, "write", ({ left, planned, reporter, target, waive }) =>
        Effect.gen(function* () {
          const missing = yield* absent(target.moved, planned.seen)
          for (const line of [...Words.beforeLines(planned.before), ...Words.absentLines(missing)])
            yield* Console.error(line)
          const shown = progressOf(yield* machineNow, "moved")
          yield* reporter?.begun ?? Effect.void
          const progress = (guests: number, soFar: Ran) =>
            Effect.andThen(shown(guests, planned.figures.guests), reporter?.progress(soFar) ?? Effect.void)
          const done = yield* runAll(planned.pass, {
            send: target.send,
            asked: { correct, greet, waive },
            left,
            progress
          })
          yield* reporter?.moved(done) ?? Effect.void
          return { ran: done, missing }
        })
      )
      const { before, erased, leftOut, result } = done
      const { ran } = result
      const told = { ...result, before, erased, leftOut }
      yield* print(json, Words.ranJson(told), () => Words.ranLines(told, flags.left))
      if (ran.differences > 0 || ran.outcomes.refused !== undefined)
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

const reconcile = (open: Open) =>
  Command.make(
    "reconcile",
    { ...moveFlags, waive, left },
    Effect.fnUntraced(function* (flags) {
      const { erased, leftOut, result } = yield* onWaived(
        open,
        flags,
        "read",
        ({ planned, target: { moved, send }, ...more }) =>
          Effect.gen(function* () {
            const shown = progressOf(yield* machineNow, "compared")
            const progress = (guests: number) => shown(guests, planned.figures.guests)
            return yield* reconciled(planned.pass, { ...more, moved, seen: planned.seen, send, progress })
          })
      )
      const told = { reconciled: result, erased, leftOut }
      yield* print(flags.json, Words.reconciledJson(told), () => Words.reconciledLines(told, flags.left))
      if (result.kinds.size > 0) return yield* new CommandRefused({ detail: "There are differences." })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Compare files with what was moved of them, and tell what happened since. Changes nothing; exit code 0: no difference."
    ),
    Command.withExamples([
      {
        command:
          "lotbook move-in reconcile guests.csv lots.csv --program demo-foodservice --mapping mapping.json --url http://127.0.0.1:3210",
        description: "With the flags of the run"
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
    Command.withSubcommands([plan(open), run(open), reconcile(open), compare(open)])
  )
