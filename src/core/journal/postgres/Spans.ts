/**
 * Spans of the journal: when the next one begins, and the partitions ahead of it (contract/databases.md *Spans*).
 *
 * Every node asks at intervals. PostgreSQL's functions decide under the lock that groups share, so nodes cannot disagree.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Effect, Schema } from "effect"
import { oneOf } from "../../../base/database/Values.ts"
import * as Series from "../../../base/metrics/Series.ts"
import * as Bounds from "../Bounds.ts"
import type { Query } from "./Query.ts"

/** Partitions that should be there for spans to come. */
const spansAhead = 2

const beganRow = oneOf(Schema.Struct({ before: Schema.Number, present: Schema.Number }))
const aheadRow = oneOf(Schema.Struct({ ahead: Schema.Number, archived: Schema.Number, unsealed: Schema.Number }))

/** The span before and after. */
const beginStatement = (byHand: boolean) =>
  `SELECT i.span AS before, begin_span(${byHand}) AS present FROM installation i`
const prepareStatement = "SELECT prepare_spans()"
/** Keys with an end go to a table of their own from then on (contract/databases.md *Keys*). */
const partStatement = "SELECT part_keys()"

/** Begins a span whatever the month is. The same span before and after: there is no partition for another one. */
export const beginByHand = (connection: PgConnection.PgConnection) =>
  Effect.andThen(connection.query(prepareStatement), beganRow(connection.query(beginStatement(true)))).pipe(
    Effect.tap(connection.query(prepareStatement))
  )

/** Partitions that are there for spans to come, spans that are over and have no seal, and those that lie in files. */
const aheadStatement = `SELECT i.span - 1 - coalesce((SELECT max(s.span) FROM seals s), -1) AS unsealed,
    (SELECT count(*) FROM archived_spans) AS archived,
    (SELECT count(*) FROM generate_series(1, ${spansAhead}) n
      WHERE to_regclass('journal_' || i.span + n) IS NOT NULL AND to_regclass('keys_' || i.span + n) IS NOT NULL) AS ahead
  FROM installation i`

/** Begins a span and makes partitions ahead where it is time to, until the scope closes. */
export const make = Effect.fnUntraced(function* (query: Query) {
  let missing = Number.NaN
  yield* Series.gauge(
    "lotbook_journal_missing_spans",
    { description: "Partitions for spans to come that could not be made, of two; without any, none begins" },
    () => missing
  )
  let unsealed = Number.NaN
  yield* Series.gauge(
    "lotbook_journal_unsealed_spans",
    { description: "Spans that are over and not sealed yet" },
    () => unsealed
  )
  let archived = Number.NaN
  yield* Series.gauge(
    "lotbook_journal_archived_spans",
    { description: "Spans that lie in files, and not in the database" },
    () => archived
  )
  const look = Effect.gen(function* () {
    const { before, present } = yield* beganRow(query(beginStatement(false), []))
    if (present !== before) yield* Effect.logInfo(`Span ${present} of the journal has begun`)
    yield* Effect.ensuring(
      query(prepareStatement, []),
      Effect.ignore(
        Effect.map(aheadRow(query(aheadStatement, [])), (found) => {
          missing = spansAhead - found.ahead
          unsealed = found.unsealed
          archived = found.archived
        })
      )
    )
    yield* query(partStatement, [])
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logWarning("The journal's spans could not be looked after", cause)
    )
  )
  yield* look.pipe(Effect.andThen(Effect.sleep(Bounds.spanLookMs)), Effect.forever, Effect.forkScoped)
})
