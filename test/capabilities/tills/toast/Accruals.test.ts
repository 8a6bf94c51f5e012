/** ACCRUE and REVERSE of Toast's tills, on PostgreSQL. Holds contract/tills.md *Accruals and reversals*, *Once only*. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../../src/base/database/Pools.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { accrue, check, guid, program_id, reverse } = World

const accepted = { status: 200, body: { transactionStatus: "ACCEPT" } }
const said = ({ body, status }: { readonly status: number; readonly body: { readonly transactionStatus: string } }) =>
  [status, body.transactionStatus] as const

/** Points of a guest, asked at a node. */
const pointsAt = ({ context }: World.Node, member: string) =>
  Effect.map(Effect.provide(Guests.balanceOf(member), context), ({ amount }) => amount)
const enroll = ({ context }: World.Node, member: string) => Effect.provide(Guests.enroll(member), context)

const bowl = (price: number) => ({ guid: guid(), price })

it.layer(TestDatabase.layer, { excludeTestServices: true })("a check of a till", (it) => {
  it.effect("earns once: a repetition, a new id and another till change nothing, and all are accepted", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "once")
      const [id, one] = [guid(), check(guid(), [bowl(11)])]
      const first = yield* accrue(a, connection, "once", one, id)
      assert.deepStrictEqual(said(first), [200, "ACCEPT"])
      assert.strictEqual(yield* pointsAt(a, "once"), 110)
      assert.deepStrictEqual(yield* accrue(a, connection, "once", one, id), first)
      assert.deepStrictEqual(said(yield* accrue(a, connection, "once", one)), [200, "ACCEPT"])
      assert.strictEqual(yield* pointsAt(a, "once"), 110)
      const rows = yield* World.transactions(a, connection)
      assert.deepStrictEqual(
        rows.map(({ dropped, state }) => [state, dropped]),
        [
          ["done", true],
          ["done", true]
        ]
      )
      assert.deepInclude(rows[0]?.["became"] as object, { order_id: `toast:${one.guid}`, points: 110 })
    })
  )

  it.effect("that another guest has by another connection is refused, and changes nothing of it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const [first, second] = [yield* World.connect(a), yield* World.connect(a)]
      yield* enroll(a, "has-it")
      yield* enroll(a, "wants-it")
      const id = guid()
      yield* accrue(a, first, "has-it", check(id, [bowl(11)], 1))
      const refused = yield* accrue(a, second, "wants-it", check(id, [bowl(20)], 2))
      assert.deepStrictEqual(said(refused), [400, "ERROR_INVALID_INPUT_PROPERTIES"])
      assert.deepStrictEqual([yield* pointsAt(a, "has-it"), yield* pointsAt(a, "wants-it")], [110, 0])
      // The same guest's check is corrected, whichever connection it came by.
      yield* accrue(a, second, "has-it", check(id, [bowl(20)], 3))
      assert.strictEqual(yield* pointsAt(a, "has-it"), 200)
    })
  )

  it.effect("that is reopened, changed and paid again earns what it is then, line by line", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "changed")
      const [id, first, second] = [guid(), bowl(11), bowl(5)]
      const pay = (items: ReadonlyArray<World.Item>, modified: number) =>
        Effect.andThen(accrue(a, connection, "changed", check(id, items, modified)), pointsAt(a, "changed"))
      assert.strictEqual(yield* pay([first, second], 1), 160)
      assert.strictEqual(yield* pay([first], 2), 110)
      assert.strictEqual(yield* pay([first, { ...second, price: 20 }, bowl(3)], 3), 340)
      // Older than what was worked off.
      assert.strictEqual(yield* pay([first], 2), 340)
      assert.strictEqual(yield* pay([{ ...first, voided: true }], 4), 0)
      assert.strictEqual(yield* pay([first, second], 5), 160)
    })
  )

  it.effect("that a tip reverses and pays again keeps its points, and none of it is triggered twice", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "tip")
      const [id, item] = [guid(), bowl(11)]
      const [first, second] = [guid(), guid()]
      yield* accrue(a, connection, "tip", check(id, [item], 1), first)
      assert.deepStrictEqual(yield* reverse(a, connection, first), accepted)
      assert.strictEqual(yield* pointsAt(a, "tip"), 0)
      yield* accrue(a, connection, "tip", check(id, [item], 2), second)
      assert.strictEqual(yield* pointsAt(a, "tip"), 110)
      // The reversal of the first one came twice: the second time nothing of it is left.
      assert.deepStrictEqual(yield* reverse(a, connection, first), accepted)
      assert.strictEqual(yield* pointsAt(a, "tip"), 110)
      assert.deepStrictEqual(yield* reverse(a, connection, second), accepted)
      assert.strictEqual(yield* pointsAt(a, "tip"), 0)
      const entries = yield* Effect.provide(Guests.ledgerOf("tip"), a.context)
      assert.deepStrictEqual(
        entries.map(({ operation }) => operation).filter((one) => one === "accrual"),
        ["accrual"]
      )
    })
  )

  it.effect("belongs to one guest until it is reversed; then the next one's order is another", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* Effect.forEach(["left", "right"], (one) => enroll(a, one))
      const [id, item, first] = [guid(), bowl(11), guid()]
      yield* accrue(a, connection, null, check(id, [item], 1))
      yield* accrue(a, connection, "left", check(id, [item], 2), first)
      const other = yield* accrue(a, connection, "right", check(id, [item], 3))
      assert.deepStrictEqual(said(other), [400, "ERROR_INVALID_INPUT_PROPERTIES"])
      yield* reverse(a, connection, first)
      yield* accrue(a, connection, "right", check(id, [item], 4))
      assert.deepStrictEqual([yield* pointsAt(a, "left"), yield* pointsAt(a, "right")], [0, 110])
      const [last] = (yield* World.transactions(a, connection)).toReversed()
      assert.deepInclude(last?.["became"] as object, { order_id: `toast:${id}:2` })
    })
  )

  it.effect(
    "is found by a merged guest's old identifier; an erased, a suspended and an unknown guest's is refused",
    () =>
      Effect.gen(function* () {
        const a = yield* World.node()
        const connection = yield* World.connect(a)
        yield* Effect.forEach(["old", "new", "calm"], (one) => enroll(a, one))
        const { accounts } = yield* Effect.provide(World.parts, a.context)
        const id = guid()
        yield* accrue(a, connection, "old", check(id, [bowl(11)], 1))
        yield* accounts.merge(program_id, { from: "old", into: "new", reason: "same", actor: "test" } as never)
        const item = bowl(12)
        assert.deepStrictEqual(said(yield* accrue(a, connection, "old", check(id, [item], 2))), [200, "ACCEPT"])
        assert.strictEqual(yield* pointsAt(a, "new"), 120)
        const status = { type: "set_status", status: "suspended", reason: "r" } as never
        yield* accounts.execute(program_id, "calm", { action: status, guards: {}, actor: "test" } as never)
        assert.deepStrictEqual(said(yield* accrue(a, connection, "calm", check(guid(), [item]))), [
          400,
          "ERROR_ACCOUNT_INVALID"
        ])
        assert.deepStrictEqual(said(yield* accrue(a, connection, "nobody", check(guid(), [item]))), [
          404,
          "ERROR_ACCOUNT_INVALID"
        ])
      })
  )

  it.effect("whose reversal overtakes it does nothing when it comes; a reversal of what never came is unknown", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* enroll(a, "late")
      const [id, back] = [guid(), guid()]
      const unknown = [400, "ERROR_TRANSACTION_DOES_NOT_EXIST"] as const
      assert.deepStrictEqual(said(yield* reverse(a, connection, id, back)), unknown)
      assert.deepStrictEqual(yield* accrue(a, connection, "late", check(guid(), [bowl(11)]), id), accepted)
      assert.strictEqual(yield* pointsAt(a, "late"), 0)
      assert.deepStrictEqual(said(yield* reverse(a, connection, id, back)), unknown)
      const search = guid()
      yield* World.signUp(a, connection, { email: "late@example.com" }, search)
      const other = [400, "ERROR_TRANSACTION_CANNOT_BE_REVERSED"] as const
      assert.deepStrictEqual(said(yield* reverse(a, connection, search)), other)
    })
  )

  it.effect(
    "that one node works on for too long is finished by another, before a reversal and under a new id",
    () =>
      Effect.gen(function* () {
        const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* World.node({ journal: World.holding(began, go) })
        const b = yield* World.node()
        const connection = yield* World.connect(b)
        // An account is in the memory of its owner alone: first of the slow node, then of the other one.
        yield* enroll(yield* World.node(), "slow")
        const [id, again, one] = [guid(), guid(), check(guid(), [bowl(11)])]
        // The till gives up after 4 s; the node holds the turn and stands still, as one that was killed.
        assert.strictEqual((yield* accrue(slow, connection, "slow", one, id)).status, 500)
        const waiting = yield* Effect.forkChild(reverse(b, connection, id))
        const repeated = yield* Effect.forkChild(accrue(b, connection, "slow", one, again))
        yield* Fiber.join(waiting)
        yield* Fiber.join(repeated)
        // Both were answered in time, and are done once the turn of the first has run out.
        const { query } = yield* Effect.provide(PeoplePool, b.context)
        const open = Effect.map(
          query(
            `SELECT count(*) AS n FROM connection_transactions WHERE connection = ${connection.n} AND state = 'begun'`
          ),
          ([row]) => row?.["n"]
        )
        const count = Effect.map(World.transactions(b, connection), ({ length }) => length)
        // Counted first: one that begins between the two reads is open in the second.
        yield* Effect.repeat(Effect.andThen(Effect.sleep(100), Effect.all([count, open])), {
          until: ([all, left]) => all === 3 && left === 0
        })
        Deferred.doneUnsafe(go, Effect.void)
        const entries = yield* Effect.provide(Guests.ledgerOf("slow"), b.context)
        assert.lengthOf(
          entries.filter(({ operation }) => operation === "accrual"),
          1
        )
        assert.strictEqual(yield* pointsAt(b, "slow"), 0, "the repetition is no newer than the check that was reversed")
        yield* accrue(b, connection, "slow", { ...one, modifiedDate: check(guid(), [], 2).modifiedDate })
        assert.strictEqual(yield* pointsAt(b, "slow"), 110)
      }),
    60_000
  )

  it.effect("follows the order to the guest to whom an operator has moved it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* Effect.forEach(["from", "to"], (one) => enroll(a, one))
      const { accounts } = yield* Effect.provide(World.parts, a.context)
      const [id, first] = [guid(), guid()]
      yield* accrue(a, connection, "from", check(id, [bowl(11)], 1), first)
      yield* accounts.moveOrder(program_id, {
        order: `toast:${id}`,
        from: "from",
        into: "to",
        reason: "r",
        actor: "t"
      } as never)
      assert.strictEqual(yield* pointsAt(a, "to"), 110)
      assert.deepStrictEqual(yield* reverse(a, connection, first), accepted)
      assert.deepStrictEqual([yield* pointsAt(a, "from"), yield* pointsAt(a, "to")], [0, 0])
    })
  )
})
