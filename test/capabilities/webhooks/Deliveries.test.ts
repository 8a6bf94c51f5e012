/** contract/events.md *Delivery*, *Signatures*, *Replay*: with receivers on loopback, which behave and do not. */
import { assert, it } from "@effect/vitest"
import { CloudEvent, HTTP } from "cloudevents"
import type { Scope } from "effect"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { createHmac } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { credit, earn } from "../../../src/app/testing/Guests.ts"
import { machineNow } from "../../../src/base/time/Times.ts"
import * as Bounds from "../../../src/capabilities/webhooks/Bounds.ts"
import { Webhooks } from "../../../src/capabilities/webhooks/Webhooks.ts"
import { PrivateWebhooks } from "../../../src/capabilities/webhooks/WebhookUrl.ts"
import { crossedType } from "../../../src/contract/platform/EventTypes.ts"
import type { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import { CrossedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Receiver from "./Receiver.ts"
import { connector, deliveries, enrollAll, layer, pass, post, put, round, secret, until } from "./World.ts"

const minute = 60_000
const hour = 60 * minute

/** A connector of its own with a receiver of its own, and none of other tests beside it. */
const begin = Effect.fnUntraced(function* (id: string, configuration: object = {}) {
  const receiver = yield* Receiver.make
  yield* TestDatabase.query("DELETE FROM connectors")
  yield* pass(Bounds.pollMs)
  const { body, status } = yield* put(id, receiver.url, configuration)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return receiver
})

/** The signatures of a delivery by a secret. */
const signed = ({ body, headers }: Receiver.Heard, by: string): string =>
  `v1,${createHmac("sha256", Buffer.from(by.slice("whsec_".length), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
    .digest("base64")}`

const feed = Effect.map(
  TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" }),
  ({ body }) => body["events"] as ReadonlyArray<FeedEvent>
)

/** A test with a service of its own. Its clock begins with the machine's: the libraries of receivers compare them. */
const scene = <E>(name: string, test: () => Effect.Effect<void, E, Layer.Success<typeof layer> | Scope.Scope>) =>
  it.effect(`deliveries ${name}`, () =>
    Effect.andThen(TestClock.setTime(Date.now()), Effect.provide(Effect.scoped(test()), layer))
  )

scene("are the feed's events, signed, once each, in order", () =>
  Effect.gen(function* () {
    yield* enrollAll("before")
    const receiver = yield* begin("all")
    yield* enrollAll("one", "two")
    yield* earn("one", "order-1", 1_000)
    // A write freeze stops no delivery.
    yield* Effect.flatMap(WriteFreeze, (freeze) => freeze.set(true))
    yield* until(() => receiver.heard.length >= 3)
    const events = (yield* feed).filter(({ subject }) => subject !== "before")
    assert.deepStrictEqual(
      receiver.heard.map(({ event }) => event as unknown),
      [...events]
    )
    for (const heard of receiver.heard) {
      assert.strictEqual(heard.headers["webhook-id"], heard.event.id)
      assert.strictEqual(heard.headers["content-type"], "application/cloudevents+json")
      assert.strictEqual(heard.headers["webhook-signature"], signed(heard, secret))
    }
    const [newest] = yield* deliveries("all")
    assert.deepStrictEqual([newest?.event_id, newest?.status], [receiver.ids[2], "delivered"])
    const { health } = yield* connector("all")
    assert.deepStrictEqual(Object.keys(health).sort(), ["last_success_at", "waiting"])
    yield* pass(hour)
    assert.lengthOf(receiver.heard, 3)
  })
)

scene("are taken by the libraries of Standard Webhooks and CloudEvents", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("libraries", { include_artifacts: true })
    yield* enrollAll("library")
    yield* until(() => receiver.heard.length > 0)
    const { body, event, headers } = receiver.heard[0]!
    const signedHeaders = headers as Readonly<Record<string, string>>
    assert.deepStrictEqual(new Webhook(secret).verify(body, signedHeaders), event)
    assert.throws(() => new Webhook(secret).verify(`${body} `, signedHeaders))
    const read = HTTP.toEvent({ headers, body })
    if (Array.isArray(read)) return assert.fail("one event is no batch")
    // Throws unless it is one of CloudEvents.
    assert.strictEqual(new CloudEvent({ ...read }, true).id, event.id)
  })
)

