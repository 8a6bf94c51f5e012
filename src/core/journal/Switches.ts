/** State of the journal as a whole: its freeze, the programmes' revision, its newest time, whether it answers. */
import type { Effect } from "effect"
import type { AuditEntry } from "./Audit.ts"
import type { JournalUnavailable, Millis } from "./Records.ts"

export interface Switches {
  /** The time of the newest record, or undefined when there is none. */
  readonly newestAt: Effect.Effect<Millis | undefined, JournalUnavailable>

  /** The revision of all programmes: records that were decided under another one are rejected. */
  readonly revision: Effect.Effect<number, JournalUnavailable>

  readonly isFrozen: Effect.Effect<boolean, JournalUnavailable>

  /** Keeps the switch; answers once every earlier append, on every node, has ended. */
  readonly setFrozen: (frozen: boolean, audit?: AuditEntry) => Effect.Effect<void, JournalUnavailable>

  /** Succeeds when PostgreSQL answers. */
  readonly ping: Effect.Effect<void, JournalUnavailable>
}
