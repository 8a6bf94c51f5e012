/** The statements of the sums of finance (migrations/0111_finance.sql), and of the facts that they need of earlier records. */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { Database } from "../../base/database/Database.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { int8, int8s, oneOf, optional, rowsOf, texts, xid8 } from "../../base/database/Values.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { JournalUnavailable } from "../../core/journal/Records.ts"
import { FeedQuery } from "../feed/PgFeed.ts"
import type { Position } from "../feed/Position.ts"
import type { Redemptions } from "./Redemptions.ts"
import type { MergedLots, Sums } from "./Sums.ts"

/** The state of the sums' progress through the feed. */
export interface Progress {
  /** Number of changes so far. If it differs, another writer has changed the sums. */
  readonly changes: number
  readonly position: Position
  /** The head of the journal there (`headAfter`). */
  readonly head: string
}

const Written = Schema.Literals(["changed", "moved", "replaced"])

/** An entry by its account and number, or an issued reward by its account and id. */
export interface EntryPlace {
  readonly account: number
  readonly n: number
}
export interface RewardPlace {
  readonly account: number
  readonly issued: string
}

/** `moved`: another writer changed the sums. `replaced`: this node is no longer active. Neither writes anything. */
type Written = typeof Written.Type

export class FinanceStore extends Context.Service<
  FinanceStore,
  {
    readonly progress: Effect.Effect<Progress, JournalUnavailable>
    /** The programmes of accounts. */
    readonly programs: (
      accounts: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, string>, JournalUnavailable>
    /** The zone of every version of every programme. */
    readonly zones: Effect.Effect<ReadonlyArray<Zone>, JournalUnavailable>
    /** The merges that brought lots to accounts, and to those that were merged into them. */
    readonly merges: (accounts: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<MergedLots>, JournalUnavailable>
    /** The locations of entries that make lots; undefined: the brand. Fails with `archived` without the folder of a file. */
    readonly places: (
      entries: ReadonlyArray<EntryPlace>
    ) => Effect.Effect<ReadonlyArray<EntryPlace & { readonly place: string | undefined }>, JournalUnavailable>
    /** The rewards of issued ones. */
    readonly rewards: (
      issued: ReadonlyArray<RewardPlace>
    ) => Effect.Effect<ReadonlyArray<RewardPlace & { readonly reward: string }>, JournalUnavailable>
    /** Writes sums that were computed on `from`, and moves the position, in one transaction. */
    readonly write: (
      from: Progress,
      to: Pick<Progress, "head" | "position">,
      sums: Sums,
      redemptions: Redemptions
    ) => Effect.Effect<Written, JournalUnavailable>
  }
>()("lotbook/reads/finance/FinanceStore") {}

const Zone = Schema.Struct({ program: Schema.String, version: Schema.Number, zone: optional(Schema.String) })
type Zone = typeof Zone.Type

const progressRow = oneOf(
  Schema.Struct({
    changes: Schema.Number,
    epoch: Schema.Number,
    transaction: Schema.BigInt,
    account: Schema.Number,
    seq: Schema.Number,
    head: Schema.String
  })
)
const programRows = rowsOf(Schema.Struct({ account: Schema.Number, program: Schema.String }))
const zoneRows = rowsOf(Zone)
const mergeRows = rowsOf(
  Schema.Struct({ account: Schema.Number, lowest: Schema.Number, merged: Schema.Number, shift: Schema.Number })
)
const placeRows = rowsOf(Schema.Struct({ account: Schema.Number, n: Schema.Number, place: optional(Schema.String) }))
const rewardRows = rowsOf(Schema.Struct({ account: Schema.Number, issued: Schema.String, reward: Schema.String }))
const fileRows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    n: Schema.Number,
    file: optional(Schema.String),
    checksum: optional(Schema.Uint8Array)
  })
)
const writtenRow = oneOf(Schema.Struct({ written: Written }))

const zonesStatement = `SELECT program_id AS program, version,
    coalesce(definition ->> 'time_zone', definition #>> '{tier_policy,period,time_zone}') AS zone FROM programs`

const mergesStatement = `WITH RECURSIVE asked AS (
    SELECT m.* FROM unnest($1) a(account) JOIN finance_merges m ON m.account = a.account
    UNION SELECT m.* FROM asked a JOIN finance_merges m ON m.account = a.merged
  ) SELECT account, lowest, merged, shift FROM asked`

