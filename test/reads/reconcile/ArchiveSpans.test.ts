/** Archive and restore of spans. Holds contract/databases.md *Archive*. */

import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { earn, ledgerOf } from "../../../src/app/testing/Guests.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as ArchiveSpans from "../../../src/reads/reconcile/ArchiveSpans.ts"
import { lockStatement } from "../../../src/reads/reconcile/Material.ts"
import * as RestoreSpans from "../../../src/reads/reconcile/RestoreSpans.ts"
import * as Archiving from "./Archiving.ts"
import * as Scenario from "./Scenario.ts"

const now = new Date()
const thisMonth = now.toISOString().slice(0, 7)
const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 7)

/** The name of a span's file, with the beginning of what tells this database from others. */
const nameOf = (span: number) =>
  Effect.map(
    Scenario.byHand("SELECT encode(keyed_hash('archive'), 'hex') AS own"),
    ([row]) => `span-0000${span}-${thisMonth}-${String(row?.["own"]).slice(0, 8)}.lotbook`
  )

const archiveTo = (folder: string, before = nextMonth) => {
  const spans: Array<number> = []
  return Effect.as(
    ArchiveSpans.archive(before, folder, ({ span }) => Effect.sync(() => void spans.push(span))),
    spans
  )
}
const restoreFrom = (folder: string) => RestoreSpans.restore(thisMonth, folder, () => Effect.void)

/** Every row of both tables, as text. */
const rows = Effect.map(
  Scenario.byHand(
    `SELECT md5(string_agg(j::text, ' ' ORDER BY account, seq)) AS hash FROM (SELECT account, seq, at, hash, epoch, transaction, written_at, program_version, version, actor, origin, events, reply, balances, announced, span FROM journal) j
      UNION ALL SELECT md5(string_agg(e::text, ' ' ORDER BY account, n)) FROM ledger_entries e`
  ),
  (all) => all.map(({ hash }) => hash)
)
const partitions = Effect.map(
  Scenario.byHand(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'journal'::regclass ORDER BY 1"
  ),
  (all) => all.map(({ name }) => name)
)
const refusal = <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ message }) => message)

layer(Scenario.layer, { excludeTestServices: true })("spans", (it) => {
  it.effect("go into files and come back as they were, and guests go on meanwhile", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      yield* Scenario.lives(3)
      for (const span of ["second", "third", "fourth"]) {
        yield* Archiving.begin
        yield* earn("m-0", `m-0-${span}`, 2_000)
      }
      yield* Scenario.countRollups
      assert.match(yield* refusal(archiveTo(to)), /Span 0 .* has no seal: run lotbook journal seal/)
      for (let span = 0; span < 3; span++) yield* Archiving.seal
      const before = yield* rows
      // Without a folder on the nodes, sums that lack a record of a file could never go on.
      assert.match(yield* refusal(archiveTo(to)), /Span 1 .* is not counted: the sums of finance are counted up to 20/)
      yield* Archiving.counted
      yield* Scenario.byHand(
        "CREATE TABLE was AS TABLE rollup_progress",
        `UPDATE rollup_progress p SET (epoch, transaction, account, seq) = (SELECT epoch, transaction, account, seq
          FROM journal WHERE span = 1 ORDER BY epoch, transaction LIMIT 1)`
      )
      yield* Scenario.byHand("UPDATE rollup_progress SET seq = seq - 1")
      assert.match(yield* refusal(archiveTo(to)), /Span 1 .* is not counted: the rollups are counted up to 20/)
      yield* Scenario.byHand(
        "UPDATE rollup_progress p SET (epoch, transaction, account, seq) = (SELECT epoch, transaction, account, seq FROM was)",
        "DROP TABLE was"
      )
      assert.deepStrictEqual(yield* rows, before)
      assert.deepStrictEqual(yield* archiveTo(to, thisMonth), [])
      assert.match(yield* refusal(archiveTo(`${to}/none`)), /There is no folder/)
      assert.match(yield* refusal(archiveTo("/dev/null")), /cannot be written in \/dev\/null/)
      assert.deepStrictEqual(yield* rows, before)

      // A killed run's leftovers are replaced; a file with another content is nobody's to overwrite.
      const names = [yield* nameOf(0), yield* nameOf(1)] as const
      const file = path.join(to, names[0])
      fs.writeFileSync(`${file}.partial`, "half")
      fs.writeFileSync(file, "another")
      assert.match(yield* refusal(archiveTo(to)), /another span-00000-.* is there/)
      assert.strictEqual(fs.readFileSync(file, "utf8"), "another")
      assert.deepStrictEqual(yield* rows, before)
      fs.rmSync(file)
      assert.deepStrictEqual(yield* archiveTo(to), [0, 1])
      assert.deepStrictEqual(fs.readdirSync(to), [...names])
      assert.notInclude(yield* partitions, "journal_0")
      assert.deepStrictEqual(yield* archiveTo(to), [])
      yield* Scenario.byHand("DELETE FROM snapshots")
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* earn("m-1", "m-1-after", 1_000)
          yield* earn("m-2", "m-2-after", 1_000)
        }),
        Layer.fresh(Scenario.service)
      )
      yield* Scenario.countRollups
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])

      // A damaged file is not loaded; a run that was cut off begins again.
      const whole = fs.readFileSync(file)
      const changed = Buffer.from(whole)
      changed[100]! ^= 1
      fs.writeFileSync(file, changed)
      assert.match(yield* refusal(restoreFrom(to)), /damaged/)
      fs.writeFileSync(file, whole)
      assert.match(yield* refusal(RestoreSpans.restore(thisMonth, "/none", () => Effect.void)), /cannot be opened/)
      assert.strictEqual(yield* RestoreSpans.restore("2019-05", to, () => Effect.void), 0)
      assert.notInclude(yield* partitions, "journal_0")
      assert.strictEqual(yield* restoreFrom(to), 2)
      assert.strictEqual(yield* restoreFrom(to), 0)
      assert.include(yield* partitions, "journal_0")
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
      assert.strictEqual((yield* ledgerOf("m-1")).length > 10, true)
      assert.deepStrictEqual(
        yield* Scenario.byHand("SELECT relname FROM pg_class WHERE relname LIKE '%restored%' AND relkind = 'r'"),
        []
      )

      // Once more: the rows of a restored span are as those of the first time.
      const again = yield* rows
      assert.deepStrictEqual(yield* archiveTo(to), [0, 1])
      assert.strictEqual(yield* restoreFrom(to), 2)
      assert.deepStrictEqual(yield* rows, again)
    })
  )

  it.effect("stay where they are while something reads them in one snapshot, or was changed since the seal", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      const before = yield* rows
      const { clientConfig } = yield* Database
      const reader = yield* PgConnection.make(clientConfig)
      yield* reader.query(lockStatement)
      const archiving = yield* Effect.forkChild(archiveTo(to))
      const file = path.join(to, yield* nameOf(0))
      const waits = "SELECT count(*) AS waits FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
      while (Number((yield* Scenario.byHand(waits))[0]?.["waits"]) === 0) yield* Effect.yieldNow
      assert.isTrue(fs.existsSync(file))
      // Killed while it waits.
      yield* Fiber.interrupt(archiving)
      assert.deepStrictEqual(yield* rows, before)
      yield* reader.query("SELECT pg_advisory_unlock_all()")
      yield* Scenario.byHand("UPDATE sealed_accounts SET chain = gen_random_uuid() WHERE span = 0")
      assert.match(yield* refusal(archiveTo(to)), /Span 0 is not what its seal says/)
      assert.deepStrictEqual(yield* rows, before)
    })
  )
})
