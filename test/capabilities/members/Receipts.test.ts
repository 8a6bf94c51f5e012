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

/** An order that a till has posted, as the figures have it a moment later. `after`: minutes after the time of the receipts. */
const posted = (order_id: string, member: string, amount: number, after: number) =>
  TestDatabase.query(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
    SELECT number, '${order_id}', '${program_id}', ${Date.parse(placed_at) + after * 60_000}, 'harbor', ${Date.parse(business_date)},
      ${amount}, number FROM accounts WHERE program_id = '${program_id}' AND member_id = '${member}'`)
const othersOf = (body: Record<string, unknown>) =>
  (body["others"] as ReadonlyArray<Record<string, unknown>>).map(({ is_alike, member_id, order_id }) => [
    order_id,
    member_id,
    is_alike
  ])

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

  it.effect("tells, sent again, that it is there already, when and by whom it was added", () =>
    Effect.gen(function* () {
      yield* enroll("again")
      const clerk = yield* person("receipt-first", "support")
      const other = yield* person("receipt-second", "support")
      const first = yield* add(clerk, "again", receipt("70", 1_000))
      assert.strictEqual(first.status, 201, JSON.stringify(first.body))
      assert.notProperty(first.body, "already")
      for (const dry_run of [true, false]) {
        const { body, status } = yield* add(other, "again", receipt("70", 1_000, { dry_run }))
        const at = (first.body["entry"] as Record<string, unknown>)["occurred_at"]
        assert.deepStrictEqual([status, body["already"]], [200, { at, by: "receipt-first" }])
      }
    })
  )

  it.effect("is refused if it is an order of the restaurant and day, of any guest", () =>
    Effect.gen(function* () {
      for (const member of ["own", "else"]) yield* enroll(member)
      const clerk = yield* person("receipt-compare", "support")
      const detailOf = ({ body, status }: { readonly body: Record<string, unknown>; readonly status: number }) => [
        status,
        body["detail"]
      ]
      // The till's number is the id, or ends it with the same amount, whatever zeros are before it.
      yield* posted("T-0081", "else", 2_000, 300)
      yield* posted("82", "else", 700, 300)
      yield* posted("T/83", "own", 2_000, 300)
      const cases = [
        ["81", "The guest else has this order, as T-0081."],
        ["82", "The guest else has this order, as 82."],
        ["0083", "The guest has this order already, as T/83."]
      ] as const
      const ways = [true, false].flatMap((dry_run) => [true, false].map((confirmed) => ({ dry_run, confirmed })))
      for (const [number, told, way] of cases.flatMap(([number, told]) =>
        ways.map((way) => [number, told, way] as const)
      ))
        assert.deepStrictEqual(detailOf(yield* add(clerk, "own", receipt(number, 2_000, way))), [409, told])
    })
  )

  it.effect(
    "is confirmed where an order of the day has its number with another amount, or its amount at that time",
    () =>
      Effect.gen(function* () {
        for (const member of ["own", "else"]) yield* enroll(member)
        const clerk = yield* person("receipt-compare", "support")
        yield* posted("T-84", "else", 900, 300)
        yield* posted("unlike", "else", 2_100, -9)
        yield* posted("later", "else", 2_100, 11)
        yield* posted("cheaper", "else", 2_099, 1)
        for (const [number, amount, order] of [
          ["84", 2_000, "T-84"],
          ["85", 2_100, "unlike"]
        ] as const) {
          const foreseen = yield* add(clerk, "own", receipt(number, amount, { dry_run: true }))
          assert.deepStrictEqual(othersOf(foreseen.body), [
            [order, "else", true],
            ["T/83", undefined, undefined]
          ])
          const refused = yield* add(clerk, "own", receipt(number, amount))
          assert.deepStrictEqual(
            [refused.status, (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>)[0]?.path],
            [422, "/confirmed"]
          )
          assert.strictEqual((yield* add(clerk, "own", receipt(number, amount, { confirmed: true }))).status, 201)
          // It is there: nothing is asked any more.
          assert.strictEqual((yield* add(clerk, "own", receipt(number, amount))).status, 200)
        }
        // A number may have any letters, and is no pattern.
        assert.strictEqual((yield* add(clerk, "own", receipt(".*", 500))).status, 201)
      })
  )

  it.effect("names the order to look for where it was added for another guest or with other facts", () =>
    Effect.gen(function* () {
      for (const member of ["taken", "wanting"]) yield* enroll(member)
      yield* add(root, "taken", receipt("90", 1_000))
      for (const [member, amount] of [
        ["taken", 1_100],
        ["wanting", 1_000]
      ] as const)
        for (const dry_run of [true, false]) {
          const { body, status } = yield* add(root, member, receipt("90", amount, { dry_run }))
          assert.deepStrictEqual(
            [status, body["detail"]],
            [
              409,
              `The receipt was added before, with other facts or for another guest: look for order receipt:harbor:${business_date}:90.`
            ]
          )
        }
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
