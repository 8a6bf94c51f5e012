/** Deliveries and replays as the routes read and ask for them (migrations/0016_webhooks.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Delivery } from "../../contract/platform/Deliveries.ts"
import { DeliveryStatus } from "../../contract/platform/Deliveries.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"

const { text } = PgTypes

const statement = `SELECT d.* FROM unnest($2::text[]) AS wanted(status), LATERAL (
    SELECT n, event_id, event_type, d.status, attempts, next_at, last_answer FROM deliveries d
      WHERE connector = $1 AND d.status = wanted.status AND ($3 IS NULL OR n < $3) ORDER BY n DESC LIMIT $4
  ) d ORDER BY n DESC LIMIT $4`

const rows = rowsOf(
  Schema.Struct({
    n: Schema.Number,
    event_id: Schema.String,
    event_type: Schema.String,
    status: DeliveryStatus,
    attempts: Schema.Array(
      Schema.Struct({
        at: Schema.Number,
        status: Schema.optionalKey(Schema.Number),
        duration_ms: Schema.Number,
        error: Schema.optionalKey(Schema.String)
      })
    ),
    next_at: optional(Schema.Number),
    last_answer: optional(Schema.String)
  })
)

interface Wanted {
  /** The number of the connector. */
  readonly connector: number
  readonly status: DeliveryStatus | undefined
  /** `n` of the previous page's last delivery. */
  readonly before: number | undefined
  readonly limit: number
}

/** A page of deliveries, newest first. */
export const list = (
  query: Query,
  { before, connector, limit, status }: Wanted
): Effect.Effect<ReadonlyArray<{ readonly n: number; readonly delivery: Delivery }>, Refused> => {
  const statuses = status === undefined ? DeliveryStatus.literals : [status]
  return Effect.map(
    rows(query(statement, [int8(connector), texts(statuses), int8(before ?? null), int8(limit)])),
    (found) =>
      found.map(({ attempts, last_answer, n, next_at, ...facts }) => ({
        n,
        delivery: {
          ...facts,
          attempts: attempts.map(({ at, ...attempt }) => ({ at: fromMillis(at), ...attempt })),
          ...(next_at === undefined ? undefined : { next_attempt_at: fromMillis(next_at) }),
          ...(last_answer === undefined ? undefined : { last_answer })
        }
      }))
  )
}

/** Has the deliveries of a connector that wait tried at once: who delivers reads them anew. Requires: a transaction. */
export const tryNow = (query: Query, connector: number): Effect.Effect<void, Refused> =>
  Effect.andThen(
    // In the order in which progress is written.
    query("UPDATE connectors SET changes = changes + 1 WHERE n = $1", [int8(connector)]),
    Effect.asVoid(
      query(
        "UPDATE deliveries SET next_at = NULL WHERE connector = $1 AND status = 'pending' AND next_at IS NOT NULL",
        [int8(connector)]
      )
    )
  )

const missingRows = rowsOf(Schema.Struct({ id: Schema.String }))

/** Those of the events that a connector has no delivery of. */
export const missing = (query: Query, connector: number, ids: ReadonlyArray<string>) =>
  Effect.map(
    missingRows(
      query(
        `SELECT id FROM unnest($2::text[]) AS asked(id)
          EXCEPT SELECT event_id FROM deliveries WHERE connector = $1 AND event_id = ANY($2::text[])`,
        [int8(connector), texts(ids)]
      )
    ),
    (found) => found.map(({ id }) => id)
  )

const countRow = oneOf(Schema.Struct({ count: Schema.Number }))

/** The number of a connector's replays that are not done. */
export const countReplays = (query: Query, connector: number): Effect.Effect<number, Refused> =>
  Effect.map(
    countRow(query("SELECT count(*) AS count FROM replays WHERE connector = $1", [int8(connector)])),
    ({ count }) => count
  )

/** Asks for a replay: of events between two places, or of those with these ids. */
export const addReplay = (
  query: Query,
  connector: number,
  range: { readonly place: string; readonly until: string } | undefined,
  ids: ReadonlyArray<string> | undefined
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query("INSERT INTO replays (connector, place, until, event_ids) VALUES ($1, $2, $3, $4::text[])", [
      int8(connector),
      text(range?.place ?? null),
      text(range?.until ?? null),
      range === undefined ? texts(ids ?? []) : text(null)
    ])
  )
