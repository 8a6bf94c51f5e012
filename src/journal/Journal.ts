/**
 * The journal: the durable log that every account decides into.
 *
 * The contract has five parts, so that a function can name the part it uses.
 * `PgJournal` and `MemoryJournal` implement all five. One test suite runs against both.
 */
import { Context } from "effect"
import type { AccountReads } from "./AccountReads.ts"
import type { Append } from "./Append.ts"
import type { DueReads } from "./DueReads.ts"
import type { LedgerReads } from "./LedgerReads.ts"
import type { Switches } from "./Switches.ts"

export class Journal extends Context.Service<Journal, Append & AccountReads & DueReads & LedgerReads & Switches>()(
  "lotbook/journal/Journal"
) {}
