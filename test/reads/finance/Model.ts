/** A model of the sums of finance: its own arithmetic, from rows of the ledger and the states of members. */
import { Effect } from "effect"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import type { Posted } from "../../../src/core/account/domain/Posted.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import * as Scenario from "../reconcile/Scenario.ts"
import type { Member } from "../rollups/Traffic.ts"

/** Points by programme, day, unit and line, out of the ledger. Base and promotions are one line: the ledger does not tell them apart. */
const ledgerStatement = `SELECT a.program_id AS program,
    ((e.occurred_at AT TIME ZONE z.zone)::date)::text AS day, e.unit::text AS unit,
    CASE e.operation
      WHEN 'accrual' THEN 'earned'
      WHEN 'redemption' THEN 'redeemed'
      WHEN 'reversal' THEN 'given_back'
      WHEN 'expiration' THEN 'expired'
      WHEN 'manual' THEN e.classification::text || CASE WHEN e.amount < 0 THEN '_debits' ELSE '_credits' END
      ELSE CASE
        WHEN e.reason = 'members merged' THEN 'moved'
        WHEN e.reason = 'stamp card filled' THEN 'card_resets'
        WHEN e.amount < 0 THEN 'orders_down' ELSE 'orders_up' END
    END AS line, sum(e.amount)::float8 AS points
  FROM ledger_entries e JOIN accounts a ON a.number = e.account
    JOIN (SELECT program_id, coalesce(definition ->> 'time_zone', definition #>> '{tier_policy,period,time_zone}', 'UTC') AS zone
      FROM programs WHERE version = 1) z ON z.program_id = a.program_id
  WHERE e.amount <> 0 GROUP BY 1, 2, 3, 4 HAVING sum(e.amount) <> 0`

const sumsStatement = `SELECT program_id AS program, (to_timestamp(start / 1000) AT TIME ZONE 'UTC')::date::text AS day,
    unit::text AS unit, CASE WHEN line IN ('base', 'promotions') THEN 'earned' ELSE line END AS line, sum(points)::float8 AS points
  FROM finance_days WHERE span = 1 AND line NOT IN ('below_zero', 'redeemed_here', 'given_back_here')
  GROUP BY 1, 2, 3, 4 HAVING sum(points) <> 0`

type Rows = Record<string, number>
const rowsOf = (statement: string) =>
  Effect.map(Scenario.byHand(statement), (rows) =>
    Object.fromEntries(
      rows
        .map(
          (row) => [[row["program"], row["day"], row["unit"], row["line"]].join(" "), Number(row["points"])] as const
        )
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
    )
  )

/** Lines by day: of the ledger, and of the sums. */
export const byDay: Effect.Effect<{ readonly ledger: Rows; readonly sums: Rows }, unknown, never> = Effect.all({
  ledger: rowsOf(ledgerStatement),
  sums: rowsOf(sumsStatement)
}) as never

const add = (to: Rows, key: string, points: number) => {
  to[key] = (to[key] ?? 0) + points
  if (to[key] === 0) delete to[key]
}

/** The entry that made a lot: a merge's numbers go back to the member that it came from. */
const entryOf = (members: ReadonlyMap<number, Member>, member: Member, n: number): Posted => {
  if (n < 0) {
    const by = member.state.merged.find(({ lowest }) => n >= lowest)
    return entryOf(members, members.get(by!.account)!, n - by!.shift)
  }
  const made = member.records.flatMap(({ events }) => events).find((event) => event.type === "posted" && event.n === n)
  return made as Posted
}

/** Points in lots by programme, unit and the location of the entry that made them; holes are the brand's. */
export const byPlace = (all: ReadonlyArray<Member>): Rows => {
  const members = new Map(all.map((member) => [member.account, member]))
  const found: Rows = {}
  const ofUnit = (member: Member, { lots, posted, unit }: State["units"][number]) => {
    for (const [n, points] of Lots.toArray(lots)) {
      const { op, ...entry } = entryOf(members, member, n)
      const location = op === "reversal" ? undefined : (entry as { readonly location?: string }).location
      add(found, `${member.program.id} ${unit} ${location ?? ""}`, points)
    }
    add(found, `${member.program.id} ${unit} `, Math.min(0, posted))
    add(found, `${member.program.id} ${unit} below zero`, Math.min(0, posted))
  }
  for (const member of all) for (const unit of member.state.units) ofUnit(member, unit)
  return found
}

/** The same by the sums. */
export const placesBySums = Effect.map(
  Scenario.byHand(`SELECT program_id AS program, unit::text AS unit, CASE line WHEN 'below_zero' THEN 'below zero' ELSE location_id END AS place,
      sum(points)::float8 AS points FROM finance_days WHERE span = 31 AND line NOT IN ('redeemed_here', 'given_back_here')
    GROUP BY 1, 2, 3 HAVING sum(points) <> 0`),
  (rows): Rows =>
    Object.fromEntries(rows.map((row) => [`${row["program"]} ${row["unit"]} ${row["place"]}`, Number(row["points"])]))
)

/** Points in lots by programme, unit and the month in which they were earned, in UTC. */
export const byEarned = (all: ReadonlyArray<Member>, zoneMonth: (program: string, at: number) => string): Rows => {
  const found: Rows = {}
  for (const { program, state } of all)
    for (const { lots, unit } of state.units)
      for (const [, points, , earned] of Lots.toArray(lots))
        add(found, `${program.id} ${unit} ${zoneMonth(program.id, earned)}`, points)
  return found
}

export const earnedBySums = Effect.map(
  Scenario.byHand(`SELECT program_id AS program, unit::text AS unit,
      to_char(to_timestamp(earned / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, sum(points)::float8 AS points
    FROM finance_cohorts GROUP BY 1, 2, 3 HAVING sum(points) <> 0`),
  (rows): Rows =>
    Object.fromEntries(rows.map((row) => [`${row["program"]} ${row["unit"]} ${row["month"]}`, Number(row["points"])]))
)

/** Rewards in wallets by programme and reward. */
export const inWallets = (all: ReadonlyArray<Member>): Rows => {
  const found: Rows = {}
  for (const { program, state } of all)
    for (const { reward, status } of state.rewards) if (status === "issued") add(found, `${program.id} ${reward}`, 1)
  return found
}

export const walletsBySums = Effect.map(
  Scenario.byHand(`SELECT program_id AS program, reward_id AS reward, sum(rewards)::float8 AS rewards
    FROM finance_rewards WHERE span = 1 GROUP BY 1, 2 HAVING sum(rewards) <> 0`),
  (rows): Rows => Object.fromEntries(rows.map((row) => [`${row["program"]} ${row["reward"]}`, Number(row["rewards"])]))
)
