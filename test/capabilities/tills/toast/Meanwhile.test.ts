/** Connections, guests and other tills that change while a till works. Holds contract/tills.md *Once only*, *Connections*. */
import { assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber } from "effect"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import { PeoplePool, storageUnavailable } from "../../../../src/base/database/Pools.ts"
import * as Store from "../../../../src/capabilities/tills/connections/ConnectionStore.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { accrue, check, guid, inquire, program_id, redeem, reverse } = World

const said = ({ body, status }: { readonly status: number; readonly body: { readonly transactionStatus: string } }) =>
  [status, body.transactionStatus] as const
const accepted = [200, "ACCEPT"] as const
const nobody = [404, "ERROR_ACCOUNT_INVALID"] as const
const pointsOf = ({ context }: World.Node, member: string) =>
  Effect.map(Effect.provide(Guests.balanceOf(member), context), ({ amount }) => amount)
const guest = ({ context }: World.Node, member: string, points = 0) =>
  Effect.provide(Effect.andThen(Guests.enroll(member), Guests.credit(member, points + 1)), context)
const bowl = (price = 11) => ({ guid: guid(), price })
const oneOff = () => ({ identifier: "reward:one-off", appliedDiscountGuid: guid() })
const query = ({ context }: World.Node, statement: string) => Context.get(context, PeoplePool).query(statement)
const act = Effect.fnUntraced(function* ({ context }: World.Node, member: string, action: object) {
  const { accounts } = yield* Effect.provide(World.parts, context)
  return yield* accounts.execute(program_id, member, { action, guards: {}, actor: "test" } as never)
})

/** A node whose commands are held back until `go`, and a redemption and an accrual that wait there. */
const held = Effect.fnUntraced(function* (name: string) {
  const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const clock = yield* Clock.Clock
  let aheadNanos = 0n
  const moved: Clock.Clock = Object.create(clock, {
    monotonicTimeNanosUnsafe: { value: () => clock.monotonicTimeNanosUnsafe() + aheadNanos }
  })
  const slow = yield* Effect.provideService(World.node({ journal: World.holding(began, go) }), Clock.Clock, moved)
  const b = yield* World.node()
  /** More time has passed than a till waits. */
  const tooLong = () => {
    aheadNanos = 5_000_000_000n
  }
  const connection = yield* World.connect(b)
  const before = yield* World.node()
  yield* guest(before, `${name}-spends`, 300)
  yield* guest(before, `${name}-earns`)
  const redeeming = yield* Effect.forkChild(
    redeem(slow, connection, `${name}-spends`, check(guid(), [bowl()]), guid(), [oneOff()])
  )
  const accruing = yield* Effect.forkChild(accrue(slow, connection, `${name}-earns`, check(guid(), [bowl()])))
  yield* Deferred.await(began)
  const change = (set: string) => query(b, `UPDATE connections SET ${set} WHERE n = ${connection.n}`)
  const answers = Effect.andThen(
    Deferred.succeed(go, undefined),
    Effect.all([Fiber.join(redeeming), Fiber.join(accruing)])
  )
  return { answers, b, change, connection, tooLong }
})

