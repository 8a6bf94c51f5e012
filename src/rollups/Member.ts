/**
 * A member's figures in the rollups: enough to compute how the next record changes
 * every sum. They are folded with the account's own `evolve`, without lots, because
 * each event carries its effect on lots.
 */
import type { Event } from "../account/domain/Event.ts"
import { evolve } from "../account/domain/Evolve.ts"
import * as Lots from "../account/domain/Lots.ts"
import type { State } from "../account/domain/State.ts"
import { initialState } from "../account/domain/State.ts"
import type { MemberStatus, Unit } from "../contract/Values.ts"
import type { StoredRecord } from "../journal/Records.ts"
import type { TierKey } from "./Ladder.ts"

export interface UnitFigures {
  readonly unit: Unit
  readonly posted: number
  readonly reserved: number
  readonly lifetime: number
  readonly qualified: number
  /** The same of the tier period before, `Figures.lastPeriod`. */
  readonly last: number
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
  units: []
}

/** The figures of an account's state. */
export const figuresOf = ({ joined, lastPeriod, member, period, program, seq, status, units }: State): Figures => ({
  seq,
  program,
  member,
  status,
  joined,
  period,
  lastPeriod,
  units: units.map(({ last, lifetime, posted, qualified, reserved, unit }) => ({
    unit,
    posted,
    reserved,
    lifetime,
    qualified,
    last
  }))
})

const stateOf = ({ joined, lastPeriod, member, period, program, seq, status, units }: Figures): State => ({
  ...initialState,
  program,
  member,
  status,
  joined,
  seq,
  period,
  lastPeriod,
  units: units.map((figures) => ({ ...figures, lots: Lots.empty, credited: 0 }))
})

const withoutLots = (event: Event): Event =>
  event.type === "posted" ? { ...event, taken: [], back: [], lot: 0 } : event

/** The figures after a record with these events. */
export const advance = (
  before: Figures,
  record: Pick<StoredRecord, "account" | "balances" | "seq">,
  events: ReadonlyArray<Event>
): Figures => {
  if (record.seq !== before.seq + 1)
    throw new Error(
      `record ${record.account}/${record.seq} does not follow ${before.seq}, which the rollups count last`
    )
  let state = stateOf(before)
  for (const event of events) state = evolve(state, withoutLots(event), record.seq)
  // Holds are not folded: the record has the reserved amounts after it.
  const balances = JSON.parse(record.balances) as ReadonlyArray<readonly [unit: Unit, posted: number, reserved: number]>
  const reserved = new Map(balances.map(([unit, , amount]) => [unit, amount]))
  const figures = figuresOf({ ...state, seq: record.seq })
  return { ...figures, units: figures.units.map((one) => ({ ...one, reserved: reserved.get(one.unit) ?? 0 })) }
}

type UnitText = readonly [
  unit: Unit,
  posted: number,
  reserved: number,
  lifetime: number,
  qualified: number,
  last?: number,
  lastPeriod?: number
]

/** The stored form of the units' figures. Those of the last tier period are there only once there was one. */
export const unitsText = ({ lastPeriod, units }: Pick<Figures, "lastPeriod" | "units">): string =>
  JSON.stringify(
    units.map(({ last, lifetime, posted, qualified, reserved, unit }): UnitText => {
      const figures = [unit, posted, reserved, lifetime, qualified] as const
      return lastPeriod === undefined ? figures : [...figures, last, lastPeriod]
    })
  )

/** The inverse of `unitsText`. */
export const unitsOf = (text: string): Pick<Figures, "lastPeriod" | "units"> => {
  const units = JSON.parse(text) as ReadonlyArray<UnitText>
  return {
    lastPeriod: units[0]?.[6],
    units: units.map(([unit, posted, reserved, lifetime, qualified, last = 0]) => ({
      unit,
      posted,
      reserved,
      lifetime,
      qualified,
      last
    }))
  }
}
