/** Codes of guests in the database (migrations/0091_guest_codes.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "../../base/database/Locks.ts"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { AccountNumber, Hash128 } from "../../core/journal/Records.ts"
import { searchKey } from "../../core/journal/SearchKey.ts"
import * as Bounds from "./Bounds.ts"
import type { Contact } from "./Contact.ts"

const { bytea, text, uuid } = PgTypes
type Read<A> = Effect.Effect<A, Refused>

/** PostgreSQL's time, ms. */
const databaseMs = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"

/** The use of a code. */
export interface Use {
  readonly program: string
  readonly purpose: "sign_in" | "fresh" | "email"
  /** The guest; undefined: nobody is signed in yet. */
  readonly account: AccountNumber | undefined
}

const keyOf = ({ account, program, purpose }: Use, request: Buffer) => [
  bytea(request),
  text(program),
  text(purpose),
  int8(account ?? null)
]
const isOf = "request = $1 AND program_id = $2 AND purpose = $3 AND account IS NOT DISTINCT FROM $4"

/** Keeps a code that is asked for. Some that are over go. */
export const insert = (
  query: Query,
  use: Use,
  request: Buffer,
  code: Hash128,
  sealed: Buffer,
  now: number
): Read<void> =>
  Effect.asVoid(
    query(
      `WITH old AS (DELETE FROM guest_codes WHERE request IN (
          SELECT request FROM guest_codes WHERE until < $8 LIMIT ${Bounds.swept} FOR UPDATE SKIP LOCKED))
        INSERT INTO guest_codes (request, program_id, purpose, account, code, sealed, until)
          VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [...keyOf(use, request), uuid(code), bytea(sealed), int8(now + Bounds.codeMs), int8(now)]
    )
  )

const Entered = Schema.Struct({ isRight: Schema.Boolean, sealed: Schema.Uint8Array })
const enteredRow = firstOf(Entered)

/**
 * Looks at a code, in one statement, so that no two nodes look at more than there may be. Undefined: nothing was asked for, it
 * is over, or too many were wrong. A right code stays right until what it is for is done.
 */
export const enter = (query: Query, use: Use, request: Buffer, code: Hash128, now: number) =>
  enteredRow(
    query(
      `UPDATE guest_codes SET tries = tries + CASE WHEN code = $5 THEN 0 ELSE 1 END, is_right = is_right OR code = $5,
          until = CASE WHEN code = $5 THEN $6 + ${Bounds.codeMs} ELSE until END
        WHERE ${isOf} AND until > $6 AND tries < ${Bounds.codeTries}
        RETURNING code = $5 AS "isRight", sealed`,
      [...keyOf(use, request), uuid(code), int8(now)]
    )
  )

/** A request whose code was right; undefined: there is none. */
export const right = (query: Query, use: Use, request: Buffer, now: number) =>
  enteredRow(
    query(`SELECT is_right AS "isRight", sealed FROM guest_codes WHERE ${isOf} AND is_right AND until > $5`, [
      ...keyOf(use, request),
      int8(now)
    ])
  )

const spentRow = firstOf(Schema.Struct({ is_right: Schema.Boolean }))

/** Spends a right code, once on all nodes: in the transaction of what it is for. False: somebody else has. */
export const spend = (query: Query, use: Use, request: Buffer): Read<boolean> =>
  Effect.map(
    spentRow(query(`DELETE FROM guest_codes WHERE ${isOf} AND is_right RETURNING is_right`, keyOf(use, request))),
    (row) => row !== undefined
  )

/** Lets sign-ins of an address come one after the other, until the transaction ends: two could make two guests. */
export const holdAddress = (query: Query, program: string, { address }: Contact): Read<void> =>
  Effect.asVoid(
    query(`SELECT pg_advisory_xact_lock(${Locks.guests}, hashtext($1))`, [text(JSON.stringify([program, address]))])
  )

const GuestRow = Schema.Struct({
  account: Schema.Number,
  member: Schema.String,
  name: optional(Schema.String),
  /** ms */
  joined: Schema.Number,
  card: optional(Schema.String)
})
export type GuestRow = typeof GuestRow.Type
const guestRows = rowsOf(GuestRow)

/** Profiles of an address by its index. $2: how the index has it; $3: the address. */
const profilesOf = {
  email: "email_key = $2 AND lower(email) = lower($3)",
  phone: "profile_terms(name_key, phone) @@ $2::tsquery AND phone = $3"
} as const

const indexed = ({ address, kind }: Contact): string =>
  kind === "email" ? searchKey(address) : `d${[...address.replace(/\D/g, "")].reverse().join("")}`

/** The guests of an address, of an e-mail address in any case, and the account that has its hash; the oldest first. */
export const guestsOf = (query: Query, program: string, contact: Contact, known: AccountNumber | undefined) =>
  guestRows(
    query(
      `SELECT a.number AS account, a.member_id AS member, p.display_name AS name, a.joined_at AS joined, (
            SELECT i ->> 'value' FROM jsonb_array_elements(m.identities) i WHERE i ->> 'type' = 'loyalty_id' LIMIT 1) AS card
          FROM accounts a LEFT JOIN profiles p ON p.account = a.number LEFT JOIN members m ON m.account = a.number
          WHERE a.program_id = $1 AND a.number = ANY (ARRAY(
              SELECT account FROM profiles WHERE program_id = $1 AND ${profilesOf[contact.kind]}) || $4::bigint)
            AND NOT EXISTS (SELECT FROM erasures e WHERE e.account = a.number)
          ORDER BY a.joined_at, a.number LIMIT ${Bounds.maxChoice}`,
      [text(program), text(indexed(contact)), text(contact.address), int8(known ?? null)]
    )
  )

export const setLanguage = (query: Query, account: AccountNumber, language: string): Read<void> =>
  Effect.asVoid(
    query("INSERT INTO guest_settings (account, language) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING", [
      int8(account),
      text(language)
    ])
  )

/** A code to the address was entered by the guest: from then on campaigns mail there (contract/engagement.md *Mails of campaigns*). */
export const confirm = (query: Query, account: AccountNumber, { address, kind }: Contact): Read<void> =>
  kind === "email"
    ? Effect.asVoid(
        query(
          `INSERT INTO confirmed_addresses (account, address) SELECT $1, address_hash($2)
            WHERE NOT EXISTS (SELECT FROM erasures WHERE account = $1) ON CONFLICT DO NOTHING`,
          [int8(account), text(address)]
        )
      )
    : Effect.void

const leavesRow = oneOf(Schema.Struct({ leavesAt: Schema.Number }))

/** Notes when a guest is erased; an earlier note stays. Returns when, ms. */
export const leave = (query: Query, account: AccountNumber, until: number): Read<number> =>
  Effect.map(
    leavesRow(
      query(
        `INSERT INTO guest_settings AS s (account, leaves_at) VALUES ($1, $2) ON CONFLICT (account)
          DO UPDATE SET leaves_at = coalesce(s.leaves_at, excluded.leaves_at) RETURNING leaves_at AS "leavesAt"`,
        [int8(account), int8(until)]
      )
    ),
    ({ leavesAt }) => leavesAt
  )

const LeavingRow = Schema.Struct({ account: Schema.Number, program: Schema.String, member: Schema.String })
export type Leaving = typeof LeavingRow.Type
const leavingRows = rowsOf(LeavingRow)

/** Guests whose time to come back is over. */
export const leaving = (query: Query, now: number) =>
  leavingRows(
    query(
      `SELECT a.number AS account, a.program_id AS program, a.member_id AS member
        FROM guest_settings s JOIN accounts a ON a.number = s.account
        WHERE s.leaves_at <= $1 ORDER BY s.leaves_at LIMIT ${Bounds.leavingAtOnce}`,
      [int8(now)]
    )
  )

/** Puts off the erasure of a guest, unless she has come back. */
export const leaveLater = (query: Query, account: AccountNumber, at: number): Read<void> =>
  Effect.asVoid(
    query("UPDATE guest_settings SET leaves_at = $2 WHERE account = $1 AND leaves_at IS NOT NULL", [
      int8(account),
      int8(at)
    ])
  )

const goneRow = oneOf(Schema.Struct({ most: Schema.Number }))
const over = (table: string, key: string, isOver: string) =>
  `DELETE FROM ${table} WHERE ${key} IN (
    SELECT ${key} FROM ${table} WHERE ${isOver} LIMIT ${Bounds.removedAtOnce} FOR UPDATE SKIP LOCKED) RETURNING 1`

/** Removes sessions, links, codes and counts that are over. True: others may be left. */
export const removeOver = (query: Query, now: number): Read<boolean> =>
  Effect.map(
    goneRow(
      query(
        `WITH sessions AS (${over("guest_sessions", "hash", "ends_at <= $1")}),
            links AS (${over("guest_links", "hash", "until <= $1")}),
            codes AS (${over("guest_codes", "request", "until <= $1")}),
            counts AS (${over("guest_counts", "key", `began <= ${databaseMs} - ${Bounds.countMs}`)})
          SELECT greatest((SELECT count(*) FROM sessions), (SELECT count(*) FROM links), (SELECT count(*) FROM codes),
            (SELECT count(*) FROM counts)) AS most`,
        [int8(now)]
      )
    ),
    ({ most }) => most >= Bounds.removedAtOnce
  )
