/** The recipes of the guide *Run a programme*: each is a valid programme, and does what it says. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { body } from "../../src/app/testing/Guests.ts"
import * as Testing from "../../src/app/testing/Testing.ts"
import { strictDecoder } from "../../src/contract/Decode.ts"
import { CampaignFacts } from "../../src/contract/platform/Campaigns.ts"
import { PutSegment } from "../../src/contract/platform/Segments.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../src/contract/protocol/Operations.ts"
import type { Order } from "../../src/contract/protocol/Order.ts"
import type { Program } from "../../src/core/rules/Program.ts"

const guide = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "src", "docs", "run-a-programme.md"), "utf8")
const sections = new Map(
  guide.split("\n## ").map((text) => [text.split("\n", 1)[0] ?? "", [...text.matchAll(/^```json\n(.*?)^```$/gms)]])
)
const base = JSON.parse(guide.match(/^```json\n(.*?)^```$/ms)?.[1] ?? "") as object

const recipe = (name: string): Program => {
  const [block] = sections.get(name) ?? []
  return Testing.programOf({ ...base, ...(JSON.parse(block?.[1] ?? "") as object) })
}

const program_id = "corner-cafe"
const eur = (amount: number) => ({ amount, currency: "EUR" })
const dayMs = 86_400_000
/** Tuesday, 24 November 2026, 15:30 in Berlin. */
const tuesday = Date.parse("2026-11-24T14:30:00Z")

interface Item {
  readonly product?: string
  readonly category?: string
  readonly quantity?: number
  /** Of all of them, cents. */
  readonly amount: number
}

const orderOf = (order_id: string, at: number, { amount, category, product = "cake", quantity = 1 }: Item): Order => ({
  ...Testing.order(order_id, amount, Testing.placedAt(at), program_id),
  lines: [
    {
      line_id: "line-1",
      kind: "item",
      product_id: product,
      quantity,
      unit_price: eur(amount / quantity),
      subtotal: eur(amount),
      discount: eur(0),
      tax: eur(0),
      ...(category === undefined ? undefined : { category_ids: [category] })
    }
  ],
  totals: {
    subtotal: eur(amount),
    discount: eur(0),
    tax: eur(0),
    tip: eur(0),
    service_charge: eur(0),
    total: eur(amount)
  },
  tenders: [{ tender_id: "tender-1", type: "card", amount: eur(amount) }]
})

const ask = <Id extends OperationId>(id: Id, request: Omit<RequestOf<Id>, "context">) =>
  body<ResponseOf<Id>>(Testing.call(id, { context: Testing.context(), ...request } as unknown as RequestOf<Id>))

const enroll = ask("member.enroll", {
  program_id,
  identity: { type: "loyalty_id", value: "card-ada", issuer: "x" },
  member_id: "ada"
})

let orders = 0
const earn = (at: number, item: Item) =>
  ask("accrual.post", { member_id: "ada", order: orderOf(`order-${++orders}`, at, item) })
const wallet = Effect.map(ask("issued_reward.list", { member_id: "ada", program_id }), ({ issued_rewards }) =>
  issued_rewards.map(({ reward_id }) => reward_id)
)

/** With a member of the recipe's programme, on Tuesday. */
const cooked = (name: string, check: Effect.Effect<void, never, Effect.Services<typeof enroll>>) =>
  it.effect(`${name} does what it says`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(tuesday)
      yield* enroll
      yield* check
    }).pipe(Effect.provide(Testing.layer([recipe(name)])))
  )

cooked(
  "Coffee stamps",
  Effect.gen(function* () {
    const coffees = { amount: 900, category: "coffee", quantity: 3 }
    const { promotions } = yield* earn(tuesday, coffees)
    assert.deepInclude(promotions?.[0], { unit: "stamps", amount: 3 })
    for (let n = 0; n < 2; n++) yield* earn(tuesday, coffees)
    assert.deepStrictEqual(yield* wallet, [])
    yield* earn(tuesday, { ...coffees, quantity: 1 })
    assert.deepStrictEqual(yield* wallet, ["free-coffee"])
  })
)

cooked(
  "Happy hour",
  Effect.gen(function* () {
    assert.strictEqual((yield* earn(tuesday, { amount: 1_000 })).entry.amount, 20)
    assert.strictEqual((yield* earn(tuesday - 3_600_000, { amount: 1_000 })).entry.amount, 10)
  })
)