scene("wait for the member's one before, and others do not wait; a failed one comes again", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("order")
    let failures = 2
    receiver.answering = ({ event }, answer) => {
      if (event.subject !== "slow" || failures === 0) return undefined
      failures--
      answer.writeHead(500).end("no")
      return "answered"
    }
    yield* enrollAll("slow", "fast")
    yield* earn("slow", "slow-1", 1_000)
    yield* earn("fast", "fast-1", 1_000)
    const subjects = () => receiver.heard.map(({ event }) => event.subject)
    yield* until(() => subjects().filter((one) => one === "fast").length >= 2)
    assert.strictEqual(subjects().filter((one) => one === "slow").length, 1)
    const waiting = yield* deliveries("order", "&status=pending")
    assert.deepStrictEqual(
      waiting.map(({ attempts, last_answer }) => [attempts.map(({ status }) => status), last_answer]),
      [
        [[], undefined],
        [[500], "no"]
      ]
    )
    assert.strictEqual((yield* connector("order")).health.waiting, 2)
    yield* pass(7_000)
    assert.strictEqual(failures, 0)
    yield* pass(40_000)
    yield* pass(Bounds.storeMs)
    assert.deepStrictEqual(
      receiver.heard.filter(({ event }) => event.subject === "slow").map(({ event }) => event.sequence),
      ["0000000000000001", "0000000000000001", "0000000000000001", "0000000000000002"]
    )
    assert.deepStrictEqual(yield* deliveries("order", "&status=pending"), [])
  })
)

scene("wait as long as 429 and 503 say, and do not follow a redirect", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("waits")
    const other = yield* Receiver.make
    const answers: Array<readonly [number, Record<string, string>]> = [
      [429, { "retry-after": "120" }],
      [503, { "retry-after": new Date((yield* machineNow) + 300_000).toUTCString() }],
      [307, { location: other.url }]
    ]
    receiver.answering = (_, answer) => {
      const next = answers.shift()
      if (next === undefined) return undefined
      answer.writeHead(...next).end()
      return "answered"
    }
    yield* enrollAll("patient")
    yield* until(() => receiver.heard.length >= 1)
    yield* pass(110_000)
    assert.lengthOf(receiver.heard, 1)
    yield* pass(10_000)
    assert.lengthOf(receiver.heard, 2)
    yield* pass(150_000)
    assert.lengthOf(receiver.heard, 2)
    yield* pass(30_000)
    assert.lengthOf(receiver.heard, 3)
    yield* pass(7_000)
    assert.lengthOf(receiver.heard, 4)
    assert.lengthOf(other.heard, 0)
    yield* pass(Bounds.storeMs)
    const [delivery] = yield* deliveries("waits")
    assert.deepStrictEqual(
      delivery?.attempts.map(({ status }) => status),
      [429, 503, 307, 204]
    )
  })
)

scene("of a receiver that never answers, closes half way, or sends a gigabyte cost nothing but the attempt", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("bad")
    let sent = 0
    receiver.answering = ({ event }, answer, request) => {
      switch (event.subject) {
        case "silent":
          return "answered"
        case "closes":
          request.socket.destroy()
          return "answered"
        case "much": {
          answer.writeHead(200, { "content-length": String(2 ** 30) })
          const chunk = Buffer.alloc(65_536, "x")
          const more = () => {
            while (!answer.destroyed && sent < 2 ** 30) {
              sent += chunk.length
              if (!answer.write(chunk)) return void answer.once("drain", more)
            }
          }
          more()
          return "answered"
        }
        default:
          return undefined
      }
    }
    yield* enrollAll("silent", "closes", "much", "good")
    yield* TestClock.adjust(Bounds.pollMs)
    const { round: one } = yield* Webhooks
    while (receiver.heard.length < 4) {
      yield* one
      yield* Effect.promise(setImmediate)
    }
    yield* pass(Bounds.answerMs)
    yield* pass(Bounds.storeMs)
    const found = new Map((yield* deliveries("bad")).map((one) => [one.event_id, one]))
    const of = (subject: string) => found.get(receiver.heard.find(({ event }) => event.subject === subject)!.event.id)
    assert.strictEqual(of("silent")?.attempts[0]?.error, "timeout")
    assert.include(["ECONNRESET", "EPIPE"], of("closes")?.attempts[0]?.error)
    assert.strictEqual(of("much")?.status, "delivered")
    assert.strictEqual(of("much")?.last_answer?.length, Bounds.answerBytes)
    assert.isBelow(sent, 2 ** 25)
    assert.strictEqual(of("good")?.status, "delivered")
  })
)

