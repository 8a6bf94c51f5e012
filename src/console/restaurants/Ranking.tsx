/** The restaurants beside the same days before, with the main reason of each change; limited callers see theirs. */
import { Group, SegmentedControl, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import { RestaurantFiguresGroup } from "../../contract/platform/RestaurantFigures.ts"
import { call, client } from "../shared/client.ts"
import { Change } from "../shared/figures/Change.tsx"
import { calendarDay, dayBefore, localDay, money, number, signedMoney } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgramId, useZone } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import type { Cell } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import type { Cause, Compared } from "./ranking.ts"
import { compare } from "./ranking.ts"
import { rankingStrings as text } from "./rankingStrings.ts"

const platform = client(RestaurantFiguresGroup)

/** Days that are over change by late refunds and corrections alone. Each question reads the orders of its days. */
const refreshMs = 300_000

const ranges = [7, 28] as const
type Range = (typeof ranges)[number]

/** The last `days` business days that are over, and as many before them, `YYYY-MM-DD`. */
const daysOf = (serviceTime: string, zone: string, days: Range) => {
  const [to, from, beforeTo, before] = [1, days, days + 1, 2 * days].map((ago) =>
    localDay(dayBefore(serviceTime, zone, ago), zone)
  ) as [string, string, string, string]
  return { from, to, before, beforeTo }
}

const useCompared = ({ before, beforeTo, from, to }: ReturnType<typeof daysOf>) => {
  const program_id = useProgramId()
  return useQuery({
    queryKey: ["restaurants compared", program_id, from, to],
    enabled: program_id !== undefined,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const of = (range: { readonly from: string; readonly to: string }) =>
        call(
          platform.platform_restaurant_figures.restaurantFigures({ query: { program_id: program_id ?? "", ...range } })
        )
      const [now, was] = await Promise.all([of({ from, to }), of({ from: before, to: beforeTo })])
      return compare(now, was)
    }
  })
}

type Side = Compared["now"]

const ordersOf = (one: Side): number => one?.orders ?? 0
const eachOf = (one: Side): number => ordersOf(one) / (one?.guests ?? 1)
const averageOf = (one: Side) => ({
  amount: ordersOf(one) === 0 ? 0 : Math.round((one?.eligible_spend.amount ?? 0) / ordersOf(one)),
  currency: one?.eligible_spend.currency ?? "XXX"
})

/** The figure of a cause, as it is told. */
const told: Readonly<Record<Cause, (one: Side) => string>> = {
  guests: (one) => number(one?.guests ?? 0),
  // Of each guest, or all where guests are not counted. Two decimals: few guests order three times.
  orders: (one) => number(Math.round(eachOf(one) * 100) / 100),
  average: (one) => money(averageOf(one))
}

const causeWords = ({ before, cause, change, now }: Compared): string => {
  if (ordersOf(now) === 0) return text.noneNow
  if (ordersOf(before) === 0) return text.noneBefore
  if (cause === undefined) return text.same
  const isAll = cause === "orders" && (now?.guests === undefined || before?.guests === undefined)
  const words = text.causes[isAll ? "allOrders" : cause]
  return words[change < 0 ? "less" : "more"](told[cause](before), told[cause](now))
}

const nameOf = ({ location_id, name }: Compared): string => name ?? location_id

/** As a file has them. */
const rowsOf = (all: ReadonlyArray<Compared>): ReadonlyArray<ReadonlyArray<Cell>> => {
  const currency = all[0]?.currency ?? ""
  const inMoney = (label: string) => `${label} (${currency})`
  const both = (label: string) => [label, text.wasOf(label)]
  return [
    [
      text.name,
      text.id,
      ...both(inMoney(text.revenue)),
      inMoney(text.change),
      text.cause,
      ...both(text.orders),
      ...both(text.guests),
      ...both(inMoney(text.average))
    ],
    ...all.map((one) => [
      nameOf(one),
      one.location_id,
      ...[one.revenue, one.revenueBefore, one.change].map((amount) => ({ amount, currency: one.currency })),
      causeWords(one),
      ...[one.now, one.before].map(ordersOf),
      ...[one.now, one.before].map((side) => side?.guests),
      ...[one.now, one.before].map((side) => (side === undefined ? undefined : averageOf(side)))
    ])
  ]
}

/** A list that is not whole cannot be sorted. */
const sortedBy = <By,>(isWhole: boolean, by: By) => (isWhole ? { by } : {})

interface Linked {
  /** Leads from a restaurant's name to its figures. Absent: the page has none of one restaurant. */
  readonly link?: ((location_id: string, name: string) => ReactNode) | undefined
}

const List = (props: Linked & { readonly rows: ReadonlyArray<Compared>; readonly isWhole: boolean }) => {
  const { isWhole, link, rows } = props
  return (
    <Listing
      label={text.title}
      minWidth={620}
      rows={rows}
      keyOf={({ location_id }) => location_id}
      columns={[
        {
          label: text.name,
          ...sortedBy(isWhole, nameOf),
          cell: (one) => link?.(one.location_id, nameOf(one)) ?? <bdi>{nameOf(one)}</bdi>
        },
        {
          label: text.revenue,
          isNumber: true,
          ...sortedBy(isWhole, ({ revenue }: Compared) => revenue),
          cell: ({ currency, revenue, revenueBefore }) => (
            <>
              {money({ amount: revenue, currency })}
              <Note size="xs">{strings.today.numberBefore(money({ amount: revenueBefore, currency }))}</Note>
            </>
          )
        },
        {
          label: text.change,
          isNumber: true,
          ...sortedBy(isWhole, ({ change }: Compared) => change),
          cell: (one) => (
            <>
              <Text span size="sm" fw={600}>
                {signedMoney({ amount: one.change, currency: one.currency })}
              </Text>
              <Note size="xs">
                <Change now={one.revenue} before={one.revenueBefore} told="" />
              </Note>
            </>
          )
        },
        { label: text.cause, ...sortedBy(isWhole, ({ cause }: Compared) => cause), cell: causeWords }
      ]}
    />
  )
}

/** `most`: so many are shown, and `all` leads to the others. Absent: all are shown. */
export const Ranking = (
  props: Linked & {
    readonly serviceTime: string
    readonly most?: number
    readonly all?: (label: string) => ReactNode
  }
) => {
  const { all, link, most = Number.POSITIVE_INFINITY, serviceTime } = props
  const zone = useZone()
  const [days, setDays] = useState<Range>(7)
  const asked = daysOf(serviceTime, zone, days)
  const compared = useCompared(asked)
  const program = useProgramId() ?? ""
  return (
    <Panel
      title={text.title}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={text.range}
            value={String(days)}
            data={ranges.map((one) => ({ value: String(one), label: text.ranges[one] }))}
            onChange={(value) => setDays(value === "7" ? 7 : 28)}
          />
          {compared.data === undefined || compared.data.length === 0 ? undefined : (
            <SaveFigures
              title={text.title}
              file={text.file}
              about={{ program, from: asked.from, to: asked.to }}
              rows={() => rowsOf(compared.data)}
            />
          )}
        </Group>
      }
    >
      <Note size="xs">
        {text.days(
          calendarDay(asked.from),
          calendarDay(asked.to),
          calendarDay(asked.before),
          calendarDay(asked.beforeTo)
        )}
      </Note>
      <Shown query={compared}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={text.none}>{text.noneHint}</Empty>
          ) : (
            <>
              <List link={link} rows={rows.slice(0, most)} isWhole={rows.length <= most} />
              {rows.length > most ? all?.(text.all(rows.length)) : undefined}
            </>
          )
        }
      </Shown>
    </Panel>
  )
}
