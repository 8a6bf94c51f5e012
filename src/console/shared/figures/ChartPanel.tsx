/** A chart with its totals, and the same figures as a table. */

import type { MantineColor } from "@mantine/core"
import { Box, Button, Group, Skeleton, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { Suspense, useState } from "react"
import { later } from "../Later.tsx"
import { Note } from "../Note.tsx"
import { Panel } from "../Panel.tsx"
import type { Cell } from "../spreadsheets/csv.ts"
import { SaveFigures } from "../spreadsheets/SaveFigures.tsx"
import { strings } from "../strings.ts"
import type { ChartFigures } from "./ChartFigures.ts"
import { useFiguresAbout } from "./FiguresAbout.ts"
import { rangeStrings } from "./rangeStrings.ts"

const text = strings.today

export interface Figure {
  readonly label: string
  readonly value: string
  /** The value and the one before in a file; absent: not in it. */
  readonly cells?: ReadonlyArray<Cell>
  /** Of the cells: a currency, or `%`. */
  readonly unit?: string
  /** The comparison with the range before, in words. */
  readonly hint?: ReactNode
  /** Colour of its bars. */
  readonly color?: MantineColor
}

const Bars = later(() => import("./Charts.tsx"), "Bars")
const AsTable = later(() => import("./FiguresTable.tsx"), "FiguresTable")

const Numbers = ({ numbers }: { readonly numbers: ReadonlyArray<Figure> }) => (
  <Group gap="0.5rem 2rem" align="flex-start" component="dl" m={0}>
    {numbers.map(({ color, hint, label, value }) => (
      <div key={label}>
        <Group gap={6} wrap="nowrap" component="dt">
          {color === undefined ? undefined : <Box w={10} h={10} bg={color} style={{ borderRadius: 2 }} />}
          <Text span size="sm" c="dimmed">
            {label}
          </Text>
        </Group>
        <Text component="dd" m={0} className="number" size="lg" fw={600} lh={1.3}>
          {value}
        </Text>
        {hint === undefined ? undefined : (
          <Text component="dd" m={0} size="xs" c="dimmed">
            {hint}
          </Text>
        )}
      </div>
    ))}
  </Group>
)

type Rows = ReadonlyArray<ReadonlyArray<Cell>>

const numberRows = (numbers: ReadonlyArray<Figure>): Rows => {
  const told = numbers.flatMap(({ cells, label, unit }) =>
    cells === undefined ? [] : [[unit === undefined ? label : `${label} (${unit})`, ...cells]]
  )
  return told.length === 0 ? [] : [[rangeStrings.figure, rangeStrings.value, rangeStrings.before], ...told]
}

const chartRows = (figures: ChartFigures | undefined): Rows =>
  figures === undefined
    ? []
    : [
        [figures.column, ...figures.series.map(({ label }) => label)],
        ...figures.rows.map(({ key, label, values }) => [key ?? label, ...values])
      ]

const hasFile = (numbers: ReadonlyArray<Figure>, figures: ChartFigures | undefined): boolean =>
  figures !== undefined || numbers.some(({ cells }) => cells !== undefined)

export const ChartPanel = (props: {
  readonly title: string
  readonly numbers: ReadonlyArray<Figure>
  /** Absent: only the numbers are shown. */
  readonly figures?: ChartFigures | undefined
  readonly children?: ReactNode
}) => {
  const { figures, numbers, title } = props
  const about = useFiguresAbout()
  const [isTable, setTable] = useState(false)
  const label = isTable ? text.asChart : text.asTable
  const isNothing = figures?.rows.every(({ values }) => values.every((value) => value === 0)) === true
  const toggle =
    figures === undefined || isNothing ? undefined : (
      <Button variant="default" size="compact-sm" aria-label={`${label}: ${title}`} onClick={() => setTable(!isTable)}>
        {label}
      </Button>
    )
  return (
    <Panel
      title={title}
      actions={
        isNothing || !hasFile(numbers, figures) ? undefined : (
          <Group gap="xs">
            {toggle}
            <SaveFigures title={title} about={about} rows={() => chartRows(figures)} more={() => numberRows(numbers)} />
          </Group>
        )
      }
    >
      <Stack gap="md">
        <Numbers numbers={numbers} />
        {props.children}
        {figures === undefined ? undefined : isNothing ? (
          <Note>{text.allZero}</Note>
        ) : isTable ? (
          <Suspense>
            <AsTable figures={figures} title={title} />
          </Suspense>
        ) : (
          <div role="img" aria-label={text.chartOf(title)}>
            <Suspense fallback={<Skeleton h={figures.isByName ? 160 : 220} animate={false} />}>
              <Bars figures={figures} />
            </Suspense>
          </div>
        )}
      </Stack>
    </Panel>
  )
}
