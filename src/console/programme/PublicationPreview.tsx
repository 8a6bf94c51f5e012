/** Effects of a publication on members, recorded orders and offers. */
import { Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { ManagedPrograms } from "../../contract/admin/Programs.ts"
import type { PublicationPreview as Shape } from "../../contract/admin/PublicationPreview.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import { call, client } from "../shared/client.ts"
import { money, number, signed, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { useOverview } from "../shared/overview.ts"
import { useProgram, useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { heldWorth } from "./moneyChanges.ts"
import { publicationStrings as text } from "./publicationStrings.ts"

const admin = client(ManagedPrograms)

/** Narrow enough for a phone, as the tables stand in a dialog. */
const minWidth = 250

const Tiers = ({ members: { counted, tiers, total } }: Pick<Shape, "members">) =>
  tiers.length === 0 ? (
    <Note>{text.noTiers}</Note>
  ) : (
    <>
      <Listing
        label={text.members}
        minWidth={minWidth}
        rows={tiers}
        keyOf={({ tier_id }) => tier_id}
        columns={[
          { label: text.tier, by: ({ name }) => name, cell: ({ name }) => name },
          {
            label: text.before,
            isNumber: true,
            by: ({ before }) => before,
            cell: ({ before }) => (before === undefined ? text.isNew : number(before))
          },
          {
            label: text.after,
            isNumber: true,
            by: ({ after }) => after,
            cell: ({ after }) => (after === undefined ? text.removed : number(after))
          },
          {
            label: text.difference,
            isNumber: true,
            by: ({ after = 0, before = 0 }) => after - before,
            cell: ({ after = 0, before = 0 }) => signed(after - before)
          }
        ]}
      />
      {counted === total ? undefined : <Note>{text.sample(number(counted), number(total))}</Note>}
    </>
  )

const Orders = ({ nameOf, orders }: Pick<Shape, "orders"> & { readonly nameOf: (promotion: string) => string }) => {
  const zone = useZone()
  const { after, before, count, from, total, until, untried } = orders
  const units = [...new Set([...after, ...before].map(({ unit }) => unit))]
  const amountOf = (sums: Shape["orders"]["after"], unit: string) => sums.find((one) => one.unit === unit)?.amount ?? 0
  if (count === 0 || from === undefined || until === undefined) return <Note>{text.noOrders}</Note>
  return (
    <>
      {units.length === 0 ? (
        <Note>{text.nothing}</Note>
      ) : (
        <Listing
          label={text.orders(count, number(count))}
          minWidth={minWidth}
          rows={units}
          keyOf={(unit) => unit}
          columns={[
            { label: text.account, by: (unit) => unit, cell: (unit) => unit },
            {
              label: text.before,
              isNumber: true,
              by: (unit) => amountOf(before, unit),
              cell: (unit) => number(amountOf(before, unit))
            },
            {
              label: text.after,
              isNumber: true,
              by: (unit) => amountOf(after, unit),
              cell: (unit) => number(amountOf(after, unit))
            },
            {
              label: text.difference,
              isNumber: true,
              by: (unit) => amountOf(after, unit) - amountOf(before, unit),
              cell: (unit) => signed(amountOf(after, unit) - amountOf(before, unit))
            }
          ]}
        />
      )}
      <Note>
        {count === total ? undefined : `${text.sampleOrders(number(count), number(total))} `}
        {`${text.range(timeShort(from, zone), timeShort(until, zone), zone)} ${text.caveat}`}
        {untried.length === 0 ? undefined : ` ${text.untried(untried.map(nameOf).join(", "))}`}
      </Note>
    </>
  )
}

/** Rewards of the stamp card. */
const CardsFilled = ({ orders: { card_after, card_before } }: Pick<Shape, "orders">) => {
  if (card_after === undefined) return undefined
  const { cost, most_for_one_order, name, rewards } = card_after
  const told = text.cards(number(rewards), rewards, name, cost && money(cost), number(most_for_one_order))
  return (
    <Text size="sm">{card_before === undefined ? told : `${told} ${text.cardsNow(number(card_before.rewards))}`}</Text>
  )
}

type Offer = Shape["rewards"][number] | Shape["promotions"][number] | Shape["challenges"][number]

const inWords = (offers: ReadonlyArray<Offer>): string =>
  (["added", "removed", "changed"] as const)
    .flatMap((change) => {
      const names = offers.filter((one) => one.change === change).map(({ name }) => name)
      return names.length === 0 ? [] : [text.changes[change](names.join(", "))]
    })
    .join("; ")

const Offers = ({ challenges, promotions, rewards }: Shape) => {
  const all = Object.entries({ rewards, promotions, challenges }).filter(([, offers]) => offers.length > 0)
  if (all.length === 0) return <Note>{text.noOffers}</Note>
  return all.map(([of, offers]) => (
    <Text key={of} size="sm">
      <b>{text.offers[of as keyof typeof text.offers]}</b> {inWords(offers)}
    </Text>
  ))
}

/** Members who complete a challenge at once, since it becomes easier. */
const Completed = ({ challenges }: Pick<Shape, "challenges">) =>
  challenges.map(({ challenge_id, completes, name: challenge }) => {
    if (completes === undefined) return undefined
    const { cost, guests, looked_at, name, rewards, total } = completes
    const given = text.completedRewards(number(rewards), rewards, name)
    const told = text.completes(challenge, guests, number(guests), given, cost && money(cost))
    return (
      <Text key={challenge_id} size="sm">
        {looked_at < total ? `${told} ${text.sample(number(looked_at), number(total))}` : told}
      </Text>
    )
  })

/** The worth of what guests hold, before and after, where the value of a point changes. */
const Held = ({ after }: { readonly after: PointValue | undefined }) => {
  const program = useProgram().data?.program
  const overview = useOverview().data?.overview
  const primary = program?.accounts.find(({ is_primary }) => is_primary)?.unit
  const points = overview?.points.find(({ unit }) => unit === primary)?.outstanding
  const worth = points === undefined ? undefined : heldWorth(points, program?.point_value, after)
  if (points === undefined || worth === undefined) return undefined
  const [was, is] = worth.map((one) => (one === undefined ? text.noWorth : money(one)))
  return <Text size="sm">{text.held(points, number(points), was ?? "", is ?? "")}</Text>
}

interface Named {
  readonly promotion_id: string
  readonly name: string
}

/** `onSeen` is called with the definition once its preview is shown. */
export const PublicationPreview = <Definition extends Readonly<Record<string, unknown>>>(props: {
  readonly program: Definition
  readonly onSeen: (program: Definition) => void
}) => {
  const { onSeen, program } = props
  const preview = useQuery({
    queryKey: ["publication", program],
    queryFn: () => call(admin.programs.previewPublication({ payload: { program } }))
  })
  const { isSuccess } = preview
  useEffect(() => {
    if (isSuccess) onSeen(program)
  }, [isSuccess, onSeen, program])
  const nameOf = (id: string) =>
    ((program["promotions"] ?? []) as ReadonlyArray<Named>).find(({ promotion_id }) => promotion_id === id)?.name ?? id
  return (
    <Stack gap="xs" role="group" aria-label={text.title}>
      <Shown query={preview}>
        {(shown) => (
          <>
            <Title order={4}>{text.members}</Title>
            <Tiers {...shown} />
            <Title order={4}>{text.orders(shown.orders.count, number(shown.orders.count))}</Title>
            <Orders {...shown} nameOf={nameOf} />
            <CardsFilled {...shown} />
            <Held after={program["point_value"] as PointValue | undefined} />
            <Offers {...shown} />
            <Completed {...shown} />
          </>
        )}
      </Shown>
    </Stack>
  )
}
