/** `lotbook move-in run` as an operator runs it, on a database. Holds contract/moving.md *Run*, *Reconcile*, *Once only*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { MoveRunReport } from "../../../src/contract/admin/MoveRuns.ts"
import { folder, written } from "../../capabilities/moving/Files.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"

const program = ["--program", "demo-foodservice"]
const left = path.join(folder, "left.csv")
const lists = ["--faults", path.join(folder, "faults.csv"), "--left", left]

const run = (files: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
  InProcess.onDatabase("move-in", "run", ...files, ...program, ...lists, ...more)

const reconcile = (files: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
  InProcess.onDatabase("move-in", "reconcile", ...files, ...program, ...lists, ...more)

/** The first cells of the list, up to `spent_before`. */
const leftRows = () =>
  fs
    .readFileSync(left, "utf8")
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",").slice(0, 8).join(","))

/** Members with balance and lots, by external id. */
const guests = Effect.map(
  TestDatabase.query(`SELECT p.external_id AS id, a.balance::int AS balance, a.status::text AS status,
      (SELECT count(*)::int FROM ledger_entries e WHERE e.account = a.number) AS entries
    FROM profiles p JOIN accounts a ON a.number = p.account WHERE p.external_id IS NOT NULL ORDER BY 1`),
  (rows) => rows.map((row) => [row["id"], row["balance"], row["entries"]])
)

