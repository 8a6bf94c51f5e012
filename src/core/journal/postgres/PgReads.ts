/** The journal's reads on PostgreSQL. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as SpanOf from "../../../base/database/SpanOf.ts"
import {
  firstOf,
  instant,
  int4s,
  int8,
  int8s,
  oneOf,
  optional,
  rowsOf,
  texts,
  uuids
} from "../../../base/database/Values.ts"
import type { DueReads } from "../DueReads.ts"
import type { ReadsAndSwitches } from "../Journal.ts"
import type { ClaimHolder, Hash128, LedgerQuery, LedgerRow, MemberRow } from "../Records.ts"
import { KeyFilters } from "./KeyFilters.ts"
import type { Query } from "./Query.ts"
import * as StoredRows from "./StoredRows.ts"
import { ledgerColumns, recordColumns, rewardColumns } from "./StoredRows.ts"

const recordRow = firstOf(StoredRows.StoredRecord)
const recordRows = rowsOf(StoredRows.StoredRecord)
const sealedRow = firstOf(StoredRows.SealedAccount)
const ledgerRows = rowsOf(StoredRows.LedgerRow)
const rewardRows = rowsOf(StoredRows.IssuedRewardRow)
const holderRows = rowsOf(StoredRows.ClaimHolder)
const numberRow = firstOf(Schema.Struct({ n: optional(Schema.Number) }))
const numberRows = rowsOf(Schema.Struct({ n: Schema.Number }))
const dueRows = rowsOf(Schema.Struct({ account: Schema.Number, at: Schema.Number }))
const outdatedRows = rowsOf(Schema.Struct({ account: Schema.Number }))
const revisionRow = oneOf(Schema.Struct({ revision: Schema.Number }))
const frozenRow = oneOf(Schema.Struct({ write_frozen: Schema.Boolean }))

const MemberColumns = Schema.Struct({
  identities: optional(StoredRows.Identities),
  attributes: optional(StoredRows.Attributes)
})
const memberRow = firstOf(MemberColumns)
const accountRow = firstOf(
  Schema.Struct({
    program_id: Schema.String,
    member_id: Schema.String,
    seq: Schema.Number,
    next_due: Schema.NullOr(Schema.Number),
    snapshot_seq: Schema.Number,
    snapshot_version: Schema.Number,
    state: optional(Schema.String),
    ...MemberColumns.fields
  })
)

/** An account without a row of personal data has no identities. */
const memberOf = ({ attributes, identities = [] }: typeof MemberColumns.Type): MemberRow =>
  attributes === undefined ? { identities } : { identities, attributes }

const witnessed = { newest: optional(Schema.Number), revision: Schema.Number }
const witnessRows = rowsOf(
  Schema.Union([
    Schema.Struct({ ...witnessed, key: Schema.Null }),
    Schema.Struct({ ...witnessed, ...StoredRows.ClaimHolder.fields })
  ])
)

interface Searched {
  readonly table: string
  readonly place: string
  /** The account's newest place. */
  readonly newest: string
  readonly spanOf: (account: string, place: string) => string
  /** A row's time, and one in ms of `archived_spans` in the same type. */
  readonly time: string
  readonly asTime: (ms: string) => string
}

/**
 * The largest place of an account's rows whose time is `<` or `<=` $2; 0 if none is. A binary search along the key, one
 * partition a step. Of an archived span its times decide; refuses where they do not. Requires: places count from 1 without
 * gaps, and times never run backwards.
 */
const lastPlace = (
  { asTime, newest, place, spanOf, table, time }: Searched,
  comparison: "<" | "<="
): string => `WITH RECURSIVE search (low, high) AS (
    SELECT 0::bigint, (${newest})
    UNION ALL
    SELECT CASE WHEN middle.hit THEN middle.at ELSE low END, CASE WHEN middle.hit THEN high ELSE middle.at - 1 END
    FROM search, LATERAL (SELECT (low + high + 1) / 2 AS at OFFSET 0) half ${SpanOf.lies(spanOf("$1", "half.at"))}
      LEFT JOIN archived_spans x ON x.span = lies.span, LATERAL (
        SELECT ${place} AS at, ${time} ${comparison} $2 AS hit FROM ${table}
          WHERE account = $1 AND ${place} = half.at AND span = lies.span
        UNION ALL SELECT half.at, CASE WHEN ${asTime("x.last_at")} ${comparison} $2 THEN true
            WHEN NOT ${asTime("x.first_at")} ${comparison} $2 THEN false ELSE ${SpanOf.here("x.span")} IS NULL END
          WHERE x.span IS NOT NULL
      ) middle
    WHERE low < high
  ) SELECT low FROM search WHERE low = high`

