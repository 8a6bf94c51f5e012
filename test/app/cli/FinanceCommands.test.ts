/**
 * Closed months are counted anew to the same bytes, whatever becomes of the records and figures of their time
 * (contract/finance.md *Verification*).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ClosedMonth } from "../../../src/contract/admin/Finance.ts"
import * as Books from "../../capabilities/finance/Books.ts"
import { adjust, manual } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import { Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"

const { id } = Books.books(4)

const started = (name: string, at: number) => {
  const traffic = new Traffic(name, RandomOf.make(1, name))
  traffic.now = at
  return traffic
}

const closed = (period: string) =>
  Effect.map(Books.close(id, period), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as ClosedMonth
  })

/** Closed months are as they were told, and `finance verify` says so. */
const holds = Effect.fnUntraced(function* (months: ReadonlyArray<ClosedMonth>, ...from: ReadonlyArray<string>) {
  const { code, err, out } = yield* InProcess.onDatabase("finance", "verify", ...from)
  assert.strictEqual(code, 0, err + out)
  assert.strictEqual(
    out,
    [
      ...months.map(({ period }) => `${id} ${period}: as it was told`),
      `${months.length} closed months are as they were told.`,
      ""
    ].join("\n")
  )
  for (const month of months)
    assert.deepStrictEqual((yield* Books.get(`closings/${id}/${month.period}`)).body, month as never)
})

const succeeds = (...args: ReadonlyArray<string>) =>
  Effect.map(InProcess.onDatabase(...args), ({ code, err, out }) => {
    assert.strictEqual(code, 0, err + out)
    return out
  })

layer(Books.layer(), { excludeTestServices: true })("lotbook finance verify", (it) => {
  it.effect("holds amid a month, after a rebuild, an erasure, an archive and a restore", () =>
    Effect.gen(function* () {
      const traffic = started("kept", Date.UTC(2026, 8, 5, 12))
      const ada = yield* Books.example(traffic, "ada")
      yield* Books.counted
      const september = yield* closed("2026-09")
      yield* Archiving.begin

      // Amid October: a correction of the closed month, what comes late, and a guest who is erased.
      const late = started("late", Date.UTC(2026, 8, 28, 12))
      const ben = yield* late.enroll("ben", Books.books(4))
      yield* late.act(ben, { type: "accrue", order: Books.order(late, "late", "west", 500) })
      traffic.now = Date.UTC(2026, 9, 12)
      yield* traffic.act(ada, adjust("order-ada", "partial_refund", -100))
      const request = { program_id: id, member_id: "ben", reason: "asked" }
      assert.strictEqual((yield* TestServer.send("/platform/v1/members/erase", request)).status, 200)
      yield* Books.counted
      yield* succeeds("journal", "rebuild")
      yield* Books.counted
      yield* holds([september])
      traffic.now += 86_400_000
      yield* traffic.act(ada, manual(7, { adjustment: "after" }))
      yield* Books.counted
      const october = yield* closed("2026-10")
      assert.deepStrictEqual(october.statement.rows.map(Books.pointsOf), [
        { opening: 110, late: 70, orders_down: -10, gift_credits: 7, closing: 177 }
      ])
      yield* holds([september, october])

      for (const _ of [1, 2, 3]) yield* Archiving.begin
      for (const _ of [1, 2, 3, 4]) yield* Archiving.seal
      const to = yield* Archiving.folder
      assert.strictEqual(yield* Archiving.archiveAll(to), 3)
      yield* holds([september, october], "--from", to)
      const without = yield* InProcess.onDatabase("finance", "verify")
      assert.strictEqual(without.code, 2, without.out)
      assert.match(without.err, /archived/)
      yield* succeeds("journal", "rebuild", "--from", to)
      yield* Books.counted
      yield* holds([september, october], "--from", to)
      yield* succeeds("journal", "restore", new Date().toISOString().slice(0, 7), "--from", to)
      yield* succeeds("journal", "rebuild")
      yield* Books.counted
      yield* holds([september, october])
    })
  )
})
