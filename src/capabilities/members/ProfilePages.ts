/** Pages of a programme's members by filters, newest enrolment first, for the list and for CSV. */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
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
  /** The previous page's last account. Account numbers are in the order of enrolment. */
  readonly before: number | undefined
  readonly limit: number
}

const { text } = PgTypes

/**
 * Reads a page along the index of account numbers, or of consents. This is fast: the members found are few, or so many
 * that a scan meets them soon.
 */
const pageStatement = (
  { accounts, among, before, consent, limit, program, search }: MemberPage,
  found: ReadonlyArray<number> | undefined,
  place: Place
): string => {
  const isAlongConsents = consent !== undefined && found === undefined && accounts === undefined
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
  if (found !== undefined) conditions.push(`a.number = ANY (${place(int8s(found))})`)
  else if (search !== undefined) conditions.push(MemberSearch.condition(search, place))
  if (before !== undefined) conditions.push(`${account} < ${place(int8(before))}`)
  if (among !== undefined) conditions.push(`a.number IN (SELECT s.account FROM (${among(place)}) s)`)
  const from = isAlongConsents ? "current_consents c JOIN accounts a ON a.number = c.account" : "accounts a"
  return `SELECT ${memberColumns} FROM ${from} ${memberJoins} WHERE ${conditions.join(" AND ")}
    ORDER BY ${account} DESC LIMIT ${place(int8(limit))}`
}

const members = rowsOf(StoredMember)

export const list = Effect.fnUntraced(function* (
  query: Query,
  page: MemberPage
): Effect.fn.Return<ReadonlyArray<StoredMember>, Refused> {
  const { accounts, search } = page
  const found = search === undefined || accounts !== undefined ? undefined : yield* MemberSearch.few(query, search)
  const parameters: Array<PgTypes.Parameter> = []
  const statement = pageStatement(page, found?.all, (value) => `$${parameters.push(value)}`)
  return yield* members(query(statement, parameters))
})
