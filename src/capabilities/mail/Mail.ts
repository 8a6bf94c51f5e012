/**
 * E-mail that this service sends (contract/mail.md *Sending*): a mail is put into the database in the transaction of what it tells of,
 * and one node sends it later. So a mail server that is away stops nothing, and nothing is told that did not happen.
 */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, type Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Query } from "../../base/database/Pools.ts"
import { int8, oneOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Bounds from "./Bounds.ts"
import type { Letter } from "./Letter.ts"

/** Kinds of mail, as metrics tell them. */
export const kinds = ["invitation", "guest_code", "guest_email", "guest_leaves"] as const
export type Kind = (typeof kinds)[number]

export interface MailOptions {
  /** `smtp:` or `smtps:`, with the account's name and password. */
  readonly url: Redacted.Redacted
  /** The sender: an address, or a name and an address. */
  readonly from: string
}

/** Undefined: no mail is sent. */
export const CurrentMail = Context.Reference<MailOptions | undefined>("lotbook/capabilities/mail/Mail", {
  defaultValue: () => undefined
})

/** A mail as it is sealed. */
export const Body = Schema.fromJsonString(
  Schema.Struct({
    to: Schema.String,
    subject: Schema.String,
    opening: Schema.Array(Schema.String),
    link: Schema.optionalKey(Schema.Struct({ label: Schema.String, url: Schema.String })),
    code: Schema.optionalKey(Schema.String),
    closing: Schema.Array(Schema.String),
    language: Schema.String,
    /** Absent in mails that a node before 0.4.0 has posted. */
    look: Schema.optionalKey(
      Schema.Struct({
        name: Schema.String,
        colour: Schema.optionalKey(Schema.String),
        program_id: Schema.optionalKey(Schema.String)
      })
    )
  })
)
const encodeBody = Schema.encodeSync(Body)

export interface Posted {
  readonly kind: Kind
  readonly to: string
  readonly letter: Letter
  /** When it is of no use any more, ms. */
  readonly until: number
}

const postStatement = `WITH posted AS (
    INSERT INTO mails (mail_id, kind, sealed, created_at, due_at, until)
      SELECT $1, $2, $3, $4, $4, $5 WHERE (SELECT count(*) FROM (SELECT FROM mails LIMIT $6) w) < $6 RETURNING 1)
  SELECT count(*) = 1 AS posted FROM posted`
const postedRow = oneOf(Schema.Struct({ posted: Schema.Boolean }))

const mostOf = (kind: Kind): number => (kind === "guest_code" ? Bounds.waitingForCodes : Bounds.waiting)

const roomRow = oneOf(Schema.Struct({ hasRoom: Schema.Boolean }))

/** True unless too many mails wait for one of this kind. */
export const hasRoom = (query: Query, kind: Kind) =>
  Effect.map(
    roomRow(query('SELECT count(*) < $1 AS "hasRoom" FROM (SELECT FROM mails LIMIT $1) w', [int8(mostOf(kind))])),
    (row) => row.hasRoom
  )

/** Puts a mail into the database, in the transaction of `query`. False: too many wait, and it is not sent. */
export const post = Effect.fnUntraced(function* (
  query: Query,
  claimKey: ClaimKey,
  { kind, letter: { closing, code, language, link, look, opening, subject }, to, until }: Posted
) {
  const id = randomUUID()
  const body = encodeBody({
    to,
    subject,
    opening,
    closing,
    language,
    look,
    ...(link === undefined ? undefined : { link }),
    ...(code === undefined ? undefined : { code })
  })
  const sealed = Sealed.seal(claimKey, id, body)
  const { posted } = yield* postedRow(
    query(postStatement, [
      PgTypes.uuid(id),
      PgTypes.text(kind),
      PgTypes.bytea(sealed),
      int8(yield* machineNow),
      int8(until),
      int8(mostOf(kind))
    ])
  )
  return posted
})
