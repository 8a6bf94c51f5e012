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
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Analytics } from "../../../contract/platform/Analytics.ts"
import type { Unit } from "../../../contract/Values.ts"
import { dayBefore, dayShort, money, monthShort, number, percent, timeShort } from "../../app/format.ts"
import { useProgram, useZone } from "../../app/program.tsx"
import { strings } from "../../app/strings.ts"
import type { TodaySearch } from "../../app/todaySearch.ts"
import { defaultRange, ranges, todaySearch } from "../../app/todaySearch.ts"
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

/** A number's change in words. */
const Change = ({ before, now }: { readonly before: number | undefined; readonly now: number }) => {
  if (before === undefined) return <>&nbsp;</>
  if (before === now) return text.same
  if (before <= 0 || now < 0) return before === 0 ? text.noneBefore : `${number(before)}`
  // Basis points to whole percent.
  const ratio = percent(Math.round((Math.abs(now - before) / before) * 100) * 100)
  return now > before ? text.more(ratio) : text.less(ratio)
}

interface Charted {
  readonly now: Analytics
  /** Undefined until loaded. */
  readonly before: Analytics | undefined
  readonly unit: Unit
  readonly isByDay: boolean
}

const change = ({ before, now }: Pick<Charted, "before" | "now">, of: (analytics: Analytics) => number): ReactNode => (
  <Change now={of(now)} before={before === undefined ? undefined : of(before)} />
)

