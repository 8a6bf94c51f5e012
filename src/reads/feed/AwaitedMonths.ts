/** The log of a reader of the feed that needs an archived month: without it the reader would wait in silence, for good. */
import { Effect } from "effect"
import type { JournalUnavailable } from "../../core/journal/Records.ts"

/** Wraps the steps of one reader, named as the subject of a sentence in the plural: each month is told once. */
export const told = (name: string) => {
  const months = new Set<string>()
  return <A, R>(step: Effect.Effect<A, JournalUnavailable, R>): Effect.Effect<A, JournalUnavailable, R> =>
    Effect.tapError(step, ({ archived }) => {
      if (archived === undefined || months.has(archived)) return Effect.void
      months.add(archived)
      return Effect.logWarning(
        `${name} wait for records of ${archived}, which are archived: set PROTO_ARCHIVE on all nodes, or run lotbook journal restore ${archived}, or lotbook journal rebuild --from the folder`
      )
    })
}
