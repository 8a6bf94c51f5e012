/** The products that tills sell. Holds contract/operators.md *Products*. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/products/Bounds.ts"
import * as Noting from "../../../src/capabilities/products/Noting.ts"
import * as ProductStore from "../../../src/capabilities/products/ProductStore.ts"
import { SoldProducts } from "../../../src/capabilities/products/SoldProducts.ts"
import { Handlers } from "../../../src/core/protocol/Handler.ts"
import * as Operators from "../operators/Operators.ts"

const now = Date.UTC(2026, 6, 14, 12)
const hour = 3_600_000
const program = "demo-foodservice"
const [line] = Testing.order("model", 900).lines

type Line = Partial<NonNullable<typeof line>> & { readonly product_id: string }

const lines = (...sold: ReadonlyArray<Line>) => sold.map((one, n) => ({ ...line!, line_id: `line-${n}`, ...one }))

const listed = (path: string, query = "") =>
  Effect.map(Operators.get(`/programs/${program}/${path}${query}`), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as { readonly [list: string]: ReadonlyArray<Record<string, unknown>> } & { next_cursor?: string }
  })

const written = (sold: SoldProducts, at = now) =>
  Effect.flatMap(PeoplePool, ({ query }) => ProductStore.write(query, sold.take(), at))

const served = Effect.provide(Operators.layer())

const atNow = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.andThen(TestClock.setTime(now), test)

/** Lets time pass until a read shows what is expected. Returns how long that took by the test's clock, ms. */
const shows = (read: Effect.Effect<unknown>, expected: unknown, passed = 0): Effect.Effect<number> =>
  Effect.flatMap(read, (found) => {
    if (JSON.stringify(found) === JSON.stringify(expected)) return Effect.succeed(passed)
    const step = Effect.andThen(TestClock.adjust(stepMs), Effect.promise(turn))
    return Effect.andThen(step, shows(read, expected, passed + stepMs))
  })
const stepMs = 500
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("products of accruals", () => {
  it.effect(
    "are written some seconds after the first note, and then at most once a minute; refused orders are not",
    () =>
      Effect.gen(function* () {
        const noting = Context.get(yield* Layer.build(Noting.layer), Handlers)
        const earn = (order_id: string, sold: ReadonlyArray<Line>, overrides: object = {}) =>
          noting["accrual.post"](
            {
              context: Testing.context(),
              member_id: "mia",
              order: Testing.order(order_id, 900, { ...Testing.placedAt(now), lines: lines(...sold), ...overrides })
            } as never,
            Testing.caller
          )
        yield* Guests.enroll("mia")
        assert.strictEqual((yield* earn("o-1", [{ product_id: "bowl", name: "Harvest Bowl" }]))._tag, "Answer")
        assert.strictEqual((yield* earn("o-2", [{ product_id: "never" }], { status: "open" }))._tag, "Refusal")
        assert.deepStrictEqual((yield* listed("products"))["products"], [])
        const context = yield* Effect.context<PeoplePool>()
        const names = Effect.provideContext(
          Effect.flatMap(PeoplePool, ({ query }) =>
            Effect.orDie(query("SELECT product_id FROM sold_products ORDER BY product_id"))
          ).pipe(Effect.map((rows) => rows.map(({ product_id }) => product_id))),
          context
        )
        assert.isAtLeast(yield* shows(names, ["bowl"]), Bounds.settleMs)
        assert.deepStrictEqual((yield* listed("products"))["products"], [
          {
            product_id: "bowl",
            name: "Harvest Bowl",
            category_ids: ["bowls"],
            last_sold_at: "2026-07-14T12:00:00.000Z"
          }
        ])
        yield* earn("o-3", [{ product_id: "cola" }])
        assert.isAtLeast(yield* shows(names, ["bowl", "cola"]), Bounds.pauseMs)
      }).pipe(Effect.scoped, served, atNow)
  )

  it.effect("wait while storage is away, and then are written", () =>
    Effect.gen(function* () {
      const sold = new SoldProducts()
      sold.note(program, lines({ product_id: "bowl" }), now)
      const away = { ...(yield* WorkPool), query: () => Effect.die(new Error("away")) }
      yield* Effect.exit(Effect.provideService(Noting.write(sold), WorkPool, away))
      assert.deepStrictEqual((yield* listed("products"))["products"], [])
      yield* Noting.write(sold)
      assert.lengthOf((yield* listed("products"))["products"]!, 1)
    }).pipe(served, atNow)
  )

  it("wait for a write only if something of them is new, or an hour later", () => {
    const sold = new SoldProducts()
    const note = (one: Line, at = now) => {
      sold.note(program, lines(one), at)
      return sold.take().map(({ categories, name, soldAt }) => ({ name, categories, soldAt }))
    }
    assert.deepStrictEqual(note({ product_id: "a" }), [{ name: undefined, categories: ["bowls"], soldAt: now }])
    assert.deepStrictEqual(note({ product_id: "a" }, now + 1), [])
    assert.deepStrictEqual(note({ product_id: "a", name: "A" }, now + 2), [
      { name: "A", categories: ["bowls"], soldAt: now + 2 }
    ])
    assert.deepStrictEqual(note({ product_id: "a", name: "A", category_ids: ["b", "c"] }, now + 3), [
      { name: "A", categories: ["b", "c"], soldAt: now + 3 }
    ])
    assert.deepStrictEqual(note({ product_id: "a", name: "A", category_ids: ["b", "c"] }, now + hour + 2), [])
    assert.lengthOf(note({ product_id: "a", name: "A", category_ids: ["b", "c"] }, now + hour + 3), 1)
  })

  it("are bounded in memory, with those that wait", () => {
    const sold = new SoldProducts()
    for (let n = 0; n < Bounds.maxWaiting + 500; n++) sold.note(program, lines({ product_id: `p-${n}` }), now)
    assert.lengthOf(sold.take(), Bounds.maxWaiting)
    sold.note(program, lines({ product_id: "next" }), now)
    assert.lengthOf(sold.take(), 1)
  })
})

