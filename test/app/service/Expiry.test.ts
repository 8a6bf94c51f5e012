/** Expiration by itself, on a clock that the test moves. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { account, balanceOf, body, credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { accountNumber, partitionOf } from "../../../src/core/cluster/Placement.ts"
import type { MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"
import { MemoryStorage } from "../../../src/core/journal/MemoryJournal.ts"

/** The number of the first account: the first number, in its own partition. */
const firstAccount = accountNumber(1, partitionOf(1))

const start = Date.UTC(2026, 6, 14, 10)
const day = 86_400_000

type Account = NonNullable<ReturnType<MemoryTables["accounts"]["get"]>>

describe("expiration by itself", () => {
  it.effect("Lots: points expire after their year at their very instant, and the tier is a new one", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* enroll("ada")
      yield* earn("ada", "order-1", 6000)
      assert.strictEqual((yield* account("ada")).tier_progress?.current_tier_id, "regular")
      yield* TestClock.adjust("366 days")
      const [expired, earned] = yield* ledgerOf("ada")
      assert.deepInclude(expired, {
        operation: "expiration",
        amount: -600,
        occurred_at: fromMillis(start + 365 * day)
      })
      assert.strictEqual(expired?.related_entry_id, earned?.entry_id)
      const now = yield* account("ada")
      assert.strictEqual(now.balances[0]?.amount, 0)
      assert.strictEqual(now.tier_progress?.current_tier_id, "starter")
      assert.deepStrictEqual(now.expiring_balances, [])
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Redemption: a reservation expires by itself and gives its points back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* enroll("ada")
      yield* credit("ada", 100)
      const held = yield* body<ResponseOf<"redemption.reserve">>(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "red-1",
          member_id: "ada",
          reward_id: "one-off",
          order: Testing.order("order-1", 500, { status: "open" })
        })
      )
      assert.strictEqual((yield* balanceOf("ada")).available, 0)
      yield* TestClock.adjust("119 seconds")
      assert.strictEqual((yield* balanceOf("ada")).available, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* balanceOf("ada")).available, 100)
      const late = yield* Testing.call("redemption.capture", {
        context: Testing.context(),
        reservation_id: held.reservation.reservation_id,
        order_id: "order-1"
      })
      assert.deepInclude(late, { _tag: "Refusal", code: "expired" })
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Lots: what a hold needs of a lot expires the moment the hold ends", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* enroll("ada")
      yield* credit("ada", 250, fromMillis(start + 60_000))
      yield* Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id: "red-1",
        member_id: "ada",
        reward_id: "one-off",
        order: Testing.order("order-1", 500, { status: "open" })
      })
      yield* TestClock.adjust("60 seconds")
      assert.deepInclude(yield* balanceOf("ada"), { amount: 100, reserved: 100 })
      yield* TestClock.adjust("60 seconds")
      assert.deepInclude(yield* balanceOf("ada"), { amount: 0, reserved: 0 })
      const expirations = (yield* ledgerOf("ada")).filter((entry) => entry.operation === "expiration")
      assert.deepStrictEqual(
        expirations.map((entry) => [entry.amount, entry.occurred_at]),
        [
          [-100, fromMillis(start + 120_000)],
          [-150, fromMillis(start + 60_000)]
        ]
      )
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Lots: what falls due while nobody runs is posted at once afterwards, at its own instant", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { tables, write } = MemoryStorage.over((yield* MemoryStorage).tables)
      const over = Effect.provide(Testing.layerFromStorage({ tables, write }))
      yield* Effect.scoped(
        over(
          Effect.gen(function* () {
            yield* enroll("ada")
            yield* credit("ada", 10, fromMillis(start + day))
          })
        )
      )
      yield* TestClock.adjust("10 days")
      yield* Effect.scoped(
        over(
          Effect.gen(function* () {
            // The clock stands still: it is the start alone that sets this going.
            const [expired] = yield* Effect.repeat(Effect.andThen(Effect.yieldNow, ledgerOf("ada")), {
              until: ([newest]) => newest?.operation === "expiration",
              times: 1_000
            })
            assert.deepInclude(expired, { operation: "expiration", amount: -10, occurred_at: fromMillis(start + day) })
          })
        )
      )
    }).pipe(Effect.provide(MemoryStorage.layer))
  )

  it.effect("writes nothing while frozen, and posts at its own instant once writes go on", () => {
    let frozen = false
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* enroll("ada")
      yield* credit("ada", 10, fromMillis(start + 60_000))
      frozen = true
      yield* TestClock.adjust("100 seconds")
      assert.lengthOf(yield* ledgerOf("ada"), 1)
      assert.strictEqual((yield* balanceOf("ada")).amount, 0)
      frozen = false
      yield* TestClock.adjust("2 seconds")
      const [expired] = yield* ledgerOf("ada")
      assert.deepInclude(expired, { operation: "expiration", amount: -10, occurred_at: fromMillis(start + 60_000) })
    }).pipe(Effect.provide(Testing.layer(undefined, { mayWrite: () => !frozen })))
  })

  for (const [what, breaks] of [
    ["that cannot be read", (there: Account) => (there.records[0] = { ...there.records[0]!, events: "no JSON" })],
    ["whose row is wrong", (there: Account) => (there.records[1] = { ...there.records[1]!, events: "[]" })]
  ] as const) {
    it.effect(`an account ${what} holds up nobody else: it is skipped for longer and longer`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { tables, write } = MemoryStorage.over((yield* MemoryStorage).tables)
        const over = Effect.provide(Testing.layerFromStorage({ tables, write }), { local: true })
        yield* Effect.scoped(
          over(
            Effect.gen(function* () {
              for (const member of ["broken", "ada"]) {
                yield* enroll(member)
                yield* credit(member, 10, fromMillis(start + day))
              }
            })
          )
        )
        breaks(tables.accounts.get(firstAccount)!)
        const skips: Array<string> = []
        const logger = Logger.make(({ message }) => {
          const found = /Account (\d+) cannot post .* skipped for (\d+) ms/.exec(String(message))
          if (found !== null) skips.push(`${found[1]}: ${found[2]}`)
        })
        yield* Effect.scoped(
          over(
            Effect.gen(function* () {
              yield* TestClock.adjust("2 days")
              const [expired] = yield* ledgerOf("ada")
              assert.deepInclude(expired, { operation: "expiration", occurred_at: fromMillis(start + day) })
              // Later work of others is not held up either.
              yield* credit("ada", 10, fromMillis(start + 3 * day))
              yield* TestClock.adjust("2 days")
              assert.strictEqual((yield* ledgerOf("ada"))[0]?.operation, "expiration")
            })
          ).pipe(Effect.provide(Logger.layer([logger])))
        )
        assert.deepStrictEqual(skips.slice(0, 4), [
          `${firstAccount}: 1000`,
          `${firstAccount}: 2000`,
          `${firstAccount}: 4000`,
          `${firstAccount}: 8000`
        ])
        assert.include(skips, `${firstAccount}: 3600000`)
        assert.isBelow(skips.length, 150)
      }).pipe(Effect.provide(MemoryStorage.layer))
    )
  }

  it.effect("an account that was skipped is none of the skipped ones once another write has posted what was due", () =>
    Effect.gen(function* () {
      const skipped = Effect.map(Metric.snapshot, (all) =>
        all.flatMap(({ id, state }) =>
          id === "lotbook_expiry_skipped_accounts" && "value" in state ? state.value : []
        )
      )
      yield* TestClock.setTime(start)
      const { tables, write } = MemoryStorage.over((yield* MemoryStorage).tables)
      const over = Effect.provide(Testing.layerFromStorage({ tables, write }), { local: true })
      yield* Effect.scoped(over(Effect.andThen(enroll("ada"), credit("ada", 10, fromMillis(start + day)))))
      const there = tables.accounts.get(firstAccount)!
      const [first] = there.records
      there.records[0] = { ...first!, events: "no JSON" }
      yield* Effect.scoped(
        over(
          Effect.gen(function* () {
            yield* TestClock.adjust("2 days")
            assert.deepStrictEqual(yield* skipped, [1])
            there.records[0] = first!
            yield* credit("ada", 10)
            assert.strictEqual((yield* ledgerOf("ada"))[1]?.operation, "expiration")
            yield* TestClock.adjust("1 hour")
            assert.deepStrictEqual(yield* skipped, [0])
          })
        )
      )
    }).pipe(
      Effect.provide(MemoryStorage.layer),
      Effect.provide(Logger.layer([])),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.effect("Lots: twelve lots of each of 1,200 members expire within a year, at one instant or their own", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const members = Array.from({ length: 1_200 }, (_, index) => index)
      // Half of the members at once are more than one query of the journal lists.
      const nights = (member: number) =>
        Array.from({ length: 12 }, (_, lot) =>
          member % 2 === 0 ? start + (lot * 30 + 1) * day : start + (lot * 30 + 1 + (member % 30)) * day + member
        )
      const fill = (member: number) =>
        Effect.andThen(
          enroll(`m-${member}`),
          Effect.forEach(nights(member), (night) => credit(`m-${member}`, 5, fromMillis(night)))
        )
      yield* Effect.forEach(members, fill, { concurrency: 100 })
      const { tables } = yield* MemoryStorage
      // The test clock does not wait for a fiber that a busy machine holds up for long: what it sleeps then, it sleeps later.
      yield* Effect.repeat(TestClock.adjust("366 days"), {
        until: () => [...tables.accounts.values()].every(({ nextDue }) => nextDue === null)
      })
      for (const { entries, memberId, nextDue } of tables.accounts.values()) {
        const expired = entries.filter((entry) => entry.operation === "expiration")
        const member = Number(memberId.slice(2))
        assert.deepStrictEqual(
          expired.map((entry) => entry.occurredAt),
          nights(member)
        )
        assert.strictEqual(
          entries.reduce((sum, entry) => sum + entry.amount, 0),
          0
        )
        assert.isNull(nextDue)
      }
      assert.strictEqual(tables.accounts.size, members.length)
    }).pipe(Effect.provide(Testing.layer()))
  )
})