const records: Searched = {
  table: "journal",
  place: "seq",
  newest: "SELECT seq FROM accounts WHERE number = $1",
  spanOf: SpanOf.ofRecord,
  time: "journal.at",
  asTime: (ms) => ms
}
/** Without an entry in the span of the newest record, the newest entry is the one before that span's first. */
const entries: Searched = {
  table: "ledger_entries",
  place: "n",
  newest: `SELECT coalesce(
      (SELECT n FROM ledger_entries WHERE account = $1 AND span = (SELECT span FROM accounts WHERE number = $1)
        ORDER BY n DESC LIMIT 1),
      (SELECT x.next_n - 1 FROM archived_accounts x JOIN accounts a ON a.number = x.account AND a.span = x.span
        WHERE x.account = $1),
      (SELECT max(first_n) - 1 FROM account_spans WHERE account = $1))`,
  spanOf: SpanOf.ofEntry,
  time: "occurred_at",
  asTime: (ms) => `(timestamptz 'epoch' + ${ms} * interval '1 millisecond')`
}

const entryPlace = (comparison: "<" | "<=") => `SELECT (${lastPlace(entries, comparison)}) AS n`

/**
 * An account's spans with entries numbered above $3 and below $2, newest first. Of archived ones those that may have an entry
 * from $4 until $5 (ms; null: no bound).
 */
const entrySpansStatement = `SELECT spans.span, x.file, x.checksum FROM (
    SELECT span, first_seq, first_n, lead(first_n) OVER (ORDER BY first_seq) AS next FROM (
      SELECT 0::smallint AS span, 0::bigint AS first_seq, 1::bigint AS first_n
      UNION ALL SELECT span, first_seq, first_n FROM account_spans WHERE account = $1
    ) entered
  ) spans LEFT JOIN archived_spans x ON x.span = spans.span
  WHERE first_n < $2 AND (next IS NULL OR next > first_n AND next - 1 > $3)
    AND (x.span IS NULL OR ($4::bigint IS NULL OR x.last_at >= $4) AND ($5::bigint IS NULL OR x.first_at <= $5))
  ORDER BY first_seq DESC`
const spanRows = rowsOf(
  Schema.Struct({ span: Schema.Number, file: optional(Schema.String), checksum: optional(Schema.Uint8Array) })
)
/** Refuses if the span is archived. */
const hereStatement = `SELECT ${SpanOf.here("$1")}`

const ledgerStatement = `SELECT ${ledgerColumns} FROM ledger_entries WHERE account = $1 AND span = (SELECT ${SpanOf.here("$9")}) AND n < $2 AND n > $8
    AND ($3::text IS NULL OR unit = $3::unit)
    AND ($4::text[] IS NULL OR operation = ANY ($4::ledger_operation[]))
    AND ($5::timestamptz IS NULL OR occurred_at >= $5)
    AND ($6::timestamptz IS NULL OR occurred_at <= $6)
  ORDER BY n DESC LIMIT $7`

const sealedStatement = `SELECT s.span, s.account, s.seq, s.chain, s.version, s.hash, s.state
  FROM (SELECT max(span) AS span FROM seals) last
    JOIN sealed_accounts s ON s.account = $1 AND s.span = ${SpanOf.newest("$1", "l.span <= last.span")}
  WHERE last.span IS NOT NULL`

/** The holders of claims $1, without keys that have an end: most look-ups are of business ids. */
const heldClaims = "SELECT c.key, c.fingerprint, c.account, c.seq FROM held_claims($1) c"
/** Those of the idempotency key $2: in spans from $5 on, or in all where span $3 is not known by its stamp $4. */
const heldByKey = `${heldClaims} UNION ALL SELECT k.key, k.fingerprint, k.account, k.seq FROM keys k WHERE k.key = $2
  AND k.span >= (SELECT CASE WHEN EXISTS (SELECT FROM spans s WHERE s.span = $3 AND s.stamp = $4) THEN $5 ELSE 0::smallint END)`