scene("go on where they were when a killed receiver comes back, with one attempt at a time meanwhile", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("down")
    const other = yield* Receiver.make
    yield* put("up", other.url)
    yield* receiver.kill
    const members = Array.from({ length: 20 }, (_, n) => `down-${n}`)
    yield* enrollAll(...members)
    yield* until(() => other.heard.length >= members.length)
    const before = yield* connector("down")
    assert.isDefined(before.health.failing_since)
    assert.isDefined(before.health.undelivered_since)
    yield* enrollAll("down-late")
    for (let passed = 0; passed < 2 * hour; passed += 5 * minute) yield* pass(5 * minute)
    assert.lengthOf(other.heard, members.length + 1, "others do not wait")
    const attempts = (yield* deliveries("down")).flatMap((one) => one.attempts)
    assert.isTrue(attempts.every(({ error }) => error === "ECONNREFUSED"))
    assert.isBelow(attempts.length, 8 + 4 + 14, "no more than one in 10 minutes")
    yield* receiver.listen
    yield* pass(10 * minute)
    yield* until(() => receiver.heard.length >= members.length + 1)
    assert.deepStrictEqual([...receiver.ids].sort(), [...other.ids].sort())
    const { health } = yield* connector("down")
    assert.deepInclude(health, { waiting: 0 })
    assert.notProperty(health, "failing_since")
  })
)

scene("go on at once where a test has reached the receiver that was down", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("tried")
    yield* receiver.kill
    const members = Array.from({ length: 6 }, (_, n) => `tried-${n}`)
    yield* enrollAll(...members)
    for (let passed = 0; passed < hour; passed += 5 * minute) yield* pass(5 * minute)
    // A test that fails changes nothing.
    assert.deepInclude((yield* post("test", { connector_id: "tried" })).body, { error: "ECONNREFUSED" })
    yield* receiver.listen
    yield* pass(Bounds.pollMs)
    assert.lengthOf(receiver.heard, 0, "the next probe is some minutes away")
    assert.deepInclude((yield* post("test", { connector_id: "tried" })).body, { status: 204 })
    yield* until(() => receiver.heard.length >= members.length + 1)
    assert.notProperty((yield* connector("tried")).health, "failing_since")
  })
)

scene("go on at once where a retry asks for it, of a receiver that was down and of one event that failed", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("mended")
    const retry = Effect.map(post("retry", { connector_id: "mended" }), ({ status }) => status)
    yield* receiver.kill
    const members = Array.from({ length: 6 }, (_, n) => `mended-${n}`)
    yield* enrollAll(...members)
    for (let passed = 0; passed < hour; passed += 5 * minute) yield* pass(5 * minute)
    yield* receiver.listen
    yield* pass(Bounds.pollMs)
    assert.lengthOf(receiver.heard, 0, "the next probe is some minutes away")
    assert.strictEqual(yield* retry, 202)
    yield* until(() => receiver.heard.length >= members.length)
    yield* pass(Bounds.pollMs)
    assert.deepStrictEqual((yield* connector("mended")).health.waiting, 0)
    // One event alone, which would wait five seconds, then half a minute.
    let isDown = true
    receiver.answering = (_, answer) => {
      if (!isDown) return undefined
      answer.writeHead(500).end("out of order")
      return "answered"
    }
    yield* enrollAll("mended-alone")
    yield* until(() => receiver.heard.length > members.length)
    yield* pass(Bounds.storeMs)
    isDown = false
    assert.isDefined((yield* deliveries("mended"))[0]?.next_attempt_at)
    assert.strictEqual(yield* retry, 202)
    yield* pass(Bounds.pollMs)
    yield* until(() => receiver.heard.length > members.length + 1)
    yield* post("status", { connector_id: "mended", enabled: false })
    assert.strictEqual(yield* retry, 409)
  })
)

