/** Bars over time or by name. Loaded after the numbers are shown, because it is large. */
import "@mantine/charts/styles.css"
import { BarChart } from "@mantine/charts"
import { memo } from "react"
import { number, short } from "../format.ts"
import type { ChartFigures } from "./ChartFigures.ts"

/** Height of a bar with its name, pixels. */
const nameHeight = 34
const still = { isAnimationActive: false } as const

const heightOf = ({ isByName, rows, series }: ChartFigures): number =>
  isByName ? Math.max(84, rows.length * (nameHeight + (series.length - 1) * 12) + 40) : 220

/**
 * Removes a chart's layers from the tab order. React listens for focus on them, and Chromium makes any SVG element with
 * such a listener a tab stop: five useless stops in each chart.
 */
const withoutStops = (chart: HTMLElement | null) => {
  if (chart === null) return undefined
  const observer = new MutationObserver(() => {
    for (const layer of chart.querySelectorAll("svg g[class^=recharts-zIndex]:not([tabindex])"))
      layer.setAttribute("tabindex", "-1")
  })
  observer.observe(chart, { childList: true, subtree: true })
  return () => observer.disconnect()
}

const Drawn = ({ figures }: { readonly figures: ChartFigures }) => {
  const { isByName, rows, series } = figures
  const data = rows.map(({ label, values }) =>
    Object.fromEntries([
      ["label", label],
      ...series.map(({ isBelow, label: name }, index) => {
        const value = values[index] ?? 0
        // Avoids −0, which would be shown as “−0”.
        return [name, isBelow === true && value !== 0 ? -value : value]
      })
    ])
  )
  return (
    <div ref={withoutStops}>
      <BarChart
        h={heightOf(figures)}
        data={data}
        dataKey="label"
        series={series.map(({ color, label }) => ({ name: label, color }))}
        type={isByName ? "default" : "stacked"}
        orientation={isByName ? "vertical" : "horizontal"}
        gridAxis={isByName ? "none" : "x"}
        tickLine="none"
        valueFormatter={number}
        accessibilityLayer={false}
        maxBarWidth={isByName ? 18 : 28}
        barProps={{ ...still, radius: 2 }}
        barChartProps={
          isByName ? { barGap: 1, margin: { right: 44 } } : { stackOffset: "sign", margin: { left: 0, right: 8 } }
        }
        tooltipProps={still}
        xAxisProps={isByName ? { hide: true } : { interval: "preserveStartEnd", minTickGap: 28 }}
        yAxisProps={isByName ? { width: 112 } : { width: 52, tickFormatter: short, allowDecimals: false }}
        withBarValueLabel={isByName}
        valueLabelProps={{
          ...still,
          position: "right",
          fill: "var(--mantine-color-text)",
          formatter: (value) => (value === 0 ? "" : number(Number(value)))
        }}
        {...(isByName ? {} : { referenceLines: [{ y: 0, color: "var(--mantine-color-default-border)" }] })}
      />
    </div>
  )
}

/** Drawn again only for other figures: a page that asks every few seconds mostly gets the same ones, and a chart costs much. */
export const Bars = memo(Drawn, (before, after) => JSON.stringify(before.figures) === JSON.stringify(after.figures))
