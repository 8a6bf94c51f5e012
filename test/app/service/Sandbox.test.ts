/**
 * contract/databases.md *Sandbox clock*, over real HTTP: the sandbox's clock stands still, and moves only when told.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Environment from "../../../src/base/database/Environment.ts"
import type { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { operations } from "../../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { OnTheWay } from "../../../src/core/expiry/Sandbox.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Keys } from "../../../src/desk/access/Keys.ts"
import * as Absent from "../../desk/surface/Absent.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "./TestServer.ts"

const program_id = "demo-foodservice"
const member_id = "ada"
const start = Date.UTC(2026, 6, 14, 10)
const day = 86_400_000

const admin = { headers: { authorization: "Bearer proto-dev-admin-key" } }
const move = (body: unknown) => TestServer.send("/admin/api/v1/clock", body, admin)
const look = TestServer.send("/admin/api/v1/clock", undefined, { ...admin, method: "GET" })

const call = <Id extends OperationId>(
  id: Id,
  request: RequestOf<Id>
): Effect.Effect<ResponseOf<Id>, never, HttpServer.HttpServer> =>
  Effect.map(TestServer.send(operations[id].path, request), ({ body, status }) => {
    assert.isBelow(status, 300, JSON.stringify(body))
    return body as never
  })

const enroll = call("member.enroll", {
  context: Testing.context(),
  program_id,
  identity: { type: "loyalty_id", value: "card-1", issuer: "x" },
  member_id
})
const credit = (adjustment_id: string, amount: number, expires: number) =>
  call("ledger.manual_adjustment", {
    context: Testing.context(),
    member_id,
    program_id,
    adjustment_id,
    amount,
    classification: "gift",
    reason: "test",
    qualifies_for_tier: false,
    expires_at: fromMillis(expires)
  })
const ledger = Effect.map(
  call("ledger.list", { context: Testing.context(), member_id, program_id }),
  ({ entries }) => entries
)

const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const serverAt = <E, R>(
  at: number,
  journal: Layer.Layer<Journal, E, R>,
  database: Layer.Layer<PeoplePool | WorkPool>
) => TestServer.layer(journal, [], at, [Testing.demoProgram], database)
const served = (database = Absent.layer) => Effect.provide(serverAt(start, memory, database))
const sandbox = served()

describe("the sandbox's clock", () => {
  it.live("stands still, and is what everything is dated by", () =>
    Effect.gen(function* () {
      yield* enroll
      yield* credit("gift", 10, start + day)
      assert.deepStrictEqual((yield* look).body, { now: fromMillis(start), sandbox: true })
      const [entry] = yield* ledger
      assert.strictEqual(entry?.occurred_at, fromMillis(start))
    }).pipe(sandbox)
  )

  it.live("everything due is posted before the answer to a move, at its own instant and in that order", () =>
    Effect.gen(function* () {
      yield* enroll
      for (const [index, days] of [3, 1, 2, 40].entries()) yield* credit(`gift-${index}`, days, start + days * day)
      assert.deepStrictEqual((yield* move({ advance: "P30D" })).body, {
        now: fromMillis(start + 30 * day),
        sandbox: true
      })
      const expired = (yield* ledger).filter((entry) => entry.operation === "expiration")
      assert.deepStrictEqual(
        expired.map((entry) => [entry.amount, entry.occurred_at]),
        [3, 2, 1].map((days) => [-days, fromMillis(start + days * day)])
      )
    }).pipe(sandbox)
  )

  it.live("moves by calendar months, and to a set time", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* move({ set: "2028-01-31T12:00:00+02:00" })).body["now"], "2028-01-31T10:00:00.000Z")
      assert.strictEqual((yield* move({ advance: "P1M" })).body["now"], "2028-02-29T10:00:00.000Z")
      assert.strictEqual((yield* move({ advance: "P1Y1W2DT3H4M5.678S" })).body["now"], "2029-03-09T13:04:05.678Z")
      assert.strictEqual((yield* move({ set: "2029-03-09T13:04:05.678Z" })).status, 200)
    }).pipe(sandbox)
  )

  it.live("never goes back, nor beyond what a timestamp can write", () =>
    Effect.gen(function* () {
      for (const body of [{ set: "2026-07-14T09:59:59Z" }, { advance: "P9000Y" }]) {
        const refused = yield* move(body)
        assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"])
      }
      assert.strictEqual((yield* look).body["now"], fromMillis(start))
    }).pipe(sandbox)
  )

  it.live("refuses what is no move, and names the place", () =>
    Effect.gen(function* () {
      const both = { advance: "P1D", set: "2027-01-01T00:00:00Z" }
      for (const [body, place] of [
        [{}, ""],
        [both, ""],
        [{ advance: "30 days" }, "/advance"],
        [{ advance: "P" }, "/advance"],
        [{ advance: "P1DT" }, "/advance"],
        [{ advance: "-P1D" }, "/advance"],
        [{ set: "tomorrow" }, "/set"],
        [{ advance: "P1D", by: 1 }, "/by"]
      ] as const) {
        const refused = yield* move(body)
        assert.strictEqual(refused.status, 422, JSON.stringify(body))
        const [fault] = refused.body["errors"] as ReadonlyArray<{ readonly path: string }>
        assert.strictEqual(fault?.path, place)
      }
      assert.strictEqual((yield* look).body["now"], fromMillis(start))
    }).pipe(sandbox)
  )

  it.live("each move has its entry of the audit; a refused one has none", () => {
    const entries: Array<string> = []
    return Effect.gen(function* () {
      yield* move({ advance: "P1D" })
      yield* move({ set: fromMillis(start) })
      yield* move({ advance: "P9000Y" })
      assert.strictEqual(entries.length, 1)
      for (const part of ["clock.move", "installation", fromMillis(start), fromMillis(start + day)])
        assert.include(entries[0], part)
    }).pipe(served(Absent.auditing(entries)))
  })

  it.live("does not move if its entry of the audit cannot be written", () =>
    Effect.gen(function* () {
      const refused = yield* move({ advance: "P1D" })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [503, "storage_unavailable"])
      assert.strictEqual((yield* look).body["now"], fromMillis(start))
    }).pipe(served(Absent.unreachable))
  )

  it.live("moves for operators only", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* TestServer.send("/admin/api/v1/clock", { advance: "P1D" })).status, 403)
      assert.strictEqual((yield* look).body["now"], fromMillis(start))
    }).pipe(sandbox)
  )

  it.live("every move succeeds while 64 callers write, and what is due is posted by its answer", () =>
    Effect.gen(function* () {
      yield* enroll
      let goesOn = true
      let credits = 0
      const writes = Effect.gen(function* () {
        while (goesOn) {
          // Due within the next moves, on the one account that all of them write to.
          yield* credit(`gift-${++credits}`, 1, Date.parse(String((yield* look).body["now"])) + 5 * day + credits)
        }
      })
      const callers = yield* Effect.forEach(Array.from({ length: 64 }), () => Effect.forkChild(writes))
      for (let moves = 1; moves <= 50; moves++) {
        const moved = yield* move({ advance: "P1D" })
        assert.deepStrictEqual([moved.status, moved.body["now"]], [200, fromMillis(start + moves * day)])
      }
      goesOn = false
      yield* Effect.forEach(callers, Fiber.join)
      yield* move({ advance: "P1Y" })
      const { records } = yield* Journal
      const posted = (yield* records(1, 1, 100_000)).flatMap(({ events }) => JSON.parse(events))
      const due = posted.flatMap((event) => (event.op === "manual" ? [event.expires] : []))
      const expired = posted.flatMap((event) => (event.op === "expiration" ? [event.at] : []))
      assert.isAbove(credits, 50)
      assert.deepStrictEqual(
        expired,
        due.sort((a, b) => a - b)
      )
    }).pipe(sandbox)
  )

  it.live("Freeze: moves while frozen; what falls due shows at once, and is posted once writes go on", () =>
    Effect.gen(function* () {
      const maintain = (write_frozen: boolean) => TestServer.send("/admin/api/v1/maintenance", { write_frozen }, admin)
      const expired = Effect.map(ledger, (entries) => entries.filter((entry) => entry.operation === "expiration"))
      yield* enroll
      for (const days of [1, 2, 40]) yield* credit(`gift-${days}`, days, start + days * day)
      yield* maintain(true)
      for (const days of [1, 2, 30]) {
        assert.deepStrictEqual((yield* move({ set: fromMillis(start + days * day) })).status, 200)
      }
      assert.deepStrictEqual(yield* expired, [])
      const { balances } = yield* call("account.get", { context: Testing.context(), member_id, program_id })
      assert.deepInclude(balances[0], { amount: 40, as_of: fromMillis(start + 30 * day) })
      yield* maintain(false)
      const posted = yield* Effect.repeat(Effect.andThen(Effect.sleep(10), expired), {
        until: (entries) => entries.length > 0
      })
      assert.deepStrictEqual(
        posted.map((entry) => [entry.amount, entry.occurred_at]),
        [2, 1].map((days) => [-days, fromMillis(start + days * day)])
      )
    }).pipe(sandbox)
  )

  it.live("Freeze: each move is stored: a restart goes on where the clock stood, whatever --sandbox-clock says", () =>
    Effect.gen(function* () {
      yield* Environment.settle("sandbox", start + 9 * day)
      assert.strictEqual(yield* Environment.sandboxNow, start + 9 * day)
      const service = TestServer.layer(PgJournal.layer, [], start + 9 * day, [Testing.demoProgram], Pools.layer)
      yield* Effect.provide(move({ advance: "P2D" }), service)
      // Read without a heartbeat or a stop in between: a killed service loses no move either.
      assert.strictEqual(yield* Environment.sandboxNow, start + 11 * day)
      for (const other of [start, start + 400 * day]) {
        yield* Environment.settle("sandbox", other)
        assert.strictEqual(yield* Environment.sandboxNow, start + 11 * day)
      }
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.effect("moves once for one key, whatever its runs do on the way and whether their database answers", () =>
    Effect.gen(function* () {
      yield* Environment.settle("sandbox", start)
      let isPosted = true
      // Campaigns' runs use a pool of their own.
      const runs = Layer.effect(
        OnTheWay,
        Effect.map(WorkPool, ({ query }) => ({
          postDue: Effect.suspend(() =>
            isPosted
              ? Effect.orDie(Effect.as(query("SELECT 1"), "done" as const))
              : Effect.succeed("unavailable" as const)
          ),
          next: Effect.undefined
        }))
      ).pipe(Layer.provide(Pools.layer))
      const service = TestServer.layer(PgJournal.layer, [], start, [Testing.demoProgram], Pools.layer)
      const advance = (key: string) =>
        TestServer.send(
          "/admin/api/v1/clock",
          { advance: "P1D" },
          { headers: { ...admin.headers, "idempotency-key": key } }
        )
      yield* Effect.gen(function* () {
        const moved = { now: fromMillis(start + day), sandbox: true }
        const first = yield* advance("advance-1")
        assert.deepStrictEqual([first.status, first.body], [200, moved])
        assert.deepStrictEqual((yield* advance("advance-1")).body, moved)
        isPosted = false
        assert.strictEqual((yield* advance("advance-2")).body["code"], "storage_unavailable")
        isPosted = true
        const again = yield* advance("advance-2")
        assert.deepStrictEqual([again.status, again.body["now"]], [200, fromMillis(start + 2 * day)])
        assert.deepStrictEqual((yield* look).body, again.body)
        assert.strictEqual(yield* Environment.sandboxNow, start + 2 * day)
      }).pipe(Effect.provide(Layer.provide(service, runs)))
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.effect("leaves sessions, tokens and wrong keys to the machine's time (contract/operators.md *Machine time*)", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      assert.strictEqual(keys.now(), 0)
      yield* move({ advance: "P1D" })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* look).body["now"], fromMillis(start + day))
      assert.strictEqual(keys.now(), 60_000)
    }).pipe(sandbox)
  )

  it.live("is not there on the real clock, and says how to have one", () =>
    Effect.gen(function* () {
      const refused = yield* move({ advance: "P1D" })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [404, "not_found"])
      assert.include(String(refused.body["detail"]), "--sandbox-clock")
      assert.strictEqual((yield* look).status, 404)
    }).pipe(Effect.provide(TestServer.layer(memory)))
  )

  it.live("started again on the same data, it stands at the later of the flag and the newest entry", () =>
    Effect.gen(function* () {
      const { tables, write } = yield* MemoryJournal.MemoryStorage
      const storage = Layer.succeed(MemoryJournal.MemoryStorage, { tables, write })
      const startedAt = <A, E>(at: number, run: Effect.Effect<A, E, HttpServer.HttpServer>) =>
        Effect.scoped(
          Effect.provide(run, serverAt(at, MemoryJournal.layer.pipe(Layer.provide(storage)), Absent.layer), {
            local: true
          })
        )
      yield* startedAt(start, Effect.andThen(enroll, move({ advance: "P2D" })))
      yield* startedAt(start + day, Effect.andThen(move({ advance: "P4D" }), credit("gift", 1, start + 90 * day)))
      const now = Effect.map(look, ({ body }) => body["now"])
      assert.strictEqual(yield* startedAt(start, now), fromMillis(start + 5 * day))
      assert.strictEqual(yield* startedAt(start + 7 * day, now), fromMillis(start + 7 * day))
    }).pipe(Effect.provide(MemoryJournal.MemoryStorage.layer))
  )
})
