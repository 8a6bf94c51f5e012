/** Lists guests whom earlier moves brought points, some accounts at a time (contract/moving.md *Guests of earlier moves*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { int8, int8s, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { MovedBefore } from "../../contract/admin/MovedGuests.ts"
import type { Unit } from "../../contract/Values.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../core/journal/Journal.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Bounds from "./Bounds.ts"
import * as MovedKeys from "./MovedKeys.ts"
import type { Sources } from "./Remembered.ts"
import { entriesOf, lotsIn } from "./Remembered.ts"

const accounts = rowsOf(
  Schema.Struct({ number: Schema.Number, member: Schema.NullOr(Schema.String), filed: Schema.Boolean })
)
const contained = rowsOf(Schema.Struct({ account: Schema.Number, into: Schema.Number }))

/** The lines of the roll-forward that points of moves are among. */
const lines = "('migration_credits', 'migration_debits')"
const dayMs = 86_400_000

/**
 * The archived spans that may have points of moves: those with a day of `lines`, and those that the sums of finance do not count
 * yet. An instant's date in its zone begins, as UTC, at most 36 hours before it and 14 hours after it.
 */
const spansOfMoves = `months AS MATERIALIZED (
    SELECT DISTINCT start FROM finance_days WHERE program_id = $1 AND span = 31 AND line IN ${lines}
  ), days AS MATERIALIZED (
    SELECT DISTINCT d.start FROM months m JOIN finance_days d ON d.program_id = $1 AND d.span = 1
      AND d.start >= m.start AND d.start < m.start + 31 * ${dayMs}::bigint AND d.line IN ${lines}
  ), of_moves AS MATERIALIZED (
    SELECT x.span FROM archived_spans x
      WHERE EXISTS (SELECT FROM days d WHERE d.start >= x.first_at - 1.5 * ${dayMs} AND d.start <= x.last_at + ${dayMs})
        OR NOT EXISTS (SELECT FROM finance_progress p WHERE (p.epoch, p.transaction, p.account, p.seq)
          >= (x.last_epoch, x.last_transaction, x.last_account, x.last_seq))
  )`

/** The account of a page and, where files are there ($4), those that were merged into it. */
const accountsOf = `SELECT p.number AS account
    UNION ALL SELECT m.account FROM rollup_merges m WHERE $4 AND m.into_account = p.number`

/**
 * The next accounts by number, whatever their programme, so that a page is bounded work and no long snapshot. `member` is null of
 * accounts that are not listed: of other programmes, merged, erased, or with archived records and no folder of their files ($4).
 * With one: of accounts with archived records to which no move can have brought points, so that no file is read for them.
 */
const accountsStatement = `WITH ${spansOfMoves}, page AS MATERIALIZED (
    SELECT number, program_id, member_id FROM accounts WHERE number > $2 ORDER BY number LIMIT $3
  )
  SELECT p.number, r.filed, CASE WHEN p.program_id = $1
      AND NOT EXISTS (SELECT FROM rollup_merges m WHERE m.account = p.number)
      AND NOT EXISTS (SELECT FROM erasures e WHERE e.account = p.number)
      AND (NOT r.filed OR ($4 AND (r.moved OR EXISTS (
        SELECT FROM (${accountsOf}) of CROSS JOIN LATERAL (
          SELECT FROM ledger_entries l WHERE l.account = of.account AND l.operation = 'manual'
            AND l.adjustment_id LIKE '${MovedKeys.movedPrefix}%' LIMIT 1
        ) here
      ))))
    THEN p.member_id END AS member
  FROM page p CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS filed, coalesce(bool_or(r.span IN (SELECT span FROM of_moves)), false) AS moved
      FROM (${accountsOf}) of CROSS JOIN LATERAL archived_records(of.account) r
      WHERE EXISTS (SELECT FROM archived_spans) AND p.program_id = $1
  ) r ORDER BY p.number`
const containedStatement = `SELECT m.account, m.into_account AS "into" FROM rollup_merges m WHERE m.into_account = ANY ($1)
  AND ($2 OR NOT EXISTS (SELECT FROM archived_spans) OR NOT EXISTS (SELECT FROM archived_records(m.account)))`

interface Member {
  readonly account: number
  readonly member: string
}

/** Guests of members, each by what its lots have brought, corrections included. */
const guestsOf = Effect.fnUntraced(function* (sources: Sources, now: number, members: ReadonlyArray<Member>) {
  if (members.length === 0) return []
  const { files, query } = sources
  const given = [int8s(members.map(({ account }) => account)), PgTypes.bool(files !== undefined)]
  const merged = yield* contained(query(containedStatement, given))
  const into = new Map([
    ...members.map(({ account }) => [account, account] as const),
    ...merged.map(({ account, into }) => [account, into] as const)
  ])
  const entries = Map.groupBy(yield* entriesOf(sources, [...into.keys()], now), ({ account }) => into.get(account))
  return members.flatMap(({ account, member }): ReadonlyArray<MovedBefore> => {
    const guests = Map.groupBy(entries.get(account) ?? [], ({ adjustment }) => MovedKeys.movedAs(adjustment))
    return [...guests].flatMap(([moved_as, own]) => {
      const sums = new Map<Unit, number>()
      for (const { amount, isOver, unit } of lotsIn(own).values())
        if (!isOver) sums.set(unit, (sums.get(unit) ?? 0) + amount)
      const points = [...sums].flatMap(([unit, amount]) => (amount === 0 ? [] : [{ unit, amount }]))
      return points.length === 0 ? [] : [{ moved_as, member_id: member, points }]
    })
  })
})

/** Accounts that a page has: fewer, if files are read for many of them. */
const lengthOf = (found: Effect.Success<ReturnType<typeof accounts>>): number => {
  const filed = found.flatMap(({ filed, member }, place) => (filed && member !== null ? [place + 1] : []))
  return Math.min(Bounds.accountsListed, filed[Bounds.filedListed - 1] ?? Bounds.accountsListed)
}

/** Guests of earlier moves, over a pool of the caller's kind. */
export const make = ({ query }: Pool) =>
  Effect.gen(function* () {
    const { journal, programs, time } = yield* Effect.all({ journal: Journal, programs: Programs, time: serviceTime })
    const sources: Sources = { files: yield* ArchiveFiles, query }
    return {
      list: Effect.fnUntraced(function* (program_id: string, asked: Pick<PageQuery, "cursor">) {
        yield* Visible.named(programs, yield* CurrentCaller, program_id)
        const filters = ["moved guests", program_id]
        const page = { ...(yield* pageOf(journal.claimKey, filters, asked)), limit: Bounds.accountsListed }
        const places = [
          PgTypes.text(program_id),
          int8(Number(page.after ?? 0)),
          int8(page.limit + 1),
          PgTypes.bool(sources.files !== undefined)
        ]
        const read = accounts(query(accountsStatement, places))
        const found = yield* sources.files === undefined ? read : ArchivedReads.together(query, read)
        const cut = { ...page, limit: lengthOf(found) }
        const { rows, ...next } = paged(journal.claimKey, filters, cut, found, ({ number }) => String(number))
        const members = rows.flatMap(({ member, number }) => (member === null ? [] : [{ account: number, member }]))
        return { guests: yield* guestsOf(sources, time.now(), members), ...next }
      })
    }
  })
