/** Holds contract/operators.md *Moving an order*: what requests on an order find after its moves. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"
import type { Handlers } from "../../../src/core/protocol/Handler.ts"

const program_id = Testing.demoProgram.id
const start = Date.UTC(2026, 6, 14, 10)
const day = 86_400_000

type Payload<Id extends OperationId> = Omit<RequestOf<Id>, "context">

/** Sends a request; its answer's body as JSON, or the refusal as it is. */
const send = <Id extends OperationId>(
  id: Id,
  payload: Payload<Id>,
  key?: string
): Effect.Effect<ResponseOf<Id>, never, Handlers> =>
  Effect.map(
    Testing.call(id, { context: Testing.context(key), ...payload } as RequestOf<Id>),
    (handled) => JSON.parse(JSON.stringify(handled._tag === "Answer" ? handled.body : handled)) as ResponseOf<Id>
  )

const codeOf = <R>(answered: Effect.Effect<object, never, R>) =>
  Effect.map(answered, (body) => ("code" in body ? body.code : "answered"))

const accrue = (member_id: string, id = "meal", amount = 2_000, key?: string) =>
  send("accrual.post", { member_id, order: Testing.order(id, amount, Testing.placedAt(start)) }, key)

const usd = (amount: number) => ({ amount, currency: "USD" })

const adjust = (
  member_id: string,
  adjustment_id: string,
  delta: number,
  type: "partial_refund" | "void" | "correction" = "partial_refund",
  key?: string
) =>
  send(
    "order.adjust",
    {
      program_id,
      member_id,
      adjustment: {
        adjustment_id,
        original_order_id: "meal",
        type,
        reason: "test",
        occurred_at: fromMillis(start),
        order_total_delta: usd(delta),
        eligible_spend_delta: usd(delta)
      }
    },
    key
  )

const move = (from: string, into: string, order = "meal") =>
  Effect.map(
    Effect.flatMap(Accounts, (accounts) => accounts.moveOrder(program_id, { order, from, into, reason: "wrong card" })),
    (outcome) => (outcome._tag === "Refusal" ? outcome.code : outcome._tag)
  )

const amounts = (...members: ReadonlyArray<string>) =>
  Effect.forEach(members, (member) => Effect.map(balanceOf(member), ({ amount }) => amount))

/** Runs on a service over a journal in memory, and then what is to hold again on a second one, which remembers nothing. */
const onMemory = <E>(
  first: Effect.Effect<unknown, E, Handlers | Accounts | Journal>,
  later: Effect.Effect<unknown, E, Handlers | Accounts | Journal> = Effect.void
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const storage = MemoryStorage.over(new MemoryTables())
    const guests = Effect.forEach(["ada", "ben", "cleo"], (member) => enroll(member))
    yield* Effect.provide(Effect.andThen(guests, first), Testing.layerFromStorage(storage))
    yield* Effect.provide(later, Testing.layerFromStorage(storage))
  })

