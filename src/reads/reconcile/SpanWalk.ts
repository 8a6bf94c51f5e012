/**
 * Audits the records of the spans after a seal, each account from its sealed state, page by page in the order of
 * (account, seq), so that memory is bounded by one page and one account. What reaches up to now is read in one snapshot.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Connect from "../../base/database/Connect.ts"
import { Database } from "../../base/database/Database.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { int8, int8s, oneOf, rowsOf } from "../../base/database/Values.ts"
import { initialState, type State } from "../../core/account/domain/State.ts"
import * as SealedState from "../../core/account/SealedState.ts"
import { makeClaimKey } from "../../core/journal/Hashing.ts"
import * as StoredRows from "../../core/journal/postgres/StoredRows.ts"
import type { SealedAccount } from "../../core/journal/Records.ts"
import * as ProgramStore from "../../core/programs/ProgramStore.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Position from "../feed/Position.ts"
import type { AuditDeps } from "./AccountAudit.ts"
import { AccountAudit } from "./AccountAudit.ts"
import * as Claims from "./Claims.ts"
import type { Difference } from "./Difference.ts"
import { FinanceAudit } from "./FinanceAudit.ts"
import * as Material from "./Material.ts"
import { AccountRow } from "./PresentAudit.ts"
import { RollupAudit } from "./RollupAudit.ts"
import { RowImages } from "./RowImage.ts"

/** The spans to read. */
export interface Extent {
  /** The last sealed span; -1: none. */
  readonly after: number
  /** The last span to read; undefined: up to now, so that rows of the present are compared too. */
  readonly until: number | undefined
  /** The eras of claims that can have theirs; null: up to the present one. */
  readonly eras: readonly [first: number, last: number | null]
  /** Percent of the accounts, 1 to 100. */
  readonly share: number
  readonly pageRows: number
}

/** An account before and after its records. */
export interface Audited {
  readonly audit: AccountAudit
  readonly before: State
}

interface Visits<E> {
  readonly onAccount: (audited: Audited) => Effect.Effect<void, E>
  readonly onDifference: (difference: Difference) => Effect.Effect<void>
  /** After each page. `done`: from 0 to 1. */
  readonly onPage: (done: number) => Effect.Effect<void>
}

/** Larger than any span's number. */
const lastSpan = 32_767

const spansOf = ({ after, until = lastSpan }: Extent) => `span BETWEEN ${after + 1} AND ${until}`
const shareOf = ({ share }: Extent) => (share === 100 ? "true" : `account % 100 < ${share}`)

/** The newest sealed span of an account up to `after`. */
const sealedSpan = (account: string, { after }: Extent) => SpanOf.newest(account, `l.span <= ${after}`)

const pageStatement = (extent: Extent) => `SELECT account, ${Material.journalColumns} FROM (
    SELECT * FROM journal WHERE ${spansOf(extent)} AND ${shareOf(extent)} AND (account, seq) > ($1, $2)
      ORDER BY account, seq LIMIT ${extent.pageRows}
  ) page GROUP BY account ORDER BY account`
const pageRows = rowsOf(Material.RecordsRow)

const ledgerStatement = (extent: Extent) => `SELECT account, ${Material.ledgerImages} FROM ledger_entries
  WHERE ${spansOf(extent)} AND ${shareOf(extent)} AND account >= $1 AND account <= $3
    AND (account, seq) > ($1, $2) AND (account, seq) <= ($3, $4) GROUP BY account`
const ledgerRows = rowsOf(Material.ImagesRow)

const sealedStatement = (extent: Extent) => `SELECT s.span, s.account, s.seq, s.chain, s.version, s.hash, s.state
  FROM unnest($1) asked(account) CROSS JOIN LATERAL (SELECT ${sealedSpan("asked.account", extent)} AS span OFFSET 0) newest
    JOIN sealed_accounts s ON s.span = newest.span AND s.account = asked.account`
const sealedRows = rowsOf(StoredRows.SealedAccount)

const presentStatement = `SELECT number AS account, a.seq, next_due AS "nextDue", due_version AS "dueVersion", balance, status,
    program_id AS "programId", member_id AS "memberId", date_part('epoch', joined_at) AS "joinedAtSeconds",
    s.seq AS "snapshotSeq", s.version AS "snapshotVersion", s.state AS "snapshotState"
  FROM accounts a LEFT JOIN snapshots s ON s.account = a.number WHERE number = ANY ($1)`
const presentRows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    ...AccountRow.fields,
    snapshotSeq: Schema.NullOr(Schema.Number),
    snapshotVersion: Schema.NullOr(Schema.Number),
    snapshotState: Schema.NullOr(Schema.String)
  })
)
type Present = Effect.Success<ReturnType<typeof presentRows>>[number]

