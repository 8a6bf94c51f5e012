/** contract/events.md *Feed*, over HTTP on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { hash } from "node:crypto"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as KeyStore from "../../../src/desk/access/KeyStore.ts"
import { MayWait } from "../../../src/desk/surface/Waiting.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Model from "../../reads/rollups/Model.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Handover from "../operators/Handover.ts"
import * as Operators from "../operators/Operators.ts"
import * as People from "../staff/People.ts"

const program_id = Testing.demoProgram.id
const tokens = [
  { token_sha256: hash("sha256", "other-alone"), scopes: ["platform:read"] as const, programs: ["other"] },
  { token_sha256: hash("sha256", "writes-alone"), scopes: ["platform:write"] as const }
]
const programs = Programs.layerFrom([Testing.demoProgram, { ...Testing.demoProgram, id: "other" }])
const events = EventFeed.layer.pipe(Layer.provide(PgFeed.layer))
/** Set to false by the last test: the service stops. */
let goesOn = true
const layer = Layer.provideMerge(
  TestServer.layerFor(PgJournal.layer, programs, Pools.layer, tokens, undefined, Model.layer, events),
  TestDatabase.layer
).pipe(Layer.provide(Layer.succeed(MayWait, () => goesOn)))

const path = "/platform/v1/feed"
const read = (query: Record<string, string> = {}, token = "proto-dev-token") =>
  TestServer.send(`${path}?${new URLSearchParams(query)}`, undefined, {
    method: "GET",
    headers: { authorization: `Bearer ${token}` }
  })
const eventsIn = ({ body }: TestServer.Response) => body["events"] as ReadonlyArray<FeedEvent>
const nextIn = ({ body }: TestServer.Response) => body["next"] as string
const shown = (response: TestServer.Response) => eventsIn(response).map(({ subject, type }) => `${type} ${subject}`)
/** The caller's id of what an event is about. */
const aboutOf = ({ data }: FeedEvent) => {
  if ("adjustment_id" in data) return data.adjustment_id
  if ("reservation" in data) return data.reservation.redemption_id
  return "order_id" in data ? data.order_id : undefined
}
/** The place behind everything: other tests' transactions may hold it back for a moment. */
const behind = Effect.repeat(read({ after: "0", limit: "1000" }), { until: ({ body }) => body["lag_seconds"] === 0 })

