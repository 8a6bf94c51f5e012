/**
 * contract/operators.md *Audit*: every change that a person or token makes on the surfaces of operators and marketing
 * leaves an entry.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import { openApi } from "../../../src/contract/OpenApi.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as ProgramStore from "../../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { root, rootKey } from "../../capabilities/operators/Operators.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const platform = "/platform/v1"
const admin = "/admin/api/v1"
const member = `${admin}/members/{program_id}/{member_id}`
const program = `${admin}/programs/{program_id}`

const published = Programs.layerFromRead(ProgramStore.inForce).pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)
const layer = TestServer.layerFor(
  PgJournal.layer,
  published,
  Pools.layer,
  [],
  Date.UTC(2026, 6, 14),
  RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
).pipe(Layer.provideMerge(TestDatabase.layer))

/** A request that changes something, and the action of its entry. */
interface Change {
  readonly route: string
  readonly body: object | undefined
  readonly action: string
  readonly headers?: Record<string, string>
  readonly params?: Readonly<Record<string, string>>
}

const segment = { segment_id: "walk", name: "Walkers", program_id, rules: { has: "email" } }
const campaign = { campaign_id: "walk", name: "Walk", program_id, segment_id: "walk", reward_id: "free-bowl" }
const configuration = { url: "https://hooks.example.com/secret-path", event_types: ["*"] }
const adjustment = {
  adjustment_id: "walk-1",
  amount: 5,
  classification: "gift",
  reason: "r",
  qualifies_for_tier: false
}

