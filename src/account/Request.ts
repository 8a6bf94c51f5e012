/** A request in an account's mailbox: a command to decide, or a read that has to wait for the account to be loaded. */
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
  readonly done: (view: Resident | Trouble) => void
  readonly broke: (cause: Cause.Cause<never>) => void
}

export type Request = CommandRequest | ReadRequest
