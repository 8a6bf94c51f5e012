/**
 * The PostgreSQL that the service uses, and how to connect to it.
 */
import type { PgClient } from "@effect/sql-pg"
import { Context, Schema } from "effect"
import { explained } from "../metrics/LogEvent.ts"
import type { Credentials } from "./Credentials.ts"
import type { Durability } from "./Durability.ts"
import type { Lineage } from "./Lineage.ts"
// Every connection reads and writes values by these codecs.
import "./Values.ts"

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
    /** The passwords of its role; the embedded server and tests have none that changes. */
    readonly credentials?: Credentials
    /** Id of the service, part of the name of each of its sessions; commands have none. */
    readonly holder?: string
    /** Which history of the database the service knows; commands know none. */
    readonly lineage?: Lineage
    /** Whether what the database shows is durable; commands do not ask. */
    readonly durability?: Durability
    /** True if only services on this machine use it. */
    readonly isEmbedded?: boolean
  }
>()("lotbook/base/database/Database") {}

/** The innermost cause of a client's failure, for messages. */
export const causeOf = (error: { readonly message: string; readonly reason: { readonly cause: unknown } }): string =>
  explained(
    error.reason.cause instanceof Error && error.reason.cause.message !== ""
      ? error.reason.cause.message
      : error.message
  )

/** A connection or statement of the start failed. PostgreSQL may have answered, as with a wrong password. */
export const unusable = (describe: string, error: Parameters<typeof causeOf>[0]): DatabaseStartError =>
  new DatabaseStartError({ message: `${describe} cannot be used: ${causeOf(error)}${remedyOf(causeOf(error))}` })

/** A pooler that refuses the settings of a session. */
const remedyOf = (message: string): string =>
  /unsupported startup parameter/.test(message)
    ? ". DATABASE_URL leads to a connection pooler: give the address of PostgreSQL itself"
    : ""
