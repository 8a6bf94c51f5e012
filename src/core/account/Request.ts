/**
 * A request in an account's mailbox: a command to decide, a read that has to wait
 * for the account to be loaded, or a merge's hold on the account.
 */
import type * as Cause from "effect/Cause"
import type { Command } from "./Command.ts"
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
