/**
 * Which accounts and rewards of a programme members still use, read from the
 * database: no account is woken for it.
 */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Clock, Effect, Layer, Result } from "effect"
import { Database } from "../database/Database.ts"
import { JournalUnavailable } from "../journal/Journal.ts"
import * as PgReads from "../journal/postgres/PgReads.ts"
import { connected } from "../program/ProgramStore.ts"
import { ProgramUse } from "../program/ProgramUse.ts"
import { replay } from "./Committed.ts"
import * as Bounds from "./Bounds.ts"
import { decodeRecord } from "./Codec.ts"
import { initialState } from "./domain/State.ts"

const texts = (rows: ReadonlyArray<PgConnection.Row>): ReadonlySet<string> =>
  new Set(rows.map((row) => String(row["name"])))

const balancesStatement = `SELECT DISTINCT s.unit::text AS name FROM (
    SELECT e.unit FROM ledger_entries e JOIN accounts a ON a.number = e.account
    WHERE a.program_id = $1 AND e.unit::text = ANY ($2::text[]) GROUP BY e.account, e.unit HAVING sum(e.amount) <> 0
  ) s`

const issuedStatement = `SELECT DISTINCT r.reward_id AS name FROM issued_rewards r JOIN accounts a ON a.number = r.account
  WHERE a.program_id = $1 AND r.reward_id = ANY ($2::text[]) AND r.status = 'issued'
    AND (r.expires_at IS NULL OR r.expires_at > $3::float8)`

/** An account with an open hold is due when the hold ends at the latest: within the longest time that any version gave. */
const holdersStatement = `SELECT number::float8 AS number FROM accounts WHERE program_id = $1 AND next_due <= $2::float8 + 1000 * (
    SELECT max(coalesce((definition -> 'limits' ->> 'reservation_ttl_seconds')::bigint, 120)) FROM programs WHERE program_id = $1
  )`

export const layer: Layer.Layer<ProgramUse, never, Database> = Layer.effect(
  ProgramUse,
  Effect.gen(function* () {
    const database = yield* Database
    const names = (values: ReadonlyArray<string>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

    const stateOf = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, account: number) {
      const reads = PgReads.make((statement, parameters) =>
        Effect.mapBoth(connection.query(statement, parameters), {
          onSuccess: ({ rows }) => rows,
          onFailure: (cause) => new JournalUnavailable({ cause })
        })
      )
      let state = initialState
      for (;;) {
        const page = yield* reads.records(account, state.seq + 1, Bounds.readPage)
        for (const record of page) state = replay(state, decodeRecord(record))
        if (page.length < Bounds.readPage) return state
      }
    })

    const of: ProgramUse["Service"]["of"] = (programId, { rewards, units }) =>
      connected((connection) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const rowsOf = (statement: string, ...parameters: ReadonlyArray<unknown>) =>
            Effect.map(connection.query(statement, [programId, ...parameters]), ({ rows }) => rows)
          const inUse = new Set(texts(yield* rowsOf(balancesStatement, names(units))))
          const issued = texts(yield* rowsOf(issuedStatement, names(rewards), PgTypes.float8(now)))
          const held = new Set<string>()
          for (const { number } of yield* rowsOf(holdersStatement, PgTypes.float8(now))) {
            for (const hold of (yield* stateOf(connection, Number(number))).reservations) {
              if (hold.status !== "reserved" || hold.expires <= now) continue
              held.add(hold.reward)
              inUse.add(hold.unit)
            }
          }
          return { units: inUse, held, issued }
        })
      ).pipe(
        Effect.provideService(Database, database),
        Effect.catchTag("SqlError", (cause) => Effect.fail(new JournalUnavailable({ cause })))
      )

    return ProgramUse.of({ of })
  })
)
