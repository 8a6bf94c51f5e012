/**
 * Sessions that were given up with a group in flight. Such a session may still commit its group, so it must end before
 * anything reads what was committed.
 */
import { Effect, Schema } from "effect"
import { int8s, oneOf, texts } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import { JournalUnavailable } from "../Records.ts"
import type { Query } from "./Query.ts"

const aliveRow = oneOf(Schema.Struct({ alive: Schema.Number }))

export class InDoubtSessions {
  /** The start time of each, by process id: PostgreSQL uses process ids again. */
  private readonly sessions = new Map<number, string>()

  add(processId: number, began: string): void {
    this.sessions.set(processId, began)
  }

  get isEmpty(): boolean {
    return this.sessions.size === 0
  }

  /** Terminates the sessions and waits until they have ended. */
  end(query: Query): Effect.Effect<void, JournalUnavailable> {
    const known = [...this.sessions]
    return Effect.flatMap(
      aliveRow(
        query(
          // Materialized: otherwise the planner may terminate every session before it filters them.
          `WITH meant AS MATERIALIZED (
            SELECT a.pid FROM pg_stat_activity a JOIN unnest($1, $2) d(pid, began)
              ON a.pid = d.pid AND a.backend_start::text = d.began AND a.datname = current_database()
          ) SELECT count(*) AS alive FROM meant WHERE NOT pg_terminate_backend(pid, ${Bounds.endSessionMs})`,
          [int8s(known.map(([processId]) => processId)), texts(known.map(([, began]) => began))]
        )
      ),
      ({ alive }) => {
        if (alive !== 0) {
          const cause = new Error("A session that may still commit could not be ended.")
          return Effect.fail(new JournalUnavailable({ cause }))
        }
        for (const [processId, began] of known)
          if (this.sessions.get(processId) === began) this.sessions.delete(processId)
        return Effect.void
      }
    )
  }
}
