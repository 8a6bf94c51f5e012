/**
 * Counts that the nodes of a database share: requests of tokens, and wrong keys of addresses
 * (migrations/0005_admin.sql). Each node tells the others every half second what it has counted. The tables are not
 * logged: a crash of PostgreSQL loses a minute's counts.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, int8s, oneOf, rowsOf, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { maxSharedGuesses, rateWindowSeconds, wrongKeysWindowSeconds } from "./Bounds.ts"
import { Keys } from "./Keys.ts"
import type { RateLimit } from "./RateLimit.ts"

const { text } = PgTypes

/** PostgreSQL's time, ms. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"

/** A window goes on if it has not ended, and then has begun with the first request of any node. */
const isOpen = `w.began BETWEEN ${now} - ${rateWindowSeconds * 1_000} AND ${now}`
const countStatement = `INSERT INTO rate_windows AS w (token, budget, began, count)
    SELECT token, budget, ${now} - age, count FROM unnest($1, $2, $3, $4) u(token, budget, age, count) ORDER BY token, budget
  ON CONFLICT (token, budget) DO UPDATE SET
    began = CASE WHEN ${isOpen} THEN least(w.began, excluded.began) ELSE excluded.began END,
    count = CASE WHEN ${isOpen} THEN w.count ELSE 0 END + excluded.count
  RETURNING token AS id, budget, (${now} - began)::float8 AS "ageMs", count::float8 AS count`

const windows = rowsOf(
  Schema.Struct({ id: Schema.String, budget: Schema.String, ageMs: Schema.Number, count: Schema.Number })
)

const shareRequests = (rateLimit: RateLimit): Effect.Effect<void, Refused, PeoplePool> =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const { learn, news } = rateLimit.share()
    if (news.length === 0) return
    const parameters = [
      texts(news.map(({ id }) => id)),
      texts(news.map(({ budget }) => budget)),
      int8s(news.map(({ ageMs }) => ageMs)),
      int8s(news.map(({ count }) => count))
    ]
    // Not tried again after a failure: what was counted twice would refuse a request below the limit.
    learn(yield* windows(query(countStatement, parameters)))
  })

/** Wrong keys that commit late are heard too: each look goes back so far, ms. */
const overlapMs = 2_000

const guessStatement = `WITH old AS (DELETE FROM wrong_keys WHERE at < ${now} - ${wrongKeysWindowSeconds * 1_000})
  INSERT INTO wrong_keys (network, key, node, at) SELECT network, key, $3, ${now} FROM unnest($1, $2) u(network, key)
    ORDER BY network, key ON CONFLICT (network, key) DO UPDATE SET node = excluded.node, at = excluded.at`

const guesses = rowsOf(Schema.Struct({ network: Schema.String, key: Schema.String }))
const heardStatement = `SELECT network, key FROM wrong_keys
  WHERE at > greatest($1, ${now} - ${wrongKeysWindowSeconds * 1_000}) AND node <> $2 ORDER BY at LIMIT ${maxSharedGuesses}`
const timeOf = oneOf(Schema.Struct({ at: Schema.Number }))

/** Exchanges what this node and the others have counted. `since`: PostgreSQL's time of the last exchange, ms. */
const exchange = (node: string, since: number) =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const { rateLimit, wrong } = yield* Keys
    if (rateLimit !== undefined) yield* shareRequests(rateLimit)
    const news = wrong.takeNews()
    const parameters = [texts(news.map(({ network }) => network)), texts(news.map(({ key }) => key)), text(node)]
    if (news.length > 0)
      yield* Effect.onError(query(guessStatement, parameters), () => Effect.sync(() => wrong.keepNews(news)))
    const { at } = yield* timeOf(query(`SELECT ${now}::float8 AS at`))
    wrong.learn(yield* guesses(query(heardStatement, [int8(since - overlapMs), text(node)])))
    return at
  })

/** One exchange after another. The first one hears the wrong keys of the last minute. */
export const make = (): Effect.Effect<void, Refused, PeoplePool | Keys> => {
  const node = randomUUID()
  let since = 0
  return Effect.map(
    Effect.suspend(() => exchange(node, since)),
    (at) => {
      since = at
    }
  )
}