layer(Scenario.layer, { excludeTestServices: true })("lotbook move-in run", (it) => {
  it.effect("moves guests once, goes on with what is new, lists what differs and corrects it, and revives nobody", () =>
    Effect.gen(function* () {
      yield* enroll("cem")
      const people = [
        "external_id,member_id,display_name,card,lifetime,orders,tier_id,joined_at",
        "g1,,Ada,c1,9000,12,vip,2024-01-01",
        "g2,,Bob,c2,,,,",
        "g3,cem,Cem,c3,,,,",
        ""
      ].join("\n")
      const lots = [
        "external_id,amount,earned_at",
        "g1,100,2026-11-01",
        "g1,100,2026-11-01",
        "g2,40,2026-10-01",
        "g3,7,2026-10-01",
        ""
      ]
      const files = (rows: ReadonlyArray<string>) => written({ "guests.csv": people, "lots.csv": rows.join("\n") })

      const first = yield* run(files(lots))
      assert.strictEqual(first.code, 0, first.out + first.err)
      assert.deepStrictEqual(first.out.trim().split("\n").toSorted(), ["enrolled: 2", "joined: 1", "lots: 4"])
      assert.deepStrictEqual(yield* guests, [
        ["g1", 200, 2],
        ["g2", 40, 1],
        ["g3", 7, 1]
      ])
      const shown = yield* InProcess.onDatabase("members", "show", "cem", ...program)
      assert.match(shown.out, /^lot: 7 of 7 points, earned 2026-10-01/m)

      // The same files, in another order of rows.
      const again = yield* run(files([lots[0]!, ...lots.slice(1, -1).toReversed(), ""]))
      assert.strictEqual(again.code, 0, again.out + again.err)
      assert.deepStrictEqual(again.out.trim().split("\n").toSorted(), ["lots: 0", "same: 3"])

      // A mended file: a lot more, and one with another amount.
      const mended = files(lots.with(3, "g2,45,2026-10-01").with(5, "g2,5,2026-11-02\n"))
      const third = yield* run(mended)
      assert.strictEqual(third.code, 1)
      assert.deepStrictEqual(leftRows(), ["difference,lots.csv,4,points,40,45,,"])
      assert.strictEqual(fs.statSync(left).mode & 0o777, 0o600)
      assert.deepStrictEqual((yield* guests)[1], ["g2", 45, 2])
      const corrected = yield* run(mended, "--correct")
      assert.strictEqual(corrected.code, 0, corrected.out + corrected.err)
      assert.deepStrictEqual((yield* guests)[1], ["g2", 50, 3])
      assert.strictEqual((yield* run(mended, "--correct")).out.includes("same: 3"), true)

      // Corrected back and forth: each correction is one of its own.
      for (const points of ["7", "8", "7", "8", "7"])
        assert.strictEqual(
          (yield* run(
            files(lots.with(3, "g2,45,2026-10-01").with(4, `g3,${points},2026-10-01`).with(5, "g2,5,2026-11-02\n")),
            "--correct"
          )).code,
          0
        )
      assert.deepStrictEqual((yield* guests)[2], ["g3", 7, 5])

      const same = yield* reconcile(mended)
      assert.strictEqual(same.code, 0, same.out + same.err)
      assert.deepStrictEqual(same.out.trim().split("\n"), [
        "guests: 3, and 0 who were erased since",
        "points: 257",
        "  moved: 257",
        ...["  accrued: 0", "  redeemed: 0", "  expired: 0", "  other: 0"],
        "no differences"
      ])
      yield* InProcess.onDatabase(
        ...["members", "adjust", "cem", ...program, "--id", "thanks", "--amount", "5"],
        ...["--classification", "gift", "--reason", "Thanks"]
      )
      const differing = yield* reconcile(files([...lots.slice(0, 3), "g3,8,2026-10-01", "g2,1,2026-01-02", ""]))
      assert.strictEqual(differing.code, 1)
      assert.match(differing.out, /^ {2}other: 5$/m)
      assert.deepStrictEqual(leftRows().toSorted(), [
        "difference,guests.csv,3,points,45,0,,",
        "difference,guests.csv,3,points,5,0,,",
        "difference,lots.csv,4,points,7,8,,",
        "not_whole,guests.csv,3,,,,,"
      ])

      // A lot whose row was left out is not gone.
      for (const row of ["g2,4 5,2026-10-01", "g2,45"]) {
        const lost = files(lots.with(3, row).with(5, "g2,5,2026-11-02\n"))
        const kept = yield* run(lost, "--waive", "invalid,uneven", "--correct")
        assert.strictEqual(kept.code, 1, kept.out + kept.err)
        assert.deepStrictEqual((yield* guests)[1], ["g2", 50, 3])
      }
      yield* isSound
    })
  )

  it.effect("tells of itself, with what it left and what it waived", () =>
    Effect.gen(function* () {
      const guests = "external_id,balance\nh1,10\n4.93E+15,5\n"
      const lost = written({ "hosts.csv": guests })
      assert.strictEqual((yield* run(lost)).code, 1)
      assert.strictEqual((yield* run(lost, "--waive", "shortened")).code, 0)
      const others = written({ "hosts.csv": "external_id,balance\nh1,11\n" })
      assert.strictEqual((yield* run(others)).code, 1)
      assert.strictEqual((yield* reconcile(lost, "--waive", "shortened,moved_before")).code, 0)
      const told = yield* TestDatabase.query(
        `SELECT report, (SELECT json_agg(fault ORDER BY place) FROM move_run_faults f WHERE f.run = r.n) AS faults
          FROM move_runs r WHERE report -> 'files' = '["hosts.csv"]' ORDER BY n`
      )
      const rows = { guests: 1, lots: 0, rewards: 0, consents: 0 }
      const whole = { files: ["hosts.csv"], guests: 1, rows }
      const shortened = { name: "shortened", file: "hosts.csv", row: 3, column: "external_id" }
      const placeOf = ({ detail: _, remedy: __, ...place }: Record<string, unknown>) => place
      assert.deepStrictEqual(
        told.map(({ faults, report }) => [report, (faults as ReadonlyArray<Record<string, unknown>>).map(placeOf)]),
        [
          [
            {
              ...{ ...whole, rows: { ...rows, guests: 2 }, outcomes: {}, lots: 0, ended: "refused" },
              fault_counts: [{ name: "shortened", count: 1 }]
            },
            [shortened]
          ],
          [
            {
              ...{ ...whole, rows: { ...rows, guests: 2 }, outcomes: { enrolled: 1 }, lots: 1, ended: "moved" },
              fault_counts: [{ name: "shortened", count: 1, waived: true }]
            },
            [shortened]
          ],
          [
            {
              ...{ ...whole, outcomes: { same: 1 }, lots: 0, ended: "moved" },
              fault_counts: [{ name: "difference", count: 1 }]
            },
            [{ name: "difference", file: "hosts.csv", row: 2 }]
          ]
        ]
      )
    })
  )

  it.effect("tells also of files that share no id", () =>
    Effect.gen(function* () {
      const files = written({ "own.csv": "member_id\ni1\n", "theirs.csv": "external_id,amount\nx1,5\n" })
      assert.strictEqual((yield* run(files)).code, 1)
      const [told = {}] = yield* TestDatabase.query(
        `SELECT report, (SELECT json_agg(fault) FROM move_run_faults f WHERE f.run = r.n) AS faults
          FROM move_runs r WHERE report -> 'files' = '["own.csv", "theirs.csv"]'`
      )
      const { faults, ...report } = yield* Schema.decodeUnknownEffect(MoveRunReport)({
        ...(told["report"] as object),
        faults: told["faults"]
      })
      assert.strictEqual(report.ended, "refused")
      assert.deepInclude(faults[0], { name: "unmapped", file: "own.csv", detail: "The files share no id of a guest." })
    })
  )

  it.effect("refuses while a fault stands that was not waived by name", () =>
    Effect.gen(function* () {
      const files = written({ "guests.csv": "external_id,balance,lots\ng9,10,\n" })
      const refused = yield* run(files)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.out, /^ {2}lots_differ: 1$/m)
      assert.strictEqual((yield* run(files, "--waive", "unreadable")).code, 2)
      const waived = yield* run(files, "--waive", "lots_differ")
      assert.strictEqual(waived.code, 0, waived.out + waived.err)
      assert.match(waived.out, /^enrolled: 1$/m)
    })
  )
})
