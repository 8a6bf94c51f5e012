/** Spans of the journal on PostgreSQL. Holds contract/databases.md *Spans*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { Database } from "../../../../src/base/database/Database.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { append, appendAll, entry, hash128, issuedReward, record } from "../Records.ts"

const node = Effect.map(Layer.build(Layer.fresh(PgJournal.layer)), (context) => Context.get(context, Journal))
const connect = Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))

const beginBy = (statement: string) =>
  Effect.map(TestDatabase.query(`SELECT ${statement} AS span`), ([row]) => Number(row?.["span"]))
const beginByMonth = beginBy("begin_span()")
const beginByHand = beginBy("begin_span(true)")
const prepare = TestDatabase.query("SELECT prepare_spans()")
const present = beginBy("(SELECT span FROM installation)")

/** As if the present span had begun so long ago. */
const age = (interval: string) =>
  TestDatabase.query(
    `UPDATE spans SET began_at = clock_timestamp() - interval '${interval}' WHERE span = (SELECT max(span) FROM spans)`
  )

const spansOf = (account: number) =>
  Effect.map(
    TestDatabase.query(
      `SELECT (SELECT array_agg(span::text ORDER BY seq) FROM journal WHERE account = ${account}) AS records,
        (SELECT array_agg(span::text ORDER BY n) FROM ledger_entries WHERE account = ${account}) AS entries`
    ),
    ([row]) => ({ records: row?.["records"], entries: row?.["entries"] })
  )

