/** Reads beside an account's records, by their plans. Holds contract/databases.md *Spans*: a read looks into its own partition. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../../src/base/database/Database.ts"
import * as Lineage from "../../../../src/base/database/Lineage.ts"
import { int8 } from "../../../../src/base/database/Values.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import * as PgReads from "../../../../src/core/journal/postgres/PgReads.ts"
import { JournalUnavailable } from "../../../../src/core/journal/Records.ts"
import { explaining, tablesOf } from "../../../base/database/Plans.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { append, entry, hash128, issuedReward, record, start } from "../Records.ts"

const both = PgJournal.layer.pipe(Layer.provideMerge(TestDatabase.layer))

const begin = Effect.andThen(
  TestDatabase.query("SELECT begin_span(true)"),
  TestDatabase.query("SELECT prepare_spans()")
)

/** Reads, and the partitions that the last of them looked into. */
const watched = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const { nodes, query } = explaining(yield* PgConnection.make(clientConfig))
  const reads = PgReads.make((statement, parameters) =>
    Effect.mapError(query(statement, parameters), (cause) => new JournalUnavailable({ cause }))
  )
  const partitionsOf = <A, E>(read: Effect.Effect<A, E>) =>
    Effect.map(read, (found) => {
      const partitions = tablesOf(nodes).filter((name) => /^(journal|ledger_entries)_\d+$/.test(name))
      nodes.length = 0
      return { found, partitions }
    })
  return { reads, query, partitionsOf }
})

/** An account with records 1 to 3 in span 0, 4 and 5 in span 1, none in span 2, one without an entry in span 3, 7 to 9 in span 4. */
const lived = Effect.gen(function* () {
  const journal = yield* Journal
  const account = yield* journal.newAccountNumber
  const write = Effect.fnUntraced(function* (...records: ReadonlyArray<ReturnType<typeof record>>) {
    for (const one of records) assert.strictEqual((yield* append(journal, one))._tag, "committed")
  })
  yield* write(record(account, 1), record(account, 2), record(account, 3))
  yield* begin
  yield* write(record(account, 4), record(account, 5))
  yield* begin
  yield* begin
  yield* write(record(account, 6, { entries: [], issuedRewards: [issuedReward("w")] }))
  yield* begin
  for (const seq of [7, 8, 9])
    yield* write(record(account, seq, { entries: [entry(seq - 1, { occurredAt: start + seq })] }))
  return account
})

it.layer(both, { excludeTestServices: true })("over spans", (it) => {
  it.effect("a read looks into the partitions that have what it asks for, and into no others", () =>
    Effect.gen(function* () {
      const account = yield* lived
      const { partitionsOf, query, reads } = yield* watched
      const seqs = (from: number, limit: number) =>
        Effect.map(reads.records(account, from, limit), (rows) => rows.map(({ seq }) => seq))
      const entries = (fields: object) =>
        Effect.map(reads.ledger({ account, limit: 50, ...fields }), (rows) => rows.map(({ n }) => n))
      const cases: ReadonlyArray<
        readonly [read: Effect.Effect<unknown, unknown>, found: unknown, partitions: ReadonlyArray<string>]
      > = [
        // A record by account and seq, as for a replay by key.
        [seqs(2, 1), [2], ["journal_0"]],
        [seqs(4, 1), [4], ["journal_1"]],
        [seqs(6, 1), [6], ["journal_3"]],
        [seqs(9, 1), [9], ["journal_4"]],
        // Records after a snapshot, and over a border.
        [seqs(8, 500), [8, 9], ["journal_4"]],
        [seqs(3, 2), [3, 4], ["journal_0", "journal_1"]],
        // Pages of entries, newest first.
        [entries({ limit: 2 }), [8, 7], ["ledger_entries_4"]],
        [entries({ limit: 3 }), [8, 7, 6], ["ledger_entries_4"]],
        [entries({ beforeN: 5, limit: 1 }), [4], ["ledger_entries_1"]],
        [entries({ beforeN: 5 }), [4, 3, 2, 1], ["ledger_entries_0", "ledger_entries_1"]],
        [entries({ operations: ["manual"] }), [], ["ledger_entries_0", "ledger_entries_1", "ledger_entries_4"]],
        // The records that posted entries.
        [
          Effect.map(reads.recordsOf(account, [5, 2]), (rows) => rows.map(({ seq }) => seq)),
          [2, 5],
          ["journal_0", "journal_1", "ledger_entries_0", "ledger_entries_1"]
        ],
        [reads.entriesOtherThan(account, [[5, 11]]), [5], ["ledger_entries_1"]],
        // Acknowledged records.
        [
          Effect.map(
            query(
              Lineage.missingStatement,
              Lineage.stampParameters([
                { account, seq: 4, hash: hash128(account * 1_000_000 + 4) },
                { account, seq: 5, hash: hash128(1) },
                { account: account + 1, seq: 1, hash: hash128(1) }
              ])
            ),
            (rows) => rows.map(({ place }) => Number(place))
          ),
          [2, 3],
          ["journal_0", "journal_1"]
        ]
      ]
      for (const [index, [read, expected, partitions]] of cases.entries())
        assert.deepStrictEqual(yield* partitionsOf(read), { found: expected, partitions }, `case ${index}`)
    })
  )

  it.effect("the record at an instant is found in any span, and entries between instants", () =>
    Effect.gen(function* () {
      const account = yield* lived
      const { reads } = yield* watched
      for (let seq = 1; seq <= 9; seq++) assert.strictEqual((yield* reads.recordAt(account, start + seq))?.seq, seq)
      assert.isUndefined(yield* reads.recordAt(account, start))
      const between = yield* reads.ledger({ account, limit: 50, occurredFrom: start + 3, occurredUntil: start + 7 })
      assert.deepStrictEqual(
        between.map(({ n }) => n),
        [6, 5, 4, 3]
      )
      // No entry in the present span.
      const journal = yield* Journal
      yield* begin
      yield* append(journal, record(account, 10, { entries: [], issuedRewards: [issuedReward("x")] }))
      const last = yield* reads.ledger({ account, limit: 1, occurredUntil: start + 100 })
      assert.deepStrictEqual(
        last.map(({ n }) => n),
        [8]
      )
      const rows = yield* TestDatabase.query(
        "SELECT first_n::int AS n FROM account_spans WHERE account = $1 ORDER BY span DESC LIMIT 1",
        [int8(account)]
      )
      assert.deepStrictEqual(rows, [{ n: 9 }])
    })
  )
})