/** A picture of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

const file = { ...Testing.demoProgram.file, name: "Walked" }

/** In this order. A route may stand here twice: what it creates, and what it changes. */
const changes: ReadonlyArray<Change> = [
  {
    route: `PUT ${platform}/members`,
    body: { member_id: "walk", program_id, email: "first@example.com", consent: { marketing: true } },
    action: "member.enroll"
  },
  {
    route: `PUT ${platform}/members`,
    body: {
      member_id: "walk",
      program_id,
      email: "second@example.com",
      attributes: { vegan: "yes-indeed" },
      consent: { marketing: false, source: "desk" }
    },
    action: "member.profile"
  },
  {
    route: `POST ${platform}/members/sign-in-link`,
    body: { member_id: "walk", program_id },
    action: "member.sign_in_link"
  },
  { route: `PUT ${platform}/segments`, body: segment, action: "segment.create" },
  { route: `PUT ${platform}/segments`, body: { ...segment, name: "All walkers" }, action: "segment.change" },
  { route: `PUT ${platform}/campaigns`, body: campaign, action: "campaign.create" },
  { route: `PUT ${platform}/campaigns`, body: { ...campaign, attribution_days: 3 }, action: "campaign.change" },
  {
    route: `POST ${platform}/campaigns/status`,
    body: { campaign_id: "walk", status: "active" },
    action: "campaign.status"
  },
  { route: `PUT ${platform}/campaigns`, body: { ...campaign, campaign_id: "idea" }, action: "campaign.create" },
  { route: `POST ${platform}/campaigns/delete`, body: { campaign_id: "idea" }, action: "campaign.delete" },
  { route: `POST ${platform}/campaigns/run`, body: { campaign_id: "walk", run_key: "one" }, action: "campaign.run" },
  {
    route: `POST ${platform}/campaigns/test`,
    body: { campaign_id: "walk", member_id: "walk" },
    action: "campaign.test"
  },
  {
    route: `PUT ${platform}/connectors`,
    body: { connector_id: "walk", name: "c", type: "webhook", configuration },
    action: "connector.create"
  },
  { route: `POST ${platform}/connectors/rotate`, body: { connector_id: "walk" }, action: "connector.rotate" },
  { route: `POST ${platform}/connectors/test`, body: { connector_id: "walk" }, action: "connector.test" },
  { route: `POST ${platform}/connectors/retry`, body: { connector_id: "walk" }, action: "connector.retry" },
  {
    route: `POST ${platform}/connectors/replay`,
    body: { connector_id: "walk", after: "0" },
    action: "connector.replay"
  },
  {
    route: `POST ${platform}/connectors/status`,
    body: { connector_id: "walk", enabled: false },
    action: "connector.status"
  },
  { route: `POST ${platform}/connectors/delete`, body: { connector_id: "walk" }, action: "connector.delete" },
  {
    route: `POST ${platform}/imports/members`,
    body: { idempotency_key: "walk-import", program_id, rows: [{ member_id: "walk-2" }, { member_id: "walk-3" }] },
    action: "import.begin"
  },
  { route: `PUT ${platform}/segments`, body: { ...segment, segment_id: "unused" }, action: "segment.create" },
  {
    route: `POST ${platform}/segments/archive`,
    body: { segment_id: "unused", archived: true },
    action: "segment.archive"
  },
  { route: `POST ${platform}/segments/delete`, body: { segment_id: "unused" }, action: "segment.delete" },
  { route: `POST ${member}/adjustments`, body: adjustment, action: "member.adjust" },
  {
    route: `POST ${member}/rewards`,
    body: { issued_reward_id: "walk-reward", reward_id: "free-bowl" },
    action: "member.reward.issue"
  },
  {
    route: `POST ${member}/rewards/{issued_reward_id}/cancel`,
    body: { reason: "r" },
    action: "member.reward.cancel"
  },
  {
    route: `POST ${member}/identities`,
    body: { add: [{ type: "loyalty_id", value: "card-of-a-guest" }] },
    action: "member.identities"
  },
  {
    route: `POST ${member}/receipts`,
    body: {
      location_id: "harbor",
      number: "1",
      business_date: "2026-07-14",
      placed_at: "2026-07-14T00:00:00.000Z",
      amount: { amount: 100, currency: "USD" },
      reason: "r"
    },
    action: "member.receipt"
  },
  { route: `POST ${member}/status`, body: { status: "suspended", reason: "r" }, action: "member.status" },
  { route: `POST ${member}/status`, body: { status: "active", reason: "r" }, action: "member.status" },
  { route: `POST ${member}/orders/{order_id}/move`, body: { to: "walk-2", reason: "r" }, action: "order.move" },
  {
    route: `POST ${admin}/members/{program_id}/merge`,
    body: { from: "walk-2", into: "walk-3", reason: "r" },
    action: "member.merge"
  },
  {
    route: `POST ${platform}/members/erase`,
    body: { member_id: "walk-3", program_id, reason: "r" },
    action: "member.erase"
  },
  {
    route: `POST ${program}/move-in`,
    body: { guests: [{ external_id: "walk-old", identities: [], lots: [], rewards: [], consents: [] }] },
    action: "guest.move_in"
  },
  {
    route: `PUT ${program}/move-in/runs/{run_id}`,
    body: {
      files: ["guests.csv"],
      rows: { guests: 1, lots: 0, rewards: 0, consents: 0 },
      guests: 1,
      outcomes: { enrolled: 1 },
      lots: 0,
      fault_counts: [],
      faults: [],
      ended: "moved"
    },
    action: "move_run.report"
  },
  { route: `POST ${admin}/programs/publish`, body: { program: file }, action: "program.publish" },
  { route: `POST ${program}/rollback`, body: { version: 1 }, action: "program.rollback" },
  { route: `POST ${program}/retire`, body: { reason: "r" }, action: "program.retire" },
  { route: `POST ${program}/restore`, body: { reason: "r" }, action: "program.restore" },
  { route: `POST ${admin}/tokens`, body: { name: "Walk", scopes: ["protocol:read"] }, action: "token.create" },
  { route: `POST ${admin}/tokens/{token_id}/rotate`, body: {}, action: "token.rotate" },
  { route: `POST ${admin}/tokens/{token_id}/revoke`, body: { reason: "r" }, action: "token.revoke" },
  {
    route: `POST ${admin}/staff`,
    body: { email: "clerk@example.com", name: "Clerk", role: "support" },
    action: "staff.invite"
  },
  { route: `POST ${admin}/staff/{user_id}/invite`, body: undefined, action: "staff.invite" },
  { route: `POST ${admin}/staff/{user_id}/role`, body: { role: "analyst", reason: "r" }, action: "staff.role" },
  { route: `POST ${admin}/staff/{user_id}/sessions/end`, body: { reason: "r" }, action: "staff.end_sessions" },
  {
    route: `POST ${admin}/staff/{user_id}/passkeys/remove`,
    body: { reason: "r" },
    action: "staff.remove_passkeys"
  },
  { route: `POST ${admin}/staff/{user_id}/disable`, body: { reason: "r" }, action: "staff.disable" },
  {
    route: `POST ${admin}/staff/limits`,
    body: { role: "support", points_per_day: 100, reason: "r" },
    action: "staff.limits"
  },
  {
    route: `POST ${admin}/staff/{user_id}/limits`,
    body: { points_per_day: 50, reason: "r" },
    action: "staff.limits"
  },
  { route: `POST ${admin}/staff/{user_id}/enable`, body: { reason: "r" }, action: "staff.enable" },
  { route: `POST ${admin}/maintenance`, body: { write_frozen: true }, action: "freeze.on" },
  { route: `POST ${admin}/maintenance`, body: { write_frozen: false }, action: "freeze.off" },
  { route: `POST ${admin}/clock`, body: { advance: "PT1H" }, action: "clock.move" },
  {
    route: `PUT ${admin}/locations`,
    body: { location_id: "east", name: "East" },
    action: "location.create"
  },
  { route: `PUT ${program}/logo`, body: { png: pixel }, action: "program.logo" },
  { route: `DELETE ${program}/logo`, body: undefined, action: "program.logo" },
  { route: `PUT ${admin}/business`, body: { name: "Walk" }, action: "business.look" },
  { route: `PUT ${admin}/business/logo`, body: { png: pixel }, action: "business.look" },
  { route: `DELETE ${admin}/business/logo`, body: undefined, action: "business.look" },
  {
    route: `POST ${admin}/connections`,
    body: { vendor: "toast", program_id, name: "Walk" },
    action: "connection.create"
  },
  {
    route: `PATCH ${admin}/connections/{connection_id}`,
    body: { status: "paused" },
    action: "connection.change"
  },
  { route: `POST ${admin}/connections/{connection_id}/rotate`, body: {}, action: "connection.rotate" },
  { route: `DELETE ${admin}/connections/{connection_id}`, body: undefined, action: "connection.delete" },
  {
    route: `PUT ${admin}/sandbox/faults`,
    body: { rules: [{ fault: "drop_answer", next: 1, path: "/proto/v1/accruals" }] },
    action: "faults.set"
  },
  { route: `POST ${admin}/finance/close`, body: { program_id, period: "2026-05" }, action: "finance.close" },
  { route: `POST ${admin}/session`, body: { key: rootKey }, action: "session.begin" },
  { route: `POST ${admin}/session/end`, body: {}, action: "session.end" }
]

