/** The journal's reads on PostgreSQL. */
import { type PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { ClaimHolder, Hash128, IssuedRewardRow, LedgerQuery, LedgerRow, MemberRow } from "../Records.ts"
import type * as Store from "../Store.ts"
import { hashes, numbers, texts } from "./Parameters.ts"
import type { Query } from "./Query.ts"
import { recordColumns, recordOf } from "./StoredRows.ts"

const millis = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)
const text = <A extends string = string>(value: unknown): A | undefined =>
  // Text columns hold what this service wrote; enums are checked by the database.
  value === null || value === undefined ? undefined : (String(value) as A)

const memberOf = (row: PgConnection.Row): MemberRow => {
  // This service wrote both; a member without a row has none.
  const identities = (row["identities"] ?? []) as MemberRow["identities"]
  const attributes = row["attributes"] as MemberRow["attributes"] | null
  return attributes === null || attributes === undefined ? { identities } : { identities, attributes }
}

const ledgerRow = (row: PgConnection.Row): LedgerRow => ({
  n: Number(row["n"]),
  operation: String(row["operation"]) as LedgerRow["operation"],
  unit: String(row["unit"]),
  amount: Number(row["amount"]),
  occurredAt: Number(row["occurred_at"]),
  expiresAt: millis(row["expires_at"]),
  relatedN: millis(row["related_n"]),
  orderId: text(row["order_id"]),
  locationId: text(row["location_id"]),
  adjustmentId: text(row["adjustment_id"]),
  reservationId: text(row["reservation_id"]),
  classification: text(row["classification"]),
  reason: text(row["reason"]),
  qualifiesForTier: typeof row["qualifies_for_tier"] === "boolean" ? row["qualifies_for_tier"] : undefined,
  placedAt: millis(row["placed_at"]),
  businessDate: text(row["business_date"])
})

const rewardRow = (row: PgConnection.Row): IssuedRewardRow => ({
  issuedRewardId: String(row["issued_reward_id"]),
  n: Number(row["n"]),
  rewardId: String(row["reward_id"]),
  status: String(row["status"]) as IssuedRewardRow["status"],
  issuedAt: Number(row["issued_at"]),
  expiresAt: millis(row["expires_at"]),
  redeemedAt: millis(row["redeemed_at"]),
  cancelledAt: millis(row["cancelled_at"]),
  cancellationReason: text(row["cancellation_reason"]),
  artifactType: String(row["artifact_type"]) as IssuedRewardRow["artifactType"],
  artifactValue: String(row["artifact_value"])
})

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

/**
 * Statements order by columns with their table's name. Without it, ORDER BY takes the result's columns, which have no
 * index.
 */
const ledgerColumns = `n::float8 AS n, amount::float8 AS amount, ${ms("occurred_at")} AS occurred_at,
    ${ms("expires_at")} AS expires_at, related_n::float8 AS related_n, operation::text AS operation, unit::text AS unit,
    classification::text AS classification, qualifies_for_tier, order_id, location_id, adjustment_id, reservation_id, reason,
    ${ms("placed_at")} AS placed_at, business_date`

/**
 * The largest place of an account's rows that satisfies `until` ($2, ms); 0 if none does. A binary search along the
 * key. Requires: places count from 1 without gaps, and times never run backwards.
 */
const lastPlace = (table: string, place: string, until: string): string => `WITH RECURSIVE search (low, high) AS (
    SELECT 0::bigint, (SELECT ${place} FROM ${table} WHERE account = $1::float8::bigint ORDER BY ${place} DESC LIMIT 1)
    UNION ALL
    SELECT CASE WHEN middle.hit THEN middle.at ELSE low END, CASE WHEN middle.hit THEN high ELSE middle.at - 1 END
    FROM search, LATERAL (
      SELECT ${place} AS at, ${until} AS hit FROM ${table}
      WHERE account = $1::float8::bigint AND ${place} = (low + high + 1) / 2
    ) middle
    WHERE low < high
  ) SELECT low FROM search WHERE low = high`

const entryPlace = (comparison: "<" | "<=") =>
  `SELECT (${lastPlace("ledger_entries", "n", `occurred_at ${comparison} to_timestamp($2::float8 / 1000)`)})::float8 AS n`

const ledgerStatement = `SELECT ${ledgerColumns}
  FROM ledger_entries WHERE account = $1::float8::bigint AND n < $2::float8::bigint AND n > $8::float8::bigint
    AND ($3::text IS NULL OR unit = $3::text::unit)
    AND ($4::text[] IS NULL OR operation = ANY ($4::text[]::ledger_operation[]))
    AND ($5::float8 IS NULL OR occurred_at >= to_timestamp($5::float8 / 1000))
    AND ($6::float8 IS NULL OR occurred_at <= to_timestamp($6::float8 / 1000))
  ORDER BY ledger_entries.n DESC LIMIT $7::float8::bigint`

