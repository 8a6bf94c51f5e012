/** `lotbook feed missing`: after a restore to a point in time, a list of another system says what was lost. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"
import { urlOf } from "./Lotbook.ts"

const lostRecord = "00000000-0000-4000-8000-000000000000"
const at = "2026-07-14T10:30:00Z"

/** An event as a connector's receiver stores it. */
const delivery = (name: string, data: object, subject = "m-1", time = at, id = `${lostRecord}-0`) =>
  JSON.stringify({ id, type: `proto.${name}.v1`, time, programid: "demo-foodservice", subject, data })

layer(Scenario.layer, { excludeTestServices: true })("lotbook feed missing", (it) => {
  it.effect("names orders, adjustments, members and events that the database lacks, and no others", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(2)
      const DATABASE_URL = urlOf(yield* Database)
      const run = (lines: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
        InProcess.lotbook(["feed", "missing", ...args], { DATABASE_URL }, lines.join("\n"))
      const [record] = yield* TestDatabase.query("SELECT hash::text AS hash FROM journal LIMIT 1")
      const [posted] = yield* TestDatabase.query(
        "SELECT order_id FROM ledger_entries WHERE operation = 'accrual' ORDER BY order_id LIMIT 1"
      )
      const known = [
        String(posted?.["order_id"]),
        `${record?.["hash"]}-0`,
        "",
        delivery("order.accrued", { order_id: posted?.["order_id"] }),
        delivery("member.enrolled", {}, "m-0"),
        delivery("redemption.captured", {}, "m-0", at, `${record?.["hash"]}-1`)
      ]
      const well = yield* run(known)
      assert.deepStrictEqual([well.code, well.out, well.err], [0, "", "0 of 5 are missing.\n"])
      const lost = [
        "o-lost",
        `${lostRecord}-1`,
        delivery("order.accrued", { order_id: "o-lost-2" }),
        delivery("order.accrued", { order_id: "o-lost-2" }),
        delivery("order.adjusted", { order_id: "o-lost-2", adjustment_id: "a-lost" }),
        delivery("member.enrolled", {}, "nobody"),
        // It follows from the order.
        delivery("balance.changed", {}),
        delivery("order.accrued", { order_id: "o-before" }, "m-1", "2026-07-14T09:59:59Z")
      ]
      const found = yield* run([...known, ...lost], "--since", "2026-07-14T10:00:00Z")
      assert.strictEqual(found.code, 1, found.err)
      assert.deepStrictEqual(found.out.trimEnd().split("\n"), [
        "order o-lost",
        `event ${lostRecord}-1`,
        `order o-lost-2 m-1 ${at}`,
        `adjustment a-lost m-1 ${at}`,
        `member nobody ${at}`
      ])
      assert.strictEqual((yield* run(["{}"])).code, 2)
      assert.strictEqual((yield* run([], "--since", "yesterday")).code, 2)
      assert.strictEqual((yield* run([], "--program", "none")).code, 2)
      assert.strictEqual((yield* run([], "/no/such/list")).code, 2)
    })
  )
})
