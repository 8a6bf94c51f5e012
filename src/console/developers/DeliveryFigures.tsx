/** Charts of the deliveries that the service keeps of a connector. */
import { SimpleGrid } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ChartPanel } from "../shared/figures/ChartPanel.tsx"
import { hourShort, milliseconds, number, percent, timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { useZone } from "../shared/program.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { connectorsMs, newest } from "./connectors.ts"
import type { Newest } from "./deliveryFigures.ts"
import { attemptsByHour, delays } from "./deliveryFigures.ts"

const text = connectorStrings

/** Time for which the figures are fresh enough, ms: they may take 15 requests. */
const figuresMs = 60_000

const useKept = (connector_id: string) =>
  useQuery({
    queryKey: ["delivery figures", connector_id],
    staleTime: figuresMs,
    refetchInterval: ({ state: { data } }) => (data?.delivered.deliveries.length === 0 ? connectorsMs : figuresMs),
    queryFn: async () => {
      const delivered = await newest(connector_id, "delivered")
      const failed = await newest(connector_id, "failed")
      const pending = await newest(connector_id, "pending")
      return { delivered, failed, pending, at: Date.now() }
    }
  })

const Speed = ({ delivered }: { readonly delivered: Newest }) => {
  const zone = useZone()
  const { atOnce, bars, count, medianMs, since, slowMs } = delays(delivered.deliveries)
  return (
    <ChartPanel
      title={text.speed}
      numbers={[
        { label: text.delivered, value: number(count), color: "indigo.6" },
        { label: text.atOnce, value: percent(Math.round((atOnce / count) * 10_000)) },
        { label: text.median, value: milliseconds(medianMs) },
        { label: text.slow, value: milliseconds(slowMs) }
      ]}
      figures={{
        column: text.speedColumn,
        isByName: true,
        series: [{ label: text.delivered, color: "indigo.6" }],
        rows: bars.map((value, n) => ({ label: text.bars[n] ?? "", values: [value] }))
      }}
    >
      {since === undefined ? undefined : <Note>{text.speedOf(`${timeShort(since, zone)} (${zone})`)}</Note>}
    </ChartPanel>
  )
}

const Hours = ({ hours }: { readonly hours: NonNullable<ReturnType<typeof attemptsByHour>> }) => {
  const zone = useZone()
  const sum = (word: "failed" | "succeeded") => hours.reduce((all, hour) => all + hour[word], 0)
  return (
    <ChartPanel
      title={text.attempts}
      numbers={[
        { label: text.accepted, value: number(sum("succeeded")), color: "teal.8" },
        { label: text.notAccepted, value: number(sum("failed")), color: "red.8" }
      ]}
      figures={{
        column: text.hour,
        isByName: false,
        series: [
          { label: text.accepted, color: "teal.8" },
          { label: text.notAccepted, color: "red.8" }
        ],
        rows: hours.map(({ at, failed, succeeded }) => ({ label: hourShort(at, zone), values: [succeeded, failed] }))
      }}
    />
  )
}

/** Nothing without deliveries, or if they cannot be read: the list of deliveries says so. */
export const DeliveryFigures = ({ connector_id }: { readonly connector_id: string }) => {
  const kept = useKept(connector_id).data
  if (kept === undefined) return undefined
  const hours = attemptsByHour(kept, kept.at)
  const hasAttempts = hours?.some(({ failed, succeeded }) => failed + succeeded > 0) === true
  const hasDelivered = delays(kept.delivered.deliveries).count > 0
  if (!hasDelivered && !hasAttempts) return undefined
  return (
    <SimpleGrid cols={{ base: 1, md: hasDelivered && hasAttempts ? 2 : 1 }}>
      {hasDelivered ? <Speed delivered={kept.delivered} /> : undefined}
      {hasAttempts ? <Hours hours={hours} /> : undefined}
    </SimpleGrid>
  )
}
