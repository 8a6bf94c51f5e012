/** Pages of the operators' list of members. Only tiers and last orders come from the rollups, about a second late. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { instant, int8, int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { MemberStatus } from "../../contract/Values.ts"
import { prefixEnd } from "../../core/journal/SearchKey.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"
import type { Place } from "../segments/AudienceSql.ts"
import * as MemberSearch from "./MemberSearch.ts"
import { memberJoins } from "./ProfileStore.ts"

type ProgramTier = Ladder.TierKey & { readonly program: string }

interface MemberFilter {
  readonly programs: ReadonlyArray<string>
  readonly status?: MemberStatus | undefined
  /** Only members with these tiers, which are of the programmes. */
  readonly tiers?: ReadonlyArray<ProgramTier> | undefined
  /** ms, both included. */
  readonly joinedFrom?: number | undefined
  readonly joinedUntil?: number | undefined
}

export interface ListQuery extends MemberFilter {
  /** With it the list is sorted by rank and member id, else newest first. */
  readonly search?: MemberSearch.Search | undefined
  /** The last row of the previous page. `key`: what the list is sorted by, time of enrolment (ms) or member id. */
  readonly after?: { readonly account: number; readonly key: string; readonly rank: number } | undefined
  readonly limit: number
}

const Listed = Schema.Struct({
  account: Schema.Number,
  program: Schema.String,
  member: Schema.String,
  status: MemberStatus,
  /** ms. */
  joined: Schema.Number,
  tier: Schema.String,
  period: Schema.Number,
  displayName: optional(Schema.String),
  email: optional(Schema.String),
  phone: optional(Schema.String),
  /** Of the newest order, ms. */
  lastOrder: optional(Schema.Number),
  /** JSON: `[unit, posted, reserved]` of every unit, as posted by now. */
  balances: Schema.String,
  /** One of `MemberSearch.ranks`. */
  rank: Schema.Number
})
export type Listed = typeof Listed.Type

const { text } = PgTypes

/** Members as the rollups have them; one that they do not have yet has no tier. */
const joins = `${memberJoins} LEFT JOIN member_rollups r ON r.account = a.number`
const { period, tier } = Ladder.noTier
const tierColumn = `coalesce(r.tier_id, '${tier}')`
const periodColumn = `coalesce(r.tier_period, ${period})`

const listed = (numbers: string, order: string) => `SELECT a.number AS account, a.program_id AS program,
    a.member_id AS member, a.status, a.joined_at AS joined, ${tierColumn} AS tier,
    ${periodColumn} AS period, p.display_name AS "displayName", p.email, p.phone, b.last_order AS "lastOrder",
    newest.balances, n.rank
  FROM (${numbers}) n JOIN accounts a ON a.number = n.number CROSS JOIN LATERAL (
      SELECT j.balances FROM journal j WHERE j.account = a.number AND j.seq = a.seq AND j.span = a.span
      UNION ALL SELECT x.balances FROM archived_accounts x WHERE x.account = a.number AND x.span = a.span LIMIT 1
    ) newest ${joins} LEFT JOIN rollup_buyers b ON b.account = a.number ORDER BY ${order}`

const tierTable = (tiers: ReadonlyArray<ProgramTier>, place: Place) => `(SELECT DISTINCT * FROM unnest(
    ${place(texts(tiers.map(({ program }) => program)))}, ${place(texts(tiers.map(({ tier }) => tier)))},
    ${place(int8s(tiers.map(({ period }) => period)))}) t(program_id, tier_id, tier_period)) k`

