/** Parts that the charts of Today have in common. */
import type { MantineColor } from "@mantine/core"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import type { Unit } from "../../contract/Values.ts"
import type { ChartFigures } from "../shared/figures/ChartFigures.ts"
import type { Figure } from "../shared/figures/ChartPanel.tsx"
import { dayShort, localDay, monthShort } from "../shared/format.ts"
import { strings } from "../shared/strings.ts"

const text = strings.today

type Buckets = Analytics["loyalty"]["ledger_by_bucket"]
export const words = ["issued", "redeemed", "reversed", "expired", "adjusted", "imported"] as const
type Word = (typeof words)[number]

/** Enough contrast on both colour schemes. */
export const colors = {
  issued: "indigo.6",
  redeemed: "teal.8",
  reversed: "cyan.8",
  expired: "orange.8",
  adjusted: "gray.6",
  imported: "violet.6"
} as const

/** The amount of a series. Points from another provider are no gift and no correction: they are a series of their own. */
export const amountOf = (one: Buckets[number], word: Word): number => {
  const { adjusted, imported = 0 } = one
  if (word === "imported") return imported
  return word === "adjusted" ? adjusted - imported : one[word]
}

export const sum = (buckets: Buckets, unit: Unit, word: Word): number =>
  buckets.reduce((all, one) => (one.unit === unit ? all + amountOf(one, word) : all), 0)

type Money = Analytics["loyalty"]["orders"]["average"]

export interface Charted {
  readonly now: Analytics
  /** The range before, once it is there. */
  readonly before: Analytics | undefined
  readonly unit: Unit
  readonly bucket: Analytics["range"]["bucket"]
  /** A number of now, with its change. */
  readonly counted: (label: string, of: (analytics: Analytics) => number, color?: MantineColor) => Figure
  /** A sum of money of now, with its change. */
  readonly sumOf: (label: string, of: (analytics: Analytics) => Money) => Figure
  /** Marks what a chosen location does not limit. */
  readonly whole: (label: string) => string
}

/** A chart of one series. */
export const single = (
  column: string,
  isByName: boolean,
  series: { readonly label: string; readonly color: MantineColor },
  rows: ReadonlyArray<readonly [label: string, value: number, key?: string]>
): ChartFigures => ({
  column,
  isByName,
  series: [series],
  rows: rows.map(([label, value, key]) => ({ label, values: [value], ...(key === undefined ? {} : { key }) }))
})

/** A bucket on the axis, and in a file. */
export const bucketLabel = (start: string, { bucket, time_zone: zone }: Analytics["range"]) => {
  const key = localDay(start, zone)
  return { label: bucket === "month" ? monthShort(key.slice(0, 7)) : dayShort(start, zone), key }
}

/** The column of a chart over time. */
export const bucketColumn = (bucket: Charted["bucket"]): string =>
  bucket === "day" ? text.dayColumn : bucket === "week" ? text.week : text.month

export interface Statuses {
  readonly active: number
  readonly suspended: number
  readonly closed: number
}
