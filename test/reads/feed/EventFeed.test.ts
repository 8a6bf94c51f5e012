/** contract/events.md *Events*, *Order*: the events of random histories, and that no reader misses one. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import { eventTypes } from "../../../src/contract/platform/EventTypes.ts"
import { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import * as ReservationId from "../../../src/core/account/ReservationId.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { PlacedEvent } from "../../../src/reads/feed/EventFeed.ts"
import * as EventFeed from "../../../src/reads/feed/EventFeed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Place from "../../../src/reads/feed/Place.ts"
import { accrue, cancel, day, expire, identities, issue, manual, reserve } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { demo, stamps, Traffic } from "../rollups/Traffic.ts"

const layer = EventFeed.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, Programs.layerFrom([demo, stamps]))),
  Layer.provideMerge(TestDatabase.layer)
)

const everything = { programs: undefined, accounts: undefined }

/** All events after a place, in pages of so many records, once nothing is held back any more. */
const readAll = Effect.fnUntraced(function* (
  from: Place.Place,
  records: number,
  wanted: EventFeed.Wanted = everything
) {
  const feed = yield* EventFeed.EventFeed
  const all: Array<PlacedEvent> = []
  let after = from
  for (;;) {
    const page = yield* feed.read(after, wanted, records)
    all.push(...page.events)
    after = page.next
    if (page.isLast && (wanted.accounts !== undefined || (yield* feed.oldestAfter(after)) === undefined)) return all
    yield* Effect.yieldNow
  }
})

/** Every name of a property. */
const namesIn = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(inner)])

const eventsOf = (all: ReadonlyArray<PlacedEvent>) => all.map(({ event }) => event)

const byMember = (all: ReadonlyArray<FeedEvent>) => {
  const members = new Map<string, Array<FeedEvent>>()
  for (const event of all) {
    const key = `${event.source} ${event.subject}`
    members.set(key, [...(members.get(key) ?? []), event])
  }
  return members
}

const entriesIn = ({ data }: FeedEvent) => ("entries" in data ? (data.entries ?? []) : [])

