/**
 * The journal as one ordered stream of records, for those inside the service.
 *
 * Promises: every committed record comes exactly once on the way from
 * `beginning`; nothing is ever put in before a position that was given out;
 * records of an account come in the order of `seq`. A record may come late: an
 * open transaction anywhere in the cluster holds back all that began after it.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { JournalUnavailable, Millis, StoredRecord } from "../journal/Journal.ts"
import type { Position } from "./Position.ts"

export interface FeedRecord extends StoredRecord {
  /** After all of it. */
  readonly position: Position
  /** So many of its events were before the position that was read from. */
  readonly passed: number
}

/** The process with the oldest open transaction, as far as this service's user may see it. */
export interface Holder {
  readonly process: number | undefined
  readonly database: string | undefined
  readonly application: string | undefined
  readonly state: string | undefined
  /** When its transaction began. */
  readonly since: Millis | undefined
}

export interface Lag {
  /** Time of the first record after the position, whether or not it can be read yet; undefined where there is none. */
  readonly oldest: Millis | undefined
  /** Where committed records cannot be read yet: who holds them back. */
  readonly heldBackBy: Holder | undefined
}

/** How far times of records may run backwards in the feed's order: a group waits and takes seconds at the most. */
export const timeSlackMs = 60_000

export class Feed extends Context.Service<
  Feed,
  {
    /** Records after a position, in order, at most `limit`. */
    readonly read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<FeedRecord>, JournalUnavailable>
    /** Before everything that is yet to be committed; some of what was committed lately may follow as well. */
    readonly now: Effect.Effect<Position, JournalUnavailable>
    /** Before every record of a time and later; some older ones may follow as well. */
    readonly at: (time: Millis) => Effect.Effect<Position, JournalUnavailable>
    readonly lag: (after: Position) => Effect.Effect<Lag, JournalUnavailable>
  }
>()("lotbook/feed/Feed") {}
