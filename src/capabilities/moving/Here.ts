/** Finds members with ids and cards of a plan's guests, and their opening balances. It only reads. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, rowsOf, texts, uuids } from "../../base/database/Values.ts"
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import { openingId } from "./OpeningId.ts"

const holders = rowsOf(Schema.Struct({ key: Schema.String, account: Schema.Number }))
const members = rowsOf(Schema.Struct({ member: Schema.String, account: Schema.Number, own: Schema.Number }))

/** An account that was merged into another one stands for that one. */
const identityStatement = `SELECT i.key::text AS key, coalesce(m.into_account, i.account) AS account
  FROM identities i LEFT JOIN rollup_merges m ON m.account = i.account WHERE i.key = ANY ($1)`
const memberStatement = `SELECT a.member_id AS member, a.number AS own, coalesce(m.into_account, a.number) AS account
  FROM accounts a LEFT JOIN rollup_merges m ON m.account = a.number
  WHERE a.program_id = $1 AND a.member_id = ANY ($2)`
/** The members that accounts contain. Joined to their numbers: with the numbers as a condition, PostgreSQL reads all accounts. */
const containedStatement = `WITH contained AS (
    SELECT number FROM unnest($1::bigint[]) n (number)
    UNION SELECT account FROM rollup_merges WHERE into_account = ANY ($1)
  )
  SELECT a.member_id AS member, a.number AS own, coalesce(m.into_account, a.number) AS account
  FROM contained JOIN accounts a USING (number) LEFT JOIN rollup_merges m ON m.account = a.number`

interface Parts {
  readonly query: Query
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders">
}

/** The member that a guest is, and what collides with its move. */
export interface Here {
  /** The account of the member; undefined: the guest is new. */
  readonly account: number | undefined
  /** The places of cards, among the guest's, that other members have. */
  readonly others: ReadonlyArray<number>
  /** True if an import has posted an opening balance of the member. */
  readonly hasOpening: boolean
}

const keysOf = ({ claimKey }: Parts["journal"], program: string, { external_id, identities }: MovedGuest) => ({
  external:
    external_id === undefined
      ? []
      : [
          ClaimKeys.externalId(claimKey, program, external_id),
          ClaimKeys.identity(claimKey, program, { type: "external", value: external_id })
        ],
  cards: identities.map((identity) => ClaimKeys.identity(claimKey, program, identity))
})

/** The accounts among these whose members have an opening balance. */
const opened = Effect.fnUntraced(function* ({ journal, query }: Parts, program: string, accounts: ReadonlySet<number>) {
  if (accounts.size === 0) return new Set<number>()
  const found = yield* members(query(containedStatement, [int8s([...accounts])]))
  const byKey = new Map(
    found.map(({ account, member, own }) => [
      ClaimKeys.adjustment(journal.claimKey, program, openingId(own, member)),
      account
    ])
  )
  const held = yield* orUnavailable(journal.holders([...byKey.keys()]))
  return new Set(held.flatMap(({ key }) => byKey.get(key) ?? []))
})

/** Looks at some guests, and tells of them in their order. */
export const look = Effect.fnUntraced(function* (parts: Parts, program: string, guests: ReadonlyArray<MovedGuest>) {
  const { query } = parts
  const keys = guests.map((guest) => keysOf(parts.journal, program, guest))
  const held = yield* holders(
    query(identityStatement, [uuids(keys.flatMap(({ cards, external }) => [...external, ...cards]))])
  )
  const ids = guests.flatMap(({ member_id }) => member_id ?? [])
  const named = ids.length === 0 ? [] : yield* members(query(memberStatement, [PgTypes.text(program), texts(ids)]))
  const byKey = new Map(held.map(({ account, key }) => [key, account]))
  const byMember = new Map(named.map(({ account, member }) => [member, account]))
  const owners = guests.map(({ external_id, member_id }, index) => {
    const { cards, external } = keys[index]!
    if (member_id !== undefined && byMember.has(member_id)) return byMember.get(member_id)
    const found = external.map((key) => byKey.get(key)).find((account) => account !== undefined)
    if (found !== undefined || member_id !== undefined || external_id !== undefined) return found
    return cards.map((key) => byKey.get(key)).find((account) => account !== undefined)
  })
  const openings = yield* opened(parts, program, new Set(owners.filter((one) => one !== undefined)))
  return guests.map((_, index): Here => {
    const account = owners[index]
    const others = keys[index]!.cards.flatMap((key, place) => {
      const owner = byKey.get(key)
      return owner === undefined || owner === account ? [] : [place]
    })
    return { account, others, hasOpening: account !== undefined && openings.has(account) }
  })
})
