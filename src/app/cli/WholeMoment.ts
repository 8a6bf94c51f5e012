/** A moment of the database for commands that need every record since an instant (contract/databases.md *Archive*). */
import { Effect } from "effect"
import * as Moment from "../../base/database/Moment.ts"
import { CannotRun } from "./StorageCommand.ts"

/** Opens a moment. Refuses if records since an instant, ms, lie in files. */
export const wholeMoment = Effect.fnUntraced(function* (purpose: string, since: number) {
  const connection = yield* Moment.open(purpose)
  const month = yield* Moment.archivedSince(connection, since)
  if (month === undefined) return connection
  return yield* new CannotRun({
    message: `Records of ${month} are archived. Bring them back first: lotbook journal restore ${month} --from DIR`
  })
})
