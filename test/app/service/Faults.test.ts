/** Callers and accounts when the journal fails under them, and when memory is short. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf, body, credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { accountNumber, partitionOf } from "../../../src/core/cluster/Placement.ts"
import type { Write } from "../../../src/core/journal/GroupCommit.ts"
import { WriteFailed } from "../../../src/core/journal/GroupCommit.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"
import { JournalUnavailable, type Snapshot } from "../../../src/core/journal/Records.ts"

/** The number of the first account: the first number, in its own partition. */
const firstAccount = accountNumber(1, partitionOf(1))

/** A storage whose next writes go through `fault`. */
const faulty = () => {
  const { tables, write } = MemoryStorage.over(new MemoryTables())
  let fault: ((write: Write) => Write) | undefined
  const through: Write = (group) => (fault ?? ((same) => same))(write)(group)
  return {
    tables,
    layer: Testing.layerFromStorage({ tables, write: through }),
    fail: (next: typeof fault) => {
      fault = next
    }
  }
}

const accrual = (key: string, order: string) =>
  Testing.call("accrual.post", {
    context: Testing.context(key),
    member_id: "ada",
    order: Testing.order(order, 1000, Testing.placedAt(0))
  })

describe("a journal that fails", () => {
  for (const [name, committed] of [
    ["was written", true],
    ["was not written", false]
  ] as const) {
    it.effect(`in doubt, and it ${name}: the caller gets 503, and the same key returns the outcome`, () => {
      const { fail, layer } = faulty()
      return Effect.gen(function* () {
        yield* enroll("ada")
        yield* earn("ada", "before", 500)
        fail(
          (write) => (group) =>
            Effect.andThen(
              committed ? write(group) : Effect.void,
              Effect.fail(new WriteFailed({ sent: true, cause: "cut" }))
            )
        )
        const outcomes = yield* Effect.all([accrual("the-key-1", "order-1"), accrual("the-key-2", "order-2")], {
          concurrency: 2
        })
        assert.deepStrictEqual(
          outcomes.map((outcome) => outcome._tag),
          ["Unavailable", "Unavailable"]
        )
        fail(undefined)
        yield* TestClock.adjust("5 seconds")
        const [again, twice] = [yield* accrual("the-key-1", "order-1"), yield* accrual("the-key-1", "order-1")]
        assert.strictEqual(again._tag, "Answer")
        assert.deepStrictEqual<unknown>(twice, { ...again, isReplay: true })
        yield* accrual("the-key-2", "order-2")
        assert.strictEqual((yield* ledgerOf("ada")).length, 3)
        assert.strictEqual((yield* balanceOf("ada")).amount, 250)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("a record written in doubt expires without another request", () => {
    const { fail, layer, tables } = faulty()
    return Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 100)
      fail(
        (write) => (group) => Effect.andThen(write(group), Effect.fail(new WriteFailed({ sent: true, cause: "cut" })))
      )
      const held = yield* Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id: "red-1",
        member_id: "ada",
        reward_id: "one-off",
        order: Testing.order("hold-1", 500, { status: "open", ...Testing.placedAt(0) })
      })
      assert.strictEqual(held._tag, "Unavailable")
      fail(undefined)
      const records = tables.accounts.get(firstAccount)?.records ?? []
      assert.strictEqual(records.length, 3)
      yield* TestClock.adjust("121 seconds")
      assert.include(records[3]?.events, "hold_expired")
    }).pipe(Effect.provide(layer))
  })

  it.effect("frozen in the storage before the switch is known here: nothing is written, and thawed it goes on", () =>
    Effect.gen(function* () {
      const { setFrozen } = yield* Journal
      yield* enroll("ada")
      yield* setFrozen(true)
      assert.strictEqual((yield* accrual("the-key-1", "order-1"))._tag, "Frozen")
      assert.strictEqual((yield* ledgerOf("ada")).length, 0)
      yield* setFrozen(false)
      assert.strictEqual((yield* accrual("the-key-1", "order-1"))._tag, "Answer")
    }).pipe(Effect.provide(Testing.layer()))
  )
})

