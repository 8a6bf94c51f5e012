/**
 * A command: what an account is asked to do, and the claims that keep it from
 * happening twice (decisions.md §4 Idempotency).
 */
import type { AuditEntry } from "../journal/Audit.ts"
import type { AttributeChange, Claim, Identity, ProfileChange } from "../journal/Records.ts"
import type { Action } from "./domain/Command.ts"

export interface Guards {
  /** The idempotency key, its fingerprint of the whole payload; absent for the service's own commands. */
  readonly key?: Claim
  /** The business identifier: order, adjustment, redemption or issued reward. */
  readonly business?: Claim
  /** Whatever else must be unique: an artifact's value, a new member's id. */
  readonly further?: ReadonlyArray<Claim>
}

export interface Command {
  readonly action: Action
  readonly guards: Guards
  /** The identities that `change_identities` adds: events have their hashes alone. */
  readonly identities?: ReadonlyArray<Identity>
  /** What `change_profile` does to the attributes, key by key; null takes one away. */
  readonly attributes?: AttributeChange | undefined
  /** What is written of profile and consent with the record. */
  readonly profile?: ProfileChange | undefined
  /** The name of the caller; absent for the service's own commands. */
  readonly actor?: string | undefined
  /** Commits with the record; a replay and a refusal write none. */
  readonly audit?: AuditEntry | undefined
}
