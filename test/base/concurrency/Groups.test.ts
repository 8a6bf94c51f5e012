import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Groups from "../../../src/base/concurrency/Groups.ts"

/** Groups that wait for `go`, and what they were. */
const waiting = Effect.fnUntraced(function* (inFlight: number, size: number) {
  const groups: Array<ReadonlyArray<number>> = []
  const go = yield* Deferred.make<void>()
  const send = yield* Groups.make({
    inFlight,
    size,
    run: (rows: ReadonlyArray<number>) => {
      groups.push(rows)
      if (rows.includes(-1)) return Effect.die(new Error("a bad row"))
      if (rows.includes(-2)) return Effect.fail("trouble")
      return Effect.as(
        Deferred.await(go),
        rows.map((row) => row * 10)
      )
    }
  })
  const all = (rows: ReadonlyArray<number>) =>
    Effect.forkChild(
      Effect.all(
        rows.map((row) => Effect.exit(send(row))),
        { concurrency: "unbounded" }
      ),
      { startImmediately: true }
    )
  return { all, groups, go: Deferred.succeed(go, undefined) }
})

const settled = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow)

describe("groups", () => {
  it.effect("take what comes in one turn, and gather while as many as may be are in flight", () =>
    Effect.gen(function* () {
      const { all, go, groups } = yield* waiting(1, 3)
      const first = yield* all([1, 2])
      yield* settled
      const later = yield* all([3, 4, 5, 6])
      yield* settled
      assert.deepStrictEqual(groups, [[1, 2]])
      yield* go
      const results = [...(yield* Fiber.join(first)), ...(yield* Fiber.join(later))]
      assert.deepStrictEqual(
        results,
        [10, 20, 30, 40, 50, 60].map((one) => Exit.succeed(one))
      )
      assert.deepStrictEqual(groups, [[1, 2], [3, 4, 5], [6]])
    })
  )

  it.effect("two may be in flight", () =>
    Effect.gen(function* () {
      const { all, go, groups } = yield* waiting(2, 3)
      const first = yield* all([1])
      yield* settled
      const second = yield* all([2])
      yield* settled
      const third = yield* all([3])
      yield* settled
      assert.deepStrictEqual(groups, [[1], [2]])
      yield* go
      for (const one of [first, second, third]) yield* Fiber.join(one)
      assert.deepStrictEqual(groups, [[1], [2], [3]])
    })
  )

  it.effect("a row with a defect fails no other; a failure is that of all", () =>
    Effect.gen(function* () {
      const { all, go, groups } = yield* waiting(1, 3)
      yield* go
      const [one, bad, other] = yield* Fiber.join(yield* all([1, -1, 2]))
      assert.deepStrictEqual([one, other], [Exit.succeed(10), Exit.succeed(20)])
      assert.isTrue(bad !== undefined && Exit.hasDies(bad))
      assert.deepStrictEqual(groups, [[1, -1, 2], [1], [-1], [2]])
      assert.deepStrictEqual(yield* Fiber.join(yield* all([3, -2])), [Exit.fail("trouble"), Exit.fail("trouble")])
    })
  )
})
