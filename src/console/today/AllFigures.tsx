/** Every figure: the present day, the charts of any days, and the restaurants. */
import { Badge, Box, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useLocation } from "@tanstack/react-router"
import { Suspense, useEffect } from "react"
import type { Overview } from "../../contract/admin/Overview.ts"
import { Ranking } from "../restaurants/Ranking.tsx"
import { Facts } from "../shared/Facts.tsx"
import { number, timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { useOverview } from "../shared/overview.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { Loading, Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { DayFigures, Figure } from "./DayFigures.tsx"
import { SaveToday } from "./SaveToday.tsx"
import { toFigures } from "./toFigures.tsx"

const text = strings.today

/** Loaded separately: the charts come after the figures, the restaurants after the charts. */
const Restaurants = later(() => import("./Restaurants.tsx"), "Restaurants")
const Trends = later(() => import("./Trends.tsx"), "Trends")

const Figures = ({ overview: { members, points, today } }: { readonly overview: Overview }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
    <Figure label={text.expired} value={number(today.expired)} />
    <Figure label={text.adjusted} value={number(today.adjusted)} />
    <Figure label={text.members} value={number(members.total)} hint={`${number(members.active)} ${text.active}`} />
    {points.map(({ expiring_30_days, outstanding, unit }) => (
      <Figure
        key={unit}
        label={`${text.outstanding} (${strings.values.unit(unit)})`}
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

/** Goes to the restaurants once they are there, if the address names them. */
const Places = ({ now }: { readonly now: string }) => {
  const { hash } = useLocation()
  const may = useMay()
  const isNamed = hash === "restaurants"
  useEffect(() => {
    if (isNamed) document.getElementById(hash)?.scrollIntoView()
  }, [hash, isNamed])
  return (
    // The header must not cover what the address names.
    <Stack id="restaurants" style={{ scrollMarginTop: "9rem" }}>
      <Ranking serviceTime={now} link={toFigures} />
      {may("listLocations") ? (
        <Suspense>
          <Restaurants now={now} />
        </Suspense>
      ) : undefined}
    </Stack>
  )
}

export const AllFigures = () => {
  const overview = useOverview()
  const zone = useZone()
  const may = useMay()
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading of={text.title} help="today">
          {text.allFigures}
        </Heading>
        <Note>
          {overview.data === undefined ? "" : `${text.asOf(timeShort(overview.data.overview.as_of, zone))} (${zone})`}
        </Note>
      </Group>
      <PageLink to="/today">{text.title}</PageLink>
      <Shown query={overview}>
        {({ overview: data }) => (
          <>
            <DayFigures overview={data} actions={<SaveToday overview={data} />} />
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
                  <Places now={data.as_of} />
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
