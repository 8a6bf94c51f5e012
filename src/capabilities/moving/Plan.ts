/** Plans a move in: reads all files, looks at what is here, and changes nothing (contract/moving.md *Plan*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault } from "../../contract/admin/MoveIn.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Pass, Send } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { Sent } from "./Checks.ts"
import type { FaultName, Report } from "./Faults.ts"
import { kindOf } from "./Faults.ts"
import { Figures } from "./Figures.ts"
import type { Leave } from "./LeftOut.ts"
import { LeftOut } from "./LeftOut.ts"
import type { Mapping } from "./Mapping.ts"
import { Names } from "./Names.ts"
import { OrdersBefore } from "./OrdersBefore.ts"
import * as Parts from "./Parts.ts"
import type { Divided, MoveFile } from "./Rows.ts"
import * as Rows from "./Rows.ts"

export interface PlanContext<E, R> {
  readonly program: Program
  /** The service's time, ms. */
  readonly now: number
  readonly send: Send<E, R>
  readonly report: Report
  /** Called after each batch with the guests that were looked at, of the rows that are guests'. */
  readonly progress?: (guests: number, of: number) => Effect.Effect<void>
}

const details: Readonly<Record<HereFault, string>> = {
  card_elsewhere: "Another member has the card.",
  opening_balance: "The member has an opening balance of an import.",
  doubled_code: "Another reward has the code."
}

/** Fields of the column that a collision is about. */
const fieldsOf: Readonly<Record<HereFault, ReadonlyArray<string>>> = {
  card_elsewhere: ["card", "identity_value", "identities"],
  opening_balance: ["balance", "lots"],
  doubled_code: ["rewards"]
}

const columnOf = (file: MoveFile | undefined, fields: ReadonlyArray<string>): string =>
  [...(file?.form.targets ?? [])].find(([, { field }]) => fields.includes(field))?.[0] ?? ""

export interface Planned {
  readonly rows: Divided["rows"]
  readonly figures: Figures
  /** Sums of what a run leaves out of each fault that is waived. */
  readonly leftOut: LeftOut["names"]
  readonly before: OrdersBefore
  /** Guests of the files who were moved before, by `moved_as`. */
  readonly seen: Names
  /** The rows as they were read, for a run. */
  readonly pass: Pass
}

/** Plans the move of some files. Faults go to `report`. The parts last until the scope closes. */
export const plan = <E, R>(
  paths: ReadonlyArray<string>,
  mapping: Mapping | undefined,
  { now, program, progress, report, send }: PlanContext<E, R>
) =>
  Effect.gen(function* () {
    const parts = yield* Parts.make(Parts.pieces)
    const { leave: leaveWaived, names: leftOut } = new LeftOut()
    const leave: Leave = (name, part) => {
      if (kindOf(name).waived !== undefined) leaveWaived(name, part)
    }
    const before = new OrdersBefore()
    const seen = new Names()
    const divided = yield* Rows.divide(paths, mapping, { parts, program, report, leave })
    const figures = new Figures(program, now)
    const told = (batch: ReadonlyArray<Sent>, guests: ReadonlyArray<GuestMoved>) =>
      Effect.suspend(() => {
        for (const [index, { guest, place }] of batch.entries()) {
          const told = guests[index]!
          const file = divided.files.find(({ name }) => name === place.file)
          for (const fault of told.faults) {
            const name: FaultName = fault
            report({ ...place, name, column: columnOf(file, fieldsOf[fault]), detail: details[fault] })
          }
          before.add(told)
          if (told.moved_as !== undefined) seen.note(told.moved_as, 1)
          figures.add(guest, told)
        }
        return progress?.(figures.guests, divided.rows.guests) ?? Effect.void
      })
    const waive: ReadonlyArray<HereFault> = ["card_elsewhere", "opening_balance", "doubled_code"]
    const checks = { program, now, report, leave }
    yield* sendAll({ parts, divided, checks }, send, { dry_run: true, since: true, waive }, told)
    // The first pass has told its faults: they are not told again.
    const nothing = (): void => undefined
    const pass: Pass = { parts, divided, checks: { program, now, report: nothing, leave: nothing } }
    return { rows: divided.rows, figures, leftOut, before, seen, pass } satisfies Planned
  })