/** The look-up of claims and of an idempotency key: the statement with its first parameters, and all keys in order. */
const lookUp = (filters: KeyFilters, keys: ReadonlyArray<Hash128>, key: Hash128 | undefined) => {
  if (key === undefined) return { all: keys, held: heldClaims, parameters: [uuids(keys)] }
  const all = [key, ...keys]
  const from = Math.min(filters.before, ...filters.placesOf(key))
  const known = [PgTypes.int2(filters.before), PgTypes.uuid(filters.stamp), PgTypes.int2(from)]
  return { all, held: heldByKey, parameters: [uuids(all), PgTypes.uuid(key), ...known] }
}

/** Larger than any entry's number. */
export const beyondEntries = 2 ** 53 - 1

const accountReads = (query: Query) => ({
  findIdentity: (key: Hash128) =>
    Effect.map(
      numberRow(query("SELECT account AS n FROM identities WHERE key = $1", [PgTypes.uuid(key)])),
      (row) => row?.n
    ),
  findAccount: (programId: string, memberId: string) =>
    Effect.map(
      numberRow(
        query("SELECT number AS n FROM accounts WHERE program_id = $1 AND member_id = $2", [programId, memberId])
      ),
      (row) => row?.n
    ),
  shownMember: (account: number, seq: number) =>
    Effect.map(
      memberRow(
        query("SELECT identities, attributes FROM shown_members WHERE account = $1 AND seq = $2", [
          int8(account),
          int8(seq)
        ])
      ),
      (row) => (row === undefined ? undefined : memberOf(row))
    ),
  loadAccount: (account: number) =>
    Effect.map(
      accountRow(
        query(
          `SELECT a.program_id, a.member_id, a.seq, a.next_due, m.identities, m.attributes,
              coalesce(s.seq, 0) AS snapshot_seq, coalesce(s.version, 0) AS snapshot_version, s.state
            FROM accounts a LEFT JOIN members m ON m.account = a.number LEFT JOIN snapshots s ON s.account = a.number
            WHERE a.number = $1`,
          [int8(account)]
        )
      ),
      (row) => {
        if (row === undefined) return undefined
        const { member_id, next_due, program_id, seq, snapshot_seq, snapshot_version, state } = row
        return {
          number: account,
          programId: program_id,
          memberId: member_id,
          seq,
          nextDue: next_due,
          member: memberOf(row),
          snapshot: state === undefined ? undefined : { seq: snapshot_seq, version: snapshot_version, state }
        }
      }
    ),
  sealed: (account: number) => sealedRow(query(sealedStatement, [int8(account)])),
  records: (account: number, fromSeq: number, limit: number) =>
    recordRows(
      query(
        `SELECT ${recordColumns} FROM journal WHERE account = $1 AND seq >= $2 AND seq < $2 + $3
            AND span >= (SELECT records_here($1, $2, $2 + $3 - 1)) AND span <= ${SpanOf.ofRecord("$1", "$2 + $3 - 1")}
          ORDER BY seq`,
        [int8(account), int8(fromSeq), int8(limit)]
      )
    )
})

/** Holders in the order of the keys that were asked for. */
const inOrder = (keys: ReadonlyArray<string>, holders: ReadonlyArray<ClaimHolder>): ReadonlyArray<ClaimHolder> =>
  keys.flatMap((key) => holders.filter((holder) => holder.key === key))

/** Which entries can be within a query's times: numbers above `after` and up to `last`. */
const placesOf = (query: Query, { account, occurredFrom, occurredUntil }: LedgerQuery) => {
  const last = (comparison: "<" | "<=", at: number | undefined, otherwise: number) =>
    at === undefined
      ? Effect.succeed(otherwise)
      : Effect.map(numberRow(query(entryPlace(comparison), [int8(account), instant(at)])), (row) => row?.n ?? 0)
  // Newer entries may fill the page before any of an archived span is needed; each is compared with the time, too.
  const after = Effect.catchTag(last("<", occurredFrom, 0), "JournalUnavailable", (error) =>
    error.archived === undefined ? Effect.fail(error) : Effect.succeed(0)
  )
  return Effect.all({ after, last: last("<=", occurredUntil, beyondEntries - 1) })
}

