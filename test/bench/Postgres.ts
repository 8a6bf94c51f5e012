/**
 * Embedded PostgreSQL servers of the benchmark's own, and what they count:
 * the same binaries, settings and durability as the service's.
 */
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Client } from "pg"
import * as EmbeddedPostgres from "../../src/database/embedded/EmbeddedPostgres.ts"
import * as LogAhead from "./LogAhead.ts"

export interface Postgres {
  readonly url: string
  readonly version: string
  /** Of the server's first process. */
  readonly pid: number
  /** Where it keeps its files. */
  readonly folder: string
  readonly checkpoint: Effect.Effect<void>
  readonly counters: Effect.Effect<Counters>
  /** The era in which claims are made. */
  readonly era: Effect.Effect<number>
  /** Ledger entries in the service's tables; reads them all. */
  readonly entryCount: Effect.Effect<number>
  /** The largest N of which there is a member `<prefix>N`. */
  readonly memberCount: (prefix: string) => Effect.Effect<number>
}

/** Running totals. Those of pg_stat views are told by each backend once a second or so, all at the same time. */
export interface Counters {
  /** Position in the write-ahead log, bytes; exact. */
  readonly wal: number
  readonly fullPageImages: number
  readonly fsyncs: number
  readonly entries: number
  readonly records: number
  readonly appends: number
  readonly checkpoints: number
}

const countersStatement = `select
  (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal,
  (select wal_fpi::float8 from pg_stat_wal) as full_page_images,
  (select coalesce(sum(fsyncs), 0)::float8 from pg_stat_io where object = 'wal') as fsyncs,
  (select coalesce(sum(n_tup_ins), 0)::float8 from pg_stat_user_tables where relname in ('ledger_entries', 'ledger')) as entries,
  (select coalesce(sum(n_tup_ins), 0)::float8 from pg_stat_user_tables where relname = 'journal') as records,
  (select coalesce(sum(calls), 0)::float8 from pg_stat_user_functions where funcname = 'append_records') as appends,
  (select (num_timed + num_requested)::float8 from pg_stat_checkpointer) as checkpoints`

const promised = <A>(run: () => Promise<A>) => Effect.promise(run)

/** The server of a data folder, for as long as the scope lives. */
export const make = Effect.fnUntraced(function* (folder: string) {
  const isNew = !fs.existsSync(path.join(folder, "postgres"))
  const { clientConfig } = yield* EmbeddedPostgres.make(folder)
  // On a new server each next file of the log would hold up commits; on one in use they are there.
  if (isNew) yield* Effect.orDie(LogAhead.make(clientConfig, folder))
  const { host, password, port, username } = clientConfig
  if (!Redacted.isRedacted(password)) throw new Error("the embedded server has a password")
  const url = `postgres://${username}:${Redacted.value(password)}@${host}:${port}/postgres`
  const client = new Client({ connectionString: url, application_name: "lotbook bench" })
  // The server is stopped under this connection when a benchmark is interrupted.
  client.on("error", () => undefined)
  yield* promised(() => client.connect())
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => client.end())))
  // How often append_records is called costs two clock readings a group.
  yield* Effect.acquireRelease(
    promised(() => client.query("alter database postgres set track_functions = 'pl'")),
    () => Effect.ignore(Effect.tryPromise(() => client.query("alter database postgres reset track_functions")))
  )
  const about = yield* promised(() =>
    client.query("select version() as version, setting from pg_settings where name = 'data_directory'")
  )
  const data = String(about.rows[0]?.setting)
  const [pid] = fs.readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")
  const postgres: Postgres = {
    url,
    version: String(about.rows[0]?.version).split(" on ")[0] ?? "",
    pid: Number(pid),
    folder: data,
    era: Effect.map(
      promised(() => client.query("select max(era) as era from eras")),
      ({ rows }) => Number(rows[0]?.era)
    ),
    entryCount: Effect.map(
      promised(() => client.query("select count(*)::float8 as entries from ledger_entries")),
      ({ rows }) => Number(rows[0]?.entries)
    ),
    memberCount: (prefix) =>
      Effect.map(
        promised(() =>
          client.query(
            `select coalesce(max(substr(member_id, length($1) + 1)::bigint), 0)::float8 as members from accounts
            where member_id ~ ('^' || $1 || '[0-9]+$')`,
            [prefix]
          )
        ),
        ({ rows }) => Number(rows[0]?.members)
      ),
    checkpoint: Effect.asVoid(promised(() => client.query("checkpoint"))),
    counters: Effect.map(
      promised(() => client.query(countersStatement)),
      ({ rows }) => {
        const row: Record<string, unknown> = rows[0] ?? {}
        return {
          wal: Number(row["wal"]),
          fullPageImages: Number(row["full_page_images"]),
          fsyncs: Number(row["fsyncs"]),
          entries: Number(row["entries"]),
          records: Number(row["records"]),
          appends: Number(row["appends"]),
          checkpoints: Number(row["checkpoints"])
        }
      }
    )
  }
  return postgres
})
