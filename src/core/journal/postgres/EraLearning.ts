/**
 * Reads the claims of ended eras, slowly, so that groups in flight are not delayed: at the start in one pass over the
 * table, later each era by its index. Also reads new claims once, so that their hint bits are set before a checkpoint.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { oneOf, optional } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import type { JournalUnavailable } from "../Records.ts"
import type { EndedClaims, Learning } from "./EndedClaims.ts"
import type { Query } from "./Query.ts"

const { int4, text, uuid } = PgTypes

/** Adds keys in portions, each in a turn of the event loop of its own. */
const addKeys = Effect.fnUntraced(function* (learning: Pick<Learning, "add">, keys: Uint8Array) {
  for (let at = 0; at < keys.length; at += Bounds.learntBytes) {
    learning.add(keys.subarray(at, at + Bounds.learntBytes))
    yield* Effect.yieldNow
  }
})

const logRow = oneOf(Schema.Struct({ at: Schema.Number }))
const keysRow = oneOf(Schema.Struct({ keys: optional(Schema.Uint8Array) }))
const pagesRow = oneOf(Schema.Struct({ pages: Schema.Number }))

/** The end of the WAL, in bytes. */
const logEnd = (query: Query) =>
  Effect.map(logRow(query("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint AS at", [])), ({ at }) => at)

/**
 * Reads keys at a pace that the WAL allows. The first read of a committed row sets its hint bit; after a checkpoint, that
 * writes the whole page to the WAL. A whole era at once would fill the disk's queue and delay every group. While a read
 * grows the WAL, the next reads are small and the pauses long.
 */
const readerOf = (query: Query, { least, most }: { readonly least: number; readonly most: number }) => {
  let size = least
  return {
    size: () => size,
    read: Effect.fnUntraced(function* (...[statement, parameters]: Parameters<Query>) {
      const before = yield* logEnd(query)
      const { keys = new Uint8Array() } = yield* keysRow(query(statement, parameters))
      const grown = (yield* logEnd(query)) - before - Bounds.learnLogBytes
      size = grown > 0 ? least : Math.min(most, 2 * size)
      yield* Effect.sleep(Math.max(Bounds.learnPauseMs, grown / Bounds.learnLogBytesPerMs))
      return keys
    })
  }
}

const pageCount = "(pg_relation_size('claims') / current_setting('block_size')::int) AS pages"

/**
 * Reads the claims written since its last run, which sets their hint bits. That writes no WAL while the page is younger
 * than the last checkpoint: the WAL has the whole page already. Learning the era later then sets no hint bits.
 */
export const readerOfNew = (query: Query) => {
  let from: number | undefined
  return Effect.gen(function* () {
    const { pages } = yield* pagesRow(query(`SELECT ${pageCount}`, []))
    for (let page = Math.min(from ?? pages, pages); page < pages; page += Bounds.learntPages.most) {
      const until = Math.min(pages, page + Bounds.learntPages.most)
      yield* query("SELECT count(*) FROM claims WHERE ctid >= $1::text::tid AND ctid < $2::text::tid", [
        text(`(${page},0)`),
        text(`(${until},0)`)
      ])
      yield* Effect.logDebug(`Read new claims in pages ${page} to ${until - 1}`)
    }
    // The last page is not full yet: it is read again.
    from = Math.max(0, pages - 1)
  })
}

/** Adds the key of every row of a table, or of a partition, for which `where` is true ($3: `value`), in one pass over it. */
export const learnTable = Effect.fnUntraced(function* (
  query: Query,
  learning: Pick<Learning, "add">,
  {
    pages,
    table,
    value,
    where
  }: {
    readonly table: "claims" | "keys"
    readonly where: string
    readonly value: PgTypes.Parameter
    readonly pages: number
  }
) {
  const reader = readerOf(query, Bounds.learntPages)
  for (let page = 0; page < pages; ) {
    const until = page + reader.size()
    const keys = yield* reader.read(
      `SELECT string_agg(uuid_send(key), ''::bytea) AS keys FROM ${table}
        WHERE ctid >= $1::text::tid AND ctid < $2::text::tid AND ${where}`,
      [text(`(${page},0)`), text(`(${until},0)`), value]
    )
    yield* addKeys(learning, keys)
    page = until
  }
})

