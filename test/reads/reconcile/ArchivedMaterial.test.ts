/** Archived months are proven and used out of their files. Holds contract/databases.md *Archive*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import { trailerBytes } from "../../../src/core/journal/archive/Sections.ts"
import * as History from "../../../src/reads/reconcile/History.ts"
import * as RestoreSpans from "../../../src/reads/reconcile/RestoreSpans.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as InProcess from "../../app/cli/InProcess.ts"
import * as Archiving from "./Archiving.ts"
import * as Scenario from "./Scenario.ts"

/** Four spans: m-0 has records in all, m-1 in the first alone, m-2 in the first and the second. */
const years = Effect.gen(function* () {
  yield* Scenario.lives(3)
  for (const span of ["second", "third", "fourth"]) {
    yield* Archiving.begin
    for (let order = 0; order < 4; order++) yield* earn("m-0", `m-0-${span}-${order}`, 2_000)
    if (span === "second") yield* earn("m-2", "m-2-second", 2_000)
  }
  yield* enroll("m-3")
  yield* Scenario.countRollups
  for (let span = 0; span < 3; span++) yield* Archiving.seal
})

const full = (from: string, rangeRows?: number) =>
  Scenario.verify(100, { isFull: true, rangeRows }).pipe(Effect.provide(ArchiveFiles.layer(from)))
const messages = (
  found: ReadonlyArray<{ readonly table: string; readonly row?: string | undefined; readonly message: string }>
) => found.map(({ message, row, table }) => `${table} ${row ?? ""} ${message}`).sort()
const messageOf = <A, E extends { readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ message }) => message)
const numberOf = (member: string) => `(SELECT number FROM accounts WHERE member_id = '${member}')`

layer(Scenario.layer, { excludeTestServices: true })("archived spans", (it) => {
  it.effect("are verified out of their files as tables are, and never without them", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      yield* years
      const { accounts, entries, found, records } = yield* Scenario.verify(100, { isFull: true })
      assert.deepStrictEqual(found, [])
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      const month = new Date().toISOString().slice(0, 7)
      assert.include(
        yield* messageOf(Scenario.verify(100, { isFull: true })),
        `Nothing was proven: it needs the records of archived months (${month})`
      )
      const without = yield* InProcess.onDatabase("journal", "verify", "--full")
      assert.strictEqual(without.code, 2)
      assert.include(without.err, `archived months (${month})`)
      assert.notInclude(without.out, "no differences")
      const proven = yield* InProcess.onDatabase("journal", "verify", "--full", "--from", to)
      assert.strictEqual(proven.code, 0, proven.err)
      assert.include(proven.out, "2 archived spans were read out of their files.")
      for (const rangeRows of [undefined, 7]) {
        const again = yield* full(to, rangeRows)
        assert.deepInclude(again, { accounts, records, entries, archived: 2 })
        assert.deepStrictEqual(again.found, [])
      }

      // A member's records are shown out of both.
      const told: Array<number> = []
      const show = History.show("m-2", undefined, ({ seq }) => Effect.sync(() => void told.push(seq)))
      assert.include(yield* Effect.flip(show), { archived: month })
      yield* show.pipe(Effect.provide(ArchiveFiles.layer(to)))
      assert.deepStrictEqual(
        told,
        Array.from({ length: told.length }, (_, index) => index + 1)
      )
      assert.isAbove(told.length, 20)

      // Claims and places of archived records are compared with them.
      yield* Scenario.byHand(
        `UPDATE account_spans SET first_n = first_n + 1 WHERE span = 1 AND account = ${numberOf("m-2")}`,
        `DELETE FROM claims WHERE seq = 3 AND account = ${numberOf("m-1")}`
      )
      for (const rangeRows of [undefined, 7])
        assert.deepStrictEqual(messages((yield* full(to, rangeRows)).found), [
          "account_spans span 1 says another first record or entry of the span than its file",
          "journal seq 3 its hash does not match: the record, the previous one or one of its claims was changed"
        ])

      // A file that is damaged anywhere proves nothing.
      const [file = "", second = ""] = fs.readdirSync(to).sort()
      const whole = fs.readFileSync(path.join(to, file))
      for (const at of [40, Math.floor(whole.length / 2), whole.length - 40]) {
        const changed = Buffer.from(whole)
        changed[at]! ^= 1
        fs.writeFileSync(path.join(to, file), changed)
        assert.match(yield* messageOf(full(to)), /damaged/)
      }
      fs.writeFileSync(path.join(to, file), whole)
      fs.rmSync(path.join(to, second))
      assert.match(yield* messageOf(full(to)), /cannot be opened/)
    })
  )
})

