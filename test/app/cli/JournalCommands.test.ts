/** The operators' commands as scripts run them: what they print, and the codes they end with. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Database } from "../../../src/base/database/Database.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as InProcess from "./InProcess.ts"
import { lotbook } from "./Lotbook.ts"

const sound = /5 accounts, \d+ records, \d+ entries in .*: no differences/

layer(Scenario.layer, { excludeTestServices: true })("lotbook", (it) => {
  it.effect("journal verify ends with 0, 1 or 2, and prints one line for each difference", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(5)
      const well = yield* lotbook(["journal", "verify"])
      assert.strictEqual(well.code, 0, well.err)
      assert.match(well.out, sound)
      yield* Scenario.byHand(
        "UPDATE ledger_entries SET reason = E'\\x1b[2Jgone\\nand away' WHERE order_id = 'm-1-2'",
        "UPDATE accounts SET balance = balance + 1 WHERE member_id = 'm-3'"
      )
      const damaged = yield* lotbook(["journal", "verify", "--program", "demo-foodservice"])
      assert.strictEqual(damaged.code, 1)
      const lines = damaged.out.trimEnd().split("\n")
      assert.strictEqual(lines.length, 4, damaged.out)
      assert.match(
        damaged.out,
        /^ledger_entries: account \d+ \(m-1\) n 3: reason is \\u001b\[2Jgone\\u000aand away; the journal says null$/m
      )
      assert.match(damaged.out, /^accounts: account \d+ \(m-3\): balance is \d+; the journal says \d+$/m)
      assert.match(lines[2] ?? "", /: 2 differences$/)
      for (const args of [
        ["--program", "demo-foodservices"],
        ["--share", "0"],
        ["--share", "many"],
        ["--everything"]
      ]) {
        const refused = yield* InProcess.onDatabase("journal", "verify", ...args)
        assert.strictEqual(refused.code, 2, `${args}: ${refused.err}`)
        assert.notMatch(refused.out, sound)
      }
      const away = yield* InProcess.lotbook(["journal", "verify"], {
        DATABASE_URL: "postgres://nobody:none@127.0.0.1:1/none"
      })
      assert.strictEqual(away.code, 2)
      assert.match(away.err, /^PostgreSQL at 127\.0\.0\.1:1\/none cannot be used: .*ECONNREFUSED/)
    })
  )

  it.effect("journal rebuild repairs one member or all, also a member whose row is gone", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "UPDATE ledger_entries SET reason = NULL WHERE order_id = 'm-1-2'",
        "UPDATE accounts SET status = 'closed' WHERE member_id = 'm-2'",
        "DELETE FROM accounts WHERE member_id = 'm-4'"
      )
      const one = yield* InProcess.onDatabase("journal", "rebuild", "--member", "m-4")
      assert.strictEqual(one.code, 0, one.out + one.err)
      assert.match(one.out, /^1 accounts read, 1 written$/m)
      assert.strictEqual((yield* Scenario.verify()).found.length, 2)
      assert.strictEqual((yield* InProcess.onDatabase("journal", "rebuild", "--member", "nobody")).code, 2)
      const all = yield* InProcess.onDatabase("journal", "rebuild")
      assert.match(all.out, /^5 accounts read, 2 written$/m)
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )

  it.effect("journal span begins a span by hand, which the other commands read over", () =>
    Effect.gen(function* () {
      for (const span of [1, 2]) {
        const began = yield* InProcess.onDatabase("journal", "span")
        assert.strictEqual(began.code, 0, began.err)
        assert.match(began.out, new RegExp(`^Span ${span} of the journal has begun`))
      }
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )

  it.effect("journal seal seals what is over, and journal verify begins there; --full reads everything", () =>
    Effect.gen(function* () {
      // Transactions of other tests may be older than the span's end for a moment.
      for (let sealed = 0; sealed < 2; ) {
        const { code, err, out } = yield* InProcess.onDatabase("journal", "seal")
        assert.strictEqual(code, 0, err)
        assert.match(out, /Span \d is not over\. Every span before it is sealed\.\n$/)
        sealed += out.match(/^Span \d is sealed: \d+ accounts, \d+ records, \d+ entries$/gm)?.length ?? 0
      }
      const recent = yield* InProcess.onDatabase("journal", "verify")
      assert.strictEqual(recent.code, 0, recent.out)
      assert.match(recent.out, /^0 accounts, 0 records, .*no differences\nCompared: the seals up to that of span 1;/m)
      const one = yield* InProcess.onDatabase("journal", "verify", "--program", "demo-foodservice")
      assert.strictEqual(one.code, 0, one.err)
      assert.match(one.out, /^0 accounts, 0 records, .*no differences$/m)
      const none = yield* InProcess.onDatabase("journal", "verify", "--program", "demo-foodservices")
      assert.strictEqual(none.code, 2, none.out)
      assert.match(none.err, /There is no programme demo-foodservices\./)
      const full = yield* InProcess.onDatabase("journal", "verify", "--full")
      assert.strictEqual(full.code, 0, full.out)
      assert.match(full.out, /^5 accounts, \d+ records, .*no differences\nCompared: journal, claims, ledger,/m)
    })
  )

  it.effect("journal index says whether there is something to index", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* InProcess.onDatabase("journal", "index")
      assert.strictEqual(code, 0, err)
      assert.match(out, /^There are not enough claims yet that no index has\./)
    })
  )

  it.effect("journal archive moves sealed spans into files, and journal restore brings them back", () =>
    Effect.gen(function* () {
      const to = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "archive-"))),
        (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
      )
      const month = new Date().toISOString().slice(0, 7)
      for (const [before, fault] of [
        ["2025", /2025 is no month: write it as 2025-01/],
        ["2999-01", /There is no folder/]
      ] as const) {
        const refused = yield* InProcess.onDatabase("journal", "archive", "--before", before, "--to", `${to}/none`)
        assert.strictEqual(refused.code, 2, refused.out)
        assert.match(refused.err, fault)
      }
      const none = yield* InProcess.onDatabase("journal", "archive", "--before", month, "--to", to)
      assert.deepStrictEqual([none.code, none.out], [0, `No sealed span before ${month} is left, save the last two.\n`])
      yield* Archiving.counted
      const archived = yield* InProcess.onDatabase("journal", "archive", "--before", "2999-01", "--to", to)
      assert.strictEqual(archived.code, 0, archived.err)
      assert.match(
        archived.out,
        /^Span 0 \(\d{4}-\d\d\) lies in span-00000-\d{4}-\d\d-[0-9a-f]{8}\.lotbook, 0\.\d MB, and no longer in the database$/m
      )
      const lacks = `Nothing was proven: it needs the records of archived months (${month}).`
      const archivedNow = `Records of ${month} are archived; lotbook journal restore ${month} brings them back.`
      for (const [said, ...command] of [
        [lacks, "verify", "--full"],
        [lacks, "rebuild"],
        [archivedNow, "show", "m-1"]
      ] as const) {
        const refused = yield* InProcess.onDatabase("journal", ...command)
        assert.strictEqual(refused.code, 2, refused.out)
        assert.include(refused.err, said)
      }
      const verified = yield* InProcess.onDatabase("journal", "verify")
      assert.strictEqual(verified.code, 0, verified.out + verified.err)
      const another = yield* InProcess.onDatabase("journal", "restore", "2001-01", "--from", to)
      assert.deepStrictEqual([another.code, another.err], [2, "Nothing of 2001-01 is archived.\n"])
      const restored = yield* InProcess.onDatabase("journal", "restore", month, "--from", to)
      assert.strictEqual(restored.code, 0, restored.err)
      assert.match(restored.out, /^Span 0 \(\d{4}-\d\d\) is in the database again: \d+ records$/m)
      const full = yield* InProcess.onDatabase("journal", "verify", "--full")
      assert.strictEqual(full.code, 0, full.out)
    })
  )

  it.effect("journal show and balance read a member's journal, and end with 2 without one", () =>
    Effect.gen(function* () {
      const shown = yield* InProcess.onDatabase("journal", "show", "m-1", "--json")
      assert.strictEqual(shown.code, 0, shown.err)
      const records = shown.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly seq: number; readonly at: string })
      assert.deepStrictEqual(
        records.map((record) => record.seq),
        records.map((_, index) => index + 1)
      )
      assert.match((yield* InProcess.onDatabase("journal", "show", "m-1")).out, /^ {4}posted {2}n=1 op=accrual/m)
      // The last record's time: the open hold expires two minutes later.
      const last = yield* InProcess.onDatabase("balance", "m-1", "--json", "--at", records.at(-1)?.at ?? "")
      assert.strictEqual(last.code, 0, last.err)
      const [balance] = (JSON.parse(last.out) as { readonly balances: ReadonlyArray<Record<string, unknown>> }).balances
      assert.deepInclude(balance, { unit: "points", reserved: 100 })
      const first = yield* InProcess.onDatabase("balance", "m-1", "--at", records[0]?.at ?? "")
      assert.match(first.out, /^points: 0 \(0 reserved, 0 available\)$/m)
      for (const args of [
        ["journal", "show", "nobody"],
        ["balance", "nobody"],
        ["balance", "m-1", "--at", "yesterday"],
        ["balance", "m-1", "--at", "2020-01-01T00:00:00Z"]
      ]) {
        const refused = yield* InProcess.onDatabase(...args)
        assert.strictEqual(refused.code, 2, args.join(" "))
        assert.match(refused.err, /nobody|yesterday|not a member yet/)
      }
    })
  )

  it.effect("balance without --at uses the sandbox's clock on a sandbox", () =>
    Effect.gen(function* () {
      const at = Effect.map(InProcess.onDatabase("balance", "m-1", "--json"), ({ err, out }) => {
        assert.notStrictEqual(out, "", err)
        return (JSON.parse(out) as { readonly at: string }).at
      })
      yield* Scenario.byHand(
        "UPDATE installation SET environment = 'sandbox'",
        "UPDATE sandbox_clock SET now = 4102444800000"
      )
      assert.strictEqual(yield* at, "2100-01-01T00:00:00.000Z")
      // A sandbox without a stored time: the newest record tells it.
      yield* Scenario.byHand("UPDATE sandbox_clock SET now = NULL")
      const [newest] = yield* Scenario.byHand("SELECT max(at)::float8 AS at FROM journal")
      assert.strictEqual(Date.parse(yield* at), Number(newest?.["at"]))
      yield* Scenario.byHand("UPDATE installation SET environment = 'live'")
      assert.isBelow(Date.now() - Date.parse(yield* at), 600_000)
    })
  )

  it.effect("an interrupted command does not end with 0", () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const locker = yield* PgConnection.make(clientConfig)
      const observer = yield* PgConnection.make(clientConfig)
      yield* locker.query("BEGIN", [], false)
      yield* locker.query("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE", [], false)
      const waiting = Effect.map(
        observer.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'lotbook journal audit'"
        ),
        ({ rowCount }) => rowCount > 0
      ).pipe(Effect.repeat({ until: (isWaiting) => isWaiting, schedule: Schedule.spaced("20 millis") }))
      const cut = yield* lotbook(["journal", "verify"], Effect.runPromise(Effect.asVoid(waiting)))
      assert.strictEqual(cut.code, 2)
      assert.strictEqual(cut.out, "")
    })
  )
})
