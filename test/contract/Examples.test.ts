/** The examples of the document, sent over HTTP to a fresh demo. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import * as Demo from "../../src/app/demo/Demo.ts"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Pools from "../../src/base/database/Pools.ts"
import { PeoplePool } from "../../src/base/database/Pools.ts"
import * as Bounds from "../../src/capabilities/campaigns/Bounds.ts"
import { RecentRequests } from "../../src/capabilities/operators/RecentRequests.ts"
import * as Publishing from "../../src/capabilities/programs/Publishing.ts"
import { Senders } from "../../src/capabilities/webhooks/Sender.ts"
import { guestsPath } from "../../src/contract/guest/Endpoint.ts"
import { openApi } from "../../src/contract/OpenApi.ts"
import * as PgJournal from "../../src/core/journal/postgres/PgJournal.ts"
import * as ProgramStore from "../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import * as EventFeed from "../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../src/reads/finance/FinanceStore.ts"
import * as RollupReads from "../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as TestDatabase from "../TestDatabase.ts"

interface Exemplified {
  readonly examples?: { readonly demo: { readonly value: unknown } }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly examples?: { readonly demo: { readonly value: string | number } }
}

interface Described {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: { readonly "application/json": Exemplified } }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Exemplified>> }>>
}

const document = JSON.parse(JSON.stringify(openApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/** Method, path and operation, in the document's order. */
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
)

/** Operations that need an authenticator or a provider, or the session of somebody who has one (test/capabilities/staff). */
const byBrowser = [
  // Of a person who asks; and of one at the counter, whose orders would change the guest of the other examples.
  "ask.list",
  "ask.make",
  "ask.approve",
  "ask.decline",
  "handover.list",
  "handover.show",
  "handover.make",
  "handover.approve",
  "handover.decline",
  "receipt.add",
  "receipt.claim",
  "session.provider",
  "session.provider_finish",
  "session.passkey_options",
  "session.passkey",
  "invitation.show",
  "invitation.accept",
  "passkey.options",
  "passkey.add",
  "passkey.rename",
  "passkey.remove",
  "staff.own",
  "staff.language",
  "staff.own_sessions",
  "staff.end_own_sessions"
]

/** A stream of events has no end. Routes of one guest need a guest's cookie (test/capabilities/guests). */
const ending = described.filter(
  ({ operation: { operationId }, path }) =>
    ![...byBrowser, "feed.stream"].includes(operationId) && !path.startsWith(guestsPath)
)

/** Their examples show guests of earlier moves, and products that nodes have noted: the demo has none of them. */
const beyondDemo: ReadonlySet<string> = new Set(["moved_guest.list", "product.list", "category.list"])

/** Its answer is a page: a document shows the begin of it. */
const ofPage = "member_page.show"

/** Its answer is bytes: a document shows no example of them. */
const ofBytes = "finance.closing_file"

const movedGuests = ending.find(({ operation: { operationId } }) => operationId === "moved_guest.list")!

/** The status of a first success: 201 where there is one, and 200 for what was there already. */
const successOf = (responses: Described["responses"]): string =>
  Object.keys(responses)
    .filter((status) => status < "300")
    .at(-1) ?? ""

/** Operations that can be done once, and how each is refused when there is nothing to do. */
const once: Readonly<Record<string, string>> = {
  "staff.invite": "conflict",
  "staff.invite_again": "invalid_state",
  "finance.close": "invalid_state",
  "finance.show_closing": "not_found",
  "finance.closing_file": "not_found",
  "member.merge": "invalid_state",
  "member.move_order": "invalid_state",
  "member.cancel_reward": "not_found",
  "member_reward.show": "not_found",
  "connector.delete": "not_found",
  "connection.delete": "not_found",
  "campaign.delete": "not_found",
  "segment.archive": "not_found",
  "segment.delete": "not_found",
  "consent.list": "not_found",
  "challenge.list": "not_found",
  "campaign.list_given": "not_found",
  "customer_profile.erase": "not_found",
  "import_error.list": "not_found",
  "import.take_back": "not_found",
  // Need a kept order.
  "order.adjust_kept": "not_found",
  "order.claim": "not_found"
}

