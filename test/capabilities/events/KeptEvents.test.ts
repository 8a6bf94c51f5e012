/** Holds contract/databases.md *Retention* of guests' events: old ones go, and an event is recorded once for good. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { retention } from "../../../src/capabilities/events/EventStore.ts"
import type { GuestEvent } from "../../../src/contract/platform/Events.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { keptMs, round } from "../../core/retention/Rounds.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const path = "/platform/v1/events"
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)
const limit = keptMs("guest_events")

const facts = (key: string, more: object = {}) => ({
  idempotency_key: `key-of-${key}`,
  event_id: key,
  type: "app.opened",
  member_id: "ada",
  program_id,
  source: "app",
  value: { amount: 1250, currency: "USD" },
  location_id: "forum",
  properties: { screen: "menu" },
  ...more
})
const record = (body: object) => TestServer.send(path, body)
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const eventOf = ({ body }: TestServer.Response) => body["event"] as GuestEvent
const list = Effect.map(
  TestServer.send(`${path}?program_id=${program_id}`, undefined, { method: "GET" }),
  ({ body }) => ({
    ids: (body["events"] as ReadonlyArray<GuestEvent>).map(({ event_id }) => event_id),
    from: body["kept_from"]
  })
)

/** Moves the recording of an event to a time, ms. */
const moved = (id: string, at: number) =>
  TestDatabase.query(`UPDATE behaviour SET recorded_at = ${at}, occurred_at = ${at} WHERE event_id = '${id}'`)

it.effect("an event of 25 months ago goes, and its key and id are known for good", () =>
  Effect.gen(function* () {
    yield* enroll("ada")
    yield* enroll("bo")
    yield* record(facts("visit-1"))
    yield* record(facts("visit-2"))
    yield* moved("visit-1", -limit - 1)
    yield* moved("visit-2", -limit)
    const before = eventOf(yield* record(facts("visit-1")))
    assert.deepStrictEqual(yield* round(retention), ["worked", "worked", "idle"])
    assert.deepStrictEqual(yield* list, { ids: ["visit-2"], from: new Date(-limit).toISOString() })

    const again = yield* record(facts("visit-1"))
    assert.strictEqual(again.status, 200)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual(eventOf(again), before)
    assert.deepStrictEqual(yield* said(record(facts("visit-1", { type: "app.closed" }))), [409, "idempotency_conflict"])
    assert.deepStrictEqual(yield* said(record(facts("visit-1", { member_id: "bo" }))), [409, "idempotency_conflict"])
    assert.deepStrictEqual(yield* said(record(facts("visit-1", { idempotency_key: "another-key" }))), [409, "conflict"])
    const batch = yield* TestServer.send(`${path}/batch`, { events: [facts("visit-1"), facts("visit-3")] })
    const results = batch.body["results"] as ReadonlyArray<{ readonly status: number }>
    assert.deepStrictEqual(
      results.map(({ status }) => status),
      [200, 201]
    )
    assert.deepStrictEqual((yield* list).ids.toSorted(), ["visit-2", "visit-3"])
  }).pipe(Effect.provide(layer))
)

it.effect("an insertion that waits for the deletion of the same event records nothing", () =>
  Effect.gen(function* () {
    yield* enroll("ada")
    yield* record(facts("visit-1"))
    // As the insertion sees it that began before the deletion was committed: the row is gone, the key was kept meanwhile.
    yield* TestDatabase.query(
      `CREATE FUNCTION deleted_meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO behaviour_keys VALUES (NEW.key, NEW.fingerprint, NEW.event_id, NEW.account, 0, 0); RETURN NEW; END $$`
    )
    yield* TestDatabase.query(
      "CREATE TRIGGER meanwhile BEFORE INSERT ON behaviour FOR EACH ROW EXECUTE FUNCTION deleted_meanwhile()"
    )
    const refused = yield* record(facts("visit-2"))
    assert.strictEqual(refused.status, 503, "the caller sends it again")
    assert.deepStrictEqual((yield* list).ids, ["visit-1"])
  }).pipe(Effect.provide(layer))
)
