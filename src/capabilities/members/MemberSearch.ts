/** The search of members, for every list (contract/members.md *Searching*). It reads what the journal has committed. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { storageUnavailable } from "../../base/database/Pools.ts"
import { int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { maxIdLength } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import { misspeltIn, orderPartIn, prefixEnd, searchOf, similarTo } from "../../core/journal/SearchKey.ts"
import type { Place } from "../segments/AudienceSql.ts"
import * as Bounds from "./Bounds.ts"

/** How a member is found, in the order of lists. */
export const ranks = { whole: 0, beginning: 1, similar: 2 } as const

export interface Search {
  readonly programs: ReadonlyArray<string>
  /** A text for `searchOf`. */
  readonly wanted: string
  /** Accounts that have, or had before a move, an order of this id. */
  readonly ordered: ReadonlyArray<number>
}

const { text } = PgTypes

/** An id as it is typed, and in the cases in which tills write theirs. */
const spellingsOf = (id: string) => [...new Set([id, id.toUpperCase(), id.toLowerCase()])]

/** The accounts on which an order accrued and to which it was moved. */
const accountsOf = Effect.fnUntraced(function* (
  { claimKey, holders }: Journal["Service"],
  program: string,
  id: string
): Effect.fn.Return<ReadonlyArray<number>, Refused> {
  const accounts: Array<number> = []
  const keys = [ClaimKeys.order(claimKey, program, id)]
  for (const key of keys) {
    const [holder] = yield* Effect.mapError(holders([key]), () => storageUnavailable)
    if (holder === undefined) continue
    accounts.push(holder.account)
    keys.push(ClaimKeys.movedOrder(claimKey, program, id, accounts.length))
  }
  return accounts
})

/** Looks for orders with this id. */
export const searchIn = Effect.fnUntraced(function* (
  journal: Journal["Service"],
  programs: ReadonlyArray<string>,
  wanted: string | undefined
): Effect.fn.Return<Search | undefined, Refused> {
  if (wanted === undefined) return undefined
  const orders =
    wanted.length > maxIdLength ? [] : programs.flatMap((one) => spellingsOf(wanted).map((id) => [one, id] as const))
  const ordered = yield* Effect.forEach(orders, ([program, id]) => accountsOf(journal, program, id))
  return { programs, wanted, ordered: ordered.flat() }
})

/** One more than the bound, to know whether there are more. */
export const foundLimit = Bounds.fewFound + 1
/** A SELECT of all numbers of a SELECT with this limit; null if they are more than `Bounds.fewFound`. */
export const allIfFew = (numbers: string) =>
  `SELECT CASE WHEN count(*) < ${foundLimit} THEN coalesce(array_agg(number), '{}') END AS few FROM (${numbers}) f`
export const Few = optional(Schema.Array(Schema.Number))

const startsWith = (column: string, from: string, until: string) => `${column} >= ${from} AND ${column} < ${until}`
const some = (account: string, from: string, where: string) =>
  `(SELECT ${account} AS number FROM ${from} WHERE ${where} LIMIT ${foundLimit})`
const ofProfiles = (where: string) => some("account", "profiles", `program_id = ANY ($1) AND ${where}`)
/** Accounts, and those that they were merged into. */
const withMerges = (accounts: string) =>
  `SELECT unnest(${accounts}) UNION SELECT into_account FROM rollup_merges WHERE account = ANY (${accounts})`

/**
 * $1: programmes; $2, $3: the prefix and its end; $4, $5: the same for names and addresses; $6: the tsquery for profiles;
 * $7: the tsquery for identities; $8: whole identity values; $9: accounts of orders;
 * $10, $11: $6 and $7 for whole words and numbers.
 */
const fewStatement = `WITH whole AS (
    ${ofProfiles("external_id = $2")}
    UNION ${ofProfiles("name_key = $4")}
    UNION ${ofProfiles("email_key = $4")}
    UNION ${ofProfiles("profile_terms(name_key, phone) @@ $10::tsquery")}
    UNION ${some("account", "members", "identity_terms(identities) @@ $11::tsquery")}
    UNION ${some("account", "members", "identity_values(identities) && $8")}
    UNION ${some("number", "accounts", "program_id = ANY ($1) AND member_id = $2")}
    UNION ${withMerges("$9")}
    LIMIT ${foundLimit}
  ), otherwise AS (
    ${ofProfiles(startsWith("external_id", "$2", "$3"))}
    UNION ${ofProfiles(startsWith("name_key", "$4", "$5"))}
    UNION ${ofProfiles(startsWith("email_key", "$4", "$5"))}
    UNION ${ofProfiles("profile_terms(name_key, phone) @@ $6::tsquery")}
    UNION ${some("account", "members", "identity_terms(identities) @@ $7::tsquery")}
    UNION ${some("account", "members", "identity_values(identities) && $8")}
    UNION ${withMerges("$9")}
    LIMIT ${foundLimit}
  )
  SELECT (${allIfFew("SELECT number FROM whole")}) AS whole, (${allIfFew("SELECT number FROM otherwise")}) AS otherwise,
    (${allIfFew(`SELECT number FROM otherwise
    UNION ${some("number", "accounts", `program_id = ANY ($1) AND ${startsWith("member_id", "$2", "$3")}`)}`)}) AS all`

