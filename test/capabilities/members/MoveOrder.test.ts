/** contract/operators.md *Moving an order*: the route, over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { balanceOf, credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { AuditList } from "../../../src/contract/admin/Audit.ts"
import { auditPath } from "../../../src/contract/admin/Audit.ts"
import * as Members from "../../../src/contract/admin/Members.ts"
import type { OrderMoved } from "../../../src/contract/admin/MoveOrder.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { verify } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const root = { authorization: "Bearer proto-dev-admin-key" }
const events = EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
const layer = Layer.provideMerge(
  TestServer.layerFor(
    PgJournal.layer,
    Programs.layerFrom([Testing.demoProgram]),
    Pools.layer,
    [],
    undefined,
    undefined,
    events
  ),
  TestDatabase.layer
)

const move = (member: string, order: string, payload: object, headers: Readonly<Record<string, string>> = {}) =>
  TestServer.send(
    `${Members.pathOf(program_id, member)}/orders/${encodeURIComponent(order)}/move`,
    { reason: "wrong card", ...payload },
    { headers: { ...root, ...headers } }
  )
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const moved = Effect.map(({ body }: TestServer.Response) => body as unknown as OrderMoved)
const amountsOf = ({ from, to }: OrderMoved) =>
  [from, to].map(({ balances, member_id }) => [member_id, balances[0]?.amount])
const now = (...members: ReadonlyArray<string>) =>
  Effect.forEach(members, (member) => Effect.map(balanceOf(member), ({ amount }) => [member, amount]))

it.layer(layer, { excludeTestServices: true })("the route that moves an order", (it) => {
  it.effect("answers with both members; a dry run says the same before, and changes nothing", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* earn("ada", "table 5/1", 3_000)
      yield* credit("ada", 20)
      yield* credit("ben", -50)
      const { dry_run, ...foreseen } = yield* moved(move("ada", "table 5/1", { to: "ben", dry_run: true }))
      assert.isTrue(dry_run)
      assert.deepStrictEqual(foreseen.points, [{ unit: "points", taken: -300, given: 300 }])
      assert.deepStrictEqual(yield* now("ada", "ben"), [
        ["ada", 320],
        ["ben", -50]
      ])
      const done = yield* moved(move("ada", "table 5/1", { to: "ben" }))
      assert.deepStrictEqual([done.points, amountsOf(done)], [foreseen.points, amountsOf(foreseen)])
      assert.deepStrictEqual(yield* now("ada", "ben"), amountsOf(done))
      const [taken] = yield* ledgerOf("ada")
      assert.deepInclude(taken, { operation: "adjustment", amount: -300, order_id: "table 5/1", reason: "wrong card" })
      const given = (yield* ledgerOf("ben")).find(({ operation }) => operation === "accrual")
      assert.deepInclude(given, { amount: 300, order_id: "table 5/1", location_id: "location-1" })
      assert.deepStrictEqual(
        (yield* verify()).found.filter(({ table }) => !table.includes("rollup")),
        []
      )
    })
  )

  it.effect("is refused with the codes of the contract", () =>
    Effect.gen(function* () {
      for (const member of ["cem", "dee"]) yield* enroll(member)
      yield* earn("cem", "cem-1", 3_000)
      assert.deepStrictEqual(yield* said(move("cem", "cem-1", { to: "cem" })), [422, "validation_failed"])
      assert.deepStrictEqual(yield* said(move("cem", "cem-1", { to: "nobody" })), [404, "not_found"])
      assert.deepStrictEqual(yield* said(move("nobody", "cem-1", { to: "dee" })), [404, "not_found"])
      assert.deepStrictEqual(yield* said(move("dee", "cem-1", { to: "cem" })), [404, "not_found"])
      assert.deepStrictEqual(yield* said(move("cem", "cem-1", { to: "dee" })), [200, undefined])
      assert.deepStrictEqual(yield* said(move("cem", "cem-1", { to: "dee" })), [409, "invalid_state"])
    })
  )

  it.effect("with a key it happens once, and the retry gets the same answer", () =>
    Effect.gen(function* () {
      for (const member of ["eve", "fay"]) yield* enroll(member)
      yield* earn("eve", "eve-1", 3_000)
      const key = { "idempotency-key": "move-of-eve-1" }
      const first = yield* move("eve", "eve-1", { to: "fay" }, key)
      const again = yield* move("eve", "eve-1", { to: "fay" }, key)
      assert.deepStrictEqual([again.status, again.body], [first.status, first.body])
      assert.deepStrictEqual(yield* said(move("eve", "eve-1", { to: "ada" }, key)), [409, "idempotency_conflict"])
      assert.deepStrictEqual(yield* now("eve", "fay"), [
        ["eve", 0],
        ["fay", 300]
      ])
    })
  )

  it.effect("while writes are frozen only a dry run is served", () =>
    Effect.gen(function* () {
      for (const member of ["gil", "hal"]) yield* enroll(member)
      yield* earn("gil", "gil-1", 3_000)
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      const frozen = yield* said(move("gil", "gil-1", { to: "hal" }))
      const dry = yield* said(move("gil", "gil-1", { to: "hal", dry_run: true }))
      yield* freeze.set(false)
      assert.deepStrictEqual(
        [frozen, dry],
        [
          [503, "write_frozen"],
          [200, undefined]
        ]
      )
    })
  )

  it.effect("is in the audit of both, and in the feed: adjusted on one, accrued on the other", () =>
    Effect.gen(function* () {
      for (const member of ["ida", "jo"]) yield* enroll(member)
      yield* earn("ida", "ida-1", 3_000)
      const part = { amount: -1_000, currency: "USD" }
      const refunded = yield* TestServer.send("/proto/v1/orders/adjust", {
        context: Testing.context(),
        program_id,
        member_id: "ida",
        adjustment: {
          adjustment_id: "ida-refund",
          original_order_id: "ida-1",
          type: "partial_refund",
          reason: "cold",
          occurred_at: "2026-07-14T10:00:00Z",
          order_total_delta: part,
          eligible_spend_delta: part
        }
      })
      assert.strictEqual(refunded.status, 201)
      yield* move("ida", "ida-1", { to: "jo" })
      for (const member of ["ida", "jo"]) {
        const { body } = yield* TestServer.send(`${auditPath}?subject=${member}`, undefined, {
          method: "GET",
          headers: root
        })
        const [entry] = (body as unknown as typeof AuditList.Type).entries
        assert.deepInclude(entry, { action: "order.move", reason: "wrong card", program_id })
        assert.deepStrictEqual(entry?.changes, {
          before: { order_id: "ida-1", member_id: "ida" },
          after: { order_id: "ida-1", member_id: "jo" }
        })
      }
      // Other tests' transactions may hold it back for a moment.
      const told = yield* Effect.repeat(
        TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, {
          method: "GET",
          headers: { authorization: "Bearer proto-dev-token" }
        }),
        { until: ({ body }) => body["lag_seconds"] === 0 }
      )
      const all = (
        told.body["events"] as ReadonlyArray<{ type: string; subject: string; data: Record<string, unknown> }>
      )
        .filter(({ data }) => data["order_id"] === "ida-1")
        .map(({ data, subject, type }) => [
          type,
          subject,
          data["type"] ?? data["eligible_spend"],
          data["moved"] ?? false
        ])
      assert.deepStrictEqual(all, [
        ["proto.order.accrued.v1", "ida", { amount: 3_000, currency: "USD" }, false],
        ["proto.order.adjusted.v1", "ida", "partial_refund", false],
        ["proto.order.adjusted.v1", "ida", "void", false],
        ["proto.order.accrued.v1", "jo", { amount: 2_000, currency: "USD" }, true]
      ])
    })
  )
})
