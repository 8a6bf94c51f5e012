/** `GET /metrics`: what a node counts, and for whom. `MetricsServed` has the names of the guide. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { commit } from "../../../src/base/metrics/Build.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { ask, bearer, readToken, start, token } from "./TestServer.ts"

const rollups = Layer.mergeAll(RollupReads.layer, Rollups.layerWorker).pipe(
  Layer.provide(Rollups.layer),
  Layer.provide(RollupStore.layer),
  Layer.provide(PgFeed.layer),
  Layer.provide(Programs.layerFrom([Testing.demoProgram]))
)
/** Metrics of this service alone: other tests of the process have services too. */
const registry = Layer.sync(Metric.MetricRegistry, () => new Map())
const service = Layer.mergeAll(TestServer.layer(PgJournal.layer, [], undefined, undefined, Pools.layer), rollups).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(registry)
)

const served = Effect.map(TestServer.send("/metrics", undefined, { method: "GET" }), ({ body, headers, status }) => {
  assert.strictEqual(status, 200)
  assert.strictEqual(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  return String(body["text"])
})

layer(service, { excludeTestServices: true })("a node", (it) => {
  it.effect("counts requests, accounts, groups and statements", () =>
    Effect.gen(function* () {
      const identity = { type: "loyalty_id", value: "card-1" }
      const program_id = "demo-foodservice"
      const enrolled = yield* TestServer.send("/proto/v1/members/enroll", {
        context: Testing.context(),
        program_id,
        member_id: "guest-1",
        identity
      })
      assert.strictEqual(enrolled.status, 201, JSON.stringify(enrolled.body))
      const unknown = { context: Testing.context(), program_id, member_id: "nobody" }
      assert.strictEqual((yield* TestServer.send("/proto/v1/accounts/get", unknown)).status, 404)
      // Reads of the node about itself may be in flight at an instant.
      const atRest = 'lotbook_postgres_statements_in_flight{pool="reads"} 0'
      const lines = (yield* Effect.repeat(served, { until: (text) => text.includes(atRest) })).split("\n")
      for (const line of [
        'lotbook_http_request_duration_seconds_count{operation="member.enroll",status="201",code=""} 1',
        'lotbook_http_request_duration_seconds_count{operation="account.get",status="404",code="not_found"} 1',
        'lotbook_journal_group_records_bucket{le="1"} 1',
        "lotbook_journal_commit_duration_seconds_count 1",
        "lotbook_journal_pending_records 0",
        "lotbook_accounts_resident 1",
        "lotbook_accounts_waiting_requests 0",
        'lotbook_event_loop_delay_seconds{quantile="0.99"} 0',
        "lotbook_event_loop_delay_seconds_count 0",
        "lotbook_node_joined 1",
        "lotbook_node_confirmed 1",
        "lotbook_write_frozen 0",
        `lotbook_info{version="${softwareVersion}",commit="${commit()}",environment="live"} 1`
      ]) {
        assert.include(lines, line)
      }
      const reads = lines.find((line) =>
        line.startsWith('lotbook_postgres_statement_duration_seconds_count{pool="reads"}')
      )
      assert.isAbove(Number(reads?.split(" ").at(-1)), 0)
    })
  )

  it("asks for the scope metrics:read, and answers before it is a node, too", async () => {
    const server = await start()
    try {
      const get = (of?: string) =>
        ask(server.port, { path: "/metrics", ...(of === undefined ? {} : { headers: bearer(of) }) })
      assert.strictEqual((await get()).status, 401)
      assert.strictEqual((await get(readToken)).status, 403)
      server.standing = { role: "joining", isCurrent: false }
      const answered = await get(token)
      assert.strictEqual(answered.status, 200)
      assert.match(answered.body, /^lotbook_node_joined 0$/m)
    } finally {
      await server.stop()
    }
  })
})