describe("a journal that was tampered with", () => {
  it.effect("a record that cannot be read is a defect for who asks, not a wait for ever; mended, it goes on", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    const layer = Testing.layerFromStorage({ tables, write }, [Testing.demoProgram], { residentLimit: 1 })
    return Effect.gen(function* () {
      yield* enroll("ada")
      yield* earn("ada", "order-1", 1000)
      yield* enroll("ben")
      const records = tables.accounts.get(firstAccount)?.records ?? []
      const [first] = records
      if (first === undefined) throw new Error("ada has a record")
      records[0] = { ...first, events: "{" }
      const exit = yield* Effect.exit(accrual("the-key-1", "order-2"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      records[0] = first
      assert.strictEqual((yield* accrual("the-key-1", "order-2"))._tag, "Answer")
      assert.strictEqual((yield* balanceOf("ada")).amount, 200)
    }).pipe(Effect.provide(layer))
  })
})

describe("a first result that cannot be read", () => {
  it.effect("a repeat under another key gets the defect, not a wait for ever", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    const layer = () => Testing.layerFromStorage({ tables, write }, [Testing.demoProgram], { residentLimit: 1 })
    return Effect.gen(function* () {
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* enroll("ada")
          for (let n = 0; n < 25; n++) yield* earn("ada", `order-${n}`, 1000)
          yield* enroll("ben")
          yield* TestClock.adjust("1 second")
        }),
        layer()
      )
      const records = tables.accounts.get(firstAccount)?.records ?? []
      records[1] = { ...records[1]!, reply: "{" }
      const answered = yield* Effect.provide(
        Effect.gen(function* () {
          const repeat = yield* Effect.forkChild(Effect.exit(accrual("another-key", "order-0")))
          yield* Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
          return repeat.pollUnsafe()
        }),
        layer()
      )
      assert.isTrue(
        answered !== undefined &&
          Exit.isSuccess(answered) &&
          Exit.isFailure(answered.value) &&
          Cause.hasDies(answered.value.cause)
      )
    })
  })
})

