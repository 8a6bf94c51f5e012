/** Makes audit entries from the request's caller, and appends them in the transaction of the change. */
import { PgTypes } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { machineNow } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { AuditActor, AuditEntry } from "../../core/journal/Audit.ts"
import { auditText, changesChain } from "../../core/journal/Audit.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"

/** The facts of an entry, without its time and caller. */
export type AuditFacts = Pick<AuditEntry, "action" | "subject" | "programId" | "changes" | "reason">

const actorOf = ({ keyId, kind, name, role, tokenId }: RequestCaller): AuditActor => ({
  kind,
  name,
  tokenId,
  user: role === undefined ? undefined : { id: keyId, role }
})

/** Makes entries of this request's caller. `changes` must not contain personal values; use `concealed` instead. */
export type EntryOf = (facts: AuditFacts) => AuditEntry

/** A maker of entries of this request's caller, dated now by the machine's clock. */
export const maker: Effect.Effect<EntryOf, never, CurrentCaller> = Effect.gen(function* () {
  const caller = yield* CurrentCaller
  const { kind, requestId } = caller
  // The audit is kept for good: nothing in it names a guest's place after an erasure.
  const sourceIp = kind === "guest" ? undefined : caller.sourceIp
  const at = yield* machineNow
  return (facts) => ({ ...facts, at, actor: actorOf(caller), sourceIp, requestId })
})

/** Makes an entry of this request's caller, dated now by the machine's clock. Pass it to a command (`audit`) or to `append`. */
export const entryOf = (facts: AuditFacts): Effect.Effect<AuditEntry, never, CurrentCaller> =>
  Effect.map(maker, (of) => of(facts))

/** Replaces a changed personal value. */
export const concealed = "changed"

/** Values of the contract, which are JSON. */
type Facts = Readonly<Record<string, unknown>>

/** The facts of `one` that differ from those of `other`. */
const differing = (one: Facts, other: Facts): Readonly<Record<string, Schema.Json>> =>
  Object.fromEntries(
    Object.entries(one).flatMap(([name, value]) =>
      value === undefined || JSON.stringify(value) === JSON.stringify(other[name]) ? [] : [[name, value as Schema.Json]]
    )
  )

/** An entry's changes: the properties that differ. `before` undefined: created; `after` undefined: deleted. */
export const changesOf = (before: Facts | undefined, after: Facts | undefined): NonNullable<AuditFacts["changes"]> => ({
  ...(before === undefined ? undefined : { before: differing(before, after ?? {}) }),
  ...(after === undefined ? undefined : { after: differing(after, before ?? {}) })
})

export const appendStatement = "SELECT append_audit($1, $2::jsonb)"

/** The parameters of `appendStatement`, for a transaction over another connection. */
export const appendParameters = (entry: AuditEntry, chain: number = changesChain): ReadonlyArray<unknown> => [
  PgTypes.int4(chain),
  PgTypes.text(auditText(entry))
]

/** Appends an entry in the open transaction. Must be its last statement. */
export const append = (query: Query, entry: AuditEntry): Effect.Effect<void, Refused> =>
  Effect.asVoid(query(appendStatement, appendParameters(entry)))

/** Makes an entry of this request's caller and appends it, as the last statement of the transaction. */
export const tell = (query: Query, facts: AuditFacts): Effect.Effect<void, Refused, CurrentCaller> =>
  Effect.flatMap(entryOf(facts), (entry) => append(query, entry))
