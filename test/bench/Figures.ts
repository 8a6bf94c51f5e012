/** From measurements to figures: medians over rounds, ratios, and how they stand to what is wanted. */
import { peak } from "./Attempt.ts"
import type { Measurement } from "./Measure.ts"
import type { Name } from "./Options.ts"
import type { Taken } from "./Rounds.ts"
import type { WalPerAccrual } from "./WalPerAccrual.ts"

/** Of several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly values: ReadonlyArray<number>
}

export const spread = (values: ReadonlyArray<number>): Spread | undefined => {
  const sorted = [...values].sort((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  const high = sorted[Math.ceil((sorted.length - 1) / 2)]
  if (low === undefined || high === undefined) return undefined
  return { median: (low + high) / 2, min: sorted[0]!, max: sorted.at(-1)!, values }
}

export const over = (
  taken: ReadonlyArray<Taken>,
  name: Name,
  at: "saturation" | "fixed",
  of: (measurement: Measurement) => number | undefined
): Spread | undefined =>
  spread(
    taken.flatMap((one) => {
      const measurement = one.name === name ? one[at] : undefined
      const value = measurement === undefined ? undefined : of(measurement)
      return value === undefined ? [] : [value]
    })
  )

/** Memory of resident accounts. */
export interface AccountMemory {
  readonly accounts: number
  readonly lotsEach: number
  /** An account's bytes in each step of reading in. */
  readonly bytesEach: ReadonlyArray<number>
}

export interface Results {
  readonly taken: ReadonlyArray<Taken>
  readonly wal: WalPerAccrual | undefined
  readonly memory: AccountMemory | undefined
  /** What the prepared data folder held before. */
  readonly large: { readonly entries: number; readonly accounts: number } | undefined
}

export interface Headline {
  readonly what: string
  readonly unit: string
  readonly least: number
  readonly aim: number
  /** Whether less is better. */
  readonly isLimit: boolean
  readonly value: Spread | undefined
  readonly isMet: boolean | undefined
}

/** Ratios of two measures at saturation, each of one round. */
const ratio = (taken: ReadonlyArray<Taken>, over: Name, under: Name): Spread | undefined =>
  spread(
    taken.flatMap((one) => {
      if (one.name !== over) return []
      const bottom = taken.find((other) => other.name === under && other.round === one.round)
      return bottom === undefined ? [] : [peak(one) / peak(bottom)]
    })
  )

/** What is left of the rate on full tables, when both sides have settled after a checkpoint. */
const fullShare = (taken: ReadonlyArray<Taken>): Spread | undefined =>
  spread(taken.flatMap(({ settled }) => (settled === undefined ? [] : [settled.full.rate / settled.empty.rate])))

/** What may be under way at the end of an overload without telling anything, % of the requests. */
const inTimeTolerance = 1

const single = (value: number | undefined): Spread | undefined => (value === undefined ? undefined : spread([value]))

/** Share of the requests under overload that were answered neither well nor by a proper 503 while they were counted. */
const unanswered = ({ fixed: { result } }: Taken): number =>
  Math.max(0, result.offered - result.window.good - result.window.busy) / Math.max(1, result.offered)

export const headlines = ({ large, memory, taken, wal }: Results): ReadonlyArray<Headline> => {
  const row = (
    what: string,
    unit: string,
    least: number,
    aim: number,
    isLimit: boolean,
    value: Spread | undefined
  ): Headline => {
    const isMet = value === undefined ? undefined : isLimit ? value.median <= least : value.median >= least
    return { what, unit, least, aim, isLimit, value, isMet }
  }
  const p99 = (name: Name) => over(taken, name, "fixed", ({ latency }) => latency.p99)
  const overload = taken.filter(({ name }) => name === "overload")
  const full =
    large === undefined
      ? "a prepared data folder, share of the empty one"
      : `${large.accounts} members and ${large.entries} entries, share of the empty one`
  return [
    row("accruals, share of the echo's requests", "", 0.2, 0.4, false, ratio(taken, "accruals", "echo")),
    row("accruals against Fastify + pg", "×", 3.5, 6, false, ratio(taken, "accruals", "fastify")),
    row("the mix against Fastify + pg accruals", "×", 4, 8, false, ratio(taken, "mix", "fastify")),
    row("p99 at 50 % of saturation, accruals", "ms", 20, 8, true, p99("accruals")),
    row("p99 at 50 % of saturation, the mix", "ms", 20, 8, true, p99("mix")),
    row("one hot account, share of the spread load", "", 0.5, 0.9, false, ratio(taken, "hot", "accruals")),
    row(`${full}, settled after a checkpoint`, "", 0.8, 0.95, false, fullShare(taken)),
    row(`${full}, from a checkpoint on`, "", 0.8, 0.95, false, ratio(taken, "large", "accruals")),
    row(
      `resident, idle account with ${memory?.lotsEach.toFixed(0) ?? 20} open lots`,
      "KB",
      6,
      3,
      true,
      memory === undefined ? undefined : spread(memory.bytesEach.map((bytes) => bytes / 1024))
    ),
    row(
      "twice the saturation: good, share of the peak",
      "",
      0.8,
      0.95,
      false,
      spread(overload.map((one) => one.fixed.rate / peak(one)))
    ),
    row(
      "twice the saturation: neither good nor a proper 503 in time",
      "%",
      inTimeTolerance,
      0,
      true,
      spread(overload.map((one) => unanswered(one) * 100))
    ),
    row(
      wal === undefined
        ? "WAL an accrual between two checkpoints"
        : `WAL an accrual over ${wal.accruals} after a checkpoint, ${wal.entriesBefore} entries before`,
      "B",
      3000,
      1500,
      true,
      single(wal?.all)
    )
  ]
}
