/** Guests and gifts that stand out. Holds contract/operators.md *Attention*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "./Operators.ts"

/** The evening of the 13th in New York, where the demo's tier policy is. */
const now = Date.UTC(2026, 6, 14, 2, 20)
const day = 86_400_000
const today = Date.UTC(2026, 6, 13)

const run = (statement: string) => Effect.flatMap(PeoplePool, ({ query }) => query(statement))

const member = (account: number, name: string, program = "demo-foodservice") =>
  run(`INSERT INTO member_rollups (account, seq, program_id, member_id, status, joined, tier_id, tier_period, units)
    VALUES (${account}, 1, '${program}', '${name}', 'active', 0, '', -1, '[]')`)

const ordered = (account: number, count: number, business: number, location?: string, program = "demo-foodservice") =>
  run(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
    SELECT ${account}, '${location ?? ""} ${business} ' || n, '${program}', ${business + 50_000_000},
        ${location === undefined ? "NULL" : `'${location}'`}, ${business}, 900, ${account}
      FROM generate_series(1, ${count}) n`)

/** As an operator does: the figures tell the member that has it now, the audit the one that it was taken from. */
const moved = (order: string, from: number, to: number, name: string) =>
  Effect.gen(function* () {
    yield* run(`INSERT INTO accounts (number, seq, balance, status, program_id, member_id, joined_at)
      VALUES (${from}, 1, 0, 'active', 'demo-foodservice', '${name}', now())`)
    yield* run(`UPDATE rollup_orders SET account = ${to}, earned_by = ${to} WHERE order_id = '${order}'`)
    for (const subject_id of [name, "taker"]) {
      const entry = {
        ...{ at: now - 1_000, actor_kind: "root", actor_name: "root", action: "order.move", subject_type: "member" },
        ...{ subject_id, program_id: "demo-foodservice" },
        changes: JSON.stringify({ before: { order_id: order, member_id: name }, after: { order_id: order } })
      }
      yield* run(`SELECT append_audit(0, '${JSON.stringify(entry)}'::jsonb)`)
    }
  })

interface Gift {
  readonly amount: number
  readonly at: number
  readonly unit?: string
  readonly by?: string
  readonly action?: string
  readonly program?: string
}

const given = ({ action = "member.adjust", amount, at, by = "Mia Support", program, unit }: Gift) => {
  const facts = { adjustment_id: `a-${at}`, amount, ...(unit === undefined ? {} : { unit }) }
  const entry = {
    ...{ at, actor_kind: "root", actor_name: by, action, subject_type: "member", subject_id: "ada" },
    ...{ program_id: program ?? "demo-foodservice", changes: JSON.stringify({ after: facts }) }
  }
  return run(`SELECT append_audit(0, '${JSON.stringify(entry)}'::jsonb)`)
}

const asked = (headers?: Record<string, string>, query = "?program_id=demo-foodservice") =>
  Effect.map(Operators.get(`/attention${query}`, headers), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    const { gifts, guests } = body as {
      readonly gifts: ReadonlyArray<Record<string, unknown>>
      readonly guests: ReadonlyArray<Record<string, unknown>>
    }
    return { guests, gifts: gifts.map(({ audit_id: _, ...one }) => one) }
  })

const on = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provide(Operators.layer()), (served) => Effect.andThen(TestClock.setTime(now), served))

const rewarded = (account: number, at: number, count: number) =>
  run(`INSERT INTO issued_rewards (account, issued_reward_id, n, reward_id, status, issued_at, artifact_type, artifact_value)
    SELECT ${account}, 'r-${at}-' || n, n, 'free-bowl', 'issued', ${at}, 'code', 'C' || n FROM generate_series(1, ${count}) n`)

describe("what stands out", () => {
  it.effect("are orders of the last 7 days that gave more than 5 rewards", () =>
    on(
      Effect.gen(function* () {
        yield* member(1, "ada")
        yield* ordered(1, 1, today)
        yield* ordered(1, 1, today - day)
        yield* ordered(1, 1, today - 9 * day)
        yield* rewarded(1, today + 50_000_000, 6)
        yield* rewarded(1, today - day + 50_000_000, 5)
        yield* rewarded(1, today - 9 * day + 50_000_000, 25)
        const told = { order_id: ` ${today} 1`, at: "2026-07-13T13:53:20.000Z", rewards: 6 }
        const { body } = yield* Operators.get("/attention?program_id=demo-foodservice")
        assert.deepStrictEqual(body["orders"], [{ member_id: "ada", ...told }])
        // An order that was moved is told of the guest that has it.
        yield* member(2, "ben")
        yield* moved(told.order_id, 1, 2, "ada")
        const { body: after } = yield* Operators.get("/attention?program_id=demo-foodservice")
        assert.deepStrictEqual(after["orders"], [{ member_id: "ben", ...told }])
      })
    )
  )

  it.effect("are guests with 40 orders on a business day of the last 7", () =>
    on(
      Effect.gen(function* () {
        yield* member(1, "ada")
        yield* member(2, "ben")
        yield* member(3, "cleo", "another")
        yield* ordered(1, 15, today)
        yield* ordered(1, 25, today, "loc-east")
        yield* ordered(1, 1, today, "loc-west")
        yield* ordered(1, 39, today - day)
        yield* ordered(2, 40, today - 6 * day)
        yield* ordered(2, 60, today - 7 * day, "loc-east")
        yield* ordered(3, 60, today, "loc-east", "another")
        const { gifts, guests } = yield* asked()
        assert.deepStrictEqual(gifts, [])
        assert.deepStrictEqual(guests, [
          { member_id: "ada", business_date: "2026-07-13", orders: 41, location_id: "loc-east" },
          { member_id: "ben", business_date: "2026-07-07", orders: 40 }
        ])
        assert.deepStrictEqual(yield* asked(undefined, ""), { gifts, guests })
      })
    )
  )

  it.effect("are, while there are fewer than five, gifts of 1,000 and more", () =>
    on(
      Effect.gen(function* () {
        yield* given({ amount: 999, at: now - 4_000 })
        yield* given({ amount: 1_000, at: now - 3_000 })
        yield* given({ amount: -5_000, at: now - 2_000 })
        yield* given({ amount: 5_000, at: now - 1_000, action: "member.reward.issue" })
        yield* given({ amount: 5_000, at: now - 1_000, program: "another" })
        yield* given({ amount: 5_000, at: now - 8 * day })
        assert.deepStrictEqual((yield* asked()).gifts, [
          { member_id: "ada", at: "2026-07-14T02:19:57.000Z", amount: 1_000, unit: "points", by: "Mia Support" }
        ])
      })
    )
  )

  it.effect("are of five and more those over three times the median of 30 days, of each unit", () =>
    on(
      Effect.gen(function* () {
        for (const amount of [100, 400, 500]) yield* given({ amount, at: now - 29 * day })
        yield* given({ amount: 90_000, at: now - 31 * day })
        yield* given({ amount: 90_000, at: now - 8 * day })
        yield* given({ amount: 1_500, at: now - 3_000 })
        yield* given({ amount: 1_501, at: now - 2_000, by: "Sam Manager" })
        yield* given({ amount: 1_000, at: now - 1_000, unit: "visits" })
        const told = { member_id: "ada", amount: 1_501, unit: "points", median: 500, by: "Sam Manager" }
        assert.deepStrictEqual((yield* asked()).gifts, [
          { member_id: "ada", at: "2026-07-14T02:19:59.000Z", amount: 1_000, unit: "visits", by: "Mia Support" },
          { ...told, at: "2026-07-14T02:19:58.000Z" }
        ])
      })
    )
  )

  it.effect("names guests and who gave only to those who may read them", () =>
    on(
      Effect.gen(function* () {
        yield* member(1, "ada")
        yield* ordered(1, 40, today)
        yield* given({ amount: 2_000, at: now - 1_000 })
        const names = Effect.fnUntraced(function* (...scopes: ReadonlyArray<string>) {
          const { secret } = yield* Operators.issue({ scopes, programs: ["demo-foodservice"] })
          const { gifts, guests } = yield* asked(Operators.bearer(secret))
          assert.deepStrictEqual([guests.length, gifts.length], [1, 1])
          assert.strictEqual(
            (yield* Operators.get("/attention?program_id=another", Operators.bearer(secret))).status,
            403
          )
          return [guests[0]?.["member_id"], gifts[0]?.["member_id"], gifts[0]?.["by"]]
        })
        assert.deepStrictEqual(yield* names("figures:read"), [undefined, undefined, undefined])
        assert.deepStrictEqual(yield* names("figures:read", "members:read"), ["ada", "ada", undefined])
        assert.deepStrictEqual(yield* names("figures:read", "audit:own"), [undefined, undefined, undefined])
        assert.deepStrictEqual(yield* names("figures:read", "audit:read"), [undefined, undefined, "Mia Support"])
        assert.deepStrictEqual(yield* names("admin:read"), ["ada", "ada", "Mia Support"])
        for (const [scope, mayAim] of [
          ["figures:read", false],
          ["audience:read", true],
          ["platform:read", true],
          ["admin:read", true]
        ] as const) {
          const { secret } = yield* Operators.issue({ scopes: ["figures:read", scope] })
          const { body } = yield* Operators.get("/attention", Operators.bearer(secret))
          assert.deepStrictEqual(body["audiences"], mayAim ? [] : undefined, scope)
        }
        const { secret } = yield* Operators.issue({ scopes: ["members:read"] })
        assert.strictEqual((yield* Operators.get("/attention", Operators.bearer(secret))).status, 403)
      })
    )
  )
})

const { file, id: program_id } = Testing.demoProgram
const carded = Testing.programOf({
  ...file,
  stamp_card: { unit: file.accounts[0]!.unit, threshold: 30, reward_id: file.rewards[0]!.reward_id, resets: true }
})
const journaled = Layer.provideMerge(
  TestServer.layerFor(PgJournal.layer, Programs.layerFrom([carded]), Pools.layer, []),
  TestDatabase.layer
)

it.layer(journaled, { excludeTestServices: true })("orders from receipts", (it) => {
  it.effect(
    "are told beside the same guest's of that day, and beside those of others with the number, or the amount and minute",
    () =>
      Effect.gen(function* () {
        const placed = Date.now() - 3_600_000
        const business_date = new Date(placed).toISOString().slice(0, 10)
        const numbers: Array<number> = []
        for (const name of ["rea", "rob"]) {
          yield* enroll(name)
          const [row] = yield* run(`SELECT number FROM accounts WHERE member_id = '${name}'`)
          numbers.push(Number(row?.["number"]))
          yield* member(numbers.at(-1) ?? 0, name)
        }
        const [rea, rob] = numbers
        const body = {
          ...{ location_id: "harbor", number: "17", business_date, placed_at: new Date(placed).toISOString() },
          ...{ amount: { amount: 3_000, currency: "USD" }, reason: "offline" }
        }
        assert.strictEqual((yield* Operators.post(`/members/${program_id}/rea/receipts`, body)).status, 201)
        const order = (order_id: string, account: number | undefined, at: number, amount: number) =>
          run(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
          VALUES (${account}, '${order_id}', '${program_id}', ${at}, 'harbor', ${Date.parse(business_date)}, ${amount}, ${account})`)
        yield* order("till-0017", rob, placed + 3_000_000, 1_000)
        yield* order("near", rob, placed + 500_000, 3_000)
        yield* order("far", rob, placed + 700_000, 3_000)
        yield* order("own", rea, placed + 3_100_000, 900)
        const told = (yield* Operators.get(`/attention?program_id=${program_id}`)).body["receipts"]
        assert.deepStrictEqual(
          (told as ReadonlyArray<Record<string, unknown>>).map((one) => [one["other_id"], one["other_member_id"]]),
          [
            ["near", "rob"],
            ["till-0017", "rob"],
            ["own", undefined]
          ]
        )
        const { secret } = yield* Operators.issue({ scopes: ["figures:read"] })
        const hidden = (yield* Operators.get("/attention", Operators.bearer(secret))).body["receipts"]
        assert.notProperty((hidden as ReadonlyArray<object>)[0], "other_member_id")
      })
  )
})