/** Accounts that a search finds, some perhaps of other programmes; undefined: more than `Bounds.fewFound`. */
const Counted = Schema.Struct({
  /** Those whom it names by a whole id, word of the name, address, number or order id. */
  whole: Few,
  all: Few,
  /** Those found by anything but the beginning of a member id. */
  otherwise: Few
})
const countedRow = oneOf(Counted)

export interface Found extends Omit<typeof Counted.Type, "whole"> {
  /** None if they are more than `Bounds.fewFound`. */
  readonly whole: ReadonlyArray<number>
  /** Those that are found only if the search has a typing error. */
  readonly similar: ReadonlyArray<number>
}

/**
 * $1: programmes; $2: the part, in lower case. Reads the newest orders along the index rollup_orders_at: an index of all
 * ids would cost each order more than the rare search is worth.
 */
const orderPartStatement = `SELECT account FROM (
    SELECT account, program_id, lower(order_id) AS id, at FROM rollup_orders ORDER BY at DESC LIMIT ${Bounds.newestOrders}
  ) o WHERE program_id = ANY ($1) AND (starts_with(id, $2) OR right(id, length($2)) = $2)
  GROUP BY account ORDER BY max(at) DESC, account LIMIT ${Bounds.fewOrdered}`

const accountRows = rowsOf(Schema.Struct({ account: Schema.Number }))
const accountsIn = (rows: ReturnType<Query>) =>
  Effect.map(accountRows(rows), (found) => found.map(({ account }) => account))

/** Accounts with newest orders whose ids begin or end with the search. */
const orderedIn = (query: Query, { programs, wanted }: Search): Effect.Effect<ReadonlyArray<number>, Refused> => {
  const part = orderPartIn(wanted)
  return part === undefined ? Effect.succeed([]) : accountsIn(query(orderPartStatement, [texts(programs), text(part)]))
}

/** $1: terms. The subquery's plan reads the index once for each, whatever their number. */
const knownStatement = `SELECT term FROM unnest($1::text[]) term
  WHERE EXISTS (SELECT FROM profiles WHERE profile_terms(name_key, phone) @@ term::tsquery)`
const termRows = rowsOf(Schema.Struct({ term: Schema.String }))

/** $1: programmes; $2: a tsquery for profiles; $3: accounts that are found otherwise. Of a common name it reads some. */
const similarStatement = `SELECT number AS account
  FROM ${ofProfiles("profile_terms(name_key, phone) @@ $2::tsquery AND account <> ALL ($3)")} f
  ORDER BY number LIMIT ${Bounds.fewSimilar}`

/** Looks for names that a typing error turns into the search. First it asks which of such words there are at all. */
const similarIn = Effect.fnUntraced(function* (
  query: Query,
  { programs, wanted }: Search,
  others: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<number>, Refused> {
  const words = misspeltIn(wanted)
  if (words === undefined) return []
  const asked = [...new Set(words.flatMap(({ terms }) => terms))]
  const known = yield* termRows(query(knownStatement, [texts(asked)]))
  if (known.length === 0) return []
  const terms = similarTo(words, new Set(known.map(({ term }) => term)))
  return yield* accountsIn(query(similarStatement, [texts(programs), text(terms), int8s(others)]))
})

export const few = Effect.fnUntraced(function* (query: Query, search: Search): Effect.fn.Return<Found, Refused> {
  const { programs, wanted } = search
  const { key, number, profile, values, wholeNumber, wholeProfile } = searchOf(wanted)
  const prefixes = [wanted, prefixEnd(wanted), key, prefixEnd(key), profile ?? null, number ?? null]
  const wholes = [wholeProfile ?? null, wholeNumber ?? null]
  const found = yield* countedRow(
    query(fewStatement, [
      texts(programs),
      ...prefixes.map((value) => text(value)),
      texts(values),
      int8s(search.ordered),
      ...wholes.map((value) => text(value))
    ])
  )
  const { all, whole = [] } = found
  if (all === undefined || all.length >= Bounds.fewSimilar) return { ...found, whole, similar: [] }
  // A card that a scanner reads is nobody's order.
  const ordered = whole.length > 0 ? [] : yield* orderedIn(query, search)
  return { ...found, whole, all: [...new Set([...all, ...ordered])], similar: yield* similarIn(query, search, all) }
})

/** True of each row that a search finds: of account `a`, profile `p` and member `m`. */
export const condition = ({ ordered, wanted }: Search, place: Place): string => {
  const { key, number, profile, values } = searchOf(wanted)
  const [prefix, start] = [place(text(wanted)), place(text(key))]
  return `(starts_with(a.member_id, ${prefix}) OR starts_with(p.external_id, ${prefix})
    OR starts_with(p.name_key, ${start}) OR starts_with(p.email_key, ${start})
    OR profile_terms(p.name_key, p.phone) @@ ${place(text(profile ?? null))}::tsquery
    OR identity_terms(m.identities) @@ ${place(text(number ?? null))}::tsquery
    OR a.number = ANY (ARRAY(SELECT account FROM members WHERE identity_values(identities) && ${place(texts(values))}))
    OR a.number = ANY (ARRAY(${withMerges(place(int8s(ordered)))})))`
}

/** True of each row whose personal data was not erased: no search finds the others. */
export const isThere = "NOT EXISTS (SELECT FROM erasures e WHERE e.account = a.number)"