scene("end with 410, and after 3 days without a success; the connector says why, until it is enabled", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("ends")
    receiver.answering = (_, answer) => {
      answer.writeHead(410).end()
      return "answered"
    }
    yield* enrollAll("gone-1")
    yield* until(() => receiver.heard.length >= 1)
    const gone = yield* connector("ends")
    assert.deepStrictEqual([gone.enabled, gone.health.disabled_reason, gone.version], [false, "gone", 2])
    assert.deepStrictEqual(
      (yield* deliveries("ends")).map(({ status }) => status),
      ["failed"]
    )
    yield* enrollAll("gone-2")
    receiver.answering = (_, answer) => {
      answer.writeHead(500).end()
      return "answered"
    }
    const { body } = yield* post("status", { connector_id: "ends", enabled: true })
    assert.notProperty((body["connector"] as { readonly health: object }).health, "disabled_reason")
    yield* enrollAll("gone-3")
    yield* until(() => receiver.heard.length >= 2)
    assert.strictEqual(receiver.heard[1]?.event.subject, "gone-3", "what happened meanwhile is not sent")
    yield* TestDatabase.query(
      `UPDATE connectors SET failing_since = failing_since - ${Bounds.connectorMs}, changes = changes + 1`
    )
    yield* pass(Bounds.pollMs)
    yield* pass(10 * minute)
    yield* pass(Bounds.pollMs)
    const failing = yield* connector("ends")
    assert.deepStrictEqual([failing.enabled, failing.health.disabled_reason], [false, "failing"])
    const { length } = receiver.heard
    yield* pass(hour)
    assert.lengthOf(receiver.heard, length)
  })
)

scene("have two signatures while a rotation lasts, by the machine's clock", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("rotates")
    const rotated = yield* post("rotate", { connector_id: "rotates", overlap_seconds: 3_600 })
    const next = String(rotated.body["secret"])
    yield* enrollAll("rotation-1")
    yield* until(() => receiver.heard.length >= 1)
    const [first] = receiver.heard
    assert.strictEqual(first!.headers["webhook-signature"], `${signed(first!, next)} ${signed(first!, secret)}`)
    assert.isDefined((yield* connector("rotates")).configuration.secret.overlap_until)
    yield* pass(hour)
    yield* enrollAll("rotation-2")
    yield* until(() => receiver.heard.length >= 2)
    const [, second] = receiver.heard
    assert.strictEqual(second!.headers["webhook-signature"], signed(second!, next))
    assert.isUndefined((yield* connector("rotates")).configuration.secret.overlap_until)
  })
)

scene("hold what a caller changed, rotated, disabled and deleted from the answer on", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("changes")
    const other = yield* Receiver.make
    let n = 0
    /** One event and one round, in which this node has not read the connectors again. */
    const tell = Effect.suspend(() => Effect.andThen(enrollAll(`change-${n++}`), round))
    yield* tell
    yield* until(() => receiver.heard.length >= 1)
    const rotated = yield* post("rotate", { connector_id: "changes", overlap_seconds: 0 })
    yield* tell
    yield* until(() => receiver.heard.length >= 2)
    const second = receiver.heard[1]!
    assert.strictEqual(second.headers["webhook-signature"], signed(second, String(rotated.body["secret"])))
    yield* put("changes", other.url)
    yield* tell
    yield* until(() => other.heard.length >= 1)
    assert.lengthOf(receiver.heard, 2, "the address before gets nothing")
    // Also where the event is read again before it is sent.
    other.answering = (_, answer) => {
      answer.writeHead(500).end()
      return "answered"
    }
    yield* tell
    yield* until(() => other.heard.length >= 2)
    yield* TestClock.adjust(7_000 - Bounds.storeMs)
    yield* post("status", { connector_id: "changes", enabled: false })
    yield* round
    assert.lengthOf(other.heard, 2, "a disabled connector gets nothing")
    other.answering = () => undefined
    yield* post("status", { connector_id: "changes", enabled: true })
    yield* tell
    yield* until(() => other.heard.length >= 3)
    yield* post("delete", { connector_id: "changes" })
    yield* tell
    yield* pass(Bounds.pollMs)
    assert.deepStrictEqual([receiver.heard.length, other.heard.length], [2, 3], "a deleted one gets nothing")
  })
)

