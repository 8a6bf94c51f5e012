/**
 * REDEEMs whose outcome the database tells late, or not at all: Toast never asks again after an answer of failure, so that none is
 * given before the refusal is recorded. Holds contract/tills.md *Rewards*.
 */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber } from "effect"
import * as Guests from "../../../../src/app/testing/Guests.ts"
import type * as Pools from "../../../../src/base/database/Pools.ts"
import { PeoplePool, storageUnavailable } from "../../../../src/base/database/Pools.ts"
import type { KnownConnection } from "../../../../src/capabilities/tills/connections/KnownConnections.ts"
import { WriteFreeze } from "../../../../src/core/journal/WriteFreeze.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import * as World from "./World.ts"

const { check, guid, isEnd, redeem } = World

const isRefusal = (statement: string): boolean => statement.includes("SET answer = excluded.answer")

const bowl = () => check(guid(), [{ guid: guid(), price: 11 }])
const oneOff = () => ({ identifier: "reward:one-off", appliedDiscountGuid: guid() })
const guest = (node: World.Node, member: string) =>
  Effect.provide(Effect.andThen(Guests.enroll(member), Guests.credit(member, 300)), node.context)
const pointsOf = ({ context }: World.Node, member: string) =>
  Effect.map(Effect.provide(Guests.balanceOf(member), context), ({ amount, reserved }) => [amount, reserved] as const)
const said = ({ body, status }: { readonly status: number; readonly body: { readonly transactionStatus: string } }) =>
  [status, body.transactionStatus] as const
const accepted = [200, "ACCEPT"] as const
const failed = [500, "ERROR"] as const

type Ends = (
  node: World.Node & Pick<Pools.Pool, "query">,
  connection: KnownConnection
) => Effect.Effect<unknown, unknown>

/** Lets transactions look as if they began long ago, and the worker finish them. */
const finished = Effect.fnUntraced(function* ({ context, round }: World.Node, { n }: { readonly n: number }) {
  const { query } = Context.get(context, PeoplePool)
  yield* query(`UPDATE connection_transactions SET at = 0 WHERE connection = ${n} AND state = 'begun'`)
  yield* query(`UPDATE connection_checks SET held_until = 0 WHERE connection = ${n}`)
  yield* round
})

/** Ends fail, after they were written or before, and then the database does not answer for a while. */
const inDoubt = (isWritten: boolean, outages: { left: number }) =>
  World.poolsBy((statement, rows) => {
    if (isEnd(statement)) return isWritten ? Effect.andThen(rows, storageUnavailable) : storageUnavailable
    return isRefusal(statement) && outages.left-- > 0 ? storageUnavailable : rows
  })

const endedInDoubt = Effect.fnUntraced(function* (
  member: string,
  isWritten: boolean,
  wanted: { readonly answer: readonly [number, string]; readonly points: number; readonly state: string }
) {
  const outages = { left: 3 }
  const [a, b] = [yield* World.node({ pools: inDoubt(isWritten, outages) }), yield* World.node()]
  const connection = yield* World.connect(b)
  yield* guest(a, member)
  const [id, one, reward] = [guid(), bowl(), oneOff()]
  assert.deepStrictEqual(said(yield* redeem(a, connection, member, one, id, [reward])), wanted.answer)
  assert.isBelow(outages.left, 0)
  yield* finished(b, connection)
  assert.deepStrictEqual(yield* pointsOf(b, member), [wanted.points, 0])
  assert.deepStrictEqual(said(yield* redeem(b, connection, member, one, id, [reward])), wanted.answer)
  assert.deepStrictEqual(yield* pointsOf(b, member), [wanted.points, 0])
  const [row] = yield* World.transactions(b, connection)
  assert.strictEqual(row?.["state"], wanted.state)
})

