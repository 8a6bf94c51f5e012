/**
 * A request in an account's mailbox: a command to decide, a read that has to wait
 * for the account to be loaded, or a merge's hold on the account. Requests for more than one account: an enrolment,
 * a merge, a move.
 */
import type * as Cause from "effect/Cause"
import type { EnrolledVia } from "../../contract/platform/EventTypes.ts"
import type { AuditEntry } from "../journal/Audit.ts"
import type { Claim, Identity, MemberRow, ProfileChange } from "../journal/Records.ts"
import type { Command } from "./Command.ts"
import type { Moved } from "./domain/Action.ts"
import type { Outcome, Resident, Taken, Trouble } from "./Outcome.ts"

export interface CommandRequest {
  readonly type: "command"
  readonly command: Command
  readonly done: (outcome: Outcome | Taken) => void
  readonly broke: (cause: Cause.Cause<never>) => void
  tries: number
}

export interface ReadRequest {
  readonly type: "read"
  /** True: this account's own state, even if its member was merged into another. */
  readonly isOfItself: boolean
  readonly done: (view: Resident | Trouble) => void
  readonly broke: (cause: Cause.Cause<never>) => void
}

/** Keeps the account from deciding anything else until it is released. */
export interface HoldRequest {
  readonly type: "hold"
  /**
   * Called when the account is held: the one that serves the request, which may have been handed on to it. The mailbox
   * knows nothing of a `HeldAccount`, which is made of the account's parts.
   */
  readonly held: (account: { readonly _tag: "HeldAccount" }) => void
  readonly done: (trouble: Trouble) => void
  readonly broke: (cause: Cause.Cause<never>) => void
}

export type Request = CommandRequest | ReadRequest | HoldRequest

/** An enrolment: the guest's data and the claims that guard the request. */
export interface Enrolment {
  readonly program: string
  readonly identity: Identity
  /** Undefined: a node of an earlier version asks. */
  readonly via?: EnrolledVia | undefined
  readonly attributes?: MemberRow["attributes"]
  /** The member id that the request names. Undefined: the service makes one. */
  readonly member?: string | undefined
  readonly key?: Claim | undefined
  /** All that a guest brings from another provider, with the identities beside `identity`; and when the guest joined it, ms. */
  readonly moves?: Moved | undefined
  readonly identities?: ReadonlyArray<Identity> | undefined
  readonly joined?: number | undefined
  /** Other things that the record claims. */
  readonly further?: ReadonlyArray<Claim> | undefined
  /** The member's first profile. */
  readonly profile?: Extract<ProfileChange, { readonly type: "set" }> | undefined
  /** The name of the caller, and the request (`JournalRecord.origin`). */
  readonly actor?: string | undefined
  /** Makes the audit entry that is committed with a new member, from the member's id. */
  readonly audit?: ((member: string) => AuditEntry) | undefined
  readonly origin?: string | undefined
}

/** Request to merge two members. */
export interface MergeRequest {
  /** Member ids; the member `from` is closed permanently. */
  readonly from: string
  readonly into: string
  /** Their newest records as the effects were counted: it is refused if one has another. Absent: any. */
  readonly counted?: MergeSeen | undefined
  /** The idempotency key, its fingerprint of the whole payload. */
  readonly key?: Claim | undefined
  /** The name of the caller. */
  readonly actor?: string | undefined
  readonly origin?: string | undefined
  /** The audit entries: one for each member. */
  readonly audit?: { readonly from: AuditEntry; readonly into: AuditEntry } | undefined
}

/** The seq of the newest record of both members of a merge. */
export interface MergeSeen {
  readonly from: number
  readonly into: number
}

/** Effects of a move beside the order. */
export interface Brought {
  /** Rewards of cards and challenges that the order completes. */
  readonly rewards: number
  /** Points of the order that its first guest has spent: the second one can spend them again. */
  readonly points: number
}

/** Request to move an order. */
export interface MoveRequest {
  readonly order: string
  /** Member ids, also of members that were merged since. */
  readonly from: string
  readonly into: string
  readonly reason: string
  /** The most that it may bring about: it was counted. Absent: anything. */
  readonly counted?: Brought | undefined
  /** The idempotency key, its fingerprint of the whole payload. */
  readonly key?: Claim | undefined
  /** The name of the caller. */
  readonly actor?: string | undefined
  readonly origin?: string | undefined
  /** The audit entries: one for each member. */
  readonly audit?: { readonly from: AuditEntry; readonly into: AuditEntry } | undefined
}
