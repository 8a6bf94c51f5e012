/** Figures of a chart and its table. */
import type { MantineColor } from "@mantine/core"

interface Series {
  readonly label: string
  readonly color: MantineColor
  /** Drawn below the axis, because it reduces the total. */
  readonly isBelow?: boolean
}

export interface ChartFigures {
  /** The kind of the rows, such as days. */
  readonly column: string
  /** True: bars by name. False: bars over time. */
  readonly isByName: boolean
  readonly series: ReadonlyArray<Series>
  /** True: the rows overlap, so that their sum says nothing. */
  readonly hasNoTotal?: boolean
  /** A value for each series. */
  readonly rows: ReadonlyArray<{
    readonly label: string
    /** The label in a file, such as a day with its year; absent: the label. */
    readonly key?: string
    readonly values: ReadonlyArray<number>
  }>
}
