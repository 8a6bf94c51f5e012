/**
 * Reads the tables for a verification, all in one exported snapshot of the database.
 * The database aggregates each account to a few wide rows instead of millions of narrow ones.
 */
import { PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Database } from "../../base/database/Database.ts"
import * as Locks from "../../base/database/Locks.ts"
import { firstOf, int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import { Unit } from "../../contract/Values.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import * as StoredRows from "../../core/journal/postgres/StoredRows.ts"
import type { SealedAccount, Snapshot } from "../../core/journal/Records.ts"
import { MemberColumns, memberColumns, memberOf } from "../rollups/RollupStore.ts"
import type { PlacedRecord } from "./AccountAudit.ts"
import * as ArchivedMaterial from "./ArchivedMaterial.ts"
import * as AuditChain from "./AuditChain.ts"
import * as Bounds from "./Bounds.ts"
import * as Claims from "./Claims.ts"
import { ledgerColumns, rewardColumns } from "./ExpectedRows.ts"
import { orderColumns } from "./OrderAudit.ts"
import type { PresentRows } from "./PresentAudit.ts"
import { AccountRow } from "./PresentAudit.ts"
import * as Proofs from "./Proofs.ts"
import type { Range } from "./Ranges.ts"
import * as Ranges from "./Ranges.ts"
import type { FoundSums } from "./RollupAudit.ts"
import * as RollupAudit from "./RollupAudit.ts"
import { EnumTypes } from "./RowImage.ts"
import * as SealAudit from "./SealAudit.ts"
import * as SpanAudit from "./SpanAudit.ts"
import * as Strays from "./Strays.ts"

/** One account's rows, without its claims and, if it is long, without its records and ledger entries. */
export interface AccountMaterial extends PresentRows {
  readonly account: number
  readonly snapshot: Snapshot | undefined
  /** The account in seals, oldest first. */
  readonly sealed: ReadonlyArray<SealedAccount>
  /** Undefined if texts of the journal contain the separator, so that they cannot be split. */
  readonly records: ReadonlyArray<PlacedRecord> | undefined
  /** Images of its rows (`RowImage`), ordered by `n`. */
  readonly ledger: Uint8Array
}

const rs = "E'\\x1e'"
/** Separator of aggregated texts: JSON text never contains this character. */
const separator = "\u001e"

/** Columns of a `RecordsRow` but for the account, of rows that are grouped by account. */
export const journalColumns = `string_agg(int8send(seq) || int8send(at) || int2send(version) || int4send(program_version)
      || int4send(epoch) || xid8send(transaction) || int8send(written_at) || int8send(announced), ''::bytea ORDER BY seq) AS heads,
    string_agg(hash::text, '' ORDER BY seq) AS hashes, string_agg(events, ${rs} ORDER BY seq) AS events,
    string_agg(reply, ${rs} ORDER BY seq) AS replies, string_agg(balances, ${rs} ORDER BY seq) AS balances,
    string_agg(json_build_array(actor, origin, key::text || key_fingerprint::text,
      span > ${ArchivedMaterial.lastWithoutKeys})::text, ${rs} ORDER BY seq) AS callers, max(seq)::text AS newest`

/** The image of a row with these columns. */
const imageOf = (columns: ReadonlyArray<string>): string => `record_send(ROW(${columns.join(", ")}))`
const ledgerImage = imageOf(ledgerColumns)

const imagesOf = (image: string, order: string) => `string_agg(${image}, ''::bytea ORDER BY ${order}) AS images`
/** The column of an `ImagesRow`, of ledger rows that are grouped by account. */
export const ledgerImages = imagesOf(ledgerImage, "n")

const within = (column: string) => `${column} >= $1 AND ${column} < $2`

const inRange = (table: string, columns: string) =>
  `SELECT account, ${columns} FROM ${table} WHERE ${within("account")} GROUP BY account ORDER BY account`

const journalStatement = inRange("journal", journalColumns)
const ledgerStatement = `SELECT account, span, ${imagesOf(ledgerImage, "n")} FROM ledger_entries
  WHERE ${within("account")} GROUP BY account, span ORDER BY account, span`
const rewardsStatement = inRange("issued_rewards", imagesOf(imageOf(rewardColumns), 'issued_reward_id COLLATE "C"'))
const accountsStatement = `SELECT number AS account, seq, next_due AS "nextDue", due_version AS "dueVersion", balance, status, program_id AS "programId",
    member_id AS "memberId", date_part('epoch', joined_at) AS "joinedAtSeconds" FROM accounts WHERE ${within("number")} ORDER BY number`
const membersStatement = `SELECT account, identities FROM members WHERE ${within("account")}`
/** The same text as `PresentAudit` makes. */
const identitiesStatement = inRange(
  "identities",
  "string_agg(key::text || ' ' || seq::text, ', ' ORDER BY key) AS identities"
)
const snapshotsStatement = `SELECT account, seq, version, state FROM snapshots
    WHERE ${within("account")}`

const rollupsStatement = `SELECT ${memberColumns}, (ARRAY[${Unit.literals
  .flatMap((unit) => [`${unit}_posted`, `${unit}_reserved`])
  .join(", ")}])::text AS balances
  FROM member_rollups WHERE ${within("account")}`
/** The same columns as `ExpectedRows` writes. */
const lotsStatement = inRange(
  "rollup_member_lots",
  imagesOf(imageOf(["unit::text || ' ' || expires_at::text", "amount"]), "unit::text, expires_at")
)
const ordersStatement = inRange("rollup_orders", imagesOf(imageOf(orderColumns), "at, order_id"))
/** Sums of the orders that count, those that are deleted included. The same text as `buyersStatement` makes. */
const orderSumsStatement = inRange(
  `(SELECT account, program_id, 1::bigint AS orders, spend, at AS last_order, NULL::bigint AS order_before
      FROM rollup_orders WHERE counts
    UNION ALL SELECT account, program_id, orders, spend, last_order, order_before FROM rollup_older WHERE orders > 0) o`,
  `ARRAY[min(program_id), sum(orders)::text, sum(spend)::text, max(last_order)::text,
    greatest(max(order_before), (array_agg(last_order ORDER BY last_order DESC))[2])::text]::text AS sums`
)
const buyersStatement = `SELECT account, ARRAY[program_id, orders::text, spend::text, last_order::text,
    order_before::text]::text AS buyer FROM rollup_buyers WHERE ${within("account")}`
/** The same text as `OrderAudit` makes of the orders that are deleted. */
const olderStatement = `SELECT account, concat_ws(' ', program_id, removed, orders, spend, last_order, order_before) AS older
  FROM rollup_older WHERE ${within("account")}`

/** By the key (span, account): each seal's rows of the range. */
const sealedStatement = `SELECT account, json_agg(json_build_object(${SealAudit.sealedFields}) ORDER BY span) AS sealed
  FROM sealed_accounts WHERE span = ANY (ARRAY(SELECT span FROM seals)) AND ${within("account")} GROUP BY account`

/** A page of one account. `seq` and `n` are text: a damaged row may hold a number above 2^53. */
const journalPageStatement = `SELECT account, ${journalColumns} FROM (SELECT * FROM journal
    WHERE account = $1 AND seq >= $2 ORDER BY seq LIMIT ${Bounds.pageRecords}) page
  GROUP BY account`
const ledgerPageStatement = `SELECT span, ${imagesOf(ledgerImage, "n")} FROM (SELECT * FROM ledger_entries
    WHERE account = $1 AND n >= $2 AND n <= $3
    ORDER BY n LIMIT $4) page GROUP BY span`

/** Smallest and largest possible `seq` or `n`. */
export const first = "-9223372036854775808"
export const last = "9223372036854775807"

const headBytes = 50
const hashChars = 36

/** Rows of one account each, so their number is small beside that of the records. */
const account = { account: Schema.Number }
export const RecordsRow = Schema.Struct({
  ...account,
  heads: Schema.Uint8Array,
  hashes: Schema.String,
  events: Schema.String,
  replies: Schema.String,
  balances: Schema.String,
  callers: Schema.String,
  newest: Schema.String
})
const recordsRow = firstOf(RecordsRow)
export const ImagesRow = Schema.Struct({ ...account, images: Schema.Uint8Array })
const SpanImagesRow = Schema.Struct({ span: Schema.Number, images: Schema.Uint8Array })
const spanImagesRows = rowsOf(SpanImagesRow)
const accountImagesRows = rowsOf(Schema.Struct({ ...account, ...SpanImagesRow.fields }))

/** Records of an account; undefined if a text contains the separator. */
export const recordsOf = (row: typeof RecordsRow.Type): ReadonlyArray<PlacedRecord> | undefined => {
  const { account, hashes, heads: bytes } = row
  const heads = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const int8 = (at: number) => heads.getInt32(at) * 2 ** 32 + heads.getUint32(at + 4)
  const events = row.events.split(separator)
  const replies = row.replies.split(separator)
  const balances = row.balances.split(separator)
  const callers = row.callers.split(separator)
  const count = bytes.length / headBytes
  if ([events, replies, balances, callers].some((texts) => texts.length !== count)) return undefined
  return events.map((text, index) => {
    const [actor, origin, key = null, isHere] = JSON.parse(callers[index] ?? "[]") as Caller
    return {
      account,
      seq: int8(index * headBytes),
      at: int8(index * headBytes + 8),
      version: heads.getInt16(index * headBytes + 16),
      programVersion: heads.getInt32(index * headBytes + 18),
      epoch: heads.getInt32(index * headBytes + 22),
      transaction: int8(index * headBytes + 26),
      writtenAt: int8(index * headBytes + 34),
      announced: int8(index * headBytes + 42),
      balances: balances[index] ?? "",
      actor: actor ?? undefined,
      origin: origin ?? undefined,
      hash: hashes.slice(index * hashChars, (index + 1) * hashChars),
      events: text,
      reply: replies[index] ?? "",
      key: key === null ? undefined : { text: key, isHere }
    }
  })
}

/** An element of `callers`: key and fingerprint as one text, and whether the record's span has its keys. */
type Caller = [actor: string | null, origin: string | null, key: string | null, isHere: boolean]

const IdentitiesRow = Schema.Struct({ ...account, identities: Schema.String })
/** Identities as they are: damaged ones become differences. */
const MembersRow = Schema.Struct({ ...account, identities: Schema.Any })
const AccountsRow = Schema.Struct({ ...account, ...AccountRow.fields })
const SnapshotsRow = Schema.Struct({ ...account, seq: Schema.Number, version: Schema.Number, state: Schema.String })
const OrderSumsRow = Schema.Struct({ ...account, sums: Schema.String })
const BuyersRow = Schema.Struct({ ...account, buyer: Schema.String })
const SealedRow = Schema.Struct({ ...account, sealed: Schema.Array(StoredRows.SealedAccount) })
const OlderRow = Schema.Struct({ ...account, older: Schema.String })
const RollupsRow = Schema.Struct({ ...MemberColumns.fields, balances: Schema.String })

/** A page of a long account's journal. */
export interface JournalPage {
  readonly records: ReadonlyArray<PlacedRecord> | undefined
  /** First `seq` of the next page; undefined after the last. */
  readonly next: string | undefined
}

export interface Material {
  readonly claims: Claims.Claims
  /** Every account of the range that has a row in any table except claims. */
  readonly range: (range: Range) => Effect.Effect<ReadonlyArray<AccountMaterial>, ArchiveFault | SqlError.SqlError>
  /** Records of an account from `seq` on. */
  readonly records: (account: number, seq: string) => Effect.Effect<JournalPage, ArchiveFault | SqlError.SqlError>
  /** Images of the ledger rows with `from` <= n <= `until`, at most `limit`. */
  readonly ledger: (
    account: number,
    from: string,
    until: string,
    limit: number
  ) => Effect.Effect<Uint8Array, ArchiveFault | SqlError.SqlError>
}

export const lockStatement = `SELECT pg_advisory_lock_shared(${Locks.archiving})`

/** No span is archived until the connection closes. */
export const connect = ({ clientConfig }: Database["Service"]) =>
  PgConnection.make({
    ...clientConfig,
    applicationName: "lotbook journal audit",
    maxMessageSize: Bounds.maxMessageBytes,
    // Statements of one range are pipelined, so that the database does not wait while this process folds.
    multiplex: true,
    startupParameters: { work_mem: Bounds.sortMemory, timezone: "UTC", jit: "off" }
  }).pipe(Effect.tap((connection) => connection.query(lockStatement)))

export const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

/** A database snapshot that any number of sessions can read (`pg_export_snapshot`). */
export interface ExportedSnapshot {
  readonly id: string
  readonly secret: string
  readonly types: EnumTypes
  /** True for a sandbox. */
  readonly hasOwnTime: boolean
  /** PostgreSQL's time, ms. */
  readonly now: number
  readonly ranges: ReadonlyArray<Range>
  /** The archived spans of the extent; undefined: there are none. */
  readonly archive: ArchivedMaterial.ArchivedMaterial | undefined
  readonly rollups: FoundSums
}

export const typesRow = oneOf(EnumTypes)
export const typesStatement = `SELECT ${Object.keys(EnumTypes.fields)
  .map((name) => `'${name}'::regtype::oid AS ${name}`)
  .join(", ")}`
export const installationRow = oneOf(
  Schema.Struct({ id: Schema.String, secret: Schema.String, hasOwnTime: Schema.Boolean, now: Schema.Number })
)

export const installationStatement = `SELECT pg_export_snapshot() AS id, secret,
    coalesce(environment = 'sandbox', false) AS "hasOwnTime", (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
  FROM installation`

interface Extent {
  /** The only account to read. */
  readonly account?: number | undefined
  /** Rows of any one table in a range. */
  readonly rangeRows?: number | undefined
}

/**
 * Exports a snapshot. It stays readable until the scope closes, whatever commits meanwhile. Fails if a record of the extent is
 * archived, and its file is not there (`ArchiveFiles`).
 */
export const exportSnapshot = Effect.fnUntraced(function* (
  database: Database["Service"],
  { account, rangeRows = Bounds.rangeRows }: Extent = {}
): Effect.fn.Return<ExportedSnapshot, ArchiveFault | SqlError.SqlError, Scope.Scope> {
  const connection = yield* connect(database)
  yield* connection.query(begin, [], false)
  const installation = yield* installationRow(connection.query(installationStatement))
  const types = yield* typesRow(connection.query(typesStatement))
  const archive = yield* ArchivedMaterial.open(connection, yield* ArchiveFiles, types, account)
  // Only the keys are needed for the marks: use indexes, whatever the statistics say.
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  const exported = { ...installation, types, archive, rollups: yield* RollupAudit.read(connection) }
  if (account !== undefined) return { ...exported, ranges: [{ from: account, until: account + 1, isLong: true }] }
  const files = archive?.spans.map(({ opened }) => opened) ?? []
  return { ...exported, ranges: yield* Ranges.read(connection, rangeRows, Ranges.marksOfFiles(files, rangeRows)) }
})

/** A session that reads an exported snapshot. */
const connectTo = Effect.fnUntraced(function* (database: Database["Service"], { id }: Pick<ExportedSnapshot, "id">) {
  const connection = yield* connect(database)
  yield* connection.query(begin, [], false)
  yield* connection.query(`SET TRANSACTION SNAPSHOT '${id}'`, [], false)
  return connection
})

/** Differences outside all ranges, on a session of its own: the database looks for them beside the walk. */
export const outside = Effect.fnUntraced(function* (database: Database["Service"], exported: ExportedSnapshot) {
  const connection = yield* connectTo(database, exported)
  const lost = yield* SpanAudit.lost(connection)
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  return [
    ...lost,
    ...(yield* Strays.differences(connection, "with keys")),
    ...(yield* SpanAudit.differences(connection)),
    ...(yield* SealAudit.differences(connection, "all")),
    ...(yield* AuditChain.differences(connection, exported.secret)),
    ...(yield* Proofs.differences(connection)),
    ...(exported.archive === undefined ? [] : yield* exported.archive.differences())
  ]
}, Effect.scoped)

const imagesOfSpans = (connection: PgConnection.PgConnection, between: ReadonlyArray<unknown>) =>
  Effect.map(accountImagesRows(connection.query(ledgerStatement, between)), (rows) =>
    Map.groupBy(rows, ({ account }) => account)
  )

const noFiles: ReadonlyMap<number, ArchivedMaterial.AccountFiles> = new Map()

/** Reads `share` percent of the accounts of a range. */
const readRange = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  archive: ArchivedMaterial.ArchivedMaterial | undefined,
  share: number,
  range: Range
): Effect.fn.Return<ReadonlyArray<AccountMaterial>, ArchiveFault | SqlError.SqlError> {
  const { from, isLong, until } = range
  const between = [int8(from), int8(until)]
  const ask = <A extends { readonly account: number }>(statement: string, schema: Schema.Codec<A, unknown>) =>
    Effect.map(
      rowsOf(schema)(connection.query(statement, between)),
      (rows) => new Map(rows.map((row) => [row.account, row]))
    )
  const none = Effect.succeed(new Map<number, never>())
  const files = archive === undefined ? noFiles : yield* archive.range(connection, range)
  const [
    identities,
    accounts,
    members,
    journal,
    ledger,
    rewards,
    snapshots,
    lots,
    orders,
    sums,
    buyers,
    older,
    rollups,
    sealed
  ] = yield* Effect.all(
    [
      ask(identitiesStatement, IdentitiesRow),
      ask(accountsStatement, AccountsRow),
      ask(membersStatement, MembersRow),
      isLong ? none : ask(journalStatement, RecordsRow),
      isLong ? none : imagesOfSpans(connection, between),
      ask(rewardsStatement, ImagesRow),
      ask(snapshotsStatement, SnapshotsRow),
      ask(lotsStatement, ImagesRow),
      ask(ordersStatement, ImagesRow),
      ask(orderSumsStatement, OrderSumsRow),
      ask(buyersStatement, BuyersRow),
      ask(olderStatement, OlderRow),
      ask(rollupsStatement, RollupsRow),
      ask(sealedStatement, SealedRow)
    ],
    { concurrency: "unbounded" }
  )
  const found = new Set<number>(isLong ? [from] : [])
  const present = [identities, accounts, members, rewards, snapshots, lots, orders, buyers, older, rollups]
  const tables = [...present, journal, ledger, sealed, files]
  for (const table of tables) {
    for (const account of table.keys()) found.add(account)
  }
  return [...found]
    .filter((account) => account % 100 < share)
    .sort((a, b) => a - b)
    .map((account): AccountMaterial => {
      const rows = journal.get(account)
      const rollup = rollups.get(account)
      return {
        account,
        row: accounts.get(account),
        member: members.get(account)?.identities,
        identities: identities.get(account)?.identities ?? "",
        snapshot: snapshots.get(account),
        sealed: sealed.get(account)?.sealed ?? [],
        misplaced: files.get(account)?.misplaced ?? [],
        records: ArchivedMaterial.inOrder(rows === undefined ? [] : recordsOf(rows), files.get(account)?.records),
        ledger: ArchivedMaterial.joined(ledger.get(account), files.get(account)?.entries),
        rewards: rewards.get(account)?.images ?? new Uint8Array(),
        rollup: rollup === undefined ? undefined : { member: memberOf(rollup), balances: rollup.balances },
        lots: lots.get(account)?.images ?? new Uint8Array(),
        orders: orders.get(account)?.images ?? new Uint8Array(),
        orderSums: sums.get(account)?.sums,
        buyer: buyers.get(account)?.buyer,
        older: older.get(account)?.older
      }
    })
})

