/** Passkeys belong to a host for good: another host than before would lock their people out (contract/people.md *Passkeys*). */
import { Effect, Schema } from "effect"
import { DatabaseStartError } from "../../base/database/Database.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { rowsOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import type { Site } from "./Site.ts"
import { CurrentSite } from "./Site.ts"

const hostRows = rowsOf(Schema.Struct({ host: Schema.String, passkeys: Schema.Number, users: Schema.Number }))

const statement = `SELECT host, count(*) AS passkeys, count(DISTINCT user_id) AS users FROM passkeys WHERE host <> $1
  GROUP BY host ORDER BY host`

/** Stops a start at another host than that of the passkeys, with their count. */
export const check = ({ host }: Site) =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const others = yield* hostRows(query(statement, [host]))
    if (others.length === 0) return
    const told = others.map((one) => `${one.passkeys} of ${one.users} users for ${one.host}`).join(", ")
    return yield* new DatabaseStartError({
      message:
        `Passkeys would not work any more: the service is for ${host}, and there are ${told}. Set PROTO_PUBLIC_URL back, or ` +
        "remove them with lotbook staff forget-passkeys HOST, and invite their users again."
    })
  })

/** A person with no passkey left cannot sign in before a new invitation. */
const leftStatement = `UPDATE users u SET status = 'invited'
  WHERE status = 'active' AND issuer IS NULL AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.user_id)`

/** Refuses the host that the service is for, and one that no passkey is for while others are: both are slips. */
const mustBeFormer = Effect.fnUntraced(function* (host: string) {
  const { query } = yield* PeoplePool
  const site = yield* CurrentSite
  if (host === site.host)
    return yield* refuse(
      "invalid_state",
      said`The service is for ${host}, and its passkeys work. Set PROTO_PUBLIC_URL to the new address first.`
    )
  const others = (yield* hostRows(query(statement, [site.host]))).map((one) => one.host)
  if (others.length > 0 && !others.includes(host))
    return yield* refuse("not_found", said`No passkey is for ${host}. Others are for ${others.join(", ")}.`)
})

/** Removes all passkeys of a former host, and the sessions that they opened. Returns how many they were. */
export const forget = (host: string): Effect.Effect<number, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query, transaction } = yield* PeoplePool
    return yield* transaction(
      Effect.gen(function* () {
        yield* mustBeFormer(host)
        const removed = yield* query("DELETE FROM passkeys WHERE host = $1 RETURNING 1 AS one", [host])
        yield* query(leftStatement)
        const changes = { before: { passkeys: removed.length } }
        yield* Audit.tell(query, { action: "passkey.forget", subject: { type: "host", id: host }, changes })
        return removed.length
      })
    )
  })