it.layer(layer, { excludeTestServices: true, timeout: 60_000 })("the feed", (it) => {
  it.effect("begins where a reader says: at the beginning, now, after an answer, at an instant, and nowhere else", () =>
    Effect.gen(function* () {
      const start = nextIn(yield* read())
      yield* enroll("begin-1")
      yield* enroll("begin-2")
      const all = yield* behind
      assert.deepStrictEqual(shown(all).slice(-2), [
        "proto.member.enrolled.v1 begin-1",
        "proto.member.enrolled.v1 begin-2"
      ])
      assert.deepStrictEqual(shown(yield* read({ after: start })), shown(all).slice(-2))
      const first = yield* read({ after: "0", limit: "1" })
      assert.deepStrictEqual(shown(yield* read({ after: nextIn(first) })), shown(all).slice(1))
      assert.deepStrictEqual(shown(yield* read({ after: "time:2020-01-01T00:00:00Z" })), shown(all))
      assert.deepStrictEqual(shown(yield* read({ after: nextIn(all) })), [])
      for (const after of [
        "",
        "1",
        "-1",
        "time:",
        "time:yesterday",
        "time:2100-01-01T00:00:00+02:00",
        `${nextIn(all)}x`,
        "now",
        "pz.1.1.1.0",
        "p1.zzzzzzzz.1.1.0"
      ]) {
        const { body, status } = yield* read({ after })
        assert.deepStrictEqual([status, body["code"]], [422, "validation_failed"], after)
      }
    })
  )

  it.effect("shows what is wanted: types, a member, a programme, and to a limited token its own alone", () =>
    Effect.gen(function* () {
      yield* enroll("filter-1")
      yield* Testing.call("member.enroll", {
        context: Testing.context(),
        program_id: "other",
        identity: { type: "loyalty_id", value: "card-filter-2", issuer: "x" },
        member_id: "filter-2"
      })
      yield* earn("filter-1", "filter-order", 1_000)
      yield* behind
      const after = "0"
      assert.deepStrictEqual(shown(yield* read({ after, member_id: "filter-1" })), [
        "proto.member.enrolled.v1 filter-1",
        "proto.order.accrued.v1 filter-1"
      ])
      assert.deepStrictEqual(shown(yield* read({ after, member_id: "filter-1", types: "proto.order.accrued.v1" })), [
        "proto.order.accrued.v1 filter-1"
      ])
      for (const answer of [yield* read({ after, program_id: "other" }), yield* read({ after }, "other-alone")])
        assert.deepStrictEqual(shown(answer), ["proto.member.enrolled.v1 filter-2"])
      const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
      assert.deepStrictEqual(yield* said(read({ program_id }, "other-alone")), [403, "forbidden"])
      assert.deepStrictEqual(yield* said(read({ member_id: "filter-1" }, "other-alone")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(read({}, "writes-alone")), [403, "forbidden"])
      for (const query of [
        { types: "proto.tier.promoted.v1" },
        { limit: "0" },
        { limit: "1001" },
        { wait_seconds: "26" }
      ])
        assert.deepStrictEqual(yield* said(read(query)), [422, "validation_failed"])
    })
  )

  it.effect(
    "shows a restaurant's events, to a limited caller its own alone, on its days, in pages and as a stream",
    () =>
      Effect.gen(function* () {
        yield* enroll("placed")
        const { business_date: today } = Testing.placedNow
        for (const [location_id, business_date] of [
          ["east", today],
          ["west", today],
          ["sold", today]
        ] as const) {
          const order = Testing.order(`placed-${location_id}`, 500, { ...Testing.placedNow, business_date })
          yield* Testing.call("accrual.post", {
            context: Testing.context(),
            member_id: "placed",
            order: { ...order, scope: { ...order.scope, location_id } }
          })
        }
        const franchisees = [
          { from: "2020-01-01", franchisee_id: "old" },
          { from: today, franchisee_id: "new" }
        ]
        yield* TestServer.send(
          `${Operators.api}/locations`,
          { location_id: "sold", name: "Sold", franchisees },
          { method: "PUT", headers: Operators.root }
        )
        yield* behind
        const limitedTo = (limits: object) =>
          Effect.map(Operators.issue({ scopes: ["developer:read"], ...limits }), ({ secret }) => secret)
        const orders = (response: TestServer.Response) =>
          eventsIn(response).map(({ data }) => ("order_id" in data ? [data.order_id, data.member_id] : []))
        const whole = yield* read({ after: "0", location_id: "east" })
        assert.deepStrictEqual(orders(whole), [["placed-east", "placed"]])
        assert.deepInclude(eventsIn(whole)[0]?.data, { business_date: today, location_id: "east" })
        const east = yield* limitedTo({ location_ids: ["east"] })
        const own = yield* read({ after: "0" }, east)
        assert.deepStrictEqual(orders(own), [["placed-east", "placed"]])
        assert.deepStrictEqual(orders(yield* read({ after: "0" }, yield* limitedTo({ franchisee_ids: ["new"] }))), [
          ["placed-sold", "placed"]
        ])
        for (const limits of [{ franchisee_ids: ["old"] }, { brand_ids: ["none"] }])
          assert.deepStrictEqual(orders(yield* read({ after: "0" }, yield* limitedTo(limits))), [])
        // A place tells nothing, and is good for both.
        assert.match(nextIn(own), /^s[\w-]{100,}$/)
        assert.deepStrictEqual(orders(yield* read({ after: nextIn(own) }, east)), [])
        assert.deepStrictEqual(shown(yield* read({ after: nextIn(own) })), [])
        assert.deepStrictEqual(orders(yield* read({ after: nextIn(yield* read({ after: "0", limit: "1" })) }, east)), [
          ["placed-east", "placed"]
        ])
        const refused = yield* read({ location_id: "west" }, east)
        assert.strictEqual(refused.status, 403)
        assert.deepStrictEqual((yield* read({ location_id: "none" }, east)).body["errors"], refused.body["errors"])
        const [unknown, other] = [
          yield* read({ after: "0", member_id: "nobody" }, east),
          yield* read({ after: "0", member_id: "begin-1" }, east)
        ]
        assert.deepStrictEqual([unknown.status, eventsIn(unknown)], [other.status, eventsIn(other)])
        assert.strictEqual(nextIn(unknown).length, nextIn(other).length)
        // An age would tell when others sell, and who is a guest.
        const none = yield* read({ after: "0" }, yield* limitedTo({ brand_ids: ["none"] }))
        for (const { body } of [own, unknown, other, none])
          assert.deepStrictEqual(Object.keys(body), ["events", "next"])
        assert.property(whole.body, "lag_seconds")
        const port = yield* TestServer.port
        const text = yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${east}` }
          const response = await fetch(`http://127.0.0.1:${port}${path}/stream?after=0`, { headers })
          const reader = response.body!.getReader()
          let text = ""
          while (!text.includes("placed-east")) text += new TextDecoder().decode((await reader.read()).value)
          await reader.cancel()
          return text
        })
        assert.match(text, /^id: s/m)
        for (const name of ["west", "sold", "begin-1"]) assert.notInclude(text, name)
      })
  )

  it.effect(
    "shows refunds to whose the day of their order was, and redemptions to all who had the restaurant about then",
    () =>
      Effect.gen(function* () {
        yield* Handover.world("handed")
        yield* behind
        const of = (franchisee: string, member_id = "handed") =>
          Effect.gen(function* () {
            const { secret } = yield* Operators.issue({ scopes: ["developer:read"], franchisee_ids: [franchisee] })
            return eventsIn(yield* read({ after: "0", member_id }, secret)).map(aboutOf)
          })
        const soon = ["soon", "soon"]
        assert.deepStrictEqual(yield* of("giver"), ["before", "before-back", ...soon, "later", "later"])
        assert.deepStrictEqual(yield* of("taker"), ["after", "after-back", ...soon])
        // A move of today is of the order's day, too: it was taken from one guest and accrued for the other.
        const [giver, taker] = [yield* of("giver"), yield* of("taker")]
        yield* Handover.moved("handed", "handed-to")
        yield* behind
        assert.deepStrictEqual((yield* of("giver")).slice(0, -1), giver)
        assert.deepStrictEqual(yield* of("giver", "handed-to"), ["before"])
        assert.deepStrictEqual(yield* of("taker"), taker)
        assert.deepStrictEqual(yield* of("taker", "handed-to"), [])
      })
  )

  it.effect("answers a waiting reader when something was appended, and the member's account shows it", () =>
    Effect.gen(function* () {
      yield* enroll("waits")
      const after = nextIn(yield* behind)
      const waiting = yield* Effect.forkChild(read({ after, wait_seconds: "25" }))
      yield* earn("waits", "waited-for", 1_000)
      const answer = yield* Fiber.join(waiting)
      const [event] = eventsIn(answer)
      const account = yield* TestServer.send("/proto/v1/accounts/get", {
        context: Testing.context(),
        member_id: "waits",
        program_id
      })
      const [balance] = account.body["balances"] as ReadonlyArray<{ readonly amount: number }>
      assert.strictEqual(event?.type, "proto.order.accrued.v1")
      assert.strictEqual(event?.data.balances[0]?.amount, balance?.amount)
      const { body: inVain } = yield* read({ after: nextIn(answer), wait_seconds: "1" })
      assert.deepStrictEqual(inVain["events"], [])
      // Nobody waits any more: who does not wait gets what can be read, not what waiting readers were last told.
      yield* enroll("read-at-once")
      yield* Effect.repeat(read({ after: "0", limit: "1000" }), {
        until: (all) => shown(all).includes("proto.member.enrolled.v1 read-at-once")
      })
      assert.deepStrictEqual(shown(yield* read({ after: nextIn(answer) })), ["proto.member.enrolled.v1 read-at-once"])
    })
  )

  it.effect("answers a waiting reader without events once its restaurants are others", () =>
    Effect.gen(function* () {
      const { secret } = yield* Operators.issue({ scopes: ["developer:read"], franchisee_ids: ["waiting"] })
      const after = nextIn(yield* read({}, secret))
      let days = 0
      // Other restaurants each time: one of the changes comes while the reader waits.
      const change = Effect.suspend(() => {
        const from = new Date(Date.UTC(2020, 0, ++days)).toISOString().slice(0, 10)
        const place = { location_id: "waited", name: "Waited", franchisees: [{ from, franchisee_id: "waiting" }] }
        const changed = TestServer.send(`${Operators.api}/locations`, place, { method: "PUT", headers: Operators.root })
        return Effect.andThen(changed, KeyStore.refresh)
      })
      const waiting = read({ after, wait_seconds: "25" }, secret)
      const answer = yield* Effect.timeout(Effect.raceFirst(waiting, Effect.forever(change)), "10 seconds")
      assert.deepStrictEqual([answer.status, eventsIn(answer)], [200, []])
      assert.strictEqual((yield* read({ after: nextIn(answer) }, secret)).status, 200)
    })
  )

  it.effect("ends the stream of a token that is revoked and of a person who is disabled, and of nobody else", () =>
    Effect.gen(function* () {
      const port = yield* TestServer.port
      /** Opens a stream, and waits for its first bytes. */
      const open = (headers: Record<string, string>) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}${path}/stream`, { headers })
          assert.strictEqual(response.status, 200)
          const reader = response.body!.getReader()
          await reader.read()
          return reader
        })
      const ended = (reader: Effect.Success<ReturnType<typeof open>>) =>
        Effect.promise(async () => {
          while (!(await reader.read()).done);
        })
      const token = yield* Operators.issue({ scopes: ["developer:read"] })
      const { page, user } = yield* People.person("developer")
      const { authorization: _, ...cookie } = page
      const ofToken = yield* open(Operators.bearer(token.secret))
      const ofPerson = yield* open(cookie)
      const other = yield* open({ authorization: "Bearer proto-dev-token" })
      yield* Operators.post(`/tokens/${token.token_id}/revoke`, { reason: "sold" })
      yield* ended(ofToken)
      yield* Operators.post(`/staff/${user.user_id}/disable`, { reason: "left" })
      yield* ended(ofPerson)
      // It goes on: an event comes, and not the end.
      yield* enroll("streamed-on")
      const { done } = yield* Effect.promise(() => other.read())
      assert.isFalse(done)
      yield* Effect.promise(() => other.cancel())
    })
  )

  it.effect("streams events from the last id on, and ends when the service stops", () =>
    Effect.gen(function* () {
      const after = nextIn(yield* behind)
      yield* enroll("streamed-1")
      const port = yield* TestServer.port
      const open = (headers: Record<string, string>, query = "") =>
        Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}${path}/stream${query}`, {
            headers: { authorization: "Bearer proto-dev-token", ...headers }
          })
        )
      const response = yield* open({ "last-event-id": after })
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ""
      const until = (part: string) =>
        Effect.promise(async () => {
          while (!text.includes(part)) {
            const { done, value } = await reader.read()
            if (done) throw new Error(`ended: ${text}`)
            text += value
          }
        })
      yield* until("streamed-1")
      yield* enroll("streamed-2")
      yield* until("streamed-2")
      const [, id] = /id: (\S+)\ndata: .*streamed-1/.exec(text) ?? []
      const again = yield* open({ "last-event-id": id ?? "" })
      const other = again.body!.pipeThrough(new TextDecoderStream()).getReader()
      goesOn = false
      let rest = ""
      yield* Effect.promise(async () => {
        for (let part = await other.read(); !part.done; part = await other.read()) rest += part.value
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
      })
      assert.include(rest, "streamed-2")
      assert.notInclude(rest, "streamed-1")
      assert.strictEqual((yield* open({ "last-event-id": "elsewhere" })).status, 422)
      // A HEAD has no body, and so no end to wait for.
      const head = yield* TestServer.send(`${path}/stream`, undefined, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.body["text"]], [200, ""])
    })
  )
})
