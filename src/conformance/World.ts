/** One run of the conformance table against one host: what all cases share. */
import type { OperationId, ResponseOf } from "../contract/protocol/Operations.ts"
import type { ProgramDefinition } from "../contract/protocol/Program.ts"
import type { Identity, LedgerEntry } from "../contract/protocol/Resources.ts"
import type { Difference, Watch } from "./Outcome.ts"
import type { Exchange, Host } from "./Host.ts"

export type Balances = ResponseOf<"account.get">["balances"]
export type Entry = typeof LedgerEntry.Type

/** A member that this run enrolled. */
export interface OwnMember {
  readonly member_id: string
  readonly identity: Identity
  /** Every entry that a success answered, by its id. */
  readonly acknowledged: Map<string, { readonly entry: Entry; readonly exchange: Exchange }>
  readonly reservations: Set<string>
  readonly issuedRewards: Set<string>
}

/** What one watch has seen. */
export interface Seen {
  readonly watch: Watch
  answers: number
  readonly differences: Array<Difference>
}

export interface World {
  readonly host: Host
  readonly program: ProgramDefinition
  readonly strict: boolean
  readonly seed: number
  /** Hexadecimal, of this run alone: ids with it cannot be guessed and meet no earlier run's. */
  readonly nonce: string
  /** Operations whose path the host knows. */
  readonly served: ReadonlySet<OperationId>
  /** Those of them that do not answer `write_frozen` now. */
  readonly open: ReadonlySet<OperationId>
  readonly isFrozen: boolean
  /** The host's clock is moved by hand: nothing falls due while the run waits. */
  readonly isSandbox: boolean
  /** As capabilities tell it; undefined where they do not. */
  readonly maxBodyBytes: number | undefined
  readonly members: Map<string, OwnMember>
  readonly seen: ReadonlyArray<Seen>
}
