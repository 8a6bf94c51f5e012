/**
 * A command: an action on an account, and the claims that keep it from being done
 * twice (contract/idempotency.md *Business identifiers*).
 */
import type { AuditEntry } from "../journal/Audit.ts"
import type { AccountNumber, AttributeChange, Claim, Hash128, Identity, ProfileChange } from "../journal/Records.ts"
import type { Action } from "./domain/Command.ts"

/** A member's account, or one that was merged into it. */
export interface Contained {
  readonly account: AccountNumber
  readonly member: string
}

export interface Guards {
  /** The idempotency key, with a fingerprint of the whole payload; absent for the service's own commands. */
  readonly key?: Claim
  /** The business identifier: order, adjustment, redemption or issued reward. */
  readonly business?: Claim
  /**
   * The ids that the payload gives its member beside the one that the command is for, such as `order.member_id`. With
   * this property the fingerprints leave out all member ids: facts hold the member that an id leads to, which is the
   * account of the claim's record. Absent: no id of the payload stands for a member.
   */
  readonly named?: ReadonlyArray<string>
  /** The fingerprints that earlier versions made of the same payload, with the ids as sent. */
  readonly earlier?: () => { readonly key?: Hash128; readonly business: Hash128 }
  /**
   * For what is once per member: the claim that the command would make for an account. It was done if any account that
   * the member contains has its claim: the same with an equal fingerprint, else a conflict.
   */
  readonly once?: ((of: Contained) => Claim) | undefined
  /** Other things that must be unique: an artifact's value, a new member's id. */
  readonly further?: ReadonlyArray<Claim>
}

export interface Command {
  readonly action: Action
  readonly guards: Guards
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
