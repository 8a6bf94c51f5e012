/** Months are closed once, in order, and proven later (contract/finance.md *Closing a month*, *Verification*). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PeriodFile from "../../../src/capabilities/finance/PeriodFile.ts"
import * as Recount from "../../../src/capabilities/finance/Recount.ts"
import type { ClosedMonth } from "../../../src/contract/admin/Finance.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { manual } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Books from "./Books.ts"

const day = 86_400_000
const september = Date.UTC(2026, 8, 5, 12)
const id = Books.books(4).id

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

/** The recount's word on each closed month. */
const recounted = Effect.gen(function* () {
  const found: Array<readonly [string, ReadonlyArray<string>]> = []
  yield* Recount.run(({ faults, period }) => Effect.sync(() => void found.push([period, faults])))
  return found
})

/** The file of a closed month, as it is downloaded. */
const fileOf = Effect.fnUntraced(function* (period: string) {
  const port = yield* TestServer.port
  return yield* Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/admin/api/v1/finance/closings/${id}/${period}/file`, {
      headers: Books.admin
    })
    assert.deepStrictEqual(
      [answer.status, answer.headers.get("content-type"), answer.headers.get("content-disposition")],
      [200, "application/zip", `attachment; filename="lotbook-${id}-${period}.zip"`]
    )
    return answer.bytes()
  })
})

layer(Books.layer(), { excludeTestServices: true })("a month", (it) => {
  it.effect("is closed with its statement, which a recount of the journal repeats byte for byte", () =>
    Effect.gen(function* () {
      const traffic = started("closing", september)
      yield* Books.example(traffic, "eve")
      yield* Books.counted
      const live = yield* Books.rollForward("2026-09-01", "2026-10-01")
      const month = yield* closed("2026-09")
      assert.deepStrictEqual(month.statement.rows, live.rows)
      assert.strictEqual(month.closed_by, "root")
      const again = yield* closed("2026-09")
      assert.deepStrictEqual(again, month)
      const { body } = yield* Books.get(`closings/${id}`)
      const { statement, ...facts } = month
      assert.deepStrictEqual(body, {
        program_id: id,
        closings: [facts],
        first_period: "2026-09",
        next_period: "2026-10"
      })
      assert.strictEqual(statement.head.length, 64)

      // Posted after the close, but dated before it: it is late in the next month.
      const late = started("late", Date.UTC(2026, 8, 25, 12))
      const member = yield* late.enroll("fay", Books.books(4))
      yield* late.act(member, { type: "accrue", order: Books.order(late, "late-order", "west", 2_000) })
      late.now = Date.UTC(2026, 9, 10)
      yield* late.act(member, manual(-20, { adjustment: "october", classification: "correction" }))
      yield* Books.counted
      const told = yield* Books.rollForward("2026-09-01", "2026-10-01")
      assert.deepStrictEqual([told.rows, told.closed], [live.rows, facts])
      const rest = { opening: 110, late: 220, correction_debits: -20, closing: 310 }
      const foreseen = yield* Books.rollForward("2026-10-01", "2026-11-01")
      assert.deepStrictEqual(foreseen.rows.map(Books.pointsOf), [rest])
      const october = yield* closed("2026-10")
      assert.deepStrictEqual(october.statement.rows, foreseen.rows)
      assert.deepStrictEqual(october.statement.rows[0]?.late, [
        { line: "base", points: 200 },
        { line: "promotions", points: 20 }
      ])
      const cohort = { unit: "points", earned: "2026-09", redeemed: 0, expired: -20 } as const
      assert.deepStrictEqual(statement.cohorts, [{ ...cohort, issued: 170, other: -40, open: 110 }])
      assert.deepStrictEqual(october.statement.cohorts, [{ ...cohort, issued: 390, other: -60, open: 310 }])
      assert.deepStrictEqual(
        october.statement.places.map((row) => [row.location_id, Books.pointsOf(row)] as const),
        [
          [undefined, { opening: 30, closing: 30 }],
          ["east", { opening: 0, closing: 0 }],
          ["west", { opening: 80, late: 220, correction_debits: -20, closing: 280 }]
        ]
      )

      assert.deepStrictEqual(yield* recounted, [
        ["2026-09", []],
        ["2026-10", []]
      ])
      const file = yield* fileOf("2026-09")
      const value = { points: 1, worth: { amount: 4, currency: "USD" } }
      assert.deepStrictEqual(told.point_values, [{ value }])
      assert.deepStrictEqual(file, PeriodFile.periodFile(month, [{ value }]))
      yield* Scenario.byHand("SELECT reset_rollups()")
      yield* Books.counted
      assert.deepStrictEqual((yield* closed("2026-10")).sha256, october.sha256)
      assert.deepStrictEqual(yield* fileOf("2026-09"), file)
      assert.deepStrictEqual(yield* recounted, [
        ["2026-09", []],
        ["2026-10", []]
      ])
      const change =
        "UPDATE finance_closings SET statement = replace(statement, '\"points\":110', '\"points\":111') WHERE period = '2026-09'"
      assert.match(String((yield* Effect.flip(TestDatabase.query(change))).reason.cause), /append-only/)
      // As a superuser may.
      yield* Scenario.byHand(change)
      assert.deepStrictEqual(yield* recounted, [
        ["2026-09", ["the statement does not have its hash", "counted anew, the journal says other rows, franchisees"]],
        ["2026-10", []]
      ])
    })
  )
})

layer(Books.layer(), { excludeTestServices: true })("a close", (it) => {
  it.effect("is refused for a month that goes on, out of order, or with something due that is not posted", () =>
    Effect.gen(function* () {
      const traffic = started("due", september)
      const member = yield* traffic.enroll("gil", Books.books(4))
      yield* traffic.act(member, manual(70, { adjustment: "short", expires: september + 10 * day }))
      yield* Books.counted
      const refused = (period: string, detail: RegExp) =>
        Effect.map(Books.close(id, period), ({ body, status }) => {
          assert.deepStrictEqual([status, body["code"]], [409, "invalid_state"])
          assert.match(String(body["detail"]), detail)
        })
      yield* refused("2026-09", /Members with something that was due in 2026-09 or before and is not posted yet: 1\./)
      traffic.now = Date.UTC(2026, 9, 20)
      yield* traffic.act(member, { type: "expire" })
      yield* Books.counted
      yield* refused("2027-10", /2027-10 can be closed from 2027-11-01T00:01 \(America\/New_York\)\./)
      const [one, two] = yield* Effect.all([closed("2026-09"), closed("2026-09")], { concurrency: 2 })
      assert.strictEqual(one.sha256, two.sha256)
      // The expiration is dated in September, although it was posted in October.
      assert.deepStrictEqual(one.statement.rows.map(Books.pointsOf), [
        { opening: 0, gift_credits: 70, expired: -70, closing: 0 }
      ])
      const told = yield* Scenario.byHand("SELECT count(*)::int AS n FROM audit WHERE action = 'finance.close'")
      assert.deepStrictEqual(told, [{ n: 1 }])
      yield* refused("2026-08", /the next one is 2026-10/)
      assert.strictEqual((yield* Books.get(`closings/${id}/2026-08`)).status, 404)
      assert.strictEqual((yield* Books.get(`closings/${id}/2026-08/file`)).status, 404)
      assert.strictEqual((yield* Books.close(id, "2026-13")).status, 422)
      assert.deepStrictEqual((yield* Books.get(`closings/${id}/2026-09`)).body, one as never)
    })
  )
})
