/** A guest as a restaurant sees one (contract/members.md *A guest at a restaurant*; contract/people.md *Limited to restaurants*). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { unknownMs } from "../../../src/capabilities/members/Bounds.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Handover from "../operators/Handover.ts"
import * as Operators from "../operators/Operators.ts"

const program_id = "demo-foodservice"
const { business_date: today } = Testing.placedNow
const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
const server = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer)

/** The guest Ada: 50 points at each place, and 500 as a gift of the chain. */
const world = Effect.gen(function* () {
  yield* enroll("ada")
  yield* credit("ada", 500)
  for (const [location_id, business_date] of [
    ["east", today],
    ["west", today],
    ["sold", yesterday]
  ] as const) {
    const order = Testing.order(`o-${location_id}`, 500, { ...Testing.placedNow, business_date })
    yield* body(
      Testing.call("accrual.post", {
        context: Testing.context(),
        member_id: "ada",
        order: { ...order, scope: { ...order.scope, location_id } }
      })
    )
  }
})

const limitedTo = (limits: object) =>
  Effect.map(Operators.issue({ scopes: ["members:read", "points:give"], ...limits }), ({ secret }) =>
    Operators.bearer(secret)
  )

const look = (headers: Record<string, string>, query: string) =>
  TestServer.send(`/platform/v1/restaurants/guest?program_id=${program_id}&${query}`, undefined, {
    method: "GET",
    headers
  })

interface Guest {
  readonly member_id: string
  readonly balances: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
  readonly entries: ReadonlyArray<{
    readonly order_id?: string
    readonly location_id?: string
    readonly amount: number
  }>
  readonly elsewhere: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
}

const told = (asked: ReturnType<typeof look>) =>
  Effect.map(asked, ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as Guest
  })

const adjust = (headers: Record<string, string>, adjustment_id: string, more: object = {}, member = "ada") =>
  Operators.post(
    `/members/${program_id}/${member}/adjustments`,
    { adjustment_id, amount: 10, classification: "gift", reason: "Sorry", qualifies_for_tier: false, ...more },
    headers
  )

const said = Effect.map(({ body, status }: TestServer.Response) => [
  status,
  ((body["errors"] ?? []) as ReadonlyArray<{ path: string }>)[0]?.path
])

const served = Layer.provideMerge(server, TestDatabase.layer)

