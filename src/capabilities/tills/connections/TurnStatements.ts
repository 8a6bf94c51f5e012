/** Statements of turns, each for the checks of many requests (migrations/0047_connections.sql). They lock checks in one order. */
import { Effect, Schema } from "effect"
import * as Groups from "../../../base/concurrency/Groups.ts"
import type { Query } from "../../../base/database/Pools.ts"
import { bools, byteas, int8s, jsonbs, optional, rowsOf, texts } from "../../../base/database/Values.ts"
import type { Became } from "../../../contract/admin/Connections.ts"
import type { Refused } from "../../../contract/Refused.ts"
import * as Bounds from "./Bounds.ts"
import { CheckFacts } from "./CheckFacts.ts"

/** A check of a connection. */
export interface Place {
  readonly connection: number
  readonly check: string
}

/** A request that asks for the turn on a check. */
interface Taking extends Place {
  readonly holder: string
  /** ms. */
  readonly at: number
  /** The transaction to begin; undefined: none. */
  readonly begins:
    | {
        readonly id: string
        readonly type: string
        readonly restaurant: string | undefined
        readonly sealed: Uint8Array
      }
    | undefined
}

const TakenRow = Schema.Struct({
  place: Schema.Number,
  /** Undefined: the turn is another request's. */
  facts: optional(CheckFacts),
  /** Undefined: the transaction is known. */
  n: optional(Schema.Number),
  /** True if transactions of the check have begun before and not ended. */
  begun: Schema.Boolean
})
const takenRows = rowsOf(TakenRow)

/** Of rows about one check the first takes the turn. A connection that is gone has no row. */
const takeStatement = `WITH asked AS (
    SELECT a.* FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[])
      WITH ORDINALITY AS a (connection, check_id, holder, at, id, type, restaurant, request, place)
      WHERE EXISTS (SELECT FROM connections c WHERE c.n = a.connection)
  ), first AS (
    SELECT DISTINCT ON (connection, check_id) * FROM asked ORDER BY connection, check_id, place
  ), turn AS (
    INSERT INTO connection_checks AS c (connection, check_id, holder, held_until, changed_at)
      SELECT connection, check_id, holder, at + ${Bounds.turnMs}, at FROM first ORDER BY connection, check_id
    ON CONFLICT (connection, check_id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
      WHERE c.held_until <= excluded.changed_at
    RETURNING c.connection, c.check_id, c.facts
  ), made AS (
    INSERT INTO connection_transactions AS t (connection, transaction_id, type, check_id, restaurant, state, request, at)
      SELECT connection, id, type, check_id, restaurant, 'begun', request, at FROM first JOIN turn USING (connection, check_id)
        WHERE id IS NOT NULL ORDER BY place
    ON CONFLICT (connection, transaction_id) DO NOTHING RETURNING t.connection, t.check_id, t.n
  )
  SELECT a.place, turn.facts, made.n, EXISTS (
      SELECT FROM connection_transactions t WHERE t.connection = a.connection AND t.check_id = a.check_id AND t.state = 'begun'
    ) AS begun
  FROM asked a LEFT JOIN first ON first.place = a.place
    LEFT JOIN turn ON turn.connection = first.connection AND turn.check_id = first.check_id
    LEFT JOIN made ON made.connection = turn.connection AND made.check_id = turn.check_id`

/** The end of a transaction by the request that has the turn on its check. */
interface Ending extends Place {
  readonly holder: string
  /** Number of the transaction. */
  readonly n: number
  readonly facts: CheckFacts
  readonly state: "done" | "refused"
  readonly answer: object
  readonly became: typeof Became.Type | undefined
  readonly reason: string | undefined
  /** True if the turn ends with it. */
  readonly leaves: boolean
  /** ms. */
  readonly at: number
}

const endedRows = rowsOf(Schema.Struct({ n: Schema.Number }))

/**
 * The turn is looked at first, under a lock that keeps it; then the transaction ends, unless it was decided meanwhile that it is
 * refused; only then the check changes.
 */
