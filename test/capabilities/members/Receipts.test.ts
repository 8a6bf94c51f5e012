/** contract/operators.md *A missing receipt*: an order from its receipt, once, within a person's limits; and a claim by its code. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { get, post, root } from "../operators/Operators.ts"
import { person, said } from "../staff/Clerks.ts"

const program_id = Testing.demoProgram.id
const tokens = [{ token_sha256: hash("sha256", "till"), scopes: ["protocol:write"] as const }]
const layer = TestServer.layer(PgJournal.layer, tokens, undefined, [Testing.demoProgram], Pools.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

/** Yesterday: the service takes no order of years ago. */
const placed_at = new Date(Date.now() - 86_400_000).toISOString()
const business_date = placed_at.slice(0, 10)

const receipt = (number: string, amount: number, more: object = {}) => ({
  location_id: "harbor",
  number,
  business_date,
  placed_at,
  amount: { amount, currency: "USD" },
  reason: "The till was offline",
  ...more
})
const add = (headers: Record<string, string>, member: string, body: object) =>
  post(`/members/${program_id}/${member}/receipts`, body, headers)
const amounts = (member: string) => Effect.map(ledgerOf(member), (all) => all.map(({ amount }) => amount))

it.layer(layer, { excludeTestServices: true })("an order from its receipt", (it) => {
  it.effect("is foreseen, then posted once for one guest, and tells who added it", () =>
    Effect.gen(function* () {
      for (const member of ["rita", "rolf"]) yield* enroll(member)
      const clerk = yield* person("receipt-clerk", "support")
      const foreseen = yield* add(clerk, "rita", receipt("17", 3_000, { dry_run: true }))
      assert.strictEqual(foreseen.status, 200, JSON.stringify(foreseen.body))
      assert.deepInclude(foreseen.body, { dry_run: true, order_id: `receipt:harbor:${business_date}:17`, others: [] })
      assert.deepStrictEqual(yield* amounts("rita"), [])
      const statuses: Array<number> = []
      for (const [member, amount] of [
        ["rita", 3_000],
        ["rita", 3_000],
        ["rita", 3_100],
        ["rolf", 3_000]
      ] as const)
        statuses.push((yield* add(clerk, member, receipt("17", amount))).status)
      assert.deepStrictEqual(statuses, [201, 200, 409, 409])
      assert.deepStrictEqual(yield* amounts("rita"), [300])
      const { body } = yield* get("/audit?action=member.receipt", root)
      const [entry, ...more] = body["entries"] as ReadonlyArray<{ readonly actor: { readonly name: string } }>
      assert.deepStrictEqual([entry?.actor.name, more.length], ["receipt-clerk", 0])
    })
  )

  it.effect("counts within the person's limits of the day as a gift does", () =>
    Effect.gen(function* () {
      yield* enroll("rosa")
      const clerk = yield* person("receipt-small", "support")
      assert.deepStrictEqual(yield* said(add(clerk, "rosa", receipt("20", 20_000, { dry_run: true }))), [
        403,
        "points_per_action",
        1_000
      ])
      assert.deepStrictEqual(yield* said(add(clerk, "rosa", receipt("20", 20_000))), [403, "points_per_action", 1_000])
      yield* TestDatabase.query("INSERT INTO user_limits (user_id, points_per_day) VALUES ('receipt-small', 600)")
      for (const number of ["21", "22"])
        assert.strictEqual((yield* add(clerk, "rosa", receipt(number, 3_000))).status, 201)
      assert.deepStrictEqual(yield* said(add(clerk, "rosa", receipt("26", 100))), [403, "points_per_day", 0])
      // Once more is no new gift.
      assert.strictEqual((yield* add(clerk, "rosa", receipt("22", 3_000))).status, 200)
      assert.strictEqual((yield* add(root, "rosa", receipt("26", 100))).status, 201)
    })
  )

  it.effect("has its products, and refuses what does not add up", () =>
    Effect.gen(function* () {
      yield* enroll("rene")
      const products = [
        { product_id: "coffee", quantity: 3, amount: 1_000 },
        { product_id: "cake", amount: 500 }
      ]
      assert.strictEqual((yield* add(root, "rene", receipt("30", 2_000, { products }))).status, 201)
      assert.strictEqual((yield* add(root, "rene", receipt("31", 1_500, { products }))).status, 201)
      const refused = yield* add(root, "rene", receipt("32", 1_400, { products }))
      assert.deepStrictEqual(
        [refused.status, (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>)[0]?.path],
        [422, "/products"]
      )
      assert.strictEqual((yield* add(root, "rene", receipt("33", -1))).status, 422)
      assert.strictEqual((yield* add(root, "nobody", receipt("34", 100))).status, 404)
      assert.strictEqual(
        (yield* add(yield* person("receipt-analyst", "analyst"), "rene", receipt("35", 100))).status,
        403
      )
    })
  )

  it.effect("is claimed by its code, which no limit of a person counts, once in the audit", () =>
    Effect.gen(function* () {
      yield* enroll("rosi")
      const clerk = yield* person("receipt-coder", "support")
      const order = Testing.order("kept-receipt", 20_000, Testing.placedNow)
      const kept = yield* TestServer.send(
        "/platform/v1/orders",
        { program_id, order },
        { method: "PUT", headers: { authorization: "Bearer till" } }
      )
      const claim = (claim_code: unknown) => post(`/members/${program_id}/rosi/receipts/claim`, { claim_code }, clerk)
      assert.strictEqual((yield* claim("7Q2M")).status, 422)
      const statuses = [yield* claim(kept.body["claim_code"]), yield* claim(kept.body["claim_code"])]
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [201, 200]
      )
      assert.deepStrictEqual(yield* amounts("rosi"), [2_000])
      const { body } = yield* get("/audit?action=member.claim", root)
      assert.strictEqual((body["entries"] as ReadonlyArray<object>).length, 1)
      const counted = yield* TestDatabase.query(
        "SELECT 1 FROM given_days WHERE user_id = 'receipt-coder' AND points > 0"
      )
      assert.strictEqual(counted.length, 0)
    })
  )
})
