/** The tables that people read. */
import { fixedLimits, isSteady, maxDrift, peak, saturatedLimits } from "./Attempt.ts"
import type { Headline, Results, Spread } from "./Figures.ts"
import { headlines, over, spread } from "./Figures.ts"
import type { Measurement } from "./Measure.ts"
import type { Name } from "./Options.ts"
import type { Taken } from "./Rounds.ts"

/** Rows of cells as aligned text, the first column to the left. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  )
  lines.splice(1, 0, "─".repeat(widths.reduce((sum, width) => sum + width + 2, -2)))
  return lines.join("\n")
}

const digits = (value: number): string =>
  value === 0
    ? "0"
    : Math.abs(value) >= 100
      ? value.toFixed(0)
      : Math.abs(value) >= 10
        ? value.toFixed(1)
        : value.toFixed(2)
const median = (spread: Spread | undefined): string => (spread === undefined ? "–" : digits(spread.median))
const range = (spread: Spread | undefined): string =>
  spread === undefined ? "–" : `${digits(spread.min)}–${digits(spread.max)}`

type At = "saturation" | "fixed"
type Of = (measurement: Measurement) => number | undefined

const latencies: ReadonlyArray<readonly [string, Of]> = [
  ["p50 ms", ({ latency }) => latency.p50],
  ["p95", ({ latency }) => latency.p95],
  ["p99", ({ latency }) => latency.p99],
  ["p99.9", ({ latency }) => latency.p999]
]

const costs: ReadonlyArray<readonly [string, Of]> = [
  ["server CPU s/1000", ({ cost }) => cost.serverCpu],
  ["PostgreSQL CPU", ({ cost }) => cost.postgresCpu],
  ["load CPU", ({ cost }) => cost.loadCpu],
  ["others' cores", ({ cost }) => cost.othersCores],
  ["stolen", ({ cost }) => cost.stolenCores],
  ["machine still %", ({ cost }) => cost.paused * 100],
  ["disk still %", ({ cost }) => (cost.diskStill === undefined ? undefined : cost.diskStill * 100)],
  ["server MB", ({ cost }) => cost.residentMb.highest],
  ["PostgreSQL MB", ({ cost }) => cost.postgresMb],
  ["group", ({ cost }) => cost.groupSize],
  ["fsyncs/entry", ({ cost }) => cost.fsyncs],
  ["WAL B/entry", ({ cost }) => cost.walBytes],
  ["full pages/entry", ({ cost }) => cost.fullPageImages]
]

const measuresOf = (taken: ReadonlyArray<Taken>): ReadonlyArray<Name> =>
  [...new Set(taken.map(({ name }) => name))].sort()

const measureTable = (
  taken: ReadonlyArray<Taken>,
  names: ReadonlyArray<Name>,
  at: At,
  columns: ReadonlyArray<readonly [string, Of]>
): string =>
  table([
    ["", ...columns.map(([title]) => title)],
    ...names.map((name) => [name, ...columns.map(([, of]) => median(over(taken, name, at, of)))])
  ])

const rateTable = (taken: ReadonlyArray<Taken>, names: ReadonlyArray<Name>, at: At): string =>
  table([
    ["", "good/s", "min–max", ...latencies.map(([title]) => title), "busy %", "bad"],
    ...names.map((name) => {
      const of = (get: Of) => over(taken, name, at, get)
      const rate = of((measurement) => measurement.rate)
      const answers = ({ result }: Measurement) => result.window.good + result.window.busy + result.window.bad
      return [
        name,
        median(rate),
        range(rate),
        ...latencies.map(([, get]) => median(of(get))),
        median(of((measurement) => (measurement.result.window.busy * 100) / Math.max(1, answers(measurement)))),
        median(of(({ result }) => result.total.bad))
      ]
    })
  ])

const overloadTable = (taken: ReadonlyArray<Taken>): string =>
  table([
    [
      "round",
      "peak/s",
      "offered/s",
      "good/s",
      "503/s",
      "other",
      "closed",
      "dropped",
      "unanswered",
      "MB before",
      "highest",
      "after"
    ],
    ...taken.map((one) => {
      const { cost, pace, rate, result } = one.fixed
      return [
        String(one.round),
        digits(peak(one)),
        pace.type === "open" ? digits(pace.rate) : "–",
        digits(rate),
        digits((result.window.busy * 1000) / result.windowMs),
        String(result.total.bad),
        String(result.closed),
        String(result.dropped),
        String(result.unanswered),
        digits(cost.residentMb.before),
        digits(cost.residentMb.highest),
        digits(cost.residentMb.after)
      ]
    })
  ])

const headlineTable = (rows: ReadonlyArray<Headline>): string =>
  table([
    ["", "median", "min–max", "wanted", "aim", ""],
    ...rows.map(({ aim, isLimit, isMet, least, unit, value, what }) => [
      what,
      value === undefined ? "–" : `${median(value)} ${unit}`.trim(),
      value === undefined || value.values.length < 2 ? "" : range(value),
      `${isLimit ? "≤" : "≥"} ${least}`,
      String(aim),
      isMet === undefined ? "not measured" : isMet ? "met" : "NOT MET"
    ])
  ])

const mixTable = (taken: ReadonlyArray<Taken>): string => {
  const all = taken.flatMap(({ fixed, name }) => (name === "mix" ? [fixed.result.kinds] : []))
  const kinds = [...new Set(all.flatMap((kinds) => Object.keys(kinds)))]
  const worst = (kind: string, of: "p50" | "p99") => digits(Math.max(...all.map((kinds) => kinds[kind]?.[of] ?? 0)))
  return table([
    ["of the mix", "p50 ms", "p99"],
    ...kinds.map((kind) => [kind, worst(kind, "p50"), worst(kind, "p99")])
  ])
}

const settledTable = (pairs: ReadonlyArray<NonNullable<Taken["settled"]>>): string => {
  const row = (name: string, side: "empty" | "full") => {
    const of = (get: Of) => spread(pairs.map((pair) => get(pair[side])).filter((value) => value !== undefined))
    const rate = of((measurement) => measurement.rate)
    return [name, median(rate), range(rate), ...costs.map(([, get]) => median(of(get)))]
  }
  return table([
    ["", "good/s", "min–max", ...costs.map(([title]) => title)],
    row("empty", "empty"),
    row("full", "full")
  ])
}

/** Measurements that did not count, and those that did for want of a better one. */
const steadiness = (taken: ReadonlyArray<Taken>): string => {
  const voided = taken.reduce((sum, one) => sum + one.voided.length, 0)
  const unsteady = taken.filter((one) => !isSteady(one)).length
  return (
    `Void: ${voided} measurements at a fixed rate, for which the host took over ${fixedLimits.stolen} cores ` +
    `(${saturatedLimits.stolen} at saturation),\nothers used over ${fixedLimits.others} (${saturatedLimits.others}), ` +
    `the disk or the machine stood still for over ${fixedLimits.still * 100} % of the time (${saturatedLimits.still * 100} %),\n` +
    `or the saturations before and after differed by over ${maxDrift * 100} %; ` +
    `counted all the same, for want of a steadier one: ${unsteady}`
  )
}

