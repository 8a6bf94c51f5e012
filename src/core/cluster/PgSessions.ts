/** The membership on PostgreSQL: its two sessions and their statements. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import { Database } from "../../base/database/Database.ts"
import { timeRow, timeStatement } from "../../base/database/DatabaseTime.ts"
import { isAlive } from "../../base/database/embedded/Processes.ts"
import * as Locks from "../../base/database/Locks.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { sessionName } from "../../base/database/SessionName.ts"
import { int4s, int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import { softwareVersion } from "../../contract/Version.ts"
import type { BeatSession, MembershipOptions, PlacementSession } from "./Membership.ts"
import * as Membership from "./Membership.ts"
import { SessionFailed } from "./Membership.ts"
import { protocol } from "./Placement.ts"

const nodeRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    address: Schema.String,
    protocol: Schema.Number,
    version: Schema.String,
    process: Schema.NullOr(Schema.Number),
    beat: Schema.Number,
    wants: Schema.Boolean,
    dead: Schema.Boolean,
    changes: Schema.Number
  })
)
const ownerRows = rowsOf(Schema.Struct({ owner: Schema.NullOr(Schema.String) }))
const partitionRows = rowsOf(Schema.Struct({ partition: Schema.Number }))
const remainingRow = oneOf(Schema.Struct({ remaining: Schema.Number }))
const othersRow = oneOf(Schema.Struct({ others: Schema.Number }))

/** Timeout of a connection attempt, ms. */
const connectMs = 2_000
/** Most checks for whether terminated sessions have ended, and the pause between them, ms: 2 s in all. */
const endChecks = 200
const endCheckMs = 10

/** If the node's machine is cut off, the server ends its sessions within seconds. */
const keepalives = { tcp_keepalives_idle: "1", tcp_keepalives_interval: "1", tcp_keepalives_count: "2" }

interface PgMembershipOptions extends Pick<MembershipOptions, "clockCheck" | "environment" | "id"> {
  /** Host and port of the link between nodes. */
  readonly address: string
}

/**
 * Ends the other sessions whose name ends with $1, of this database alone: a restored copy on the same server names the
 * nodes of the database that it was copied from. Materialized: otherwise the planner may call pg_terminate_backend before
 * the filter.
 */
const endSessionsStatement = `WITH former AS MATERIALIZED (SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND right(application_name, length($1)) = $1 AND pid <> pg_backend_pid())
  SELECT count(pg_terminate_backend(pid)) AS remaining FROM former`

/** Deletes a node's row and keeps the time of its last beat. */
const forgetStatement = (
  condition: string
) => `WITH gone AS (DELETE FROM nodes WHERE id = $1 AND ${condition} RETURNING beat_at)
  UPDATE newest_beat SET at = greatest(at, (SELECT beat_at FROM gone))`

/** Gives all partitions of a node away. */
const releaseStatement = "UPDATE partitions SET owner = NULL, epoch = epoch + 1 WHERE owner = $1"

const failed = Effect.mapError((cause: unknown) => new SessionFailed({ cause }))

/** Opens a session; one of the same name that a claim has kept is ended first. */
const open = Effect.fnUntraced(function* (
  { clientConfig, lineage }: Database["Service"],
  name: string,
  parameters: Readonly<Record<string, string>>
) {
  const connection = yield* PgConnection.make({
    ...clientConfig,
    applicationName: name,
    connectTimeout: connectMs,
    startupParameters: { ...keepalives, ...parameters }
  })
  if (lineage !== undefined) yield* lineage.check(connection)
  yield* connection.query(endSessionsStatement, [name])
  return (statement: string, values: ReadonlyArray<unknown> = []) =>
    failed(Effect.map(connection.query(statement, values), ({ rows }) => rows))
}, failed)

