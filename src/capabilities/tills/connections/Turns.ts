/**
 * Transactions about one check take turns, across nodes, and each is written before its command (contract/tills.md *Once only*).
 *
 * The turn is a lease in the check's row, not a lock of PostgreSQL: it holds no connection while commands run, and the statement
 * that takes it writes the transaction as well. Safety does not rest on it. Commands of a transaction have ids of the vendor's
 * ids, and the end of a transaction is written only by the request whose turn it is.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Query } from "../../../base/database/Pools.ts"
import { firstOf, int8, jsonb, optional, rowsOf } from "../../../base/database/Values.ts"
import type { Became } from "../../../contract/admin/Connections.ts"
import type { Refused } from "../../../contract/Refused.ts"
import type { ClaimKey } from "../../../core/journal/Hashing.ts"
import * as Sealed from "../../../desk/surface/Sealed.ts"
import * as Bounds from "./Bounds.ts"
import type { CheckFacts } from "./CheckFacts.ts"
import { State } from "./TransactionStore.ts"
import type { Place, TurnStatements } from "./TurnStatements.ts"

const { bytea, text } = PgTypes

/** An answer as a repeat gets it. `keeps`: the order whose claim code it tells, which is in no table. */
export const Answer = Schema.Struct({
  status: Schema.Number,
  body: Schema.Record(Schema.String, Schema.Unknown),
  keeps: Schema.optionalKey(Schema.String)
})
export type Answer = typeof Answer.Type

/** A transaction as it came. */
export interface Came {
  readonly connection: number
  readonly id: string
  readonly type: string
  readonly check: string | undefined
  readonly restaurant: string | undefined
  /** The body, as UTF-8 of JSON. */
  readonly request: Uint8Array
}

/** Its end. `reason`: why it was refused, or did nothing. */
export interface Ended {
  readonly state: "done" | "refused"
  readonly answer: Answer
  readonly became?: typeof Became.Type | undefined
  readonly reason?: string | undefined
}

const Stored = Schema.Struct({
  n: Schema.Number,
  transaction_id: Schema.String,
  type: Schema.String,
  check_id: optional(Schema.String),
  restaurant: optional(Schema.String),
  state: State,
  request: optional(Schema.Uint8Array),
  answer: optional(Answer)
})
export type Stored = typeof Stored.Type
const storedColumns = "n, transaction_id, type, check_id, restaurant, state, request, answer"
const storedRow = firstOf(Stored)
const storedRows = rowsOf(Stored)

/** The turn on a check. */
export interface Turn extends Place {
  /** The request that has it. */
  readonly holder: string
  readonly facts: CheckFacts
  /** True if transactions of the check have begun before and not ended. */
  readonly hasBegun: boolean
}

/** The owner of what is sealed in transactions. */
const ownerOf = (connection: number): string => `connection ${connection}`

/** The request of a transaction that has not ended. */
export const requestOf = (claimKey: ClaimKey, connection: number, { request }: Stored): Uint8Array | undefined =>
  request && Buffer.from(Sealed.open(claimKey, ownerOf(connection), Buffer.from(request)))

const sealed = (claimKey: ClaimKey, { connection, request }: Came): Buffer =>
  Sealed.seal(claimKey, ownerOf(connection), request)

interface Parts {
  readonly query: Query
  readonly turns: TurnStatements
  readonly claimKey: ClaimKey
  /** The machine's, ms. */
  readonly now: () => number
}

/**
 * Waits for the turn on a check and begins the transaction. `n` undefined: the transaction is known. "waits": the turn did not
 * come in time; "gone": the connection was deleted. Then nothing was written.
 */
export const take = Effect.fnUntraced(function* (
  { claimKey, now, turns }: Parts,
  { check, connection }: Place,
  came?: Came
) {
  const holder = randomUUID()
  const begins =
    came === undefined
      ? undefined
      : { id: came.id, type: came.type, restaurant: came.restaurant, sealed: sealed(claimKey, came) }
  for (let waitedMs = 0; waitedMs < Bounds.waitMs; waitedMs += Bounds.turnPauseMs) {
    const row = yield* turns.take({ connection, check, holder, at: now(), begins })
    if (row === undefined) return "gone" as const
    const { begun: hasBegun, facts, n } = row
    if (facts !== undefined) return { turn: { connection, check, holder, facts, hasBegun } satisfies Turn, n }
    yield* Effect.sleep(Bounds.turnPauseMs)
  }
  return "waits" as const
})

/** Gives the turn back. */
export const leave = (query: Query, { check, connection, holder }: Turn): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query("UPDATE connection_checks SET held_until = 0 WHERE connection = $1 AND check_id = $2 AND holder = $3", [
      int8(connection),
      text(check),
      text(holder)
    ])
  )

/**
 * Ends a transaction, and sets what the check has become. False: the turn has run out, or somebody else has ended it; then
 * nothing is written, and the request that has the turn ends it. `leaves`: gives the turn back.
 */
export const end = (
  { now, turns }: Parts,
  { check, connection, holder }: Turn,
  n: number,
  facts: CheckFacts,
  { answer, became, reason, state }: Ended,
  leaves: boolean
): Effect.Effect<boolean, Refused> =>
  turns.end({ connection, check, holder, n, facts, state, answer, became, reason, leaves, at: now() })

const numbered = firstOf(Schema.Struct({ n: Schema.Number }))

