/**
 * What the tables say of a range of accounts, as of one moment: few wide rows,
 * put together by the database, instead of millions of narrow ones.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { Database } from "../database/Database.ts"
import type { Snapshot, StoredRecord } from "../journal/Journal.ts"
import type { AccountRow } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"

type Connection = PgConnection.PgConnection
type Values = ReadonlyArray<unknown>

const { float8 } = PgTypes

/** Claims of one account by the seq of their record (`Chain.claimsText`). */
type Claims = Map<number, string>

/** Everything of one account but what lies beyond the first page. */
export interface AccountMaterial {
  readonly account: number
  readonly row: AccountRow | undefined
  readonly hasMember: boolean
  readonly snapshot: Snapshot | undefined
  readonly records: ReadonlyArray<StoredRecord>
  readonly ledger: string
  readonly rewards: string
  readonly claims: Claims
}

/** What there is to look at. */
export interface Extent {
  /** The largest account number in any table. */
  readonly accounts: number
  /** Last seq of each account that has more records than a page. */
  readonly longJournals: ReadonlyMap<number, number>
  /** Last n of each account that has more entries than a page. */
  readonly longLedgers: ReadonlyMap<number, number>
}

const us = "E'\\x1f'"
const rs = "E'\\x1e'"
const orNothing = (column: string) => `coalesce(${column}::text, E'\\x02')`
const lineOf = (columns: ReadonlyArray<string>) => `concat_ws(${us}, ${columns.join(", ")})`

const recordLine = lineOf(["seq", "at", "version", "hash", "events", "reply"])

/** The same line as `AccountAudit` makes. */
export const ledgerLine = lineOf([
  "n",
  "seq",
  "amount",
  "date_part('epoch', occurred_at)",
  orNothing("date_part('epoch', expires_at)"),
  orNothing("related_n"),
  "operation",
  "unit",
  orNothing("classification"),
  orNothing("qualifies_for_tier"),
  orNothing("order_id"),
  orNothing("location_id"),
  orNothing("adjustment_id"),
  orNothing("reservation_id"),
  orNothing("reason")
])

/** The same line as `AccountAudit` makes. */
export const rewardLine = lineOf([
  "issued_reward_id",
  "reward_id",
  "status",
  "issued_at",
  orNothing("expires_at"),
  orNothing("redeemed_at"),
  orNothing("cancelled_at"),
  orNothing("cancellation_reason"),
  "artifact_type",
  "artifact_value"
])

const within = (column: string) => `${column} >= $1::float8::bigint AND ${column} < $2::float8::bigint`

const aggregated = (table: string, line: string, order: string, key: string, beyondFirst: string) =>
  `SELECT account::float8, string_agg(${line}, ${rs} ORDER BY ${order}) FROM ${table}
    WHERE ${within("account")}${key === "" ? "" : ` AND ${key} > ${beyondFirst} AND ${key} <= $3::float8::bigint`}
    GROUP BY account ORDER BY account`

const journalStatement = aggregated("journal", recordLine, "seq", "seq", "0")
const journalPageStatement = aggregated("journal", recordLine, "seq", "seq", "$4::float8::bigint")
const ledgerStatement = aggregated("ledger_entries", ledgerLine, "n", "n", "0")
const ledgerPageStatement = aggregated("ledger_entries", ledgerLine, "n", "n", "$4::float8::bigint")
const rewardsStatement = aggregated("issued_rewards", rewardLine, "issued_reward_id", "", "")
const accountsStatement = `SELECT number::float8, seq::float8, next_due::float8, balance::float8, status::text, program_id,
    member_id, date_part('epoch', joined_at) * 1000 FROM accounts WHERE ${within("number")} ORDER BY number`
const membersStatement = `SELECT account::float8 FROM members WHERE ${within("account")}`
const snapshotsStatement = `SELECT account::float8, seq::float8, version::float8, state FROM snapshots
    WHERE ${within("account")}`

/** Whether an account is within the share that is looked at, and in the part of it that is ours. */
const isOurs = (account: number, share: number, part: Part): boolean =>
  account % 100 < share && Math.floor(account / Bounds.rangeAccounts) % part.of === part.index

