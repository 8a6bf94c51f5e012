/**
 * The journal on PostgreSQL. Groups are written over connections of their own, and reads have a pool, so that reads
 * never wait behind writes.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { answerWithin } from "../../../base/database/Answer.ts"
import * as Connect from "../../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../../base/database/Database.ts"
import * as Durability from "../../../base/database/Durability.ts"
import { firstOf, oneOf } from "../../../base/database/Values.ts"
import * as Series from "../../../base/metrics/Series.ts"
import { Acknowledged } from "../Acknowledged.ts"
import { type AuditEntry, auditText } from "../Audit.ts"
import { ArchiveFiles } from "../archive/ArchiveFiles.ts"
import * as Bounds from "../Bounds.ts"
import * as GroupCommit from "../GroupCommit.ts"
import * as JournalOf from "../Journal.ts"
import { Journal } from "../Journal.ts"
import { JournalUnavailable, unavailableBy } from "../Records.ts"
import * as ArchivedReads from "./ArchivedReads.ts"
import * as EndedKeys from "./EndedKeys.ts"
import * as Eras from "./Eras.ts"
import { InDoubtSessions } from "./InDoubtSessions.ts"
import * as PgReads from "./PgReads.ts"
import type { Query } from "./Query.ts"
import { settings } from "./Session.ts"
import * as Spans from "./Spans.ts"
import * as WriteConnection from "./WriteConnection.ts"

const installationRow = firstOf(Schema.Struct({ secret: Schema.String, lost_records: Schema.Number }))
const blockRow = oneOf(Schema.Struct({ first: Schema.Number }))

export const layerFrom = (options: Eras.EraOptions): Layer.Layer<Journal, DatabaseStartError, Database> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const database = yield* Database
      const { durability = Durability.none, lineage } = database
      const acknowledged = new Acknowledged()
      lineage?.remember(acknowledged)
      const { statementTimeoutMs } = Bounds
      const pool = yield* Connect.pool({ name: "reads", settings, statementTimeoutMs, multiplex: true })
      const inDoubt = new InDoubtSessions()
      const ask: Query = (statement, parameters) =>
        Effect.mapError(Effect.timeout(pool.query(statement, parameters), Bounds.answerTimeoutMs), unavailableBy)
      const afterDoubt = afterDoubtOf(durability, inDoubt, ask)
      const query: Query = (statement, parameters) => afterDoubt(ask(statement, parameters))
      const setFrozen: Journal["Service"]["setFrozen"] = (frozen, audit) =>
        afterDoubt(
          Effect.tapError(setFrozenOn(database, frozen, audit), () => Effect.sync(durability.doubt)).pipe(
            Effect.mapError((cause) => new JournalUnavailable({ cause }))
          )
        )
      // Before the first append: this server's transaction ids may be lower than stored ones.
      const installation = yield* installationRow(
        query("SELECT secret, begin_epoch() AS epoch, lost_records FROM installation", [])
      )
      if (installation === undefined)
        return yield* new DatabaseStartError({ message: "The installation table is empty." })
      const { lost_records, secret } = installation
      yield* Series.counter(
        "lotbook_journal_lost_records_total",
        { description: "Acknowledged records that a service had in memory and the database lacked" },
        () => lost_records
      )
      const eras = yield* Eras.make(query, options)
      const keys = yield* EndedKeys.make(query, options.keyFilterBytes)
      const known: WriteConnection.Known = {
        ended: eras.ended,
        keys,
        relearn: () => {
          keys.forget()
          eras.relearn()
        }
      }
      yield* Spans.make(query)
      const commit = yield* GroupCommit.make({
        open: (lost) =>
          Effect.map(WriteConnection.open(database, inDoubt, known, lost), (write) =>
            acknowledged.kept(eras.counted(write))
          )
      })
      return JournalOf.make({
        commit,
        secret,
        readsAndSwitches: {
          ...ArchivedReads.through(query, yield* ArchiveFiles, PgReads.make(query, keys)),
          setFrozen
        },
        nextBlock: Effect.map(blockRow(query("SELECT nextval('account_numbers') AS first", [])), ({ first }) => first),
        blockSize: Bounds.accountNumberBlock
      })
    }).pipe(
      Effect.catchTags({
        JournalUnavailable: (error) => Effect.fail(startError(error.cause)),
        SqlError: (error) => Effect.fail(startError(error))
      })
    )
  )

export const layer = layerFrom({})

/** Asks once everything that shows is durable, and no session is left that may still write. */
const afterDoubtOf = (durability: Durability.Durability, inDoubt: InDoubtSessions, ask: Query) => {
  const durable = Effect.mapError(durability.confirmed, (cause) => new JournalUnavailable({ cause }))
  const settled = Effect.suspend(() => {
    if (inDoubt.isEmpty) return durable
    // Commits of an ended session may show although the standby lacks them.
    return Effect.andThen(
      Effect.tap(inDoubt.end(ask), () => Effect.sync(durability.doubt)),
      durable
    )
  })
  // Looked at when it runs: some questions are made once and asked often.
  return <A>(asked: Effect.Effect<A, JournalUnavailable>) =>
    Effect.suspend(() => (inDoubt.isEmpty && durability.isConfirmed() ? asked : Effect.andThen(settled, asked)))
}

/** Over a session of its own: it waits for groups in flight, and reads behind it on a shared one would wait as well. */
const setFrozenOn = (database: Database["Service"], frozen: boolean, audit: AuditEntry | undefined) => {
  const { freezeTimeoutMs } = Bounds
  return Effect.scoped(
    Effect.flatMap(
      PgConnection.make(Connect.session(database, { name: "freeze", settings, statementTimeoutMs: freezeTimeoutMs })),
      (own) =>
        answerWithin(
          own.query("SELECT set_write_frozen($1::boolean, $2::text::jsonb)", [
            PgTypes.bool(frozen),
            PgTypes.text(audit === undefined ? null : auditText(audit))
          ]),
          freezeTimeoutMs
        )
    )
  ).pipe(Effect.asVoid)
}

const startError = (cause: unknown) =>
  new DatabaseStartError({
    message: `PostgreSQL does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
  })