/** Members of one programme and status, or also one tier, are one range of an index. Merges the ranges, newest first. */
const newest = (
  { after, joinedFrom, joinedUntil, limit, programs, status, tiers }: Omit<ListQuery, "search">,
  place: Place
): string => {
  const [table, number, joined, at, kinds] =
    tiers === undefined
      ? ["accounts", "number", "joined_at", instant, `unnest(${place(texts(programs))}) k(program_id)`]
      : ["member_rollups", "account", "joined", int8, tierTable(tiers, place)]
  const statuses = place(texts(status === undefined ? MemberStatus.literals : [status]))
  const conditions = ["x.program_id = k.program_id", "x.status = s.status"]
  if (tiers !== undefined) conditions.push("x.tier_id = k.tier_id", "x.tier_period = k.tier_period")
  if (joinedFrom !== undefined) conditions.push(`x.${joined} >= ${place(at(joinedFrom))}`)
  // One upper bound: of two, the index scan may start at the wider one and read needless rows.
  const below = after ?? (joinedUntil === undefined ? undefined : { account: 0, key: joinedUntil + 1 })
  if (below !== undefined)
    conditions.push(`(x.${joined}, x.${number}) < (${place(at(Number(below.key)))}, ${place(int8(below.account))})`)
  const most = place(int8(limit))
  return `SELECT n.*, ${MemberSearch.ranks.beginning} AS rank FROM ${kinds} CROSS JOIN unnest(${statuses}::member_status[]) s(status) CROSS JOIN LATERAL (
      SELECT x.${number} AS number, x.${joined} AS joined FROM ${table} x WHERE ${conditions.join(" AND ")}
      ORDER BY x.${joined} DESC, x.${number} DESC LIMIT ${most}
    ) n ORDER BY n.joined DESC, n.number DESC LIMIT ${most}`
}

/**
 * Compared as one text, since a join with the wanted keys would lead to plans that read all members. The same would
 * follow if PostgreSQL took few rows to have the keys: of `coalesce` it takes half.
 */
const keyColumn = `concat_ws(E'\\n', a.program_id, ${tierColumn}, ${periodColumn})`
const keyOf = ({ period, program, tier }: ProgramTier) => [program, tier, period].join("\n")

const conditionsOf = ({ joinedFrom, joinedUntil, status, tiers }: MemberFilter, place: Place) => [
  ...(status === undefined ? [] : [`a.status = ${place(text(status))}::member_status`]),
  ...(joinedFrom === undefined ? [] : [`a.joined_at >= ${place(instant(joinedFrom))}`]),
  ...(joinedUntil === undefined ? [] : [`a.joined_at <= ${place(instant(joinedUntil))}`]),
  ...(tiers === undefined ? [] : [`coalesce(${keyColumn} = ANY (${place(texts(tiers.map(keyOf)))}), false)`])
]

interface Found extends MemberSearch.Found {
  /** All that may pass the other filters; undefined: there are no other filters, or many may pass. */
  readonly passed: ReadonlyArray<number> | undefined
}

/** The place behind which a page begins. */
type After = Pick<NonNullable<ListQuery["after"]>, "account" | "key">

