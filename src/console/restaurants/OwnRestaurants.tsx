/** Restaurants of a session that is limited to them: their figures, and their guests. */
import "../shared/words/labels.ts"
import { Group, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type RestaurantFigures, RestaurantFiguresGroup } from "../../contract/platform/RestaurantFigures.ts"
import { call, client } from "../shared/client.ts"
import { useServiceNow } from "../shared/clock.ts"
import { calendarDay, money, number, signed } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgramQuery } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { locationStrings } from "./locationStrings.ts"
import { OwnGuest } from "./OwnGuest.tsx"
import { OwnOrders } from "./OwnOrders.tsx"
import { OwnRedemptions } from "./OwnRedemptions.tsx"
import { Ranking } from "./Ranking.tsx"

const platform = client(RestaurantFiguresGroup)

const text = locationStrings.own

type Restaurant = RestaurantFigures["restaurants"][number]

/** Points of all accounts, which have one unit in most programmes. */
const pointsOf = ({ points }: Restaurant, of: (one: Restaurant["points"][number]) => number): string =>
  points.map((one) => signed(of(one))).join(" · ")

const ByRestaurant = ({ restaurants }: { readonly restaurants: ReadonlyArray<Restaurant> }) => (
  <Listing
    label={text.title}
    minWidth={640}
    rows={restaurants}
    keyOf={({ location_id }) => location_id}
    columns={[
      {
        label: locationStrings.name,
        by: ({ location_id, name }) => name ?? location_id,
        cell: ({ location_id, name }) => <bdi>{name ?? location_id}</bdi>
      },
      { label: text.orders, isNumber: true, by: ({ orders }) => orders, cell: ({ orders }) => number(orders) },
      {
        label: text.spend,
        isNumber: true,
        by: ({ eligible_spend }) => eligible_spend.amount,
        cell: ({ eligible_spend }) => money(eligible_spend)
      },
      { label: text.earned, isNumber: true, cell: (one) => pointsOf(one, ({ issued }) => issued) },
      {
        label: text.redeemed,
        isNumber: true,
        cell: (one) => pointsOf(one, ({ redeemed, reversed }) => reversed - redeemed)
      },
      { label: text.adjusted, isNumber: true, cell: (one) => pointsOf(one, ({ adjusted }) => adjusted) }
    ]}
  />
)

const ByDay = ({ days }: { readonly days: RestaurantFigures["by_day"] }) => (
  <Listing
    label={text.byDay}
    minWidth={400}
    rows={days}
    keyOf={({ date }) => date}
    columns={[
      { label: text.day, by: ({ date }) => date, cell: ({ date }) => calendarDay(date) },
      { label: text.orders, isNumber: true, by: ({ orders }) => orders, cell: ({ orders }) => number(orders) },
      {
        label: text.spend,
        isNumber: true,
        by: ({ eligible_spend }) => eligible_spend.amount,
        cell: ({ eligible_spend }) => money(eligible_spend)
      }
    ]}
  />
)

export const OwnRestaurants = () => {
  const program = useProgramQuery()
  const may = useMay()
  const now = useServiceNow()
  const [range, setRange] = useState<{ readonly from?: string; readonly to?: string }>({})
  const figures = useQuery({
    queryKey: ["restaurant figures", program, range],
    enabled: program !== undefined,
    queryFn: () => call(platform.platform_restaurant_figures.restaurantFigures({ query: { ...program, ...range } }))
  })
  return (
    <Stack>
      <Heading help="restaurants">{text.title}</Heading>
      <Ranking serviceTime={new Date(now).toISOString()} />
      <Text c="dimmed">{text.hint}</Text>
      <Group className="filters">
        {(["from", "to"] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={text[name]}
            value={range[name] ?? figures.data?.[name] ?? ""}
            onChange={({ currentTarget: { value } }) => {
              const { [name]: _, ...other } = range
              setRange(value === "" ? other : { ...other, [name]: value })
            }}
          />
        ))}
      </Group>
      <Shown query={figures}>
        {({ by_day, restaurants }) =>
          restaurants.length === 0 ? (
            <Empty title={text.nothing}>{text.nothingHint}</Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, xl: 2 }}>
              <Paper withBorder px="md" py="xs" radius="md">
                <ByRestaurant restaurants={restaurants} />
              </Paper>
              <Paper withBorder px="md" py="xs" radius="md">
                <ByDay days={by_day} />
              </Paper>
            </SimpleGrid>
          )
        }
      </Shown>
      {may("restaurantOrders") && program !== undefined ? <OwnOrders range={range} /> : undefined}
      {may("restaurantRedemptions") && program !== undefined ? <OwnRedemptions range={range} /> : undefined}
      {may("restaurantGuest") ? (
        <Panel title={text.guest}>
          <Note>{text.guestHint}</Note>
          <OwnGuest />
        </Panel>
      ) : undefined}
    </Stack>
  )
}