/** Claims in the order of their accounts, gathered by record and these by pages: one sort of the part's claims. */
const claimsCursor = (share: number, part: Part) => `DECLARE audited_claims NO SCROLL CURSOR FOR
  SELECT account::float8, string_agg(seq || ${us} || claims, ${rs} ORDER BY seq) FROM (
    SELECT account, seq, string_agg(key::text || fingerprint::text, ',' ORDER BY key) AS claims
    FROM claims WHERE account % 100 < ${share} AND account / ${Bounds.rangeAccounts} % ${part.of} = ${part.index}
    GROUP BY account, seq
  ) made GROUP BY account, seq / ${Bounds.pageRecords} ORDER BY account, seq / ${Bounds.pageRecords}`

/** A row that was tampered with may not be one any more: then what is there is shown as it is. */
const recordOf =
  (account: number) =>
  (row: string): StoredRecord => {
    const [seq = "", at = "", version = "", hash = "", events = "", reply = ""] = row.split("\u001f")
    return { account, seq: Number(seq), at: Number(at), version: Number(version), hash, events, reply }
  }

const recordsOf = (account: number, text: string | undefined): ReadonlyArray<StoredRecord> =>
  text === undefined ? [] : text.split("\u001e").map(recordOf(account))

const byAccount = <A>(rows: ReadonlyArray<Values>, of: (row: Values) => A): Map<number, A> =>
  new Map(rows.map((row) => [Number(row[0]), of(row)]))

const accountRow = (row: Values): AccountRow => ({
  seq: Number(row[1]),
  nextDue: row[2] === null ? null : Number(row[2]),
  balance: Number(row[3]),
  status: String(row[4]),
  programId: String(row[5]),
  memberId: String(row[6]),
  joinedAt: Number(row[7])
})

const snapshotOf = (row: Values): Snapshot => ({ seq: Number(row[1]), version: Number(row[2]), state: String(row[3]) })

export interface Material {
  readonly extent: Extent
  /** The key of all hashes. */
  readonly secret: string
  /** Accounts from `from` to before `until`, every one of which any table knows; asked for in ascending ranges. */
  readonly range: (from: number, until: number) => Effect.Effect<ReadonlyArray<AccountMaterial>, SqlError.SqlError>
  /** Records of an account beyond seq `after`, up to a page. */
  readonly records: (account: number, after: number) => Effect.Effect<ReadonlyArray<StoredRecord>, SqlError.SqlError>
  /** Ledger rows with `after` < n <= `until`, in the order of n. */
  readonly ledger: (account: number, after: number, until: number) => Effect.Effect<string, SqlError.SqlError>
}

const connect = ({ clientConfig }: Database["Service"]) =>
  PgConnection.make({
    ...clientConfig,
    applicationName: "lotbook journal audit",
    maxMessageSize: Bounds.maxMessageBytes,
    startupParameters: { work_mem: Bounds.sortMemory, timezone: "UTC", jit: "off" }
  })

const long = (rows: ReadonlyArray<Values>): ReadonlyMap<number, number> => byAccount(rows, (row) => Number(row[1]))

const measure = Effect.fnUntraced(function* (connection: Connection) {
  const one = (statement: string) => Effect.map(connection.queryValues(statement), ([row]) => Number(row?.[0] ?? 0))
  const longer = (table: string, key: string) =>
    Effect.map(
      connection.queryValues(
        `SELECT account::float8, max(${key})::float8 FROM ${table} GROUP BY account HAVING max(${key}) > ${Bounds.pageRecords}`
      ),
      long
    )
  const last = (table: string, column: string) => `(SELECT max(${column}) FROM ${table})`
  return {
    accounts: yield* one(
      `SELECT greatest(0, ${last("accounts", "number")}, ${last("members", "account")}, ${last("journal", "account")},
        ${last("claims", "account")}, ${last("ledger_entries", "account")}, ${last("issued_rewards", "account")},
        ${last("snapshots", "account")})::float8`
    ),
    longJournals: yield* longer("journal", "seq"),
    longLedgers: yield* longer("ledger_entries", "n")
  }
})

