/** contract/orders.md *Claiming an order*: a kill at each step of a claim loses nothing and does nothing twice. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, storageUnavailable } from "../../../src/base/database/Pools.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "./World.ts"

/** Pools of a process that is dead from the statement on that contains a text. */
const deadFrom = (part: string) =>
  Layer.effect(
    PeoplePool,
    Effect.map(PeoplePool, (real) => {
      let isDead = false
      return {
        ...real,
        query: (statement, parameters) => {
          isDead ||= statement.includes(part)
          return isDead ? storageUnavailable : real.query(statement, parameters)
        }
      }
    })
  ).pipe(Layer.provideMerge(Pools.layer))

/** A journal that takes nothing. */
const deaf = Layer.effect(
  Journal,
  Effect.map(Journal, (real) => Journal.of({ ...real, submit: (_, done) => done({ _tag: "unavailable" }) }))
).pipe(Layer.provide(PgJournal.layer))

/** The steps after which a process dies. */
const steps: ReadonlyArray<readonly [string, Parameters<typeof World.node>[0]]> = [
  ["the row names the guest", { journal: deaf }],
  ["the accrual is posted", { pools: deadFrom("SELECT body FROM kept_adjustments") }],
  ["an adjustment is posted", { pools: deadFrom("UPDATE kept_adjustments SET is_open") }],
  ["all adjustments are posted", { pools: deadFrom("SET state = 'claimed'") }]
]

type Asked = Parameters<World.Node["claim"]>[0]

const claimed = (alive: World.Node, asked: Asked) =>
  Effect.map(World.said(alive.claim(asked)), (said) => assert.match(said, /created|same/))
const second = (id: string) => World.refund(`${id}-b`, id, 300)

/** Everything that can finish a claim. */
const finishers: Readonly<
  Record<string, (alive: World.Node, id: string, asked: Asked) => Effect.Effect<unknown, unknown>>
> = {
  "the next touch": (alive, _, asked) => claimed(alive, asked),
  "the worker": (alive, id) =>
    Effect.andThen(
      Effect.orDie(
        alive.on(PeoplePool.use(({ query }) => query(`UPDATE kept_orders SET begun_at = 0 WHERE order_id = '${id}'`)))
      ),
      alive.goOn
    ),
  "a refund that was kept before": (alive, id) => alive.adjust(second(id))
}

it.layer(TestDatabase.layer, { excludeTestServices: true })("a claim", (it) => {
  for (const [n, [step, parts]] of steps.entries())
    for (const [m, [finisher, finish]] of Object.entries(finishers).entries())
      it.effect(`that dies after ${step} is finished by ${finisher}`, () =>
        Effect.gen(function* () {
          const id = `killed-${n}-${m}`
          const member_id = `guest-${id}`
          const alive = yield* World.node()
          yield* World.guest(alive, member_id)
          const asked = { claim_code: yield* World.kept(alive, id), member_id }
          yield* alive.adjust(World.refund(`${id}-a`, id, 200))
          yield* alive.adjust(second(id))
          const dying = yield* World.node(parts)
          assert.strictEqual(yield* World.said(dying.claim(asked)), "storage_unavailable")
          assert.strictEqual(yield* World.state(id), "claiming")
          yield* finish(alive, id, asked)
          yield* claimed(alive, asked)
          assert.strictEqual(yield* World.state(id), "claimed")
          const entries = (yield* World.ledger(alive, member_id)).map(
            ([operation, , amount]) => `${operation} ${amount}`
          )
          assert.sameMembers(entries, ["accrual 100", "adjustment -20", "adjustment -30"])
          assert.strictEqual(yield* World.points(alive, member_id), 50)
          assert.strictEqual(yield* World.said(alive.claim(asked)), "same")
        })
      )

  it.effect("of a guest whose claim died is not another guest's meanwhile", () =>
    Effect.gen(function* () {
      const alive = yield* World.node()
      yield* World.guest(alive, "died")
      yield* World.guest(alive, "waits")
      const claim_code = yield* World.kept(alive, "died-1")
      const dying = yield* World.node({ journal: deaf })
      assert.strictEqual(yield* World.said(dying.claim({ claim_code, member_id: "died" })), "storage_unavailable")
      assert.strictEqual(yield* World.said(alive.claim({ claim_code, member_id: "waits" })), "conflict")
      assert.deepStrictEqual([yield* World.points(alive, "died"), yield* World.points(alive, "waits")], [100, 0])
    })
  )
})
