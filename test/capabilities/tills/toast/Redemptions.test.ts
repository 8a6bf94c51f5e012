/** INQUIRE and REDEEM of Toast's tills, on PostgreSQL. Holds contract/tills.md *Rewards*. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber } from "effect"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../../src/base/database/Pools.ts"
import * as Bounds from "../../../../src/capabilities/tills/connections/Bounds.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { check, guid, inquire, redeem, reverse } = World

const offer = (reward: string, more: object = {}) => ({
  identifier: `reward:${reward}`,
  appliedDiscountGuid: guid(),
  ...more
})

interface Answered {
  readonly status: number
  readonly body: {
    readonly transactionStatus: string
    readonly checkResponse?: {
      readonly offers?: ReadonlyArray<{
        readonly identifier: string
        readonly applicable: boolean
        readonly selectionType: string
        readonly amount?: number
        readonly description?: string
      }>
      readonly appliedRedemptions?: ReadonlyArray<{ readonly identifier: string; readonly amount?: number }>
      readonly rejectedRedemptions?: ReadonlyArray<{
        readonly redemption: { readonly identifier: string }
        readonly message: string
      }>
      readonly userMessage?: string
      readonly accountInfo?: { readonly identifier: string; readonly pointsBalance?: string }
    }
  }
}
const responseOf = ({ body }: Answered) => body.checkResponse ?? {}
const applied = (answer: Answered) => responseOf(answer).appliedRedemptions?.map(({ identifier }) => identifier)
const rejected = (answer: Answered) =>
  responseOf(answer).rejectedRedemptions?.map(({ redemption }) => redemption.identifier)

const guest = (node: World.Node, member: string, points: number) =>
  Effect.provide(Effect.andThen(Guests.enroll(member), Guests.credit(member, points)), node.context)
const balance = (node: World.Node, member: string) => Effect.provide(Guests.balanceOf(member), node.context)

it.layer(TestDatabase.layer, { excludeTestServices: true })("rewards at a till", (it) => {
  it.effect("are offered with what the check earns, each with a reason where it cannot be used", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "asks", 150)
      const id = guid()
      const answer: Answered = yield* inquire(a, connection, "asks", check(id, [{ guid: guid(), price: 11 }]))
      assert.strictEqual(answer.status, 200)
      const { accountInfo, offers = [], userMessage } = responseOf(answer)
      assert.deepStrictEqual(accountInfo, { identifier: "asks", pointsBalance: "150" })
      assert.match(userMessage ?? "", /110 points/)
      const byId = new Map(offers.map((one) => [one.identifier, one]))
      assert.strictEqual(byId.size, offers.length, "each offer has an identifier of its own")
      assert.deepInclude(byId.get("reward:one-off"), { applicable: true, selectionType: "CHECK", amount: 1 })
      assert.deepInclude(byId.get("reward:free-bowl"), { applicable: false, selectionType: "ITEM" })
      assert.match(byId.get("reward:free-bowl")?.description ?? "", /points/)
      const unknown: Answered = yield* inquire(a, connection, "nobody", check(id, []))
      assert.strictEqual(unknown.status, 404)
    })
  )

  it.effect("are spent once: a list counts one that is there twice once, and a repetition answers as the first", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "spends", 300)
      const [id, one, reward] = [guid(), check(guid(), [{ guid: guid(), price: 11 }]), offer("one-off")]
      const first = yield* redeem(a, connection, "spends", one, id, [reward, reward])
      assert.deepStrictEqual(applied(first), ["reward:one-off"])
      assert.deepStrictEqual(yield* redeem(a, connection, "spends", one, id, [reward, reward]), first)
      assert.strictEqual((yield* balance(a, "spends")).amount, 200)
      // The same reward at the same place under another id is the same redemption.
      assert.deepStrictEqual(applied(yield* redeem(a, connection, "spends", one, guid(), [reward])), ["reward:one-off"])
      assert.strictEqual((yield* balance(a, "spends")).amount, 200)
      const twice = yield* redeem(a, connection, "spends", one, guid(), [offer("one-off", { quantity: 2 })])
      assert.deepStrictEqual([applied(twice), rejected(twice)], [[], ["reward:one-off"]])
      // A pending one that is captured stays applied in an inquiry.
      const asked: Answered = yield* inquire(a, connection, "spends", one, guid(), [reward])
      assert.deepStrictEqual(applied(asked), ["reward:one-off"])
      assert.strictEqual((yield* reverse(a, connection, id)).status, 200)
      assert.strictEqual((yield* balance(a, "spends")).amount, 300)
      assert.deepStrictEqual(applied(yield* redeem(a, connection, "spends", one, guid(), [reward])), ["reward:one-off"])
      assert.strictEqual((yield* balance(a, "spends")).amount, 200)
    })
  )

  it.effect("are all carried out or none: one went meanwhile, each is answered, and nothing is held", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node(), yield* World.node()]
      const connection = yield* World.connect(a)
      yield* guest(a, "both", 250)
      const one = check(guid(), [{ guid: guid(), price: 11 }])
      const [first, second, third] = [offer("one-off"), offer("one-off"), offer("one-off")]
      const asked: Answered = yield* inquire(a, connection, "both", one, guid(), [first, second, third])
      assert.deepStrictEqual([applied(asked)?.length, rejected(asked)?.length], [2, 1])
      // The last points go on another till in between.
      yield* redeem(b, connection, "both", check(guid(), [{ guid: guid(), price: 9 }]), guid(), [offer("one-off")])
      const answer = yield* redeem(a, connection, "both", one, guid(), [first, second])
      assert.deepStrictEqual([answer.status, answer.body.transactionStatus], [200, "ACCEPT"])
      assert.deepStrictEqual([applied(answer), rejected(answer)?.length], [[], 2])
      const { amount, reserved } = yield* balance(a, "both")
      assert.deepStrictEqual([amount, reserved], [150, 0])
    })
  )

  it.effect("named by a reversal alone come back, the others stay", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "named", 300)
      const [id, one] = [guid(), check(guid(), [{ guid: guid(), price: 11 }])]
      const [first, second] = [offer("one-off"), offer("one-off")]
      yield* redeem(a, connection, "named", one, id, [first, second])
      assert.strictEqual((yield* balance(a, "named")).amount, 100)
      yield* reverse(a, connection, id, guid(), [first])
      assert.strictEqual((yield* balance(a, "named")).amount, 200)
      yield* reverse(a, connection, id)
      assert.strictEqual((yield* balance(a, "named")).amount, 300)
    })
  )

  it.effect("of a process that died before it answered are undone by the worker, and a repetition is refused", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      const { query } = Context.get(a.context, PeoplePool)
      for (const [member, isHeld] of [
        ["killed-1", false],
        ["killed-2", true]
      ] as const) {
        yield* guest(a, member, 300)
        const [id, one, reward] = [guid(), check(guid(), [{ guid: guid(), price: 11 }]), offer("one-off")]
        const sent = yield* redeem(a, connection, member, one, id, [reward])
        assert.deepStrictEqual(applied(sent), ["reward:one-off"])
        // As the kill leaves it: the commands are committed, and the end of the transaction is not written.
        const state = yield* World.asBegun(a, connection, id, { one, member, reward })
        assert.strictEqual(state, "begun")
        assert.strictEqual((yield* balance(a, member)).amount, 200)
        if (isHeld) yield* query(`UPDATE connection_checks SET held_until = ${Date.now() + 300}`)
        yield* a.round
        assert.strictEqual((yield* balance(a, member)).amount, 300)
        const again = yield* redeem(a, connection, member, one, id, [reward])
        assert.deepStrictEqual([again.status, again.body.transactionStatus], [500, "ERROR"])
        const other = yield* redeem(a, connection, member, one, guid(), [reward])
        assert.deepStrictEqual(applied(other), ["reward:one-off"])
        assert.strictEqual((yield* balance(a, member)).amount, 200)
      }
      assert.isAbove(Bounds.abandonedMs, Bounds.turnMs)
    })
  )

  it.effect("that take longer than a till waits are undone and refused before it is told to ask again", () =>
    Effect.gen(function* () {
      const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const [slow, b] = [yield* World.node({ journal: World.holding(began, go) }), yield* World.node()]
      const connection = yield* World.connect(b)
      yield* guest(yield* World.node(), "late", 300)
      const [id, one, reward] = [guid(), check(guid(), [{ guid: guid(), price: 11 }]), offer("one-off")]
      const waiting = yield* Effect.forkChild(redeem(slow, connection, "late", one, id, [reward]))
      yield* Deferred.await(began)
      yield* Effect.sleep(Bounds.answerMs)
      Deferred.doneUnsafe(go, Effect.void)
      const answer = yield* Fiber.join(waiting)
      assert.deepStrictEqual([answer.status, answer.body.transactionStatus], [500, "ERROR"])
      const { amount, reserved } = yield* balance(b, "late")
      assert.deepStrictEqual([amount, reserved], [300, 0])
      const [row] = yield* World.transactions(b, connection)
      assert.strictEqual(row?.["state"], "refused")
      assert.strictEqual((yield* redeem(b, connection, "late", one, id, [reward])).status, 500)
      assert.strictEqual((yield* balance(b, "late")).amount, 300)
    })
  )

  it.effect(
    "that a killed process has reserved are undone by another node, and the dead one accepts nothing later",
    () =>
      Effect.gen(function* () {
        const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const [dead, b] = [yield* World.node({ journal: World.holding(began, go) }), yield* World.node()]
        const connection = yield* World.connect(b)
        // An account is in the memory of its owner alone: first of the dead node, then of the other one.
        yield* guest(yield* World.node(), "held", 300)
        const [id, one, reward] = [guid(), check(guid(), [{ guid: guid(), price: 11 }]), offer("one-off")]
        const waiting = yield* Effect.forkChild(redeem(dead, connection, "held", one, id, [reward]))
        yield* Deferred.await(began)
        const { query } = Context.get(b.context, PeoplePool)
        assert.strictEqual((yield* balance(b, "held")).reserved, 100)
        // Its turn has run out.
        yield* query(`UPDATE connection_checks SET held_until = 0 WHERE connection = ${connection.n}`)
        yield* query(`UPDATE connection_transactions SET at = 0 WHERE connection = ${connection.n}`)
        yield* b.round
        assert.deepInclude(yield* balance(b, "held"), { amount: 300, reserved: 0 })
        Deferred.doneUnsafe(go, Effect.void)
        assert.notStrictEqual((yield* Fiber.join(waiting)).body.checkResponse?.appliedRedemptions?.length, 1)
        const [row] = yield* World.transactions(b, connection)
        assert.strictEqual(row?.["state"], "refused")
        assert.deepInclude(yield* balance(b, "held"), { amount: 300, reserved: 0 })
      })
  )
})
