/**
 * Learns the idempotency keys with an end of spans that are over (contract/databases.md *Keys*): a span is an era of such keys,
 * and `spans.stamp` its stamp. What is not learnt is looked up in the partitions, so a node that knows nothing answers the same.
 *
 * No key is added to a span that is over: a span begins only after every group in flight has committed.
 */
import { PgTypes } from "@effect/sql-pg"
import { Cause, Effect, Schema } from "effect"
import { oneOf, rowsOf } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import type { JournalUnavailable } from "../Records.ts"
import { learnTable } from "./EraLearning.ts"
import { KeyFilters } from "./KeyFilters.ts"
import type { Query } from "./Query.ts"

const presentRow = oneOf(Schema.Struct({ span: Schema.Number, stamp: Schema.String, known: Schema.Boolean }))
const presentStatement = `SELECT s.span, s.stamp, EXISTS (SELECT FROM spans k WHERE k.span = $1 AND k.stamp = $2) AS known
  FROM spans s ORDER BY s.span DESC LIMIT 1`

const partRows = rowsOf(Schema.Struct({ span: Schema.Number, file: Schema.Number, bytes: Schema.Number }))
/** The spans before $1 that have keys, newest first. */
const partsStatement = `SELECT s.span, pg_relation_filenode(part.id)::bigint AS file, pg_relation_size(part.id) AS bytes
  FROM spans s CROSS JOIN LATERAL (SELECT to_regclass('keys_' || s.span) AS id OFFSET 0) part
  WHERE s.span < $1 AND part.id IS NOT NULL ORDER BY s.span DESC`
const blockRow = oneOf(Schema.Struct({ bytes: Schema.Number }))

/** Learns the keys of kept spans that are over, newest first. Returns the spans for which there is no memory. */
export const learnEnded = Effect.fnUntraced(function* (
  query: Query,
  filters: KeyFilters
): Effect.fn.Return<ReadonlyArray<number>, JournalUnavailable> {
  const { known, span, stamp } = yield* presentRow(
    query(presentStatement, [PgTypes.int2(filters.before), PgTypes.uuid(filters.stamp)])
  )
  // A restored backup, or a promoted standby, lacks some of them.
  if (filters.before > 0 && !known) filters.forget()
  const parts = partRows(query(partsStatement, [PgTypes.int2(span)]))
  const kept = (yield* parts).map((part) => ({ ...part, keys: part.bytes / Bounds.claimBytes }))
  const learning = filters.keep({ span, stamp }, kept)
  const { bytes: page } = yield* blockRow(query("SELECT current_setting('block_size')::int AS bytes", []))
  for (const one of learning.wanted) {
    const filter = learning.begin(one)
    const pages = one.bytes / page
    yield* learnTable(query, filter, { table: "keys", where: "span = $3", value: PgTypes.int2(one.span), pages })
    // VACUUM FULL rewrote the partition during the pass: rows may have moved to pages that were read before.
    const after = (yield* parts).find((part) => part.span === one.span)
    if (after?.file !== one.file) continue
    filter.done()
    if (pages > 0)
      yield* Effect.logInfo(
        `Learnt the keys of span ${one.span}: ${filter.keys()} in ${Math.ceil(filter.bytes / 1024)} kB`
      )
  }
  return learning.without
})

/** Learns at the start and at intervals until the scope closes. `bytes`: memory of all filters. */
export const make = Effect.fnUntraced(function* (query: Query, bytes = Bounds.keyFilterBytes) {
  const filters = new KeyFilters(bytes)
  let told = 0
  const learn = Effect.gen(function* () {
    const without = yield* learnEnded(query, filters)
    if (without.length > told)
      yield* Effect.logWarning(
        `No memory for the keys of ${without.length} spans that are over: every group looks them up there`
      )
    told = without.length
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logWarning("The keys of spans that are over could not be learnt", cause)
    )
  )
  yield* learn.pipe(Effect.andThen(Effect.sleep(Bounds.spanLookMs)), Effect.forever, Effect.forkScoped)
  return filters
})
