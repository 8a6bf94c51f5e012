/**
 * The journal on PostgreSQL. Groups are written over connections of their own, and reads have a pool, so that reads
 * never wait behind writes.
 */
import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { Database, DatabaseStartError, sessionName } from "../../database/Database.ts"
import * as Bounds from "../Bounds.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { Journal, JournalUnavailable } from "../Journal.ts"
import * as Store from "../Store.ts"
import * as Eras from "./Eras.ts"
import { InDoubtSessions } from "./InDoubtSessions.ts"
import * as Lane from "./Lane.ts"
import * as PgReads from "./PgReads.ts"
import type { Query } from "./Query.ts"
import { session } from "./Session.ts"

export const layerOf = (options: Eras.EraOptions): Layer.Layer<Journal, DatabaseStartError, Database> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { clientConfig, holder } = yield* Database
      const pool = yield* PgClient.make({
        ...clientConfig,
        applicationName: sessionName("reads", holder),
        connectTimeout: Bounds.connectTimeoutMs,
        maxConnections: Bounds.readerConnections,
        multiplex: true,
        startupParameters: { ...session, statement_timeout: String(Bounds.freezeTimeoutMs) }
      })
      const inDoubt = new InDoubtSessions()
      const ask: Query = (statement, parameters) =>
        Effect.mapError(
          Effect.timeout(pool.unsafe<PgConnection.Row>(statement, parameters), Bounds.freezeTimeoutMs),
          (cause) => new JournalUnavailable({ cause })
        )
      const query: Query = (statement, parameters) => {
        const asked = ask(statement, parameters)
        return inDoubt.isEmpty ? asked : Effect.andThen(inDoubt.end(ask), asked)
      }
      // Before the first append: this server's transaction ids may be lower than stored ones.
      const [installation] = yield* query("SELECT secret, begin_epoch() AS epoch FROM installation", [])
      if (installation === undefined)
        return yield* new DatabaseStartError({ message: "The installation table is empty." })
      const eras = yield* Eras.make(query, options)
      const commit = yield* GroupCommit.make({
        open: Effect.map(Lane.open(clientConfig, holder, inDoubt, eras), eras.counted)
      })
      return Store.make({
        commit,
        secret: String(installation["secret"]),
        reads: PgReads.make(query),
        nextBlock: Effect.map(query("SELECT nextval('account_numbers')::float8 AS first", []), ([row]) =>
          Number(row?.["first"])
        ),
        blockSize: Bounds.accountNumberBlock
      })
    }).pipe(
      Effect.catchTags({
        JournalUnavailable: (error) => Effect.fail(startError(error.cause)),
        SqlError: (error) => Effect.fail(startError(error))
      })
    )
  ).pipe(Layer.provide(Reactivity.layer))

export const layer = layerOf({})

const startError = (cause: unknown) =>
  new DatabaseStartError({
    message: `PostgreSQL does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
  })