/** The first records of those of the tables and those of files. */
const pageOf = (row: typeof RecordsRow.Type | undefined, filed: ReadonlyArray<PlacedRecord>): JournalPage => {
  if (row === undefined && filed.length === 0) return { records: [], next: undefined }
  const here = row === undefined ? [] : recordsOf(row)
  if (row !== undefined && (here === undefined || filed.length === 0))
    return { records: here, next: row.newest === last ? undefined : String(BigInt(row.newest) + 1n) }
  const page = ArchivedMaterial.inOrder(here, filed)?.slice(0, Bounds.pageRecords) ?? []
  return { records: page, next: String(BigInt(page.at(-1)?.seq ?? 0) + 1n) }
}

/** Reads `share` percent of the accounts in some adjacent ranges of an exported snapshot. */
export const make = Effect.fnUntraced(function* (
  database: Database["Service"],
  exported: ExportedSnapshot,
  share: number,
  ranges: ReadonlyArray<Range>
): Effect.fn.Return<Material, SqlError.SqlError, Scope.Scope> {
  const connection = yield* connectTo(database, exported)
  const claimsConnection = yield* connectTo(database, exported)
  const chosen = `${Claims.within(ranges)} AND account % 100 < ${share}`
  yield* claimsConnection.query(Claims.cursor({ claims: chosen, keys: chosen }), [], false)
  // Ranges are small: use indexes, whatever the statistics say.
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)

  const { archive } = exported
  const records: Material["records"] = Effect.fnUntraced(function* (account, seq) {
    const row = yield* recordsRow(connection.query(journalPageStatement, [int8(account), seq]))
    return pageOf(row, archive === undefined ? [] : yield* archive.records(account, seq))
  })

  const ledger: Material["ledger"] = Effect.fnUntraced(function* (account, from, until, limit) {
    const here = yield* spanImagesRows(connection.query(ledgerPageStatement, [int8(account), from, until, int8(limit)]))
    return ArchivedMaterial.joined(
      here,
      archive === undefined ? [] : yield* archive.entries(account, from, until, limit)
    )
  })

  return {
    claims: new Claims.Claims(claimsConnection),
    range: (range) => readRange(connection, archive, share, range),
    records,
    ledger
  }
})
