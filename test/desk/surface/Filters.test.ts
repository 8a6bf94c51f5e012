/**
 * Filters of every list of `/platform/v1` and `/admin/api/v1` must all match. An unknown id is 404, another unknown value
 * an empty list (src/docs/customer-engagement.md *Lists*). Holds contract/engagement.md *Shared rules*;
 * contract/operators.md *Lists*.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { openApi } from "../../../src/contract/OpenApi.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const other = "other"
const platform = "/platform/v1"
const admin = "/admin/api/v1"
const ledger = `${admin}/members/{program_id}/{member_id}/ledger`
const early = "2001-01-01T00:00:00Z"
const late = "2999-01-01T00:00:00Z"

/** A right value of a filter, one that exists or is possible and does not match, and whether it is the id of something. */
type Filter = readonly [right: string, wrong: string, isId?: "id"]

/** The filters of every list. `run_id` and `import_id` are made by the service. */
const listsOf = (made: { readonly run: string; readonly otherRun: string; readonly imported: string }) => {
  const ofProgram: Filter = [program_id, other, "id"]
  const members: Readonly<Record<string, Filter>> = {
    program_id: ofProgram,
    search: ["f-one", "f-two"],
    consent: ["marketing", "analytics"],
    segment_id: ["f-first", "f-second", "id"]
  }
  const entries: Readonly<Record<string, Filter>> = {
    account_id: ["points:f-one", "points:f-two"],
    location_id: ["location-1", "location-2"],
    operations: ["accrual,expiration", "redemption"],
    occurred_from: [early, late],
    occurred_until: [late, early]
  }
  const audit: Readonly<Record<string, Filter>> = {
    actor: ["SANDB", "root"],
    action: ["connector.create", "connector.delete"],
    subject: ["f-connector", "f-nothing"],
    from: [early, late],
    until: [late, early]
  }
  const requests: Readonly<Record<string, Filter>> = {
    status: ["404", "409"],
    code: ["not_found", "conflict"],
    operation: ["showProgram", "listPrograms"],
    caller: ["root", "sandbox"],
    console: ["false", "true"],
    request_id: ["f-request", "f-nothing"]
  }
  const today = Testing.placedNow.business_date
  const orders: Readonly<Record<string, Filter>> = {
    program_id: ofProgram,
    location_id: ["location-1", "location-2"],
    from: [today, late.slice(0, 10)],
    to: [today, early.slice(0, 10)]
  }
  const campaign: Filter = ["f-campaign", "f-other-campaign", "id"]
  const lists: Readonly<Record<string, Readonly<Record<string, Filter>>>> = {
    [`${platform}/members`]: { ...members, member_id: ["f-one", "f-two", "id"] },
    [`${platform}/members/consents`]: { program_id: ofProgram, member_id: ["f-one", "f-nobody", "id"] },
    [`${platform}/members/campaigns`]: { program_id: ofProgram, member_id: ["f-one", "f-nobody", "id"] },
    [`${platform}/members.csv`]: {
      program_id: ofProgram,
      segment_id: ["f-first", "f-second", "id"],
      consent: ["marketing", "analytics"]
    },
    [`${platform}/events`]: {
      program_id: ofProgram,
      member_id: ["f-one", "f-two", "id"],
      type: ["visit", "review"],
      campaign_id: ["f-campaign", "f-nothing"],
      from: [early, late],
      until: [late, early]
    },
    [`${platform}/segments`]: { program_id: ofProgram, segment_id: ["f-first", "f-nothing", "id"] },
    [`${platform}/campaigns`]: { program_id: ofProgram, campaign_id: ["f-campaign", "f-nothing", "id"] },
    [`${platform}/campaigns/runs`]: {
      campaign_id: campaign,
      run_id: [made.run, made.otherRun, "id"],
      outcome: ["issued", "failed"]
    },
    [`${platform}/connectors/deliveries`]: {
      connector_id: ["f-connector", "f-nothing", "id"],
      status: ["failed", "pending"]
    },
    [`${platform}/imports`]: { program_id: ofProgram, import_id: [made.imported, "imp_none", "id"] },
    [`${platform}/imports/errors`]: { import_id: [made.imported, "imp_none", "id"] },
    [`${admin}/members`]: {
      program_id: ofProgram,
      search: ["f-one", "f-nothing"],
      status: ["active", "closed"],
      tier_id: ["starter", "vip"],
      joined_from: [early, late],
      joined_until: [late, early]
    },
    [ledger]: entries,
    [`${ledger}.csv`]: entries,
    [`${platform}/restaurants/orders`]: orders,
    [`${platform}/restaurants/orders.csv`]: orders,
    [`${platform}/restaurants/redemptions`]: orders,
    [`${platform}/restaurants/redemptions.csv`]: orders,
    [`${admin}/programs/{program_id}/products`]: { search: ["f-bowl", "f-nothing"] },
    [`${admin}/programs/{program_id}/categories`]: { search: ["f-bowls", "f-nothing"] },
    [`${admin}/audit`]: audit,
    [`${admin}/audit.csv`]: audit,
    [`${admin}/requests`]: requests
  }
  return lists
}