/** Claims of the next accounts, in lockstep with the ranges. */
const claimsReader = (connection: Connection) => {
  let buffered: ReadonlyArray<Values> = []
  let at = 0
  let isOver = false
  return Effect.fnUntraced(function* (until: number) {
    const found = new Map<number, Claims>()
    for (;;) {
      for (; at < buffered.length; at++) {
        const row = buffered[at]!
        const account = Number(row[0])
        if (account >= until) return found
        const claims = found.get(account) ?? new Map<number, string>()
        for (const made of String(row[1]).split("\u001e")) {
          const end = made.indexOf("\u001f")
          claims.set(Number(made.slice(0, end)), made.slice(end + 1))
        }
        found.set(account, claims)
      }
      if (isOver) return found
      buffered = yield* connection.queryValues(`FETCH ${Bounds.fetchedClaims} FROM audited_claims`)
      at = 0
      isOver = buffered.length < Bounds.fetchedClaims
    }
  })
}

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

/** One moment that any number of sessions can look at. */
export interface Moment {
  readonly snapshot: string
  readonly extent: Extent
  readonly secret: string
}

/** Holds a moment for as long as the scope lives, whatever goes on beside it. */
export const hold = Effect.fnUntraced(function* (
  database: Database["Service"]
): Effect.fn.Return<Moment, SqlError.SqlError, Scope.Scope> {
  const connection = yield* connect(database)
  yield* connection.query(begin, [], false)
  const [exported] = yield* connection.queryValues("SELECT pg_export_snapshot()")
  const extent = yield* measure(connection)
  const [installation] = yield* connection.queryValues("SELECT secret FROM installation")
  return { snapshot: String(exported?.[0]), extent, secret: String(installation?.[0]) }
})

/** A part of the ranges: every `of`-th one from `index` on. */
export interface Part {
  readonly index: number
  readonly of: number
}

/** Looks at a part of `share` percent of the accounts, as of a moment. */
export const make = Effect.fnUntraced(function* (
  database: Database["Service"],
  { extent, secret, snapshot }: Moment,
  share: number,
  part: Part
): Effect.fn.Return<Material, SqlError.SqlError, Scope.Scope> {
  const connection = yield* connect(database)
  const other = yield* connect(database)
  for (const session of [connection, other]) {
    yield* session.query(begin, [], false)
    yield* session.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`, [], false)
  }
  yield* other.query(claimsCursor(share, part), [], false)
  // From here on by index: ranges are small, whatever the statistics say.
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  const nextClaims = claimsReader(other)

  const range: Material["range"] = Effect.fnUntraced(function* (from, until) {
    const between = [float8(from), float8(until)]
    const paged = [...between, float8(Bounds.pageRecords)]
    const ask = <A>(statement: string, parameters: Values, of: (row: Values) => A) =>
      Effect.map(connection.queryValues(statement, parameters), (rows) => byAccount(rows, of))
    const line = (row: Values) => String(row[1])
    const tables = Effect.all([
      ask(accountsStatement, between, accountRow),
      ask(membersStatement, between, () => true),
      ask(journalStatement, paged, line),
      ask(ledgerStatement, paged, line),
      ask(rewardsStatement, between, line),
      ask(snapshotsStatement, between, snapshotOf)
    ])
    const [[accounts, members, journal, ledger, rewards, snapshots], claims] = yield* Effect.all(
      [tables, nextClaims(until)],
      { concurrency: 2 }
    )
    const numbers = new Set<number>()
    for (const table of [accounts, members, journal, ledger, rewards, snapshots, claims]) {
      for (const account of table.keys()) if (isOurs(account, share, part)) numbers.add(account)
    }
    return [...numbers]
      .sort((a, b) => a - b)
      .map(
        (account): AccountMaterial => ({
          account,
          row: accounts.get(account),
          hasMember: members.has(account),
          snapshot: snapshots.get(account),
          records: recordsOf(account, journal.get(account)),
          ledger: ledger.get(account) ?? "",
          rewards: rewards.get(account) ?? "",
          claims: claims.get(account) ?? new Map<number, string>()
        })
      )
  })

  const page = (statement: string, account: number, after: number, until: number) =>
    Effect.map(
      connection.queryValues(statement, [float8(account), float8(account + 1), float8(until), float8(after)]),
      ([row]) => (row === undefined ? undefined : String(row[1]))
    )

  return {
    extent,
    secret,
    range,
    records: (account, after) =>
      Effect.map(page(journalPageStatement, account, after, after + Bounds.pageRecords), (text) =>
        recordsOf(account, text)
      ),
    ledger: (account, after, until) =>
      Effect.map(page(ledgerPageStatement, account, after, until), (text) => text ?? "")
  }
})