layer(Scenario.layer, { excludeTestServices: true })("beside archived spans", (it) => {
  it.effect("rebuild makes accounts, rewards and figures again out of files and tables", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      yield* years
      yield* Archiving.archiveAll(to)
      // One of two comes back, so that an account's records are in a file, a table, and a table again.
      yield* Scenario.byHand("UPDATE archived_spans SET month = '2001-01' WHERE span = 0")
      const [{ month } = {}] = yield* Scenario.byHand("SELECT month FROM archived_spans WHERE span = 1")
      assert.strictEqual(yield* RestoreSpans.restore(String(month), to, () => Effect.void), 1)
      assert.deepStrictEqual((yield* full(to)).found, [])
      yield* Scenario.byHand(
        `UPDATE accounts SET balance = 1 WHERE member_id IN ('m-0', 'm-1')`,
        `DELETE FROM account_spans WHERE span = 2 AND account = ${numberOf("m-0")}`,
        `DELETE FROM issued_rewards WHERE account = ${numberOf("m-1")}`,
        "DELETE FROM rollup_member_lots",
        "UPDATE rollup_sales SET orders = orders + 1"
      )
      assert.isNotEmpty((yield* full(to)).found)
      assert.match(yield* messageOf(Scenario.rebuild), /Nothing was proven/)

      // The feed reads the order of a file that is damaged there: figures of before are better than none.
      const [{ file } = {}] = yield* Scenario.byHand("SELECT file FROM archived_spans")
      const damaged = path.join(to, String(file))
      const whole = fs.readFileSync(damaged)
      const changed = Buffer.from(whole)
      changed[Number(whole.readBigUInt64BE(whole.length - trailerBytes)) - 1]! ^= 1
      fs.writeFileSync(damaged, changed)
      const sales = Scenario.byHand("SELECT FROM rollup_sales")
      const before = (yield* sales).length
      assert.match(yield* messageOf(Scenario.rebuild.pipe(Effect.provide(ArchiveFiles.layer(to)))), /of its order/)
      assert.isAbove(before, 0)
      assert.lengthOf(yield* sales, before)
      fs.writeFileSync(damaged, whole)
      const done = yield* Scenario.rebuild.pipe(Effect.provide(ArchiveFiles.layer(to)))
      assert.deepStrictEqual(done.found, [])
      assert.deepInclude(done, { skipped: 0, hasRemadeRollups: true })
      assert.deepStrictEqual((yield* full(to)).found, [])

      // A run that was cut off while it counted: a node without the folder cannot go on, and the next run does.
      const figures = Scenario.byHand(
        "SELECT to_jsonb(s) AS row FROM rollup_sales s UNION ALL SELECT to_jsonb(b) FROM rollup_buyers b ORDER BY 1"
      )
      const made = yield* figures
      yield* Scenario.byHand("SELECT reset_rollups()")
      const onNode = Effect.provide(Layer.fresh(Scenario.service).pipe(Layer.provide(ArchiveFiles.layer(to))))
      yield* Effect.flatMap(Rollups, ({ step }) => step(20)).pipe(onNode)
      assert.include(yield* Effect.flip(Effect.flatMap(Rollups, ({ catchUp }) => catchUp())), { archived: "2001-01" })
      const resumed = yield* Scenario.rebuild.pipe(Effect.provide(ArchiveFiles.layer(to)))
      assert.deepStrictEqual([resumed.found, resumed.hasRemadeRollups], [[], false])
      assert.deepStrictEqual(yield* figures, made)
      yield* earn("m-1", "m-1-after", 1_000)
    })
  )
})
