/**
 * Figures that somebody signs after a move: nothing lost, nothing there twice. Holds contract/moving.md
 * *Parallel weeks*, *Left out*, *Plan*, *Reconcile*, *Guests of earlier moves*.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { body, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { folder, written } from "../../capabilities/moving/Files.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"

const program_id = "demo-foodservice"
const left = path.join(folder, "signed-left.csv")
const lists = ["--faults", path.join(folder, "signed-faults.csv")]

const step = (name: "plan" | "run" | "reconcile", files: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
  InProcess.onDatabase(
    ...["move-in", name, ...files, "--program", program_id, ...lists],
    ...(name === "plan" ? [] : ["--left", left]),
    ...more
  )

/** Compares files beside guests whom the other tests have moved. */
const reconcile = (files: ReadonlyArray<string>, waive = "", ...more: ReadonlyArray<string>) =>
  step("reconcile", files, "--waive", `moved_before,${waive}`, ...more)

/** The first cells of the list, up to `spent_before`, without guests whom the other tests have moved. */
const leftRows = () =>
  fs
    .readFileSync(left, "utf8")
    .trim()
    .split("\r\n")
    .slice(1)
    .filter((line) => !line.startsWith("moved_before"))
    .map((line) => line.split(",").slice(0, 8).join(","))
    .toSorted()

const takeBack = (member_id: string, order: string, amount: number) =>
  body(
    Testing.call("order.adjust", {
      context: Testing.context(),
      member_id,
      program_id,
      adjustment: {
        adjustment_id: `back-${order}`,
        original_order_id: order,
        type: "full_refund",
        reason: "earned with the other provider",
        occurred_at: new Date().toISOString(),
        order_total_delta: { amount: -amount, currency: "USD" },
        eligible_spend_delta: { amount: -amount, currency: "USD" }
      }
    })
  )

