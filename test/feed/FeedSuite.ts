/** What every version of the feed must keep; run in memory and on PostgreSQL. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Layer } from "effect"
import { Feed, timeSlackMs } from "../../src/feed/Feed.ts"
import type { FeedRecord } from "../../src/feed/Feed.ts"
import * as Position from "../../src/feed/Position.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { appendAll, record } from "../journal/Records.ts"

export const nameOf = ({ account, seq }: { readonly account: number; readonly seq: number }) => `${account}:${seq}`

/** Reads on in pages until so many records have come: transactions of other tests may hold them back for a moment. */
export const readAll = Effect.fnUntraced(function* (from: Position.Position, count: number, page = 7) {
  const feed = yield* Feed
  const all: Array<FeedRecord> = []
  for (let after = from; all.length < count; ) {
    const found = yield* feed.read(after, page)
    assert.isAtMost(found.length, page)
    all.push(...found)
    after = all.at(-1)?.position ?? from
    yield* Effect.yieldNow
  }
  return all
})

/** A position behind everything that was committed so far, once that can be read. */
export const drained = Effect.gen(function* () {
  const feed = yield* Feed
  let after = Position.beginning
  while ((yield* feed.oldestAfter(after)) !== undefined) {
    after = (yield* feed.read(after, 1_000)).at(-1)?.position ?? after
    yield* Effect.yieldNow
  }
  return after
})

export const feedSuite = <E>(name: string, layer: Layer.Layer<Feed | Journal, E>): void =>
  it.layer(layer, { excludeTestServices: true })(name, (it) => {
    const write = Effect.fnUntraced(function* (accounts: number, records: number, at?: number) {
      const journal = yield* Journal
      const numbers = yield* Effect.all(Array.from({ length: accounts }, () => journal.newAccountNumber))
      const all = Array.from({ length: records }, (_, index) => index + 1).flatMap((seq) =>
        numbers.map((account) => record(account, seq, at === undefined ? {} : { at }))
      )
      const outcomes = yield* appendAll(journal, all)
      assert.isTrue(outcomes.every(({ _tag }) => _tag === "committed"))
      return all
    })

    it.effect("every record comes once, those of an account in their order, in pages of any size", () =>
      Effect.gen(function* () {
        const from = yield* drained
        const written = yield* write(20, 5)
        for (const page of [1, 7, 1_000]) {
          const read = yield* readAll(from, written.length, page)
          assert.deepStrictEqual(read.map(nameOf).toSorted(), written.map(nameOf).toSorted())
          assert.deepStrictEqual(
            read.map(({ position }) => position),
            read.map(({ position }) => position).toSorted(Position.compare)
          )
          const next = new Map<number, number>()
          for (const { account, seq } of read) {
            assert.strictEqual(seq, (next.get(account) ?? 0) + 1)
            next.set(account, seq)
          }
        }
        const last = (yield* readAll(from, written.length)).at(-1)?.position
        assert.deepStrictEqual(yield* (yield* Feed).read(last ?? from, 10), [])
      })
    )

    it.effect("a record comes with all that the journal has of it", () =>
      Effect.gen(function* () {
        const from = yield* drained
        const [first] = yield* write(1, 1)
        const [{ passed, position: _, ...stored } = { passed: -1 }] = yield* readAll(from, 1)
        const journal = yield* Journal
        assert.deepStrictEqual([stored], [...(yield* journal.records(first?.account ?? 0, 1, 1))])
        assert.strictEqual(passed, 0)
      })
    )

    it.effect("reading on within a record gives it again, with the events that were passed", () =>
      Effect.gen(function* () {
        const feed = yield* Feed
        const from = yield* drained
        yield* write(1, 2)
        const [first, second] = yield* readAll(from, 2)
        if (first === undefined || second === undefined) throw new Error("two were written")
        const again = yield* feed.read({ ...first.position, n: 1 }, 10)
        assert.deepStrictEqual(
          again.map(({ passed, seq }) => [seq, passed]),
          [
            [first.seq, 1],
            [second.seq, 0]
          ]
        )
        assert.strictEqual(yield* feed.oldestAfter({ ...second.position, n: 1 }), second.at)
        assert.isUndefined(yield* feed.oldestAfter(second.position))
      })
    )

    it.effect("now is before all that is yet to come", () =>
      Effect.gen(function* () {
        const feed = yield* Feed
        yield* write(2, 1)
        yield* drained
        const from = yield* feed.now
        const written = yield* write(3, 1)
        const read = yield* readAll(from, written.length)
        assert.deepStrictEqual(read.slice(-3).map(nameOf).toSorted(), written.map(nameOf).toSorted())
      })
    )

    it.effect("a time is before every record of it and later, and behind those long before", () =>
      Effect.gen(function* () {
        const feed = yield* Feed
        // After all other tests' times, so that times rise with the order.
        const time = Date.UTC(2030, 0, 1)
        const gap = 2 * timeSlackMs
        const days = [] as Array<ReadonlyArray<string>>
        for (let day = 0; day < 5; day++) days.push((yield* write(2, 1, time + day * gap)).map(nameOf))
        yield* drained
        for (let day = 1; day < 5; day++) {
          const read = yield* feed.read(yield* feed.at(time + day * gap), 100)
          const names = read.map(nameOf)
          for (const name of days.slice(day).flat()) assert.include(names, name)
          for (const name of days.slice(0, day - 1).flat()) assert.notInclude(names, name)
        }
        assert.deepStrictEqual(yield* feed.at(0), Position.beginning)
        const future = yield* feed.at(time + 1_000 * gap)
        assert.notInclude((yield* feed.read(future, 100)).map(nameOf), days[0]?.[0])
      })
    )
  })