it.layer(journaled, { excludeTestServices: true })("orders that are moved", (it) => {
  it.effect("are told of the members with three and more, with how many were taken and received, and by whom", () =>
    Effect.gen(function* () {
      for (const name of ["eva", "eno", "uma"]) yield* enroll(name)
      const { secret } = yield* Operators.issue({ scopes: ["figures:read"] })
      const moves = Effect.map(Operators.get(`/attention?program_id=${program_id}`), ({ body }) => body["moves"])
      const move = Effect.fnUntraced(function* (order: string, to: string) {
        yield* earn("eva", order, 500)
        const path = `/members/${program_id}/eva/orders/${order}/move`
        assert.strictEqual((yield* Operators.post(path, { to, reason: "wrong card" })).status, 200)
      })
      yield* move("m-1", "eno")
      yield* move("m-2", "eno")
      assert.deepStrictEqual(yield* moves, [])
      yield* move("m-3", "uma")
      const told = (yield* moves) as ReadonlyArray<Record<string, unknown>>
      const by = { at: told[0]?.["at"], by: "root" }
      assert.deepStrictEqual(told, [{ member_id: "eva", taken: 3, received: 0, ...by }])
      yield* move("m-4", "eno")
      const both = (yield* moves) as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(both.map(({ member_id, received, taken }) => [member_id, taken, received]).toSorted(), [
        ["eno", 0, 3],
        ["eva", 4, 0]
      ])
      const hidden = (yield* Operators.get("/attention", Operators.bearer(secret))).body["moves"]
      assert.deepStrictEqual(
        (hidden as ReadonlyArray<object>).map((one) => Object.keys(one)),
        [
          ["taken", "received", "at"],
          ["taken", "received", "at"]
        ]
      )
    })
  )
})

