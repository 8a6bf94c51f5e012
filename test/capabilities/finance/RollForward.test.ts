/** How points came and went, by account, month and place (contract/finance.md *Roll-forward*, *Places*). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { Traffic } from "../../reads/rollups/Traffic.ts"
import * as Books from "./Books.ts"

const october = { from: "2026-10-01", until: "2026-11-01" }
const started = (name: string, at: number) => {
  const traffic = new Traffic(name, RandomOf.make(1, name))
  traffic.now = at
  return traffic
}

const whole = {
  opening: 0,
  base: 100,
  promotions: 20,
  orders_down: -30,
  gift_credits: 50,
  correction_debits: -10,
  redeemed: -60,
  given_back: 60,
  expired: -20,
  closing: 110
}

const tokenOf = (scope: string) => `token-of-${scope.replace(":", "-")}`
const tokens: ReadonlyArray<TokenGrant> = (["figures:read", "finance:read"] as const).map((scope) => ({
  token_sha256: hash("sha256", tokenOf(scope)),
  name: scope,
  scopes: [scope]
}))

layer(Books.layer(tokens), { excludeTestServices: true })("the roll-forward", (it) => {
  it.effect(
    "gives each point of an entry one line, of the lot's place, and is the balance to the point and the cent",
    () =>
      Effect.gen(function* () {
        const traffic = started("example", Date.UTC(2026, 9, 5, 12))
        const member = yield* Books.example(traffic, "ada")
        yield* Books.counted
        const { rewards, rows, time_zone } = yield* Books.rollForward(october.from, october.until)
        assert.strictEqual(time_zone, "America/New_York")
        assert.deepStrictEqual(rows.map(Books.pointsOf), [whole])
        assert.strictEqual(member.state.units[0]?.posted, 110)
        assert.deepStrictEqual(
          Books.worthOf(rows[0]!),
          Object.fromEntries(Object.entries(whole).map(([line, points]) => [line, points * 4])) as never
        )
        assert.deepStrictEqual(rewards, [])

        const places = yield* Books.rollForward(october.from, october.until, "location")
        assert.deepStrictEqual(
          places.rows.map(
            (row) => [row.location_id, Books.pointsOf(row), row.redeemed_here, row.given_back_here] as const
          ),
          [
            [undefined, { opening: 0, gift_credits: 50, expired: -20, closing: 30 }, 0, 0],
            ["east", { opening: 0, closing: 0 }, -60, 60],
            [
              "west",
              {
                ...{ opening: 0, base: 100, promotions: 20, orders_down: -30, correction_debits: -10 },
                ...{ redeemed: -60, given_back: 60, closing: 80 }
              },
              0,
              0
            ]
          ]
        )
        // The opening of a range has all that was before it, by whole months or days.
        const later = yield* Books.rollForward("2026-10-10", "2026-12-15")
        assert.deepStrictEqual(later.rows.map(Books.pointsOf), [{ opening: 130, expired: -20, closing: 110 }])
        const months = yield* Books.rollForward("2026-09-15", "2026-11-15", "month")
        assert.deepStrictEqual(
          months.rows.map((row) => [row.month, Books.pointsOf(row)] as const),
          [
            ["2026-09", { opening: 0, closing: 0 }],
            ["2026-10", whole],
            ["2026-11", { opening: 110, closing: 110 }]
          ]
        )
      })
  )

  // contract/finance.md *Cohorts*
  it.effect("follows points from the month in which they were earned", () =>
    Effect.gen(function* () {
      const traffic = started("cohort", Date.UTC(2026, 4, 20, 12))
      yield* Books.example(traffic, "cleo")
      yield* Books.counted
      const { body } = yield* Books.get("cohorts?from=2026-05&until=2026-06")
      const none = { issued: 0, redeemed: 0, expired: 0, other: 0 }
      assert.deepStrictEqual(body["cohorts"], [
        {
          unit: "points",
          earned: "2026-05",
          months: [{ ...none, month: "2026-05", issued: 170, expired: -20, other: -40, open: 110 }]
        }
      ])
      assert.strictEqual((yield* Books.get("cohorts?from=2026-05&until=2026-04")).status, 422)
      assert.strictEqual((yield* Books.get("cohorts?from=2021-05&until=2026-05")).status, 422)
    })
  )

  it.effect("reads whole months as months, and days of cut months alone", () =>
    Effect.gen(function* () {
      const ranges = [
        [october.from, october.until, "unit"],
        ["2026-09-10", "2026-11-12", "month"],
        ["2026-09-10", "2026-11-12", "location"]
      ] as const
      const asked = Effect.forEach(ranges, ([from, until, by]) =>
        Effect.map(Books.rollForward(from, until, by), ({ rows }) => rows)
      )
      const before = yield* asked
      const days = `span = 1 AND start >= ${Date.UTC(2026, 9)} AND start < ${Date.UTC(2026, 10)}`
      yield* Scenario.byHand(
        `CREATE TABLE was AS SELECT * FROM finance_days WHERE ${days}`,
        `DELETE FROM finance_days WHERE ${days}`
      )
      assert.deepStrictEqual(yield* asked, before)
      assert.isTrue(before.flat().some(({ lines }) => lines.length > 0))
      yield* Scenario.byHand("INSERT INTO finance_days TABLE was", "DROP TABLE was")
    })
  )

  it.effect("asks for the scope of finance, a range, and nothing else", () =>
    Effect.gen(function* () {
      const path = `roll-forward?from=${october.from}&until=${october.until}`
      const as = (token: string) => ({ authorization: `Bearer ${token}` })
      assert.strictEqual((yield* Books.get(path, as(tokenOf("figures:read")))).status, 403)
      assert.strictEqual((yield* Books.get(path, as(tokenOf("finance:read")))).status, 200)
      const refused = yield* Books.get("roll-forward?from=2026-10-01&until=2026-10-01")
      assert.deepInclude(refused.body, { code: "validation_failed" })
      assert.strictEqual((yield* Books.get("roll-forward?from=2020-10-01&until=2026-10-01")).status, 422)
      assert.strictEqual((yield* Books.get("roll-forward?from=2026-10-32&until=2026-11-01")).status, 422)
      assert.strictEqual((yield* Books.get(`${path}&program_id=none`)).status, 404)
    })
  )
})

layer(Books.layer(), { excludeTestServices: true })("the worth of points", (it) => {
  it.effect("changes with the value of a point, which is a line of its own", () =>
    Effect.gen(function* () {
      const traffic = started("valued", Date.UTC(2026, 9, 5, 12))
      yield* Books.example(traffic, "bob")
      // In New York it is the 15th still.
      yield* Books.publish(Books.books(5), 1, Date.UTC(2026, 9, 16, 3))
      yield* Books.counted
      const { rows } = yield* Books.rollForward(october.from, october.until)
      assert.deepStrictEqual(rows.map(Books.worthOf), [
        {
          ...{ opening: 0, base: 400, promotions: 80, orders_down: -120, gift_credits: 200, correction_debits: -40 },
          ...{ redeemed: -240, given_back: 240, expired: -100, revalued: 130, closing: 550 }
        }
      ])
      const before = yield* Books.rollForward("2026-10-01", "2026-10-15")
      assert.strictEqual(before.rows[0]?.closing.worth?.amount, 520)
      const on = yield* Books.rollForward("2026-10-15", "2026-10-16")
      assert.deepStrictEqual(Books.worthOf(on.rows[0]!), {
        opening: 520,
        revalued: 130,
        expired: -100,
        closing: 550
      })
    })
  )
})
