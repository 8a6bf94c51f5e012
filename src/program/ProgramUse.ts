/**
 * Finds accounts and rewards of a programme that members still use. A new
 * definition must not remove those. Reads the tables alone; no account is loaded.
 */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { InUse, Removed } from "./Changes.ts"
import type { Connection } from "../database/Connect.ts"

const { float8 } = PgTypes
const numbers = (values: ReadonlyArray<number>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.float8))
const texts = (values: ReadonlyArray<string>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

/** A position in the journal. A reader at this time has seen every record of earlier transactions. */
export interface Horizon {
  readonly epoch: number
  readonly transaction: string
}

export const horizon = (connection: Connection): Effect.Effect<Horizon, SqlError.SqlError> =>
  Effect.map(
    connection.query(
      "SELECT epoch::float8 AS epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS transaction FROM installation"
    ),
    ({ rows: [row] }) => ({ epoch: Number(row?.["epoch"]), transaction: String(row?.["transaction"]) })
  )

/** Accounts of a programme with records that a reader at the horizon may not have seen. */
const writtenSince = (connection: Connection, programId: string, since: Horizon) =>
  Effect.map(
    connection.query(
      "SELECT number::float8 AS number FROM accounts_written_since($1, $2::float8::int, $3::text::xid8) number",
      [programId, float8(since.epoch), since.transaction]
    ),
    ({ rows }) => rows.map((row) => Number(row["number"]))
  )

/** Longest time, ms, that any version of the programme let a reservation hold. */
const longestHold = `(1000 * (SELECT max(coalesce((definition -> 'limits' ->> 'reservation_ttl_seconds')::bigint, 120))
  FROM programs WHERE program_id = $1))`

/**
 * Open reservations among `candidates` (accounts `a`), as `held`. An account with one is due when it ends at the
 * latest, and made it at most `longestHold` ago.
 */
const heldOf = (candidates: string) => `WITH told AS MATERIALIZED (
    SELECT a.number AS account, event ->> 'type' AS type, event ->> 'reservation' AS reservation,
      event ->> 'reward' AS reward, event ->> 'unit' AS unit, (event ->> 'expires')::float8 AS expires
    FROM ${candidates} CROSS JOIN LATERAL (
        SELECT j.events FROM journal j WHERE j.account = a.number AND j.at > ($2::float8 - ${longestHold})::bigint OFFSET 0
      ) j CROSS JOIN LATERAL json_array_elements(j.events::json) event
    WHERE event ->> 'type' IN ('reserved', 'captured', 'released', 'hold_expired')
  ), held AS (
    SELECT h.reward, h.unit FROM told h WHERE h.type = 'reserved' AND h.expires > $2::float8 AND NOT EXISTS (
        SELECT FROM told e WHERE e.account = h.account AND e.reservation = h.reservation AND e.type <> 'reserved'
      )
  )`

const dueAccounts = `(SELECT number FROM accounts WHERE program_id = $1 AND next_due <= ($2::float8 + ${longestHold})::bigint) a`
const givenAccounts = "unnest($3::float8[]::bigint[]) a(number)"

/** Rewards `r` in wallets of a programme's members, not yet over. */
const walletRows = `issued_rewards r JOIN accounts a ON a.number = r.account
  WHERE a.program_id = $1 AND r.status = 'issued' AND (r.expires_at IS NULL OR r.expires_at > $2::float8)`

/** Statements over all members. */
const amongAll = {
  balances: `SELECT DISTINCT s.unit::text AS name FROM (
      SELECT e.unit FROM ledger_entries e JOIN accounts a ON a.number = e.account
      WHERE a.program_id = $1 AND e.unit::text = ANY ($2::text[]) GROUP BY e.account, e.unit HAVING sum(e.amount) <> 0
    ) s`,
  issued: `SELECT DISTINCT r.reward_id AS name FROM ${walletRows} AND r.reward_id = ANY ($3::text[])`,
  held: `${heldOf(dueAccounts)} SELECT DISTINCT reward, unit FROM held`
}

/** Statements over given accounts, each by its index entries: no table is scanned. */
const amongGiven = {
  balances: `SELECT DISTINCT s.unit::text AS name FROM unnest($2::float8[]::bigint[]) a(number) CROSS JOIN LATERAL (
      SELECT e.unit FROM ledger_entries e WHERE e.account = a.number AND e.unit::text = ANY ($1::text[])
      GROUP BY e.unit HAVING sum(e.amount) <> 0
    ) s`,
  issued: `SELECT DISTINCT s.reward_id AS name FROM unnest($2::float8[]::bigint[]) a(number) CROSS JOIN LATERAL (
      SELECT r.reward_id FROM issued_rewards r WHERE r.account = a.number AND r.reward_id = ANY ($1::text[])
        AND r.status = 'issued' AND (r.expires_at IS NULL OR r.expires_at > $3::float8) OFFSET 0
    ) s`,
  held: `${heldOf(givenAccounts)} SELECT DISTINCT reward, unit FROM held`
}

/** Rewards that active campaigns of a programme grant. */
const grantedStatement = `SELECT DISTINCT action -> 'issue_reward' ->> 'reward_id' AS name FROM campaigns
  WHERE program_id = $1 AND status = 'active' AND action -> 'issue_reward' ->> 'reward_id' = ANY ($2::text[])`

type Row = PgConnection.Row
const names = (rows: ReadonlyArray<Row>) => rows.map((row) => String(row["name"]))

const inUse = (
  balances: ReadonlyArray<Row>,
  issued: ReadonlyArray<Row>,
  held: ReadonlyArray<Row>,
  granted: ReadonlyArray<Row>
): InUse => ({
  units: new Set([...names(balances), ...held.map((row) => String(row["unit"]))]),
  held: new Set(held.map((row) => String(row["reward"]))),
  issued: new Set(names(issued)),
  granted: new Set(names(granted))
})

export const nothingInUse: InUse = { units: new Set(), held: new Set(), issued: new Set(), granted: new Set() }

/**
 * The accounts and rewards among `removed` that are in use as of `now`, ms. Reads every
 * member, which takes seconds if there are many; with `since` only members that were
 * written to since.
 */
export const of = Effect.fn("ProgramUse.of")(function* (
  connection: Connection,
  programId: string,
  { rewards, units }: Removed,
  now: number,
  since?: Horizon
) {
  if (units.length + rewards.length === 0) return nothingInUse
  const rows = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(connection.query(statement, parameters), (found) => found.rows)
  const at = float8(now)
  const granted = yield* rows(grantedStatement, [programId, texts(rewards)])
  if (since === undefined) {
    return inUse(
      yield* rows(amongAll.balances, [programId, texts(units)]),
      yield* rows(amongAll.issued, [programId, at, texts(rewards)]),
      yield* rows(amongAll.held, [programId, at]),
      granted
    )
  }
  const accounts = numbers(yield* writtenSince(connection, programId, since))
  return inUse(
    yield* rows(amongGiven.balances, [texts(units), accounts]),
    yield* rows(amongGiven.issued, [texts(rewards), accounts, at]),
    yield* rows(amongGiven.held, [programId, at, accounts]),
    granted
  )
})

/** Numbers of a programme's open reservations and wallet rewards as of `now`, ms. */
export const counts = Effect.fn("ProgramUse.counts")(function* (
  connection: Connection,
  programId: string,
  now: number
) {
  const count = (statement: string) =>
    Effect.map(connection.query(statement, [programId, float8(now)]), ({ rows: [row] }) => Number(row?.["count"]))
  return {
    openReservations: yield* count(`${heldOf(dueAccounts)} SELECT count(*)::float8 AS count FROM held`),
    issuedRewards: yield* count(`SELECT count(*)::float8 AS count FROM ${walletRows}`)
  }
})
