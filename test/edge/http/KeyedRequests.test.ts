/**
 * contract/idempotency.md *Keys in a header*: `Idempotency-Key` is taken on every POST and PUT of the operators' and
 * the platform's surfaces.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { openApi } from "../../../src/contract/OpenApi.ts"
import { campaignsPath } from "../../../src/contract/platform/Campaigns.ts"
import { deleteSegmentPath, previewPath, segmentsPath } from "../../../src/contract/platform/Segments.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as Bounds from "../../../src/desk/surface/Bounds.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const server = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer)
const layer = Layer.provideMerge(server, TestDatabase.layer)

const put = (path: string, body: object) => TestServer.send(path, { program_id, ...body }, { method: "PUT" })
const keyed = (path: string, key: string, body: object) =>
  TestServer.send(path, body, { headers: { "idempotency-key": key } })
const segment = (key: string, segment_id: string) =>
  TestServer.send(
    segmentsPath,
    { program_id, segment_id, name: "all", rules: { status: ["active"] } },
    { method: "PUT", headers: { "idempotency-key": key } }
  )
const isReplay = ({ headers }: TestServer.Response) => headers.get("idempotent-replayed") === "true"

const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

/**
 * Keeps changes of a table from ending until `release`. `began` sends a request and returns when its statement waits;
 * `kill` ends the connections of waiting statements.
 */
const blocked = Effect.fnUntraced(function* (table: string) {
  const { clientConfig } = yield* Database
  const holder = yield* PgConnection.make(clientConfig)
  // A transaction sees one moment of pg_stat_activity, so that another connection looks.
  const watcher = yield* PgConnection.make(clientConfig)
  yield* holder.query("BEGIN", [], false)
  yield* holder.query(`LOCK TABLE ${table} IN SHARE MODE`, [], false)
  const waits = watcher.query(`SELECT FROM ${waiting}`, [], false)
  return {
    began: Effect.fnUntraced(function* <A, R>(request: Effect.Effect<A, never, R>) {
      const fiber = yield* Effect.forkChild(request, { startImmediately: true })
      yield* Effect.repeat(waits, { until: ({ rows }) => rows.length > 0 || fiber.pollUnsafe() !== undefined })
      return fiber
    }),
    kill: watcher.query(`SELECT pg_terminate_backend(pid) FROM ${waiting}`, [], false),
    release: holder.query("COMMIT", [], false)
  }
})

