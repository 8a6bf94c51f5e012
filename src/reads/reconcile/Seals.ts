/**
 * Seals of spans (contract/databases.md *Seals*): a span that is over is verified from the seal before it; what it came to and
 * the state of each of its accounts are kept.
 *
 * A span's records never change, so a seal that was cut off begins again and writes the same rows. They count from the
 * moment when the span has its row in `seals`. One session at a time seals, by a lock that ends with it.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Connect from "../../base/database/Connect.ts"
import * as Locks from "../../base/database/Locks.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { firstOf, int4s, int8, int8s, oneOf, texts, uuids } from "../../base/database/Values.ts"
import type { Unit } from "../../contract/Values.ts"
import { unitOf } from "../../core/account/domain/State.ts"
import * as SealedState from "../../core/account/SealedState.ts"
import { makeClaimKey } from "../../core/journal/Hashing.ts"
import type { SealedAccount } from "../../core/journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"
import * as Merges from "./Merges.ts"
import * as SpanAudit from "./SpanAudit.ts"
import * as SpanWalk from "./SpanWalk.ts"

/** The outcome of a look at the next span. */
export type Outcome =
  /** The next span is the present one, or a transaction from its time is still open. */
  | { readonly _tag: "Nothing"; readonly span: number }
  /** Another session seals. */
  | { readonly _tag: "Elsewhere" }
  | {
      readonly _tag: "Sealed"
      readonly span: number
      readonly accounts: number
      readonly records: number
      readonly entries: number
    }
  /** It has differences and gets no seal. */
  | { readonly _tag: "Differs"; readonly span: number; readonly differences: number }

export interface Options {
  readonly pageRows: number
  readonly onDifference: (difference: Difference) => Effect.Effect<void>
  readonly onPage: Effect.Effect<void>
}

/** All transactions that could write to a span that is over have ended once those before the next span's beginning have. */
const nextStatement = `SELECT l.span, coalesce(s.era, 0) AS first, n.era AS last, secret,
    coalesce((n.epoch, n.transaction) < (i.epoch, pg_snapshot_xmin(pg_current_snapshot())), false) AS "isOver"
  FROM installation i, (SELECT coalesce(max(span), -1) + 1 AS span FROM seals) l
    LEFT JOIN spans s ON s.span = l.span LEFT JOIN spans n ON n.span = l.span + 1`
const nextRow = oneOf(
  Schema.Struct({
    span: Schema.Number,
    first: Schema.Number,
    last: Schema.NullOr(Schema.Number),
    secret: Schema.String,
    isOver: Schema.Boolean
  })
)
const lockRow = oneOf(Schema.Struct({ isLocked: Schema.Boolean }))

const accountsStatement = `INSERT INTO sealed_accounts (span, account, seq, chain, version, hash, state)
  SELECT * FROM unnest($1::smallint[], $2, $3, $4, $5::smallint[], $6, $7)
  ON CONFLICT (span, account) DO UPDATE SET seq = excluded.seq, chain = excluded.chain, version = excluded.version,
    hash = excluded.hash, state = excluded.state`
const sealStatement = `INSERT INTO seals (span, accounts, records, entries, sums, digest) VALUES ($1, $2, $3, $4, $5, $6)`

/** States of earlier spans of the accounts that a seal has: the newest one of an account is enough. By the batch of accounts. */
const pruneStatement = `WITH batch AS (
    SELECT account FROM sealed_accounts WHERE span = $1 AND account > $2 ORDER BY account LIMIT ${Bounds.sealedBatch}
  ), pruned AS (
    UPDATE sealed_accounts s SET state = NULL FROM batch b CROSS JOIN LATERAL (
        SELECT ${SpanOf.newest("b.account", "l.span < $1")} AS span OFFSET 0
      ) before WHERE s.span = before.span AND s.span < $1 AND s.account = b.account AND s.state IS NOT NULL
  ) SELECT max(account) AS account FROM batch HAVING max(account) IS NOT NULL`
const batchRow = firstOf(Schema.Struct({ account: Schema.Number }))

type Connection = PgConnection.PgConnection

const prune = Effect.fnUntraced(function* (connection: Connection, span: number) {
  for (let after: number | undefined = -Number.MAX_SAFE_INTEGER; after !== undefined; ) {
    const batch: { readonly account: number } | undefined = yield* batchRow(
      connection.query(pruneStatement, [PgTypes.int2(span), int8(after)])
    )
    after = batch?.account
  }
})

/** Collects the accounts of a span, and writes them by the batch. */
class Sealing {
  private rows: Array<SealedAccount & { readonly state: string }> = []
  private readonly digest = createHash("sha256")
  private readonly sums = new Map<Unit, number>()
  private readonly connection: Connection
  private readonly span: number
  private readonly claimKey: ReturnType<typeof makeClaimKey>