it.layer(layer, { excludeTestServices: true, timeout: 60_000 })("events of random histories", (it) => {
  it.effect("fit the contract, say nothing personal, and tell each member's changes without a gap", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("ada", RandomOf.make(11, "events"))
      yield* traffic.run(400)
      // Rare events of random members: the whole life of wallet rewards, new identities, an erasure, and due times.
      // Tiers of the demo count from 2026 on.
      traffic.now = Math.max(traffic.now, Date.UTC(2026, 1, 1))
      const guest = yield* traffic.enroll("ada-wallet")
      for (const action of [issue("w-1"), issue("w-2"), reserve(1, { issued: "w-1" })])
        yield* traffic.act(guest, action)
      const reservation = ReservationId.make(guest.account, guest.state.seq)
      yield* traffic.act(guest, issue("w-3", { expires: traffic.now + 1_000 }))
      traffic.now += 2_000
      for (const action of [
        { type: "capture", reservation, order: "hold-1" } as const,
        { type: "reverse", reservation, reason: "secret reason" } as const,
        cancel("w-2"),
        identities(["another"]),
        expire,
        accrue("rise", 90_000),
        manual(70, { expires: traffic.now + 20 * day, reason: "secret reason" })
      ])
        yield* traffic.act(guest, action)
      traffic.now += 15 * day
      for (const action of [expire, { type: "erase", reason: "secret reason" } as const])
        yield* traffic.act(guest, action)
      const all = eventsOf(yield* readAll(Place.beginning, 500))
      const decode = strictDecoder(FeedEvent)
      for (const event of all)
        assert.deepStrictEqual(Result.getFailure(decode(event)), Result.getFailure(Result.succeed(0)))
      assert.sameMembers([...new Set(all.map(({ type }) => type))], [...eventTypes])
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
      const text = JSON.stringify(all)
      for (const secret of ["card-ada", "CODE-", "full stamp", "members merged", "secret", '"test"'])
        assert.notInclude(text, secret)
      const names = new Set(namesIn(all))
      for (const name of ["reason", "cancellation_reason", "artifact", "identities", "attributes", "actor"])
        assert.isFalse(names.has(name), name)
      const members = byMember(all)
      assert.strictEqual(members.size, traffic.members.length)
      for (const { account, name, program, state } of traffic.members) {
        const own = members.get(`/programs/${program.id} ${name}`) ?? []
        assert.deepStrictEqual(
          own.map(({ sequence }) => sequence),
          own.map((_, index) => String(index + 1).padStart(16, "0"))
        )
        assert.strictEqual(own.length, state.announced)
        // Each entry is told once, in its order.
        assert.deepStrictEqual(
          own.flatMap(entriesIn).map(({ entry_id }) => entry_id),
          Array.from({ length: state.entries }, (_, index) => `ent_${account.toString(36)}_${(index + 1).toString(36)}`)
        )
        const balances = new Map((own.at(-1)?.data.balances ?? []).map(({ amount, unit }) => [unit, amount]))
        for (const { posted, unit } of state.units) assert.strictEqual(balances.get(unit), posted)
        // Another order is the first one only after an adjustment closed the one before, or left nothing of it.
        const firsts = own.filter(({ data }) => "first_order" in data && data.first_order)
        const adjusted = own.filter(({ type }) => type === "proto.order.adjusted.v1")
        assert.isAtMost(firsts.length, 1 + adjusted.length)
      }
    })
  )

  it.effect("are the same in pages of any size, of one programme and of one member", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("pages", RandomOf.make(12, "events"))
      yield* traffic.run(60)
      const whole = yield* readAll(Place.beginning, 1_000)
      assert.deepStrictEqual(yield* readAll(Place.beginning, 7), whole)
      // From every place on, also in the middle of a record, the rest follows.
      for (const index of [0, 1, 2, 3, 50, 51, 52, whole.length - 1]) {
        const place = Place.fromText(Place.toText(whole[index]!.place))
        if (place === undefined) throw new Error("a place has a text")
        assert.deepStrictEqual(eventsOf(yield* readAll(place, 100)), eventsOf(whole.slice(index + 1)))
      }
      const ofStamps = yield* readAll(Place.beginning, 100, { ...everything, programs: new Set([stamps.id]) })
      assert.deepStrictEqual(
        ofStamps,
        whole.filter(({ event }) => event.programid === stamps.id)
      )
      const [{ account, name, program }] = traffic.members as [Traffic["members"][number]]
      const own = yield* readAll(Place.beginning, 3, { ...everything, accounts: [account] })
      assert.deepStrictEqual(
        own,
        whole.filter(({ event }) => event.subject === name && event.programid === program.id)
      )
    })
  )

  it.effect("number_events of migration 0015 numbers older records as the service numbers its own", () =>
    Effect.gen(function* () {
      yield* new Traffic("older", RandomOf.make(13, "events")).run(100)
      const numbers = TestDatabase.query("SELECT account, seq, announced FROM journal ORDER BY account, seq")
      const before = yield* numbers
      yield* TestDatabase.query("ALTER TABLE journal DISABLE TRIGGER journal_append_only")
      yield* TestDatabase.query("UPDATE journal SET announced = 0")
      yield* TestDatabase.query("SELECT number_events()")
      assert.deepStrictEqual(yield* numbers, before)
    })
  )

  it.effect("wait for a slower transaction that began before, and none comes behind a place", () =>
    Effect.gen(function* () {
      const feed = yield* EventFeed.EventFeed
      const traffic = new Traffic("slow", RandomOf.make(14, "events"))
      const from = (yield* readAll(Place.beginning, 1_000)).at(-1)?.place ?? Place.beginning
      const { clientConfig } = yield* Database
      const slow = yield* PgConnection.make(clientConfig)
      yield* slow.query("BEGIN", [], false)
      // It has an id before the others, and writes after them.
      yield* slow.query("SELECT pg_current_xact_id()")
      const one = yield* traffic.enroll("slow-one")
      const held = yield* feed.read(from, everything, 100)
      assert.deepStrictEqual([held.events, held.next], [[], from])
      const now = yield* feed.now
      assert.isDefined(yield* feed.oldestAfter(from))
      yield* slow.query(`INSERT INTO journal (account, seq, at, transaction, hash, epoch, program_version, version, events, reply,
          balances, announced)
        SELECT account, 2, at, pg_current_xact_id(), gen_random_uuid(), epoch, program_version, version,
          '[{"type":"status_changed","at":0,"status":"suspended","reason":"late"}]', '{"type":"none"}', balances, 2
        FROM journal WHERE account = (SELECT min(account) FROM journal WHERE seq = 1 AND account NOT IN (SELECT account FROM journal WHERE seq = 2))`)
      yield* slow.query("COMMIT", [], false)
      for (const place of [from, now])
        assert.deepStrictEqual(
          eventsOf(yield* readAll(place, 100))
            .map(({ subject, type }) => [type, subject])
            .slice(-1),
          [["proto.member.enrolled.v1", one.name]]
        )
      assert.strictEqual((yield* readAll(from, 100)).length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("begin at the first commit at or after an instant", () =>
    Effect.gen(function* () {
      const feed = yield* EventFeed.EventFeed
      yield* new Traffic("since", RandomOf.make(15, "events")).run(30)
      // An hour between two records, so that a search that ended early or late would show.
      yield* TestDatabase.query("ALTER TABLE journal DISABLE TRIGGER journal_append_only")
      yield* TestDatabase.query(`UPDATE journal j SET written_at = n.place * 3600000 FROM (SELECT account, seq,
        dense_rank() OVER (ORDER BY epoch, transaction) AS place FROM journal) n
        WHERE n.account = j.account AND n.seq = j.seq`)
      const places = (yield* TestDatabase.query(
        "SELECT DISTINCT epoch, transaction::text AS transaction, written_at::text AS at FROM journal ORDER BY 3"
      )) as ReadonlyArray<{ readonly epoch: number; readonly transaction: string; readonly at: string }>
      for (const { at, epoch, transaction } of places)
        for (const since of [Number(at), Number(at) - 1]) {
          const { position } = yield* feed.since(since)
          assert.deepStrictEqual([position.epoch, position.transaction], [Number(epoch), BigInt(transaction)])
        }
      // The horizon rises with the transactions of all databases of the server: it is between a look before and one after.
      const earlier = yield* feed.now
      const since = yield* feed.since(1e13)
      const later = yield* feed.now
      assert.isFalse(Place.isAfter(earlier, since) || Place.isAfter(since, later))
    })
  )
})

it("a position is a text that the feed has made, and no other", () => {
  const place = { position: { epoch: 3, transaction: 2n ** 40n + 1n, account: 2 ** 45, seq: 7 }, skipped: 2 }
  const text = Place.toText(place)
  assert.deepStrictEqual(Place.fromText(text), place)
  for (const other of ["", "1", `${text} `, `p0${text.slice(1)}`, text.toUpperCase(), `${text}.1`, "pzzzzzz.0.0.0.0"])
    assert.isUndefined(Place.fromText(other), other)
})
