/**
 * The journal: the durable log that every account decides into.
 *
 * The contract is in five parts, so that nobody depends on what they do not use;
 * `PgJournal` and `MemoryJournal` keep all of it, and one test suite holds both to it.
 */
import { Context } from "effect"
import type { AccountReads } from "./AccountReads.ts"
import type { Append } from "./Append.ts"
import type { DueReads } from "./DueReads.ts"
import type { LedgerReads } from "./LedgerReads.ts"
import type { Switches } from "./Switches.ts"

export type * from "./Records.ts"
export { JournalUnavailable } from "./Records.ts"

export class Journal extends Context.Service<Journal, Append & AccountReads & DueReads & LedgerReads & Switches>()(
  "lotbook/journal/Journal"
) {}