const endStatement = `WITH asked AS (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::jsonb[], $6::text[], $7::jsonb[], $8::jsonb[], $9::text[],
      $10::boolean[], $11::bigint[]) AS a (connection, check_id, holder, n, facts, state, answer, became, reason, leaves, at)
  ), own AS (
    SELECT a.n FROM asked a JOIN connection_checks c ON c.connection = a.connection AND c.check_id = a.check_id AND c.holder = a.holder
      ORDER BY c.connection, c.check_id FOR UPDATE OF c
  ), ended AS (
    UPDATE connection_transactions t
      SET state = a.state, request = NULL, answer = a.answer, became = a.became, reason = a.reason, ended_at = a.at
      FROM asked a JOIN own ON own.n = a.n
      WHERE t.n = a.n AND t.state = 'begun' AND (t.answer IS NULL OR a.state = 'refused')
      RETURNING t.n
  )
  UPDATE connection_checks c
    SET facts = a.facts, changed_at = a.at, held_until = CASE WHEN a.leaves THEN 0 ELSE c.held_until END
    FROM asked a JOIN ended ON ended.n = a.n WHERE c.connection = a.connection AND c.check_id = a.check_id RETURNING a.n`

const factsRows = rowsOf(Schema.Struct({ place: Schema.Number, facts: CheckFacts }))

const factsStatement = `SELECT a.place, c.facts FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS a (connection, check_id, place)
  JOIN connection_checks c ON c.connection = a.connection AND c.check_id = a.check_id`

const grouped = <Row, Result>(run: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Result>, Refused>) =>
  Groups.make({ run, inFlight: Bounds.groupsInFlight, size: Bounds.groupSize })

type Taken = Omit<typeof TakenRow.Type, "place">

export interface TurnStatements {
  /** Takes turns, and begins transactions. Undefined: the connection is gone. */
  readonly take: (asked: Taking) => Effect.Effect<Taken | undefined, Refused>
  /** Ends transactions. False: the turn has run out, or somebody else has ended it; then nothing is written. */
  readonly end: (asked: Ending) => Effect.Effect<boolean, Refused>
  /** Facts of checks, without their turns. */
  readonly facts: (asked: Place) => Effect.Effect<CheckFacts, Refused>
}

export const make = Effect.fnUntraced(function* (query: Query): Effect.fn.Return<TurnStatements> {
  const keys = (rows: ReadonlyArray<Place>) => [
    int8s(rows.map(({ connection }) => connection)),
    texts(rows.map(({ check }) => check))
  ]

  /** Rows by the places of those that were asked for, from 1 on. */
  const byPlace = <Found extends { readonly place: number }>(
    found: ReadonlyArray<Found>,
    { length }: { length: number }
  ) => {
    const all = new Map(found.map((row) => [row.place, row]))
    return Array.from({ length }, (_, index) => all.get(index + 1))
  }

  const take = yield* grouped((rows: ReadonlyArray<Taking>) =>
    Effect.map(
      takenRows(
        query(takeStatement, [
          ...keys(rows),
          texts(rows.map(({ holder }) => holder)),
          int8s(rows.map(({ at }) => at)),
          texts(rows.map(({ begins }) => begins?.id ?? null)),
          texts(rows.map(({ begins }) => begins?.type ?? null)),
          texts(rows.map(({ begins }) => begins?.restaurant ?? null)),
          byteas(rows.map(({ begins }) => begins?.sealed ?? null))
        ])
      ),
      (found) => byPlace(found, rows)
    )
  )

  const end = yield* grouped((rows: ReadonlyArray<Ending>) =>
    Effect.map(
      endedRows(
        query(endStatement, [
          ...keys(rows),
          texts(rows.map(({ holder }) => holder)),
          int8s(rows.map(({ n }) => n)),
          jsonbs(rows.map(({ facts }) => facts)),
          texts(rows.map(({ state }) => state)),
          jsonbs(rows.map(({ answer }) => answer)),
          jsonbs(rows.map(({ became }) => became)),
          texts(rows.map(({ reason }) => reason ?? null)),
          bools(rows.map(({ leaves }) => leaves)),
          int8s(rows.map(({ at }) => at))
        ])
      ),
      (found) => {
        const all = new Set(found.map(({ n }) => n))
        return rows.map(({ n }) => all.has(n))
      }
    )
  )

  const facts = yield* grouped((rows: ReadonlyArray<Place>) =>
    Effect.map(factsRows(query(factsStatement, keys(rows))), (found) =>
      byPlace(found, rows).map((row): CheckFacts => row?.facts ?? {})
    )
  )

  return { take, end, facts }
})