/** The ways in which a search finds members, each a SELECT of its rows behind the previous page. */
const waysOf = (
  { after, limit, ...filter }: ListQuery,
  search: MemberSearch.Search,
  { all, otherwise, passed, similar, whole }: Found,
  place: Place
) => {
  const { ranks } = MemberSearch
  const { wanted } = search
  const conditions = [...conditionsOf(filter, place), MemberSearch.isThere]
  const programs = place(texts(filter.programs))
  const behind = ({ account, key }: After) => `(a.member_id, a.number) > (${place(text(key))}, ${place(int8(account))})`
  const behindPage = (rank: number) => (after?.rank === rank ? [behind(after)] : [])
  const where = (rank: number, ...more: ReadonlyArray<string>) =>
    `SELECT a.number, a.member_id, ${rank} AS rank FROM accounts a ${joins} WHERE ${[...more, ...conditions].join(" AND ")}`
  const along = (
    ...more: ReadonlyArray<string>
  ) => `SELECT n.* FROM unnest(${programs}) k(program_id) CROSS JOIN LATERAL (
      ${where(ranks.beginning, "a.program_id = k.program_id", ...more)} ORDER BY a.member_id LIMIT ${place(int8(limit))}) n`
  const these = (rank: number, numbers: ReadonlyArray<number>, ...more: ReadonlyArray<string>) =>
    where(
      rank,
      `a.program_id = ANY (${programs})`,
      `a.number = ANY (${place(int8s(numbers))})`,
      ...behindPage(rank),
      ...more
    )
  const byBeginning = () => {
    const few = all?.filter((account) => !whole.includes(account))
    if (few !== undefined) return these(ranks.beginning, few)
    const isOther = `a.number <> ALL (${place(int8s(whole))})`
    if (otherwise === undefined) {
      const isFound = [isOther, MemberSearch.condition(search, place)]
      return passed === undefined
        ? along(...behindPage(ranks.beginning), ...isFound)
        : these(ranks.beginning, passed, ...isFound)
    }
    if (passed !== undefined) {
      const isFound = `(starts_with(a.member_id, ${place(text(wanted))}) OR a.number = ANY (${place(int8s(otherwise))}))`
      return these(ranks.beginning, passed, isOther, isFound)
    }
    const isBehind = after?.rank === ranks.beginning && after.key > wanted
    const from = isBehind ? after : { account: 0, key: wanted }
    const ofPrefix = along(behind(from), `a.member_id < ${place(text(prefixEnd(wanted)))}`, isOther)
    return `${ofPrefix} UNION ${these(ranks.beginning, otherwise, isOther)}`
  }
  return [
    { rank: ranks.whole, rows: () => these(ranks.whole, whole) },
    { rank: ranks.beginning, rows: byBeginning },
    { rank: ranks.similar, rows: () => these(ranks.similar, similar) }
  ]
}

/** A page of what a search finds: by how it is found, then by member id. */
const byMemberId = (asked: ListQuery, search: MemberSearch.Search, found: Found, place: Place): string => {
  const first = asked.after?.rank ?? MemberSearch.ranks.whole
  const left = waysOf(asked, search, found, place).filter(({ rank }) => rank >= first)
  return `SELECT n.* FROM (${left.map(({ rows }) => `(${rows()})`).join(" UNION ALL ")}) n
    ORDER BY n.rank, n.member_id, n.number LIMIT ${place(int8(asked.limit))}`
}

const listedRows = rowsOf(Listed)
const passedRow = oneOf(Schema.Struct({ few: MemberSearch.Few }))

/** Runs the statement that `write` writes. */
const run = (query: Query, write: (place: Place) => string) => {
  const parameters: Array<PgTypes.Parameter> = []
  const statement = write((value) => `$${parameters.push(value)}`)
  return query(statement, parameters)
}

/**
 * All accounts that may pass the filters, if they are few: a search among them reads no other. The rollups have all
 * members of a tier but the lowest one, which a member also has before they have its first record.
 */
const passedBy = (query: Query, { joinedFrom, joinedUntil, programs, status, tiers }: MemberFilter) => {
  const isLowest = tiers?.some(({ tier }) => tier === Ladder.noTier.tier) ?? true
  const filters = { joinedFrom, joinedUntil, ...(isLowest ? { status } : { tiers }) }
  if (Object.values(filters).every((filter) => filter === undefined)) return Effect.succeed(undefined)
  const most = { ...filters, programs, limit: MemberSearch.foundLimit }
  const passed = passedRow(run(query, (place) => MemberSearch.allIfFew(newest(most, place))))
  return Effect.map(passed, ({ few }) => few)
}

export const list = Effect.fnUntraced(function* (
  query: Query,
  asked: ListQuery
): Effect.fn.Return<ReadonlyArray<Listed>, Refused> {
  const { search } = asked
  if (search === undefined)
    return yield* listedRows(run(query, (place) => listed(newest(asked, place), "a.joined_at DESC, a.number DESC")))
  const found = yield* MemberSearch.few(query, search)
  const passed = found.all === undefined ? yield* passedBy(query, asked) : undefined
  return yield* listedRows(
    run(query, (place) =>
      listed(byMemberId(asked, search, { ...found, passed }, place), "n.rank, a.member_id, a.number")
    )
  )
})
