/** Plans a move in: reads all files, looks at what is here, and changes nothing (contract/moving.md *Plan*). */
import { Effect } from "effect"
import type { GuestMoved, HereFault } from "../../contract/admin/MoveIn.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Pass, Send, Sent } from "./Batches.ts"
import { sendAll } from "./Batches.ts"
import type { FaultName, Report } from "./Faults.ts"
import { Figures } from "./Figures.ts"
import type { Mapping } from "./Mapping.ts"
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
    const divided = yield* Rows.divide(paths, mapping, { parts, program, report })
    const figures = new Figures(program, now)
    const told = (batch: ReadonlyArray<Sent>, guests: ReadonlyArray<GuestMoved>) =>
      Effect.suspend(() => {
        for (const [place, { guest, joined }] of batch.entries()) {
          const { faults, outcome } = guests[place]!
          const file = divided.files.find(({ name }) => name === joined.place.file)
          for (const fault of faults) {
            const name: FaultName = fault
            report({ ...joined.place, name, column: columnOf(file, fieldsOf[fault]), detail: details[fault] })
          }
          figures.add(guest, outcome !== "enrolled")
        }
        return progress?.(figures.guests, divided.rows.guests) ?? Effect.void
      })
    const waive: ReadonlyArray<HereFault> = ["card_elsewhere", "opening_balance", "doubled_code"]
    yield* sendAll({ parts, divided, checks: { program, now, report } }, send, { dry_run: true, waive }, told)
    const pass: Pass = { parts, divided, checks: { program, now, report: () => undefined } }
    return { rows: divided.rows, figures, pass } satisfies Planned
  })
