/** The figures of the last days as charts. Needs a scope of the platform. */
import {
  Anchor,
  Badge,
  Group,
  NativeSelect,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Title
} from "@mantine/core"
import type { MantineColor } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Analytics } from "../../../contract/platform/Analytics.ts"
import type { Unit } from "../../../contract/Values.ts"
import { dayBefore, dayShort, money, monthShort, number, percent, timeShort } from "../../app/format.ts"
import { useLocationName } from "../../app/locations.ts"
import { useNames, useProgram, useZone } from "../../app/program.tsx"
import { strings } from "../../app/strings.ts"
import type { TodaySearch } from "../../app/todaySearch.ts"
import { defaultRange, ranges, todaySearch } from "../../app/todaySearch.ts"
import { Change } from "../../ui/Change.tsx"
import type { ChartFigures } from "../../ui/ChartFigures.ts"
import type { Figure } from "../../ui/ChartPanel.tsx"
import { ChartPanel } from "../../ui/ChartPanel.tsx"
import { Note } from "../../ui/Note.tsx"
import { Empty, Shown } from "../../ui/States.tsx"
import type { Asked } from "./analytics.ts"
import { summed, useAnalytics, useBefore, useLocations } from "./analytics.ts"

const text = strings.today

type Buckets = Analytics["loyalty"]["ledger_by_bucket"]
const words = ["issued", "redeemed", "reversed", "expired", "adjusted"] as const

/** Enough contrast on both colour schemes. */
const colors = {
  issued: "indigo.6",
  redeemed: "teal.8",
  reversed: "cyan.8",
  expired: "orange.8",
  adjusted: "gray.6"
} as const

const sum = (buckets: Buckets, unit: Unit, word: (typeof words)[number]): number =>
  buckets.reduce((all, one) => (one.unit === unit ? all + one[word] : all), 0)

interface Charted {
  readonly now: Analytics
  readonly unit: Unit
  readonly isByDay: boolean
  /** A number of now, with its change. */
  readonly counted: (label: string, of: (analytics: Analytics) => number, color?: MantineColor) => Figure
}

/** A chart of one series. */
const single = (
  column: string,
  isByName: boolean,
  series: { readonly label: string; readonly color: MantineColor },
  rows: ReadonlyArray<readonly [label: string, value: number]>
): ChartFigures => ({
  column,
  isByName,
  series: [series],
  rows: rows.map(([label, value]) => ({ label, values: [value] }))
})

/** The column of a chart over time. */
const bucketColumn = (isByDay: boolean): string => (isByDay ? text.dayColumn : text.week)

const Points = ({ counted, isByDay, now, unit }: Charted) => {
  const zone = now.range.time_zone
  const buckets = now.loyalty.ledger_by_bucket
  const title = text.points(unit, isByDay)
  return (
    <ChartPanel
      title={`${title.charAt(0).toUpperCase()}${title.slice(1)}`}
      numbers={words.map((word) =>
        counted(text.series[word], ({ loyalty }) => sum(loyalty.ledger_by_bucket, unit, word), colors[word])
      )}
      figures={{
        column: bucketColumn(isByDay),
        isByName: false,
        series: words.map((word) => ({
          label: text.series[word],
          color: colors[word],
          isBelow: word === "redeemed" || word === "expired"
        })),
        rows: buckets
          .filter((one) => one.unit === unit)
          .map((one) => ({ label: dayShort(one.start, zone), values: words.map((word) => one[word]) }))
      }}
    />
  )
}

const Outstanding = ({ now, unit }: Charted) => {
  const balance = now.loyalty.balances.find((one) => one.unit === unit)
  const months = (balance?.expiring_by_month ?? []).map(({ count, key }) => [monthShort(key), count] as const)
  return (
    <ChartPanel
      title={text.outstandingOf(unit)}
      numbers={[
        { label: text.outstanding, value: number(balance?.outstanding ?? 0), hint: text.now },
        { label: text.reserved, value: number(balance?.reserved ?? 0), hint: text.now }
      ]}
      figures={
        months.length === 0
          ? undefined
          : single(text.month, false, { label: text.expireIn, color: colors.expired }, months)
      }
    />
  )
}

const ordered = { label: text.orders, color: colors.issued }

const Orders = ({ counted, isByDay, now }: Charted) => {
  const { average, by_bucket, eligible_spend, repeat_rate_bps } = now.loyalty.orders
  const days = by_bucket.map(({ count, start }) => [dayShort(start, now.range.time_zone), count] as const)
  return (
    <ChartPanel
      title={isByDay ? text.ordersByDay : text.ordersByWeek}
      numbers={[
        counted(text.orders, ({ loyalty }) => loyalty.orders.count),
        {
          ...counted(text.spent, ({ loyalty }) => loyalty.orders.eligible_spend.amount),
          value: money(eligible_spend)
        },
        { ...counted(text.average, ({ loyalty }) => loyalty.orders.average.amount), value: money(average) },
        { label: text.repeat, value: percent(repeat_rate_bps) }
      ]}
      figures={single(bucketColumn(isByDay), false, ordered, days)}
    />
  )
}

