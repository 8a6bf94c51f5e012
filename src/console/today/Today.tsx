import { Badge, Box, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { Suspense } from "react"
import type { Overview } from "../../contract/admin/Overview.ts"
import { Facts } from "../shared/Facts.tsx"
import { money, number, timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { useOverview } from "../shared/overview.ts"
import { useNames, useZone } from "../shared/program.tsx"
import { Loading, Shown } from "../shared/States.tsx"
import { useIsRoot, useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"

const text = strings.today

/** Loaded separately, so that the figures above do not wait. */
const Writes = later(() => import("../service/Writes.tsx"), "Writes")
// With its table, which the numbers of today do without.
const Asks = later(() => import("../asks/Asks.tsx"), "Asks")
const Handovers = later(() => import("../handovers/Handovers.tsx"), "Handovers")
const Restaurants = later(() => import("./Restaurants.tsx"), "Restaurants")
const Attention = later(() => import("./Attention.tsx"), "Attention")
const SaveToday = later(() => import("./SaveToday.tsx"), "SaveToday")
const SetUp = later(() => import("./SetUp.tsx"), "SetUp")
const Yesterday = later(() => import("./Yesterday.tsx"), "Yesterday")
const Trends = later(() => import("./Trends.tsx"), "Trends")

const Figure = ({ label, value, hint }: { readonly label: string; readonly value: string; readonly hint?: string }) => (
  <Paper withBorder p="md" radius="md">
    <Note>{label}</Note>
    <Text className="number" size="xl" fw={600}>
      {value}
    </Text>
    {hint === undefined ? undefined : <Note size="xs">{hint}</Note>}
  </Paper>
)

const Figures = ({ overview: { members, points, today } }: { readonly overview: Overview }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }}>
    <Figure label={text.orders} value={number(today.orders)} />
    <Figure label={text.revenue} value={money(today.eligible_spend)} hint={text.revenueHint} />
    <Figure label={text.issued} value={number(today.issued)} />
    <Figure label={text.redeemed} value={number(today.redeemed)} />
    <Figure label={text.expired} value={number(today.expired)} />
    <Figure label={text.adjusted} value={number(today.adjusted)} />
    <Figure label={text.members} value={number(members.total)} hint={`${number(members.active)} ${text.active}`} />
    {points.map(({ expiring_30_days, outstanding, unit }) => (
      <Figure
        key={unit}
        label={`${text.outstanding} (${unit})`}
        value={number(outstanding)}
        hint={`${text.expiring}: ${number(expiring_30_days)}`}
      />
    ))}
  </SimpleGrid>
)

const Members = ({ overview: { members } }: { readonly overview: Overview }) => {
  const names = useNames()
  return (
    <Paper withBorder p="md" radius="md">
      <Title order={2} size="h4" mb="xs">
        {text.byTier}
      </Title>
      <Group gap="xs" mb="sm">
        <Text className="number" fw={600}>
          {number(members.total)} {strings.people(members.total)}
        </Text>
        <Badge variant="light">{`${number(members.active)} ${text.active}`}</Badge>
        <Badge variant="default">{`${number(members.suspended)} ${text.suspended}`}</Badge>
        <Badge variant="default">{`${number(members.closed)} ${text.closed}`}</Badge>
      </Group>
      {members.by_tier.length === 0 ? (
        <Text c="dimmed">{text.noTiers}</Text>
      ) : (
        <Facts facts={members.by_tier.map((tier) => [names.tier(tier.tier_id), number(tier.members)])} />
      )}
    </Paper>
  )
}

export const Today = () => {
  const overview = useOverview()
  const zone = useZone()
  const may = useMay()
  const isRoot = useIsRoot()
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading>{text.title}</Heading>
        <Note>
          {overview.data === undefined ? "" : `${text.asOf(timeShort(overview.data.overview.as_of, zone))} (${zone})`}
        </Note>
      </Group>
      {isRoot ? (
        <Suspense>
          <SetUp />
        </Suspense>
      ) : undefined}
      <Shown query={overview}>
        {({ answeredAt, overview: data }) => (
          <>
            {data.service.write_frozen ? (
              <Suspense>
                <Writes isFrozen />
              </Suspense>
            ) : undefined}
            {may("listAsks") ? (
              <Suspense>
                <Asks />
              </Suspense>
            ) : undefined}
            {may("listHandovers") ? (
              <Suspense>
                <Handovers />
              </Suspense>
            ) : undefined}
            <Suspense>
              <Attention overview={data} answeredAt={answeredAt} />
            </Suspense>
            {may("analytics") ? (
              // Sections below must not move when it comes.
              <Suspense fallback={<Box mih="10rem" />}>
                <Yesterday serviceTime={data.as_of} />
              </Suspense>
            ) : undefined}
            <Group justify="space-between" mih="1.75rem">
              <Title order={2} size="h4">
                {text.soFar}
              </Title>
              <Suspense>
                <SaveToday overview={data} />
              </Suspense>
            </Group>
            <Figures overview={data} />
            {may("analytics") ? (
              // The charts must not move the page when they come.
              <Suspense
                fallback={
                  <Box mih="100vh">
                    <Loading />
                  </Box>
                }
              >
                <Trends statuses={data.members} serviceTime={data.as_of}>
                  {may("listLocations") ? (
                    <Suspense>
                      <Restaurants now={data.as_of} />
                    </Suspense>
                  ) : undefined}
                </Trends>
              </Suspense>
            ) : (
              <Members overview={data} />
            )}
          </>
        )}
      </Shown>
    </Stack>
  )
}
