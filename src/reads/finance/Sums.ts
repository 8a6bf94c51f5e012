/** The change that records make in the sums of finance (contract/finance.md *Roll-forward*). Pure. */
import { hash } from "node:crypto"
import type { RewardLine } from "../../contract/admin/Finance.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Movement } from "../../core/account/domain/Movements.ts"
import * as Movements from "../../core/account/domain/Movements.ts"
import type { Posted, ShownEntry } from "../../core/account/domain/Posted.ts"
import type { StoredRecord } from "../../core/journal/Records.ts"
import * as Calendar from "../../core/rules/Calendar.ts"

/** The spans of sums by time: a day, and a month, so that a balance of years is few rows. */
export const spans = { day: 1, month: 31 } as const

/** The place of points that belong to no location. */
export const brand = ""

/** Lines that are no part of a balance: what was redeemed and given back at a place, whose lots it may not have. */
export const hereLines = { redeemed: "redeemed_here", givenBack: "given_back_here" } as const
/** The changes of balances below zero, which are the brand's. */
export const belowZero = "below_zero"

/** Separates the values of a key. No text of the service contains it. */
const apart = "\u0000"

type Sum = Map<string, number>

const add = (to: Sum, key: ReadonlyArray<string | number>, amount: number): void => {
  if (amount === 0) return
  const name = key.join(apart)
  to.set(name, (to.get(name) ?? 0) + amount)
}

const rowsOf = (sums: Sum, columns: ReadonlyArray<string>, amount: string): ReadonlyArray<Record<string, unknown>> =>
  [...sums].flatMap(([name, points]) => {
    if (points === 0) return []
    const values = name.split(apart)
    return [{ ...Object.fromEntries(columns.map((column, place) => [column, values[place]])), [amount]: points }]
  })

/** The midnight in UTC of the first day of a date's month. */
export const monthOf = (date: number): number => {
  const day = new Date(date)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)
}

/** A merge that brought lots. */
export interface MergedLots {
  readonly account: number
  /** The least number of a lot that it brought. */
  readonly lowest: number
  readonly merged: number
  readonly shift: number
}

/** A record, with what its sums need. */
export interface Counted {
  readonly record: StoredRecord
  readonly events: ReadonlyArray<AccountEvent>
  readonly movements: ReadonlyArray<Movement>
}

export const counted = (record: StoredRecord, events: ReadonlyArray<AccountEvent>): Counted => ({
  record,
  events,
  movements: Movements.movements(events)
})

/** The facts of a record that earlier ones have. */
export interface Facts {
  readonly program: string
  /** The zone of its programme's version. */
  readonly zone: string
  /** The location of the entry that made a lot, by the lot's number. */
  readonly placeOf: (lot: number) => string
  /** The reward of an issued one. */
  readonly rewardOf: (issued: string) => string
}

type RewardEvent = Extract<AccountEvent, { readonly issued: string }>
const rewardLines: Readonly<Partial<Record<AccountEvent["type"], readonly [line: RewardLine, times: 1 | -1]>>> = {
  reward_received: ["received", 1],
  reward_restored: ["restored", 1],
  reward_redeemed: ["used", -1],
  reward_cancelled: ["cancelled", -1],
  reward_expired: ["lapsed", -1],
  reward_moved: ["received", -1]
}

const rewardLineOf = (
  event: AccountEvent,
  isCorrection: boolean
): readonly [line: RewardLine, times: 1 | -1] | undefined => {
  if (event.type === "reward_issued") return [event.paid === undefined ? "given" : "taken", 1]
  // A reward that a wrong clock had expired was never used.
  if (event.type === "reward_restored" && isCorrection) return ["lapsed", 1]
  return rewardLines[event.type]
}

/** The events of one record that change what is in wallets. */
export const ofRewards = (events: ReadonlyArray<AccountEvent>) => {
  const isCorrection = events.some(({ type }) => type === "clock_corrected")
  return events.flatMap((event) => {
    const line = rewardLineOf(event, isCorrection)
    return line === undefined ? [] : [{ event: event as RewardEvent, line: line[0], times: line[1] }]
  })
}

const hereLine = (entry: Posted): string | undefined => {
  if (entry.op === "redemption") return hereLines.redeemed
  return entry.op === "reversal" && entry.restores === undefined ? hereLines.givenBack : undefined
}

/** The head of the journal after a record: it covers the hashes of all records before it in the order of the feed. */
export const headAfter = (head: string, recordHash: string): string => hash("sha256", `${head} ${recordHash}`)

/** The spans to which a day belongs, each with its first day. */
export type SpansOf = (program: string, day: number) => ReadonlyArray<readonly [span: number, start: number]>

/** The spans of the tables. */
export const byDayAndMonth: SpansOf = (_, day) => [
  [spans.day, day],
  [spans.month, monthOf(day)]
]

export class Sums {
  private readonly days: Sum = new Map()
  private readonly cohorts: Sum = new Map()
  private readonly rewards: Sum = new Map()
  private readonly merges: Array<MergedLots> = []
  private readonly spansOf: SpansOf

  constructor(spansOf: SpansOf) {
    this.spansOf = spansOf
  }

  record({ events, movements, record }: Counted, facts: Facts): void {
    for (const movement of movements) this.movement(movement, facts)
    for (const event of events) {
      if (event.type === "posted") this.here(event, facts)
      if (event.type === "merged_in")
        this.merges.push({ account: record.account, lowest: event.lowest, merged: event.account, shift: event.shift })
    }
    for (const { event, line, times } of ofRewards(events)) {
      const reward = facts.rewardOf(event.issued)
      for (const [span, start] of this.spansOf(facts.program, Calendar.dateOf(facts.zone, event.at)))
        add(this.rewards, [facts.program, span, start, reward, line], times)
    }
  }

  private day({ program }: Facts, unit: string, day: number, place: string, line: string, points: number): void {
    for (const [span, start] of this.spansOf(program, day))
      add(this.days, [program, span, start, unit, place, line], points)
  }

  private movement({ entry: { at, unit }, line, lot, points }: Movement, facts: Facts): void {
    const day = Calendar.dateOf(facts.zone, at)
    this.day(facts, unit, day, lot === undefined ? brand : facts.placeOf(lot[0]), line, points)
    if (lot === undefined) this.day(facts, unit, day, brand, belowZero, points)
    else {
      const earned = monthOf(Calendar.dateOf(facts.zone, lot[3]))
      add(this.cohorts, [facts.program, unit, earned, monthOf(day), line], points)
    }
  }

  private here(entry: Posted, facts: Facts): void {
    const line = hereLine(entry)
    const { location }: ShownEntry = entry
    if (line !== undefined)
      this.day(facts, entry.unit, Calendar.dateOf(facts.zone, entry.at), location ?? brand, line, entry.amount)
  }

  /** The change in the form that `count_finance` takes. */
  toJson() {
    return {
      days: rowsOf(this.days, ["program_id", "span", "start", "unit", "location_id", "line"], "points"),
      cohorts: rowsOf(this.cohorts, ["program_id", "unit", "earned", "month", "line"], "points"),
      rewards: rowsOf(this.rewards, ["program_id", "span", "start", "reward_id", "line"], "rewards"),
      merges: this.merges
    }
  }
}