it.layer(journaled, { excludeTestServices: true })("an order that is moved", (it) => {
  it.effect("is told of the member that got more than 5 rewards by the move, at its time", () =>
    Effect.gen(function* () {
      for (const name of ["ada", "ben"]) yield* enroll(name)
      // 170 points fill five cards, and a sixth of a guest who has 20.
      yield* earn("ada", "o-1", 1_700)
      yield* credit("ben", 20)
      const move = `/members/${program_id}/ada/orders/o-1/move`
      assert.strictEqual((yield* Operators.post(move, { to: "ben", reason: "wrong card" })).status, 200)
      yield* run(`INSERT INTO member_rollups (account, seq, program_id, member_id, status, joined, tier_id, tier_period, units)
        SELECT number, 1, program_id, member_id, 'active', 0, '', -1, '[]' FROM accounts`)
      const [issued] = yield* run(`SELECT r.issued_at, count(*)::int AS rewards FROM issued_rewards r
        JOIN accounts a ON a.number = r.account WHERE a.member_id = 'ben' GROUP BY r.issued_at`)
      assert.strictEqual(issued?.["rewards"], 6)
      const { body } = yield* Operators.get(`/attention?program_id=${program_id}`)
      const at = new Date(Number(issued?.["issued_at"])).toISOString()
      assert.deepStrictEqual(body["orders"], [{ member_id: "ben", order_id: "o-1", at, rewards: 6 }])
    })
  )
})
