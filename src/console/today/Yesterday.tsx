/** Yesterday beside the same weekday a week before, in the programme's zone. Needs a scope of the platform. */

import { SimpleGrid, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import { AnalyticsGroup } from "../../contract/platform/Analytics.ts"
import { call, client } from "../shared/client.ts"
import { Change } from "../shared/figures/Change.tsx"
import { dayBefore, localDay, money, number, weekdayDate } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useIsZoneKnown, useProgramId, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import type { Amount } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { yesterdayStrings } from "./yesterdayStrings.ts"

const platform = client(AnalyticsGroup)

const text = yesterdayStrings

/** A day that is over changes by late refunds and corrections alone. */
const refreshMs = 60_000

/** The local day that began `days` days before today. */
const useDay = (serviceTime: string, days: number) => {
  const id = useProgramId()
  const zone = useZone()
  const isKnown = useIsZoneKnown()
  const [from, until] = [dayBefore(serviceTime, zone, days), dayBefore(serviceTime, zone, days - 1)]
  return useQuery({
    queryKey: ["analytics business day", id, from, until],
    enabled: id !== undefined && isKnown,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        platform.platform_analytics.analytics({
          query: { program_id: id ?? "", from, until, time_zone: zone, day: "business" }
        })
      )
  })
}

interface Figure {
  readonly label: string
  readonly of: (analytics: Analytics) => number
  readonly shown: (analytics: Analytics) => string
  /** The number in a file; absent: `of`. */
  readonly cell?: (analytics: Analytics) => number | Amount
  readonly currency?: (analytics: Analytics) => string
}

const counted = (label: string, of: Figure["of"]): Figure => ({ label, of, shown: (one) => number(of(one)) })

const figures: ReadonlyArray<Figure> = [
  counted(text.orders, ({ loyalty }) => loyalty.orders.count),
  {
    label: text.revenue,
    of: ({ loyalty }) => loyalty.orders.eligible_spend.amount,
    shown: ({ loyalty }) => money(loyalty.orders.eligible_spend),
    cell: ({ loyalty }) => loyalty.orders.eligible_spend,
    currency: ({ loyalty }) => loyalty.orders.eligible_spend.currency
  },
  counted(text.guests, ({ loyalty }) => loyalty.members.active),
  counted(text.newMembers, ({ loyalty }) => loyalty.members.new)
]

/** The figures as a file has them, with its header. */
const rowsOf = (now: Analytics, before: Analytics | undefined, columns: ReadonlyArray<string>) => [
  columns,
  ...figures.map(({ cell, currency, label, of }) => [
    currency === undefined ? label : `${label} (${currency(now)})`,
    ...[now, before].map((one) => (one === undefined ? undefined : (cell ?? of)(one)))
  ])
]

/** `serviceTime`: a sandbox has its own. `children` follow, and are loaded after its figures. */
export const Yesterday = (props: { readonly serviceTime: string; readonly children: ReactNode }) => {
  const { children, serviceTime } = props
  const zone = useZone()
  const yesterday = useDay(serviceTime, 1)
  const before = useDay(serviceTime, 8).data
  const program = useProgramId() ?? ""
  const day = localDay(dayBefore(serviceTime, zone, 1), zone)
  const title = text.title(weekdayDate(dayBefore(serviceTime, zone, 1), zone))
  return (
    <>
      <Panel
        title={title}
        actions={
          yesterday.data === undefined ? undefined : (
            <SaveFigures
              title={title}
              file={text.file}
              about={{ program, from: day, to: day }}
              rows={() => rowsOf(yesterday.data, before, text.columns)}
            />
          )
        }
      >
        <Shown query={yesterday}>
          {(now) => (
            <Stack gap="xs">
              <SimpleGrid component="dl" cols={{ base: 2, md: 4 }} m={0}>
                {figures.map(({ label, of, shown }) => (
                  <div key={label}>
                    <Text component="dt" size="sm" c="dimmed">
                      {label}
                    </Text>
                    <Text component="dd" m={0} className="number" size="xl" fw={600}>
                      {shown(now)}
                    </Text>
                    {before === undefined ? undefined : (
                      <Text component="dd" m={0} size="xs" c="dimmed">
                        <div>{text.before(shown(before))}</div>
                        <Change now={of(now)} before={of(before)} told="" />
                      </Text>
                    )}
                  </div>
                ))}
              </SimpleGrid>
              <Note size="xs">{text.hint(weekdayDate(dayBefore(serviceTime, zone, 8), zone), zone)}</Note>
            </Stack>
          )}
        </Shown>
      </Panel>
      {yesterday.isPending ? undefined : children}
    </>
  )
}
