/** The claims that keep a command from being done twice (contract/idempotency.md *Business identifiers*). */
import type { AccountNumber, Claim, Hash128 } from "../journal/Records.ts"

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
