/**
 * Reads what was claimed in eras that have ended, slowly and beside the groups on their way: all of it in one pass over
 * the table at the start, later each era along the index. And reads claims once while they are new, so that it costs no log.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Bounds from "../Bounds.ts"
import type { EndedClaims, Learning } from "./EndedClaims.ts"
import type { JournalUnavailable } from "../Journal.ts"
import type { Query } from "./Query.ts"

const { float8, text } = PgTypes

/** Adds keys as they came, a little of them in a turn of the event loop. */
const addKeys = Effect.fnUntraced(function* (learning: Learning, keys: Uint8Array) {
  for (let at = 0; at < keys.length; at += Bounds.learntBytes) {
    learning.add(keys.subarray(at, at + Bounds.learntBytes))
    yield* Effect.yieldNow
  }
})

const bytesOf = (keys: unknown): Uint8Array => {
  if (keys === null || keys === undefined) return new Uint8Array()
  if (!(keys instanceof Uint8Array)) throw new Error("keys come as bytes")
  return keys
}

/** How far the log has come, in bytes. */
const logEnd = (query: Query) =>
  Effect.map(query("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS at", []), ([row]) =>
    Number(row?.["at"])
  )

/**
 * Reads keys, so many rows or pages at a time as the log bears. Whoever first reads a claim since it was written notes in
 * its page that it is committed, and after a checkpoint the log takes each such page whole: an era's worth is 128 MB, which
 * went there within 6 s in the middle of a rush. While the log grows by a reading, the next ones are small, and pauses long.
 */
const readerOf = (query: Query, { least, most }: { readonly least: number; readonly most: number }) => {
  let size = least
  return {
    size: () => size,
    read: Effect.fnUntraced(function* (...[statement, parameters]: Parameters<Query>) {
      const before = yield* logEnd(query)
      const [found] = yield* query(statement, parameters)
      const grown = (yield* logEnd(query)) - before - Bounds.learnLogBytes
      size = grown > 0 ? least : Math.min(most, 2 * size)
      yield* Effect.sleep(Math.max(Bounds.learnPauseMs, grown / Bounds.learnLogBytesPerMs))
      return bytesOf(found?.["keys"])
    })
  }
}

const pageCount = "(pg_relation_size('claims') / current_setting('block_size')::int)::float8 AS pages"

/**
 * Reads the claims written since it was last run. Whoever does so first notes in their page that they are committed, which
 * costs nothing while the page is as young as they are: since the last checkpoint the log has taken it whole already, or
 * has seen it begin. So learning the era once it has ended notes nothing any more.
 */
export const readerOfNew = (query: Query) => {
  let from: number | undefined
  return Effect.gen(function* () {
    const [row] = yield* query(`SELECT ${pageCount}`, [])
    const pages = Number(row?.["pages"])
    for (let page = Math.min(from ?? pages, pages); page < pages; page += Bounds.learntPages.most) {
      const until = Math.min(pages, page + Bounds.learntPages.most)
      yield* query("SELECT count(*) FROM claims WHERE ctid >= $1::text::tid AND ctid < $2::text::tid", [
        text(`(${page},0)`),
        text(`(${until},0)`)
      ])
      yield* Effect.logDebug(`New claims were read in pages ${page} to ${until - 1}`)
    }
    // The last of them fills up yet.
    from = Math.max(0, pages - 1)
  })
}

/** Every claim of all eras before `era`, in one pass over the table. */
const learnTable = Effect.fnUntraced(function* (query: Query, learning: Learning, era: number, pages: number) {
  const reader = readerOf(query, Bounds.learntPages)
  for (let page = 0; page < pages; ) {
    const until = page + reader.size()
    const keys = yield* reader.read(
      `SELECT string_agg(uuid_send(key), ''::bytea) AS keys FROM claims
        WHERE ctid >= $1::text::tid AND ctid < $2::text::tid AND era < $3::float8::int`,
      [text(`(${page},0)`), text(`(${until},0)`), float8(era)]
    )
    yield* addKeys(learning, keys)
    page = until
  }
})

const keyBytes = 16
const leastKey = "0".repeat(2 * keyBytes)

/** Every claim of one era, along the index: an era is a small part of a large table. */
const learnEra = Effect.fnUntraced(function* (query: Query, learning: Learning, era: number) {
  const reader = readerOf(query, Bounds.learntKeys)
  for (let last: string | undefined; ; ) {
    const keys = yield* reader.read(
      `SELECT string_agg(uuid_send(key), ''::bytea ORDER BY key) AS keys FROM (
          SELECT key FROM claims WHERE era = $1::float8::int AND key ${last === undefined ? ">=" : ">"} $2::text::uuid
          ORDER BY key LIMIT ${reader.size()}
        ) k`,
      [float8(era), text(last ?? leastKey)]
    )
    if (keys.length === 0) return
    yield* addKeys(learning, keys)
    last = Buffer.from(keys.subarray(-keyBytes)).toString("hex")
  }
})

/**
 * Learns the claims of eras that have ended since: there are none to come. Whoever looks for the present era sees what
 * was claimed before it, for it began after every group on its way. Where there is no room for more, the era before
 * which they stay unknown.
 */
export const learnEnded = Effect.fnUntraced(function* (
  query: Query,
  ended: EndedClaims
): Effect.fn.Return<number | undefined, JournalUnavailable> {
  const from = ended.before
  const table = Effect.map(
    query(
      `SELECT era::float8 AS era, stamp::text AS stamp, began::float8 AS began,
          pg_relation_filenode('claims')::bigint::float8 AS file, ${pageCount},
          EXISTS (SELECT FROM eras k WHERE k.era = $1::float8::int AND k.stamp = $2::text::uuid) AS known
        FROM eras ORDER BY eras.era DESC LIMIT 1`,
      [float8(from), text(ended.stamp)]
    ),
    ([row]) => ({
      present: { era: Number(row?.["era"]), stamp: String(row?.["stamp"]), began: Number(row?.["began"]) },
      isKnown: from === 0 || row?.["known"] === true,
      file: Number(row?.["file"]),
      pages: Number(row?.["pages"])
    })
  )
  const { file, isKnown, pages, present } = yield* table
  const { began, era } = present
  if (!isKnown) return yield* forgetAndLearn(query, ended)
  if (era <= from) return undefined
  const learning = ended.learn(Math.max(0, began - ended.until) / Bounds.claimBytes)
  if (learning === undefined) return era
  if (from === 0) {
    yield* learnTable(query, learning, era, pages)
    // Written anew meanwhile (VACUUM FULL), the table may have had rows pass from a page yet to be read to one before.
    if ((yield* table).file !== file) return undefined
  } else for (let one = from; one < era; one++) yield* learnEra(query, learning, one)
  learning.done(present)
  yield* Effect.logInfo(
    `The claims of all eras before ${era} are known: ${learning.keys()} more in ${Math.ceil(learning.bytes / 1024)} kB`
  )
  return undefined
})

/** What is known is of another database: a backup was restored, or a standby promoted, that lacks some of it. */
const forgetAndLearn = (query: Query, ended: EndedClaims): Effect.Effect<number | undefined, JournalUnavailable> => {
  ended.forget()
  return Effect.andThen(
    Effect.logWarning("The database is not the one whose claims are known: they are read anew"),
    Effect.suspend(() => learnEnded(query, ended))
  )
}
