/** contract/orders.md *Orders without a guest*, over HTTP: who may keep, adjust and claim. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"

const program_id = Testing.demoProgram.id
const tokens = [
  { token_sha256: hash("sha256", "till"), scopes: ["protocol:write"] as const, programs: [program_id] },
  { token_sha256: hash("sha256", "marketing"), scopes: ["platform:write", "points:give"] as const },
  { token_sha256: hash("sha256", "desk"), scopes: ["protocol:write", "points:give"] as const }
]
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: "off", claims: undefined }]
const server = TestServer.layer(PgJournal.layer, tokens, undefined, programs, Pools.layer)

const send = (token: string, path: string, body: object) =>
  TestServer.send(`/platform/v1/orders${path}`, body, {
    method: path === "" ? "PUT" : "POST",
    headers: { authorization: `Bearer ${token}` }
  })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const order = (id: string, more: object = {}) => ({ ...Testing.order(id, 1_000, Testing.placedNow), ...more })

it.layer(Layer.provideMerge(server, TestDatabase.layer), { excludeTestServices: true })(
  "orders without a guest",
  (it) => {
    it.effect("are kept, adjusted and claimed by tills; without the code by whoever may give points", () =>
      Effect.gen(function* () {
        yield* enroll("guest")
        const kept = yield* send("till", "", { program_id, order: order("route-1") })
        assert.strictEqual(kept.status, 201)
        assert.deepStrictEqual(Object.keys(kept.body), ["order_id", "claim_code", "claim_url", "expires_at"])
        // The order names the programme too.
        assert.strictEqual((yield* send("till", "", { order: order("route-1") })).status, 200)
        const adjustment = {
          adjustment_id: "route-1-a",
          original_order_id: "route-1",
          type: "partial_refund",
          reason: "test",
          occurred_at: Testing.placedNow.placed_at,
          order_total_delta: { amount: -200, currency: "USD" },
          eligible_spend_delta: { amount: -200, currency: "USD" }
        }
        const adjusted = yield* send("till", "/adjust", { program_id, adjustment })
        assert.deepStrictEqual(
          [adjusted.status, adjusted.body],
          [201, { order_id: "route-1", adjustment_id: "route-1-a", status: "kept" }]
        )
        const byId = { program_id, order_id: "route-1", member_id: "guest" }
        assert.deepStrictEqual(yield* said(send("till", "/claim", byId)), [403, "forbidden"])
        const claimed = yield* send("desk", "/claim", byId)
        assert.strictEqual(claimed.status, 201)
        assert.deepInclude(claimed.body["entry"], { order_id: "route-1", amount: 100, operation: "accrual" })
        assert.deepInclude((claimed.body["balances"] as ReadonlyArray<object>)[0], { amount: 80 })
        const byCode = { program_id, claim_code: kept.body["claim_code"], member_id: "guest" }
        assert.strictEqual((yield* send("till", "/claim", byCode)).status, 200)
        for (const body of [
          { ...byId, ...byCode },
          { program_id, member_id: "guest" }
        ])
          assert.deepStrictEqual(yield* said(send("till", "/claim", body)), [422, "validation_failed"])
      })
    )

    it.effect("are refused without protocol:write, of other programmes, and where they are not kept", () =>
      Effect.gen(function* () {
        const body = { program_id, order: order("route-2") }
        assert.deepStrictEqual(yield* said(send("marketing", "", body)), [403, "forbidden"])
        assert.deepStrictEqual(yield* said(send("proto-dev-admin-key", "", body)), [401, "unauthorized"])
        const off = { ...body.order, scope: { ...body.order.scope, program_id: "off" } }
        assert.deepStrictEqual(yield* said(send("till", "", { program_id: "off", order: off })), [403, "forbidden"])
        assert.deepStrictEqual(yield* said(send("desk", "", { program_id, order: off })), [422, "validation_failed"])
        assert.deepStrictEqual(yield* said(send("desk", "", { order: off })), [404, "claims_off"])
        assert.deepStrictEqual(
          yield* said(send("desk", "/claim", { program_id: "off", claim_code: "0".repeat(12), member_id: "guest" })),
          [404, "claims_off"]
        )
      })
    )

    it.effect("are where they have accrued, also if another restaurant keeps their id", () =>
      Effect.gen(function* () {
        yield* enroll("victim")
        const { secret } = yield* Operators.issue({ scopes: ["protocol:write"], location_ids: ["location-1"] })
        const own = order("next-1")
        assert.strictEqual((yield* send(secret, "", { order: own })).status, 201)
        const west = { ...own, scope: { ...own.scope, location_id: "west" } }
        const accrual = { context: Testing.context(), member_id: "victim", order: west }
        assert.strictEqual((yield* Testing.call("accrual.post", accrual))._tag, "Answer")
        const adjustment = {
          adjustment_id: "next-1-a",
          original_order_id: "next-1",
          type: "void",
          reason: "test",
          occurred_at: Testing.placedNow.placed_at,
          order_total_delta: { amount: -1_000, currency: "USD" },
          eligible_spend_delta: { amount: -1_000, currency: "USD" }
        }
        assert.deepStrictEqual(yield* said(send(secret, "/adjust", { program_id, adjustment })), [403, "forbidden"])
        assert.deepStrictEqual(yield* said(send(secret, "", { order: { ...own, status: "voided" } })), [
          403,
          "forbidden"
        ])
        // A refund that was kept with its own row never reaches the order that accrued elsewhere, even if somebody claims the row.
        yield* enroll("robber")
        const next = order("next-2")
        const kept = yield* send(secret, "", { order: next })
        const refund = { ...adjustment, adjustment_id: "next-2-a", original_order_id: "next-2", type: "partial_refund" }
        assert.strictEqual((yield* send(secret, "/adjust", { program_id, adjustment: refund })).status, 201)
        const there = { ...accrual, context: Testing.context(), order: { ...next, scope: west.scope } }
        assert.strictEqual((yield* Testing.call("accrual.post", there))._tag, "Answer")
        const before = yield* TestDatabase.query(
          "SELECT count(*)::int AS n, sum(amount)::int AS points FROM ledger_entries"
        )
        const claim = { program_id, claim_code: kept.body["claim_code"], member_id: "robber" }
        assert.deepStrictEqual(yield* said(send("till", "/claim", claim)), [409, "conflict"])
        assert.deepStrictEqual(
          yield* TestDatabase.query("SELECT count(*)::int AS n, sum(amount)::int AS points FROM ledger_entries"),
          before
        )
        const unknown = { ...adjustment, original_order_id: "next-none" }
        assert.deepStrictEqual(yield* said(send(secret, "/adjust", { program_id, adjustment: unknown })), [
          403,
          "forbidden"
        ])
      })
    )

    it.effect(
      "of one id are the first till's, where tills of two franchisees keep them at the same time (contract/people.md *Limited to restaurants*)",
      () =>
        Effect.gen(function* () {
          const till = (location: string) => Operators.issue({ scopes: ["protocol:write"], location_ids: [location] })
          const [east, west] = [yield* till("race-east"), yield* till("race-west")]
          for (let round = 0; round < 5; round++) {
            const keep = ({ secret }: Operators.Issued, location_id: string) => {
              const sent = order(`race-${round}`)
              return send(secret, "", { program_id, order: { ...sent, scope: { ...sent.scope, location_id } } })
            }
            const answers = yield* Effect.all([keep(east, "race-east"), keep(west, "race-west")], { concurrency: 2 })
            const [first, second] = answers.toSorted((one, other) => one.status - other.status)
            assert.deepStrictEqual([first?.status, second?.status, second?.body["code"]], [201, 403, "forbidden"])
            assert.notProperty(second?.body, "claim_code")
            const found = yield* TestDatabase.query(
              `SELECT body::json #>> '{scope,location_id}' AS place FROM kept_orders WHERE order_id = 'race-${round}'`
            )
            assert.deepStrictEqual(found, [{ place: answers[0]?.status === 201 ? "race-east" : "race-west" }])
          }
        })
    )

    it.effect(
      "accrue for no guest of a till of other restaurants, by their id (contract/people.md *Limited to restaurants*)",
      () =>
        Effect.gen(function* () {
          yield* enroll("taker")
          const till = (location: string) => Operators.issue({ scopes: ["protocol:write"], location_ids: [location] })
          const [north, south] = [yield* till("taken-north"), yield* till("taken-south")]
          const at = (location_id: string, id: string) => {
            const sent = order(id)
            return { ...sent, scope: { ...sent.scope, location_id } }
          }
          const accrue = ({ secret }: Operators.Issued, location: string, id: string) =>
            Effect.map(
              TestServer.send(
                "/proto/v1/accruals",
                { context: Testing.context(), member_id: "taker", order: at(location, id) },
                { headers: { authorization: `Bearer ${secret}` } }
              ),
              ({ body, status }) => {
                if (status === 403) assert.strictEqual(body["detail"], taken)
                return [status, ((body["errors"] ?? []) as ReadonlyArray<{ path: string }>)[0]?.path]
              }
            )
          const keep = ({ secret }: Operators.Issued, location: string, id: string, more: object = {}) =>
            send(secret, "", { order: { ...at(location, id), ...more } })
          assert.strictEqual((yield* keep(south, "taken-south", "taken-1")).status, 201)
          // The cause and what to do about it, without whose order it is.
          const taken =
            "An order of this id is at a restaurant that is not the caller's. Order ids must be unique in the programme: put the restaurant's id before them."
          const elsewhere = [403, "/order/order_id"]
          assert.deepStrictEqual(yield* accrue(north, "taken-north", "taken-1"), elsewhere)
          assert.deepStrictEqual(yield* accrue(south, "taken-south", "taken-1"), [201, undefined])
          assert.deepStrictEqual(yield* accrue(north, "taken-north", "taken-1"), elsewhere)
          assert.strictEqual((yield* keep(south, "taken-south", "taken-2")).status, 201)
          assert.strictEqual((yield* keep(south, "taken-south", "taken-2", { status: "voided" })).status, 200)
          assert.deepStrictEqual(yield* accrue(north, "taken-north", "taken-2"), elsewhere)
          // An id that accrued first is its till's, whose repetitions are replays; nobody else keeps it.
          assert.deepStrictEqual(yield* accrue(north, "taken-north", "taken-3"), [201, undefined])
          const refused = yield* keep(south, "taken-south", "taken-3")
          assert.deepStrictEqual([refused.status, refused.body["detail"]], [403, taken])
          assert.deepStrictEqual(yield* said(send("till", "", { order: at("taken-south", "taken-3") })), [
            409,
            "conflict"
          ])
          assert.deepStrictEqual(yield* accrue(north, "taken-north", "taken-3"), [200, undefined])
        })
    )

    it.effect(
      "of other restaurants are out of reach of a limited till (contract/people.md *Limited to restaurants*)",
      () =>
        Effect.gen(function* () {
          yield* enroll("roamer")
          const { secret } = yield* Operators.issue({ scopes: ["protocol:write"], location_ids: ["location-1"] })
          const own = order("reach-1")
          const west = { ...order("reach-2"), scope: { ...own.scope, location_id: "west" } }
          const kept = yield* send(secret, "", { order: own })
          assert.strictEqual(kept.status, 201)
          const faults = (asked: ReturnType<typeof send>) =>
            Effect.map(asked, ({ body, status }) => [
              status,
              ((body["errors"] ?? []) as ReadonlyArray<{ path: string }>)[0]?.path
            ])
          assert.deepStrictEqual(yield* faults(send(secret, "", { order: west })), [403, "/order/scope/location_id"])
          const elsewhere = yield* send("till", "", { order: west })
          // The neighbour's order by its id, as if it were hers.
          for (const status of ["paid", "voided"])
            assert.deepStrictEqual(yield* faults(send(secret, "", { order: { ...order("reach-2"), status } })), [
              403,
              "/order/order_id"
            ])
          const adjustment = {
            adjustment_id: "reach-2-a",
            original_order_id: "reach-2",
            type: "void",
            reason: "test",
            occurred_at: Testing.placedNow.placed_at,
            order_total_delta: { amount: -200, currency: "USD" },
            eligible_spend_delta: { amount: -200, currency: "USD" }
          }
          const adjust = () => faults(send(secret, "/adjust", { program_id, adjustment }))
          assert.deepStrictEqual(yield* adjust(), [403, "/adjustment/original_order_id"])
          const claim = (code: unknown) => ({ program_id, claim_code: code, member_id: "roamer" })
          assert.deepStrictEqual(yield* faults(send(secret, "/claim", claim(elsewhere.body["claim_code"]))), [
            403,
            "/claim_code"
          ])
          assert.strictEqual((yield* send("till", "/claim", claim(elsewhere.body["claim_code"]))).status, 201)
          assert.deepStrictEqual(yield* adjust(), [403, "/adjustment/original_order_id"])
          assert.strictEqual((yield* send(secret, "/claim", claim(kept.body["claim_code"]))).status, 201)
        })
    )

    it.effect("must be paid and must add up", () =>
      Effect.gen(function* () {
        const open = order("route-3", { status: "open" })
        assert.deepStrictEqual(yield* said(send("till", "", { order: open })), [409, "invalid_state"])
        const wrong = order("route-3")
        const totals = { ...wrong.totals, total: { amount: 1, currency: "USD" } }
        const refused = yield* send("till", "", { order: { ...wrong, totals } })
        assert.deepStrictEqual([refused.status, refused.body["code"]], [422, "invalid_order"])
      })
    )
  }
)