/** Of sessions the header `Idempotency-Key` is ignored; an event's own id is its key, and those of orders without a guest are. */
const unkeyed = ["session.create", "session.end", "event.record", "order.keep", "order.adjust_kept", "order.claim"]

const start = Date.UTC(2026, 6, 14, 10, 5)

/** The demo programme as a start publishes it. */
const published = Programs.layerFromRead(ProgramStore.inForce).pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)

/** Answer of the examples' receiver. */
const answering = Layer.succeed(Senders, () =>
  Effect.succeed({ post: () => Effect.succeed({ at: start, durationMs: 42, status: 200, body: "ok" }) })
)

const layer = (sandboxClock?: number) => {
  const reads = RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
  const events = EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
  return Layer.merge(Rollups.layer, Finance.layer).pipe(
    Layer.provideMerge(Layer.merge(RollupStore.layer, FinanceStore.layer)),
    Layer.provideMerge(PgFeed.layer),
    Layer.provideMerge(TestServer.layerFor(PgJournal.layer, published, Pools.layer, [], sandboxClock, reads, events)),
    Layer.provide(TestDatabase.layer),
    Layer.provide(answering)
  )
}

/** Whether the rollups count every record. A transaction of another test holds the feed back for as long as it goes on. */
const isCounted = Effect.flatMap(PeoplePool, ({ query }) =>
  Effect.map(
    query(`SELECT NOT EXISTS (
        SELECT FROM journal j, rollup_progress p
        WHERE (j.epoch, j.transaction, j.account, j.seq) > (p.epoch, p.transaction, p.account, p.seq)
      ) AS is_counted`),
    ([row]) => row?.["is_counted"] === true
  )
)
const countRollups = Effect.flatMap(Rollups, (rollups) =>
  Effect.repeat(Effect.andThen(rollups.catchUp(), isCounted), { until: (isDone) => isDone })
)

/** The nodes that the example of their list shows. */
const joined = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  yield* query(`INSERT INTO nodes (id, address, protocol, version, wants)
    VALUES ('5f0c9b1d2e7a', '10.0.0.5:3300', 1, '0.4.0', true), ('c41e08a97b36', '10.0.0.6:3300', 1, '0.4.0', true)`)
  yield* query(`UPDATE partitions SET owner = CASE WHEN partition < 130 THEN '5f0c9b1d2e7a' ELSE 'c41e08a97b36' END`)
})

/** The connector of the examples of deliveries. */
const connected = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const at = start - 300_000
  yield* query(`INSERT INTO connectors (connector_id, name, type, url, event_types, include_artifacts, max_in_flight, enabled,
      created_at, updated_at, last_success_at, failing_since, place)
    VALUES ('crm', 'CRM', 'webhook', 'https://crm.example.com/lotbook', '{*}', false, 8, true, ${at}, ${at}, ${start - 2_000},
      ${start}, 'p0.0.0.0.0')`)
  yield* query(`INSERT INTO deliveries (connector, event_id, event_type, place, replayed, status, attempts, tries, next_at,
      last_answer, finished_at)
    SELECT n, d.* FROM connectors, (VALUES
      ('0c2f6a1e-7b3d-4d59-9e15-c6f1a2b48d70-0', 'proto.member.enrolled.v1', 'p0.0.0.0.0', false, 'delivered',
        '[{"at": ${start - 2_000}, "status": 204, "duration_ms": 31}]'::jsonb, 0, NULL::bigint, NULL, ${start - 2_000}),
      ('5f0c9b1d-2e7a-4c41-8e08-a97b36d1f2c3-0', 'proto.order.accrued.v1', 'p0.0.0.0.0', false, 'pending',
        '[{"at": ${start}, "status": 503, "duration_ms": 12}]'::jsonb, 1, ${start + 5_000}, 'down for maintenance', NULL)
    ) d WHERE connector_id = 'crm'`)
})