/** A query's entries above and below two numbers. */
interface Between {
  readonly asked: LedgerQuery
  readonly after: number
  readonly before: number
}

/** The spans with some of these entries, newest first. */
export const spansBetween = (query: Query, { after, asked, before }: Between) =>
  spanRows(
    query(entrySpansStatement, [
      ...[asked.account, before, after].map(int8),
      int8(asked.occurredFrom ?? null),
      int8(asked.occurredUntil ?? null)
    ])
  )

/** At most `limit` of them in a span with partitions, newest first. */
export const entriesIn = (query: Query, span: number, { after, asked, before }: Between, limit: number) =>
  ledgerRows(
    query(ledgerStatement, [
      int8(asked.account),
      int8(before),
      PgTypes.text(asked.unit ?? null),
      asked.operations === undefined ? null : texts(asked.operations),
      instant(asked.occurredFrom ?? null),
      instant(asked.occurredUntil ?? null),
      int8(limit),
      int8(after),
      PgTypes.int2(span)
    ])
  )

const ledgerReads = (query: Query) => ({
  /** Reads the account's spans in turn, newest first, until the page is full. */
  ledger: Effect.fnUntraced(function* (asked: LedgerQuery) {
    const { after, last } = yield* placesOf(query, asked)
    const between = { asked, after, before: Math.min(asked.beforeN ?? beyondEntries, last + 1) }
    const page: Array<LedgerRow> = []
    for (const { file, span } of yield* spansBetween(query, between)) {
      if (file !== undefined) yield* query(hereStatement, [PgTypes.int2(span)])
      page.push(...(yield* entriesIn(query, span, between, asked.limit - page.length)))
      if (page.length >= asked.limit) break
    }
    return page
  }),
  entriesOtherThan: (account: number, amounts: ReadonlyArray<readonly [n: number, amount: number]>) =>
    Effect.map(
      numberRows(
        query(
          `SELECT given.n FROM unnest($2, $3) given (n, amount) ${SpanOf.lies(SpanOf.here(SpanOf.ofEntry("$1", "given.n")))}
              LEFT JOIN LATERAL (
                SELECT amount FROM ledger_entries WHERE account = $1 AND n = given.n AND span = lies.span OFFSET 0
              ) e ON true
            WHERE e.amount IS DISTINCT FROM given.amount ORDER BY 1`,
          [int8(account), int8s(amounts.map(([n]) => n)), int8s(amounts.map(([, amount]) => amount))]
        )
      ),
      (rows) => rows.map(({ n }) => n)
    ),
  recordsOf: (account: number, ns: ReadonlyArray<number>) =>
    recordRows(
      query(
        `SELECT ${recordColumns} FROM (
            SELECT DISTINCT e.seq AS place, lies.span AS part
              FROM unnest($2) given (n) ${SpanOf.lies(SpanOf.here(SpanOf.ofEntry("$1", "given.n")))} CROSS JOIN LATERAL (
                SELECT seq FROM ledger_entries WHERE account = $1 AND n = given.n AND span = lies.span OFFSET 0
              ) e
          ) posted CROSS JOIN LATERAL (
            SELECT * FROM journal WHERE account = $1 AND seq = posted.place AND span = posted.part OFFSET 0
          ) record ORDER BY seq`,
        [int8(account), int8s(ns)]
      )
    ),
  recordAt: (account: number, at: number) =>
    recordRow(
      query(
        `SELECT ${recordColumns} FROM journal
          WHERE account = $1 AND (seq, span) = (
            SELECT place.low, ${SpanOf.here(SpanOf.ofRecord("$1", "place.low"))}
              FROM (${lastPlace(records, "<=")}) place (low) WHERE place.low > 0)`,
        [int8(account), int8(at)]
      )
    )
})