/** Larger than any entry's number. */
const beyondEntries = 2 ** 53 - 1
const { float8 } = PgTypes

const accountReads = (query: Query) => ({
  findIdentity: (key: Hash128) =>
    Effect.map(
      query("SELECT account::float8 AS account FROM identities WHERE key = $1", [PgTypes.uuid(key)]),
      ([row]) => millis(row?.["account"])
    ),
  findAccount: (programId: string, memberId: string) =>
    Effect.map(
      query("SELECT number::float8 AS number FROM accounts WHERE program_id = $1 AND member_id = $2", [
        programId,
        memberId
      ]),
      ([row]) => millis(row?.["number"])
    ),
  shownMember: (account: number, seq: number) =>
    Effect.map(
      query(
        `SELECT identities, attributes FROM shown_members
          WHERE account = $1::float8::bigint AND seq = $2::float8::bigint`,
        [float8(account), float8(seq)]
      ),
      ([row]) => (row === undefined ? undefined : memberOf(row))
    ),
  loadAccount: (account: number) =>
    Effect.map(
      query(
        `SELECT a.program_id, a.member_id, a.seq::float8 AS seq, a.next_due::float8 AS next_due, m.identities, m.attributes,
            s.seq::float8 AS snapshot_seq, s.version::float8 AS snapshot_version, s.state
          FROM accounts a LEFT JOIN members m ON m.account = a.number LEFT JOIN snapshots s ON s.account = a.number
          WHERE a.number = $1::float8::bigint`,
        [float8(account)]
      ),
      ([row]) => {
        if (row === undefined) return undefined
        return {
          number: account,
          programId: String(row["program_id"]),
          memberId: String(row["member_id"]),
          seq: Number(row["seq"]),
          nextDue: millis(row["next_due"]) ?? null,
          member: memberOf(row),
          snapshot:
            row["state"] === null
              ? undefined
              : {
                  seq: Number(row["snapshot_seq"]),
                  version: Number(row["snapshot_version"]),
                  state: String(row["state"])
                }
        }
      }
    ),
  records: (account: number, fromSeq: number, limit: number) =>
    Effect.map(
      query(
        `SELECT ${recordColumns} FROM journal
          WHERE account = $1::float8::bigint AND seq >= $2::float8::bigint ORDER BY journal.seq LIMIT $3::float8::bigint`,
        [float8(account), float8(fromSeq), float8(limit)]
      ),
      (rows) => rows.map(recordOf)
    )
})

/** Holders in the order of the keys that were asked for. */
const holdersOf = (keys: ReadonlyArray<string>, rows: ReadonlyArray<PgConnection.Row>): ReadonlyArray<ClaimHolder> => {
  const found = rows.map(
    (row): ClaimHolder => ({
      key: String(row["key"]),
      fingerprint: String(row["fingerprint"]),
      account: Number(row["account"]),
      seq: Number(row["seq"])
    })
  )
  return keys.flatMap((key) => found.filter((holder) => holder.key === key))
}

/** Claims `c` with some keys, of any era. */
const heldClaims = (keys: string) => `generate_series(0, (SELECT max(era) FROM eras)) e(era)
  CROSS JOIN unnest(${keys}::uuid[]) k(key) JOIN claims c ON c.era = e.era AND c.key = k.key`

/** Which entries can be within a query's times: numbers above `after` and up to `last`. */
const placesOf = (query: Query, { account, occurredFrom, occurredUntil }: LedgerQuery) => {
  const last = (comparison: "<" | "<=", at: number | undefined, otherwise: number) =>
    at === undefined
      ? Effect.succeed(otherwise)
      : Effect.map(query(entryPlace(comparison), [float8(account), float8(at)]), ([row]) => Number(row?.["n"] ?? 0))
  return Effect.all({ after: last("<", occurredFrom, 0), last: last("<=", occurredUntil, beyondEntries - 1) })
}