describe("a moved order", () => {
  it.effect("takes its points along; what was refunded before does not move", () =>
    onMemory(
      Effect.gen(function* () {
        yield* accrue("ada")
        yield* adjust("ada", "r1", -500)
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [150, 0])
        assert.strictEqual(yield* move("ada", "ben"), "Answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 150])
      }),
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 150])
        // 5.00 of 20.00 was refunded: no more than 15.00 is left.
        assert.strictEqual(yield* codeOf(adjust("ben", "r2", -1_600)), "invalid_state")
        yield* adjust("ben", "r3", -1_500)
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 0])
      })
    )
  )

  it.effect("refunds reach the member that has it, whichever of the two they name, and no third one's", () =>
    onMemory(
      Effect.andThen(accrue("ada"), move("ada", "ben")),
      Effect.gen(function* () {
        assert.strictEqual(yield* codeOf(adjust("cleo", "r0", -500)), "not_found")
        const first = yield* adjust("ada", "r1", -500, "partial_refund", "the-key-of-r1")
        assert.strictEqual(first.balances[0]?.member_id, "ben")
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 150])
        yield* adjust("ben", "r2", -500)
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 100])
        // Repeated under its key, and under another one: once.
        for (const member of ["ada", "ben"]) {
          const again = yield* adjust(member, "r1", -500, "partial_refund", "the-key-of-r1")
          assert.deepStrictEqual(again, first, member)
          assert.strictEqual((yield* adjust(member, "r1", -500)).entry.amount, -50, member)
        }
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 100])
        yield* adjust("ada", "r3", -1_000, "void")
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 0])
        assert.strictEqual(yield* codeOf(adjust("ben", "r4", 500, "correction")), "invalid_state")
      })
    )
  )

  it.effect("a refund before the move is not done again after it, whoever repeats it", () =>
    onMemory(
      Effect.gen(function* () {
        yield* accrue("ada")
        yield* adjust("ada", "r1", -500, "partial_refund", "the-key-of-r1")
        yield* move("ada", "ben")
        for (const member of ["ada", "ben"]) {
          assert.strictEqual(yield* codeOf(adjust(member, "r1", -500, "partial_refund", "the-key-of-r1")), "answered")
          assert.strictEqual(yield* codeOf(adjust(member, "r1", -500)), "answered")
        }
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 150])
        assert.strictEqual(yield* codeOf(adjust("ben", "r1", -400)), "conflict")
      })
    )
  )

  it.effect("a repeated accrual is answered with where the order is now, by either member; no third one has it", () =>
    onMemory(
      Effect.gen(function* () {
        const original = yield* accrue("ada", "meal", 2_000, "the-first-key")
        yield* move("ada", "ben")
        for (const member of ["ada", "ben"]) {
          const repeated = yield* accrue(member)
          assert.deepInclude(repeated.entry, { member_id: "ben", operation: "accrual", amount: 200, order_id: "meal" })
          assert.deepInclude(repeated.balances[0], { member_id: "ben", amount: 200 })
        }
        // A retry gets the original result.
        const retried = yield* accrue("ada", "meal", 2_000, "the-first-key")
        assert.deepStrictEqual(retried.entry, original.entry)
        assert.strictEqual(yield* codeOf(accrue("cleo")), "conflict")
        assert.strictEqual(yield* codeOf(accrue("ada", "meal", 2_100)), "conflict")
        assert.strictEqual(yield* codeOf(accrue("ben", "meal", 2_100)), "conflict")
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [0, 200, 0])
      })
    )
  )

  it.effect("moves once; it can move on, and back", () =>
    onMemory(
      Effect.gen(function* () {
        yield* accrue("ada")
        assert.strictEqual(yield* move("ada", "ada"), "invalid_state")
        assert.strictEqual(yield* move("ben", "cleo"), "not_found")
        assert.strictEqual(yield* move("ada", "ben"), "Answered")
        assert.strictEqual(yield* move("ada", "ben"), "invalid_state")
        assert.strictEqual(yield* move("ada", "cleo"), "invalid_state")
        assert.strictEqual(yield* move("ben", "cleo"), "Answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [0, 0, 200])
        yield* adjust("ada", "r1", -500)
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [0, 0, 150])
        assert.strictEqual(yield* move("cleo", "ada"), "Answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [150, 0, 0])
      }),
      Effect.gen(function* () {
        for (const [index, member] of ["ada", "ben", "cleo"].entries()) yield* adjust(member, `s${index}`, -100)
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [120, 0, 0])
        assert.strictEqual((yield* accrue("cleo")).entry.member_id, "ada")
        assert.strictEqual(yield* codeOf(adjust("ben", "r1", -500)), "answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [120, 0, 0])
      })
    )
  )

  it.effect("stays with the members that either was merged into, before the move and after it", () =>
    onMemory(
      Effect.gen(function* () {
        const { merge } = yield* Accounts
        for (const member of ["ada's", "ben's"]) yield* enroll(member)
        yield* accrue("ada's")
        yield* adjust("ada's", "r1", -500)
        yield* merge(program_id, { from: "ada's", into: "ada" })
        yield* adjust("ada", "r2", -500)
        assert.strictEqual(yield* move("ada's", "ben's"), "Answered")
        yield* merge(program_id, { from: "ben's", into: "ben" })
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 100])
        for (const member of ["ada's", "ada", "ben's", "ben"]) {
          assert.strictEqual(yield* codeOf(adjust(member, "r1", -500)), "answered", member)
          assert.strictEqual(yield* codeOf(adjust(member, "r2", -500)), "answered", member)
          const { balances, entry } = yield* accrue(member)
          assert.deepStrictEqual([entry.member_id, balances[0]?.member_id], ["ben's", "ben"], member)
          yield* adjust(member, `of ${member}`, -100)
        }
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 60])
        assert.strictEqual(yield* move("ben", "cleo"), "Answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [0, 0, 60])
        yield* adjust("ada's", "last", -600)
        assert.deepStrictEqual(yield* amounts("ada", "ben", "cleo"), [0, 0, 0])
      })
    )
  )

  it.effect("keeps its dates: its points expire when they would have, at once if that is over", () =>
    onMemory(
      Effect.gen(function* () {
        yield* accrue("ada")
        yield* accrue("ada", "later")
        const expires = (member_id: string) =>
          Effect.map(send("account.get", { program_id, member_id }), ({ expiring_balances }) =>
            expiring_balances.map(({ amount, expires_at }) => [amount, expires_at])
          )
        const before = yield* expires("ada")
        yield* TestClock.adjust(100 * day)
        yield* move("ada", "ben")
        assert.deepStrictEqual((yield* expires("ben"))[0]?.[1], before[0]?.[1])
        yield* TestClock.adjust(300 * day)
        assert.strictEqual(yield* move("ada", "ben", "later"), "Answered")
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 0])
        // Expired points count for its refund: nothing is taken of other points.
        yield* credit("ben", 70)
        yield* adjust("ada", "r1", -2_000)
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [0, 70])
      })
    )
  )

  it.effect("points that were spent leave a hole where they were spent, and fill one where they arrive", () =>
    onMemory(
      Effect.gen(function* () {
        yield* accrue("ada")
        yield* credit("ada", -150)
        yield* credit("ben", -120)
        yield* move("ada", "ben")
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [-150, 80])
        yield* adjust("ben", "r1", -1_000)
        assert.deepStrictEqual(yield* amounts("ada", "ben"), [-150, -20])
      })
    )
  )

  it.effect("moves to active members alone, and not once nothing is left", () =>
    onMemory(
      Effect.gen(function* () {
        const { execute } = yield* Accounts
        const set = (member: string, status: "active" | "suspended") =>
          execute(program_id, member, { action: { type: "set_status", status, reason: "test" }, guards: {} })
        yield* accrue("ada")
        yield* set("ben", "suspended")
        assert.strictEqual(yield* move("ada", "ben"), "member_not_active")
        yield* set("ben", "active")
        yield* set("ada", "suspended")
        assert.strictEqual(yield* move("ada", "ben"), "Answered")
        yield* adjust("ben", "r1", -2_000, "void")
        assert.strictEqual(yield* move("ben", "cleo"), "invalid_state")
        assert.strictEqual(yield* move("ben", "nobody"), "not_found")
      })
    )
  )
})
