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
  }
>()("lotbook/database/Database") {}

/** What lies under a failure of the client, for people. */
export const causeOf = (error: { readonly message: string; readonly reason: { readonly cause: unknown } }): string =>
  error.reason.cause instanceof Error && error.reason.cause.message !== "" ? error.reason.cause.message : error.message
