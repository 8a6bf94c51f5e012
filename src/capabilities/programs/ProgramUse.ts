/**
 * Finds accounts and rewards of a programme that members still use. A new
 * definition must not remove those. Reads the tables alone; no account is loaded.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import { int8, int8s, oneOf, rowsOf, texts, xid8 } from "../../base/database/Values.ts"
import type { InUse, Removed } from "../../core/rules/Changes.ts"

/** A position in the journal. A reader at this time has seen every record of earlier transactions. */
const Horizon = Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt })
export type Horizon = typeof Horizon.Type
const horizonRow = oneOf(Horizon)

export const horizon = (connection: Connection): Effect.Effect<Horizon, SqlError.SqlError> =>
  horizonRow(connection.query("SELECT epoch, pg_snapshot_xmin(pg_current_snapshot()) AS transaction FROM installation"))

const numberRows = rowsOf(Schema.Struct({ number: Schema.Number }))

/** Accounts of a programme with records that a reader at the horizon may not have seen. */
const writtenSince = (connection: Connection, programId: string, since: Horizon) =>
  Effect.map(
    numberRows(
      connection.query("SELECT number FROM accounts_written_since($1, $2, $3) number", [
        programId,
        PgTypes.int4(since.epoch),
        xid8(since.transaction)
      ])
    ),
    (rows) => rows.map(({ number }) => number)
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
      event ->> 'reward' AS reward, event ->> 'unit' AS unit, (event ->> 'expires')::bigint AS expires
    FROM ${candidates} CROSS JOIN LATERAL (
        SELECT j.events FROM journal j WHERE j.account = a.number AND j.at > $2 - ${longestHold}
        UNION ALL SELECT k.events FROM archived_holds k WHERE k.account = a.number AND k.at > $2 - ${longestHold} OFFSET 0
      ) j CROSS JOIN LATERAL json_array_elements(j.events::json) event
    WHERE event ->> 'type' IN ('reserved', 'captured', 'released', 'hold_expired')
  ), held AS (
    SELECT h.reward, h.unit FROM told h WHERE h.type = 'reserved' AND h.expires > $2 AND NOT EXISTS (
        SELECT FROM told e WHERE e.account = h.account AND e.reservation = h.reservation AND e.type <> 'reserved'
      )
  )`

const dueAccounts = `(SELECT number FROM accounts WHERE program_id = $1 AND next_due <= $2 + ${longestHold}) a`
const givenAccounts = "unnest($3) a(number)"

/** Rewards `r` in wallets of a programme's members, not yet over. */
const walletRows = `issued_rewards r JOIN accounts a ON a.number = r.account
  WHERE a.program_id = $1 AND r.status = 'issued' AND (r.expires_at IS NULL OR r.expires_at > $2)`

/** Units with a balance of accounts `a`: of $n, by the newest record of each, or what is kept of it once it is archived. */
const balancesOf = (accounts: string, units: string) => `SELECT DISTINCT b.unit AS name FROM ${accounts}
    LEFT JOIN journal j ON j.account = a.number AND j.seq = a.seq AND j.span = a.span
    LEFT JOIN archived_accounts x ON x.account = a.number AND x.span = a.span
    CROSS JOIN LATERAL (
      SELECT e ->> 0 AS unit, (e ->> 1)::bigint AS posted FROM json_array_elements(coalesce(j.balances, x.balances)::json) e
    ) b WHERE b.posted <> 0 AND b.unit = ANY (${units})`

/** Statements over all members. */
const amongAll = {
  balances: balancesOf("(SELECT number, seq, span FROM accounts WHERE program_id = $1) a", "$2"),
  issued: `SELECT DISTINCT r.reward_id AS name FROM ${walletRows} AND r.reward_id = ANY ($3)`,
  held: `${heldOf(dueAccounts)} SELECT DISTINCT reward, unit FROM held`
}

/** Statements over given accounts, each by its index entries: no table is scanned. */
const amongGiven = {
  balances: balancesOf("unnest($2) given(number) JOIN accounts a ON a.number = given.number", "$1"),
  issued: `SELECT DISTINCT s.reward_id AS name FROM unnest($2) a(number) CROSS JOIN LATERAL (
      SELECT r.reward_id FROM issued_rewards r WHERE r.account = a.number AND r.reward_id = ANY ($1)
        AND r.status = 'issued' AND (r.expires_at IS NULL OR r.expires_at > $3) OFFSET 0
    ) s`,
  held: `${heldOf(givenAccounts)} SELECT DISTINCT reward, unit FROM held`
}

/** Rewards that active campaigns of a programme grant. */
const grantedStatement = `SELECT DISTINCT action -> 'issue_reward' ->> 'reward_id' AS name FROM campaigns
  WHERE program_id = $1 AND status = 'active' AND action -> 'issue_reward' ->> 'reward_id' = ANY ($2)`

const nameRows = rowsOf(Schema.Struct({ name: Schema.String }))
const heldRows = rowsOf(Schema.Struct({ reward: Schema.String, unit: Schema.String }))
const countRow = oneOf(Schema.Struct({ count: Schema.Number }))

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
  const names = (statement: string, ...parameters: ReadonlyArray<unknown>) =>
    Effect.map(nameRows(connection.query(statement, parameters)), (rows) => new Set(rows.map(({ name }) => name)))
  const at = int8(now)
  const accounts = since === undefined ? undefined : int8s(yield* writtenSince(connection, programId, since))
  const granted = yield* names(grantedStatement, programId, texts(rewards))
  const balances =
    accounts === undefined
      ? yield* names(amongAll.balances, programId, texts(units))
      : yield* names(amongGiven.balances, texts(units), accounts)
  const issued =
    accounts === undefined
      ? yield* names(amongAll.issued, programId, at, texts(rewards))
      : yield* names(amongGiven.issued, texts(rewards), accounts, at)
  const held = yield* heldRows(
    accounts === undefined
      ? connection.query(amongAll.held, [programId, at])
      : connection.query(amongGiven.held, [programId, at, accounts])
  )
  return {
    units: new Set([...balances, ...held.map(({ unit }) => unit)]),
    held: new Set(held.map(({ reward }) => reward)),
    issued,
    granted
  } satisfies InUse
})

/** Numbers of a programme's open reservations and wallet rewards as of `now`, ms. */
export const counts = Effect.fn("ProgramUse.counts")(function* (
  connection: Connection,
  programId: string,
  now: number
) {
  const count = (statement: string) =>
    Effect.map(countRow(connection.query(statement, [programId, int8(now)])), ({ count }) => count)
  return {
    openReservations: yield* count(`${heldOf(dueAccounts)} SELECT count(*) AS count FROM held`),
    issuedRewards: yield* count(`SELECT count(*) AS count FROM ${walletRows}`)
  }
})
