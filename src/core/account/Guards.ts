/** The claims that keep a command from being done twice (contract/idempotency.md *Business identifiers*). */
import type { AccountNumber, Claim } from "../journal/Records.ts"

/** The claim that a command would make for an account: the member's, or one that was merged into it. */
interface OnceClaim extends Claim {
  readonly account: AccountNumber
}

export interface Guards {
  /**
   * The idempotency key, with a fingerprint of the whole payload; absent for the service's own commands. Made with
   * `hasEnd` beside a business identifier, and keeps it when that is taken out: a key is looked for where the first was put.
   */
  readonly key?: Claim
  /** The business identifier: order, adjustment, redemption or issued reward. */
  readonly business?: Claim
  /**
   * The ids that the payload gives its member beside the one that the command is for, such as `order.member_id`. With
   * this property the fingerprints leave out all member ids: facts hold the member that an id leads to, which is the
   * account of the claim's record. Absent: no id of the payload stands for a member.
   */
  readonly named?: ReadonlyArray<string>
  /**
   * For what is once per member: the claims that the command would make for each account that the member contains, as
   * the caller knows it. It was done if any of them is held: the same with an equal fingerprint, else a conflict. If the
   * member contains another account by now, the outcome is `Overloaded`, and the caller reads it again.
   */
  readonly once?: ReadonlyArray<OnceClaim> | undefined
  /** Other things that must be unique: an artifact's value, a new member's id. */
  readonly further?: ReadonlyArray<Claim>
}