/** The connections of the examples, and a check that came over the first. */
const till = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const settings = {
    country: "US",
    tells: "masked",
    search_by_name: false,
    channel: "counter",
    brand_id: "corner-bowl",
    merchant_id: "merchant-east",
    time_zone: "America/New_York"
  }
  for (const [id, name] of [
    ["cnx_5f0c9b1e7a42d8366e1f4b90c7d2a853", "Corner Bowl"],
    ["cnx_0a93d2c7e1f40b6885f2c1d7b93e4a60", "Former tills"]
  ])
    yield* query(`INSERT INTO connections (connection_id, vendor, program_id, name, active, restaurants, unknown_restaurant,
        settings, secret, secret_last4, created_at, updated_at)
      VALUES ('${id}', 'toast', 'demo-foodservice', '${name}', true,
        '[{"external_id": "TOAST-EAST", "location_id": "location-42"}]', 'refuse', '${JSON.stringify(settings)}', '', 'x7Qa',
        ${start}, ${start})`)
  yield* query(`INSERT INTO connection_transactions (connection, transaction_id, type, check_id, restaurant, state, became, at,
      ended_at)
    SELECT n, '0f5b7f2e-7a61-4a3f-9c1d-1b2c3d4e5f60', 'LOYALTY_ACCRUE', '6a1c9d52-30ab-4b57-8f0e-5d1e2f3a4b5c', 'TOAST-EAST', 'done',
      '{"order_id": "toast:6a1c9d52-30ab-4b57-8f0e-5d1e2f3a4b5c", "points": 110}', ${start}, ${start + 4}
      FROM connections WHERE name = 'Corner Bowl'`)
})

/** The run of the examples of moves in, which the example of its report tells again. */
const moved = Effect.gen(function* () {
  const { requestBody } = described.find(({ operation }) => operation.operationId === "move_run.report")!.operation
  const told = requestBody?.content["application/json"].examples?.demo.value
  const { faults, ...report } = told as { readonly faults: ReadonlyArray<unknown> }
  const { query } = yield* PeoplePool
  yield* query(`INSERT INTO move_runs (program_id, run_id, report, reported_by, began_at, reported_at)
    VALUES ('demo-foodservice', 'move-2026-07-14', '${JSON.stringify(report)}', 'admin', ${start - 300_000}, ${start})`)
  yield* query(
    `INSERT INTO move_run_faults (run, place, fault) SELECT n, 1, '${JSON.stringify(faults[0])}' FROM move_runs`
  )
})

/** Moves the guest of the example of guests of earlier moves. */
const movedBefore = Effect.gen(function* () {
  const lots = [{ unit: "points", amount: 120, earned_at: "2026-07-01T00:00:00Z" }]
  const { body } = yield* TestServer.send(
    "/admin/api/v1/programs/demo-foodservice/move-in",
    { guests: [{ member_id: "mbr-1001", identities: [], lots, rewards: [], consents: [] }] },
    { headers: { authorization: "Bearer proto-dev-admin-key" } }
  )
  assert.deepInclude(JSON.stringify(body), `"posted":1,"faults":[]`)
})

/** The request of the example of the request log. */
const asked = Effect.map(RecentRequests, (ring) =>
  ring.add({
    at: start,
    requestId: "till-7-0042",
    method: "POST",
    route: "/proto/v1/accruals",
    operation: "accrual.post",
    status: 409,
    code: "idempotency_conflict",
    pointer: undefined,
    scope: undefined,
    isOfConsole: false,
    ms: 1.4,
    caller: { kind: "token", name: "Till at West", programs: undefined },
    program: "demo-foodservice",
    traceId: undefined,
    contextId: "till-7-0042",
    entries: undefined,
    reservation: undefined
  })
)

/** The restaurant of the examples has its name already. */
const placed = Effect.flatMap(PeoplePool, ({ query }) =>
  query(`INSERT INTO locations (location_id, name, address, time_zone, updated_at)
    VALUES ('location-42', 'East Side', '12 Canal Street', 'America/New_York', ${start})`)
)

