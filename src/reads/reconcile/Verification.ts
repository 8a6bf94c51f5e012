/** Options and result of a verification. */
import type { Effect } from "effect"
import type { Difference } from "./Difference.ts"

export interface Progress {
  readonly accounts: number
  readonly records: number
  readonly entries: number
  /** From 0 to 1. */
  readonly done: number
}

export interface Verified {
  readonly accounts: number
  readonly records: number
  readonly entries: number
  /** Snapshots of another format, which are not compared: the service writes new ones. */
  readonly foreignSnapshots: number
  /** Differences found, reported or not. */
  readonly differences: number
  /**
   * The last record that the operators' figures include, so the last one up to which they were compared; undefined: they
   * were not.
   */
  readonly figuresTo: string | undefined
  /** The same of the sums of finance. */
  readonly financeTo: string | undefined
  /** Archived spans that were verified out of their files. */
  readonly archived: number
  /** The last sealed span, if only what came after it was verified. */
  readonly after: number | undefined
}

/** The accounts to verify. */
export interface Choice {
  /** Percent of the accounts, 1 to 100. */
  readonly share: number
  /** Only accounts of this programme, according to their row or their journal. */
  readonly program?: string | undefined
}

export interface VerifyOptions extends Choice {
  /** True: everything, whatever is sealed. */
  readonly isFull?: boolean | undefined
  /** Rows of any one table in a range (`Bounds.rangeRows`). */
  readonly rangeRows?: number | undefined
  readonly onDifference: (difference: Difference, name: string | undefined) => Effect.Effect<void>
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
}
