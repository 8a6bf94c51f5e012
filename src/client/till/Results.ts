/** Results of a till's calls. */
import type {
  RedemptionCaptureOutput,
  RedemptionReserveOutput,
  RedemptionReverseOutput,
  RewardEffect
} from "../generated/Wire.ts"
import type { PauseReason, TillAnswer } from "./Calls.ts"
import type { Outcome } from "./Events.ts"

/** `Answer` is the service's: of a sale an `AccrualPostOutput`, of an adjustment an `OrderAdjustOutput`. */
export interface Accepted<Answer = TillAnswer | undefined> {
  readonly id: string
  /** True if the till kept the same facts already. */
  readonly isRepeat: boolean
  /** Resolves with what becomes of it while this till runs. Never rejects. */
  readonly outcome: Promise<Outcome<Answer>>
}

/** A reward that is held. It can be kept as JSON. */
export interface Hold {
  readonly redemptionId: string
  readonly reservationId: string
  readonly orderId: string
  /** The reward's effect, to apply to the order. */
  readonly effect: RewardEffect
  /** After which a capture comes too late. */
  readonly expiresAt: string
  readonly answer: RedemptionReserveOutput
}

export type CaptureResult =
  | { readonly outcome: "captured"; readonly answer: RedemptionCaptureOutput }
  /** The service does not answer: the till captures it as soon as it does, and tells by an event. */
  | { readonly outcome: "queued"; readonly id: string; readonly remedy: string }
  /** Refused. It is in the list of the refused ones under this id; a code of `expired` says that it came too late. */
  | { readonly outcome: "late"; readonly id: string; readonly code: string; readonly remedy: string }

export type ReverseResult =
  /** The hold is open no more; a captured reward's points are back. */
  | { readonly outcome: "reversed"; readonly answer: RedemptionReverseOutput | undefined }
  | { readonly outcome: "queued"; readonly id: string }
  | { readonly outcome: "refused"; readonly id: string; readonly code: string; readonly remedy: string }

export interface TillState {
  /** Waiting or being sent. */
  readonly queued: number
  readonly sending: number
  readonly refused: number
  /** Rewards that are held and not decided. */
  readonly held: number
  /** When the oldest of those that wait was accepted. */
  readonly oldestAt: string | undefined
  readonly paused: { readonly reason: PauseReason; readonly until: string } | undefined
}
