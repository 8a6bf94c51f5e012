/**
 * A command: what an account is asked to do, and the claims that keep it from
 * happening twice (decisions.md §4 Idempotency).
 */
import type { Claim, Hash128 } from "../journal/Journal.ts"
import type { Action } from "./domain/Command.ts"

/** An idempotency key's claim: its fingerprint is of the whole payload. */
export interface KeyClaim extends Claim {
  /** The fingerprint as earlier versions made it, where that was another. */
  readonly formerly?: () => ReadonlyArray<Hash128>
}

/** Whether a key was claimed with this payload, by this version or an earlier one. */
export const isOfPayload = (key: KeyClaim, fingerprint: Hash128): boolean =>
  key.fingerprint === fingerprint || key.formerly?.().includes(fingerprint) === true

export interface Guards {
  /** The idempotency key; absent for the service's own commands. */
  readonly key?: KeyClaim
  /** The business identifier: order, adjustment, redemption, issued reward or identity. */
  readonly business?: Claim
  /** Whatever else must be unique: an artifact's value, a new member's id. */
  readonly further?: ReadonlyArray<Claim>
}

export interface Command {
  readonly action: Action
  readonly guards: Guards
}
