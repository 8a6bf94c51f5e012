/**
 * The names of log lines that programs look for: annotation `event`, with its
 * facts. `src/docs/operating.md` lists them all.
 */
import * as Effect from "effect/Effect"

export const logEvents = [
  "start",
  "waiting",
  "joined",
  "node_dead",
  "node_unreachable",
  "node_reachable",
  "freeze",
  "unfreeze",
  "storage_lost",
  "storage_back",
  "clock_disagrees",
  "clock_agrees",
  "writes_failing",
  "writes_back",
  "durability_waiting",
  "durability_back",
  "records_lost",
  "history_changed",
  "pool_failing",
  "pool_back",
  "connector_disabled",
  "admin_key_in_console",
  "provider_failing",
  "guest_code_failing",
  "mail_failing",
  "mail_refused",
  "campaign_mails_rehearsed",
  "role_owns_tables",
  "role_sees_little",
  "secrets_read",
  "secrets_refused",
  "stopping",
  "stopped"
] as const
export type LogEvent = (typeof logEvents)[number]

/** Gives a log line its event and facts. Names of facts are in snake case, durations in ms. */
export const of = (event: LogEvent, facts: Readonly<Record<string, unknown>> = {}) =>
  Effect.annotateLogs({ event, ...facts })

/** A message, with the causes that it does not name: the driver's own says nothing of a machine that is too slow. */
export const explained = (message: string): string =>
  message === "Connection timed out"
    ? "Connection timed out; if psql gets an answer, this machine or PostgreSQL's lacks processors"
    : message

/** The message of the innermost cause: PostgreSQL's or the socket's own. */
export const reasonOf = (error: unknown): string => {
  let inner = error
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause
  return inner instanceof Error ? explained(inner.message) : String(inner)
}