/** A transaction by the vendor's id. */
export const find = (query: Query, connection: number, id: string): Effect.Effect<Stored | undefined, Refused> =>
  storedRow(
    query(`SELECT ${storedColumns} FROM connection_transactions WHERE connection = $1 AND transaction_id = $2`, [
      int8(connection),
      text(id)
    ])
  )

/**
 * Decides that a transaction is refused, unless it has ended, and returns it as it is then; undefined: its connection is gone. It needs no
 * turn: from now on nobody accepts the transaction, and the request that goes on with it undoes it. One that never came does nothing
 * when it comes.
 */
export const refuse = (
  { now, query }: Parts,
  { check, connection, id, restaurant, type }: Omit<Came, "request">,
  answer: Answer,
  reason: string
): Effect.Effect<Stored | undefined, Refused> =>
  Effect.andThen(
    query(
      `INSERT INTO connection_transactions (connection, transaction_id, type, check_id, restaurant, state, answer, reason, at, ended_at)
        SELECT n, $2, $3, $4, $5, 'refused', $6, $8, $7, $7 FROM connections WHERE n = $1
        ON CONFLICT (connection, transaction_id) DO UPDATE SET answer = excluded.answer
          WHERE connection_transactions.state = 'begun' AND connection_transactions.answer IS NULL`,
      [
        int8(connection),
        text(id),
        text(type),
        text(check ?? null),
        text(restaurant ?? null),
        jsonb(answer),
        int8(now()),
        text(reason)
      ]
    ),
    find(query, connection, id)
  )

/** Transactions that have begun before `until` (ms) and not ended. */
export const abandoned = (query: Query, until: number) =>
  rowsOf(Schema.Struct({ ...Stored.fields, connection: Schema.Number }))(
    query(
      `SELECT ${storedColumns}, connection FROM connection_transactions WHERE state = 'begun' AND at < $1
        ORDER BY at LIMIT ${Bounds.roundSize}`,
      [int8(until)]
    )
  )

/** Removes what came before `until`, ms. */
export const remove = (query: Query, until: number): Effect.Effect<void, Refused> =>
  Effect.andThen(
    query("DELETE FROM connection_transactions WHERE at < $1 AND state <> 'begun'", [int8(until)]),
    Effect.asVoid(query("DELETE FROM connection_checks WHERE changed_at < $1 AND held_until < $1", [int8(until)]))
  )

/** The transactions of a check that have not ended, in the order in which they came, without one. */
export const begunOn = (query: Query, { check, connection }: Turn, but: number | undefined) =>
  storedRows(
    query(
      `SELECT ${storedColumns} FROM connection_transactions
        WHERE connection = $1 AND check_id = $2 AND state = 'begun' AND n <> $3 ORDER BY n`,
      [int8(connection), text(check), int8(but ?? 0)]
    )
  )

/** Writes a transaction without a check, unless it is known; undefined: it is, or its connection is gone. */
export const begin = ({ claimKey, now, query }: Parts, came: Came) =>
  Effect.map(
    numbered(
      query(
        `INSERT INTO connection_transactions (connection, transaction_id, type, restaurant, state, request, at)
          SELECT n, $2, $3, $4, 'begun', $5, $6 FROM connections WHERE n = $1 ON CONFLICT (connection, transaction_id) DO NOTHING RETURNING n`,
        [
          int8(came.connection),
          text(came.id),
          text(came.type),
          text(came.restaurant ?? null),
          bytea(sealed(claimKey, came)),
          int8(now())
        ]
      )
    ),
    (row) => row?.n
  )

/** Ends a transaction without a check. */
export const endAlone = (
  { now, query }: Parts,
  n: number,
  { answer, became, reason, state }: Ended
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE connection_transactions SET state = $2, request = NULL, answer = $3, became = $4, reason = $5, ended_at = $6
        WHERE n = $1 AND state = 'begun'`,
      [int8(n), text(state), jsonb(answer), jsonb(became ?? null), text(reason ?? null), int8(now())]
    )
  )

/** Writes a transaction that has ended already, such as one that was refused before anything began. */
export const note = (
  { now, query }: Parts,
  came: Omit<Came, "request">,
  { answer, reason, state }: Ended
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO connection_transactions (connection, transaction_id, type, check_id, restaurant, state, answer, reason, at, ended_at)
        SELECT n, $2, $3, $4, $5, $6, $7, $8, $9, $9 FROM connections WHERE n = $1 ON CONFLICT (connection, transaction_id) DO NOTHING`,
      [
        int8(came.connection),
        text(came.id),
        text(came.type),
        text(came.check ?? null),
        text(came.restaurant ?? null),
        text(state),
        jsonb(answer),
        text(reason ?? null),
        int8(now())
      ]
    )
  )

/** Keeps the id of a transaction that never came, so that it will do nothing; false: it has come meanwhile, or the connection is gone. */
export const keep = ({ now, query }: Parts, connection: number, id: string): Effect.Effect<boolean, Refused> =>
  Effect.map(
    numbered(
      query(
        `INSERT INTO connection_transactions (connection, transaction_id, type, state, reason, at)
          SELECT n, $2, 'UNKNOWN', 'kept', 'A reversal named it before it came.', $3 FROM connections WHERE n = $1
          ON CONFLICT (connection, transaction_id) DO NOTHING RETURNING n`,
        [int8(connection), text(id), int8(now())]
      )
    ),
    (row) => row !== undefined
  )
