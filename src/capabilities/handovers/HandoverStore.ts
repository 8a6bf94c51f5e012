/** The rows of work that people hand over. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { HandedOver } from "../../contract/admin/Handovers.ts"
import { handedKinds } from "../../contract/admin/Handovers.ts"
import * as Bounds from "./Bounds.ts"

const { text } = PgTypes

const Row = Schema.Struct({
  handover_id: Schema.String,
  program_id: Schema.String,
  kind: Schema.Literals(handedKinds),
  what: Schema.String,
  reason: Schema.String,
  look: Schema.String,
  user_id: Schema.String,
  handed_by: Schema.String,
  handed_at: Schema.Number,
  ends_at: Schema.Number,
  status: Schema.Literals(["open", "done", "declined"]),
  decided_by: optional(Schema.String),
  decided_at: optional(Schema.Number),
  note: optional(Schema.String)
})
export type Row = typeof Row.Type

const columns = Object.keys(Row.fields).join(", ")
const rows = rowsOf(Row)
const found = firstOf(Row)
const oneRow = oneOf(Row)

/** The work of a row. Only what the contract has decoded is stored. */
export const workOf = ({ what }: Pick<Row, "what">): HandedOver => JSON.parse(what)

/** Names the same work of one person: a campaign, its audience, or the programme. */
const subjectOf = (work: HandedOver): string => (work.type === "program" ? "" : work.campaign_id)

const insertStatement = `INSERT INTO handovers (handover_id, program_id, kind, what, reason, look, user_id, handed_by, subject, handed_at, ends_at, status)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'open') RETURNING ${columns}`

export const insert = (query: Query, row: Omit<Row, "status" | "decided_by" | "decided_at" | "note">) =>
  oneRow(
    query(insertStatement, [
      ...[row.handover_id, row.program_id, row.kind, row.what, row.reason, row.look, row.user_id, row.handed_by].map(
        text
      ),
      text(subjectOf(workOf(row))),
      int8(row.handed_at),
      int8(row.ends_at)
    ])
  )

/** Removes the caller's open one of the same work: the new one takes its place. */
export const removeSame = (
  query: Query,
  { kind, program_id, user_id, what }: Pick<Row, "kind" | "program_id" | "user_id" | "what">
) =>
  query(
    "DELETE FROM handovers WHERE user_id = $1 AND program_id = $2 AND kind = $3 AND subject = $4 AND status = 'open'",
    [text(user_id), text(program_id), text(kind), text(subjectOf(workOf({ what })))]
  )

const openStatement = "SELECT count(*) AS open FROM handovers WHERE user_id = $1 AND status = 'open' AND ends_at > $2"
const openOf = oneOf(Schema.Struct({ open: Schema.Number }))

/** The number of a caller's open ones. Of more at once each may find one less: the bound is no promise. */
export const countOpen = (query: Query, user: string, now: number) =>
  Effect.map(openOf(query(openStatement, [text(user), int8(now)])), ({ open }) => open)

const listStatement = `SELECT ${columns} FROM handovers
  WHERE program_id = ANY ($1) AND handed_at >= $2
    AND (user_id = $3 OR (kind = ANY ($4) AND ends_at > $5 AND status = 'open'))
  ORDER BY n DESC LIMIT ${Bounds.mostListed}`

/** `kinds`: those that the user may put in force. */
export const list = (
  query: Query,
  asked: {
    readonly programs: ReadonlyArray<string>
    readonly user: string
    readonly kinds: ReadonlyArray<string>
    readonly now: number
  }
) =>
  rows(
    query(listStatement, [
      texts(asked.programs),
      int8(asked.now - Bounds.keptMs),
      text(asked.user),
      texts(asked.kinds),
      int8(asked.now)
    ])
  )

export const find = (query: Query, id: string) =>
  found(query(`SELECT ${columns} FROM handovers WHERE handover_id = $1`, [text(id)]))

/** Locks it: a second decision at the same time waits, and finds it decided. */
export const lock = (query: Query, id: string) =>
  found(query(`SELECT ${columns} FROM handovers WHERE handover_id = $1 FOR UPDATE`, [text(id)]))

/** The caller who decides, and when, ms. */
export interface Decider {
  readonly user: string
  readonly name: string
  readonly at: number
}

const decideStatement = `UPDATE handovers SET status = $2, decided_user = $3, decided_by = $4, decided_at = $5, note = $6
  WHERE handover_id = $1 RETURNING ${columns}`

/** Requires: it is locked, and open. */
export const decide = (
  query: Query,
  id: string,
  status: "done" | "declined",
  { at, name, user }: Decider,
  note?: string
) => oneRow(query(decideStatement, [...[id, status, user, name].map(text), int8(at), text(note ?? null)]))

/** Removes those of four weeks ago. */
export const removeOld = (query: Query, now: number) =>
  query("DELETE FROM handovers WHERE handed_at < $1", [int8(now - Bounds.keptMs)])
