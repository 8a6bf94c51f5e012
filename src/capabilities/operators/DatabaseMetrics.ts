/**
 * Database metrics that each node reads at intervals: size, connections, the oldest transaction, WAL
 * archiving, the last verification, and the records that the figures do not include yet.
 */
import { Effect, Layer, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { firstOf } from "../../base/database/Values.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Bounds from "./Bounds.ts"

interface Gauge {
  readonly name: string
  readonly description: string
  /** NaN instead of null: there is no value. */
  readonly sql: string
  /** It is so at this moment alone: without an answer there is no value. */
  readonly isMomentary?: true
}

/** Of the last run with all accounts; `condition`: of the last such run. */
const lastVerification = (column: string, condition = "true") =>
  `(SELECT ${column} FROM verifications WHERE share = 100 AND program_id IS NULL AND ${condition} ORDER BY n DESC LIMIT 1)`
const isFull = "after_span IS NULL"

const ifArchived = (value: string) =>
  `(SELECT CASE WHEN current_setting('archive_mode') <> 'off' THEN ${value} END FROM pg_stat_archiver)`

const gauges: ReadonlyArray<Gauge> = [
  {
    name: "lotbook_database_size_bytes",
    description: "Size of the database on disk",
    sql: "pg_database_size(current_database())"
  },
  {
    name: "lotbook_database_connections",
    description: "Connections of the server to all its databases, of the service and of others",
    sql: "(SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL)",
    isMomentary: true
  },
  {
    name: "lotbook_database_connections_limit",
    description: "Most connections of the server to all its databases (max_connections)",
    sql: "current_setting('max_connections')::int"
  },
  {
    name: "lotbook_database_oldest_transaction_seconds",
    description: "Age of the oldest open or prepared transaction of the server that the service's role can see",
    sql: `(SELECT coalesce(max(extract(epoch FROM clock_timestamp() - began)), 0) FROM (
      SELECT xact_start AS began FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
      UNION ALL SELECT prepared FROM pg_prepared_xacts) t)`,
    isMomentary: true
  },
  {
    name: "lotbook_database_sees_others",
    description: "1 if the service's role sees other roles' transactions (pg_read_all_stats), else 0",
    sql: "(SELECT pg_has_role('pg_read_all_stats', 'USAGE')::int)"
  },
  {
    name: "lotbook_wal_archived_timestamp_seconds",
    description: "When the WAL was last archived, seconds since 1970; 0: never; NaN: archive_mode is off",
    sql: ifArchived("coalesce(extract(epoch FROM last_archived_time), 0)")
  },
  {
    name: "lotbook_wal_archive_failures",
    description: "Failed calls of archive_command since the server's statistics began; NaN: archive_mode is off",
    sql: ifArchived("failed_count")
  },
  {
    name: "lotbook_verify_timestamp_seconds",
    description: "When journal verify last ended with all accounts, seconds since 1970; 0: never",
    sql: `coalesce(${lastVerification("extract(epoch FROM at)")}, 0)`
  },
  {
    name: "lotbook_verify_full_timestamp_seconds",
    description: "When journal verify last ended with all accounts and every record, seconds since 1970; 0: never",
    sql: `coalesce(${lastVerification("extract(epoch FROM at)", isFull)}, 0)`
  },
  {
    // A run from the last seal on does not look for what a full one has found.
    name: "lotbook_verify_differences",
    description:
      "Differences that the last journal verify, or the last full one, found, whichever are more; NaN: it never ran",
    sql: `greatest(${lastVerification("differences")}, ${lastVerification("differences", isFull)})`
  },
  {
    name: "lotbook_rollups_pending_records",
    description: `Records that the operators' figures do not include yet, counted up to ${Bounds.countedPending}`,
    sql: `(SELECT count(*) FROM (SELECT FROM journal j, rollup_progress p
      WHERE (j.epoch, j.transaction, j.account, j.seq) > (p.epoch, p.transaction, p.account, p.seq)
      LIMIT ${Bounds.countedPending}) pending)`
  }
]

const statement = `SELECT ${gauges.map(({ name, sql }) => `(${sql})::float8 AS ${name}`).join(",\n  ")}`

const valuesOf = firstOf(Schema.Record(Schema.String, Schema.NullOr(Schema.Number)))

/** Registers the gauges and refreshes them every `Bounds.databaseMetricsMs`, by the machine's clock. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { query } = yield* WorkPool
    const values = new Map<string, number>()
    const read = Effect.map(valuesOf(query(statement)), (row) => {
      for (const { name } of gauges) values.set(name, row?.[name] ?? Number.NaN)
    })
    for (const { description, name } of gauges) {
      yield* Series.gauge(name, { description }, () => values.get(name) ?? Number.NaN)
    }
    const forget = Effect.sync(() => {
      for (const { isMomentary, name } of gauges) if (isMomentary) values.delete(name)
    })
    const keep = Effect.andThen(
      Effect.catch(read, () =>
        Effect.andThen(forget, Effect.logDebug("The metrics of the database could not be read"))
      ),
      Effect.sleep(Bounds.databaseMetricsMs)
    )
    yield* Effect.forkScoped(Effect.forever(keep))
  })
)