const Points = ({ before, isByDay, now, unit }: Charted) => {
  const zone = now.range.time_zone
  const buckets = now.loyalty.ledger_by_bucket
  const title = text.points(unit, isByDay)
  return (
    <ChartPanel
      title={`${title.charAt(0).toUpperCase()}${title.slice(1)}`}
      numbers={words.map((word) => ({
        label: text.series[word],
        value: number(sum(buckets, unit, word)),
        hint: change({ before, now }, ({ loyalty }) => sum(loyalty.ledger_by_bucket, unit, word)),
        color: colors[word]
      }))}
      figures={{
        column: isByDay ? text.dayColumn : text.week,
        isByName: false,
        format: number,
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
  const months = balance?.expiring_by_month ?? []
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
          : {
              column: text.month,
              isByName: false,
              format: number,
              series: [{ label: text.expireIn, color: colors.expired }],
              rows: months.map(({ count, key }) => ({ label: monthShort(key), values: [count] }))
            }
      }
    />
  )
}

const Orders = ({ before, isByDay, now }: Charted) => {
  const { average, by_bucket, count, eligible_spend, repeat_rate_bps } = now.loyalty.orders
  const zone = now.range.time_zone
  return (
    <ChartPanel
      title={isByDay ? text.ordersByDay : text.ordersByWeek}
      numbers={[
        {
          label: text.orders,
          value: number(count),
          hint: change({ before, now }, ({ loyalty }) => loyalty.orders.count)
        },
        {
          label: text.spent,
          value: money(eligible_spend),
          hint: change({ before, now }, ({ loyalty }) => loyalty.orders.eligible_spend.amount)
        },
        {
          label: text.average,
          value: money(average),
          hint: change({ before, now }, ({ loyalty }) => loyalty.orders.average.amount)
        },
        { label: text.repeat, value: percent(repeat_rate_bps) }
      ]}
      figures={{
        column: isByDay ? text.dayColumn : text.week,
        isByName: false,
        format: number,
        series: [{ label: text.orders, color: colors.issued }],
        rows: by_bucket.map(({ count: orders, start }) => ({ label: dayShort(start, zone), values: [orders] }))
      }}
    />
  )
}

const Locations = ({ now }: Charted) => {
  const { by_location } = now.loyalty.orders
  if (by_location.length === 0) return undefined
  return (
    <ChartPanel
      title={text.byLocation}
      numbers={[]}
      figures={{
        column: text.location,
        isByName: true,
        format: number,
        series: [{ label: text.orders, color: colors.issued }],
        rows: by_location.map(({ count: orders, key }) => ({ label: key, values: [orders] }))
      }}
    />
  )
}

export interface Statuses {
  readonly active: number
  readonly suspended: number
  readonly closed: number
}

const Members = ({ before, now, statuses }: Charted & { readonly statuses: Statuses }) => {
  const { active, by_tier, new: joined, total } = now.loyalty.members
  const tiers = useProgram().data?.program.tiers
  return (
    <ChartPanel
      title={text.byTier}
      numbers={[
        { label: text.total, value: number(total), hint: text.now },
        {
          label: text.newMembers,
          value: number(joined),
          hint: change({ before, now }, ({ loyalty }) => loyalty.members.new)
        },
        {
          label: text.activeMembers,
          value: number(active),
          hint: change({ before, now }, ({ loyalty }) => loyalty.members.active)
        }
      ]}
      figures={
        by_tier.length === 0
          ? undefined
          : {
              column: text.tierColumn,
              isByName: true,
              format: number,
              series: [{ label: text.membersTitle, color: "violet.6" }],
              rows: by_tier.map(({ count, key }) => ({
                label: tiers?.find(({ tier_id }) => tier_id === key)?.name ?? key,
                values: [count]
              }))
            }
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

const rewardWords = ["captured", "issued", "reversed", "expired"] as const
const rewardLabels = { captured: text.captured, issued: text.wallet, reversed: text.released, expired: text.ranOut }

const Rewards = ({ before, now }: Charted) => {
  const { rewards } = now.loyalty
  const known = useProgram().data?.program.rewards
  const all = ({ loyalty }: Analytics, word: (typeof rewardWords)[number]) =>
    loyalty.rewards.reduce((total, one) => total + one[word], 0)
  const colorOf = {
    captured: colors.redeemed,
    issued: colors.issued,
    reversed: colors.reversed,
    expired: colors.expired
  }
  return (
    <ChartPanel
      title={text.rewards}
      numbers={rewardWords.map((word) => ({
        label: rewardLabels[word],
        value: number(all(now, word)),
        hint: change({ before, now }, (analytics) => all(analytics, word)),
        color: colorOf[word]
      }))}
      figures={
        rewards.length === 0
          ? undefined
          : {
              column: text.reward,
              isByName: true,
              format: number,
              series: rewardWords.map((word) => ({ label: rewardLabels[word], color: colorOf[word] })),
              rows: rewards.map((one) => ({
                label: known?.find(({ reward_id }) => reward_id === one.reward_id)?.name ?? one.reward_id,
                values: rewardWords.map((word) => one[word])
              }))
            }
      }
    />
  )
}

const Behaviour = ({ before, isByDay, now, unit }: Charted) => {
  const { by_day, by_type, total, unique_members } = now.customer_data.events
  const zone = now.range.time_zone
  const starts = now.loyalty.ledger_by_bucket.filter((one) => one.unit === unit).map(({ start }) => start)
  const days = starts.map((start) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(start)))
  const counts = summed(by_day, days)
  return (
    <>
      <ChartPanel
        title={text.behaviour}
        numbers={[
          {
            label: text.events,
            value: number(total),
            hint: change({ before, now }, ({ customer_data }) => customer_data.events.total)
          },
          {
            label: text.guests,
            value: number(unique_members),
            hint: change({ before, now }, ({ customer_data }) => customer_data.events.unique_members)
          }
        ]}
        figures={
          total === 0
            ? undefined
            : {
                column: isByDay ? text.dayColumn : text.week,
                isByName: false,
                format: number,
                series: [{ label: text.events, color: "grape.6" }],
                rows: starts.map((start, index) => ({ label: dayShort(start, zone), values: [counts[index] ?? 0] }))
              }
        }
      >
        {total === 0 ? <Text size="sm">{text.noEvents}</Text> : undefined}
      </ChartPanel>
      {by_type.length === 0 ? undefined : (
        <ChartPanel
          title={text.byType}
          numbers={[]}
          figures={{
            column: text.type,
            isByName: true,
            format: number,
            series: [{ label: text.events, color: "grape.6" }],
            rows: by_type.slice(0, 12).map(({ count, key }) => ({ label: key, values: [count] }))
          }}
        />
      )}
    </>
  )
}

const Known = ({ now }: Charted) => {
  const { marketing_consented, total, with_email, with_phone } = now.customer_data.profiles
  return (
    <ChartPanel
      title={text.known}
      numbers={[{ label: text.profiles, value: number(total), hint: text.now }]}
      figures={
        total === 0
          ? undefined
          : {
              column: text.knownColumn,
              isByName: true,
              format: number,
              series: [{ label: text.profiles, color: "violet.6" }],
              rows: [
                { label: text.consented, values: [marketing_consented] },
                { label: text.withEmail, values: [with_email] },
                { label: text.withPhone, values: [with_phone] }
              ]
            }
      }
    />
  )
}

const Campaigns = ({ before, now }: Charted) => {
  const { members_targeted, rewards_issued, runs } = now.loyalty.campaigns
  const { failed_rows, total } = now.customer_data.imports
  const of = (value: (analytics: Analytics) => number) => change({ before, now }, value)
  return (
    <ChartPanel
      title={text.campaigns}
      numbers={[
        { label: text.runs, value: number(runs), hint: of(({ loyalty }) => loyalty.campaigns.runs) },
        {
          label: text.targeted,
          value: number(members_targeted),
          hint: of(({ loyalty }) => loyalty.campaigns.members_targeted)
        },
        {
          label: text.given,
          value: number(rewards_issued),
          hint: of(({ loyalty }) => loyalty.campaigns.rewards_issued)
        },
        { label: text.imports, value: number(total), hint: of(({ customer_data }) => customer_data.imports.total) },
        {
          label: text.refusedRows,
          value: number(failed_rows),
          hint: of(({ customer_data }) => customer_data.imports.failed_rows)
        }
      ]}
      figures={
        runs === 0
          ? undefined
          : {
              column: text.campaigns,
              isByName: true,
              format: number,
              series: [{ label: text.membersTitle, color: "indigo.6" }],
              rows: [
                { label: text.targeted, values: [members_targeted] },
                { label: text.given, values: [rewards_issued] }
              ]
            }
      }
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
  const charted = { now, before, unit, isByDay: now.range.bucket === "day" }
  if (isEmpty(now))
    return (
      <Paper withBorder p="md" radius="md">
        <Empty title={text.nothing}>
          {text.nothingHint} <Anchor href="/docs/integrating-a-till">{text.nothingLink}</Anchor>
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
          data={[{ value: "", label: text.allLocations }, ...locations.map((one) => ({ value: one, label: one }))]}
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
}) => {
  const { serviceTime, statuses } = props
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
  )
}
