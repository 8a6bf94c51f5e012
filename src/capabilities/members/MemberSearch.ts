/** The search of members, for every list (contract/members.md *Searching*). It reads what the journal has committed. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { storageUnavailable } from "../../base/database/Pools.ts"
import { int8s, oneOf, optional, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { maxIdLength } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import { prefixEnd, searchOf } from "../../core/journal/SearchKey.ts"
import type { Place } from "../segments/AudienceSql.ts"
import * as Bounds from "./Bounds.ts"

export interface Search {
  readonly programs: ReadonlyArray<string>
  /** A text for `searchOf`. */
  readonly wanted: string
  /** Accounts that have, or had before a move, an order of this id. */
  readonly ordered: ReadonlyArray<number>
}

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

const { text } = PgTypes

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
 * $7: the tsquery for identities; $8: whole identity values; $9: accounts of orders.
 */
const fewStatement = `WITH otherwise AS (
    ${ofProfiles(startsWith("external_id", "$2", "$3"))}
    UNION ${ofProfiles(startsWith("name_key", "$4", "$5"))}
    UNION ${ofProfiles(startsWith("email_key", "$4", "$5"))}
    UNION ${ofProfiles("profile_terms(name_key, phone) @@ $6::tsquery")}
    UNION ${some("account", "members", "identity_terms(identities) @@ $7::tsquery")}
    UNION ${some("account", "members", "identity_values(identities) && $8")}
    UNION ${withMerges("$9")}
    LIMIT ${foundLimit}
  )
  SELECT (${allIfFew("SELECT number FROM otherwise")}) AS otherwise, (${allIfFew(`SELECT number FROM otherwise
    UNION ${some("number", "accounts", `program_id = ANY ($1) AND ${startsWith("member_id", "$2", "$3")}`)}`)}) AS all`

/** Accounts that a search finds, some perhaps of other programmes; undefined: more than `Bounds.fewFound`. */
const Found = Schema.Struct({
  all: Few,
  /** Those found by anything but the beginning of a member id. */
  otherwise: Few
})
export type Found = typeof Found.Type
const foundRow = oneOf(Found)

export const few = (query: Query, { ordered, programs, wanted }: Search) => {
  const { key, number, profile, values } = searchOf(wanted)
  const prefixes = [wanted, prefixEnd(wanted), key, prefixEnd(key), profile ?? null, number ?? null]
  const parameters = [texts(programs), ...prefixes.map((value) => text(value)), texts(values), int8s(ordered)]
  return foundRow(query(fewStatement, parameters))
}

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
