/** contract/events.md *Delivery*: order, pauses, failing and what is stored, without a receiver. */
import { assert, describe, it } from "@effect/vitest"
import * as Bounds from "../../../src/capabilities/webhooks/Bounds.ts"
import type { Delivered, Item, Row, Wanted } from "../../../src/capabilities/webhooks/Delivery.ts"
import { Queue } from "../../../src/capabilities/webhooks/Queue.ts"
import type { Outcome } from "../../../src/capabilities/webhooks/Sender.ts"
import { crossedType } from "../../../src/contract/platform/EventTypes.ts"
import type { CrossedEvent, FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import type { Place } from "../../../src/reads/feed/Place.ts"
import * as PlaceOf from "../../../src/reads/feed/Place.ts"
import * as RandomOf from "../../model/Random.ts"

const minute = 60_000
const hour = 60 * minute
const begin = Date.UTC(2026, 6, 14)
/** No pause is varied. */
const middle = 0.5

const place = (n: number, account: number): Place => ({
  position: { epoch: 1, transaction: BigInt(n), account, seq: n },
  skipped: 0
})
const placed = (n: number, account: number): Wanted => ({
  event: { id: `e${n}`, type: "proto.order.accrued.v1" } as FeedEvent,
  place: place(n, account),
  crossing: 0
})
/** Thresholds that an event crossed. */
const crossed = (n: number, account: number, crossing: number): Wanted => ({
  event: { id: `e${n}.${crossing}`, type: crossedType } as CrossedEvent,
  place: place(n, account),
  crossing
})

const healthy = { lastSuccessAt: undefined, failingSince: undefined }

/** A queue with the events of these members, numbered from 1. */
const queueOf = (...accounts: ReadonlyArray<number>): Queue => {
  const queue = new Queue(place(0, 0), healthy, [])
  add(queue, 1, ...accounts)
  return queue
}
const add = (queue: Queue, first: number, ...accounts: ReadonlyArray<number>) => {
  const events = accounts.map((account, index) => placed(first + index, account))
  queue.add(queue.main, events, events.at(-1)?.place ?? queue.main.place, true)
}

const takeAll = (queue: Queue, now: number, most = Infinity): Array<Item> => {
  const items: Array<Item> = []
  for (;;) {
    const item = queue.take(now, most)
    if (item === undefined) return items
    items.push(item)
  }
}
const idsOf = (items: ReadonlyArray<Item>) => items.map(({ id }) => id)
const outcome = (at: number, more: Partial<Outcome>): Outcome => ({ at, durationMs: 1, ...more })
const succeed = (queue: Queue, item: Item, now: number) =>
  queue.settle(item, outcome(now, { status: 204 }), now, middle)
const fail = (queue: Queue, item: Item, now: number, more: Partial<Outcome> = { status: 500 }) =>
  queue.settle(item, outcome(now, more), now, middle)

/** Writes what there is to write, and gives rows numbers from `first`. */
const write = (queue: Queue, now: number, first = 1) => {
  const changes = queue.takeChanges(now)
  queue.written(
    changes,
    changes.inserts.map((_, index) => first + index)
  )
  return changes
}
const storedPlace = (queue: Queue) => PlaceOf.toText(queue.main.stored)

describe("a connector's queue", () => {
  it("sends one event of a member at a time, others beside it, and at most max_in_flight at once", () => {
    const queue = queueOf(1, 1, 2, 3)
    const first = takeAll(queue, begin, 2)
    assert.deepStrictEqual(idsOf(first), ["e1", "e3"])
    succeed(queue, first[0]!, begin)
    assert.deepStrictEqual(idsOf(takeAll(queue, begin)), ["e4", "e2"])
  })

  it("sends again after 5 s, 30 s, 2 min, 10 min and every hour, or later if the receiver says so", () => {
    const queue = queueOf(1)
    let now = begin
    for (const pause of [5_000, 30_000, 2 * minute, 10 * minute, hour, hour]) {
      const [item] = takeAll(queue, now)
      add(queue, 100, 2)
      const [other] = takeAll(queue, now)
      fail(queue, item!, now)
      succeed(queue, other!, now)
      assert.deepStrictEqual(takeAll(queue, now + pause - 1), [])
      now += pause
    }
    const [item] = takeAll(queue, now)
    fail(queue, item!, now, { status: 500, retryAfterMs: 3 * hour })
    assert.deepStrictEqual(takeAll(queue, now + 3 * hour - 1), [])
    assert.lengthOf(takeAll(queue, now + 3 * hour), 1)
  })

  it("waits as long as 429 and 503 say, without counting the attempt; other members do not wait", () => {
    const queue = queueOf(1, 2)
    const [one, two] = takeAll(queue, begin)
    for (const [item, status] of [
      [one, 429],
      [two, 503]
    ] as const)
      fail(queue, item!, begin, { status, retryAfterMs: 2_000 })
    add(queue, 3, 3)
    assert.deepStrictEqual(idsOf(takeAll(queue, begin)), ["e3"])
    const again = takeAll(queue, begin + 2_000)
    assert.deepStrictEqual(
      again.map(({ tries }) => tries),
      [0, 0]
    )
    fail(queue, again[0]!, begin + 2_000)
    assert.strictEqual(again[0]!.nextAt, begin + 7_000, "the first pause is the first one")
  })

  it("gives an event up after 6 hours in which others succeeded, and then sends the member's next one", () => {
    const queue = queueOf(1, 1)
    let now = begin
    for (;;) {
      const [item] = takeAll(queue, now)
      if (item?.id === "e2") break
      add(queue, 100, 2)
      for (const other of takeAll(queue, now)) succeed(queue, other, now)
      if (item !== undefined) fail(queue, item, now)
      assert.isAtMost(now, begin + 6 * hour)
      now = Math.max(now + 1, queue.nextAt() ?? now)
    }
    assert.strictEqual(now, begin + 6 * hour + 1)
    const [failed] = write(queue, now).inserts.filter(({ stored }) => stored.status === "failed")
    assert.strictEqual(failed?.stored.event_id, "e1")
  })

  it("gives up nothing while all fail, and tries one at a time, at most 10 minutes apart, another one each time", () => {
    const queue = queueOf(1, 2, 3, 4, 5, 6)
    for (const item of takeAll(queue, begin, 5)) fail(queue, item, begin)
    assert.isTrue(queue.isFailing)
    let now = begin
    const probed: Array<string> = []
    const pauses: Array<number> = []
    while (now < begin + 10 * hour) {
      const next = queue.nextAt()!
      pauses.push(next - now)
      now = next
      const items = takeAll(queue, now)
      assert.lengthOf(items, 1)
      probed.push(items[0]!.id)
      fail(queue, items[0]!, now)
      assert.deepStrictEqual(takeAll(queue, now), [])
    }
    assert.strictEqual(probed[0], "e6", "the one that was not tried yet")
    assert.deepStrictEqual([...new Set(probed)].sort(), ["e1", "e2", "e3", "e4", "e5", "e6"])
    assert.deepStrictEqual(pauses.slice(0, 5), [5_000, 30_000, 2 * minute, 10 * minute, 10 * minute])
    assert.deepStrictEqual(queue.wanted(), [], "nothing more is read meanwhile")
    const [probe] = takeAll(queue, queue.nextAt()!)
    succeed(queue, probe!, now)
    assert.lengthOf(takeAll(queue, now), 5, "the first success sends all that waits")
    assert.isUndefined(queue.failingSince)
  })

  it("is disabled by 410, and by failures without a success for 3 days", () => {
    const gone = queueOf(1)
    fail(gone, takeAll(gone, begin)[0]!, begin, { status: 410 })
    assert.strictEqual(write(gone, begin).disabled, "gone")
    assert.deepStrictEqual(takeAll(gone, begin + hour), [])
    const failing = queueOf(1)
    let now = begin
    while (!failing.isDisabled) {
      fail(failing, takeAll(failing, now)[0]!, now)
      assert.isAtMost(now, begin + 72 * hour + hour)
      now = failing.nextAt() ?? now
    }
    assert.isAtLeast(now, begin + 72 * hour)
    assert.strictEqual(write(failing, now).disabled, "failing")
  })

  it("stores what fails and what is behind it, so that the place goes on, and forgets the events", () => {
    const queue = queueOf(1, 1, 2, 3)
    const [one, two] = takeAll(queue, begin, 2)
    fail(queue, one!, begin)
    const { inserts } = write(queue, begin)
    assert.deepStrictEqual(
      inserts.map(({ stored }) => [stored.event_id, stored.status, stored.attempts.length]),
      [
        ["e1", "pending", 1],
        ["e2", "pending", 0]
      ]
    )
    assert.strictEqual(storedPlace(queue), PlaceOf.toText(place(2, 1)), "before the one that is in flight")
    assert.isUndefined(one!.event)
    succeed(queue, two!, begin)
    for (const item of takeAll(queue, begin)) succeed(queue, item, begin)
    write(queue, begin, 10)
    assert.strictEqual(storedPlace(queue), PlaceOf.toText(place(4, 3)))
    assert.isFalse(queue.isChanged)
  })

  it("stores one that is in flight for a second, so that a slow answer does not hold the place back", () => {
    const queue = queueOf(1, 2)
    const [slow, fast] = takeAll(queue, begin)
    succeed(queue, fast!, begin)
    write(queue, begin)
    assert.strictEqual(storedPlace(queue), PlaceOf.toText(place(0, 0)))
    const { inserts } = queue.takeChanges(begin + Bounds.storeMs)
    // It is delivered while it is written.
    succeed(queue, slow!, begin + Bounds.storeMs)
    assert.deepStrictEqual(
      inserts.map(({ stored }) => [stored.event_id, stored.status]),
      [["e1", "pending"]]
    )
  })

  it("updates the row of a delivery that ended while it was written, and adds none", () => {
    const queue = queueOf(1)
    const [slow] = takeAll(queue, begin)
    const changes = queue.takeChanges(begin + Bounds.storeMs)
    succeed(queue, slow!, begin + Bounds.storeMs)
    queue.written(changes, [7])
    const { inserts, updates } = queue.takeChanges(begin + 2 * Bounds.storeMs)
    assert.deepStrictEqual(inserts, [])
    assert.deepStrictEqual(
      updates.map(({ n, status }) => [n, status]),
      [[7, "delivered"]]
    )
  })

  it("reads no more than it can hold, whatever the backlog, and goes on when there is room", () => {
    const queue = new Queue(place(0, 0), healthy, [])
    let read = 0
    while (queue.wanted().length > 0) {
      const accounts = Array.from({ length: Bounds.pageRecords }, (_, n) => read + n + 1)
      add(queue, read + 1, ...accounts)
      read += accounts.length
    }
    assert.isAtMost(read, Bounds.fresh + Bounds.pageRecords)
    for (const item of takeAll(queue, begin, 100)) succeed(queue, item, begin)
    write(queue, begin)
    assert.lengthOf(queue.wanted(), 1)
    add(queue, read + 1, 1, 2, 3, 4, 5, 6)
    for (const item of takeAll(queue, begin, 5)) fail(queue, item, begin)
    assert.lengthOf(queue.wanted(), 0, "nothing more while all fail")
  })

  it("after a restart sends what is stored in the feed's order, and nothing that the member had before", () => {
    const row = (n: number, at: number, account: number): Row => ({
      n,
      id: `e${at}`,
      type: "proto.order.accrued.v1",
      place: place(at, account),
      crossing: 0,
      replay: undefined,
      triedAt: undefined,
      tries: 0,
      since: undefined,
      nextAt: undefined
    })
    const queue = new Queue(place(1, 9), healthy, [row(2, 5, 1), row(1, 3, 1)])
    add(queue, 2, 1, 1, 2, 1)
    const sent: Array<string> = []
    for (let items = takeAll(queue, begin); items.length > 0; items = takeAll(queue, begin))
      for (const item of items) {
        sent.push(item.id)
        succeed(queue, item, begin)
      }
    assert.deepStrictEqual(sent, ["e3", "e4", "e5"])
  })

  it("ends a replay at its end, beside new events", () => {
    const queue = new Queue(place(10, 9), healthy, [])
    queue.addReplay(1, place(0, 0), place(2, 1))
    const [main, replay] = queue.wanted()
    assert.strictEqual(main, queue.main)
    queue.add(replay!, [placed(1, 1), placed(2, 1), placed(3, 1)], place(3, 1), false)
    add(queue, 11, 1)
    const sent: Array<string> = []
    for (let items = takeAll(queue, begin); items.length > 0; items = takeAll(queue, begin))
      for (const item of items) {
        sent.push(item.id)
        succeed(queue, item, begin)
      }
    assert.deepStrictEqual(sent, ["e1", "e2", "e11"])
    assert.isTrue(write(queue, begin).places.some(({ isDone, source }) => isDone && source === replay))
    assert.deepStrictEqual(queue.wanted(), [queue.main])
  })

  /** Every third event crosses two thresholds. */
  const numbersAt = (n: number) => (n % 3 === 0 ? [n, n + 0.1, n + 0.2] : [n])
  const eventsAt = (from: number) => (account: number, index: number) => {
    const n = from + index
    return n % 3 === 0 ? [placed(n, account), crossed(n, account, 1), crossed(n, account, 2)] : [placed(n, account)]
  }

  it("is behind no threshold that is neither told nor stored", () => {
    const queue = new Queue(place(0, 0), healthy, [])
    queue.add(queue.main, [placed(1, 1), placed(2, 1), crossed(2, 1, 1), crossed(2, 1, 2)], place(2, 1), true)
    const next = () => takeAll(queue, begin)[0]!
    const storedIds: Array<string> = []
    for (const [told, behind] of [
      ["e1", place(1, 1)],
      ["e2", place(1, 1)],
      ["e2.1", place(1, 1)],
      ["e2.2", place(2, 1)]
    ] as const) {
      const item = next()
      assert.strictEqual(item.id, told)
      succeed(queue, item, begin)
      storedIds.push(...write(queue, begin).inserts.map(({ stored }) => stored.event_id))
      assert.deepStrictEqual(queue.main.stored, behind)
    }
    assert.deepStrictEqual(storedIds, ["e1", "e2", "e2.1", "e2.2"])
  })

  it("after a restart tells what an event crossed after the event, and nothing twice that was stored", () => {
    const queue = new Queue(place(0, 0), healthy, [])
    const events = [placed(1, 1), crossed(1, 1, 1), crossed(1, 1, 2)]
    queue.add(queue.main, events, place(1, 1), true)
    succeed(queue, takeAll(queue, begin)[0]!, begin)
    fail(queue, takeAll(queue, begin)[0]!, begin)
    const pending = write(queue, begin).inserts.filter(({ stored }) => stored.status === "pending")
    const rows = pending.map(
      ({ item: { crossing, id, replay, nextAt, place: at, since, tries, triedAt, type } }, index): Row => ({
        ...{ n: 9 - index, id, type, place: at, crossing, replay, triedAt, tries, since, nextAt }
      })
    )
    // Another member's event held the place back, so that all of them are read again.
    const again = new Queue(place(0, 0), healthy, rows)
    again.add(again.main, events, place(1, 1), true)
    const sent: Array<string> = []
    for (let items = takeAll(again, begin + minute); items.length > 0; items = takeAll(again, begin + minute))
      for (const item of items) {
        sent.push(item.id)
        succeed(again, item, begin + minute)
      }
    assert.deepStrictEqual(sent, ["e1.1", "e1.2"])
  })

  it("has no more in flight and not stored than max_in_flight, so that a kill repeats no more", () => {
    const queue = queueOf(1, 2, 3, 4)
    const [first] = takeAll(queue, begin, 2)
    succeed(queue, first!, begin)
    assert.deepStrictEqual(takeAll(queue, begin, 2), [])
    assert.isTrue(queue.hasOutcomes)
    write(queue, begin)
    assert.deepStrictEqual(idsOf(takeAll(queue, begin, 2)), ["e3"])
  })

  it("after a restart sends nothing again that was delivered behind the stored place, of the feed and of a replay", () => {
    const delivered = [
      { id: "e2", place: place(2, 2), replay: undefined },
      { id: "e12", place: place(12, 2), replay: 7 },
      // An earlier replay of the same events says nothing about this one.
      { id: "e13", place: place(13, 3), replay: 6 }
    ]
    const queue = new Queue(place(0, 0), healthy, [], delivered)
    queue.addReplay(7, place(10, 0), place(13, 3))
    const [, replay] = queue.wanted()
    add(queue, 1, 1, 2, 3)
    queue.add(replay!, [placed(11, 1), placed(12, 2), placed(13, 3)], place(13, 3), true)
    const sent: Array<string> = []
    for (let items = takeAll(queue, begin); items.length > 0; items = takeAll(queue, begin))
      for (const item of items) {
        sent.push(item.id)
        succeed(queue, item, begin)
      }
    assert.deepStrictEqual(sent, ["e1", "e3", "e11", "e13"])
  })

  it("sends every event in the order of each member, whatever fails and whenever it is killed", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = RandomOf.make(seed, "queue")
      const total = 200
      const accounts = Array.from({ length: total }, () => random.whole(0, 11))
      const heard = new Map<number, Array<number>>()
      let rows = new Map<number, Row>()
      const delivered: Array<Delivered> = []
      const most = 4
      let kills = 0
      let stored: Place = place(0, 0)
      let next = 1
      let now = begin
      const open = () => new Queue(stored, healthy, [...rows.values()], delivered)
      let queue = open()
      for (let step = 0; step < 5_000; step++) {
        const [main] = queue.wanted()
        if (main !== undefined) {
          const from = Number(main.place.position.transaction) + 1
          const to = Math.min(total, from + random.whole(0, 29))
          queue.add(main, accounts.slice(from - 1, to).flatMap(eventsAt(from)), place(to, 0), to === total)
        }
        for (const item of takeAll(queue, now, most)) {
          const n = Number(item.id.slice(1))
          const account = accounts[Math.floor(n) - 1]!
          if (random.whole(0, 2) === 0) fail(queue, item, now)
          else {
            succeed(queue, item, now)
            heard.set(account, [...(heard.get(account) ?? []), n])
          }
        }
        if (random.whole(0, 2) === 0) {
          const changes = queue.takeChanges(now)
          const numbers = changes.inserts.map(() => next++)
          queue.written(changes, numbers)
          stored = queue.main.stored
          rows = new Map(rows)
          const all = [
            ...changes.inserts.map(({ stored: one }, index) => ({ ...one, n: numbers[index]! })),
            ...changes.updates.map((one) => ({ ...one, n: one.n! }))
          ]
          for (const {
            event_id: id,
            event_type: type,
            n,
            next_at: nextAt,
            place: text,
            crossing,
            since,
            status,
            tries
          } of all) {
            if (status !== "pending") {
              rows.delete(n)
              delivered.push({ id, place: PlaceOf.fromText(text)!, replay: undefined })
            } else
              rows.set(n, {
                n,
                id,
                type,
                place: PlaceOf.fromText(text)!,
                crossing,
                replay: undefined,
                triedAt: since,
                tries,
                since,
                nextAt
              })
          }
        }
        if (random.whole(0, 39) === 0) {
          queue = open()
          kills++
        }
        now += random.whole(0, minute - 1)
      }
      const all = [...heard.values()].flat()
      assert.isAtMost(all.length - new Set(all).size, kills * most, `seed ${seed}: events that came again`)
      for (let account = 0; account < 12; account++) {
        const wanted = accounts.flatMap((of, index) => (of === account ? numbersAt(index + 1) : []))
        const order = heard.get(account) ?? []
        assert.deepStrictEqual(
          [...new Set(order)].sort((a, b) => a - b),
          wanted,
          `seed ${seed}, member ${account}`
        )
        // Events that come again after a kill begin with one that came before, and go on in order.
        order.forEach((n, index) => {
          const before = order[index - 1]
          if (before === undefined || n <= before) return
          assert.isUndefined(
            wanted.find((other) => other > before && other < n),
            `seed ${seed}: ${n} came after ${before}: ${order.join(" ")} of ${wanted.join(" ")}`
          )
        })
      }
    }
  })
})