/** Routes that change nothing. */
const reads = [
  `POST ${platform}/campaigns/audience/preview`,
  `POST ${platform}/segments/preview`,
  `POST ${admin}/programs/validate`,
  `POST ${admin}/programs/evaluate`,
  `POST ${admin}/programs/preview`,
  `POST ${program}/promotions/preview`
]
/** Operations that need an authenticator or a provider: `test/capabilities/staff` holds the entries. Options, a shown invitation and a sign-in that begins change nothing. */
const byPasskey = [
  `POST ${admin}/session/provider`,
  `POST ${admin}/session/provider/finish`,
  `POST ${admin}/session/passkey/options`,
  `POST ${admin}/staff/me/passkeys/options`,
  `POST ${admin}/staff/invitation`,
  `POST ${admin}/session/passkey`,
  `POST ${admin}/staff/invitation/accept`,
  `POST ${admin}/staff/me/language`,
  `POST ${admin}/staff/me/sessions/end`,
  `POST ${admin}/staff/me/passkeys`,
  `POST ${admin}/staff/me/passkeys/{passkey_id}/remove`,
  `POST ${admin}/staff/me/passkeys/{passkey_id}/rename`
]
/** Routes that need rewards of a cause, an import that has ended, an order that waits for a guest, a change that waits, or a question: `capabilities/claims/Routes.test.ts`, `capabilities/campaigns/TakeBack.test.ts`, `capabilities/imports/TakeBack.test.ts`, `capabilities/segments/Pinned.test.ts` `capabilities/asks/Asks.test.ts` and `capabilities/handovers/Handovers.test.ts` hold the entries. */
const byCause = [
  `POST ${admin}/asks`,
  `POST ${member}/receipts/claim`,
  `POST ${admin}/asks/{ask_id}/approve`,
  `POST ${admin}/asks/{ask_id}/decline`,
  `POST ${admin}/handovers`,
  `POST ${admin}/handovers/{handover_id}/approve`,
  `POST ${admin}/handovers/{handover_id}/decline`,
  `POST ${program}/rewards/take-back`,
  `POST ${platform}/imports/take-back`,
  `POST ${platform}/campaigns/audience/confirm`
]
/** The intake of machines: what a guest did, not a change by a person. Each event itself says where it came from. */
const intake = [
  `POST ${platform}/events`,
  `POST ${platform}/events/batch`,
  `PUT ${platform}/orders`,
  `POST ${platform}/orders/adjust`,
  `POST ${platform}/orders/claim`
]