layer(served, { excludeTestServices: true })("a guest at a restaurant", (it) => {
  it.effect("shows the balance, the entries there, and all others as one sum", () =>
    Effect.gen(function* () {
      yield* world
      const east = yield* limitedTo({ location_ids: ["east"] })
      const guest = yield* told(look(east, "member_id=ada"))
      assert.deepStrictEqual(
        guest.entries.map(({ amount, location_id, order_id }) => [order_id, location_id, amount]),
        [["o-east", "east", 50]]
      )
      const points = (all: ReadonlyArray<{ readonly unit: string; readonly amount: number }>) =>
        all.find(({ unit }) => unit === "points")?.amount
      assert.deepStrictEqual([points(guest.balances), points(guest.elsewhere)], [650, 600])
      assert.notInclude(JSON.stringify(guest), "west")
      assert.notInclude(JSON.stringify(guest), "gift")
      assert.strictEqual((yield* told(look(east, "order_id=o-east"))).member_id, "ada")
      const south = yield* limitedTo({ location_ids: ["south"] })
      const known = yield* told(look(south, "known_by=card-ada"))
      assert.deepStrictEqual([known.member_id, known.entries, points(known.elsewhere)], ["ada", [], 650])
    })
  )

  it.effect(
    "is unknown to a neighbour by id, order, card that is not whole, and after 400 days, in the same words",
    () =>
      Effect.gen(function* () {
        const south = yield* limitedTo({ location_ids: ["south"] })
        const unknown = (yield* look(south, "member_id=nobody")).body
        for (const query of [
          "member_id=ada",
          "order_id=o-west",
          "order_id=none",
          "known_by=card-ad",
          "known_by=card"
        ]) {
          const { body, status } = yield* look(south, query)
          assert.deepStrictEqual([status, body["detail"]], [404, unknown["detail"]], query)
        }
        assert.strictEqual((yield* look(south, "")).status, 422)
        assert.strictEqual((yield* look(south, "member_id=ada&order_id=o-west")).status, 422)
        const none = yield* limitedTo({ brand_ids: ["none"] })
        assert.strictEqual((yield* look(none, "member_id=ada")).status, 404)
      })
  )

  it.effect("of a restaurant that was sold is the former franchisee's for the days of before", () =>
    Effect.gen(function* () {
      yield* TestServer.send(
        `${Operators.api}/locations`,
        {
          location_id: "sold",
          name: "Sold",
          franchisees: [
            { from: "2020-01-01", franchisee_id: "old" },
            { from: today, franchisee_id: "new" }
          ]
        },
        { method: "PUT", headers: Operators.root }
      )
      const entries = (franchisee: string) =>
        Effect.flatMap(limitedTo({ franchisee_ids: [franchisee] }), (headers) =>
          Effect.map(look(headers, "member_id=ada"), ({ body, status }) => [
            status,
            (body as unknown as Partial<Guest>).entries?.map(({ order_id }) => order_id)
          ])
        )
      assert.deepStrictEqual(yield* entries("old"), [200, ["o-sold"]])
      assert.deepStrictEqual(yield* entries("new"), [404, undefined])
    })
  )

  it.effect(
    "has refunds where the day of their order was, and redemptions where they were reserved, after a handover",
    () =>
      Effect.gen(function* () {
        yield* Handover.world("bea")
        const named = (entries: unknown) =>
          (entries as ReadonlyArray<Readonly<Record<string, unknown>>>).map(
            (entry) => entry["adjustment_id"] ?? entry["order_id"]
          )
        for (const { expected, franchisee } of [
          { franchisee: "giver", expected: ["later-meal", "soon-meal", "before-back", "before"] },
          { franchisee: "taker", expected: ["soon-meal", "after-back", "after"] }
        ]) {
          const headers = yield* limitedTo({ franchisee_ids: [franchisee] })
          const ledger = (rest: string) => Operators.get(`/members/${program_id}/bea/ledger${rest}`, headers)
          assert.deepStrictEqual(named((yield* ledger("")).body["entries"]), expected)
          assert.deepStrictEqual(named((yield* told(look(headers, "member_id=bea"))).entries), expected)
          const text = String((yield* ledger(".csv")).body["text"])
          assert.lengthOf(text.trim().split("\n"), expected.length + 1)
        }
        yield* Handover.moved("bea", "cas")
        for (const { franchisee, status, taken } of [
          { franchisee: "giver", status: 200, taken: 1 },
          { franchisee: "taker", status: 404, taken: 0 }
        ]) {
          const headers = yield* limitedTo({ franchisee_ids: [franchisee] })
          const { body } = yield* Operators.get(`/members/${program_id}/bea/ledger`, headers)
          assert.lengthOf(body["entries"] as ReadonlyArray<unknown>, taken + (franchisee === "giver" ? 4 : 3))
          const cas = yield* look(headers, "member_id=cas")
          assert.strictEqual(cas.status, status)
          if (status === 200) assert.deepStrictEqual(named(cas.body["entries"]), ["before"])
        }
      })
  )

  it.effect("who is unknown is told so after one time, whatever there is elsewhere", () =>
    Effect.gen(function* () {
      const south = yield* limitedTo({ location_ids: ["south"] })
      for (const query of ["member_id=ada", "member_id=nobody", "order_id=o-west", "known_by=nobody"]) {
        const began = performance.now()
        assert.strictEqual((yield* look(south, query)).status, 404)
        assert.isAtLeast(performance.now() - began, unknownMs - 5, query)
      }
    })
  )

  it.effect(
    "has entries there in the list and the file of its ledger, without balances, and is unknown elsewhere",
    () =>
      Effect.gen(function* () {
        const east = yield* limitedTo({ location_ids: ["east"] })
        const ledger = (headers: Record<string, string>, rest: string, member = "ada") =>
          Operators.get(`/members/${program_id}/${member}/ledger${rest}`, headers)
        const { body } = yield* ledger(east, "")
        const [entry, ...others] = body["entries"] as ReadonlyArray<Record<string, unknown>>
        assert.deepStrictEqual([entry?.["order_id"], entry?.["cause"], others], ["o-east", "order", []])
        assert.notProperty(entry, "balance")
        const raw = String((yield* ledger(east, ".csv")).body["text"])
        assert.include(raw, "o-east")
        for (const other of ["o-west", "o-sold", "gift"]) assert.notInclude(JSON.stringify(body) + raw, other)
        const chain = yield* limitedTo({})
        assert.lengthOf((yield* ledger(chain, "?location_id=west")).body["entries"] as ReadonlyArray<object>, 1)
        assert.deepStrictEqual(yield* said(ledger(east, "?location_id=west")), [403, "/location_id"])
        const south = yield* limitedTo({ location_ids: ["south"] })
        const nobody = yield* ledger(south, "", "nobody")
        for (const rest of ["", ".csv"]) {
          const { body, status } = yield* ledger(south, rest)
          assert.deepStrictEqual([status, body["detail"]], [404, nobody.body["detail"]])
        }
      })
  )

  it.effect("is the remaining guest by the id of one that was merged, in the ledger as in the guest's own answer", () =>
    Effect.gen(function* () {
      yield* enroll("eva")
      yield* enroll("eve")
      const order = Testing.order("o-eva", 500, Testing.placedNow)
      const accrual = { order: { ...order, scope: { ...order.scope, location_id: "merge-east" } }, member_id: "eva" }
      yield* body(Testing.call("accrual.post", { context: Testing.context(), ...accrual }))
      const merged = yield* Operators.post(`/members/${program_id}/merge`, { from: "eve", into: "eva", reason: "test" })
      assert.strictEqual(merged.status, 200, JSON.stringify(merged.body))
      const east = yield* limitedTo({ location_ids: ["merge-east"] })
      const west = yield* limitedTo({ location_ids: ["merge-west"] })
      const ledger = (headers: Record<string, string>, rest = "") =>
        Operators.get(`/members/${program_id}/eve/ledger${rest}`, headers)
      const guest = yield* told(look(east, "member_id=eve"))
      assert.deepStrictEqual([guest.member_id, guest.entries.map(({ order_id }) => order_id)], ["eva", ["o-eva"]])
      const { body: shown } = yield* ledger(east)
      const entries = shown["entries"] as Guest["entries"]
      assert.deepStrictEqual(
        entries.map(({ order_id }) => order_id),
        ["o-eva"]
      )
      assert.include(String((yield* ledger(east, ".csv")).body["text"]), "o-eva")
      for (const asked of [look(west, "member_id=eve"), ledger(west), ledger(west, ".csv")])
        assert.strictEqual((yield* asked).status, 404)
      // Others see the former guest itself.
      assert.deepStrictEqual((yield* ledger(yield* limitedTo({}))).body["entries"], [])
    })
  )

  it.effect("gets points from a limited caller at one of its restaurants alone", () =>
    Effect.gen(function* () {
      const east = yield* limitedTo({ location_ids: ["east"] })
      const both = yield* limitedTo({ location_ids: ["east", "south"] })
      const given = yield* adjust(east, "a-1")
      assert.strictEqual(given.status, 201, JSON.stringify(given.body))
      assert.strictEqual((given.body["entry"] as Record<string, unknown>)["location_id"], "east")
      assert.deepStrictEqual(yield* said(adjust(east, "a-2", { location_id: "west" })), [403, "/location_id"])
      assert.deepStrictEqual(yield* said(adjust(both, "a-3")), [422, "/location_id"])
      assert.deepStrictEqual(yield* said(adjust(both, "a-4", { location_id: "south" })), [201, undefined])
      const south = yield* limitedTo({ location_ids: ["south2"] })
      assert.deepStrictEqual(yield* said(adjust(south, "a-5")), [404, undefined])
      assert.deepStrictEqual(yield* said(adjust(south, "a-5", { known_by: "card-ad" })), [404, undefined])
      assert.deepStrictEqual(yield* said(adjust(south, "a-5", { known_by: "card-ada" })), [201, undefined])
      const chain = yield* limitedTo({})
      const ofChain = yield* adjust(chain, "a-6", { location_id: "west" })
      assert.strictEqual((ofChain.body["entry"] as Record<string, unknown>)["location_id"], "west")
    })
  )
})