describe("the lists of products and categories", () => {
  it.effect("find any part of a name, an id or a category, and go by the page", () =>
    Effect.gen(function* () {
      const sold = new SoldProducts()
      const drinks = { category_ids: ["drinks", "cold"] }
      sold.note(program, lines({ product_id: "p-9", name: "apple juice", ...drinks }, { product_id: "bowl" }), now)
      sold.note(program, lines({ product_id: "p-1", name: "Cola", ...drinks }), now)
      sold.note("another", lines({ product_id: "other" }), now)
      yield* written(sold)
      const ids = (query: string) =>
        Effect.map(listed("products", query), ({ products }) => products!.map(({ product_id }) => product_id))
      assert.deepStrictEqual(yield* ids(""), ["p-9", "bowl", "p-1"])
      assert.deepStrictEqual(yield* ids("?search=COL"), ["p-9", "p-1"])
      assert.deepStrictEqual(yield* ids("?search=P-1"), ["p-1"])
      assert.deepStrictEqual(yield* ids("?search=%25"), [])
      const first = yield* listed("products", "?limit=2")
      assert.deepStrictEqual(yield* ids(`?limit=2&cursor=${first.next_cursor}`), ["p-1"])
      const bowls = { category_id: "bowls", products: 1 }
      const all = [bowls, { category_id: "cold", products: 2 }, { category_id: "drinks", products: 2 }]
      assert.deepStrictEqual((yield* listed("categories"))["categories"], all)
      assert.deepStrictEqual((yield* listed("categories", "?search=OWL"))["categories"], [bowls])
      const one = yield* listed("categories", "?limit=1")
      assert.deepStrictEqual((yield* listed("categories", `?cursor=${one.next_cursor}&limit=1`))["categories"], [
        all[1]!
      ])
    }).pipe(served, atNow)
  )

  it.effect("show a product as it was sold last, whichever node writes last", () =>
    Effect.gen(function* () {
      const [early, late] = [new SoldProducts(), new SoldProducts()]
      early.note(program, lines({ product_id: "a", name: "Before" }), now - 2 * hour)
      late.note(program, lines({ product_id: "a", name: "Now" }), now)
      yield* written(late)
      yield* written(early)
      const { products } = yield* listed("products")
      assert.deepStrictEqual(
        products!.map(({ last_sold_at, name }) => [name, last_sold_at]),
        [["Now", "2026-07-14T12:00:00.000Z"]]
      )
    }).pipe(served, atNow)
  )

  it.effect("lose what was not sold for 25 months, and what is more than 10,000 products", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* query(`INSERT INTO sold_products SELECT '${program}', 'p-' || n, null, '{}', ${now} - n
        FROM generate_series(1, ${Bounds.maxProducts}) n`)
      const long = now - Bounds.keptDays * 24 * hour
      yield* query(`INSERT INTO sold_products VALUES ('${program}', 'gone', 'Gone', '{}', ${long - 1})`)
      assert.deepStrictEqual((yield* listed("products", "?search=gone"))["products"], [])
      const sold = new SoldProducts()
      sold.note(program, lines({ product_id: "newest" }), now)
      yield* written(sold)
      const rows = yield* query("SELECT count(*)::int AS n, bool_or(product_id = 'newest') AS has FROM sold_products")
      assert.deepStrictEqual(rows, [{ n: Bounds.maxProducts, has: true }])
      const left = yield* query(
        "SELECT product_id FROM sold_products WHERE product_id IN ('gone', 'p-10000', 'p-9999')"
      )
      assert.deepStrictEqual(left, [{ product_id: "p-9999" }])
    }).pipe(served, atNow)
  )
})
