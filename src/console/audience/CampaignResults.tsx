/** Costs and results of the campaigns, beside each other. */
import { useQuery } from "@tanstack/react-query"
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { call, client } from "../shared/client.ts"
import { money, number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import type { Amount, Cell } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import type { Result } from "./campaignResults.ts"
import { resultOf } from "./campaignResults.ts"
import { resultStrings as text } from "./resultStrings.ts"

const platform = client(Campaigns)

/** Most campaigns that are reported: a report counts all members that its campaign reached. */
const most = 50
/** A report that was read is shown for so long, ms. */
const keptMs = 300_000

/** Reports of the newest campaigns, read one after the other, so that a list is no burden. */
const useResults = (campaigns: ReadonlyArray<Campaign>) => {
  const ids = campaigns.slice(0, most).map(({ campaign_id }) => campaign_id)
  return useQuery({
    queryKey: ["campaign results", ids],
    staleTime: keptMs,
    queryFn: async () => {
      const found: Array<Result> = []
      for (const campaign_id of ids)
        found.push(resultOf(await call(platform.platform_campaigns.campaignReport({ query: { campaign_id } }))))
      return found.filter(({ reached }) => reached > 0)
    }
  })
}

const signed = ({ amount, currency }: Amount): string =>
  `${amount < 0 ? "−" : amount > 0 ? "+" : ""}${money({ amount: Math.abs(amount), currency })}`

const costWords = ({ given, lacksPoints, lacksRewards }: Result): string =>
  [
    ...given.points.map(({ amount }) => text.pointsGiven(number(amount))),
    ...(given.rewards_issued === 0 ? [] : [text.usedOf(number(given.rewards_redeemed), number(given.rewards_issued))]),
    ...(lacksPoints ? [text.lacksPoints] : []),
    ...(lacksRewards === 0 ? [] : [text.lacksRewards(number(lacksRewards))])
  ].join(", ")

const broughtWords = ({ brought }: Result): string => {
  if (brought.told === "few") return text.few(number(comparedMembers))
  if (brought.told !== "extra") return text[brought.told]
  const each = text.each(money(brought.each), money(brought.heldEach))
  return brought.isChance ? `${each}; ${text.chance}` : each
}

const extraOf = ({ brought }: Result): Amount | undefined => (brought.told === "extra" ? brought.extra : undefined)

/** As a file has them. */
const rowsOf = (all: ReadonlyArray<Result>): ReadonlyArray<ReadonlyArray<Cell>> => {
  const inMoney = (label: string) => `${label} (${all[0]?.cost.currency ?? ""})`
  return [
    [
      text.name,
      text.reached,
      inMoney(text.cost),
      text.points,
      text.given,
      text.used,
      text.orders,
      inMoney(text.revenue),
      text.heldOrders,
      inMoney(text.held),
      inMoney(text.brought),
      text.note
    ],
    ...all.map((one) => [
      one.name,
      one.reached,
      one.cost,
      one.given.points.reduce((sum, { amount }) => sum + amount, 0),
      one.given.rewards_issued,
      one.given.rewards_redeemed,
      one.orders,
      one.revenue,
      one.heldOrders,
      one.heldRevenue,
      extraOf(one),
      [costWords(one), broughtWords(one)].join("; ")
    ])
  ]
}

const List = ({ rows }: { readonly rows: ReadonlyArray<Result> }) => (
  <Listing
    label={text.title}
    minWidth={760}
    rows={rows}
    keyOf={({ campaign_id }) => campaign_id}
    columns={[
      {
        label: text.name,
        by: ({ name }) => name,
        cell: ({ name }) => <bdi>{name}</bdi>
      },
      { label: text.reached, isNumber: true, by: ({ reached }) => reached, cell: ({ reached }) => number(reached) },
      {
        label: text.cost,
        isNumber: true,
        by: ({ cost }) => cost.amount,
        cell: (one) => (
          <>
            {money(one.cost)}
            <Note size="xs">{costWords(one)}</Note>
          </>
        )
      },
      {
        label: text.revenue,
        isNumber: true,
        by: ({ revenue }) => revenue.amount,
        cell: ({ orders, revenue }) => (
          <>
            {money(revenue)}
            <Note size="xs">{text.ordersOf(number(orders), orders)}</Note>
          </>
        )
      },
      {
        label: text.brought,
        isNumber: true,
        by: (one) => extraOf(one)?.amount,
        cell: (one) => {
          const extra = extraOf(one)
          return (
            <>
              {extra === undefined ? "–" : signed(extra)}
              <Note size="xs">{broughtWords(one)}</Note>
            </>
          )
        }
      }
    ]}
  />
)

export const CampaignResults = ({ campaigns }: { readonly campaigns: ReadonlyArray<Campaign> }) => {
  const results = useResults(campaigns)
  return (
    <Panel
      title={text.title}
      actions={
        results.data === undefined || results.data.length === 0 ? undefined : (
          <SaveFigures title={text.title} rows={() => rowsOf(results.data)} />
        )
      }
    >
      <Note size="xs">
        {text.hint} {campaigns.length > most ? text.newest(number(most)) : ""}
      </Note>
      <Shown query={results}>
        {(rows) => (rows.length === 0 ? <Empty title={text.none} /> : <List rows={rows} />)}
      </Shown>
    </Panel>
  )
}
