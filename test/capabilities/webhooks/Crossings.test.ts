/** contract/events.md *Thresholds*: which crossings follow from the events of a record. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Crossings from "../../../src/capabilities/webhooks/Crossings.ts"
import type { Threshold } from "../../../src/contract/platform/Connectors.ts"
import type { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import type { PlacedEvent } from "../../../src/reads/feed/EventFeed.ts"

type Amount = readonly [unit: Threshold["unit"], amount: number]

/** The events of one record, each with its entries; `after`: the balances after all of them. */
const record = (seq: number, after: ReadonlyArray<Amount>, ...entries: ReadonlyArray<ReadonlyArray<Amount>>) =>
  entries.map((of, index): PlacedEvent => {
    const figures = (some: ReadonlyArray<Amount>) => some.map(([unit, amount]) => ({ unit, amount }))
    const position = { epoch: 1, transaction: 1n, account: 1, seq }
    const isLast = index === entries.length - 1
    return {
      event: {
        id: `${String(seq).padStart(4, "0")}-${index}`,
        type: "proto.order.accrued.v1",
        sequence: "0000000000000001",
        data: { program_id: "p", member_id: "m", balances: figures(after), entries: figures(of) }
      } as unknown as FeedEvent,
      place: isLast ? { position, skipped: 0 } : { position: { ...position, seq: seq - 1 }, skipped: index + 1 }
    }
  })

const points = (amount: number): Threshold => ({ unit: "points", amount })

/** Events that are told, as "unit threshold direction", by cause. */
const told = (events: ReadonlyArray<PlacedEvent>, ...thresholds: ReadonlyArray<Threshold>) =>
  [...Crossings.ofPage(events, thresholds)]
    .flatMap(([cause, all]) =>
      all.map(({ data: { direction, threshold, unit } }) => `${cause} ${unit} ${threshold} ${direction}`)
    )
    .toSorted()

describe("thresholds", () => {
  it("are crossed where the balance reaches them, and where it falls below", () => {
    const move = (before: number, after: number) =>
      told(record(1, [["points", after]], [["points", after - before]]), points(100)).map((one) => one.split(" ")[3])
    assert.deepStrictEqual(move(99, 100), ["up"])
    assert.deepStrictEqual(move(0, 5_000), ["up"])
    assert.deepStrictEqual(move(100, 99), ["down"])
    for (const [before, after] of [
      [99, 99],
      [100, 101],
      [101, 100],
      [98, 99],
      [100, 100]
    ] as const)
      assert.deepStrictEqual(move(before, after), [], `${before} to ${after}`)
  })

  it("are told in the order in which the balance passes them", () => {
    const thresholds = [points(300), points(100), points(200)]
    const ids = (events: ReadonlyArray<PlacedEvent>) =>
      [...Crossings.ofPage(events, thresholds).values()].flat().map(({ data }) => data.threshold)
    assert.deepStrictEqual(ids(record(1, [["points", 500]], [["points", 500]])), [100, 200, 300])
    assert.deepStrictEqual(ids(record(1, [["points", -5]], [["points", -505]])), [300, 200, 100])
  })

  it("of several events of one commit belong to the event that crossed", () => {
    // A full card: the order brings the tenth stamp, and the next event takes ten.
    const stamps = { unit: "stamps", amount: 10 } as const
    const events = record(
      7,
      [
        ["points", 50],
        ["stamps", 1]
      ],
      [
        ["points", 50],
        ["stamps", 3]
      ],
      [["stamps", -10]]
    )
    assert.deepStrictEqual(told(events, points(50), stamps), [
      "0007-0 points 50 up",
      "0007-0 stamps 10 up",
      "0007-1 stamps 10 down"
    ])
  })

  it("look at the sum of an event's entries, and at 0 as at any other amount", () => {
    assert.deepStrictEqual(
      told(
        record(
          1,
          [["points", 0]],
          [
            ["points", 500],
            ["points", -500]
          ]
        ),
        points(100)
      ),
      []
    )
    assert.deepStrictEqual(told(record(1, [["points", -1]], [["points", -31]]), points(0)), ["0001-0 points 0 down"])
    assert.deepStrictEqual(told(record(1, [["credits", 90]], [["credits", 90]]), points(50)), [])
  })

  it("have an id by which they are made again, and no sequence", () => {
    for (const amount of [-40, 0, 250]) {
      const events = record(3, [["points", amount]], [["points", 1_000]])
      const [found] = Crossings.ofPage(events, [points(5), points(amount)])
        .get("0003-0")!
        .filter(({ data }) => data.threshold === amount)
      assert.strictEqual(found?.id, `0003-0-points-${amount}`)
      assert.notProperty(found, "sequence")
      const threshold = Crossings.thresholdOf(found!.id)!
      assert.deepStrictEqual(threshold, points(amount))
      assert.deepStrictEqual(Crossings.ofPage(events, [threshold]).get("0003-0"), [found!])
    }
    assert.isUndefined(Crossings.thresholdOf("0003-0"))
  })

  it("go up and down in turns, from below at first, whatever the changes are", () => {
    const changes = fc.array(fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 3 }), {
      maxLength: 30
    })
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 80 }), (records, amount) => {
        let balance = 0
        let isAbove = false
        records.forEach((sums, index) => {
          balance += sums.reduce((sum, one) => sum + one, 0)
          const events = record(
            index + 1,
            [["points", balance]],
            ...sums.map((one): ReadonlyArray<Amount> => [["points", one]])
          )
          for (const { event } of events)
            for (const { data } of Crossings.ofPage(events, [points(amount)]).get(event.id) ?? []) {
              assert.strictEqual(data.direction, isAbove ? "down" : "up")
              isAbove = !isAbove
            }
          assert.strictEqual(isAbove, balance >= amount)
        })
      })
    )
  })
})
