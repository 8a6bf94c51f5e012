/** The figures of the last days as charts. Needs a scope of the platform. */
import { Anchor, Box, Group, Paper, Stack, Title } from "@mantine/core"
import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Suspense } from "react"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import type { Unit } from "../../contract/Values.ts"
import { Change } from "../shared/figures/Change.tsx"
import { ChartPanel } from "../shared/figures/ChartPanel.tsx"
import { FiguresAbout } from "../shared/figures/FiguresAbout.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { calendarDay, dayBefore, localDay, money, nextDay, number, startOfDay, timeShort } from "../shared/format.ts"
import { later } from "../shared/Later.tsx"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { useProgram, useProgramId, useZone } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import type { AnalyticsRange } from "./analytics.ts"
import { useAnalytics, useBefore } from "./analytics.ts"
import type { Charted, Statuses } from "./charted.ts"
import { amountOf, bucketColumn, bucketLabel, colors, sum, words } from "./charted.ts"
import { costOf, owedFigures } from "./owed.ts"
import { daysOf, defaultRange, figuresPath } from "./todaySearch.ts"

const text = strings.today

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
          .map((one) => ({ ...bucketLabel(one.start, now.range), values: words.map((word) => amountOf(one, word)) }))
      }}
    />
  )
}

/** Figures that owners ask for first. */
const Summary = ({ before, counted, now, sumOf, unit, whole }: Charted) => {
  const outstanding = now.loyalty.balances.find((one) => one.unit === unit)?.outstanding ?? 0
  const posted = (label: string, word: (typeof words)[number]) =>
    counted(label, ({ loyalty }) => sum(loyalty.ledger_by_bucket, unit, word))
  const program = useProgram().data?.program
  const isPrimary = program?.accounts.some((one) => one.is_primary && one.unit === unit) === true
  const value = isPrimary ? program.point_value : undefined
  return (
    <ChartPanel
      title={rangeStrings.summary}
      numbers={[
        counted(text.orders, ({ loyalty }) => loyalty.orders.count),
        sumOf(rangeStrings.revenue, ({ loyalty }) => loyalty.orders.eligible_spend),
        counted(rangeStrings.guests, ({ loyalty }) => loyalty.members.active),
        counted(whole(rangeStrings.newMembers), ({ loyalty }) => loyalty.members.new),
        posted(rangeStrings.issued, "issued"),
        posted(rangeStrings.redeemed, "redeemed"),
        posted(rangeStrings.expired, "expired"),
        { label: whole(text.outstandingOf(unit)), value: number(outstanding), cells: [outstanding], hint: text.now },
        ...(value === undefined
          ? []
          : [
              ...owedFigures(now, before, value.worth.currency).map((one) => ({ ...one, label: whole(one.label) })),
              sumOf(rangeStrings.cost, ({ loyalty }) => costOf(value, unit, loyalty))
            ])
      ]}
    >
      <Note size="xs">
        {rangeStrings.revenueHint} {rangeStrings.outstandingHint}{" "}
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

const isEmpty = ({ customer_data, loyalty }: Analytics): boolean =>
  loyalty.orders.count === 0 &&
  customer_data.events.total === 0 &&
  loyalty.ledger_by_bucket.every((one) => words.every((word) => amountOf(one, word) === 0))

/** Loaded once the figures are there, which come first. */
const Choices = later(() => import("./Choices.tsx"), "Choices")
const Panels = later(() => import("./Panels.tsx"), "Panels")
/** Where the choices will be: what follows must not move when they come. */
const place = <Box mih={{ base: "9rem", md: "3.75rem" }} />

const Charts = (props: {
  readonly now: Analytics
  readonly asked: AnalyticsRange
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
      unit: of(now).currency,
      cells: [of(now), was],
      hint: <Change now={of(now).amount} before={was?.amount} told={told} />
    }
  }
  const whole = (label: string) => (asked.location === undefined ? label : rangeStrings.whole(label))
  const charted = { now, before, unit, bucket: now.range.bucket, counted, sumOf, whole }
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
      <Suspense fallback={<Box mih="150vh" />}>
        <Panels {...charted} statuses={statuses} />
      </Suspense>
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
  const search = useSearch({ from: figuresPath })
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
  const nameOf = useLocationName()
  const { location } = asked
  const about = { program: useProgramId() ?? "", location: location && nameOf(location), ...shownDays }
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
              {rangeStrings.days(calendarDay(shownDays.from), calendarDay(shownDays.to))} {text.before(asked.days)}{" "}
              {asOf === undefined ? text.daysOf(zone) : text.daysAsOf(zone, timeShort(asOf, zone))}
            </Note>
            {asked.location === undefined ? undefined : <Note>{rangeStrings.onlyHere}</Note>}
          </div>
          {analytics.isPending ? (
            place
          ) : (
            <Suspense fallback={place}>
              <Choices search={search} asked={asked} shownDays={shownDays} today={today} units={units} unit={unit} />
            </Suspense>
          )}
        </Group>
        <FiguresAbout value={about}>
          <Shown query={analytics}>{(now) => <Charts now={now} asked={asked} unit={unit} statuses={statuses} />}</Shown>
        </FiguresAbout>
      </Stack>
      {analytics.isPending ? undefined : children}
    </>
  )
}
