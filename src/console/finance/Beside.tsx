/** Rewards in wallets, and points by the month in which they were earned. */
import { useQuery } from "@tanstack/react-query"
import type { RollForward } from "../../contract/admin/Finance.ts"
import { FinanceGroup } from "../../contract/admin/Finance.ts"
import { call, client } from "../shared/client.ts"
import { money, number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useProgramId } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { useClosing } from "./Closings.tsx"
import { cohortsOf, firstOf, totalsOf } from "./cohorts.ts"
import { financeStrings as text } from "./financeStrings.ts"
import { monthName } from "./months.ts"

const admin = client(FinanceGroup)

type Reward = RollForward["rewards"][number]

const worthOf = ({ in_wallets, value }: Reward) =>
  value === undefined ? undefined : { ...value, amount: value.amount * in_wallets }

export const Rewards = ({ month, rewards }: { readonly month: string; readonly rewards: ReadonlyArray<Reward> }) => {
  const { reward: nameOf } = useNames()
  const sumOf = (name: "given" | "in_wallets" | "used") => rewards.reduce((sum, one) => sum + one[name], 0)
  const worths = rewards.flatMap((one) => worthOf(one) ?? [])
  const worth = worths[0] && { ...worths[0], amount: worths.reduce((sum, { amount }) => sum + amount, 0) }
  const valueOf = (value: Reward["value"]) => (value === undefined ? undefined : money(value))
  return (
    <Panel
      title={text.rewards}
      actions={
        <SaveFigures
          title={text.rewards}
          file={`${month} ${text.rewards}`}
          rows={() => [
            [text.reward, text.inWallets, text.given, text.used, text.value, text.walletsWorth, text.currency],
            ...rewards.map((one) => [
              ...[nameOf(one.reward_id), one.in_wallets, one.given, one.used],
              ...[one.value, worthOf(one), one.value?.currency]
            ]),
            [
              ...[text.total, sumOf("in_wallets"), sumOf("given"), sumOf("used")],
              ...[undefined, worth, worth?.currency]
            ]
          ]}
        />
      }
    >
      <Note mb="xs">{rewards.length === 0 ? text.noRewards : text.rewardsHint}</Note>
      {rewards.length === 0 ? undefined : (
        <Listing
          label={text.rewards}
          minWidth={640}
          rows={rewards}
          keyOf={({ reward_id }) => reward_id}
          columns={[
            { label: text.reward, cell: ({ reward_id }) => <bdi>{nameOf(reward_id)}</bdi>, total: text.total },
            {
              label: text.inWallets,
              isNumber: true,
              cell: ({ in_wallets }) => number(in_wallets),
              total: number(sumOf("in_wallets"))
            },
            { label: text.given, isNumber: true, cell: ({ given }) => number(given), total: number(sumOf("given")) },
            { label: text.used, isNumber: true, cell: ({ used }) => number(used), total: number(sumOf("used")) },
            { label: text.value, isNumber: true, cell: ({ value }) => valueOf(value) },
            { label: text.walletsWorth, isNumber: true, cell: (one) => valueOf(worthOf(one)), total: valueOf(worth) }
          ]}
        />
      )}
    </Panel>
  )
}

const columns = ["issued", "redeemed", "expired", "other", "open"] as const

export const Cohorts = ({ isClosed, month }: { readonly isClosed: boolean; readonly month: string }) => {
  const program_id = useProgramId()
  const { unit: unitOf } = useNames()
  const kept = useClosing(month, isClosed)
  const live = useQuery({
    queryKey: ["finance", "cohorts", program_id, month],
    enabled: program_id !== undefined && !isClosed,
    queryFn: () =>
      call(admin.finance.cohorts({ query: { program_id: program_id ?? "", from: firstOf(month), until: month } }))
  })
  const cohorts = cohortsOf(month, isClosed ? { kept: kept.data } : { live: live.data })
  const rows = [...cohorts, ...totalsOf(cohorts).map((total) => ({ ...total, earned: undefined }))]
  return (
    <Panel
      title={text.cohorts}
      actions={
        <SaveFigures
          title={text.cohorts}
          file={`${month} ${text.cohorts}`}
          rows={() => [
            [text.account, text.earned, ...columns.map((name) => text[name])],
            ...rows.map((row) => [unitOf(row.unit), row.earned ?? text.total, ...columns.map((name) => row[name])])
          ]}
        />
      }
    >
      <Note mb="xs">{text.cohortsHint(monthName(month))}</Note>
      <Shown<unknown> query={isClosed ? kept : live}>
        {() =>
          rows.length === 0 ? (
            <Note>{text.noCohorts}</Note>
          ) : (
            <Listing
              label={text.cohorts}
              minWidth={640}
              rows={rows}
              keyOf={({ earned = "", unit }) => `${unit} ${earned}`}
              columns={[
                {
                  label: text.earned,
                  cell: ({ earned }) => (earned === undefined ? <b>{text.total}</b> : monthName(earned))
                },
                { label: text.account, cell: ({ unit }) => unitOf(unit) },
                ...columns.map((name) => ({
                  label: text[name],
                  isNumber: true,
                  cell: (row: (typeof rows)[number]) => number(row[name])
                }))
              ]}
            />
          )
        }
      </Shown>
    </Panel>
  )
}