cooked(
  "Product of the month",
  Effect.gen(function* () {
    const soup = { amount: 700, product: "soup-pumpkin" }
    assert.strictEqual((yield* earn(tuesday, soup)).entry.amount, 17)
    assert.strictEqual((yield* earn(tuesday, soup)).entry.amount, 7)
    yield* TestClock.adjust(dayMs)
    assert.strictEqual((yield* earn(tuesday + dayMs, soup)).entry.amount, 17)
    yield* TestClock.adjust(7 * dayMs)
    assert.strictEqual((yield* earn(tuesday + 8 * dayMs, soup)).entry.amount, 7)
  })
)

cooked(
  "Tiers that last",
  Effect.gen(function* () {
    yield* earn(tuesday, { amount: 20_000 })
    // An order of each year earns by the tier of then: 15 of a friend, 10 of a guest.
    yield* TestClock.adjust(365 * dayMs)
    assert.strictEqual((yield* earn(tuesday + 365 * dayMs, { amount: 1_000 })).entry.amount, 15)
    yield* TestClock.adjust(365 * dayMs)
    assert.strictEqual((yield* earn(tuesday + 730 * dayMs, { amount: 1_000 })).entry.amount, 10)
  })
)

cooked(
  "A streak",
  Effect.gen(function* () {
    for (const [week, wanted] of [0, 0, 0, 1, 1, 1, 1, 2].entries()) {
      yield* earn(tuesday + week * 7 * dayMs, { amount: 500 })
      assert.strictEqual((yield* wallet).length, wanted, `week ${week}`)
      yield* TestClock.adjust(7 * dayMs)
    }
  })
)

cooked(
  "Pay with points",
  Effect.gen(function* () {
    yield* earn(tuesday, { amount: 20_000 })
    const order = { ...orderOf("paid", tuesday, { amount: 1_000 }), status: "open" as const }
    const held = yield* ask("redemption.reserve", {
      redemption_id: "first",
      member_id: "ada",
      reward_id: "euro-off",
      order,
      points: 100
    })
    assert.deepInclude(held.reservation.effect, { amount: eur(500) })
  })
)

it.effect("Pay with points takes no more than half of an order", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(tuesday)
    yield* enroll
    yield* earn(tuesday, { amount: 20_000 })
    const order = { ...orderOf("paid", tuesday, { amount: 1_000 }), status: "open" as const }
    const refused = yield* Testing.call("redemption.reserve", {
      context: Testing.context(),
      redemption_id: "first",
      member_id: "ada",
      reward_id: "euro-off",
      order,
      points: 120
    })
    assert.deepInclude(refused, { _tag: "Refusal" })
  }).pipe(Effect.provide(Testing.layer([recipe("Pay with points")])))
)

it.effect("Catering refuses an order above 500 € and takes one of 500 €", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(tuesday)
    yield* enroll
    assert.strictEqual((yield* earn(tuesday, { amount: 50_000 })).entry.amount, 500)
    const refused = yield* Testing.call("accrual.post", {
      context: Testing.context(),
      member_id: "ada",
      order: orderOf("banquet", tuesday, { amount: 50_001 })
    })
    assert.include(JSON.stringify(refused), "invalid_order")
  }).pipe(Effect.provide(Testing.layer([recipe("Catering")])))
)

it("Birthday, Bring a friend and Win-back are requests that the platform takes, each with its frequency", () => {
  const asked = [...guide.matchAll(/^PUT \/platform\/v1\/(segments|campaigns)\n(.*?)(?=^```|^PUT)/gms)]
  assert.deepStrictEqual(
    asked.map(([, of]) => of),
    ["segments", "campaigns", "campaigns", "segments", "campaigns"]
  )
  const frequencies = asked.flatMap(([, of, json = ""]) =>
    of === "campaigns" ? [(JSON.parse(json) as CampaignFacts).frequency] : []
  )
  assert.deepStrictEqual(frequencies, [
    { times: 1, days: 300 },
    { times: 5, days: 30 },
    { times: 1, days: 300 }
  ])
  for (const [, of, json = ""] of asked) {
    const decoded = strictDecoder((of === "segments" ? PutSegment : CampaignFacts) as never)(JSON.parse(json))
    assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
  }
})

it("each part of a programme file in the guide has a test here", () => {
  const recipes = [...sections].flatMap(([name, blocks]) => (blocks.length > 0 && !name.startsWith("#") ? [name] : []))
  assert.deepStrictEqual(recipes, [
    "Coffee stamps",
    "Happy hour",
    "Product of the month",
    "Tiers that last",
    "A streak",
    "Pay with points",
    "Catering"
  ])
})
