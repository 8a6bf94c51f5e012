/** The numbers of all advisory locks, so that no two things share one. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { oneOf } from "./Values.ts"

/** Every append holds it shared; a freeze, a publication and a reset take it alone (migrations/0001_journal.sql). */
export const append = 7_270_001
/** The service that owns an embedded server. */
export const owner = 7_270_002
/** Migrations. */
export const migration = 7_270_003
/** Every node holds it shared; a command that must run alone takes it alone. */
export const serving = 7_270_004
/** Nodes join one after the other. */
export const join = 7_270_005
// 7270008: personal data beside the accounts, shared; an erasure takes it alone (migrations/0008_profiles.sql).
// 7270009 with a programme's hash: changes of its segments, one after the other (migrations/0009_segments.sql).
/** With a campaign's hash: its grants, and its changes. */
export const campaignGrants = 7_270_010
/** With an import's hash: its rows. */
export const importRows = 7_270_011
/** The session that seals spans. */
export const sealing = 7_270_012
/** Sessions that read the journal in one snapshot hold it shared; a drop of an archived span takes it alone. */
export const archiving = 7_270_013
/** With an account's hash: its claims of orders without a guest. */
export const claims = 7_270_014
/** With the hash of an address: sign-ins and joins of guests with it. */
export const guests = 7_270_015
/** The session that indexes claims. */
export const claimsIndex = 7_270_016
// Keys and connectors have locks by their 64-bit hash (KeyedRequests.ts, ConnectorStore.ts).

const aloneRow = oneOf(Schema.Struct({ alone: Schema.Boolean }))

/**
 * False if a node runs on the connection's database, beside which a command must not write. Else none joins, and none
 * that has lost its session is confirmed again, until the connection closes.
 */
export const keepAlone = (connection: PgConnection.PgConnection) =>
  Effect.map(aloneRow(connection.query(`SELECT pg_try_advisory_lock(${serving}) AS alone`)), ({ alone }) => alone)