it.layer(layer, { excludeTestServices: true })("a key of the header", (it) => {
  it.effect("answers the first result again, and refuses another body, also where the work commits by itself", () =>
    Effect.gen(function* () {
      yield* enroll("keyed")
      yield* put(segmentsPath, { segment_id: "keyed", name: "all", rules: { status: ["active"] } })
      yield* put(campaignsPath, { campaign_id: "keyed", name: "c", segment_id: "keyed", reward_id: "free-bowl" })
      const campaign_id = "keyed"
      const cases: ReadonlyArray<readonly [path: string, body: object, other: object]> = [
        [`${campaignsPath}/status`, { campaign_id, status: "active" }, { campaign_id, status: "draft" }],
        [`${campaignsPath}/run`, { campaign_id, run_key: "one" }, { campaign_id, run_key: "two" }],
        [previewPath, { segment_id: "keyed" }, { segment_id: "keyed", sample_size: 0 }]
      ]
      for (const [path, body, other] of cases) {
        const first = yield* keyed(path, "key-of-a-header", body)
        assert.deepStrictEqual([first.status, isReplay(first)], [200, false], JSON.stringify(first.body))
        const again = yield* keyed(path, "key-of-a-header", body)
        assert.deepStrictEqual([again.body, isReplay(again)], [first.body, true])
        const conflict = yield* keyed(path, "key-of-a-header", other)
        assert.deepStrictEqual([conflict.status, conflict.body["code"]], [409, "idempotency_conflict"])
      }
      const runs = yield* TestServer.send(`${campaignsPath}/runs?campaign_id=keyed`, undefined, { method: "GET" })
      assert.lengthOf(runs.body["runs"] as ReadonlyArray<unknown>, 1)
    })
  )

  it.effect("lets a deletion be sent again whose answer was lost, and takes no key for a refusal", () =>
    Effect.gen(function* () {
      const remove = keyed(deleteSegmentPath, "key-of-a-deletion", { segment_id: "removed" })
      assert.strictEqual((yield* remove).status, 404)
      yield* put(segmentsPath, { segment_id: "removed", name: "all", rules: { status: ["active"] } })
      const first = yield* remove
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual((yield* remove).body, first.body)
    })
  )

  it.effect("lets ten copies of a slow request wait without a connection, and answers the first result to each", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slow = yield* blocked("segments")
        const first = yield* slow.began(segment("key-of-slow", "slow"))
        const copies = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Effect.forkChild(segment("key-of-slow", "slow"), { startImmediately: true })
        )
        const list = TestServer.send(`${segmentsPath}?program_id=${program_id}`, undefined, { method: "GET" })
        for (const { status } of yield* Effect.replicateEffect(list, 5)) assert.strictEqual(status, 200)
        yield* slow.release
        const { body, status } = yield* Fiber.join(first)
        assert.strictEqual(status, 200)
        for (const copy of yield* Effect.forEach(copies, Fiber.join))
          assert.deepStrictEqual([copy.status, copy.body, isReplay(copy)], [200, body, true])
      })
    )
  )

  it.effect("refuses copies beyond those that may wait, and does nothing for them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slow = yield* blocked("segments")
        const first = yield* slow.began(segment("key-of-many", "many"))
        const surplus = 5
        let refused = 0
        const allRefused = yield* Latch.make()
        const copy = Effect.tap(segment("key-of-many", "many"), ({ body }) => {
          if (body["code"] !== "overloaded") return Effect.void
          return ++refused === surplus ? allRefused.open : Effect.void
        })
        const copies = yield* Effect.forEach(Array.from({ length: Bounds.sameKey - 1 + surplus }), () =>
          Effect.forkChild(copy, { startImmediately: true })
        )
        yield* allRefused.await
        yield* slow.release
        assert.strictEqual((yield* Fiber.join(first)).status, 200)
        const statuses = (yield* Effect.forEach(copies, Fiber.join)).map(({ status }) => status)
        assert.lengthOf(
          statuses.filter((status) => status === 503),
          surplus
        )
        assert.lengthOf(
          statuses.filter((status) => status === 200),
          Bounds.sameKey - 1
        )
      })
    )
  )

  it.effect("holds no connection while the journal is slow", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* enroll("journaled")
        const credit = (n: number) => ({
          path: `/admin/api/v1/members/${program_id}/journaled/adjustments`,
          method: "POST",
          body: {
            adjustment_id: `slow-${n}`,
            amount: 1,
            classification: "gift",
            reason: "test",
            qualifies_for_tier: false
          }
        })
        const upsert = (n: number) => ({
          path: "/platform/v1/members",
          method: "PUT",
          body: { program_id, member_id: `slow-${n}` }
        })
        for (const requestOf of [credit, upsert]) {
          const slow = yield* blocked("journal")
          const sent = (n: number) => {
            const { body, method, path } = requestOf(n)
            const authorization = path.startsWith("/admin") ? "Bearer proto-dev-admin-key" : "Bearer proto-dev-token"
            return TestServer.send(path, body, {
              method,
              headers: { authorization, "idempotency-key": `slow-key-${n}` }
            })
          }
          const first = yield* slow.began(sent(0))
          const others = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (n) =>
            Effect.forkChild(sent(n), { startImmediately: true })
          )
          const list = TestServer.send(`${segmentsPath}?program_id=${program_id}`, undefined, { method: "GET" })
          for (const { status } of yield* Effect.replicateEffect(list, 5)) assert.strictEqual(status, 200)
          yield* slow.release
          for (const { body, status } of yield* Effect.forEach([first, ...others], Fiber.join))
            assert.include([200, 201], status, JSON.stringify(body))
        }
      })
    )
  )

  it.effect("makes copies wait that another process got, without a connection of that one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const other = yield* Layer.build(Layer.fresh(server))
        const slow = yield* blocked("segments")
        const first = yield* slow.began(segment("key-of-two", "two"))
        const copies = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Effect.forkChild(Effect.provideContext(segment("key-of-two", "two"), other), { startImmediately: true })
        )
        const list = TestServer.send(`${segmentsPath}?program_id=${program_id}`, undefined, { method: "GET" })
        for (const { status } of yield* Effect.replicateEffect(Effect.provideContext(list, other), 5))
          assert.strictEqual(status, 200)
        yield* slow.release
        const { body } = yield* Fiber.join(first)
        for (const copy of yield* Effect.forEach(copies, Fiber.join))
          assert.deepStrictEqual([copy.status, copy.body, isReplay(copy)], [200, body, true])
      })
    )
  )

  it.effect("runs a copy if the first request died without a result", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const other = yield* Layer.build(Layer.fresh(server))
        const slow = yield* blocked("segments")
        const first = yield* slow.began(segment("key-of-dead", "dead"))
        const copy = yield* Effect.forkChild(Effect.provideContext(segment("key-of-dead", "dead"), other), {
          startImmediately: true
        })
        yield* slow.kill
        assert.strictEqual((yield* Fiber.join(first)).status, 503)
        yield* slow.release
        const ran = yield* Fiber.join(copy)
        assert.deepStrictEqual([ran.status, isReplay(ran)], [200, false])
      })
    )
  )

  it("is described on every such route, save where bodies have keys of their own", () => {
    const { paths } = openApi() as {
      readonly paths: Record<string, Record<string, { operationId: string; parameters?: Array<{ name: string }> }>>
    }
    const without = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) =>
        /^\/(admin|platform)\//.test(path) &&
        method !== "get" &&
        !parameters.some(({ name }) => name === "Idempotency-Key")
          ? [operationId]
          : []
      )
    )
    assert.sameMembers(without, [
      "session.create",
      "session.end",
      "event.record",
      "order.keep",
      "order.adjust_kept",
      "order.claim",
      // A challenge that is used once, or the session's cookie.
      "session.provider",
      "session.provider_finish",
      "session.passkey_options",
      "session.passkey",
      "invitation.show",
      "invitation.accept",
      "staff.end_own_sessions",
      "staff.language",
      "passkey.options",
      "passkey.add",
      "passkey.rename",
      "passkey.remove"
    ])
  })
})