  constructor(connection: Connection, span: number, secret: string) {
    this.connection = connection
    this.span = span
    this.claimKey = makeClaimKey(secret)
  }

  /** Requires: accounts come in the order of their numbers, each without a difference. */
  add({ audit, before }: SpanWalk.Audited) {
    const { rebuilt } = audit
    if (rebuilt === undefined) throw new Error(`account ${audit.account} was sealed with a damaged journal`)
    const { hash: chain, state } = rebuilt
    for (const { posted, unit } of state.units)
      this.sums.set(unit, (this.sums.get(unit) ?? 0) + posted - unitOf(before, unit).posted)
    const { version } = SealedState
    const row = {
      span: this.span,
      account: audit.account,
      seq: state.seq,
      chain,
      version,
      state: SealedState.encode(state)
    }
    const hash = SealedState.hashOf(this.claimKey, row)
    this.digest.update(hash.replaceAll("-", ""), "hex")
    this.rows.push({ ...row, hash })
    return this.rows.length < Bounds.sealedBatch ? Effect.void : this.write
  }

  private readonly write = Effect.suspend(() => {
    const rows = this.rows
    this.rows = []
    if (rows.length === 0) return Effect.void
    return this.connection.query(accountsStatement, [
      int4s(rows.map(({ span }) => span)),
      int8s(rows.map(({ account }) => account)),
      int8s(rows.map(({ seq }) => seq)),
      uuids(rows.map(({ chain }) => chain)),
      int4s(rows.map(({ version }) => version)),
      uuids(rows.map(({ hash }) => hash)),
      texts(rows.map(({ state }) => state))
    ])
  })

  readonly finish = Effect.fnUntraced(function* (this: Sealing, counts: Counts) {
    yield* this.write
    const sums = [...this.sums].filter(([, sum]) => sum !== 0).sort(([a], [b]) => (a < b ? -1 : 1))
    yield* this.connection.query(sealStatement, [
      PgTypes.int2(this.span),
      int8(counts.accounts),
      int8(counts.records),
      int8(counts.entries),
      PgTypes.text(JSON.stringify(sums)),
      PgTypes.bytea(this.digest.digest())
    ])
  })
}

interface Counts {
  readonly accounts: number
  readonly records: number
  readonly entries: number
}

const seal = Effect.fnUntraced(function* (connection: Connection, options: Options) {
  const { first, isOver, last, secret, span } = yield* nextRow(connection.query(nextStatement))
  if (!isOver) return { _tag: "Nothing", span } as const
  yield* prune(connection, span - 1)
  const sealing = new Sealing(connection, span, secret)
  const merges: Array<Merges.MergeHalf> = []
  let differences = 0
  const report = (found: ReadonlyArray<Difference>) => {
    differences += found.length
    return Effect.forEach(found, options.onDifference, { discard: true })
  }
  const walked = yield* SpanWalk.connect
  yield* report(yield* SpanAudit.lost(walked, span - 1))
  const { skipped, ...counts } = yield* SpanWalk.run(
    walked,
    { after: span - 1, until: span, eras: [first, last], share: 100, pageRows: options.pageRows },
    {
      onAccount: (audited) => {
        merges.push(...audited.audit.merges)
        if (audited.audit.differences.length > 0) return report(audited.audit.differences)
        return differences > 0 ? Effect.void : sealing.add(audited)
      },
      onDifference: (difference) => report([difference]),
      onPage: () => options.onPage
    }
  )
  if (skipped === 0) yield* report(Merges.unpaired(merges).map((half) => ({ ...half, table: "journal" as const })))
  if (differences > 0) return { _tag: "Differs", span, differences } as const
  yield* sealing.finish(counts)
  return { _tag: "Sealed", span, ...counts } as const
}, Effect.scoped)

/** Runs work on a session that alone seals; undefined: another one does. */
const alone = <A, E, R>(work: (connection: Connection) => Effect.Effect<A, E, R>) =>
  Connect.apart(
    Effect.fnUntraced(function* (connection) {
      const { isLocked } = yield* lockRow(
        connection.query(`SELECT pg_try_advisory_lock(${Locks.sealing}) AS "isLocked"`)
      )
      return isLocked ? yield* work(connection) : undefined
    })
  )

/** Seals the next span, if it is over. */
export const sealNext = (options: Options) =>
  Effect.map(
    alone((connection) => seal(connection, options)),
    (outcome): Outcome => outcome ?? { _tag: "Elsewhere" }
  )

/**
 * Forgets the seal of the last sealed span, or with 0 all seals, so that they are made again. False: another session seals. Fails for
 * other spans, and where what it takes is archived or gone. Requires: the rights of the tables' owner.
 */
export const forget = (span: number) =>
  Effect.map(
    alone((connection) => connection.query("SELECT forget_seals($1)", [PgTypes.int2(span)])),
    (done) => done !== undefined
  )