scene("that were stored come no more after a kill, although one before them was in flight", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("killed")
    receiver.answering = ({ event }) => (event.subject === "held" ? "answered" : undefined)
    yield* enrollAll("held", "free-1", "free-2")
    yield* TestClock.adjust(Bounds.pollMs)
    const { progress, round: one } = yield* Webhooks
    yield* one
    const isStored = Effect.map(
      TestDatabase.query("SELECT count(*)::int AS n FROM deliveries WHERE status = 'delivered'"),
      ([row]) => row?.["n"] === 2
    )
    yield* Effect.repeat(Effect.andThen(progress, isStored), { until: (isDone) => isDone })
    // As another node that begins after a kill of this one.
    receiver.answering = () => undefined
    const next = Layer.provide(Layer.fresh(Webhooks.layer), Layer.succeed(PrivateWebhooks, true))
    yield* Effect.provide(
      until(() => receiver.heard.length >= 4),
      next
    )
    assert.deepStrictEqual(
      receiver.heard.map(({ event }) => event.subject),
      ["held", "free-1", "free-2", "held"]
    )
  })
)

scene("come again by a replay: of failed ones, of an interval, and of what was before the connector", () =>
  Effect.gen(function* () {
    yield* enrollAll("replay-1", "replay-2")
    const receiver = yield* begin("replays")
    yield* enrollAll("replay-3")
    yield* until(() => receiver.heard.length >= 1)
    const [id] = receiver.ids
    assert.strictEqual((yield* post("replay", { connector_id: "replays", event_ids: [id] })).status, 202)
    yield* until(() => receiver.heard.length >= 2)
    assert.deepStrictEqual(receiver.ids, [id ?? "", id ?? ""])
    assert.strictEqual((yield* post("replay", { connector_id: "replays", after: "0" })).status, 202)
    const all = yield* feed
    yield* until(() => receiver.heard.length >= 2 + all.length)
    assert.deepStrictEqual(
      receiver.ids.slice(2),
      all.map((event) => event.id)
    )
    assert.deepStrictEqual(yield* TestDatabase.query("SELECT FROM replays"), [])
    const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
    for (const wrong of [{}, { after: "x" }, { after: "0", event_ids: [id] }, { until: "0" }])
      assert.deepStrictEqual(yield* said(post("replay", { connector_id: "replays", ...wrong })), [
        422,
        "validation_failed"
      ])
    assert.deepStrictEqual(yield* said(post("replay", { connector_id: "replays", event_ids: ["none"] })), [
      404,
      "not_found"
    ])
    yield* post("status", { connector_id: "replays", enabled: false })
    assert.deepStrictEqual(yield* said(post("replay", { connector_id: "replays", after: "0" })), [409, "invalid_state"])
  })
)

scene("go on after another history of the database has begun, and after another node has delivered", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("epochs")
    yield* enrollAll("epoch-1")
    yield* until(() => receiver.heard.length >= 1)
    // As after a restore or a promotion. The place is in the same database, so it is as old as the journal.
    yield* TestDatabase.query("UPDATE installation SET epoch = epoch + 1")
    yield* enrollAll("epoch-2")
    yield* until(() => receiver.heard.length >= 2)
    // Another node has written: what this one knows does not count any more.
    yield* TestDatabase.query("UPDATE connectors SET changes = changes + 1")
    yield* enrollAll("epoch-3")
    yield* until(() => receiver.heard.length >= 3)
    assert.deepStrictEqual(
      receiver.heard.map(({ event }) => event.subject),
      ["epoch-1", "epoch-2", "epoch-3"]
    )
  })
)

scene("are those of the types and programmes that the connector names, with artifacts where it asks for them", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("some", {
      event_types: ["proto.issued-reward.issued.v1"],
      program_ids: ["demo-foodservice"],
      include_artifacts: true
    })
    const other = yield* Receiver.make
    yield* put("plain", other.url, { event_types: ["proto.issued-reward.issued.v1"] })
    yield* enrollAll("artist")
    const { body, status } = yield* TestServer.send(
      "/admin/api/v1/members/demo-foodservice/artist/rewards",
      { issued_reward_id: "art-1", reward_id: "free-bowl" },
      { headers: { authorization: "Bearer proto-dev-admin-key" } }
    )
    assert.strictEqual(status, 201, JSON.stringify(body))
    yield* until(() => receiver.heard.length > 0 && other.heard.length > 0)
    const [heard] = receiver.heard
    const [plain] = other.heard
    const { artifact, ...rest } = heard!.event.data["issued_reward"] as Record<string, unknown>
    assert.isDefined(artifact)
    assert.deepStrictEqual(plain!.event.data["issued_reward"], rest)
    assert.lengthOf(receiver.heard, 1)
  })
)

