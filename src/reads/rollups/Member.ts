/**
 * A member's figures in the rollups: enough to compute how the next record changes
 * every sum. They are folded with the account's own `evolve`, without lots, because
 * each event carries its effect on lots.
 */

import type { MemberStatus, Unit } from "../../contract/Values.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { evolve } from "../../core/account/domain/Evolve.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import type { State } from "../../core/account/domain/State.ts"
import { initialState } from "../../core/account/domain/State.ts"
import type { StoredRecord } from "../../core/journal/Records.ts"
import { withAccount } from "../../core/rules/Expiration.ts"
import type { TierKey } from "./Ladder.ts"
import { lotChanges } from "./LotChanges.ts"

export interface UnitFigures {
  readonly unit: Unit
  readonly posted: number
  readonly reserved: number
  readonly lifetime: number
  readonly qualified: number
  /** The same of the tier period before, `Figures.lastPeriod`. */
  readonly last: number
  /** Points in lots that end at the account's date, `Figures.idle`. */
  readonly undated: number
}

export interface Figures {
  readonly seq: number
  readonly program: string
  readonly member: string
  readonly status: MemberStatus
  /** When it was enrolled, ms. */
  readonly joined: number
  /** Start of the tier period that `qualified` counts, ms. */
  readonly period: number | undefined
  /** Start of the tier period that `last` counts, ms. */
  readonly lastPeriod: number | undefined
  /** When the account's lots without a date of their own expire, ms. */
  readonly idle: number | undefined
  /** A tier that it has at least. */
  readonly promised: State["promised"]
  readonly units: ReadonlyArray<UnitFigures>
}

export interface MemberRollup extends Figures {
  readonly account: number
  readonly tier: TierKey
}

/** The figures of an account before its first record. */
export const unopened: Figures = {
  seq: 0,
  program: "",
  member: "",
  status: "active",
  joined: 0,
  period: undefined,
  lastPeriod: undefined,
  idle: undefined,
  promised: undefined,
  units: []
}

/** The figures of an account's state. */
export const figuresOf = ({
  idle,
  joined,
  lastPeriod,
  member,
  period,
  program,
  promised,
  seq,
  status,
  units
}: State): Figures => ({
  seq,
  program,
  member,
  status,
  joined,
  period,
  lastPeriod,
  idle,
  promised,
  units: units.map(({ last, lifetime, lots, posted, qualified, reserved, unit }) => ({
    unit,
    posted,
    reserved,
    lifetime,
    qualified,
    last,
    undated: Lots.undated(lots).reduce((sum, [, points]) => sum + points, 0)
  }))
})

const stateOf = ({
  idle,
  joined,
  lastPeriod,
  member,
  period,
  program,
  promised,
  seq,
  status,
  units
}: Figures): State => ({
  ...initialState,
  program,
  member,
  status,
  joined,
  seq,
  period,
  lastPeriod,
  idle,
  promised,
  units: units.map((figures) => ({ ...figures, lots: Lots.empty, credited: 0 }))
})

const withoutLots = (event: AccountEvent): AccountEvent => {
  if (event.type === "posted") return { ...event, taken: [], back: [], lot: 0 }
  return event.type === "lots_dated" ? { ...event, lots: [] } : event
}

/** The figures after a record with these events. */
export const advance = (
  before: Figures,
  record: Pick<StoredRecord, "account" | "balances" | "seq">,
  events: ReadonlyArray<AccountEvent>
): Figures => {
  if (record.seq !== before.seq + 1)
    throw new Error(
      `record ${record.account}/${record.seq} does not follow ${before.seq}, which the rollups count last`
    )
  let state = stateOf(before)
  for (const event of events) state = evolve(state, withoutLots(event), record.seq)
  // Holds are not folded: the record has the reserved amounts after it.
  const balances = JSON.parse(record.balances) as ReadonlyArray<readonly [unit: Unit, posted: number, reserved: number]>
  const figures = figuresOf({ ...state, seq: record.seq })
  // Nor are lots: their changes are added.
  const undated = lotChanges(events).filter(({ expires }) => expires === withAccount)
  const units = figures.units.map((one) => ({
    ...one,
    reserved: balances.find(([unit]) => unit === one.unit)?.[2] ?? 0,
    undated: undated.reduce(
      (sum, { points, unit }) => (unit === one.unit ? sum + points : sum),
      before.units.find(({ unit }) => unit === one.unit)?.undated ?? 0
    )
  }))
  return { ...figures, units }
}

type UnitText = readonly [
  unit: Unit,
  posted: number,
  reserved: number,
  lifetime: number,
  qualified: number,
  last?: number,
  lastPeriod?: number | null,
  undated?: number,
  idle?: number | null,
  promised?: NonNullable<State["promised"]>
]

/** The figures that are stored with each unit. */
type Stored = Pick<Figures, "lastPeriod" | "idle" | "promised" | "units">

/** The stored form of the units' figures. A last tier period, an account's date and a promised tier are there only once there was one. */
export const unitsText = ({ idle, lastPeriod, promised, units }: Stored): string =>
  JSON.stringify(
    units.map(({ last, lifetime, posted, qualified, reserved, undated, unit }): UnitText => {
      const figures = [unit, posted, reserved, lifetime, qualified] as const
      if (promised !== undefined) return [...figures, last, lastPeriod ?? null, undated, idle ?? null, promised]
      if (idle !== undefined) return [...figures, last, lastPeriod ?? null, undated, idle]
      return lastPeriod === undefined ? figures : [...figures, last, lastPeriod]
    })
  )

/** The inverse of `unitsText`. */
export const unitsOf = (text: string): Stored => {
  const units = JSON.parse(text) as ReadonlyArray<UnitText>
  return {
    lastPeriod: units[0]?.[6] ?? undefined,
    idle: units[0]?.[8] ?? undefined,
    promised: units[0]?.[9],
    units: units.map(([unit, posted, reserved, lifetime, qualified, last = 0, , undated = 0]) => ({
      unit,
      posted,
      reserved,
      lifetime,
      qualified,
      last,
      undated
    }))
  }
}
