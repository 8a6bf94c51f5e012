/**
 * A request in an account's mailbox: a command to decide, a read that has to wait
 * for the account to be loaded, or a merge's hold on the account.
 */
import type * as Cause from "effect/Cause"
import type { Command } from "./Guards.ts"
import type { Outcome, Resident, Trouble } from "./Outcome.ts"

export interface CommandRequest {
  readonly type: "command"
  readonly command: Command
  readonly done: (outcome: Outcome) => void
  readonly broke: (cause: Cause.Cause<never>) => void
  tries: number
}

export interface ReadRequest {
  readonly type: "read"
  /** The account itself, also where its member was merged into another. */
  readonly isOfItself: boolean
  readonly done: (view: Resident | Trouble) => void
  readonly broke: (cause: Cause.Cause<never>) => void
}

/** To keep the account from deciding anything else for a while. */
export interface HoldRequest {
  readonly type: "hold"
  /** The account is held until it is released. */
  readonly held: (release: () => void) => void
  readonly done: (trouble: Trouble) => void
  readonly broke: (cause: Cause.Cause<never>) => void
}

export type Request = CommandRequest | ReadRequest | HoldRequest