const given = `unnest($1, $2) given(account, n)`
/** As `placeOf` of the account's domain. */
const placesStatement = `SELECT given.account, given.n, e.place
  FROM ${given} ${SpanOf.lies(SpanOf.here(SpanOf.ofEntry("given.account", "given.n")))} LEFT JOIN LATERAL (
    SELECT CASE WHEN operation IN ('accrual', 'adjustment', 'manual') THEN location_id END AS place FROM ledger_entries
    WHERE account = given.account AND n = given.n AND span = lies.span OFFSET 0
  ) e ON true`
const filesStatement = `SELECT given.account, given.n, x.file, x.checksum
  FROM ${given} ${SpanOf.lies(SpanOf.ofEntry("given.account", "given.n"))} LEFT JOIN archived_spans x ON x.span = lies.span`

const rewardsStatement = `SELECT given.account, given.issued, r.reward_id AS reward FROM unnest($1, $2) given(account, issued)
  JOIN issued_rewards r ON r.account = given.account AND r.issued_reward_id = given.issued`

const made = new Set(["accrual", "adjustment", "manual"])

const asked = (entries: ReadonlyArray<EntryPlace>) => [
  int8s(entries.map(({ account }) => account)),
  int8s(entries.map(({ n }) => n))
]

/** The same out of tables and files. */
const placesInFiles = Effect.fnUntraced(function* (query: Query, entries: ReadonlyArray<EntryPlace>) {
  const files = yield* ArchiveFiles
  const there = yield* fileRows(query(filesStatement, asked(entries)))
  const found = yield* placeRows(query(placesStatement, asked(there.filter(({ file }) => file === undefined))))
  if (files === undefined) return found
  const away: Array<EntryPlace & { readonly place: string | undefined }> = []
  for (const { account, checksum, file, n } of there) {
    if (file === undefined || checksum === undefined) continue
    const rows = yield* Effect.mapError(
      files.rows({ file, checksum }, "entries", { account, first: n, last: n }),
      (cause) => new JournalUnavailable({ cause })
    )
    for (const { locationId, operation } of rows.map(ArchivedReads.entryOf))
      away.push({ account, n, place: made.has(operation) ? (locationId ?? undefined) : undefined })
  }
  return [...found, ...away]
})

export const layer: Layer.Layer<FinanceStore, never, Database | FeedQuery> = Layer.effect(
  FinanceStore,
  Effect.gen(function* () {
    const { holder } = yield* Database
    const query = yield* FeedQuery
    const files = yield* ArchiveFiles
    const byQuery = (statement: string, parameters: ReadonlyArray<unknown> = []) => query(statement, parameters)
    return FinanceStore.of({
      progress: Effect.map(
        progressRow(byQuery("SELECT changes, epoch, transaction, account, seq, head FROM finance_progress")),
        ({ changes, head, ...position }) => ({ changes, head, position })
      ),
      programs: (accounts) =>
        Effect.map(
          programRows(
            byQuery(
              `SELECT a.number AS account, a.program_id AS program FROM unnest($1) given(number)
                JOIN accounts a ON a.number = given.number`,
              [int8s(accounts)]
            )
          ),
          (rows) => new Map(rows.map(({ account, program }) => [account, program]))
        ),
      zones: zoneRows(byQuery(zonesStatement)),
      merges: (accounts) => mergeRows(byQuery(mergesStatement, [int8s(accounts)])),
      places: (entries) =>
        Effect.catchTag(placeRows(byQuery(placesStatement, asked(entries))), "JournalUnavailable", (error) =>
          error.archived === undefined || files === undefined
            ? Effect.fail(error)
            : ArchivedReads.unlessDamaged(
                Effect.provideService(placesInFiles(query, entries), ArchiveFiles, files),
                error
              )
        ),
      rewards: (issued) =>
        rewardRows(
          byQuery(rewardsStatement, [
            int8s(issued.map(({ account }) => account)),
            texts(issued.map((one) => one.issued))
          ])
        ),
      write: ({ changes }, { head, position: { account, epoch, seq, transaction } }, sums, redemptions) =>
        Effect.map(
          writtenRow(
            byQuery("SELECT count_finance($1, $2, $3, $4, $5, $6, $7, $8, $9) AS written", [
              PgTypes.text(holder ?? null),
              int8(changes),
              PgTypes.int4(epoch),
              xid8(transaction),
              int8(account),
              int8(seq),
              PgTypes.text(head),
              PgTypes.json(sums.toJson()),
              PgTypes.json(redemptions.toJson())
            ])
          ),
          ({ written }) => written
        )
    })
  })
)