const reads = RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
const programs = [Testing.demoProgram, { ...Testing.demoProgram, id: other }]
const layer = Rollups.layer.pipe(
  Layer.provideMerge(RollupStore.layer),
  Layer.provideMerge(PgFeed.layer),
  Layer.provideMerge(
    TestServer.layerFor(PgJournal.layer, Programs.layerFrom(programs), Pools.layer, [], undefined, reads)
  ),
  Layer.provideMerge(TestDatabase.layer)
)

const get = (path: string, query: Readonly<Record<string, string>>) => {
  const at = path.replace("{program_id}", program_id).replace("{member_id}", "f-one")
  const headers = path.startsWith(admin) ? { authorization: "Bearer proto-dev-admin-key" } : undefined
  return TestServer.send(`${at}?${new URLSearchParams(query)}`, undefined, {
    method: "GET",
    ...(headers === undefined ? undefined : { headers })
  })
}

/** The number of things in an answer: of a list, of a file without its header, of one thing, or of a refusal. */
const countOf = ({ body, status }: TestServer.Response): number => {
  if (status !== 200) return 0
  if (typeof body["text"] === "string") return body["text"].trim().split("\r\n").length - 1
  // One run is shown with a page of outcomes.
  const { run = {} } = body as { readonly run?: object }
  const list = [...Object.values(body), ...Object.values(run)].find((value) => Array.isArray(value))
  return list === undefined ? 1 : list.length
}

const rightOf = (filters: Readonly<Record<string, Filter>>) =>
  Object.fromEntries(Object.entries(filters).map(([name, [right]]) => [name, right]))

const send = (method: string, path: string, body: object) =>
  Effect.map(TestServer.send(`${platform}/${path}`, body, { method }), (answer) => {
    assert.isBelow(answer.status, 300, JSON.stringify([path, answer.body]))
    return answer.body as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>
  })
const ran = (campaign_id: string) =>
  Effect.gen(function* () {
    const facts = { campaign_id, name: "c", guest_text: "t", program_id, segment_id: "f-first", reward_id: "free-bowl" }
    yield* send("PUT", "campaigns", facts)
    yield* send("POST", "campaigns/status", { campaign_id, status: "active" })
    return (yield* send("POST", "campaigns/run", { campaign_id }))["run"]?.["run_id"] ?? ""
  })

/** Something that every list finds with the right filters. */
const seed = Effect.gen(function* () {
  for (const member_id of ["f-one", "f-two"]) {
    yield* enroll(member_id)
    yield* send("PUT", "members", { member_id, program_id, consent: { marketing: member_id === "f-one" } })
  }
  yield* earn("f-one", "f-order", 1_000)
  yield* send("PUT", "segments", { segment_id: "f-first", name: "s", program_id, member_ids: ["f-one"] })
  yield* send("PUT", "segments", { segment_id: "f-second", name: "s", program_id, member_ids: ["f-two"] })
  const event = { type: "visit", member_id: "f-one", program_id, campaign_id: "f-campaign" }
  yield* send("POST", "events", { ...event, idempotency_key: "f-event-1" })
  const configuration = { url: "https://hooks.example.com/f", event_types: ["*"] }
  yield* send("PUT", "connectors", { connector_id: "f-connector", name: "c", type: "webhook", configuration })
  yield* TestDatabase.query(`INSERT INTO deliveries (connector, event_id, event_type, place, replayed, status, attempts, tries,
      finished_at)
    SELECT n, 'e', 'proto.member.enrolled.v1', 'p0.0.0.0.0', false, 'failed', '[]', 0, 0 FROM connectors`)
  yield* TestDatabase.query(`INSERT INTO sold_products (program_id, product_id, category_ids, last_sold_at)
    VALUES ('${program_id}', 'f-bowl', '{f-bowls}', ${Date.now()})`)
  yield* TestDatabase.query(`INSERT INTO finance_redemptions
      (account, seq, program_id, location_id, day, at, order_id, reward_id, unit, points, captured_at)
    SELECT number, 1, program_id, 'location-1', ${Date.parse(Testing.placedNow.business_date)},
      ${Date.parse(Testing.placedNow.business_date)}, 'f-order', 'one-off', 'points', 100, 0
      FROM accounts WHERE member_id = 'f-one'`)
  const headers = { authorization: "Bearer proto-dev-admin-key", "x-request-id": "f-request" }
  yield* TestServer.send(`${admin}/programs/nope`, undefined, { method: "GET", headers })
  const rows = [{ member_id: "f-one" }, { email: "nobody" }]
  const imported = yield* send("POST", "imports/members", { idempotency_key: "f-import", program_id, rows })
  return {
    run: yield* ran("f-campaign"),
    otherRun: yield* ran("f-other-campaign"),
    imported: imported["import"]?.["import_id"] ?? ""
  }
})

