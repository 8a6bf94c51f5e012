/** The sessions of guests in the database, which all nodes read for each request (migrations/0090_guest_sessions.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, optional, rowsOf } from "../../base/database/Values.ts"
import { type SignedInBy, signedInBy } from "../../contract/guest/Sessions.ts"
import type { Refused } from "../../contract/Refused.ts"
import { MemberStatus } from "../../contract/Values.ts"
import type { AccountNumber } from "../../core/journal/Records.ts"
import * as Bounds from "./Bounds.ts"

const { bytea, text } = PgTypes
type Read<A> = Effect.Effect<A, Refused>

const by = Schema.Literals(signedInBy)

const Found = Schema.Struct({
  account: Schema.Number,
  member: Schema.String,
  status: MemberStatus,
  seenAt: Schema.Number,
  endsAt: Schema.Number,
  by,
  freshUntil: optional(Schema.Number),
  language: optional(Schema.String),
  leavesAt: optional(Schema.Number)
})
export type Found = typeof Found.Type
const foundRow = firstOf(Found)

/** The open session of a hash. A session that began while its guest was erased is none. */
export const find = (query: Query, program: string, hash: Buffer, now: number): Read<Found | undefined> =>
  foundRow(
    query(
      `SELECT s.account, a.member_id AS member, a.status::text AS status, s.seen_at AS "seenAt", s.ends_at AS "endsAt",
          s.signed_in_by AS by, s.fresh_until AS "freshUntil", g.language, g.leaves_at AS "leavesAt"
        FROM guest_sessions s JOIN accounts a ON a.number = s.account LEFT JOIN guest_settings g ON g.account = s.account
        WHERE s.hash = $1 AND s.program_id = $2 AND s.ends_at > $3
          AND NOT EXISTS (SELECT FROM erasures e WHERE e.account = s.account)`,
      [bytea(hash), text(program), int8(now)]
    )
  )

export const saw = (query: Query, hash: Buffer, now: number): Read<void> =>
  Effect.asVoid(query("UPDATE guest_sessions SET seen_at = $2 WHERE hash = $1", [bytea(hash), int8(now)]))

/** Gives a session to the account that remains of a merge. */
export const move = (query: Query, hash: Buffer, account: AccountNumber): Read<void> =>
  Effect.asVoid(query("UPDATE guest_sessions SET account = $2 WHERE hash = $1", [bytea(hash), int8(account)]))

/** Lets a session do what needs a fresh code until then, ms. */
export const freshen = (query: Query, hash: string, until: number): Read<void> =>
  Effect.asVoid(
    query("UPDATE guest_sessions SET fresh_until = $2 WHERE hash = decode($1, 'hex')", [text(hash), int8(until)])
  )

const stayedRow = firstOf(Schema.Struct({ account: Schema.Number }))

/** A guest who signs in stays. True: she was leaving. */
export const stay = (query: Query, account: AccountNumber): Read<boolean> =>
  Effect.map(
    stayedRow(
      query(
        "UPDATE guest_settings SET leaves_at = NULL WHERE account = $1 AND leaves_at IS NOT NULL RETURNING account",
        [int8(account)]
      )
    ),
    (row) => row !== undefined
  )

export interface NewSession {
  readonly hash: Buffer
  readonly program: string
  readonly account: AccountNumber
  readonly by: SignedInBy
  readonly freshUntil: number | undefined
  readonly device: string
  /** ms */
  readonly now: number
}

/** Adds a session. The oldest of its guest end beyond the most that there may be. */
export const insert = (query: Query, { account, by, device, freshUntil, hash, now, program }: NewSession): Read<void> =>
  Effect.asVoid(
    query(
      `WITH surplus AS (
          DELETE FROM guest_sessions WHERE hash IN (
            SELECT hash FROM guest_sessions WHERE account = $3 ORDER BY began_at DESC, hash OFFSET ${Bounds.maxSessions - 1})
        )
        INSERT INTO guest_sessions (hash, program_id, account, began_at, seen_at, ends_at, signed_in_by, fresh_until, device)
          VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)`,
      [
        bytea(hash),
        text(program),
        int8(account),
        int8(now),
        int8(now + Bounds.sessionMs),
        text(by),
        int8(freshUntil ?? null),
        text(device)
      ]
    )
  )

const ListedRow = Schema.Struct({
  hash: Schema.String,
  device: Schema.String,
  beganAt: Schema.Number,
  seenAt: Schema.Number,
  by
})
const listedRows = rowsOf(ListedRow)

/** The open sessions of a guest, newest first. */
export const list = (query: Query, account: AccountNumber, now: number) =>
  listedRows(
    query(
      `SELECT encode(hash, 'hex') AS hash, device, began_at AS "beganAt", seen_at AS "seenAt", signed_in_by AS by
        FROM guest_sessions WHERE account = $1 AND ends_at > $2 ORDER BY began_at DESC, hash`,
      [int8(account), int8(now)]
    )
  )

/** Ends a session of a guest by the part of its hash that names it. */
export const end = (query: Query, account: AccountNumber, session: string): Read<void> =>
  Effect.asVoid(
    query("DELETE FROM guest_sessions WHERE account = $1 AND starts_with(encode(hash, 'hex'), $2)", [
      int8(account),
      text(session)
    ])
  )

const accountRow = firstOf(Schema.Struct({ account: Schema.Number }))

/** Keeps a link. Links that are over go. */
export const insertLink = (query: Query, program: string, account: AccountNumber, hash: Buffer, now: number) =>
  Effect.asVoid(
    query(
      `WITH old AS (DELETE FROM guest_links WHERE until < $5)
        INSERT INTO guest_links (hash, program_id, account, until) VALUES ($1, $2, $3, $4)`,
      [bytea(hash), text(program), int8(account), int8(now + Bounds.linkMs), int8(now)]
    )
  )

/** Spends a link, once on all nodes: the account that it is for; undefined: there is none. */
export const spendLink = (query: Query, program: string, hash: Buffer, now: number): Read<number | undefined> =>
  Effect.map(
    accountRow(
      query("DELETE FROM guest_links WHERE hash = $1 AND program_id = $2 AND until > $3 RETURNING account", [
        bytea(hash),
        text(program),
        int8(now)
      ])
    ),
    (row) => row?.account
  )