scene("tell crossed thresholds to the connector that asks, right after what crossed them", () =>
  Effect.gen(function* () {
    const thresholds = [
      { unit: "points", amount: 100 },
      { unit: "points", amount: 50 }
    ]
    const receiver = yield* begin("crossed", { thresholds })
    const [only, other] = [yield* Receiver.make, yield* Receiver.make]
    yield* put("only", only.url, { thresholds: [thresholds[0]], event_types: [crossedType] })
    yield* put("other", other.url)
    yield* enrollAll("climber")
    yield* credit("climber", 60)
    yield* credit("climber", 60)
    yield* credit("climber", -75)
    yield* until(() => receiver.heard.length >= 8 && other.heard.length >= 4 && only.heard.length >= 2)
    const summary = ({ heard }: Receiver.Receiver) =>
      heard.map(({ event: { data, type } }) =>
        type === crossedType ? `${data["unit"]} ${data["threshold"]} ${data["direction"]}` : type
      )
    assert.deepStrictEqual(summary(receiver), [
      "proto.member.enrolled.v1",
      "proto.balance.changed.v1",
      "points 50 up",
      "proto.balance.changed.v1",
      "points 100 up",
      "proto.balance.changed.v1",
      "points 100 down",
      "points 50 down"
    ])
    assert.deepStrictEqual(summary(only), ["points 100 up", "points 100 down"])
    assert.notInclude(summary(other).join(), "points")
    assert.notInclude(
      (yield* feed).map(({ type }) => type as string),
      crossedType
    )
    const decode = Schema.decodeUnknownSync(CrossedEvent)
    const crossed = receiver.heard.filter(({ event }) => event.type === crossedType)
    for (const { body } of crossed) assert.deepStrictEqual<unknown>(decode(JSON.parse(body)), JSON.parse(body))
    // A replay of one, and of all, has the same ids.
    const { id } = crossed[1]!.event
    const replayed = yield* post("replay", { connector_id: "crossed", event_ids: [id] })
    assert.strictEqual(replayed.status, 202)
    yield* until(() => receiver.heard.length >= 9)
    assert.strictEqual(receiver.heard[8]?.body, crossed[1]?.body)
    const ids = receiver.ids.slice(0, 8)
    yield* post("replay", { connector_id: "crossed", after: "0" })
    yield* until(() => receiver.heard.length >= 17)
    assert.deepStrictEqual(receiver.ids.slice(9), ids)
  })
)

scene("of a crossed threshold wait and come again like any other", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("crossing", { thresholds: [{ unit: "points", amount: 50 }] })
    let failures = 1
    receiver.answering = ({ event }, answer) => {
      if (event.type !== crossedType || failures === 0) return undefined
      failures--
      answer.writeHead(500).end()
      return "answered"
    }
    yield* enrollAll("again")
    yield* credit("again", 60)
    yield* credit("again", 60)
    yield* until(() => failures === 0)
    const waiting = yield* deliveries("crossing", "&status=pending")
    assert.deepStrictEqual(
      waiting.map(({ event_type }) => event_type),
      ["proto.balance.changed.v1", crossedType]
    )
    yield* pass(7_000)
    yield* until(() => receiver.heard.length >= 5)
    assert.deepStrictEqual(
      receiver.heard.map(({ event }) => event.type as string),
      ["proto.member.enrolled.v1", "proto.balance.changed.v1", crossedType, crossedType, "proto.balance.changed.v1"]
    )
    assert.strictEqual(receiver.heard[2]?.body, receiver.heard[3]?.body)
  })
)

scene("of a test come at once, to a disabled connector too, and its answer says what came of it", () =>
  Effect.gen(function* () {
    const receiver = yield* begin("tests")
    yield* post("status", { connector_id: "tests", enabled: false })
    receiver.answering = (_, answer) => {
      answer.writeHead(401).end("who are you?")
      return "answered"
    }
    const { body, status } = yield* post("test", { connector_id: "tests" })
    assert.strictEqual(status, 200)
    assert.deepInclude(body, { status: 401, body: "who are you?" })
    const [heard] = receiver.heard
    assert.strictEqual(heard?.event.type, "proto.ping.v1")
    assert.strictEqual(heard?.headers["webhook-signature"], signed(heard!, secret))
  })
)