const counted = Effect.flatMap(Rollups, ({ catchUp }) =>
  Effect.flatMap(get(`${admin}/members`, { program_id }), ({ body }) =>
    Effect.as(catchUp(), (body["members"] as ReadonlyArray<unknown>).length === 2)
  ).pipe(Effect.repeat({ until: (isDone) => isDone }))
)

it.layer(layer, { excludeTestServices: true })("the filters of lists", (it) => {
  it.effect("must all match, an unknown id is 404, and an unknown value finds nothing", () =>
    Effect.gen(function* () {
      const lists = listsOf(yield* seed)
      yield* counted
      for (const [path, filters] of Object.entries(lists)) {
        const right = rightOf(filters)
        const all = yield* get(path, right)
        assert.isAbove(countOf(all), 0, `${path} ${JSON.stringify(all.body)}`)
        for (const [name, [, wrong, isId]] of Object.entries(filters)) {
          const about = `${path} ${name}`
          assert.strictEqual(countOf(yield* get(path, { ...right, [name]: wrong })), 0, about)
          if (isId === "id") {
            const { body, status } = yield* get(path, { ...right, [name]: "nope" })
            assert.deepStrictEqual([status, body["code"]], [404, "not_found"], about)
          }
        }
      }
      // Both ends of a range are in it, save the end of the audit's.
      for (const [path, time, from, until, atEnd] of [
        [`${platform}/events`, "occurred_at", "from", "until", 1],
        [`${admin}/members`, "joined_at", "joined_from", "joined_until", 1],
        [ledger, "occurred_at", "occurred_from", "occurred_until", 1],
        [`${admin}/audit`, "at", "from", "until", 0]
      ] as const) {
        const right = rightOf(lists[path] ?? {})
        const [only] = Object.values((yield* get(path, right)).body).flat() as ReadonlyArray<Record<string, string>>
        const at = Date.parse(only?.[time] ?? "")
        const found = (name: string, ms: number) =>
          Effect.map(get(path, { ...right, [name]: new Date(ms).toISOString() }), countOf)
        const counts = [found(from, at), found(from, at + 1), found(until, at), found(until, at - 1)]
        assert.deepStrictEqual(yield* Effect.all(counts), [1, 0, atEnd, 0], path)
      }
      // Ids are unique in the service: what another programme has is not taken over.
      const taken = {
        campaign_id: "f-campaign",
        name: "c",
        program_id: other,
        segment_id: "f-first",
        reward_id: "free-bowl"
      }
      const { body, status } = yield* TestServer.send(`${platform}/campaigns`, taken, { method: "PUT" })
      assert.deepStrictEqual([status, body["code"]], [409, "conflict"])
    })
  )

  it.effect("take a location as any text that an order's may be (contract/resources.md *Values*)", () =>
    Effect.gen(function* () {
      const location_id = "Zürich / Gleis 4"
      const { body, status } = yield* get(`${platform}/analytics`, { program_id, location_id })
      assert.strictEqual(status, 200, JSON.stringify(body))
      const rules = { order: { location_id } }
      yield* send("POST", "segments/preview", { program_id, rules })
    })
  )

  it("are these, for every list with filters that the surfaces describe", () => {
    const { paths } = openApi() as {
      readonly paths: Readonly<
        Record<string, { readonly get?: { readonly parameters?: ReadonlyArray<{ in: string; name: string }> } }>
      >
    }
    const described = Object.entries(paths).flatMap(([path, methods]) => {
      const names = (methods.get?.parameters ?? []).flatMap((one) => (one.in === "query" ? [one.name] : []))
      const filters = names.filter((name) => name !== "cursor" && name !== "limit").toSorted()
      const isList = (names.includes("cursor") || path.endsWith(".csv")) && filters.length > 0
      return isList && /^\/(admin|platform)\//.test(path) ? [[path, filters] as const] : []
    })
    const known = listsOf({ run: "", otherRun: "", imported: "" })
    assert.deepStrictEqual(
      Object.fromEntries(described),
      Object.fromEntries(Object.entries(known).map(([path, filters]) => [path, Object.keys(filters).toSorted()]))
    )
  })
})