it.layer(TestDatabase.layer, { excludeTestServices: true })("a span", (it) => {
  it.effect("begins with a later month by PostgreSQL's clock, never backwards, and not before it has records", () =>
    Effect.gen(function* () {
      yield* prepare
      yield* age("40 days")
      assert.strictEqual(yield* beginByMonth, 0)
      const journal = yield* node
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1))
      for (const ahead of ["-40 days", "0 days"]) {
        yield* age(ahead)
        assert.strictEqual(yield* beginByMonth, 0, ahead)
      }
      yield* age("40 days")
      assert.strictEqual(yield* beginByMonth, 1)
      yield* append(journal, record(account, 2))
      assert.strictEqual(yield* beginByMonth, 1)
    })
  )

  it.effect("does not begin by a clock that is more than 40 days past the newest record", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const was = yield* present
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      yield* age("400 days")
      yield* TestDatabase.query("ALTER TABLE journal DISABLE TRIGGER journal_append_only")
      yield* TestDatabase.query("UPDATE journal SET written_at = written_at - 41 * 86400000::bigint")
      assert.strictEqual(yield* beginByMonth, was)
      yield* TestDatabase.query("UPDATE journal SET written_at = written_at + 2 * 86400000::bigint")
      yield* TestDatabase.query("ALTER TABLE journal ENABLE TRIGGER journal_append_only")
      assert.strictEqual(yield* beginByMonth, was + 1)
    })
  )

  it.effect("begins no earlier than the newest record before it was written, so that its keys end by their age", () =>
    Effect.gen(function* () {
      const journal = yield* node
      yield* prepare
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      // As if the clock had been set back since.
      const set = (days: number) =>
        Effect.forEach(
          [
            "ALTER TABLE journal DISABLE TRIGGER journal_append_only",
            `UPDATE journal SET written_at = written_at + ${days} * 86400000::bigint`,
            "ALTER TABLE journal ENABLE TRIGGER journal_append_only"
          ],
          (statement) => TestDatabase.query(statement)
        )
      yield* set(500)
      const began = yield* beginByHand
      yield* set(-500)
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          `SELECT began_at > clock_timestamp() + interval '499 days' AS ahead FROM spans WHERE span = ${began}`
        ),
        [{ ahead: true }]
      )
      yield* age("0 days")
    })
  )

  it.effect("does not begin without a partition for its keys, which is made again, that of the present one too", () =>
    Effect.gen(function* () {
      const journal = yield* node
      yield* prepare
      const was = yield* present
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      yield* TestDatabase.query(`DROP TABLE keys_${was}, keys_${was + 1}`)
      assert.strictEqual(yield* beginByHand, was)
      yield* prepare
      const claims = [{ key: journal.claimKey("again"), fingerprint: hash128(1), hasEnd: true as const }]
      const outcome = yield* append(journal, record(yield* journal.newAccountNumber, 1, { claims }))
      assert.strictEqual(outcome._tag, "committed")
      assert.strictEqual(yield* beginByHand, was + 1)
    })
  )

  it.effect("begins once when nodes begin it at the same time", () =>
    Effect.gen(function* () {
      const journal = yield* node
      yield* prepare
      const was = yield* present
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      yield* age("40 days")
      const sessions = yield* Effect.all(Array.from({ length: 4 }, () => connect))
      for (const one of sessions) yield* one.query("SET lock_timeout = 0")
      // All of them wait for this group.
      const [group] = sessions
      yield* group!.query("BEGIN", [], false)
      yield* group!.query("SELECT pg_advisory_xact_lock_shared(7270001)")
      const began = yield* Effect.all(
        sessions.slice(1).map((one) => Effect.exit(one.query("SELECT begin_span() AS span"))),
        { concurrency: "unbounded" }
      ).pipe(Effect.forkChild)
      yield* group!.query("COMMIT", [], false)
      yield* Fiber.join(began)
      assert.include([was, was + 1], yield* beginByMonth)
      assert.strictEqual(yield* present, was + 1)
    })
  )

  it.effect("waits for a group in flight, gives up early, and has no record of before", () =>
    Effect.gen(function* () {
      const journal = yield* node
      yield* prepare
      const was = yield* present
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1))
      const group = yield* connect
      yield* group.query("BEGIN", [], false)
      yield* group.query("SELECT pg_advisory_xact_lock_shared(7270001)")
      const refused = yield* Effect.flip(TestDatabase.query("SELECT begin_span(true)"))
      assert.match(String(refused.reason.cause), /lock timeout/)
      assert.strictEqual(yield* present, was)
      // Goes on as a group that saw the span of before.
      yield* group.query(
        `INSERT INTO journal (account, seq, at, transaction, hash, epoch, program_version, version, events, reply, balances,
            announced, span)
          SELECT account, 2, at, pg_current_xact_id(), gen_random_uuid(), epoch, program_version, version, events, reply,
            balances, 2, span FROM journal WHERE account = $1::text::bigint`,
        [String(account)]
      )
      yield* group.query("COMMIT", [], false)
      assert.strictEqual(yield* beginByHand, was + 1)
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          `SELECT j.seq::int AS seq FROM journal j JOIN spans s ON s.span = j.span + 1
            WHERE j.account = ${account} AND (j.epoch, j.transaction) < (s.epoch, s.transaction) ORDER BY 1`
        ),
        [{ seq: 1 }, { seq: 2 }]
      )
    })
  )

  it.effect(
    "takes the records and entries from its beginning on, which are read over the border and fenced as before",
    () =>
      Effect.gen(function* () {
        const [one, two] = [yield* node, yield* node]
        yield* prepare
        const was = yield* present
        const [account, quiet, late] = [
          yield* one.newAccountNumber,
          yield* one.newAccountNumber,
          yield* one.newAccountNumber
        ]
        yield* appendAll(one, [record(account, 1), record(account, 2), record(quiet, 1)])
        assert.strictEqual(yield* beginByHand, was + 1)
        yield* appendAll(one, [record(account, 3), record(account, 4, { entries: [] }), record(late, 1)])
        const [before, now] = [String(was), String(was + 1)]
        assert.deepStrictEqual(yield* spansOf(account), {
          records: [before, before, now, now],
          entries: [before, before, now]
        })
        assert.deepStrictEqual(yield* spansOf(late), { records: [now], entries: [now] })
        assert.deepStrictEqual(
          yield* TestDatabase.query(
            `SELECT account::text AS account, first_seq::int AS seq, first_n::int AS n FROM account_spans
            WHERE span = ${was + 1} ORDER BY 2 DESC`
          ),
          [
            { account: String(account), seq: 3, n: 3 },
            { account: String(late), seq: 1, n: 1 }
          ]
        )
        for (const from of [1, 2, 3, 4])
          assert.deepStrictEqual(
            (yield* two.records(account, from, 10)).map(({ seq }) => seq),
            [1, 2, 3, 4].slice(from - 1)
          )
        assert.strictEqual((yield* two.records(quiet, 1, 10)).length, 1)
        assert.deepStrictEqual(
          (yield* two.recordsOf(account, [2, 3])).map(({ seq }) => seq),
          [2, 3]
        )
        assert.strictEqual((yield* two.recordAt(account, record(account, 2).at))?.seq, 2)
        // A record at a place that lies in an earlier span, in the present one, and the next.
        for (const seq of [1, 2, 4]) assert.strictEqual((yield* append(two, record(account, seq)))._tag, "stale")
        assert.strictEqual((yield* append(two, record(quiet, 2)))._tag, "committed")
        // The first record of a span without an entry.
        yield* prepare
        assert.strictEqual(yield* beginByHand, was + 2)
        yield* append(two, record(account, 5, { entries: [], issuedRewards: [issuedReward("w")] }))
        yield* append(two, record(account, 6, { entries: [entry(4)] }))
        assert.deepStrictEqual(
          yield* TestDatabase.query(
            `SELECT first_seq::int AS seq, first_n::int AS n FROM account_spans WHERE span = ${was + 2}`
          ),
          [{ seq: 5, n: 4 }]
        )
      })
  )

  it.effect("takes what a node of an older version appends, until keys go apart", () =>
    Effect.gen(function* () {
      const journal = yield* node
      yield* prepare
      const now = yield* beginByHand
      const account = yield* journal.newAccountNumber
      const older = TestDatabase.query(
        `SELECT * FROM append_records(
          ARRAY[(${account}, 1, 0, gen_random_uuid(), 1, 1, 'till', null, '[{"type":"enrolled"}]', '{}', '[]', null, 0, 'active', 0)]::appended_record[],
          '{}', '{}', '{}', ARRAY[(${account}, 'demo', 'older-${account}', now(), '[]', null)]::appended_account[], '{}', '{}', '{}', '{}',
          false, '{}', 0, (SELECT stamp FROM eras WHERE era = 0), null, (SELECT programs_revision FROM installation))`
      )
      assert.deepStrictEqual(
        (yield* older).map(({ outcome }) => outcome),
        ["unavailable"]
      )
      yield* TestDatabase.query("UPDATE installation SET keys_apart = false")
      assert.deepStrictEqual(yield* older, [])
      yield* TestDatabase.query("UPDATE installation SET keys_apart = true")
      assert.deepStrictEqual((yield* spansOf(account)).records, [String(now)])
    })
  )

  it.effect("does not begin without its partition: records go on in the present one", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const was = yield* present
      for (const number of [was + 1, was + 2])
        for (const table of ["journal", "ledger_entries", "keys"])
          yield* TestDatabase.query(`DROP TABLE IF EXISTS ${table}_${number}`)
      assert.strictEqual(yield* beginByHand, was)
      const account = yield* journal.newAccountNumber
      assert.strictEqual((yield* append(journal, record(account, 1)))._tag, "committed")
      assert.deepStrictEqual((yield* spansOf(account)).records, [String(was)])
      yield* prepare
      assert.strictEqual(yield* beginByHand, was + 1)
      assert.strictEqual((yield* append(journal, record(account, 2)))._tag, "committed")
      assert.deepStrictEqual((yield* spansOf(account)).records, [String(was), String(was + 1)])
    })
  )

  it.effect("has a partition that refuses changes, with the settings of the first", () =>
    Effect.gen(function* () {
      yield* prepare
      for (const table of ["journal_1", "ledger_entries_1"])
        for (const change of [`UPDATE ${table} SET seq = seq`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
          assert.match(String((yield* Effect.flip(TestDatabase.query(change))).reason.cause), /append-only/, change)
      const options = yield* TestDatabase.query(
        "SELECT DISTINCT reloptions AS options FROM pg_class WHERE relname ~ '^(journal|ledger_entries)_[0-9]+$' AND relkind = 'r'"
      )
      assert.strictEqual(options.length, 1)
    })
  )
})
