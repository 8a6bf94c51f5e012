/** The rows of gifts that people ask others for. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { AskedGift } from "../../contract/admin/Asks.ts"
import * as Bounds from "./Bounds.ts"

const { bool, text } = PgTypes

const Row = Schema.Struct({
  ask_id: Schema.String,
  program_id: Schema.String,
  member_id: Schema.String,
  gift: Schema.String,
  reason: Schema.String,
  look: Schema.String,
  user_id: Schema.String,
  asked_by: Schema.String,
  asked_at: Schema.Number,
  ends_at: Schema.Number,
  status: Schema.Literals(["open", "doing", "done", "declined"]),
  decided_by: optional(Schema.String),
  decided_at: optional(Schema.Number),
  note: optional(Schema.String)
})
export type Row = typeof Row.Type

const columns = Object.keys(Row.fields).join(", ")
const rows = rowsOf(Row)
const found = firstOf(Row)
const oneRow = oneOf(Row)

/** The gift that a row asks for. Only what the contract has decoded is stored. */
export const giftOf = ({ gift }: Row): AskedGift => JSON.parse(gift)

const insertStatement = `INSERT INTO asks (ask_id, program_id, member_id, gift, reason, look, user_id, asked_by, asked_at, ends_at, status)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open') RETURNING ${columns}`

export const insert = (query: Query, row: Omit<Row, "status" | "decided_by" | "decided_at" | "note">) =>
  oneRow(
    query(insertStatement, [
      ...[row.ask_id, row.program_id, row.member_id, row.gift, row.reason, row.look, row.user_id, row.asked_by].map(
        text
      ),
      int8(row.asked_at),
      int8(row.ends_at)
    ])
  )

const openStatement = "SELECT count(*) AS open FROM asks WHERE user_id = $1 AND status = 'open' AND ends_at > $2"
const openOf = oneOf(Schema.Struct({ open: Schema.Number }))

/** The number of a caller's open questions. Of more at once each may find one less: the bound is no promise. */
export const countOpen = (query: Query, user: string, now: number) =>
  Effect.map(openOf(query(openStatement, [text(user), int8(now)])), ({ open }) => open)

const listStatement = `SELECT ${columns} FROM asks
  WHERE program_id = ANY ($1) AND asked_at >= $2
    AND (user_id = $3 OR ($4 AND ends_at > $5 AND status IN ('open', 'doing')))
  ORDER BY n DESC LIMIT ${Bounds.mostListed}`

/** `ofOthers`: with the open ones of others. */
export const list = (
  query: Query,
  asked: {
    readonly programs: ReadonlyArray<string>
    readonly user: string
    readonly ofOthers: boolean
    readonly now: number
  }
) =>
  rows(
    query(listStatement, [
      texts(asked.programs),
      int8(asked.now - Bounds.keptMs),
      text(asked.user),
      bool(asked.ofOthers),
      int8(asked.now)
    ])
  )

export const find = (query: Query, ask: string) =>
  found(query(`SELECT ${columns} FROM asks WHERE ask_id = $1`, [text(ask)]))

/** The caller who decides, and when, ms. */
export interface Decider {
  readonly user: string
  readonly name: string
  readonly at: number
}

const beginStatement = `UPDATE asks SET status = 'doing', decided_user = $2, decided_by = $3, decided_at = $4
  WHERE ask_id = $1 AND ((status = 'open' AND ends_at > $4)
    OR (status = 'doing' AND (decided_user = $2 OR decided_at < $4 - ${Bounds.doingMs})))
  RETURNING ${columns}`

const decidedBy = (ask: string, { at, name, user }: Decider) => [text(ask), text(user), text(name), int8(at)]

/** Takes an open question to be given by this caller, or one that somebody was killed over. Undefined: it is neither. */
export const begin = (query: Query, ask: string, by: Decider) => found(query(beginStatement, decidedBy(ask, by)))

/** The gift is given. Undefined: another call has said so before. */
export const end = (query: Query, ask: string) =>
  found(
    query(`UPDATE asks SET status = 'done' WHERE ask_id = $1 AND status = 'doing' RETURNING ${columns}`, [text(ask)])
  )

/** It was refused to this caller: others may give it. */
export const reopen = (query: Query, ask: string, { user }: Decider) =>
  query(
    `UPDATE asks SET status = 'open', decided_user = NULL, decided_by = NULL, decided_at = NULL
      WHERE ask_id = $1 AND status = 'doing' AND decided_user = $2`,
    [text(ask), text(user)]
  )

const declineStatement = `UPDATE asks SET status = 'declined', decided_user = $2, decided_by = $3, decided_at = $4, note = $5
  WHERE ask_id = $1 AND status = 'open' RETURNING ${columns}`

/** Undefined: it is not open. */
export const decline = (query: Query, ask: string, by: Decider, note: string) =>
  found(query(declineStatement, [...decidedBy(ask, by), text(note)]))

/** Removes questions that are a week old. */
export const removeOld = (query: Query, now: number) =>
  query("DELETE FROM asks WHERE asked_at < $1", [int8(now - Bounds.keptMs)])