/** Claims of records in the spans: after the seal's record, and before the first record of a later span. */
const claimsOf = (extent: Extent): Claims.Picked => {
  const { after, eras, until } = extent
  const [first, last] = eras
  const sealed = `(SELECT s.seq FROM sealed_accounts s
    WHERE s.account = claims.account AND s.span = ${sealedSpan("claims.account", extent)})`
  const later = `(SELECT min(l.first_seq) FROM account_spans l WHERE l.account = claims.account AND l.span > ${until ?? lastSpan})`
  const claims = [
    shareOf(extent),
    `era >= ${first}`,
    ...(last === null ? [] : [`era <= ${last}`]),
    // Of accounts with records in the spans alone: an era has claims of many others.
    ...(after < 0 ? [] : [`account IN (SELECT l.account FROM account_spans l WHERE l.${spansOf(extent)})`]),
    ...(after < 0 ? [] : [`seq > coalesce(${sealed}, 0)`]),
    ...(until === undefined ? [] : [`seq < coalesce(${later}, ${Material.last})`])
  ].join(" AND ")
  // A key lies in the span of its record.
  return { claims, keys: `${shareOf(extent)} AND ${spansOf(extent)}` }
}

interface Place {
  readonly account: number
  readonly seq: string
}
const beginning: Place = { account: -Number.MAX_SAFE_INTEGER, seq: Material.first }
const end: Place = { account: Number.MAX_SAFE_INTEGER, seq: Material.last }

/** The reads of one walk. */
class Pages {
  private readonly connection: PgConnection.PgConnection
  private readonly extent: Extent

  constructor(connection: PgConnection.PgConnection, extent: Extent) {
    this.connection = connection
    this.extent = extent
  }

  /** The next records, and the place of the last one; the end if there are none. */
  readonly next = (after: Place) => {
    const at = [int8(after.account), after.seq]
    return Effect.map(pageRows(this.connection.query(pageStatement(this.extent), at)), (rows) => {
      const last = rows.at(-1)
      return { rows, to: last === undefined ? end : { account: last.account, seq: last.newest } }
    })
  }

  /** Images of the entries of the records between two places, by account. */
  readonly ledger = (after: Place, to: Place) => {
    const between = [int8(after.account), after.seq, int8(to.account), to.seq]
    const rows = ledgerRows(this.connection.query(ledgerStatement(this.extent), between))
    return Effect.map(rows, (all) => new Map(all.map(({ account, images }) => [account, images])))
  }

  readonly sealed = (accounts: ReadonlyArray<number>) => {
    const rows =
      this.extent.after < 0
        ? Effect.succeed([])
        : sealedRows(this.connection.query(sealedStatement(this.extent), [int8s(accounts)]))
    return Effect.map(rows, (all) => new Map(all.map((row) => [row.account, row])))
  }

  readonly present = (accounts: ReadonlyArray<number>) => {
    const rows =
      this.extent.until !== undefined
        ? Effect.succeed([])
        : presentRows(this.connection.query(presentStatement, [int8s(accounts)]))
    return Effect.map(rows, (all) => new Map(all.map((row) => [row.account, row])))
  }
}

const none = new Uint8Array()

/** The newest snapshot, if it is of a record after the seal. */
const snapshotOf = (present: Present | undefined, sealedSeq: number) => {
  const { snapshotSeq: seq = null, snapshotState: state = null, snapshotVersion: version = null } = present ?? {}
  return seq === null || state === null || version === null || seq <= sealedSeq ? undefined : { seq, version, state }
}

interface Open extends Audited {
  readonly present: Present | undefined
  /** True: its sealed state is damaged, so that its records cannot be compared with anything. */
  readonly isSkipped: boolean
}

/** The walk's place: one account may go on over several pages. */
class Walk<E> {
  private open: Open | undefined
  readonly counts = { accounts: 0, records: 0, entries: 0, skipped: 0 }
  private readonly extent: Extent
  private readonly deps: AuditDeps
  private readonly visits: Visits<E>

  constructor(extent: Extent, deps: AuditDeps, visits: Visits<E>) {
    this.extent = extent
    this.deps = deps
    this.visits = visits
  }

  get account(): number | undefined {
    return this.open?.audit.account
  }

  begin(account: number, sealed: SealedAccount | undefined, present: Present | undefined): Effect.Effect<void> {
    const { claimKey } = this.deps
    const audit = new AccountAudit(account, snapshotOf(present, sealed?.seq ?? 0), this.deps)
    this.open = { audit, before: initialState, present, isSkipped: false }
    if (sealed === undefined) return Effect.void
    const { chain, hash, span, state, version } = sealed
    if (state === undefined || SealedState.hashOf(claimKey, { ...sealed, state }) !== hash) {
      this.open = { ...this.open, isSkipped: true }
      return this.visits.onDifference({
        table: "sealed_accounts",
        account,
        row: `span ${span}`,
        message: state === undefined ? "has no state" : "was changed"
      })
    }
    const before = SealedState.decode(state, version)
    audit.resume(before, chain)
    this.open = { audit, before, present, isSkipped: false }
    return Effect.void
  }