const openBeats = (
  database: Database["Service"],
  { address, environment, id }: PgMembershipOptions
): Effect.Effect<BeatSession, SessionFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { durability } = database
    // A beat must not wait for a slow disk: other owners would not help, as they have the same disk.
    const rows = yield* open(database, sessionName("node", id), { synchronous_commit: "off" })
    const scope = yield* Effect.scope
    yield* rows(`SELECT pg_advisory_lock_shared(${Locks.serving})`)
    const add = Effect.gen(function* () {
      // One after the other, so that just one is the first.
      yield* rows(`SELECT pg_advisory_lock(${Locks.join})`)
      const { others } = yield* othersRow(
        rows("SELECT count(*) AS others FROM nodes WHERE NOT dead AND id <> $1", [id])
      )
      if (environment === "sandbox" && others > 0) return "refused" as const
      yield* rows("SET synchronous_commit = on")
      yield* rows(
        `INSERT INTO nodes (id, address, protocol, version, process) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
        [id, address, PgTypes.int4(protocol), softwareVersion, PgTypes.int4(process.pid)]
      )
      yield* rows("SET synchronous_commit = off")
      return others === 0 ? ("first" as const) : ("joined" as const)
    })
    return {
      time: timeRow(rows(timeStatement)),
      join: Effect.gen(function* () {
        // Joining waits for the synchronous standby. Asked too, `durability` says in the log and as a metric what for.
        durability?.doubt()
        if (durability !== undefined) yield* Effect.forkIn(durability.wait, scope)
        const outcome = yield* add
        yield* rows(`SELECT pg_advisory_unlock(${Locks.join})`)
        return outcome
      }),
      beat: Effect.map(
        rows(
          `UPDATE nodes SET beat = beat + 1, beat_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            WHERE id = $1 AND NOT dead RETURNING true`,
          [id]
        ),
        (found) => found.length === 1
      ),
      // The row first: nothing of this node commits from then on, and its partitions are claimable without it.
      leave: Effect.andThen(rows(forgetStatement("NOT dead"), [id]), Effect.asVoid(rows(releaseStatement, [id])))
    }
  })

const openPlacement = (
  database: Database["Service"],
  { id }: PgMembershipOptions
): Effect.Effect<PlacementSession, SessionFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const rows = yield* open(database, sessionName("placement", id), { synchronous_commit: "on" })
    return {
      look: Effect.map(
        nodeRows(
          rows(`SELECT n.id, address, protocol, version, process, beat, wants, dead, changes
            FROM (SELECT sum(epoch)::bigint AS changes FROM partitions) p, nodes n ORDER BY n.id`)
        ),
        (found) => ({ rows: found, changes: found[0]?.changes ?? -1 })
      ),
      owners: Effect.map(ownerRows(rows("SELECT owner FROM partitions ORDER BY partition")), (found) =>
        found.map(({ owner }) => owner)
      ),
      fence: (other, beat) =>
        Effect.map(
          rows("UPDATE nodes SET dead = true WHERE id = $1 AND beat = $2 AND NOT dead RETURNING true", [
            other,
            int8(beat)
          ]),
          (found) => found.length === 1
        ),
      // Polls instead of pg_terminate_backend's timeout argument, which waits 100 ms for each session in turn.
      endSessions: Effect.fnUntraced(function* (other) {
        for (let checks = 1; ; checks++) {
          const { remaining } = yield* remainingRow(rows(endSessionsStatement, [other]))
          if (remaining === 0 || checks === endChecks) return remaining
          yield* Effect.sleep(endCheckMs)
        }
      }),
      forget: (other) => Effect.asVoid(rows(forgetStatement("dead"), [other])),
      claim: (partitions) =>
        Effect.map(
          partitionRows(
            rows(
              `UPDATE partitions p SET owner = $1, epoch = epoch + 1 WHERE partition = ANY ($2) AND is_live($1)
                AND (owner IS NULL OR NOT EXISTS (SELECT FROM nodes n WHERE n.id = p.owner)) RETURNING partition`,
              [id, int4s(partitions)]
            )
          ),
          (found) => found.map(({ partition }) => partition)
        ),
      release: (partitions) =>
        Effect.asVoid(
          rows("UPDATE partitions SET owner = NULL, epoch = epoch + 1 WHERE owner = $1 AND partition = ANY ($2)", [
            id,
            int4s(partitions)
          ])
        ),
      want: (wants) =>
        Effect.asVoid(
          rows("UPDATE nodes SET wants = $2, leaves = NOT $2 AND (wants OR leaves) WHERE id = $1", [
            id,
            PgTypes.bool(wants)
          ])
        )
    }
  })

/**
 * Gives up what this process had as another node, before PostgreSQL went on elsewhere: others need not wait for its death.
 * The row first: nothing of that node commits from then on.
 */
export const forgetFormer = Effect.fnUntraced(function* (former: string) {
  const { query } = yield* PeoplePool
  yield* query(forgetStatement("NOT dead"), [former])
  yield* query(releaseStatement, [former])
})

/** Is a node of the database until the scope closes. */
export const make = Effect.fnUntraced(function* (options: PgMembershipOptions) {
  const database = yield* Database
  const { durability, lineage } = database
  const membership = yield* Membership.make({
    ...options,
    openBeats: openBeats(database, options),
    openPlacement: openPlacement(database, options),
    onGone: () => durability?.doubt(),
    // Process ids are comparable only on one machine. A row with our own id is from an ended process.
    isGone: ({ process: former }) =>
      database.isEmbedded === true && former !== null && (former === process.pid || !isAlive(former))
  })
  const { node } = membership
  const isOfHistory = () => lineage?.isCurrent() ?? true
  return {
    ...membership,
    node: {
      ...node,
      isCurrent: () => isOfHistory() && node.isCurrent(),
      isAdmitting: () => isOfHistory() && node.isAdmitting(),
      isAwaitingStorage: () => node.isAwaitingStorage() || durability?.isConfirmed() === false
    }
  }
})
