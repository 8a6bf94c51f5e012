/** Says to a node over its link that it was declared dead: it may not reach PostgreSQL, and would not end. */
import { Effect, Schedule } from "effect"
import type { Link } from "./Link.ts"

/** Tries of the notice, and the pause between two, ms: the link opens again in between. */
const tries = 10
const pauseMs = 200

/** The notice for a node. Begins with no partition's number, as calls do. */
export const of = (id: string): string => `dead:${id}`

/** Sends it for 2 s at most. To a node that has left in order it means nothing. */
export const send = (link: Link, id: string): Effect.Effect<void> =>
  Effect.retry(link.call(of(id)), { times: tries, schedule: Schedule.spaced(pauseMs) }).pipe(
    Effect.timeoutOption(tries * pauseMs),
    Effect.ignore
  )
