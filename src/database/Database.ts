/**
 * Which PostgreSQL the service uses, and how to connect to it.
 */
import type { PgClient } from "@effect/sql-pg"
import { Context, Schema } from "effect"

/** The database cannot be used; the message says why and what to do. */
export class DatabaseStartError extends Schema.TaggedError<DatabaseStartError>()("DatabaseStartError", {
  message: Schema.String
}) {}

export class Database extends Context.Service<
  Database,
  {
    readonly clientConfig: PgClient.PgClientConfig
    /** For people: where it is. */
    readonly describe: string
    /** Id of the service that uses it, in the name of each of its sessions; commands have none. */
    readonly holder?: string
    /** Used by services of this machine alone. */
    readonly isEmbedded?: boolean
  }
>()("lotbook/database/Database") {}

/**
 * `application_name` of a session. Invariant: it ends with the holder's id, as a
 * standby that takes over ends the sessions so named.
 */
export const sessionName = (purpose: string, holder?: string): string =>
  holder === undefined ? `lotbook ${purpose}` : `lotbook ${purpose} ${holder}`

/** The cause under a failure of the client, for people. */
export const causeOf = (error: { readonly message: string; readonly reason: { readonly cause: unknown } }): string =>
  error.reason.cause instanceof Error && error.reason.cause.message !== "" ? error.reason.cause.message : error.message