/** The programme of the examples has its logo already: one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
const drawn = Effect.flatMap(PeoplePool, ({ query }) =>
  Effect.andThen(
    query(`INSERT INTO business_look (name, colour, changed_at) VALUES ('Green Bowl', '#1a7f5a', ${start})`),
    query(`INSERT INTO program_logos (program_id, png, width, height, sha256, changed_at)
    VALUES ('demo-foodservice', decode('${pixel}', 'base64'), 1, 1,
      encode(sha256(decode('${pixel}', 'base64')), 'hex'), ${start})`)
  )
)

/** The person of the examples of people. */
const staffed = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  yield* query(`INSERT INTO users (user_id, email, name, role, status, created_at, created_by)
    VALUES ('usr_7Q2MXK4T0ZB9HD3W', 'maria@example.com', 'Maria Rossi', 'support', 'active', ${start}, 'root')`)
  yield* query(`INSERT INTO passkeys
      (passkey_id, user_id, credential_id, public_key, counter, transports, host, name, created_at)
    VALUES ('pk_4T0ZB9HD3W7Q2MXK', 'usr_7Q2MXK4T0ZB9HD3W', 'c', '', 0, '{}', 'localhost', 'Till at West', ${start + 60_000})`)
})

const seeded = Effect.all([
  joined,
  connected,
  till,
  moved,
  asked,
  placed,
  drawn,
  staffed,
  Demo.seed,
  Demo.seedTokens,
  Demo.seedSegment,
  Demo.seedCampaign
])

/** The one media type of a success: JSON, or what the operation exports. */
const exampleOf = ({ content = {} }: Described["responses"][string]): unknown =>
  (content["application/json"] ?? Object.values(content)[0])?.examples?.demo.value

/** The path and query with the examples of their parameters. */
const filled = (path: string, { parameters = [] }: Described): string => {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name)
    return String(parameter?.examples?.demo.value)
  })
  const query = parameters.flatMap(({ examples, in: where, name }) =>
    where === "query" && examples !== undefined ? `${name}=${encodeURIComponent(examples.demo.value)}` : []
  )
  return query.length === 0 ? place : `${place}?${query.join("&")}`
}