const entriesOf = (requestId: string) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    query(
      `SELECT action, actor_name, source_ip, changes, subject_id FROM audit WHERE request_id = $1 AND chain = 0
        ORDER BY n`,
      [requestId]
    )
  )

it.layer(layer, { excludeTestServices: true })("an entry of the audit", (it) => {
  it.effect("tells of every change, with who made it, and of no personal value", () =>
    Effect.gen(function* () {
      const known: Record<string, string> = {
        program_id,
        member_id: "walk",
        order_id: "walk-order",
        issued_reward_id: "walk-reward",
        run_id: "walk-run"
      }
      let headers: Record<string, string> = {}
      const told = new Map<string, string>()
      for (const [place, { action, body, route }] of changes.entries()) {
        const [method = "", pattern = ""] = route.split(" ")
        const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "")
        const requestId = `walk-${place}`
        if (action === "order.move")
          yield* TestServer.send("/proto/v1/accruals", {
            context: Testing.context(),
            member_id: "walk",
            order: Testing.order("walk-order", 1_000, Testing.placedAt(Date.UTC(2026, 6, 14)))
          })
        const answer = yield* TestServer.send(path, body, {
          method,
          headers: { ...(path.startsWith(admin) ? root : {}), ...headers, "x-request-id": requestId }
        })
        assert.isBelow(answer.status, 300, `${route} ${JSON.stringify(answer.body)}`)
        if (typeof answer.body["token_id"] === "string") known["token_id"] = answer.body["token_id"]
        const connection = answer.body["connection"] as { readonly connection_id: string } | undefined
        if (connection !== undefined) known["connection_id"] = connection.connection_id
        const user = answer.body["user"] as { readonly user_id: string } | undefined
        if (user !== undefined) known["user_id"] = user.user_id
        headers =
          action === "session.begin"
            ? {
                authorization: "",
                cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
                "x-csrf-token": String(answer.body["csrf_token"])
              }
            : {}
        const entries = yield* entriesOf(requestId)
        assert.include(
          entries.map((entry) => entry["action"]),
          action,
          route
        )
        for (const entry of entries) {
          const by = path.startsWith(admin) ? "root" : "sandbox"
          assert.deepStrictEqual([entry["actor_name"], entry["source_ip"]], [by, "127.0.0.1"], route)
        }
        told.set(`${action} ${place}`, String(entries.find((entry) => entry["action"] === action)?.["changes"]))
      }
      const changesOf = (action: string) =>
        [...told].filter(([key]) => key.startsWith(`${action} `)).map(([, text]) => JSON.parse(text) as unknown)
      const marketing = (granted: boolean) => [{ purpose: "marketing", granted }]
      assert.deepStrictEqual(changesOf("member.enroll"), [{ after: { email: "changed", consents: marketing(true) } }])
      assert.deepStrictEqual(changesOf("member.profile"), [
        {
          before: { consents: marketing(true) },
          after: { email: "changed", attributes: "changed", consents: marketing(false) }
        }
      ])
      assert.deepStrictEqual(changesOf("segment.change"), [
        { before: { name: "Walkers" }, after: { name: "All walkers" } }
      ])
      assert.deepStrictEqual(changesOf("campaign.change"), [
        { before: { attribution_days: 7 }, after: { attribution_days: 3 } }
      ])
      assert.deepStrictEqual(changesOf("campaign.status"), [
        { before: { status: "draft" }, after: { status: "active" } }
      ])
      assert.deepStrictEqual(changesOf("import.begin"), [{ after: { submitted: 2 } }])
      const { query } = yield* PeoplePool
      const [all] = yield* query("SELECT string_agg(audit::text, ' ') AS text FROM audit")
      for (const personal of ["@example.com", "yes-indeed", "vegan", "card-of-a-guest", "secret-path"])
        assert.notInclude(String(all?.["text"]), personal)
    })
  )

  it.effect("is not made where nothing changes or where a request is answered again", () =>
    Effect.gen(function* () {
      const body = { ...segment, segment_id: "again" }
      const headers = { "idempotency-key": "key-of-again" }
      const put = (requestId: string) =>
        TestServer.send(`${platform}/segments`, body, {
          method: "PUT",
          headers: { ...headers, "x-request-id": requestId }
        })
      yield* put("again-1")
      yield* put("again-2")
      assert.lengthOf(yield* entriesOf("again-1"), 1)
      assert.lengthOf(yield* entriesOf("again-2"), 0)
      const status = (requestId: string) =>
        TestServer.send(
          `${platform}/campaigns/status`,
          { campaign_id: "still", status: "draft" },
          { headers: { "x-request-id": requestId } }
        )
      yield* TestServer.send(
        `${platform}/campaigns`,
        { ...campaign, campaign_id: "still", segment_id: "again" },
        { method: "PUT" }
      )
      assert.strictEqual((yield* status("still-1")).status, 200)
      assert.lengthOf(yield* entriesOf("still-1"), 0)
      const profile = (requestId: string) =>
        TestServer.send(
          `${platform}/members`,
          { member_id: "still", program_id, display_name: "Still" },
          { method: "PUT", headers: { "x-request-id": requestId } }
        )
      yield* profile("profile-1")
      yield* profile("profile-2")
      assert.lengthOf(yield* entriesOf("profile-2"), 0)
    })
  )

  it.effect("tells of who began a run and an import, and those say it too", () =>
    Effect.gen(function* () {
      const get = (path: string) => TestServer.send(`${platform}/${path}`, undefined, { method: "GET" })
      const rows = [{ member_id: "began" }]
      const answer = yield* TestServer.send(`${platform}/imports/members`, {
        idempotency_key: "began-import",
        program_id,
        rows
      })
      assert.deepInclude(answer.body["import"], { created_by: "sandbox", created: 1 })
      yield* TestServer.send(
        `${platform}/segments`,
        { ...segment, segment_id: "began", rules: undefined, member_ids: ["began"] },
        { method: "PUT" }
      )
      yield* TestServer.send(
        `${platform}/campaigns`,
        { ...campaign, campaign_id: "began", segment_id: "began" },
        { method: "PUT" }
      )
      yield* TestServer.send(`${platform}/campaigns/status`, { campaign_id: "began", status: "active" })
      yield* TestServer.send(`${platform}/campaigns/run`, { campaign_id: "began" })
      const { body } = yield* get("campaigns/runs?campaign_id=began")
      assert.deepInclude((body["runs"] as ReadonlyArray<object>)[0], { started_by: "sandbox" })
    })
  )

  it("is required of every route that writes", () => {
    const { paths } = openApi() as { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
    const writes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== "get" && /^\/(admin|platform)\//.test(path))
        .map((method) => `${method.toUpperCase()} ${path}`)
    )
    const routes = new Set(changes.map(({ route }) => route))
    assert.sameMembers(writes, [...routes, ...reads, ...intake, ...byPasskey, ...byCause])
  })
})
