/** Costs and results of the campaigns, beside each other. */
import { useQuery } from "@tanstack/react-query"
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Campaigns } from "../../contract/platform/Campaigns.ts"
import { call, client } from "../shared/client.ts"
import { money, number, signedMoney } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgram } from "../shared/program.tsx"
import { Empty, Shown } from "../shared/States.tsx"
import type { Amount, Cell } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import type { Result } from "./campaignResults.ts"
import { costNotes, isKnown, resultOf } from "./campaignResults.ts"
import { SetPointValue } from "./GiftCost.tsx"
import { resultStrings as text } from "./resultStrings.ts"

const platform = client(Campaigns)

/** Most campaigns that are reported: a report counts all members that its campaign reached. */
const most = 50
/** A report that was read is shown for so long, ms. */
const keptMs = 300_000

/** Reports of the newest campaigns, read one after the other, so that a list is no burden. */
const useResults = (campaigns: ReadonlyArray<Campaign>) => {
  const primary = useProgram().data?.program.accounts.find(({ is_primary }) => is_primary)?.unit
  const ids = campaigns.slice(0, most).map(({ campaign_id }) => campaign_id)
  return useQuery({
    queryKey: ["campaign results", ids, primary],
    staleTime: keptMs,
    queryFn: async () => {
      const found: Array<Result> = []
      for (const campaign_id of ids)
        found.push(
          resultOf(await call(platform.platform_campaigns.campaignReport({ query: { campaign_id } })), primary)
        )
      return found.filter(({ reached }) => reached > 0)
    }
  })
}

const costWords = (result: Result): string => {
  const { given } = result
  return [
    ...given.points.map(({ amount }) => text.pointsGiven(amount, number(amount))),
    ...(given.rewards_issued === 0
      ? []
      : [text.usedOf(number(given.rewards_redeemed), given.rewards_issued, number(given.rewards_issued))]),
    ...costNotes(result)
  ].join(", ")
}

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
      isKnown(one) ? one.cost : undefined,
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
        cell: ({ campaign_id, name }) => (
          <PageLink to="/audience/campaigns/$campaign_id" params={{ campaign_id }}>
            <bdi>{name}</bdi>
          </PageLink>
        )
      },
      { label: text.reached, isNumber: true, by: ({ reached }) => reached, cell: ({ reached }) => number(reached) },
      {
        label: text.cost,
        isNumber: true,
        by: (one) => (isKnown(one) ? one.cost.amount : undefined),
        cell: (one) => (
          <>
            {isKnown(one) ? money(one.cost) : "–"}
            <Note size="xs">
              {costWords(one)} {one.lacksPoints === "value" ? <SetPointValue /> : undefined}
            </Note>
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
            <Note size="xs">{text.ordersOf(orders, number(orders))}</Note>
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
              {extra === undefined ? "–" : signedMoney(extra)}
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