describe("snapshots", () => {
  const history = Effect.gen(function* () {
    yield* enroll("ada")
    for (let n = 0; n < 25; n++) yield* earn("ada", `order-${n}`, 1000)
    const before = (yield* balanceOf("ada")).amount
    yield* enroll("ben")
    // Passivated: the snapshot is written in a fiber of its own.
    yield* TestClock.adjust("1 second")
    return before
  })

  for (const [name, damage] of [
    ["cut off", (snapshot: Snapshot) => ({ ...snapshot, state: snapshot.state.slice(0, -10) })],
    [
      "changed by hand",
      (snapshot: Snapshot) => ({ ...snapshot, state: snapshot.state.replace('"posted":250', '"posted":999') })
    ],
    ["of an unknown format", (snapshot: Snapshot) => ({ ...snapshot, version: 999 })]
  ] as const) {
    it.effect(`a snapshot that is ${name} is ignored and replaced`, () => {
      const { tables, write } = MemoryStorage.over(new MemoryTables())
      const layer = Testing.layerFromStorage({ tables, write }, [Testing.demoProgram], { residentLimit: 1 })
      return Effect.gen(function* () {
        const before = yield* history
        const sound = tables.snapshots.get(firstAccount)
        if (sound === undefined) throw new Error("ada was passivated with a snapshot")
        const damaged = damage(sound)
        assert.notDeepEqual(damaged, sound)
        tables.snapshots.set(1, damaged)
        assert.strictEqual((yield* balanceOf("ada")).amount, before)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(tables.snapshots.get(firstAccount), sound)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("an account comes back from its snapshot and the records after it, and reads no more than those", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    const layer = Testing.layerFromStorage({ tables, write }, [Testing.demoProgram], { residentLimit: 1 })
    return Effect.gen(function* () {
      const before = yield* history
      const records = tables.accounts.get(firstAccount)?.records ?? []
      const snapshot = tables.snapshots.get(firstAccount)
      assert.strictEqual(snapshot?.seq, records.length)
      records.fill({ ...records[0]!, events: "{" })
      assert.strictEqual((yield* balanceOf("ada")).amount, before)
    }).pipe(Effect.provide(layer))
  })
})

const manual = (key: string, amount: number) =>
  Testing.call("ledger.manual_adjustment", {
    context: Testing.context(key),
    member_id: "ada",
    program_id: "demo-foodservice",
    adjustment_id: "adjustment-1",
    amount,
    classification: "gift",
    reason: "test",
    qualifies_for_tier: false
  })

describe("a restarted service", () => {
  it.effect("Idempotency: the key's record comes first, also where memory knows only who has the identifier", () => {
    const storage = MemoryStorage.over(new MemoryTables())
    return Effect.gen(function* () {
      yield* Effect.andThen(enroll("ada"), manual("the-key-1", 100)).pipe(
        Effect.provide(Testing.layerFromStorage(storage))
      )
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* manual("the-key-2", 100))._tag, "Answer")
        assert.deepInclude(yield* manual("the-key-1", 101), { code: "idempotency_conflict" })
        assert.deepInclude(yield* manual("the-key-3", 101), { code: "conflict" })
        assert.strictEqual((yield* manual("the-key-1", 100))._tag, "Answer")
        assert.strictEqual((yield* ledgerOf("ada")).length, 1)
      }).pipe(Effect.provide(Testing.layerFromStorage(storage)))
    })
  })

  it.effect("a reservation whose account could not be read is not made, or has an id", () => {
    const storage = MemoryStorage.over(new MemoryTables())
    const reserve = (member_id: string) =>
      Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id: `redemption-${member_id}`,
        member_id,
        reward_id: "one-off",
        order: Testing.order("order-2", 500, { status: "open", ...Testing.placedAt(0) })
      })
    return Effect.gen(function* () {
      yield* Effect.andThen(enroll("ada"), earn("ada", "order-1", 5000)).pipe(
        Effect.provide(Testing.layerFromStorage(storage))
      )
      let failing = 1
      const flaky = Layer.effect(
        Journal,
        Effect.map(Journal, (journal) => ({
          ...journal,
          loadAccount: (account: number) =>
            Effect.suspend(() =>
              failing-- > 0 ? Effect.fail(new JournalUnavailable({ cause: "cut" })) : journal.loadAccount(account)
            )
        }))
      ).pipe(Layer.provide(Layer.fresh(MemoryJournal.layer)), Layer.provide(Layer.succeed(MemoryStorage, storage)))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* reserve("ada"))._tag, "Unavailable")
        const held = yield* reserve("ada")
        assert.strictEqual(held._tag, "Answer")
        assert.match(JSON.stringify(held), /"reservation_id":"rsv_/)
      }).pipe(Effect.provide(Testing.layerFromJournal(flaky)))
    })
  })
})

describe("memory that is short", () => {
  it.effect("passivated accounts come back from snapshot and journal as they were, replays included", () =>
    Effect.gen(function* () {
      const names = ["ada", "ben", "chi", "dina"]
      for (const name of names) yield* enroll(name)
      const first = yield* accrual("the-key-1", "order-1")
      for (let round = 0; round < 30; round++) {
        for (const name of names) yield* earn(name, `${name}-${round}`, 1000)
      }
      assert.deepStrictEqual<unknown>(yield* accrual("the-key-1", "order-1"), { ...first, isReplay: true })
      for (const name of names) {
        const ledger = yield* ledgerOf(name)
        assert.strictEqual(
          (yield* balanceOf(name)).amount,
          ledger.reduce((sum, entry) => sum + entry.amount, 0)
        )
        assert.strictEqual(ledger.length, name === "ada" ? 31 : 30)
      }
    }).pipe(Effect.provide(Testing.layer([Testing.demoProgram], { residentLimit: 1 })))
  )
})

