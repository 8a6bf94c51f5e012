/** The figures of the last days as charts. Needs a scope of the platform. */
import { Anchor, Badge, Box, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import type { MantineColor } from "@mantine/core"
import { useSearch } from "@tanstack/react-router"
import { Suspense } from "react"
import type { ReactNode } from "react"
import type { Analytics } from "../../../contract/platform/Analytics.ts"
import type { Unit } from "../../../contract/Values.ts"
import {
  dayBefore,
  dayShort,
  decimal,
  nextDay,
  localDay,
  money,
  monthShort,
  number,
  percent,
  startOfDay,
  timeShort
} from "../../app/format.ts"
import { useLocationName } from "../../app/locations.ts"
import { useNames, useProgram, useZone } from "../../app/program.tsx"
import { strings } from "../../app/strings.ts"
import { daysOf, defaultRange } from "../../app/todaySearch.ts"
import { rangeStrings } from "../../app/rangeStrings.ts"
import { worthOf } from "../../app/worth.ts"
import { Change } from "../../ui/Change.tsx"
import type { ChartFigures } from "../../ui/ChartFigures.ts"
import type { Figure } from "../../ui/ChartPanel.tsx"
import { ChartPanel } from "../../ui/ChartPanel.tsx"
import { later } from "../../ui/Later.tsx"
import { PageLink } from "../../ui/PageLink.tsx"
import { Note } from "../../ui/Note.tsx"
import { Empty, Shown } from "../../ui/States.tsx"
import type { Asked } from "./analytics.ts"
import { summed, useAnalytics, useBefore } from "./analytics.ts"

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

type Money = Analytics["loyalty"]["orders"]["average"]

interface Charted {
  readonly now: Analytics
  readonly unit: Unit
  readonly bucket: Analytics["range"]["bucket"]
  /** A number of now, with its change. */
  readonly counted: (label: string, of: (analytics: Analytics) => number, color?: MantineColor) => Figure
  /** A sum of money of now, with its change. */
  readonly sumOf: (label: string, of: (analytics: Analytics) => Money) => Figure
}

/** A chart of one series. */
const single = (
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
const bucketLabel = (start: string, { bucket, time_zone: zone }: Analytics["range"]) => {
  const key = localDay(start, zone)
  return { label: bucket === "month" ? monthShort(key.slice(0, 7)) : dayShort(start, zone), key }
}

/** The column of a chart over time. */
const bucketColumn = (bucket: Charted["bucket"]): string =>
  bucket === "day" ? text.dayColumn : bucket === "week" ? text.week : text.month

const Points = ({ bucket, counted, now, unit }: Charted) => {
  const buckets = now.loyalty.ledger_by_bucket
  const title = text.points(unit, bucket)
  return (
    <ChartPanel
      title={`${title.charAt(0).toUpperCase()}${title.slice(1)}`}
      numbers={words.map((word) =>
        counted(text.series[word], ({ loyalty }) => sum(loyalty.ledger_by_bucket, unit, word), colors[word])
      )}
      figures={{
        column: bucketColumn(bucket),
        isByName: false,
        series: words.map((word) => ({
          label: text.series[word],
          color: colors[word],
          isBelow: word === "redeemed" || word === "expired"
        })),
        rows: buckets
          .filter((one) => one.unit === unit)
          .map((one) => ({ ...bucketLabel(one.start, now.range), values: words.map((word) => one[word]) }))
      }}
    />
  )
}

const Outstanding = ({ now, unit }: Charted) => {
  const balance = now.loyalty.balances.find((one) => one.unit === unit)
  const { outstanding = 0, reserved = 0 } = balance ?? {}
  const months = (balance?.expiring_by_month ?? []).map(({ count, key }) => [monthShort(key), count, key] as const)
  return (
    <ChartPanel
      title={text.outstandingOf(unit)}
      numbers={[
        { label: text.outstanding, value: number(outstanding), cells: [outstanding], hint: text.now },
        { label: text.reserved, value: number(reserved), cells: [reserved], hint: text.now }
      ]}
      figures={
        months.length === 0
          ? undefined
          : single(text.month, false, { label: text.expireIn, color: colors.expired }, months)
      }
    />
  )
}

/** What owners ask for first. */
const Summary = ({ counted, now, sumOf, unit }: Charted) => {
  const outstanding = now.loyalty.balances.find((one) => one.unit === unit)?.outstanding ?? 0
  const posted = (label: string, word: (typeof words)[number]) =>
    counted(label, ({ loyalty }) => sum(loyalty.ledger_by_bucket, unit, word))
  const program = useProgram().data?.program
  const isPrimary = program?.accounts.some((one) => one.is_primary && one.unit === unit) === true
  const value = isPrimary ? program.point_value : undefined
  const owed = value === undefined ? undefined : worthOf(value, outstanding)
  return (
    <ChartPanel
      title={rangeStrings.summary}
      numbers={[
        counted(text.orders, ({ loyalty }) => loyalty.orders.count),
        sumOf(rangeStrings.revenue, ({ loyalty }) => loyalty.orders.eligible_spend),
        counted(rangeStrings.guests, ({ loyalty }) => loyalty.members.active),
        counted(rangeStrings.newMembers, ({ loyalty }) => loyalty.members.new),
        posted(rangeStrings.issued, "issued"),
        posted(rangeStrings.redeemed, "redeemed"),
        posted(rangeStrings.expired, "expired"),
        { label: text.outstandingOf(unit), value: number(outstanding), cells: [outstanding], hint: text.now },
        ...(value === undefined || owed === undefined
          ? []
          : [
              { label: rangeStrings.liability, value: money(owed), cells: [decimal(owed)], hint: text.now },
              sumOf(rangeStrings.cost, ({ loyalty }) => {
                const buckets = loyalty.ledger_by_bucket
                return worthOf(value, sum(buckets, unit, "redeemed") - sum(buckets, unit, "reversed"))
              })
            ])
      ]}
    >
      <Note size="xs">
        {rangeStrings.summaryHint}{" "}
        {value !== undefined ? (
          rangeStrings.worthHint(number(value.points), money(value.worth))
        ) : isPrimary ? (
          <>
            {rangeStrings.noWorth}{" "}
            <PageLink to="/programme" size="xs" underline="always">
              {rangeStrings.noWorthLink}
            </PageLink>
            .
          </>
        ) : undefined}
      </Note>
    </ChartPanel>
  )
}

const ordered = { label: text.orders, color: colors.issued }

const Orders = ({ bucket, counted, now, sumOf }: Charted) => {
  const { by_bucket, repeat_rate_bps } = now.loyalty.orders
  const days = by_bucket.map(({ count, start }) => {
    const { key, label } = bucketLabel(start, now.range)
    return [label, count, key] as const
  })
  return (
    <ChartPanel
      title={text.ordersBy(bucket)}
      numbers={[
        counted(text.orders, ({ loyalty }) => loyalty.orders.count),
        sumOf(text.spent, ({ loyalty }) => loyalty.orders.eligible_spend),
        sumOf(text.average, ({ loyalty }) => loyalty.orders.average),
        { label: text.repeat, value: percent(repeat_rate_bps), cells: [repeat_rate_bps / 10_000] }
      ]}
      figures={single(bucketColumn(bucket), false, ordered, days)}
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
        { label: text.total, value: number(total), cells: [total], hint: text.now },
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

const Behaviour = ({ bucket, counted, now, unit }: Charted) => {
  const { by_day, by_type, total } = now.customer_data.events
  const starts = now.loyalty.ledger_by_bucket.filter((one) => one.unit === unit).map(({ start }) => start)
  const days = starts.map((start) => localDay(start, now.range.time_zone))
  const counts = summed(by_day, days)
  const series = { label: text.events, color: "grape.6" }
  const buckets = starts.map((start, index) => {
    const { key, label } = bucketLabel(start, now.range)
    return [label, counts[index] ?? 0, key] as const
  })
  const types = by_type.slice(0, 12).map(({ count, key }) => [key, count] as const)
  return (
    <>
      <ChartPanel
        title={text.behaviour}
        numbers={[
          counted(text.events, ({ customer_data }) => customer_data.events.total),
          counted(text.guests, ({ customer_data }) => customer_data.events.unique_members)
        ]}
        figures={total === 0 ? undefined : single(bucketColumn(bucket), false, series, buckets)}
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
      numbers={[{ label: text.profiles, value: number(total), cells: [total], hint: text.now }]}
      figures={
        total === 0
          ? undefined
          : { ...single(text.knownColumn, true, { label: text.profiles, color: "violet.6" }, rows), hasNoTotal: true }
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
      figures={runs === 0 ? undefined : { ...single(text.campaigns, true, series, rows), hasNoTotal: true }}
    />
  )
}

const isEmpty = ({ customer_data, loyalty }: Analytics): boolean =>
  loyalty.orders.count === 0 &&
  customer_data.events.total === 0 &&
  loyalty.ledger_by_bucket.every((one) => words.every((word) => one[word] === 0))

/** Loaded once the figures are there, which come first. */
const Choices = later(() => import("./Choices.tsx"), "Choices")
/** Where the choices will be: what follows must not move when they come. */
const place = <Box mih={{ base: "9rem", md: "3.75rem" }} />

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
    cells: [of(now), before === undefined ? undefined : of(before)],
    hint: <Change now={of(now)} before={before === undefined ? undefined : of(before)} />,
    ...(color === undefined ? {} : { color })
  })
  const sumOf: Charted["sumOf"] = (label, of) => {
    const was = before === undefined ? undefined : of(before)
    const told = was === undefined ? undefined : text.numberBefore(money(was))
    return {
      label,
      value: money(of(now)),
      cells: [decimal(of(now)), was === undefined ? undefined : decimal(was)],
      hint: <Change now={of(now).amount} before={was?.amount} told={told} />
    }
  }
  const charted = { now, unit, bucket: now.range.bucket, counted, sumOf }
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
      <Summary {...charted} />
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

export const Trends = (props: {
  readonly statuses: Statuses
  /** The service's time: a sandbox has its own. */
  readonly serviceTime: string
  /** Follows the charts, and is loaded after their numbers. */
  readonly children: ReactNode
}) => {
  const { children, serviceTime, statuses } = props
  const search = useSearch({ from: "/" })
  const zone = useZone()
  const { from, to } = search
  const days = daysOf(from, to) ?? search.days ?? defaultRange
  const isChosen = from !== undefined && to !== undefined
  const today = localDay(serviceTime, zone)
  const asked = {
    days,
    location: search.location,
    day: search.day,
    from: isChosen ? startOfDay(from, zone) : dayBefore(serviceTime, zone, days - 1),
    // The figures of days up to today grow. Others end at a midnight.
    until: isChosen && to < today ? nextDay(to, zone) : undefined
  }
  const shownDays = isChosen ? { from, to } : { from: localDay(asked.from, zone), to: today }
  const analytics = useAnalytics(asked)
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
          {analytics.isPending ? (
            place
          ) : (
            <Suspense fallback={place}>
              <Choices search={search} asked={asked} shownDays={shownDays} units={units} unit={unit} />
            </Suspense>
          )}
        </Group>
        <Shown query={analytics}>{(now) => <Charts now={now} asked={asked} unit={unit} statuses={statuses} />}</Shown>
      </Stack>
      {analytics.isPending ? undefined : children}
    </>
  )
}
