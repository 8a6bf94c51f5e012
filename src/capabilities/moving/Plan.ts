/** Plans a move in: reads all files, looks at what is here, and changes nothing (contract/moving.md *Plan*). */
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Bounds from "./Bounds.ts"
import type { CheckContext } from "./Checks.ts"
import { checked } from "./Checks.ts"
import type { Report } from "./Faults.ts"
import { Figures } from "./Figures.ts"
import * as Here from "./Here.ts"
import type { Joined } from "./Joined.ts"
import { guestsOf } from "./Joined.ts"
import type { Mapping } from "./Mapping.ts"
import * as Parts from "./Parts.ts"
import type { Divided, MoveFile } from "./Rows.ts"
import * as Rows from "./Rows.ts"

interface PlanContext {
  readonly program: Program
  /** The service's time, ms. */
  readonly now: number
  readonly query: Query
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders">
  readonly report: Report
}

const cardColumn = (file: MoveFile | undefined): string =>
  [...(file?.form.targets ?? [])].find(([, { field }]) => field === "card" || field === "identity_value")?.[0] ?? "card"

/** Tells what is here that a guest's move would collide with. */
const tellHere = (
  { guest, place }: Joined,
  { hasOpening, others }: Here.Here,
  { files, report }: Pick<CheckContext, "files" | "report">
): void => {
  const column = cardColumn(files.find(({ name }) => name === place.file))
  for (const _ of others) report({ ...place, name: "card_elsewhere", column, detail: "Another member has the card." })
  if (hasOpening && guest.lots.length > 0)
    report({ ...place, name: "opening_balance", column: "", detail: "The member has an opening balance of an import." })
}

export interface Planned {
  readonly rows: Divided["rows"]
  readonly figures: Figures
}

/** Plans the move of some files. Faults go to `report`. */
export const plan = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  mapping: Mapping | undefined,
  { journal, now, program, query, report }: PlanContext
) {
  const parts = yield* Parts.make
  const { files, hasLots, rows } = yield* Rows.divide(paths, mapping, { parts, program, report })
  const figures = new Figures(program, now)
  const context: CheckContext = { files, now, program, report }
  for (let part = 0; part < Bounds.parts; part++) {
    const guests = guestsOf(parts.pieces(part), { files, hasLots, primary: program.primaryUnit, report })
    for (let from = 0; from < guests.length; from += Bounds.lookedUp) {
      const some = guests.slice(from, from + Bounds.lookedUp)
      const moved = some.map((joined): MovedGuest => checked(joined, context))
      const here = yield* Here.look({ query, journal }, program.id, moved)
      for (const [index, joined] of some.entries()) {
        const found = here[index]!
        tellHere(joined, found, context)
        figures.add(moved[index]!, found.account !== undefined)
      }
    }
  }
  return { rows, figures } satisfies Planned
})
