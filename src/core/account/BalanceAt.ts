/**
 * A member's balances at a past time. They include everything that was due by
 * then, even if it was posted later. Reads two or three records, however long the
 * member's history is.
 */
import * as Effect from "effect/Effect"
import type { AccountReads } from "../journal/AccountReads.ts"
import type { LedgerReads } from "../journal/LedgerReads.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import { decodeEvents } from "./Codec.ts"
import type { AccountEvent, Reserved } from "./domain/AccountEvent.ts"
import { balances } from "./domain/Decision.ts"
import type { BalanceFigures } from "./domain/Reply.ts"
import { view } from "./domain/View.ts"
import type { Resident } from "./Outcome.ts"
import * as ReservationId from "./ReservationId.ts"

type Reads = Pick<AccountReads, "records"> & Pick<LedgerReads, "recordAt">

/** `[posted, reserved]` by unit. */
type Figures = Map<string, readonly [posted: number, reserved: number]>

/** Parses a record's balances (`Rows.balances`). */
const figuresOf = (text: string): Figures =>
  new Map(
    (JSON.parse(text) as ReadonlyArray<readonly [string, number, number]>).map(([unit, posted, reserved]) => [
      unit,
      [posted, reserved]
    ])
  )

/** A record's balances by unit, holds included. */
export const postedOf = (text: string): Map<string, number> =>
  new Map([...figuresOf(text)].map(([unit, [posted]]) => [unit, posted]))

const change = (figures: Figures, unit: string, posted: number, reserved: number): void => {
  const before = figures.get(unit) ?? [0, 0]
  figures.set(unit, [before[0] + posted, before[1] + reserved])
}

/** Reads the event that made a hold, from the record that the reservation's id names. */
const holdOf = Effect.fnUntraced(function* (
  journal: Reads,
  reservation: string
): Effect.fn.Return<Reserved, JournalUnavailable> {
  const place = ReservationId.placeOf(reservation)
  const [made] = place === undefined ? [] : yield* journal.records(place.account, place.seq, 1)
  const events = made === undefined ? [] : decodeEvents(made)
  const hold = events.find((event) => event.type === "reserved" && event.reservation === reservation)
  if (hold?.type !== "reserved") throw new Error(`reservation ${reservation} is not in the record that its id names`)
  return hold
})

/** Counts events of the next record that were due by `at`. A decision posts due events first, each dated at its due time. */
const countDue = Effect.fnUntraced(function* (
  journal: Reads,
  figures: Figures,
  next: ReadonlyArray<AccountEvent>,
  at: number
): Effect.fn.Return<void, JournalUnavailable> {
  for (const event of next) {
    if (event.at > at) return
    if (event.type === "posted") change(figures, event.unit, event.amount, 0)
    if (event.type !== "hold_expired") continue
    const hold = yield* holdOf(journal, event.reservation)
    change(figures, hold.unit, 0, -hold.cost)
  }
})

/** The balances at `at` (ms) in the programme's order; undefined if the member was not enrolled yet. */
export const balancesAt = Effect.fnUntraced(function* (
  journal: Reads,
  { account, state }: Resident,
  program: Program,
  at: number
): Effect.fn.Return<ReadonlyArray<BalanceFigures> | undefined, JournalUnavailable> {
  if (at >= state.at) return balances(view(state, program, at), program)
  const record = yield* journal.recordAt(account, at)
  if (record === undefined) return undefined
  const [next] = yield* journal.records(account, record.seq + 1, 1)
  if (next === undefined) throw new Error(`record ${account}/${record.seq + 1} is missing`)
  const figures = figuresOf(record.balances)
  yield* countDue(journal, figures, decodeEvents(next), at)
  return program.accounts.map(({ label, unit }) => {
    const [posted, reserved] = figures.get(unit) ?? [0, 0]
    return label === undefined ? [unit, posted, reserved] : [unit, posted, reserved, label]
  })
})
