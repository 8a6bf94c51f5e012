/** Makes audit entries from the request's caller, and appends them in the transaction of the change. */
import { PgTypes } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Refused } from "../contract/admin/Common.ts"
import type { AuditActor, AuditEntry } from "../journal/Audit.ts"
import { auditText, changesChain } from "../journal/Audit.ts"
import type { RequestCaller } from "../protocol/CurrentCaller.ts"
import { CurrentCaller } from "../protocol/CurrentCaller.ts"
import { AdminDatabase } from "./AdminDatabase.ts"

/** The facts of an entry, without its time and caller. */
export type AuditFacts = Pick<AuditEntry, "action" | "subject" | "programId" | "changes" | "reason">

const actorOf = ({ kind, name, tokenId }: RequestCaller): AuditActor => ({ kind, name, tokenId })

/** Makes an entry of this request's caller, dated now by the machine's clock. Pass it to a command (`audit`) or to `append`. */
export const entryOf = (facts: AuditFacts): Effect.Effect<AuditEntry, never, CurrentCaller> =>
  Effect.gen(function* () {
    const caller = yield* CurrentCaller
    const { requestId, sourceIp } = caller
    return { ...facts, at: yield* Clock.currentTimeMillis, actor: actorOf(caller), sourceIp, requestId }
  })

export const appendStatement = "SELECT append_audit($1::float8::int, $2::text::jsonb)"

/** The parameters of `appendStatement`, for a transaction over another connection. */
export const appendParameters = (entry: AuditEntry, chain: number = changesChain): ReadonlyArray<unknown> => [
  PgTypes.float8(chain),
  PgTypes.text(auditText(entry))
]

/** Appends an entry in the open transaction. Must be its last statement. */
export const append = (entry: AuditEntry): Effect.Effect<void, Refused, AdminDatabase> =>
  Effect.flatMap(AdminDatabase, ({ query }) => Effect.asVoid(query(appendStatement, appendParameters(entry))))

/** Makes an entry of this request's caller and appends it, as the last statement of the transaction. */
export const tell = (facts: AuditFacts): Effect.Effect<void, Refused, AdminDatabase | CurrentCaller> =>
  Effect.flatMap(entryOf(facts), append)