it.layer(TestDatabase.layer, { excludeTestServices: true })("a redemption", (it) => {
  it.effect("whose end is in doubt is answered as it stands, once the database tells", () =>
    Effect.gen(function* () {
      yield* endedInDoubt("doubt-done", true, { answer: accepted, points: 200, state: "done" })
      yield* endedInDoubt("doubt-refused", false, { answer: failed, points: 300, state: "refused" })
    })
  )

  it.effect("that is refused while its end is on its way ends as refused, and is undone", () =>
    Effect.gen(function* () {
      const isLocked = yield* Deferred.make<void>()
      const held = World.poolsBy((statement, rows) =>
        isEnd(statement) ? Effect.andThen(Deferred.await(isLocked), rows) : rows
      )
      const [a, b] = [yield* World.node({ pools: held }), yield* World.node()]
      const connection = yield* World.connect(b)
      yield* guest(a, "meets")
      const [id, one, reward] = [guid(), bowl(), oneOff()]
      const { query, transaction } = Context.get(b.context, PeoplePool)
      const until = (statement: string): Effect.Effect<void> =>
        Effect.flatMap(Effect.orDie(query(statement)), (rows) => (rows.length > 0 ? Effect.void : until(statement)))
      const answering = yield* Effect.forkChild(redeem(a, connection, "meets", one, id, [reward]))
      yield* until(`SELECT FROM connection_transactions WHERE transaction_id = '${id}'`)
      const refusal = '{"status": 500, "body": {"transactionStatus": "ERROR"}}'
      yield* transaction(
        Effect.gen(function* () {
          yield* query(
            `UPDATE connection_transactions SET answer = '${refusal}' WHERE connection = ${connection.n} AND transaction_id = '${id}'`
          )
          yield* Deferred.succeed(isLocked, undefined)
          yield* until("SELECT FROM pg_locks WHERE NOT granted")
        })
      )
      assert.deepStrictEqual(said(yield* Fiber.join(answering)), failed)
      yield* finished(b, connection)
      assert.deepStrictEqual(yield* pointsOf(yield* World.node(), "meets"), [300, 0])
      const [row] = yield* World.transactions(b, connection)
      assert.deepInclude(row, { state: "refused", dropped: true })
    })
  )

  it.effect("whose beginning fails is refused for good: the same request changes nothing when it comes again", () =>
    Effect.gen(function* () {
      const failing = World.poolsBy((statement, rows) =>
        statement.includes("INSERT INTO connection_checks") ? storageUnavailable : rows
      )
      const [a, b] = [yield* World.node({ pools: failing }), yield* World.node()]
      const connection = yield* World.connect(b)
      yield* guest(b, "begins")
      const [id, one, reward] = [guid(), bowl(), oneOff()]
      assert.deepStrictEqual(said(yield* redeem(a, connection, "begins", one, id, [reward])), failed)
      assert.deepStrictEqual(said(yield* redeem(b, connection, "begins", one, id, [reward])), failed)
      assert.deepStrictEqual(yield* pointsOf(b, "begins"), [300, 0])
      // The guest chooses again.
      assert.deepStrictEqual(said(yield* redeem(b, connection, "begins", one, guid(), [oneOff()])), accepted)
      assert.deepStrictEqual(yield* pointsOf(b, "begins"), [200, 0])
    })
  )

  it.effect("that was carried out is answered so while writes are frozen; one that was not is refused for good", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "frozen")
      const [id, other, one, reward] = [guid(), guid(), bowl(), oneOff()]
      const first = yield* redeem(a, connection, "frozen", one, id, [reward])
      const freeze = Context.get(a.context, WriteFreeze)
      yield* freeze.set(true)
      assert.deepStrictEqual(yield* redeem(a, connection, "frozen", one, id, [reward]), first)
      assert.deepStrictEqual(said(yield* redeem(a, connection, "frozen", one, other, [oneOff()])), failed)
      yield* freeze.set(false)
      assert.deepStrictEqual(said(yield* redeem(a, connection, "frozen", one, other, [oneOff()])), failed)
      assert.deepStrictEqual(yield* pointsOf(a, "frozen"), [200, 0])
    })
  )

  it.effect(
    "that comes again after a pause, or with a key that has ended, is answered as it was, or refused for good",
    () =>
      Effect.gen(function* () {
        const unknown = [400, "ERROR_INVALID_TOKEN"] as const
        const ways: ReadonlyArray<readonly [name: string, ends: Ends, back: string]> = [
          ["paused", (a, { n }) => a.query(`UPDATE connections SET active = false WHERE n = ${n}`), "active = true"],
          ["rotated", (a, connection) => World.rotate(a, connection, Date.now() - 1), "secret = previous_secret"]
        ]
        for (const [name, ends, back] of ways) {
          const a = yield* World.node()
          const connection = yield* World.connect(a)
          const { query } = Context.get(a.context, PeoplePool)
          for (const which of ["done", "begun", "new", "earns"]) yield* guest(a, `${name}-${which}`)
          const member = (which: string) => `${name}-${which}`
          const [id, died, strange, one, reward] = [guid(), guid(), guid(), bowl(), oneOff()]
          const first = yield* redeem(a, connection, member("done"), one, id, [reward])
          const begun = { member: member("begun"), one: bowl(), reward: oneOff() }
          yield* redeem(a, connection, begun.member, begun.one, died, [begun.reward])
          yield* World.asBegun(a, connection, died, begun)
          yield* ends({ ...a, query }, connection)
          const now = (yield* World.again(a, connection))!
          assert.isFalse(now.isActive, name)
          assert.deepStrictEqual(yield* redeem(a, now, member("done"), one, id, [reward]), first, name)
          assert.deepStrictEqual(said(yield* redeem(a, now, begun.member, begun.one, died, [begun.reward])), unknown)
          assert.deepStrictEqual(said(yield* redeem(a, now, member("new"), bowl(), strange, [oneOff()])), unknown)
          assert.deepStrictEqual(said(yield* World.accrue(a, now, member("earns"), bowl())), unknown)
          assert.deepStrictEqual(said(yield* World.inquire(a, now, member("earns"), bowl())), unknown)
          yield* query(`UPDATE connections SET ${back} WHERE n = ${connection.n}`)
          yield* finished(a, connection)
          // A refusal stays one.
          const later = yield* redeem(a, connection, member("new"), bowl(), strange, [oneOff()])
          assert.deepStrictEqual(said(later), unknown)
          const left = ["done", "begun", "new", "earns"].map((which) => pointsOf(a, member(which)))
          assert.deepStrictEqual(yield* Effect.all(left), [
            [200, 0],
            [300, 0],
            [300, 0],
            [300, 0]
          ])
        }
      })
  )

  it.effect("with a key that ended more than an hour ago is one with a wrong key", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* World.rotate(a, connection, Date.now() - 3_600_001)
      assert.isUndefined(yield* World.again(a, connection))
    })
  )

  it.effect("of a connection that is deleted meanwhile is answered as one of an unknown connection", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      const connection = yield* World.connect(a)
      yield* guest(a, "deleted")
      const { query } = Context.get(a.context, PeoplePool)
      yield* query(`DELETE FROM connections WHERE n = ${connection.n}`)
      const unknown = [400, "ERROR_INVALID_TOKEN"] as const
      assert.deepStrictEqual(said(yield* redeem(a, connection, "deleted", bowl(), guid(), [oneOff()])), unknown)
      assert.deepStrictEqual(said(yield* World.signUp(a, connection, { email: "gone@example.com" })), unknown)
      assert.deepStrictEqual(yield* pointsOf(a, "deleted"), [300, 0])
    })
  )

  it.effect("of a connection that is deleted meanwhile is undone, however often the database fails at that", () =>
    Effect.gen(function* () {
      const outage = { left: 0 }
      const b = yield* World.node()
      const connection = yield* World.connect(b)
      const { query } = Context.get(b.context, PeoplePool)
      const deleting = World.poolsBy((statement, rows) => {
        if (!isEnd(statement)) return rows
        outage.left = 3
        return Effect.andThen(query(`DELETE FROM connections WHERE n = ${connection.n}`), rows)
      })
      const a = yield* World.node({ pools: deleting, journal: World.rejecting(outage) })
      yield* guest(b, "undone-late")
      const answer = yield* redeem(a, connection, "undone-late", bowl(), guid(), [oneOff()])
      assert.deepStrictEqual(said(answer), [400, "ERROR_INVALID_TOKEN"])
      assert.strictEqual(outage.left, 0)
      assert.deepStrictEqual(yield* pointsOf(yield* World.node(), "undone-late"), [300, 0])
    })
  )
})