layer(Scenario.layer, { excludeTestServices: true })("a move in", (it) => {
  it.effect("tells guests who earned here before their points came, until their orders are taken back or waived", () =>
    Effect.gen(function* () {
      const files = (ada: number) =>
        written({
          "guests.csv": "member_id\nada\nbob\ncem\n",
          "lots.csv": `member_id,amount,earned_at\nada,${ada},2026-10-01\nbob,7,2026-10-01\ncem,5,2026-10-01\n`
        })
      yield* enroll("bob")
      yield* earn("bob", "bob-1", 1_000)
      const first = yield* step("plan", files(100))
      assert.match(first.out, /^orders before the move: 1 guests of the files earned or spent here/m)
      yield* step("run", files(100))
      // Tills of the parallel weeks send these orders to both.
      yield* earn("ada", "ada-1", 1_000)
      yield* earn("cem", "cem-1", 1_000)

      const planned = yield* step("plan", files(110))
      assert.strictEqual(planned.code, 0, planned.err)
      assert.match(planned.out, /^a run: 3 same, 1 lots that differ$/m)
      assert.match(planned.out, /^orders before the move: 2 guests/m)
      const ran = yield* step("run", files(110), "--correct")
      assert.strictEqual(ran.code, 0, ran.err)
      assert.match(ran.err, /^orders before the move: 2 guests/m)
      assert.match(ran.out, /^orders before the move: 2 guests/m)

      const reconciled = yield* reconcile(files(110))
      assert.strictEqual(reconciled.code, 1)
      assert.match(reconciled.out, /^orders before the move: 2 guests/m)
      assert.match(reconciled.out, /^ {2}points: 200 earned, 0 spent$/m)
      assert.match(reconciled.out, /^ {2}orders_before: 2$/m)
      assert.deepStrictEqual(leftRows(), [
        "orders_before,guests.csv,2,points,,,100,0",
        "orders_before,guests.csv,3,points,,,100,0"
      ])
      const waived = yield* reconcile(files(110), "orders_before")
      assert.strictEqual(waived.code, 0, waived.err)
      assert.match(waived.out, /^orders before the move: 2 guests/m)
      const json = JSON.parse((yield* reconcile(files(110), "orders_before", "--json")).out)
      assert.deepStrictEqual(json.orders_before, {
        guests: 2,
        units: [{ unit: "points", earned: "200", spent: "0" }]
      })

      yield* takeBack("ada", "ada-1", 1_000)
      yield* takeBack("bob", "bob-1", 1_000)
      const mended = yield* reconcile(files(110))
      assert.strictEqual(mended.code, 0, mended.out)
      assert.notInclude(mended.out, "orders before")
    })
  )

  it.effect("tells what its waivers leave out, by their names, in rows, guests and points", () =>
    Effect.gen(function* () {
      const files = written({
        "people.csv": "external_id,display_name,balance\nl1,Ada,30\n4.93E+15,Bob,5\nl3,Cem,9\nl3,Cem,9\n",
        "points.csv": [
          "external_id,amount,earned_at,expires_at",
          ...[
            "l1,10,2026-01-01,2026-02-01",
            "l1,20,2026-10-01,",
            "l3,8,2026-10-01,",
            "nobody,4,2026-10-01,",
            "l3,x,,",
            ""
          ]
        ].join("\n")
      })
      const waivers = "expired,shortened,doubled_guest,unknown_guest,invalid,lots_differ"
      const outs = [
        "  shortened: 1 rows, 1 guests",
        "  doubled_guest: 1 rows, 0 guests",
        "  invalid: 1 rows, 0 guests",
        "  lots_differ: 0 rows, 1 guests, 1 points",
        "  expired: 1 rows, 0 guests, 10 points",
        "  unknown_guest: 1 rows, 0 guests, 4 points"
      ]
      const planned = yield* step("plan", files)
      assert.strictEqual(planned.code, 1)
      for (const line of outs) assert.include(planned.out.split("\n"), line)
      const ran = yield* step("run", files, "--waive", waivers)
      assert.strictEqual(ran.code, 0, ran.out + ran.err)
      assert.include(ran.out.split("\n"), "left out by waiver:")
      for (const line of outs) assert.include(ran.out.split("\n"), line)
      const reconciled = yield* reconcile(files, waivers, "--json")
      assert.strictEqual(reconciled.code, 0, reconciled.out)
      assert.deepStrictEqual(JSON.parse(reconciled.out).left_out.expired, {
        ...{ rows: 1, guests: 0 },
        points: { points: "10" }
      })
      const refused = yield* reconcile(files)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.err, /Nothing was compared\./)
    })
  )

  it.effect("sums the balance of a guest whose row is left out, where no file has lots", () =>
    Effect.gen(function* () {
      const files = written({ "whole.csv": "external_id,balance\n4.93E+15,5\nw1,6\n,7\n" })
      const planned = yield* step("plan", files)
      assert.include(planned.out.split("\n"), "  shortened: 1 rows, 1 guests, 5 points")
      assert.include(planned.out.split("\n"), "  without_id: 1 rows, 1 guests, 7 points")
      const unsaid = yield* step("plan", written({ "unsaid.csv": "external_id,balance\nw1,1.000\n" }))
      assert.match(unsaid.out, /^ {2}unsaid: 1$/m)
      assert.notInclude(unsaid.out, "left out")
    })
  )

  it.effect("names the row of a lot that differs", () =>
    Effect.gen(function* () {
      const files = (second: number) =>
        written({
          "hosts.csv": "external_id\nd1\n",
          "sums.csv": `external_id,amount,earned_at\nd1,10,2026-10-01\nd1,${second},2026-10-02\n`
        })
      yield* step("run", files(20))
      assert.strictEqual((yield* reconcile(files(21))).code, 1)
      assert.deepStrictEqual(leftRows(), ["difference,sums.csv,3,points,20,21,,"])
    })
  )

  it.effect("is undone by the guests' ids alone, without a waiver; what was spent is told", () =>
    Effect.gen(function* () {
      const files = written({
        "all.csv": "external_id,balance\nu1,30\nu2,5\n",
        "all-lots.csv": "external_id,amount,earned_at\nu1,10,2026-10-01\nu1,20,2026-10-02\nu2,5,2026-10-02\n"
      })
      assert.strictEqual((yield* step("run", files)).code, 0)
      const ids = written({ "ids.csv": "external_id\nu1\nu2\n" })
      const planned = yield* step("plan", ids)
      assert.match(planned.out, /^a run: 2 same, 3 lots that differ$/m)
      const undone = yield* step("run", ids, "--correct")
      assert.strictEqual(undone.code, 0, undone.out)
      const reconciled = yield* reconcile(ids)
      assert.strictEqual(reconciled.code, 0, reconciled.out)
      assert.match(reconciled.out, /^points: 0$/m)
      // And once more into the same Lotbook.
      assert.strictEqual((yield* step("run", files, "--correct")).code, 0)
      assert.strictEqual((yield* reconcile(files)).code, 0)
    })
  )

  it.effect("gives back lots that are listed, beside one whose row is left out, and tells why the rest stays", () =>
    Effect.gen(function* () {
      const files = (second: string) =>
        written({
          "given.csv": "external_id\nv1\n",
          "given-lots.csv": `external_id,amount,earned_at\nv1,10,2026-10-01\nv1,${second},2026-10-02\n`
        })
      assert.strictEqual((yield* step("run", files("20"))).code, 0)
      assert.strictEqual((yield* step("run", written({ "given.csv": "external_id\nv1\n" }), "--correct")).code, 0)
      const again = yield* step("run", files("x"), "--correct", "--waive", "invalid")
      assert.strictEqual(again.code, 0, again.out + again.err)
      assert.match((yield* reconcile(files("x"), "invalid")).out, /^points: 10$/m)
      // No points are taken while a row is left out.
      const less = yield* step(
        "run",
        written({
          "given.csv": "external_id\nv1\n",
          "given-lots.csv": "external_id,amount,earned_at\nv1,9,2026-10-01\nv1,x,2026-10-02\n"
        }),
        "--correct",
        "--waive",
        "invalid"
      )
      assert.strictEqual(less.code, 1)
      assert.deepStrictEqual(leftRows(), ["difference,given-lots.csv,2,points,10,9,,"])
      assert.match(fs.readFileSync(left, "utf8"), /Mend the row that was left out, then run with --correct/)
    })
  )

  it.effect("tells guests who were erased since with the points that the files have of them", () =>
    Effect.gen(function* () {
      const files = written({ "erased.csv": "member_id,balance\nw8,517\nw9,3\n" })
      assert.strictEqual((yield* step("run", files)).code, 0)
      yield* TestDatabase.query(
        `INSERT INTO erasures (account, program_id, member_id, at, reason)
          SELECT number, program_id, member_id, 0, 'test' FROM accounts WHERE member_id = 'w8'`
      )
      for (const ran of [yield* step("plan", files), yield* step("run", files), yield* reconcile(files)])
        assert.match(ran.out, /^erased since: 1 guests of the files, 517 points$/m)
      for (const ran of [yield* step("plan", files, "--json"), yield* reconcile(files, "", "--json")])
        assert.deepStrictEqual(JSON.parse(ran.out).erased_points, [{ unit: "points", amount: "517" }])
    })
  )

  it.effect("tells guests of earlier moves who are not in the files, and lists them until they are waived", () =>
    Effect.gen(function* () {
      const lots = ["a1,100,2026-10-01", "a2,40,2026-10-01", "a2,2,2026-10-02", "0006,7,2026-10-01"]
      const files = (ids: ReadonlyArray<string>) =>
        written({
          "night.csv": ["external_id", ...ids, ""].join("\n"),
          "night-lots.csv": [
            "external_id,amount,earned_at",
            ...lots.filter((lot) => ids.includes(lot.split(",")[0] ?? "")),
            ""
          ].join("\n")
        })
      // Guests of the other tests are none of these files either: they are told once, and subtracted.
      const sumsOf = (ran: { readonly out: string }) => {
        const { guests, units } = JSON.parse(ran.out).moved_before
        return [guests, Number(units.find(({ unit }: { unit: string }) => unit === "points")?.amount ?? 0)] as const
      }
      assert.strictEqual((yield* step("run", files(["a1", "a2", "0006"]))).code, 0)
      const [others, points] = sumsOf(yield* step("plan", files(["a1", "a2", "0006"]), "--json"))

      const cut = files(["a1"])
      assert.deepStrictEqual(sumsOf(yield* step("plan", cut, "--json")), [others + 2, points + 49])
      const text = new RegExp(
        `^${others + 2} guests of earlier moves, with ${points + 49} points, are not in these files$`,
        "m"
      )
      assert.match((yield* step("plan", cut)).out, text)
      const ran = yield* step("run", cut, "--correct")
      assert.strictEqual(ran.code, 0, ran.out + ran.err)
      assert.match(ran.out, text)
      assert.match(ran.err, text)
      assert.deepStrictEqual(sumsOf(yield* step("run", cut, "--json")), [others + 2, points + 49])

      const reconciled = yield* step("reconcile", cut)
      assert.strictEqual(reconciled.code, 1)
      assert.match(reconciled.out, text)
      assert.match(reconciled.out, new RegExp(`^ {2}moved_before: ${others + 2}$`, "m"))
      const members = yield* TestDatabase.query(
        `SELECT a.member_id AS id, p.external_id AS own FROM profiles p JOIN accounts a ON a.number = p.account
          WHERE p.external_id IN ('a1', 'a2', '0006')`
      )
      const listed = fs.readFileSync(left, "utf8").split("\r\n")
      const of = (own: string) => {
        const id = String(members.find((one) => one["own"] === own)?.["id"])
        return listed.filter((line) => line.includes(`,${id}`)).map((line) => line.split(",").slice(0, 8).join(","))
      }
      assert.deepStrictEqual(["a1", "a2", "0006"].map(of), [
        [],
        ["moved_before,,,points,42,,,"],
        ["moved_before,,,points,7,,,"]
      ])
      const waived = yield* step("reconcile", cut, "--waive", "moved_before", "--json")
      assert.strictEqual(waived.code, 0, waived.err)
      assert.deepStrictEqual(sumsOf(waived), [others + 2, points + 49])

      // One who was erased, and one who was merged into a guest of the files, with all points taken back or not.
      const [a1, a2] = ["a1", "a2"].map((own) => String(members.find((one) => one["own"] === own)?.["id"]))
      const merged = yield* InProcess.onDatabase(
        ...["members", "merge", a2 ?? "", a1 ?? "", "--program", program_id, "--reason", "twins"]
      )
      assert.strictEqual(merged.code, 0, merged.err)
      yield* Scenario.countRollups
      assert.deepStrictEqual(sumsOf(yield* step("plan", cut, "--json")), [others + 2, points + 49])
      assert.strictEqual((yield* step("run", written({ "back.csv": "external_id\na2\n" }), "--correct")).code, 0)
      assert.deepStrictEqual(sumsOf(yield* step("plan", cut, "--json")), [others + 1, points + 7])
    })
  )

  it.effect("tells such orders also of a member who was merged into another one", () =>
    Effect.gen(function* () {
      const files = (more: string) =>
        written({
          "pair.csv": "member_id\nfrom-1\ninto-1\n",
          "pair-lots.csv": `member_id,amount,earned_at\nfrom-1,10,2026-10-01\ninto-1,5,2026-10-01\n${more}`
        })
      yield* step("run", files(""))
      yield* earn("from-1", "pair-1", 1_000)
      const last = files("from-1,100,2026-10-02\n")
      assert.strictEqual((yield* step("run", last)).code, 0)
      const merged = yield* InProcess.onDatabase(
        ...["members", "merge", "from-1", "into-1", "--program", program_id, "--reason", "twins"]
      )
      assert.strictEqual(merged.code, 0, merged.err)
      yield* Scenario.countRollups
      assert.strictEqual((yield* reconcile(last)).code, 1)
      // Both guests are the member, which is told once.
      assert.strictEqual(leftRows().length, 1)
      assert.match(leftRows()[0] ?? "", /^orders_before,pair\.csv,[23],points,,,100,0$/)
    })
  )
})