  read(row: typeof Material.RecordsRow.Type, images: Uint8Array): void {
    if (this.open === undefined || this.open.isSkipped) return
    this.open.audit.read(Material.recordsOf(row))
    this.open.audit.compareLedger(images)
  }

  /** Ends the account at hand. */
  readonly close = Effect.suspend((): Effect.Effect<void, E | SqlError.SqlError> => {
    const { open } = this
    if (open === undefined) return Effect.void
    this.open = undefined
    const { audit, isSkipped, present } = open
    const { claims } = this.deps
    return Effect.flatMap(claims.readTo(audit.account, Number.MAX_SAFE_INTEGER), () => {
      if (isSkipped) {
        claims.take(audit.account, Number.POSITIVE_INFINITY, () => undefined)
        this.counts.skipped++
        return Effect.void
      }
      audit.finishSpans(this.extent.until === undefined ? { row: present } : undefined)
      this.counts.accounts++
      this.counts.records += audit.records
      this.counts.entries += audit.entries
      return this.visits.onAccount(open)
    })
  })
}

/** Claims of accounts before `until` that have no record in the spans. */
const strayClaims = Effect.fnUntraced(function* (claims: Claims.Claims, until: number) {
  const found: Array<Difference> = []
  for (;;) {
    yield* claims.readNext()
    const account = claims.next
    if (account === undefined || account >= until) return found
    yield* claims.readTo(account, Number.MAX_SAFE_INTEGER)
    claims.take(account, Number.POSITIVE_INFINITY, (seq) =>
      found.push({ table: "claims", account, row: `seq ${seq}`, message: "names a record that does not exist" })
    )
  }
})

const mostRow = oneOf(Schema.Struct({ most: Schema.Number }))

/** A connection for a walk, whose snapshot begins with its first statement. */
export const connect = Effect.gen(function* () {
  const connection = yield* Material.connect(yield* Database)
  yield* connection.query(Material.begin, [], false)
  return connection
})

const open = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, extent: Extent) {
  const { hasOwnTime, now, secret } = yield* Material.installationRow(connection.query(Material.installationStatement))
  const types = yield* Material.typesRow(connection.query(Material.typesStatement))
  const { most } = yield* mostRow(connection.query("SELECT greatest(1, max(number)) AS most FROM accounts"))
  const isOver = extent.until !== undefined
  yield* connection.query(Claims.cursor(claimsOf(extent), isOver), [], false)
  // Records of a span that is over do not change: no snapshot is held while they are read.
  if (isOver) yield* connection.query("COMMIT", [], false)
  // Pages are small: use indexes, whatever the statistics say.
  yield* connection.query("SET enable_seqscan = off", [], false)
  const deps: AuditDeps = {
    claimKey: makeClaimKey(secret),
    programs: yield* Programs,
    versions: yield* Connect.apart(ProgramStore.allVersions),
    types,
    claims: new Claims.Claims(connection),
    images: new RowImages(),
    hasOwnTime,
    now,
    // Counts nothing: figures are compared over all records alone.
    finance: new FinanceAudit(Position.beginning),
    rollups: new RollupAudit({ position: Position.beginning, ladders: new Map() })
  }
  return { deps, most }
})

/**
 * Visits every account with records in the spans, and returns how many there are of what. An account whose sealed state is damaged
 * is not visited: that alone is reported, and it is counted as `skipped`. Requires: a connection of `connect`.
 */
export const run = Effect.fnUntraced(function* <E>(
  connection: PgConnection.PgConnection,
  extent: Extent,
  visits: Visits<E>
) {
  const { deps, most } = yield* open(connection, extent)
  const { claims } = deps
  const pages = new Pages(connection, extent)
  const walk = new Walk(extent, deps, visits)
  for (let at = beginning; at !== end; ) {
    const { rows, to } = yield* pages.next(at)
    const ledger = yield* pages.ledger(at, to)
    const begun = rows.flatMap(({ account }) => (account === walk.account ? [] : [account]))
    const [sealed, present] = [yield* pages.sealed(begun), yield* pages.present(begun)]
    for (const row of rows) {
      const { account } = row
      if (account !== walk.account) {
        yield* walk.close
        yield* Effect.forEach(yield* strayClaims(claims, account), visits.onDifference, { discard: true })
        yield* walk.begin(account, sealed.get(account), present.get(account))
      }
      yield* claims.readTo(account, Number(row.newest))
      walk.read(row, ledger.get(account) ?? none)
      ledger.delete(account)
    }
    for (const account of ledger.keys())
      yield* visits.onDifference({
        table: "ledger_entries",
        account,
        message: "has entries of a record that does not exist"
      })
    at = to
    yield* visits.onPage(at === end ? 1 : Math.max(0, at.account / most))
  }
  yield* walk.close
  yield* Effect.forEach(yield* strayClaims(claims, Number.POSITIVE_INFINITY), visits.onDifference, { discard: true })
  return walk.counts
})