const dueReads = (query: Query): DueReads => ({
  due: (until, limit, skipped, partitions) =>
    dueRows(
      query(
        `SELECT number AS account, next_due AS at FROM accounts
          WHERE next_due IS NOT NULL AND next_due <= $1 AND NOT number = ANY ($3)
            AND ($4::int[] IS NULL OR (number & 255)::int = ANY ($4)) ORDER BY next_due LIMIT $2`,
        [int8(until), int8(limit), int8s(skipped), int4s(partitions ?? null)]
      )
    ),
  outdated: (inForce, limit, skipped, partitions) =>
    Effect.map(
      outdatedRows(
        query(
          `SELECT a.number AS account FROM unnest($1, $2) AS p(id, version), LATERAL (
              SELECT number FROM accounts WHERE program_id = p.id AND due_version < p.version AND status <> 'closed' AND NOT number = ANY ($4)
                AND ($5::int[] IS NULL OR (number & 255)::int = ANY ($5)) LIMIT $3
            ) a LIMIT $3`,
          [
            texts(inForce.map(({ id }) => id)),
            int4s(inForce.map(({ version }) => version)),
            int8(limit),
            int8s(skipped),
            int4s(partitions ?? null)
          ]
        )
      ),
      (rows) => rows.map(({ account }) => account)
    ),
  saveDue: (account, { at, seq, version }) =>
    Effect.asVoid(
      query("UPDATE accounts SET next_due = $3, due_version = $4 WHERE number = $1 AND seq = $2 AND due_version < $4", [
        int8(account),
        int8(seq),
        int8(at),
        PgTypes.int4(version)
      ])
    )
})

/** The journal's reads, over any connection. `filters`: what is known of keys with an end; empty: nothing. */
export const make = (query: Query, filters = new KeyFilters()): Omit<ReadsAndSwitches, "setFrozen"> => ({
  ...accountReads(query),
  ...ledgerReads(query),
  ...dueReads(query),
  holders: (keys, key) => {
    const { all, held, parameters } = lookUp(filters, keys, key)
    return Effect.map(holderRows(query(held, parameters)), (rows) => inOrder(all, rows))
  },
  witness: (account, keys, key) => {
    const { all, held, parameters } = lookUp(filters, keys, key)
    return Effect.map(
      witnessRows(
        query(
          `SELECT a.newest, a.revision, c.key, c.fingerprint, c.account, c.seq
            FROM (SELECT (SELECT seq FROM accounts WHERE number = $${parameters.length + 1}) AS newest,
              programs_revision AS revision FROM installation) a
            LEFT JOIN (${held}) c ON true`,
          [...parameters, int8(account)]
        )
      ),
      (rows) => {
        const [first] = rows
        if (first === undefined) throw new Error("installation has one row")
        const holders = rows.flatMap((row) =>
          row.key === null ? [] : [{ key: row.key, fingerprint: row.fingerprint, account: row.account, seq: row.seq }]
        )
        return { seq: first.newest ?? 0, revision: first.revision, holders: inOrder(all, holders) }
      }
    )
  },
  issuedRewards: (account) =>
    rewardRows(
      query(`SELECT ${rewardColumns} FROM issued_rewards WHERE account = $1 ORDER BY n DESC`, [int8(account)])
    ),
  saveSnapshot: (account, { seq, state, version }) =>
    Effect.asVoid(
      query(
        `INSERT INTO snapshots (account, seq, version, state) VALUES ($1, $2, $3, $4)
        ON CONFLICT (account) DO UPDATE SET seq = excluded.seq, version = excluded.version, state = excluded.state
        WHERE snapshots.seq < excluded.seq
          OR (snapshots.seq = excluded.seq AND (snapshots.version, snapshots.state) <> (excluded.version, excluded.state))`,
        [int8(account), int8(seq), PgTypes.int2(version), state]
      )
    ),
  newestAt: Effect.map(
    numberRow(
      query("SELECT greatest((SELECT max(at) FROM journal), (SELECT max(last_at) FROM archived_spans)) AS n", [])
    ),
    (row) => row?.n
  ),
  lostAfter: Effect.map(
    numberRow(
      query(
        `SELECT coalesce((SELECT written_at FROM journal WHERE epoch < i.epoch ORDER BY epoch DESC, transaction DESC LIMIT 1),
            (SELECT last_written FROM archived_spans WHERE last_epoch < i.epoch ORDER BY span DESC LIMIT 1)) AS n
          FROM installation i`,
        []
      )
    ),
    (row) => row?.n
  ),
  revision: Effect.map(
    revisionRow(query("SELECT programs_revision AS revision FROM installation", [])),
    ({ revision }) => revision
  ),
  isFrozen: Effect.map(
    frozenRow(query("SELECT write_frozen FROM installation", [])),
    ({ write_frozen }) => write_frozen
  ),
  ping: Effect.asVoid(query("SELECT 1", []))
})
