/** The state of one run against one host, shared by all cases. */
import type { OperationId, ResponseOf } from "../contract/protocol/Operations.ts"
import type { ProgramDefinition } from "../contract/protocol/Program.ts"
import type { Identity, LedgerEntry } from "../contract/protocol/Resources.ts"
import type { Difference, Watch } from "./CheckOutcome.ts"
import type { Exchange, Host } from "./Host.ts"

export type Balances = ResponseOf<"account.get">["balances"]
export type Entry = typeof LedgerEntry.Type

/** A member that this run enrolled. */
export interface OwnMember {
  readonly member_id: string
  readonly identity: Identity
  /** Every acknowledged entry, by its id. */
  readonly acknowledged: Map<string, { readonly entry: Entry; readonly exchange: Exchange }>
  readonly reservations: Set<string>
  readonly issuedRewards: Set<string>
}

/** Findings of one watch. */
export interface WatchResult {
  readonly watch: Watch
  answers: number
  readonly differences: Array<Difference>
}

export interface World {
  readonly host: Host
  readonly program: ProgramDefinition
  readonly strict: boolean
  readonly seed: number
  /** Random hexadecimal text: makes ids unique over all runs, and unguessable. */
  readonly nonce: string
  /** Operations whose path the host serves. */
  readonly served: ReadonlySet<OperationId>
  /** The served operations that do not answer `write_frozen` now. */
  readonly open: ReadonlySet<OperationId>
  readonly isFrozen: boolean
  /** True if the host's clock moves only by hand: nothing becomes due while the run waits. */
  readonly isSandbox: boolean
  /** A sandbox's clock, ms, as its newest answer tells it: orders are placed then. */
  hostAt?: number
  /** Whether the cases can use a reward, as an evaluation showed: no other answer shows the programme's limits. */
  readonly usable: Map<string, boolean>
  /** From capabilities; undefined if absent there. */
  readonly maxBodyBytes: number | undefined
  readonly members: Map<string, OwnMember>
  readonly watchResults: ReadonlyArray<WatchResult>
}