const Locations = ({ now }: Charted) => {
  const nameOf = useLocationName()
  const locations = now.loyalty.orders.by_location.map(({ count, key }) => [nameOf(key), count] as const)
  return locations.length === 0 ? undefined : (
    <ChartPanel title={text.byLocation} numbers={[]} figures={single(text.location, true, ordered, locations)} />
  )
}

export interface Statuses {
  readonly active: number
  readonly suspended: number
  readonly closed: number
}

const Members = ({ counted, now, statuses }: Charted & { readonly statuses: Statuses }) => {
  const { by_tier, total } = now.loyalty.members
  const names = useNames()
  const tiers = by_tier.map(({ count, key }) => [names.tier(key), count] as const)
  return (
    <ChartPanel
      title={text.byTier}
      numbers={[
        { label: text.total, value: number(total), hint: text.now },
        counted(text.newMembers, ({ loyalty }) => loyalty.members.new),
        counted(text.activeMembers, ({ loyalty }) => loyalty.members.active)
      ]}
      figures={
        tiers.length === 0
          ? undefined
          : single(text.tierColumn, true, { label: text.membersTitle, color: "violet.6" }, tiers)
      }
    >
      <Group gap="xs">
        <Badge variant="light">{`${number(statuses.active)} ${text.active}`}</Badge>
        <Badge variant="default">{`${number(statuses.suspended)} ${text.suspended}`}</Badge>
        <Badge variant="default">{`${number(statuses.closed)} ${text.closed}`}</Badge>
      </Group>
    </ChartPanel>
  )
}

const rewardSeries = [
  { word: "captured", label: text.captured, color: colors.redeemed },
  { word: "issued", label: text.wallet, color: colors.issued },
  { word: "reversed", label: text.released, color: colors.reversed },
  { word: "expired", label: text.ranOut, color: colors.expired }
] as const

const Rewards = ({ counted, now }: Charted) => {
  const { rewards } = now.loyalty
  const names = useNames()
  return (
    <ChartPanel
      title={text.rewards}
      numbers={rewardSeries.map(({ color, label, word }) =>
        counted(label, ({ loyalty }) => loyalty.rewards.reduce((total, one) => total + one[word], 0), color)
      )}
      figures={
        rewards.length === 0
          ? undefined
          : {
              column: text.reward,
              isByName: true,
              series: rewardSeries,
              rows: rewards.map((one) => ({
                label: names.reward(one.reward_id),
                values: rewardSeries.map(({ word }) => one[word])
              }))
            }
      }
    />
  )
}

const Behaviour = ({ counted, isByDay, now, unit }: Charted) => {
  const { by_day, by_type, total } = now.customer_data.events
  const zone = now.range.time_zone
  const starts = now.loyalty.ledger_by_bucket.filter((one) => one.unit === unit).map(({ start }) => start)
  const days = starts.map((start) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(start)))
  const counts = summed(by_day, days)
  const series = { label: text.events, color: "grape.6" }
  const buckets = starts.map((start, index) => [dayShort(start, zone), counts[index] ?? 0] as const)
  const types = by_type.slice(0, 12).map(({ count, key }) => [key, count] as const)
  return (
    <>
      <ChartPanel
        title={text.behaviour}
        numbers={[
          counted(text.events, ({ customer_data }) => customer_data.events.total),
          counted(text.guests, ({ customer_data }) => customer_data.events.unique_members)
        ]}
        figures={total === 0 ? undefined : single(bucketColumn(isByDay), false, series, buckets)}
      >
        {total === 0 ? <Text size="sm">{text.noEvents}</Text> : undefined}
      </ChartPanel>
      {types.length === 0 ? undefined : (
        <ChartPanel title={text.byType} numbers={[]} figures={single(text.type, true, series, types)} />
      )}
    </>
  )
}

const Known = ({ now }: Charted) => {
  const { marketing_consented, total, with_email, with_phone } = now.customer_data.profiles
  const rows = [
    [text.consented, marketing_consented],
    [text.withEmail, with_email],
    [text.withPhone, with_phone]
  ] as const
  return (
    <ChartPanel
      title={text.known}
      numbers={[{ label: text.profiles, value: number(total), hint: text.now }]}
      figures={
        total === 0 ? undefined : single(text.knownColumn, true, { label: text.profiles, color: "violet.6" }, rows)
      }
    />
  )
}

const Campaigns = ({ counted, now }: Charted) => {
  const { members_targeted, rewards_issued, runs } = now.loyalty.campaigns
  const series = { label: text.membersTitle, color: "indigo.6" }
  const rows = [
    [text.targeted, members_targeted],
    [text.given, rewards_issued]
  ] as const
  return (
    <ChartPanel
      title={text.campaigns}
      numbers={[
        counted(text.runs, ({ loyalty }) => loyalty.campaigns.runs),
        counted(text.targeted, ({ loyalty }) => loyalty.campaigns.members_targeted),
        counted(text.given, ({ loyalty }) => loyalty.campaigns.rewards_issued),
        counted(text.imports, ({ customer_data }) => customer_data.imports.total),
        counted(text.refusedRows, ({ customer_data }) => customer_data.imports.failed_rows)
      ]}
      figures={runs === 0 ? undefined : single(text.campaigns, true, series, rows)}
    />
  )
}