describe("idle accounts", () => {
  it.effect("an account that nobody asks for a quarter of an hour leaves memory, and comes back as it was", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* enroll("ada")
      yield* earn("ada", "order-1", 1000)
      yield* enroll("ben")
      assert.strictEqual(accounts.resident(), 2)
      yield* TestClock.adjust("16 minutes")
      yield* balanceOf("ben")
      assert.strictEqual(accounts.resident(), 1)
      assert.strictEqual((yield* balanceOf("ada")).amount, 100)
    }).pipe(Effect.provide(Testing.layer()))
  )
})

describe("data that has left memory", () => {
  const earnTwenty = Effect.gen(function* () {
    yield* enroll("ada")
    for (let n = 0; n < 20; n++) yield* earn("ada", `order-${n}`, 1000)
  })
  /** Refunds of the first of them, at once: together all that it was. */
  const refundFirst = Effect.gen(function* () {
    const money = (amount: number) => ({ amount, currency: "USD" })
    const refund = (id: string, delta: number) =>
      Testing.call("order.adjust", {
        context: Testing.context(),
        member_id: "ada",
        program_id: "demo-foodservice",
        adjustment: {
          adjustment_id: id,
          original_order_id: "order-0",
          type: "partial_refund",
          reason: "test",
          occurred_at: "2026-07-14T10:00:00Z",
          order_total_delta: money(delta),
          eligible_spend_delta: money(delta)
        }
      })
    const before = (yield* balanceOf("ada")).amount
    yield* Effect.all([refund("r-1", -300), refund("r-2", -300), refund("r-3", -400)], { concurrency: 3 })
    assert.strictEqual((yield* balanceOf("ada")).amount, before - 100)
  })

  it.effect("Adjusting an order: one that accrued lately is folded from memory; the journal is not read", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    return Effect.gen(function* () {
      yield* earnTwenty
      const records = tables.accounts.get(firstAccount)?.records ?? []
      records.fill({ ...records[0]!, events: "{" })
      yield* refundFirst
    }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })))
  })

  it.effect("Adjusting an order: an order that is not in memory is folded from the journal", () => {
    const storage = MemoryStorage.over(new MemoryTables())
    return Effect.andThen(
      earnTwenty.pipe(Effect.provide(Testing.layerFromStorage(storage))),
      refundFirst.pipe(Effect.provide(Testing.layerFromStorage(storage)))
    )
  })

  it.effect("Redemption: concurrent reversals of a reservation captured long ago reverse it once", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* earn("ada", "order-0", 5000)
      const ids: Array<string> = []
      for (let n = 0; n < 10; n++) {
        const held = yield* Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: `red-${n}`,
          member_id: "ada",
          reward_id: n === 0 ? "one-off" : "summer-special",
          order: Testing.order(`hold-${n}`, 500, { status: "open", ...Testing.placedAt(0) })
        })
        if (held._tag !== "Answer") continue
        const { reservation } = held.body as { reservation: { reservation_id: string } }
        ids.push(reservation.reservation_id)
        yield* Testing.call("redemption.capture", {
          context: Testing.context(),
          reservation_id: reservation.reservation_id,
          order_id: `hold-${n}`
        })
      }
      const before = (yield* balanceOf("ada")).amount
      const [oldest = ""] = ids
      const outcomes = yield* Effect.all(
        Array.from({ length: 5 }, () =>
          Testing.call("redemption.reverse", { context: Testing.context(), reservation_id: oldest, reason: "test" })
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size, 1)
      assert.strictEqual((yield* balanceOf("ada")).amount, before + 100)
    }).pipe(Effect.provide(Testing.layer()))
  )

  const issue = (id: string, expires: number) =>
    Testing.call("issued_reward.issue", {
      context: Testing.context(),
      issued_reward_id: id,
      member_id: "ada",
      program_id: "demo-foodservice",
      reward_id: "one-off",
      expires_at: fromMillis(expires)
    })
  const redeem = Effect.fnUntraced(function* (id: string) {
    const held = yield* body<ResponseOf<"redemption.reserve">>(
      Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id: `red-${id}`,
        member_id: "ada",
        reward_id: "one-off",
        order: Testing.order(`hold-${id}`, 500, { status: "open", ...Testing.placedAt(0) }),
        issued_reward_id: id
      })
    )
    const { reservation_id } = held.reservation
    yield* Testing.call("redemption.capture", { context: Testing.context(), reservation_id, order_id: `hold-${id}` })
    return reservation_id
  })
  const statuses = Effect.map(
    body<ResponseOf<"issued_reward.list">>(
      Testing.call("issued_reward.list", {
        context: Testing.context(),
        member_id: "ada",
        program_id: "demo-foodservice"
      })
    ),
    ({ issued_rewards }) => Object.fromEntries(issued_rewards.map((one) => [one.issued_reward_id, one.status]))
  )

  it.effect(
    "Redemption: a wallet reward used long ago comes back when its capture is reversed, and ends in its time",
    () =>
      Effect.gen(function* () {
        yield* enroll("ada")
        const ids = Array.from({ length: 8 }, (_, index) => `wallet-${index}`)
        for (const id of ids) yield* issue(id, 86_400_000)
        const holds: Array<string> = []
        for (const id of ids) holds.push(yield* redeem(id))
        const [oldest = ""] = holds
        yield* Testing.call("redemption.reverse", {
          context: Testing.context(),
          reservation_id: oldest,
          reason: "test"
        })
        const used = Object.fromEntries(ids.map((id) => [id, "redeemed"]))
        assert.deepStrictEqual(yield* statuses, { ...used, "wallet-0": "issued" })
        yield* TestClock.adjust("2 days")
        assert.deepStrictEqual(yield* statuses, { ...used, "wallet-0": "expired" })
      }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Issued rewards: many that end in one decision all end in the list", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const ids = Array.from({ length: 8 }, (_, index) => `wallet-${index}`)
      for (const id of ids) yield* issue(id, 60_000)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* statuses, Object.fromEntries(ids.map((id) => [id, "expired"])))
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Redemption: a hold that expires with many others in the very decision about it is expired", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    const open = (n: number) =>
      body<ResponseOf<"redemption.reserve">>(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: `red-${n}`,
          member_id: "ada",
          reward_id: "one-off",
          order: Testing.order(`hold-${n}`, 500, { status: "open", ...Testing.placedAt(0) })
        })
      )
    return Effect.gen(function* () {
      const holds = yield* Effect.gen(function* () {
        yield* enroll("ada")
        yield* credit("ada", 1_000)
        return yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6], open)
      }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })), Effect.scoped)
      yield* TestClock.adjust("1 hour")
      const [oldest] = holds
      const late = yield* Testing.call("redemption.capture", {
        context: Testing.context(),
        reservation_id: oldest?.reservation.reservation_id ?? "",
        order_id: "hold-0"
      }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })), Effect.scoped)
      assert.deepInclude(late, { _tag: "Refusal", code: "expired" })
    })
  })

  it.effect("Lots: what is due when a command is repeated keeps its own instant", () => {
    const { tables, write } = MemoryStorage.over(new MemoryTables())
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* enroll("ada")
        yield* credit("ada", 10, fromMillis(60_000))
        yield* accrual("the-key-1", "order-1")
      }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })), Effect.scoped)
      yield* TestClock.adjust("1 hour")
      // Nobody runs meanwhile; the first thing that the next service does is the repeat under another key.
      yield* Effect.gen(function* () {
        yield* accrual("the-key-2", "order-1")
        const expired = (yield* ledgerOf("ada")).filter((entry) => entry.operation === "expiration")
        assert.deepStrictEqual(
          expired.map((entry) => entry.occurred_at),
          [fromMillis(60_000)]
        )
      }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })), Effect.scoped)
    })
  })
})
