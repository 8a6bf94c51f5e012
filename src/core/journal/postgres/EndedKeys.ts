/**
 * Learns the idempotency keys with an end of spans that are over (contract/databases.md *Keys*): a span is an era of such keys,
 * and `spans.stamp` its stamp. What is not learnt is looked up in the partitions, so a node that knows nothing answers the same.
 *
 * No key is added to a span that is over: a span begins only after every group in flight has committed. Keys of a span that were
 * dropped stay in a filter until the next start; they cost a look-up each.
 */
import { PgTypes } from "@effect/sql-pg"
import { Cause, Effect, Schema } from "effect"
import { oneOf, rowsOf } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import type { JournalUnavailable } from "../Records.ts"
import { EndedClaims } from "./EndedClaims.ts"
import { learnTable } from "./EraLearning.ts"
import type { Query } from "./Query.ts"

const presentRow = oneOf(Schema.Struct({ span: Schema.Number, stamp: Schema.String, known: Schema.Boolean }))
const presentStatement = `SELECT s.span, s.stamp, EXISTS (SELECT FROM spans k WHERE k.span = $1 AND k.stamp = $2) AS known
  FROM spans s ORDER BY s.span DESC LIMIT 1`

const partRows = rowsOf(Schema.Struct({ span: Schema.Number, file: Schema.Number, pages: Schema.Number }))
/** The spans from $1 on and before $2 that have keys. */
const partsStatement = `SELECT s.span, pg_relation_filenode(part.id)::bigint AS file,
    pg_relation_size(part.id) / current_setting('block_size')::int AS pages
  FROM spans s CROSS JOIN LATERAL (SELECT to_regclass('keys_' || s.span) AS id OFFSET 0) part
  WHERE s.span >= $1 AND s.span < $2 AND part.id IS NOT NULL ORDER BY s.span`
const blockRow = oneOf(Schema.Struct({ bytes: Schema.Number }))

/** Learns the keys of spans that ended since the last run. False: there is no memory for them. */
export const learnEnded = Effect.fnUntraced(function* (
  query: Query,
  ended: EndedClaims
): Effect.fn.Return<boolean, JournalUnavailable> {
  const { known, span, stamp } = yield* presentRow(
    query(presentStatement, [PgTypes.int2(ended.before), PgTypes.uuid(ended.stamp)])
  )
  // A restored backup, or a promoted standby, lacks some of them.
  if (ended.before > 0 && !known) ended.forget()
  const from = ended.before
  if (span <= from) return true
  const parts = partRows(query(partsStatement, [PgTypes.int2(from), PgTypes.int2(span)]))
  const before = yield* parts
  const { bytes } = yield* blockRow(query("SELECT current_setting('block_size')::int AS bytes", []))
  const pages = before.reduce((sum, part) => sum + part.pages, 0)
  const learning = ended.learn((pages * bytes) / Bounds.claimBytes)
  if (learning === undefined) {
    // The filters may have keys that were dropped. The next look learns the others, if there is memory for these.
    ended.forget()
    return from > 0
  }
  for (const part of before) {
    const rows = { table: "keys", where: "span = $3", value: PgTypes.int2(part.span), pages: part.pages } as const
    yield* learnTable(query, learning, rows)
  }
  // VACUUM FULL rewrote a partition during the pass: rows may have moved to pages that were read before.
  const files = (all: typeof before) => all.map(({ file }) => file).join()
  if (files(yield* parts) !== files(before)) return true
  learning.done({ era: span, stamp, began: 0 })
  if (pages > 0)
    yield* Effect.logInfo(
      `Learnt the keys of all spans before ${span}: ${learning.keys()} more in ${Math.ceil(learning.bytes / 1024)} kB`
    )
  return true
})

/** Learns at the start and at intervals until the scope closes. `bytes`: memory of all filters. */
export const make = Effect.fnUntraced(function* (query: Query, bytes = Bounds.keyFilterBytes) {
  const ended = new EndedClaims(bytes)
  let isTold = false
  const learn = Effect.gen(function* () {
    if ((yield* learnEnded(query, ended)) || isTold) return
    isTold = true
    yield* Effect.logWarning("No memory for the keys of spans that are over: every group looks them up in each span")
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logWarning("The keys of spans that are over could not be learnt", cause)
    )
  )
  yield* learn.pipe(Effect.andThen(Effect.sleep(Bounds.spanLookMs)), Effect.forever, Effect.forkScoped)
  return ended
})
