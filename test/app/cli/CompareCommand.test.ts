/** `lotbook move-in compare` as an operator runs it. Holds contract/moving.md *Compare*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { body, credit, earn, enroll, reserve } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { folder, written } from "../../capabilities/moving/Files.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"

const list = path.join(folder, "compare.csv")
const compare = (files: ReadonlyArray<string>, ...more: ReadonlyArray<string>) =>
  InProcess.onDatabase(
    ...["move-in", "compare", ...files, "--program", "demo-foodservice", "--differences", list],
    ...["--faults", path.join(folder, "faults.csv"), ...more]
  )

layer(Scenario.layer, { excludeTestServices: true })("lotbook move-in compare", (it) => {
  it.effect("tells what both gave, and lists orders that differ with their cause", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const posted = yield* Effect.forEach([1015, 1020, 1030, 1040], (amount) => earn("ada", `o-${amount}`, amount))
      const at = new Date().toISOString()
      const points = (amount: number) => Math.floor(amount / 10)
      assert.strictEqual(posted.length, 4)
      const rows = [
        "Order no;Points;Date",
        `o-1015;${points(1015) + 1};${at}`,
        `o-1020;${points(1020)};${at}`,
        `o-1030;${points(1030)};${at}`,
        `o-1040;${2 * points(1040)};${at}`,
        `o-elsewhere;7;${at}`,
        ""
      ]
      const files = written({ "their.csv": rows.join("\n") })
      const mapping = path.join(folder, "orders.json")
      const suggested = yield* InProcess.onDatabase(
        ...["move-in", "plan", ...files, "--program", "demo-foodservice", "--suggest", mapping]
      )
      assert.strictEqual(suggested.code, 0, suggested.err)
      assert.include(fs.readFileSync(mapping, "utf8"), '"holds": "orders"')
      const ran = yield* compare(files, "--mapping", mapping)
      assert.strictEqual(ran.code, 1, ran.err)
      assert.match(ran.out, /^orders that both have: 4, of which 2 gave the same$/m)
      assert.match(ran.out, /^ {2}rounding: 1 orders, \+1 points/m)
      assert.match(ran.out, /^ {2}promotion: 1 orders, \+104 points/m)
      assert.match(ran.out, /^ {2}missing_here: 1 orders, \+7 points/m)
      assert.strictEqual(fs.statSync(list).mode & 0o777, 0o600)
      const listed = fs.readFileSync(list, "utf8").trim().split("\r\n").slice(1)
      assert.deepStrictEqual(listed.map((line) => line.split(",").slice(0, 2).join(" ")).toSorted(), [
        "missing_here o-elsewhere",
        "promotion o-1040",
        "rounding o-1015"
      ])
    })
  )

  it.effect("finds no difference where there is none, and refuses rows that nobody can read", () =>
    Effect.gen(function* () {
      const at = new Date().toISOString()
      const same = yield* compare(written({ "their.csv": `order_id,points,at\no-1020,102,${at}\n` }))
      assert.strictEqual(same.code, 0, same.out + same.err)
      assert.match(same.out, /^no differences$/m)
      const faulty = written({ "their.csv": `order_id,points,at\n4.93E+15,1,${at}\n,2,${at}\no-1020,many,${at}\n` })
      const refused = yield* compare(faulty)
      assert.strictEqual(refused.code, 1)
      for (const name of ["shortened", "without_id", "invalid"]) assert.include(refused.out, `  ${name}: 1`)
      const guests = yield* compare(written({ "guests.csv": "external_id,balance\ng1,5\n" }))
      assert.match(guests.out, /unmapped: 1/)
    })
  )

  it.effect("counts no points that were spent on an order, nor those that came back", () =>
    Effect.gen(function* () {
      yield* enroll("bea")
      yield* credit("bea", 5_000)
      for (const id of ["spent", "returned"]) {
        const { reservation } = yield* reserve("bea", id)
        const { reservation_id } = reservation
        const context = Testing.context()
        yield* body(Testing.call("redemption.capture", { context, reservation_id, order_id: `meal-${id}` }))
        yield* earn("bea", `meal-${id}`, 500)
        if (id === "returned")
          yield* body(
            Testing.call("redemption.reverse", { context: Testing.context(), reservation_id, reason: "changed mind" })
          )
      }
      const at = new Date().toISOString()
      const theirs = `order_id,points,at\nmeal-spent,50,${at}\nmeal-returned,50,${at}\n`
      const ran = yield* compare(written({ "their.csv": theirs }))
      assert.match(ran.out, /^no differences$/m, ran.err)
    })
  )

  it.effect(
    "counts an order that was placed while the list runs and accrued days after, also if it was moved then",
    () =>
      Effect.gen(function* () {
        yield* Effect.forEach(["cem", "dora"], enroll)
        const placed = Date.now() - 3 * 86_400_000
        for (const id of ["offline", "moved"])
          yield* body(
            Testing.call("accrual.post", {
              context: Testing.context(),
              member_id: "cem",
              order: Testing.order(id, 1_000, Testing.placedAt(placed))
            })
          )
        const accounts = yield* Accounts
        const moving = { order: "moved", from: "cem", into: "dora", reason: "wrong card" }
        assert.notStrictEqual((yield* accounts.moveOrder("demo-foodservice", moving))._tag, "Refusal")
        const at = new Date(placed).toISOString()
        const ran = yield* compare(written({ "their.csv": `order_id,points,at\noffline,100,${at}\nmoved,100,${at}\n` }))
        assert.match(ran.out, /^orders that both have: 2, of which 2 gave the same$/m, ran.err)
        assert.match(ran.out, /^no differences$/m)
      })
  )

  it.effect("tells orders that were kept without a guest, and claimed here", () =>
    Effect.gen(function* () {
      yield* enroll("eva")
      yield* earn("eva", "kept-claimed", 700)
      yield* TestDatabase.query(
        `INSERT INTO kept_orders (program_id, order_id, code, facts, body, state, kept_at, expires_at, account, actor, claimed_at)
          SELECT 'demo-foodservice', 'kept-claimed', gen_random_uuid(), gen_random_uuid(), '{}', 'claimed', 0, 1, 1, 'test', 1`
      )
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      const theirs = `order_id,points,at\nkept-before,0,${at(-1_000)}\nkept-after,0,${at(1_000)}\n`
      const ran = yield* compare(written({ "their.csv": theirs }))
      assert.match(ran.out, /^ {2}claimed: 1 orders, -70 points/m, ran.err)
    })
  )

  it.effect("a plan moves no orders", () =>
    Effect.gen(function* () {
      const files = written({ "their.csv": `order_id,points,at\no-1,102,${new Date().toISOString()}\n` })
      const ran = yield* InProcess.onDatabase(
        ...["move-in", "plan", ...files, "--program", "demo-foodservice", "--faults", path.join(folder, "faults.csv")]
      )
      assert.strictEqual(ran.code, 1)
      assert.match(ran.out, /unmapped/)
    })
  )

  it.effect("has orders of archived months out of their files, and compares nothing without them", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      yield* enroll("fay")
      for (const span of [1, 2, 3]) {
        yield* earn("fay", `fay-${span}`, 1_000)
        yield* Archiving.begin
        yield* earn("fay", `fay-later-${span}`, 2_000)
      }
      const rows = yield* TestDatabase.query(
        "SELECT order_id, amount + (n % 2)::int AS points, to_json(coalesce(placed_at, occurred_at)) #>> '{}' AS at FROM ledger_entries WHERE operation = 'accrual'"
      )
      const lines = rows.map(({ at, order_id, points }) => `${order_id},${points},${at}`)
      const files = written({ "all.csv": ["order_id,points,at", ...lines, ""].join("\n") })
      const told = (...more: ReadonlyArray<string>) =>
        Effect.map(compare(files, ...more), (ran) => ({ ...ran, list: fs.readFileSync(list, "utf8") }))
      const here = yield* told()
      assert.strictEqual(here.code, 1, here.err)
      assert.match(here.list, /fay-2/)
      for (const _ of [1, 2, 3]) yield* Archiving.seal
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      const away = yield* compare(files)
      assert.strictEqual(away.code, 2, away.out)
      assert.include(away.err, "Nothing was compared: it needs the records of archived months")
      assert.deepStrictEqual(yield* told("--from", to), here)
      // Months from before the list are not needed.
      const later = written({
        "later.csv": `order_id,points,at\nnone,1,${new Date(Date.now() + 172_800_000).toISOString()}\n`
      })
      assert.notStrictEqual((yield* compare(later)).code, 2)
    }).pipe(Effect.scoped)
  )
})