it.layer(TestDatabase.layer, { excludeTestServices: true })("while a till works", (it) => {
  it.effect("its connection may be paused or rotated: what has begun ends as it would have", () =>
    Effect.gen(function* () {
      for (const [name, set] of [
        ["paused", "active = false"],
        ["rotated", "previous_secret = secret, previous_until = 0"]
      ] as const) {
        const { answers, b, change } = yield* held(name)
        yield* change(set)
        for (const answer of yield* answers) assert.deepStrictEqual(said(answer), accepted, name)
        const fresh = yield* World.node()
        assert.deepStrictEqual(
          [yield* pointsOf(fresh, `${name}-spends`), yield* pointsOf(fresh, `${name}-earns`)],
          [201, 111]
        )
        yield* b.round
      }
    })
  )

  it.effect("its connection may be paused and the process die: the worker finishes and undoes", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "paused-dead", 300)
      const [id, one, reward] = [guid(), check(guid(), [bowl()]), oneOff()]
      yield* redeem(a, connection, "paused-dead", one, id, [reward])
      yield* World.asBegun(a, connection, id, { one, member: "paused-dead", reward })
      yield* query(a, `UPDATE connections SET active = false WHERE n = ${connection.n}`)
      yield* query(a, `UPDATE connection_checks SET held_until = 0 WHERE connection = ${connection.n}`)
      yield* a.round
      assert.strictEqual(yield* pointsOf(a, "paused-dead"), 301)
    })
  )

  it.effect(
    "its process may die after a sign-up: the worker finishes it, once, and a repetition is answered as it ended",
    () =>
      Effect.gen(function* () {
        const unended = World.poolsBy((statement, rows) =>
          statement.includes("SET state = $2") ? storageUnavailable : rows
        )
        const [a, b] = [yield* World.node({ pools: unended }), yield* World.node()]
        const connection = yield* World.connect(b)
        for (const [email, isEnrolled] of [
          ["begun@example.com", true],
          ["not-begun@example.com", false]
        ] as const) {
          const [id, contact] = [guid(), { email }]
          const dying = isEnrolled ? a : yield* World.node({ journal: World.rejecting({ left: 1 }) })
          assert.deepStrictEqual(said(yield* World.signUp(dying, connection, contact, id)), [500, "ERROR"])
          yield* query(
            b,
            `UPDATE connection_transactions SET at = 0 WHERE connection = ${connection.n} AND state = 'begun'`
          )
          yield* b.round
          const row = (yield* World.transactions(b, connection)).find(({ transaction_id }) => transaction_id === id)
          assert.deepInclude(row, { state: "done", dropped: true })
          const again = yield* World.signUp(b, connection, contact, id)
          assert.deepStrictEqual(said(again), accepted)
          const { loyaltyIdentifier } = again.body.signupResponse
          assert.strictEqual(yield* pointsOf(b, loyaltyIdentifier), 0)
          const other = yield* World.signUp(b, connection, contact)
          assert.deepStrictEqual(said(other), [400, "ERROR_ALREADY_REGISTERED"])
        }
      })
  )

  it.effect("its connection may be locked by an operator's change, which holds nothing up", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "unheld")
      const pool = Context.get(a.context, PeoplePool)
      const answer = yield* pool.transaction(
        Effect.andThen(
          Store.locked(pool.query, connection.id, 0),
          accrue(a, connection, "unheld", check(guid(), [bowl()]))
        )
      )
      assert.deepStrictEqual(said(answer), accepted)
    })
  )

  it.effect("its connection may be deleted in steps: what has begun stays with its check until the last one", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "steps")
      const [ended, begun, transaction] = [guid(), guid(), guid()]
      yield* accrue(a, connection, "steps", check(ended, [bowl()]))
      yield* accrue(a, connection, "steps", check(begun, [bowl()]), transaction)
      yield* query(
        a,
        `UPDATE connection_transactions SET state = 'begun', request = '' WHERE transaction_id = '${transaction}'`
      )
      yield* Store.clear(Context.get(a.context, PeoplePool).query, connection.n, Date.now() + 1)
      const left = (yield* World.transactions(a, connection)).map(({ transaction_id }) => transaction_id)
      assert.deepStrictEqual(left, [transaction])
      const checks = yield* query(a, `SELECT check_id FROM connection_checks WHERE connection = ${connection.n}`)
      assert.deepStrictEqual(checks, [{ check_id: begun }])
    })
  )

  it.effect("its connection may be deleted: points stay, and a redemption is undone before it is refused", () =>
    Effect.gen(function* () {
      for (const name of ["deleted", "deleted-late"]) {
        const { answers, b, connection, tooLong } = yield* held(name)
        yield* query(b, `DELETE FROM connections WHERE n = ${connection.n}`)
        if (name === "deleted-late") tooLong()
        const [redeemed, accrued] = yield* answers
        assert.deepStrictEqual(said(redeemed), [400, "ERROR_INVALID_TOKEN"], name)
        assert.notStrictEqual(accrued.status, 200)
        const fresh = yield* World.node()
        assert.deepStrictEqual(
          [yield* pointsOf(fresh, `${name}-spends`), yield* pointsOf(fresh, `${name}-earns`)],
          [301, 111]
        )
      }
    })
  )

  it.effect("another may work on the same check at once: it earns its newest state, once", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* World.node(), yield* World.node()]
      const connection = yield* World.connect(a)
      yield* guest(a, "two-tills")
      const [id, first, second] = [guid(), bowl(11), bowl(9)]
      const states = [[first], [first, second], [first, second, bowl(4)], [second]]
      const answers = yield* Effect.all(
        states.map((items, place) =>
          accrue(place % 2 === 0 ? a : b, connection, "two-tills", check(id, items, place + 1))
        ),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assert.deepStrictEqual(said(answer), accepted)
      assert.strictEqual(yield* pointsOf(yield* World.node(), "two-tills"), 91)
    })
  )

  it.effect("a guest may be erased: nobody has the identifier any more, whatever the till sends", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "erased", 300)
      const [id, one] = [guid(), check(guid(), [bowl()], 1)]
      yield* accrue(a, connection, "erased", one, id)
      yield* act(a, "erased", { type: "erase", reason: "asked" })
      assert.deepStrictEqual(said(yield* inquire(a, connection, "erased", one)), nobody)
      assert.deepStrictEqual(said(yield* redeem(a, connection, "erased", one, guid(), [oneOff()])), nobody)
      assert.deepStrictEqual(said(yield* accrue(a, connection, "erased", check(guid(), [bowl()]))), nobody)
      assert.deepStrictEqual(
        said(yield* accrue(a, connection, "erased", { ...one, ...check(one.guid, [bowl()], 2) })),
        nobody
      )
    })
  )

  it.effect("a guest may be suspended, and merged: offers say why not, and the other's are the merged one's", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "stops", 300)
      yield* act(a, "stops", { type: "set_status", status: "suspended", reason: "r" })
      const one = check(guid(), [bowl()])
      const { body } = yield* inquire(a, connection, "stops", one)
      for (const { applicable, description } of body.checkResponse.offers)
        assert.deepStrictEqual([applicable, description], [false, "The account is suspended."])
      const refused = yield* redeem(a, connection, "stops", one, guid(), [oneOff()])
      assert.deepStrictEqual([said(refused), refused.body.checkResponse.appliedRedemptions.length], [accepted, 0])
      yield* guest(a, "merged-from", 200)
      yield* guest(a, "merged-into", 100)
      const { accounts } = yield* Effect.provide(World.parts, a.context)
      const merge = { from: "merged-from", into: "merged-into", reason: "same", actor: "test" }
      yield* accounts.merge(program_id, merge as never)
      const asked = yield* inquire(a, connection, "merged-from", one)
      assert.deepInclude(asked.body.checkResponse.accountInfo, { identifier: "merged-into", pointsBalance: "302" })
      yield* redeem(a, connection, "merged-from", check(guid(), [bowl()]), guid(), [oneOff()])
      assert.strictEqual(yield* pointsOf(a, "merged-into"), 202)
    })
  )

  it.effect(
    "a restaurant that nobody mapped is refused, or taken by its own id where the connection takes unknown ones",
    () =>
      Effect.gen(function* () {
        const a = yield* World.node()
        const [strict, open] = [yield* World.connect(a), yield* World.connect(a, {}, "accept")]
        yield* guest(a, "elsewhere")
        const one = check(guid(), [bowl()])
        const refused = yield* accrue(a, strict, "elsewhere", one, guid(), [], "T-NEW")
        assert.deepStrictEqual(said(refused), [400, "ERROR_INVALID_RESTAURANT"])
        const [row] = yield* World.transactions(a, strict)
        assert.deepInclude(row, { state: "refused", reason: "The restaurant is not in the table." })
        assert.deepStrictEqual(said(yield* accrue(a, open, "elsewhere", one, guid(), [], "T-NEW")), accepted)
        assert.strictEqual(yield* pointsOf(a, "elsewhere"), 111)
        const [record] = yield* query(
          a,
          `SELECT events::text AS events FROM journal WHERE events::text LIKE '%toast:${one.guid}%' LIMIT 1`
        )
        assert.include(String(record?.["events"]), "T-NEW")
      })
  )

  it.effect("a restaurant that left the table has the answers of before, and no new transaction", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "left", 300)
      const [id, one, reward] = [guid(), check(guid(), [bowl()]), oneOff()]
      assert.deepStrictEqual(said(yield* redeem(a, connection, "left", one, id, [reward])), accepted)
      const without = { ...connection, restaurants: new Map() }
      assert.deepStrictEqual(said(yield* redeem(a, without, "left", one, id, [reward])), accepted)
      assert.deepStrictEqual(said(yield* redeem(a, without, "left", one, guid(), [oneOff()])), [
        400,
        "ERROR_INVALID_RESTAURANT"
      ])
      assert.strictEqual(yield* pointsOf(a, "left"), 201)
    })
  )

  it.effect("a reversal of an accrual that was refused finds nothing of it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      const id = guid()
      assert.deepStrictEqual(said(yield* accrue(a, connection, "never-was", check(guid(), [bowl()]), id)), nobody)
      assert.deepStrictEqual(said(yield* reverse(a, connection, id)), accepted)
    })
  )
})
