/** Entries of the audit (migrations/0005_admin.sql), which commit with what they tell of. */
import type { Schema } from "effect"

export interface AuditActor {
  readonly kind: "root" | "token" | "session" | "user" | "guest" | "system"
  readonly name: string
  readonly tokenId?: string | undefined
  /** Of a person, with its role at that time. */
  readonly user?: { readonly id: string; readonly role: string } | undefined
}

/** Holds no secret, no identity value and no attribute of a member. */
export interface AuditEntry {
  /** ms, by the machine's clock, on a sandbox too. */
  readonly at: number
  readonly actor: AuditActor
  /** Such as `token.create`. */
  readonly action: string
  readonly subject: { readonly type: string; readonly id: string }
  readonly programId?: string | undefined
  readonly changes?: { readonly before?: Schema.Json | undefined; readonly after?: Schema.Json | undefined } | undefined
  readonly reason?: string | undefined
  readonly sourceIp?: string | undefined
  readonly requestId?: string | undefined
}

/** Changes of the service and its operators, each in the transaction of its change. */
export const changesChain = 0
/** First uses of tokens from an address. */
export const usesChain = 1

/** The columns of an entry that its hash is over, in the order of `append_audit`. */
export const hashedColumns = [
  "at",
  "actor_kind",
  "actor_name",
  "token_id",
  "action",
  "subject_type",
  "subject_id",
  "program_id",
  "changes",
  "reason",
  "source_ip",
  "request_id"
] as const

/** The further columns that the hash of a person's entry is over. */
export const hashedOfUser = ["user_id", "role"] as const

/** An entry as `append_audit` takes it. */
export const auditText = (entry: AuditEntry): string => {
  const columns: Record<(typeof hashedColumns)[number] | (typeof hashedOfUser)[number], string | undefined> = {
    at: String(entry.at),
    actor_kind: entry.actor.kind,
    actor_name: entry.actor.name,
    token_id: entry.actor.tokenId,
    action: entry.action,
    subject_type: entry.subject.type,
    subject_id: entry.subject.id,
    program_id: entry.programId,
    changes: entry.changes === undefined ? undefined : JSON.stringify(entry.changes),
    reason: entry.reason,
    source_ip: entry.sourceIp,
    request_id: entry.requestId,
    user_id: entry.actor.user?.id,
    role: entry.actor.user?.role
  }
  return JSON.stringify(columns)
}
