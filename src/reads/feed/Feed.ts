/**
 * The journal as one ordered stream of records, for other parts of the service.
 *
 * Promises: reading from `beginning` returns every committed record exactly once;
 * no record appears later before a returned position; records of one account are
 * ordered by `seq`. A record may be delayed: an open transaction anywhere in the
 * cluster holds back every transaction that began after it.
 */

import type { Effect } from "effect"
import { Context } from "effect"
import type { JournalUnavailable, Millis, StoredRecord } from "../../core/journal/Records.ts"
import type { Position } from "./Position.ts"

export interface FeedRecord extends StoredRecord {
  /** The position after this record. */
  readonly position: Position
}

export class Feed extends Context.Service<
  Feed,
  {
    /** At most `limit` records after a position, in order. */
    readonly read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<FeedRecord>, JournalUnavailable>
    /** Time of the first record after a position, readable or not; undefined without one. */
    readonly oldestAfter: (after: Position) => Effect.Effect<Millis | undefined, JournalUnavailable>
  }
>()("lotbook/reads/feed/Feed") {}
