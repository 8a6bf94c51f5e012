/**
 * The PostgreSQL that the service uses, and how to connect to it.
 */
import type { PgClient } from "@effect/sql-pg"
import { Context, Schema } from "effect"

/** The database cannot be used; the message has the reason and the remedy. */
export class DatabaseStartError extends Schema.TaggedError<DatabaseStartError>()("DatabaseStartError", {
  message: Schema.String
}) {}

export class Database extends Context.Service<
  Database,
  {
    readonly clientConfig: PgClient.PgClientConfig
    /** Location of the database, for messages. */
    readonly describe: string
    /** Id of the service, part of the name of each of its sessions; commands have none. */
    readonly holder?: string
    /** True if only services on this machine use it. */
    readonly isEmbedded?: boolean
  }
>()("lotbook/database/Database") {}

/**
 * `application_name` of a session. Invariant: it ends with the holder's id. A
 * standby that takes over ends the sessions with the former holder's id.
 */
export const sessionName = (purpose: string, holder?: string): string =>
  holder === undefined ? `lotbook ${purpose}` : `lotbook ${purpose} ${holder}`

/** The innermost cause of a client's failure, for messages. */
export const causeOf = (error: { readonly message: string; readonly reason: { readonly cause: unknown } }): string =>
  error.reason.cause instanceof Error && error.reason.cause.message !== "" ? error.reason.cause.message : error.message

/** A connection or statement of the start failed. PostgreSQL may have answered, as with a wrong password. */
export const unusable = (describe: string, error: Parameters<typeof causeOf>[0]): DatabaseStartError =>
  new DatabaseStartError({ message: `${describe} cannot be used: ${causeOf(error)}` })