/** Values that the service makes at random. */
const withoutChance = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body)
      // Sealed with a secret of the database.
      .replace(/("next_cursor":"[^".]+\.)[0-9a-f]{32}"/g, '$1a16a8b9cb2768ab3588cb1210f23a331"')
      // Hashes of records, whose ids are made at random.
      .replace(
        /"(head|sha256)":"[0-9a-f]{64}"/g,
        '"$1":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'
      )
      .replace(
        /"position":\{"epoch":\d+,"transaction":"\d+","account":\d+/g,
        '"position":{"epoch":1,"transaction":"742","account":512'
      )
      .replace(/aud_\d+/g, "aud_1")
      .replace(/"tok_[0-9A-Z]{16}"/g, '"tok_7Q2MXK4T0ZB9HD3W"')
      .replace(/tok_[0-9A-Z]{16},/g, "tok_7Q2MXK4T0ZB9HD3W,")
      .replace(/"lot_[\w-]{43}"/g, '"lot_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"')
      .replace(/"move_[0-9A-Z]{16}"/g, '"move_FGD1DX7GTKJ1ZNCT"')
      .replace(/"usr_[0-9A-Z]{16}"/g, '"usr_7Q2MXK4T0ZB9HD3W"')
      .replace(/invitation#inv_[\w-]{43}"/g, 'invitation#inv_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"')
      .replace(
        /localhost:\d+(\/my\/[^#"]+#link=)[\w-]{43}"/g,
        'localhost:3210$19uP0hQn3m0n1cU7V4zOQmXy2r3b0T5sK6wL8aDfGhJk"'
      )
      .replace(/cnx_(?!0a93d2c7)[0-9a-f]{32}/g, "cnx_5f0c9b1e7a42d8366e1f4b90c7d2a853")
      .replace(/"tll_[\w-]{43}"/g, '"tll_Yp0m2n6r8sV1b4k7q9w3z5c0f2h4j6l8nQ1t3v5x7Qa"')
      .replace(/"key_hint":"[^"]*"/g, '"key_hint":"x7Qa"')
      .replace(/"hint":"[^"]*"/g, '"hint":"x7Qa"')
      .replace(/"csrf_token":"[^"]*"/g, '"csrf_token":"kx0PzVrWm1sV7Yy1bZq0n8bq9vYf5Y2m0b3X2m1Qw8E"')
      .replace(
        /(?<!"limit_reached":false,(?:"started_by":"[^"]*",)?)"started_at":"[^"]+"/,
        '"started_at":"2026-07-14T09:00:00.000Z"'
      )
      .replace(/"cmp_[0-9a-f]{32}"/g, '"cmp_984a47658e3b8ba64f1adff1accad9a9"')
      .replace(/"seen":"[0-9a-f]{32}"/g, '"seen":"0cc175b9c0f1b6a831c399e269772661"')
      .replace(/"run_[0-9A-Z]{16}"/g, '"run_7Q2MXK4T0ZB9HD3W"')
      .replace(/"claim_code":"[0-9A-Z]{12}"/g, '"claim_code":"4M7Q2XKT09ZB"')
      .replace(/localhost:\d+(\/my\/[^#"]+#claim=)[0-9A-Z]{12}"/g, 'localhost:3210$14M7Q2XKT09ZB"')
      .replace(/"evl_[0-9A-Z]{16}"/g, '"evl_7Q2MXK4T0ZB9HD3W"')
      .replace(/"moved_as":"[0-9a-f]{16}"/g, '"moved_as":"0a1b2c3d4e5f6071"')
      .replace(/"beat_age_ms":\d+/g, '"beat_age_ms":120')
      .replace(/"id":"[0-9a-f-]{36}-(\d)"/g, '"id":"5f0c9b1d-2e7a-4c41-8e08-a97b36d1f2c3-$1"')
      .replace(/"next":"[^"]+"/g, '"next":"p1.lk.74.0.1"')
      .replace(/"lag_seconds":[\d.]+/g, '"lag_seconds":0')
      // The id of no row is the test's.
      .replace('"is_this":false', '"is_this":true')
      .replace(/"whsec_[^"]+"/g, '"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="')
      .replace(/"last4":"[^"]+"/g, '"last4":"ZWY="')
      .replace(/"undelivered_since":"[^"]+"/g, '"undelivered_since":"2026-07-14T09:00:00.000Z"')
      .replace(/"([0-9A-Z]{4}-){4}[0-9A-Z*~$=]"/g, '"7Q2M-XK4T-0ZB9-HD3W-5"')
  )

/** Headers that a page sends with the cookie of its session. */
const signedIn = Effect.map(
  TestServer.send("/admin/api/v1/session", { key: "proto-dev-admin-key" }, { headers: { authorization: "" } }),
  ({ body, headers }) => ({
    cookie: String(headers.get("set-cookie")).split(";")[0] ?? "",
    "x-csrf-token": String(body["csrf_token"])
  })
)

const ofSession = ["session.show", "session.end"]

const headersOf = ({ operation, path }: (typeof described)[number]) => {
  const common = { "x-request-id": "example" }
  if (ofSession.includes(operation.operationId)) {
    return Effect.map(signedIn, (session) => ({ ...common, ...session, authorization: "" }))
  }
  return Effect.succeed(
    path.startsWith("/admin/") ? { ...common, authorization: "Bearer proto-dev-admin-key" } : common
  )
}

const send = (one: (typeof described)[number], key: Record<string, string> = {}) => {
  const answered = Effect.flatMap(headersOf(one), (headers) =>
    TestServer.send(
      filled(one.path, one.operation),
      one.operation.requestBody?.content["application/json"].examples?.demo.value,
      { method: one.method, headers: { ...headers, ...key } }
    )
  )
  // It looks for the end of the run now and then.
  if (one.operation.operationId !== "campaign.run") return answered
  // The times of the later examples are those of before.
  return Effect.gen(function* () {
    const now = (yield* Clock.Clock).currentTimeMillisUnsafe()
    return yield* Effect.ensuring(Effect.raceFirst(answered, timePasses), TestClock.setTime(now))
  })
}

/** Time passes while no run goes on: not before the run has ended, so that its answer does not come too early. */
const timePasses = Effect.forever(
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const going = yield* Effect.orDie(query("SELECT FROM campaign_runs WHERE completed_at IS NULL"))
    if (going.length === 0) yield* TestClock.adjust(Bounds.runPollMs)
    yield* Effect.promise(setImmediate)
  })
)

describe("the examples of the OpenAPI document, sent in its order to a fresh demo", () => {
  it("are there for every operation: a request where it takes one, and a response", () => {
    assert.isAtLeast(described.length, 23)
    for (const { operation } of described) {
      const { requestBody, responses } = operation
      if (requestBody !== undefined)
        assert.property(requestBody.content["application/json"], "examples", operation.operationId)
      const success = successOf(responses)
      if (success !== "204" && operation.operationId !== ofBytes)
        assert.isDefined(exampleOf(responses[success]!), operation.operationId)
    }
  })

  it.effect("are answered as the document says, with the responses that it shows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Effect.gen(function* () {
        yield* seeded
        const got: Record<string, unknown> = {}
        for (const operation of ending) {
          const { operationId, responses } = operation.operation
          const success = successOf(responses)
          yield* countRollups
          yield* Effect.flatMap(Finance, (finance) => finance.catchUp())
          const { body, status } = yield* send(operation)
          assert.strictEqual(String(status), success, `${operationId}: ${JSON.stringify(body)}`)
          if (success !== "204") got[operationId] = withoutChance("text" in body ? body["text"] : body)
        }
        for (const { operation } of ending.filter((one) => !beyondDemo.has(one.operation.operationId))) {
          if (operation.operationId === ofBytes) continue
          const success = operation.responses[successOf(operation.responses)]!
          if (operation.operationId === ofPage) {
            assert.isTrue(String(got[ofPage]).startsWith(String(exampleOf(success))))
            continue
          }
          assert.deepStrictEqual(got[operation.operationId], exampleOf(success), operation.operationId)
        }
      }).pipe(Effect.provide(layer(start)))
    })
  )

  it.effect("show guests of earlier moves, where there was one", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Effect.gen(function* () {
        yield* movedBefore
        const { body } = yield* send(movedGuests)
        const { responses } = movedGuests.operation
        assert.deepStrictEqual(withoutChance(body), exampleOf(responses[successOf(responses)]!))
      }).pipe(Effect.provide(layer(start)))
    })
  )

  it.effect("succeed again, whatever was sent before, and in any order", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Effect.gen(function* () {
        yield* seeded
        for (const operation of [...ending.toReversed(), ...ending]) {
          const { body, status } = yield* send(operation)
          const { operationId } = operation.operation
          const isDone = once[operationId] !== undefined && body["code"] === once[operationId]
          assert.isTrue(status < 300 || isDone, `${operationId}: ${JSON.stringify(body)}`)
        }
      }).pipe(Effect.provide(layer(start)))
    })
  )

  it.effect("are answered with the first result when they are sent again with the same key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Effect.gen(function* () {
        yield* seeded
        const wrong: Array<unknown> = []
        for (const one of ending) {
          const { method, operation, path } = one
          const { operationId } = operation
          const takesKey =
            !path.startsWith("/proto/") && ["POST", "PUT"].includes(method) && !unkeyed.includes(operationId)
          const key = { "idempotency-key": `key-of-${operationId}` }
          const first = yield* send(one, key)
          if (!takesKey) continue
          const again = yield* send(one, key)
          const { invitation_url, secret, sign_in_url, ...shown } = first.body
          const isWithheld = [invitation_url, secret, sign_in_url].some((one) => one !== undefined)
          const expected = { ...shown, ...(isWithheld ? { secret_withheld: true } : undefined) }
          const isSame = again.status === first.status && isDeepStrictEqual(again.body, expected)
          if (first.status >= 300 || !isSame || again.headers.get("idempotent-replayed") !== "true")
            wrong.push([operationId, [first.status, first.body], [again.status, again.body]])
        }
        assert.deepStrictEqual(wrong, [])
      }).pipe(Effect.provide(layer(start)))
    })
  )
})
