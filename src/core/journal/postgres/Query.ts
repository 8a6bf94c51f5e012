/** Runs a statement on PostgreSQL, over the connection that its maker chose. */
import type { PgConnection } from "@effect/sql-pg"
import type { Effect } from "effect"
import type { JournalUnavailable } from "../Records.ts"

export type Query = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, JournalUnavailable>