export const report = (results: Results): string => {
  const { memory, taken, wal } = results
  const names = measuresOf(taken)
  const steady = names.filter((name) => name !== "overload")
  const overload = taken.filter(({ name }) => name === "overload")
  const parts: Array<string> = []
  if (steady.length > 0) {
    parts.push("At saturation (closed loop), medians of the rounds", rateTable(taken, steady, "saturation"))
    parts.push(
      "At 50 % of that round's saturation (open loop, from the intended moment), medians of the rounds",
      rateTable(taken, steady, "fixed")
    )
    parts.push(
      "Cost at saturation, each round begun with a checkpoint: CPU in seconds for 1,000 requests",
      measureTable(taken, steady, "saturation", costs)
    )
  }
  if (names.includes("mix")) parts.push("Operations at 50 % of saturation, the worst round of each", mixTable(taken))
  if (overload.length > 0) parts.push("At twice the saturation (open loop)", overloadTable(overload))
  const settled = taken.flatMap((one) => (one.settled === undefined ? [] : [one.settled]))
  if (settled.length > 0) {
    parts.push(
      "Empty and full tables at saturation, settled: from the 20,000th accrual after a checkpoint on",
      settledTable(settled)
    )
  }
  if (wal !== undefined) {
    parts.push(
      `WAL between two checkpoints, ${wal.entriesBefore} entries in the tables before: ${digits(wal.first)} B an accrual over ` +
        `the first 20,000, ${digits(wal.rest)} B over the rest, ${digits(wal.all)} B over all ${wal.accruals}` +
        (wal.checkpoints > 0 ? ` – a checkpoint came in between, so that these figures say nothing` : "")
    )
  }
  if (memory !== undefined) {
    parts.push(
      `Memory: ${median(spread(memory.bytesEach))} B a resident, idle account with ${digits(memory.lotsEach)} open lots ` +
        `(${memory.accounts} accounts read in, ${memory.bytesEach.length} weighings, ${range(spread(memory.bytesEach))}; ` +
        "kept replies aside)"
    )
  }
  if (taken.length > 0) parts.push(steadiness(taken))
  parts.push("Against what is wanted; ratios are taken within a round", headlineTable(headlines(results)))
  return parts.join("\n\n")
}

/** A line while the rounds run. */
export const line = ({ after, fixed, name, round, saturation, voided }: Taken): string =>
  `round ${round}  ${name.padEnd(9)}  ${digits(saturation.rate).padStart(6)}/s  p99 ${digits(saturation.latency.p99)} ms` +
  `  fixed rate ${digits(fixed.rate)}/s  p99 ${digits(fixed.latency.p99)} ms` +
  (after === undefined ? "" : `  then ${digits(after.rate)}/s`) +
  (voided.length === 0 ? "" : `  ${voided.length} void`) +
  (isSteady({ after, fixed, saturation }) ? "" : "  unsteady") +
  [...saturation.result.samples, ...fixed.result.samples]
    .slice(0, 3)
    .map((sample) => `\n  ${sample}`)
    .join("")
