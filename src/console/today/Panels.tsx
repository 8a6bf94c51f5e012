/** The charts below the first ones. Loaded after the first ones' numbers. */
import { Badge, Group, SimpleGrid, Text } from "@mantine/core"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import { ChartPanel } from "../shared/figures/ChartPanel.tsx"
import { useFiguresAbout } from "../shared/figures/FiguresAbout.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { localDay, money, monthShort, number, percent } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { useLocationName } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames } from "../shared/program.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import { summed } from "./analytics.ts"
import type { Charted, Statuses } from "./charted.ts"
import { bucketColumn, bucketLabel, colors, single } from "./charted.ts"

const text = strings.today

const Outstanding = ({ now, unit, whole }: Charted) => {
  const balance = now.loyalty.balances.find((one) => one.unit === unit)
  const { outstanding = 0, reserved = 0 } = balance ?? {}
  const months = (balance?.expiring_by_month ?? []).map(({ count, key }) => [monthShort(key), count, key] as const)
  return (
    <ChartPanel
      title={whole(text.outstandingOf(unit))}
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
        sumOf(rangeStrings.revenue, ({ loyalty }) => loyalty.orders.eligible_spend),
        sumOf(text.average, ({ loyalty }) => loyalty.orders.average),
        {
          label: text.repeat,
          value: percent(repeat_rate_bps),
          unit: "%",
          cells: [Math.round(repeat_rate_bps / 10) / 10]
        }
      ]}
      figures={single(bucketColumn(bucket), false, ordered, days)}
    >
      <Note size="xs">{rangeStrings.revenueHint}</Note>
    </ChartPanel>
  )
}

type LocationOrders = Analytics["loyalty"]["orders"]["by_location"][number]

const averageOf = ({ count, eligible_spend: { amount, currency } }: LocationOrders) => ({
  amount: count === 0 ? 0 : Math.round(amount / count),
  currency
})

/** Takings of each location. */
const Revenue = ({ now, nameOf }: { readonly now: Analytics; readonly nameOf: (id: string) => string }) => {
  const { by_location, eligible_spend } = now.loyalty.orders
  const title = rangeStrings.revenueByLocation
  const about = useFiguresAbout()
  const rows = () => [
    [
      text.location,
      text.orders,
      ...[rangeStrings.revenue, text.average].map((one) => `${one} (${eligible_spend.currency})`)
    ],
    ...by_location.map((one) => [nameOf(one.key), one.count, one.eligible_spend, averageOf(one)])
  ]
  return (
    <Panel title={title} actions={<SaveFigures title={title} about={about} rows={rows} />}>
      <Listing
        label={title}
        minWidth={360}
        rows={by_location}
        keyOf={({ key }) => key}
        columns={[
          { label: text.location, by: ({ key }) => nameOf(key), cell: ({ key }) => <bdi>{nameOf(key)}</bdi> },
          { label: text.orders, isNumber: true, by: ({ count }) => count, cell: ({ count }) => number(count) },
          {
            label: rangeStrings.revenue,
            isNumber: true,
            by: (one) => one.eligible_spend.amount,
            cell: (one) => money(one.eligible_spend)
          },
          {
            label: text.average,
            isNumber: true,
            by: (one) => averageOf(one).amount,
            cell: (one) => money(averageOf(one))
          }
        ]}
      />
    </Panel>
  )
}

const Locations = ({ now }: Charted) => {
  const named = useLocationName()
  const nameOf = (id: string) => (id === "" ? rangeStrings.noLocation : named(id))
  const locations = now.loyalty.orders.by_location.map(({ count, key }) => [nameOf(key), count] as const)
  return locations.length === 0 ? undefined : (
    <>
      <ChartPanel title={text.byLocation} numbers={[]} figures={single(text.location, true, ordered, locations)} />
      <Revenue now={now} nameOf={nameOf} />
    </>
  )
}

const Members = ({ counted, now, statuses, whole }: Charted & { readonly statuses: Statuses }) => {
  const { by_tier, total } = now.loyalty.members
  const names = useNames()
  const tiers = by_tier.map(({ count, key }) => [names.tier(key), count] as const)
  return (
    <ChartPanel
      title={whole(text.byTier)}
      numbers={[
        { label: text.total, value: number(total), cells: [total], hint: text.now },
        counted(text.newMembers, ({ loyalty }) => loyalty.members.new),
        counted(
          now.range.location_id === undefined ? text.activeMembers : rangeStrings.orderedHere,
          ({ loyalty }) => loyalty.members.active
        )
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

const Rewards = ({ counted, now, whole }: Charted) => {
  const { rewards } = now.loyalty
  const names = useNames()
  // Wallet rewards are issued at no location.
  const series = rewardSeries.map((one) => (one.word === "issued" ? { ...one, label: whole(one.label) } : one))
  return (
    <ChartPanel
      title={text.rewards}
      numbers={series.map(({ color, label, word }) =>
        counted(label, ({ loyalty }) => loyalty.rewards.reduce((total, one) => total + one[word], 0), color)
      )}
      figures={
        rewards.length === 0
          ? undefined
          : {
              column: text.reward,
              isByName: true,
              series,
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

const Known = ({ now, whole }: Charted) => {
  const { marketing_consented, total, with_email, with_phone } = now.customer_data.profiles
  const rows = [
    [text.consented, marketing_consented],
    [text.withEmail, with_email],
    [text.withPhone, with_phone]
  ] as const
  return (
    <ChartPanel
      title={whole(text.known)}
      numbers={[{ label: text.profiles, value: number(total), cells: [total], hint: text.now }]}
      figures={
        total === 0
          ? undefined
          : { ...single(text.knownColumn, true, { label: text.profiles, color: "violet.6" }, rows), hasNoTotal: true }
      }
    />
  )
}

const Campaigns = ({ counted, now, whole }: Charted) => {
  const { members_targeted, rewards_issued, runs } = now.loyalty.campaigns
  const series = { label: text.membersTitle, color: "indigo.6" }
  const rows = [
    [text.targeted, members_targeted],
    [text.given, rewards_issued]
  ] as const
  return (
    <ChartPanel
      title={whole(text.campaigns)}
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

export const Panels = ({ statuses, ...charted }: Charted & { readonly statuses: Statuses }) => (
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
)