const ledgerReads = (query: Query) => ({
  ledger: (asked: LedgerQuery) =>
    Effect.flatMap(placesOf(query, asked), ({ after, last }) =>
      Effect.map(
        query(ledgerStatement, [
          float8(asked.account),
          float8(Math.min(asked.beforeN ?? beyondEntries, last + 1)),
          PgTypes.text(asked.unit ?? null),
          asked.operations === undefined ? null : texts(asked.operations),
          float8(asked.occurredFrom ?? null),
          float8(asked.occurredUntil ?? null),
          float8(asked.limit),
          float8(after)
        ]),
        (rows) => rows.map(ledgerRow)
      )
    ),
  entriesOtherThan: (account: number, amounts: ReadonlyArray<readonly [n: number, amount: number]>) =>
    Effect.map(
      query(
        `SELECT given.n AS n FROM unnest($2::float8[], $3::float8[]) given (n, amount) LEFT JOIN ledger_entries e
            ON e.account = $1::float8::bigint AND e.n = given.n::bigint
          WHERE e.amount IS DISTINCT FROM given.amount::bigint ORDER BY 1`,
        [float8(account), numbers(amounts.map(([n]) => n)), numbers(amounts.map(([, amount]) => amount))]
      ),
      (rows) => rows.map((row) => Number(row["n"]))
    ),
  recordsOf: (account: number, ns: ReadonlyArray<number>) =>
    Effect.map(
      query(
        `SELECT ${recordColumns} FROM journal WHERE account = $1::float8::bigint AND seq IN (
            SELECT seq FROM ledger_entries WHERE account = $1::float8::bigint AND n = ANY ($2::float8[]::bigint[])
          ) ORDER BY seq`,
        [float8(account), numbers(ns)]
      ),
      (rows) => rows.map(recordOf)
    ),
  recordAt: (account: number, at: number) =>
    Effect.map(
      query(
        `SELECT ${recordColumns} FROM journal WHERE account = $1::float8::bigint
          AND seq = (${lastPlace("journal", "seq", "journal.at <= $2::float8::bigint")})`,
        [float8(account), float8(at)]
      ),
      ([row]) => (row === undefined ? undefined : recordOf(row))
    )
})

/** The journal's reads, over any connection. */
export const make = (query: Query): Omit<Store.Reads, "setFrozen"> => ({
  ...accountReads(query),
  ...ledgerReads(query),
  holders: (keys) =>
    Effect.map(
      query(
        `SELECT c.key, c.fingerprint, c.account::float8 AS account, c.seq::float8 AS seq FROM ${heldClaims("$1")}`,
        [hashes(keys)]
      ),
      (rows) => holdersOf(keys, rows)
    ),
  witness: (account, keys) =>
    Effect.map(
      query(
        `SELECT a.seq::float8 AS newest, a.revision, c.key, c.fingerprint, c.account::float8 AS account, c.seq::float8 AS seq
          FROM (SELECT (SELECT seq FROM accounts WHERE number = $1::float8::bigint) AS seq,
              programs_revision::float8 AS revision FROM installation) a
          LEFT JOIN (SELECT c.* FROM ${heldClaims("$2")}) c ON true`,
        [float8(account), hashes(keys)]
      ),
      (rows) => ({
        seq: Number(rows[0]?.["newest"] ?? 0),
        revision: Number(rows[0]?.["revision"]),
        holders: holdersOf(
          keys,
          rows.filter((row) => row["key"] !== null)
        )
      })
    ),
  issuedRewards: (account) =>
    Effect.map(
      query(
        `SELECT issued_reward_id, n::float8 AS n, reward_id, status::text AS status, issued_at::float8 AS issued_at,
            expires_at::float8 AS expires_at, redeemed_at::float8 AS redeemed_at, cancelled_at::float8 AS cancelled_at,
            cancellation_reason, artifact_type, artifact_value
          FROM issued_rewards WHERE account = $1::float8::bigint ORDER BY issued_rewards.n DESC`,
        [float8(account)]
      ),
      (rows) => rows.map(rewardRow)
    ),
  saveSnapshot: (account, snapshot) =>
    Effect.asVoid(
      query(
        `INSERT INTO snapshots (account, seq, version, state)
        VALUES ($1::float8::bigint, $2::float8::bigint, $3::float8::smallint, $4)
        ON CONFLICT (account) DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state
        WHERE snapshots.seq < excluded.seq
          OR (snapshots.seq = excluded.seq AND (snapshots.version, snapshots.state) <> (excluded.version, excluded.state))`,
        [float8(account), float8(snapshot.seq), float8(snapshot.version), snapshot.state]
      )
    ),
  due: (until, limit, skipped) =>
    Effect.map(
      query(
        `SELECT number::float8 AS account, next_due::float8 AS at FROM accounts
          WHERE next_due IS NOT NULL AND next_due <= $1::float8::bigint AND NOT number = ANY ($3::float8[]::bigint[])
          ORDER BY next_due LIMIT $2::float8::bigint`,
        [float8(until), float8(limit), numbers(skipped)]
      ),
      (rows) => rows.map((row) => ({ account: Number(row["account"]), at: Number(row["at"]) }))
    ),
  newestAt: Effect.map(query("SELECT max(at)::float8 AS at FROM journal", []), ([row]) => millis(row?.["at"])),
  revision: Effect.map(query("SELECT programs_revision::float8 AS revision FROM installation", []), ([row]) =>
    Number(row?.["revision"])
  ),
  isFrozen: Effect.map(query("SELECT write_frozen FROM installation", []), ([row]) => row?.["write_frozen"] === true),
  ping: Effect.asVoid(query("SELECT 1", []))
})