const keyBytes = 16
const leastKey = "0".repeat(2 * keyBytes)

/** Adds every claim of one era, by the index: an era is a small part of a large table. */
const learnEra = Effect.fnUntraced(function* (query: Query, learning: Learning, era: number) {
  const reader = readerOf(query, Bounds.learntKeys)
  for (let last: string | undefined; ; ) {
    const keys = yield* reader.read(
      `SELECT string_agg(uuid_send(key), ''::bytea ORDER BY key) AS keys FROM (
          SELECT key FROM claims WHERE era = $1 AND key ${last === undefined ? ">=" : ">"} $2
          ORDER BY key LIMIT ${reader.size()}
        ) k`,
      [int4(era), last ?? leastKey]
    )
    if (keys.length === 0) return
    yield* addKeys(learning, keys)
    last = Buffer.from(keys.subarray(-keyBytes)).toString("hex")
  }
})

const tableRow = oneOf(
  Schema.Struct({
    era: Schema.Number,
    stamp: Schema.String,
    began: Schema.Number,
    file: Schema.Number,
    pages: Schema.Number,
    known: Schema.Boolean,
    indexed: Schema.Number
  })
)

/**
 * Learns the claims of eras that ended since the last run. No claim is added to them later: an era begins only after
 * every group in flight has committed, so a reader that sees the present era sees all earlier claims. Returns undefined;
 * or, if there is no memory for them and no index of their own (`ClaimsIndex`), the era before which claims stay unknown.
 */
export const learnEnded = Effect.fnUntraced(function* (
  query: Query,
  ended: EndedClaims
): Effect.fn.Return<number | undefined, JournalUnavailable> {
  const from = ended.before
  const table = tableRow(
    query(
      `SELECT era, stamp, began, pg_relation_filenode('claims')::bigint AS file, ${pageCount},
          EXISTS (SELECT FROM eras k WHERE k.era = $1 AND k.stamp = $2) AS known, indexed_eras() AS indexed
        FROM eras ORDER BY era DESC LIMIT 1`,
      [int4(from), uuid(ended.stamp)]
    )
  )
  const { began, era, file, indexed, known, pages, stamp } = yield* table
  if (from > 0 && !known) return yield* forgetAndLearn(query, ended)
  if (era <= from) return undefined
  const learning = ended.learn(Math.max(0, began - ended.until) / Bounds.claimBytes)
  if (learning === undefined) {
    if (indexed <= from) return era
    // Every claim is looked up in the index: filters over a part of its eras spare nothing.
    ended.forget()
    return undefined
  }
  if (from === 0) {
    yield* learnTable(query, learning, { table: "claims", where: "era < $3", value: int4(era), pages })
    // VACUUM FULL rewrote the table during the pass: rows may have moved to pages that were read before.
    if ((yield* table).file !== file) return undefined
  } else for (let one = from; one < era; one++) yield* learnEra(query, learning, one)
  learning.done({ era, stamp, began })
  yield* Effect.logInfo(
    `Learnt the claims of all eras before ${era}: ${learning.keys()} more in ${Math.ceil(learning.bytes / 1024)} kB`
  )
  return undefined
})

/** The known claims are another database's: a restored backup or a promoted standby lacks some of them. */
const forgetAndLearn = (query: Query, ended: EndedClaims): Effect.Effect<number | undefined, JournalUnavailable> => {
  ended.forget()
  return Effect.andThen(
    Effect.logWarning("The database changed since its claims were read: reading all claims again"),
    Effect.suspend(() => learnEnded(query, ended))
  )
}
