/** Pages of a programme's members by filters, newest enrolment first, for the list and for CSV. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, rowsOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Place } from "../segments/AudienceSql.ts"
import * as MemberSearch from "./MemberSearch.ts"
import { memberColumns, memberJoins, StoredMember } from "./ProfileStore.ts"

interface MemberFilter {
  readonly program: string
  readonly search?: MemberSearch.Search | undefined
  /** A purpose of consent. The list then has only members who consent to it and are not closed. */
  readonly consent?: string | undefined
  /** A SELECT of `account`: the list has only these. */
  readonly among?: ((place: Place) => string) | undefined
  /** The list has only these accounts, at most a page of them. A search among them is made row by row. */
  readonly accounts?: ReadonlyArray<number> | undefined
}

interface MemberPage extends MemberFilter {
  /** The previous page's last account, and how it was found. Account numbers are in the order of enrolment. */
  readonly before: { readonly account: number; readonly rank: number } | undefined
  readonly limit: number
}

const { ranks } = MemberSearch

const { text } = PgTypes

/** Accounts to which a page is bound, or from which it is free. */
interface Bound {
  readonly rank: number
  readonly only?: ReadonlyArray<number> | undefined
  readonly but?: ReadonlyArray<number>
}

/**
 * Reads a page along the index of account numbers, or of consents. This is fast: the members found are few, or so many
 * that a scan meets them soon.
 */
const pageStatement = (
  { accounts, among, before, consent, limit, program, search }: MemberPage,
  { but, only, rank }: Bound,
  place: Place
): string => {
  const isAlongConsents = consent !== undefined && only === undefined && accounts === undefined
  const account = isAlongConsents ? "c.account" : "a.number"
  const conditions = [`a.program_id = ${place(text(program))}`]
  if (consent !== undefined) {
    const agrees = `c.purpose = ${place(text(consent))} AND c.channel = '' AND c.granted`
    conditions.push("a.status <> 'closed'")
    conditions.push(
      isAlongConsents ? agrees : `EXISTS (SELECT FROM current_consents c WHERE c.account = a.number AND ${agrees})`
    )
  }
  if (accounts !== undefined) conditions.push(`a.number = ANY (${place(int8s(accounts))})`)
  if (search !== undefined) conditions.push(MemberSearch.isThere)
  if (only !== undefined) conditions.push(`a.number = ANY (${place(int8s(only))})`)
  else if (search !== undefined) conditions.push(MemberSearch.condition(search, place))
  if (but !== undefined) conditions.push(`a.number <> ALL (${place(int8s(but))})`)
  if (before?.rank === rank) conditions.push(`${account} < ${place(int8(before.account))}`)
  if (among !== undefined) conditions.push(`a.number IN (SELECT s.account FROM (${among(place)}) s)`)
  const from = isAlongConsents ? "current_consents c JOIN accounts a ON a.number = c.account" : "accounts a"
  return `(SELECT ${memberColumns}, ${rank} AS rank FROM ${from} ${memberJoins} WHERE ${conditions.join(" AND ")}
    ORDER BY ${account} DESC LIMIT ${place(int8(limit))})`
}

/** The ways in which a search finds members. Without a search there is one. */
const boundsOf = (found: MemberSearch.Found | undefined): ReadonlyArray<Bound> => {
  if (found === undefined) return [{ rank: ranks.beginning }]
  const { all, similar, whole } = found
  return [
    { rank: ranks.whole, only: whole },
    { rank: ranks.beginning, only: all?.filter((account) => !whole.includes(account)), but: whole },
    { rank: ranks.similar, only: similar }
  ].filter(({ only }) => only?.length !== 0)
}

const FoundMember = Schema.Struct({
  ...StoredMember.fields,
  /** One of `MemberSearch.ranks`. */
  rank: Schema.Number
})
export type FoundMember = typeof FoundMember.Type
const members = rowsOf(FoundMember)

export const list = Effect.fnUntraced(function* (
  query: Query,
  page: MemberPage
): Effect.fn.Return<ReadonlyArray<FoundMember>, Refused> {
  const { accounts, before, limit, search } = page
  const found = search === undefined || accounts !== undefined ? undefined : yield* MemberSearch.few(query, search)
  const left = boundsOf(found).filter(({ rank }) => rank >= (before?.rank ?? ranks.whole))
  if (left.length === 0) return []
  const parameters: Array<PgTypes.Parameter> = []
  const place: Place = (value) => `$${parameters.push(value)}`
  const ways = left.map((bound) => pageStatement(page, bound, place)).join(" UNION ALL ")
  const sorted = left.length === 1 ? "" : ` ORDER BY rank, account DESC LIMIT ${place(int8(limit))}`
  return yield* members(query(`${ways}${sorted}`, parameters))
})
