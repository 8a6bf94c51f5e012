/** Pages of a programme's members by filters, newest enrolment first, for the list and for CSV. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../database/Pools.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { int8, int8s, rowsOf, texts } from "../database/Values.ts"
import { prefixEnd, searchOf } from "../journal/SearchKey.ts"
import * as Bounds from "./Bounds.ts"
import type { Place } from "../segments/AudienceSql.ts"
import { memberColumns, memberJoins, StoredMember } from "./ProfileStore.ts"

interface MemberFilter {
  readonly program: string
  /** A search text for `searchOf`. */
  readonly search?: string | undefined
  /** Accounts that the search finds in other ways, such as by an order. */
  readonly found?: ReadonlyArray<number> | undefined
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

/** One more than the bound, to know whether there are more. */
const foundLimit = Bounds.fewFound + 1
const startsWith = (column: string, from: string, until: string) => `${column} >= ${from} AND ${column} < ${until}`
const ofProfiles = (column: string, from: string, until: string) =>
  `(SELECT account FROM profiles WHERE program_id = $1 AND ${startsWith(column, from, until)} LIMIT ${foundLimit})`
/**
 * Accounts that a search finds. $2, $3: the prefix and its end; $4, $5: the same for names and addresses; $6: the
 * tsquery for profiles; $7: the tsquery for identities; $8: whole identity values; $9: accounts found in other ways.
 */
const candidatesStatement = `SELECT account FROM (
    (SELECT number AS account FROM accounts WHERE program_id = $1 AND ${startsWith("member_id", "$2", "$3")}
      LIMIT ${foundLimit})
    UNION ${ofProfiles("external_id", "$2", "$3")}
    UNION ${ofProfiles("name_key", "$4", "$5")}
    UNION ${ofProfiles("email_key", "$4", "$5")}
    UNION (SELECT account FROM profiles WHERE program_id = $1 AND profile_terms(name_key, phone) @@ $6::tsquery
      LIMIT ${foundLimit})
    UNION (SELECT account FROM members WHERE identity_terms(identities) @@ $7::tsquery LIMIT ${foundLimit})
    UNION (SELECT account FROM members WHERE identity_values(identities) && $8 LIMIT ${foundLimit})
    UNION SELECT unnest($9)
  ) found LIMIT ${foundLimit}`

const accountsFound = rowsOf(Schema.Struct({ account: Schema.Number }))

/** The accounts that a search finds. Undefined if there is no search, or if it finds more than `Bounds.fewFound`. */
const candidates = (
  query: Query,
  { accounts, found = [], program, search }: MemberFilter
): Effect.Effect<ReadonlyArray<number> | undefined, Refused> => {
  if (search === undefined || accounts !== undefined) return Effect.succeed(undefined)
  const { key, number, profile, values } = searchOf(search)
  const prefixes = [program, search, prefixEnd(search), key, prefixEnd(key), profile ?? null, number ?? null]
  const parameters = [...prefixes.map((value) => text(value)), texts(values), int8s(found)]
  return Effect.map(accountsFound(query(candidatesStatement, parameters)), (rows) =>
    rows.length > Bounds.fewFound ? undefined : rows.map(({ account }) => account)
  )
}

/**
 * Reads a page along the index of account numbers, or of consents. This is fast: the members found are few, or so many
 * that a scan meets them soon.
 */
const pageStatement = (
  { accounts, among, before, consent, found: foundOtherwise = [], limit, program, search }: MemberPage,
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
  else if (search !== undefined) {
    const wanted = searchOf(search)
    const [prefix, key] = [place(text(search)), place(text(wanted.key))]
    conditions.push(`(starts_with(a.member_id, ${prefix}) OR starts_with(p.external_id, ${prefix})
      OR starts_with(p.name_key, ${key}) OR starts_with(p.email_key, ${key})
      OR profile_terms(p.name_key, p.phone) @@ ${place(text(wanted.profile ?? null))}::tsquery
      OR identity_terms(m.identities) @@ ${place(text(wanted.number ?? null))}::tsquery
      OR identity_values(m.identities) && ${place(texts(wanted.values))}
      OR a.number = ANY (${place(int8s(foundOtherwise))}))`)
  }
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
  const found = yield* candidates(query, page)
  const parameters: Array<PgTypes.Parameter> = []
  const statement = pageStatement(page, found, (value) => `$${parameters.push(value)}`)
  return yield* members(query(statement, parameters))
})