const isEmpty = ({ customer_data, loyalty }: Analytics): boolean =>
  loyalty.orders.count === 0 &&
  customer_data.events.total === 0 &&
  loyalty.ledger_by_bucket.every((one) => words.every((word) => one[word] === 0))

const Charts = (props: {
  readonly now: Analytics
  readonly asked: Asked
  readonly unit: Unit
  readonly statuses: Statuses
}) => {
  const { asked, now, statuses, unit } = props
  const before = useBefore(now, asked).data
  const counted: Charted["counted"] = (label, of, color) => ({
    label,
    value: number(of(now)),
    hint: <Change now={of(now)} before={before === undefined ? undefined : of(before)} />,
    ...(color === undefined ? {} : { color })
  })
  const charted = { now, unit, isByDay: now.range.bucket === "day", counted }
  if (isEmpty(now))
    return (
      <Paper withBorder p="md" radius="md">
        <Empty title={text.nothing}>
          {text.nothingHint}{" "}
          <Anchor href="/docs/integrating-a-till" underline="always">
            {text.nothingLink}
          </Anchor>
        </Empty>
      </Paper>
    )
  return (
    <>
      <Points {...charted} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} className="charts">
        <Orders {...charted} />
        <Locations {...charted} />
        <Members {...charted} statuses={statuses} />
        <Rewards {...charted} />
        <Outstanding {...charted} />
        <Behaviour {...charted} />
        <Known {...charted} />
        <Campaigns {...charted} />
      </SimpleGrid>
    </>
  )
}

const Choices = (props: {
  readonly search: TodaySearch
  readonly asked: Asked
  readonly units: ReadonlyArray<Unit>
  readonly unit: Unit
}) => {
  const { asked, search, unit, units } = props
  const navigate = useNavigate()
  const locations = useLocations(asked)
  const nameOf = useLocationName()
  const choose = (next: Readonly<Record<string, unknown>>) =>
    void navigate({ to: "/", search: todaySearch({ ...search, ...next }), resetScroll: false })
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        aria-label={text.days}
        value={String(asked.days)}
        data={ranges.map((days) => ({ value: String(days), label: text.ranges[days] }))}
        onChange={(days) => choose({ days })}
      />
      {locations.length < 2 ? undefined : (
        <NativeSelect
          aria-label={text.location}
          value={asked.location ?? ""}
          data={[
            { value: "", label: text.allLocations },
            ...locations.map((one) => ({ value: one, label: nameOf(one) }))
          ]}
          onChange={({ currentTarget }) => choose({ location: currentTarget.value })}
        />
      )}
      <NativeSelect
        aria-label={text.orderDays}
        value={asked.day ?? ""}
        data={[
          { value: "", label: text.byPosted },
          { value: "business", label: text.byBusiness }
        ]}
        onChange={({ currentTarget }) => choose({ day: currentTarget.value })}
      />
      {units.length < 2 ? undefined : (
        <NativeSelect
          aria-label={text.account}
          value={unit}
          data={[...units]}
          onChange={({ currentTarget }) => choose({ unit: currentTarget.value })}
        />
      )}
    </Group>
  )
}

export const Trends = (props: {
  readonly statuses: Statuses
  /** The service's time: a sandbox has its own. */
  readonly serviceTime: string
  /** Follows the charts, and is loaded after their numbers. */
  readonly children: ReactNode
}) => {
  const { children, serviceTime, statuses } = props
  const search = useSearch({ from: "/" })
  const days = search.days ?? defaultRange
  const asked = { days, location: search.location, day: search.day, from: dayBefore(serviceTime, useZone(), days - 1) }
  const analytics = useAnalytics(asked)
  const zone = useZone()
  const accounts = useProgram().data?.program.accounts ?? []
  const units = accounts.toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary)).map(({ unit }) => unit)
  const unit = units.find((one) => one === search.unit) ?? units[0] ?? "points"
  const asOf = analytics.data?.as_of
  return (
    <>
      <Stack
        component="section"
        aria-label={text.trends}
        // Reserves the space, so that nothing moves when the charts appear.
        mih={analytics.data === undefined || !isEmpty(analytics.data) ? "100vh" : 0}
      >
        <Group justify="space-between" align="flex-end">
          <div>
            <Title order={2} size="h3">
              {text.trends}
            </Title>
            <Note>
              {text.before(asked.days)}{" "}
              {asOf === undefined ? text.daysOf(zone) : text.daysAsOf(zone, timeShort(asOf, zone))}
            </Note>
            {asked.location === undefined ? undefined : <Note>{text.onlyHere}</Note>}
          </div>
          <Choices search={search} asked={asked} units={units} unit={unit} />
        </Group>
        <Shown query={analytics}>{(now) => <Charts now={now} asked={asked} unit={unit} statuses={statuses} />}</Shown>
      </Stack>
      {analytics.isPending ? undefined : children}
    </>
  )
}
