/** `lotbook move-in compare`: the transactions of another provider against the orders here (contract/moving.md *Compare*). */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Cause } from "../../capabilities/comparisons/Causes.ts"
import type { Compared, Difference } from "../../capabilities/comparisons/Comparison.ts"
import * as Comparison from "../../capabilities/comparisons/Comparison.ts"
import * as Ours from "../../capabilities/comparisons/Ours.ts"
import * as Theirs from "../../capabilities/comparisons/Theirs.ts"
import * as ListFiles from "../../capabilities/moving/ListFiles.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import * as Settings from "../service/Settings.ts"
import type { Open } from "./AdminTarget.ts"
import { askDatabase, CommandRefused, toExitCode } from "./AdminTarget.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { print } from "./MemberCommands.ts"
import { faultLines, mappingOf, number, planFlags, waive, waivedBy } from "./MoveInFlags.ts"
import { CannotRun } from "./StorageCommand.ts"

/** Each cause in words. */
const words: Readonly<Record<Cause, string>> = {
  missing_here: "the order is missing here",
  missing_there: "the order is missing there",
  claimed: "the order is missing there: here its guest has claimed it",
  refund: "both earned the same, and refunds differ: late, or not at all",
  rate: "the other system has another rate",
  rounding: "the other system rounds otherwise",
  promotion: "a promotion of one of both",
  tier: "the guest had another tier's multiplier",
  unexplained: "none of these"
}

const weekdays = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"]
/** A promotion is told of its weekday if so many of its orders are on it. */
const usualShare = 0.8

const weekdayWords = (counts: ReadonlyArray<number>, orders: number): string => {
  const day = counts.findIndex((count) => orders > 1 && count >= orders * usualShare)
  return day < 0 ? "" : `, on ${weekdays[day]}`
}

const signed = (points: bigint): string => `${points < 0n ? "" : "+"}${number(points)}`

const comparedLines = ({ both, causes, ours, rate, same, theirs }: Compared, list: string): ReadonlyArray<string> => [
  `orders that both have: ${number(both)}, of which ${number(same)} gave the same`,
  `points: ${number(ours)} here, ${number(theirs)} there`,
  ...(rate === undefined ? [] : [`rate: ${rate} points there for each point here`]),
  ...(causes.size === 0 ? ["no differences"] : [`differences, there against here, listed in ${list}:`]),
  ...[...causes].map(
    ([cause, { more, orders, weekdays: counts }]) =>
      `  ${cause}: ${number(orders)} orders, ${signed(more)} points: ${words[cause]}${
        cause === "promotion" ? weekdayWords(counts, orders) : ""
      }`
  )
]

const comparedJson = ({ causes, ours, rate, theirs, ...counts }: Compared) => ({
  ...counts,
  ours: String(ours),
  theirs: String(theirs),
  ...(rate === undefined ? undefined : { rate }),
  causes: [...causes].map(([cause, { more, orders, weekdays }]) => ({ cause, orders, more: String(more), weekdays }))
})

const listed = ({ at, cause, order, ours, theirs }: Difference): ReadonlyArray<string> => [
  ...[cause, order, fromMillis(at), ours === undefined ? "" : String(ours)],
  ...[theirs === undefined ? "" : String(theirs), String((theirs ?? 0) - (ours ?? 0)), words[cause]]
]

const compareFlags = {
  ...Settings.storageFlags,
  ...planFlags,
  waive,
  from: ArchiveFolder.from,
  differences: Flag.withDefault(
    Flag.withDescription(Flag.String("differences"), "where orders that differ are listed"),
    "move-in-compare.csv"
  )
}

export const compare = (open: Open) =>
  Command.make(
    "compare",
    compareFlags,
    Effect.fnUntraced(function* (flags) {
      const mapping = yield* mappingOf(flags.files, flags.mapping)
      const names = yield* waivedBy(flags.waive)
      const done = yield* askDatabase(flags, (storage) =>
        Effect.gen(function* () {
          const program = (yield* Programs).get(flags.program)
          if (program === undefined) return yield* new CannotRun({ message: `There is no programme ${flags.program}.` })
          const { counts, report } = yield* ListFiles.faults(flags.faults)
          const gathered = yield* Comparison.gather
          const take = (transaction: Theirs.Transaction) => gathered.addTheirs(transaction)
          yield* Theirs.read(flags.files, mapping, { program, report, take })
          const standing = new Map([...counts].filter(([name]) => !names.has(name)))
          if (standing.size > 0) return { standing, compared: undefined }
          const range = { from: gathered.from - Calendar.dayMs, until: gathered.until + Calendar.dayMs }
          if (gathered.from <= gathered.until)
            yield* Ours.each(yield* Ours.open(range), program, range, (entry) => gathered.addOurs(entry))
          const columns = ["cause", "order_id", "at", "here", "there", "more", "words"]
          const list = yield* ListFiles.make(flags.differences, columns)
          const tell = (difference: Difference) => list.write(listed(difference))
          return { standing, compared: yield* Comparison.compare(gathered, program, tell) }
        }).pipe(Effect.scoped, ArchiveFolder.reading(flags.from), Effect.provide(open(storage)))
      )
      const { compared, standing } = done
      if (compared === undefined) {
        yield* print(false, undefined, () => faultLines(standing, flags.faults))
        return yield* new CommandRefused({ detail: "There are faults that were not waived. Nothing was compared." })
      }
      yield* print(flags.json, comparedJson(compared), () => comparedLines(compared, flags.differences))
      if (compared.causes.size > 0) return yield* new CommandRefused({ detail: "There are differences." })
    }, toExitCode)
  ).pipe(
    Command.withDescription(
      "Compare transactions of another provider (order_id, points, at) with the orders here, and tell the cause of each difference. Reads the database, changes nothing; exit code 0: no difference."
    ),
    Command.withExamples([
      {
        command: "lotbook move-in compare transactions.csv --program demo-foodservice --mapping mapping.json",
        description: "After weeks in which tills sent orders to both"
      }
    ])
  )
