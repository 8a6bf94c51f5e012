/** Counts in the database of what strangers may do in an hour, for all nodes (migrations/0091_guest_codes.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { oneOf } from "../../base/database/Values.ts"
import { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { networkOf } from "../../desk/access/WrongKeys.ts"
import * as Bounds from "./Bounds.ts"

/** PostgreSQL's time, ms. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
const isOpen = `c.began > ${now} - ${Bounds.countMs}`

const countRow = oneOf(Schema.Struct({ count: Schema.Number, ms: Schema.Number }))

interface Parts {
  readonly query: Query
  readonly claimKey: ClaimKey
}

/** Counts one more of a thing: how many there are in its hour, and how long the hour lasts, ms. */
const count = ({ claimKey, query }: Parts, kind: string, thing: ReadonlyArray<string>) =>
  countRow(
    query(
      `WITH old AS (DELETE FROM guest_counts WHERE key IN (
          SELECT key FROM guest_counts WHERE began < ${now} - ${2 * Bounds.countMs} LIMIT ${Bounds.swept} FOR UPDATE SKIP LOCKED))
        INSERT INTO guest_counts AS c (key, began, count) VALUES ($1, ${now}, 1)
        ON CONFLICT (key) DO UPDATE SET began = CASE WHEN ${isOpen} THEN c.began ELSE excluded.began END,
          count = CASE WHEN ${isOpen} THEN c.count ELSE 0 END + 1
        RETURNING count, (began + ${Bounds.countMs} - ${now})::float8 AS ms`,
      [PgTypes.uuid(claimKey("guest count", kind, ...thing))]
    )
  )

/**
 * Counts a mail with a code to an address: true if it may be sent. The few of one network leave others theirs, so a stranger who
 * asks in a guest's name does not use up hers.
 */
export const mayMail = Effect.fnUntraced(function* (parts: Parts, program: string, email: string) {
  const { sourceIp = "" } = yield* CurrentCaller
  const own = yield* count(parts, "mail", [program, email, networkOf(sourceIp)])
  // Further ones of the network are no mails, so they spend nothing of the others'.
  if (own.count > Bounds.codesPerAddress) return false
  const all = yield* count(parts, "mails", [program, email])
  return all.count <= Bounds.codesOfAddress
})

/** Counts a code to a telephone: true if it may be sent. As for mails, what a network asks in vain spends nothing of the others'. */
export const mayText = Effect.fnUntraced(function* (parts: Parts, phone: string) {
  const { sourceIp = "" } = yield* CurrentCaller
  const network = networkOf(sourceIp)
  const own = yield* count(parts, "text", [phone, network])
  if (own.count > Bounds.codesPerPhone) return false
  const ofNetwork = yield* count(parts, "texts of a network", [network])
  if (ofNetwork.count > Bounds.textsPerNetwork) return false
  const all = yield* count(parts, "texts", [phone])
  return all.count <= Bounds.codesOfPhone
})

interface Counted {
  readonly count: number
  readonly ms: number
}

const bound = ({ count, ms }: Counted, most: number, refused: Pick<Refused, "code" | "detail">) =>
  count <= most ? Effect.void : Effect.fail(new Refused({ ...refused, retryAfter: Math.max(1, Math.ceil(ms / 1_000)) }))

/** Refuses a network from which more requests of a kind come in an hour than may. */
export const boundNetwork = Effect.fnUntraced(function* (parts: Parts, kind: "ask" | "enter", most: number) {
  const { sourceIp = "" } = yield* CurrentCaller
  const detail = "Too many requests came from this network; wait as Retry-After says."
  yield* bound(yield* count(parts, kind, [networkOf(sourceIp)]), most, { code: "rate_limited", detail })
})

/** Refuses a guest who names more new addresses in an hour than anybody has: each is mailed, whosever it is. */
export const boundGuest = Effect.fnUntraced(function* (parts: Parts, account: number) {
  const detail = "Too many addresses were named; wait as Retry-After says."
  yield* bound(yield* count(parts, "guest", [String(account)]), Bounds.addressesPerGuest, {
    code: "rate_limited",
    detail
  })
})

/** Refuses a programme whose page is asked for more codes in an hour than may be mailed, whatever the address. */
export const boundProgram = Effect.fnUntraced(function* (parts: Parts, program: string) {
  const detail = "Too many codes were asked for; wait as Retry-After says."
  yield* bound(yield* count(parts, "program", [program]), Bounds.codesPerProgram, { code: "overloaded", detail })
})
