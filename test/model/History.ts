/**
 * Commands of callers and their answers: one exchange a command, with the
 * one definite answer that its retries came to.
 */
import type { OperationId, RequestOf, ResponseOf } from "../../src/contract/protocol/Operations.ts"

/** The operations that the callers use. */
export type Played =
  | "member.enroll"
  | "account.get"
  | "ledger.list"
  | "ledger.manual_adjustment"
  | "accrual.post"
  | "order.adjust"
  | "redemption.reserve"
  | "redemption.capture"
  | "redemption.reverse"

export type PayloadOf<Id extends OperationId> = Omit<RequestOf<Id>, "context">

/** A success of the operation's shape, or a problem's code. */
export type AnswerOf<Id extends OperationId> =
  | { readonly status: number; readonly body: ResponseOf<Id> }
  | { readonly status: number; readonly code: string }

export interface ExchangeOf<Id extends OperationId> {
  readonly operation: Id
  readonly payload: PayloadOf<Id>
  /** The idempotency key, the same in every attempt. */
  readonly key: string
  /** How often it was sent. */
  readonly attempts: number
  /** When the attempt that was answered left, and when its answer was there, ms. */
  readonly sentAt: number
  readonly answeredAt: number
  readonly answer: AnswerOf<Id>
}

export type Exchange = { [Id in Played]: ExchangeOf<Id> }[Played]

/** One guest's exchanges, in the order in which their one caller made them. */
export interface History {
  readonly member: string
  /** The guest's ids: its own, and those of guests who were merged into it. */
  readonly names: Array<string>
  readonly exchanges: Array<Exchange>
}

/** Something that must never be. */
export interface Fault {
  readonly kind: "lost" | "doubled" | "wrong" | "internal_error" | "unknown_answer" | "unanswered" | "service"
  readonly member: string
  readonly detail: string
}

export const isWrite = (operation: Played): boolean => operation !== "account.get" && operation !== "ledger.list"
