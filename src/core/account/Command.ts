/** A command: an action on an account, its guards, and everything else that is written with its record. */
import type { AuditEntry } from "../journal/Audit.ts"
import type { AttributeChange, ClaimHolder, Identity, ProfileChange } from "../journal/Records.ts"
import type { Action } from "./domain/Action.ts"
import type { Guards } from "./Guards.ts"

export interface Command {
  readonly action: Action
  readonly guards: Guards
  /**
   * The place of the record that it would write as its effects were counted: it is refused if it would write another one
   * that brings about more than its action. `always`: whatever it brings about depends on the records before. Absent:
   * any.
   */
  readonly counted?: (Pick<ClaimHolder, "account" | "seq"> & { readonly always?: boolean }) | undefined
  /** The identities that `change_identities` adds. Events only have their hashes. */
  readonly identities?: ReadonlyArray<Identity>
  /** The attributes that `change_profile` sets; null removes one. */
  readonly attributes?: AttributeChange | undefined
  /** The change of profile and consent that is written with the record. */
  readonly profile?: ProfileChange | undefined
  /** The name of the caller; absent for the service's own commands. */
  readonly actor?: string | undefined
  /** The request that the command comes from (`JournalRecord.origin`); absent for the service's own commands. */
  readonly origin?: string | undefined
  /** The audit entry that is committed with the record. A replay or a refusal writes none. */
  readonly audit?: AuditEntry | undefined
}
