/** The sums of finance are what ledger and lots say after any history (contract/finance.md *Roll-forward*). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../../src/reads/finance/FinanceStore.ts"
import { adjust, reserve } from "../../core/account/domain/Scenario.ts"
import type { Random } from "../../model/Random.ts"
import * as RandomOf from "../../model/Random.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { demo, stamps, Traffic } from "../rollups/Traffic.ts"
import * as Model from "./Model.ts"

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    Effect.forEach([demo, stamps], (program) =>
      ProgramWrites.write(connection, program, { by: "test", source: "file" }, 0, 0)
    )
  )
)
const all = FinanceStore.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer)),
  Layer.provideMerge(published),
  Layer.provideMerge(TestDatabase.layer)
)

type Store = FinanceStore.FinanceStore["Service"]

/** Somebody who keeps the sums, over a store that a test may break. */
const keeper = Effect.fnUntraced(function* (broken: (store: Store) => Store = (store) => store) {
  const store = Layer.succeed(FinanceStore.FinanceStore, broken(yield* FinanceStore.FinanceStore))
  const context = yield* Layer.build(
    Layer.fresh(Finance.layer).pipe(Layer.provide(Layer.merge(store, Layer.succeed(Feed, yield* Feed))))
  )
  return Context.get(context, Finance)
})

/** Counts every record: transactions of other tests may hold some back for a moment. */
const counted = Effect.gen(function* () {
  const finance = yield* keeper()
  do yield* finance.catchUp({ limit: 50 })
  while ((yield* finance.asOf) !== undefined)
})

const lost = new JournalUnavailable({ cause: new Error("the connection is lost") })

const killedAt =
  (random: Random) =>
  (store: Store): Store => ({
    ...store,
    progress: Effect.suspend(() => (random.next() < 0.1 ? Effect.fail(lost) : store.progress)),
    places: (...asked) => (random.next() < 0.1 ? Effect.fail(lost) : store.places(...asked)),
    write: (...change) => {
      const chance = random.next()
      if (chance < 0.1) return Effect.fail(lost)
      return chance < 0.3 ? Effect.andThen(store.write(...change), Effect.fail(lost)) : store.write(...change)
    }
  })

/** A member who earns at two places and redeems at a third; every other redemption is given back. */
const spends = Effect.fnUntraced(function* (traffic: Traffic, round: number) {
  const member = yield* traffic.enroll(`spender-${round}`, demo)
  const order = (id: string, place: string, amount = 3_000) =>
    Testing.order(`${id}-${round}`, amount, {
      ...Testing.placedAt(traffic.now),
      scope: { program_id: demo.id, brand_id: "brand", merchant_id: "merchant", location_id: place }
    })
  for (const place of ["location-0", "location-1"])
    yield* traffic.act(member, { type: "accrue", order: order(place, place) })
  const at = { ...order("meal", "location-2"), status: "open" as const }
  yield* traffic.act(member, reserve(round, { reward: "one-off", redemption: `spent-${round}`, order: at }))
  const hold = member.state.reservations.at(-1)!
  yield* traffic.act(member, { type: "capture", reservation: hold.reservation, order: hold.order })
  if (round % 2 === 1) yield* traffic.act(member, { type: "reverse", reservation: hold.reservation, reason: "test" })
  // Points that are spent are taken back, too: the balance goes below zero.
  if (round % 3 === 0)
    for (const place of ["location-0", "location-1"])
      yield* traffic.act(member, adjust(`${place}-${round}`, "full_refund", -3_000))
})

const monthIn = (program: string, at: number): string => {
  const { zone } = program === demo.id ? demo : stamps
  const parts = new Intl.DateTimeFormat("sv", { timeZone: zone, year: "numeric", month: "2-digit" }).formatToParts(at)
  return `${parts.find(({ type }) => type === "year")!.value}-${parts.find(({ type }) => type === "month")!.value}`
}

layer(all, { excludeTestServices: true })("the sums of finance", (it) => {
  it.effect("are those of the ledger and the lots, though their keeper is killed between any two steps", () =>
    Effect.gen(function* () {
      const seed = 20_261_130
      const random = RandomOf.make(seed, "kills")
      const traffic = new Traffic("finance", RandomOf.make(seed, "traffic"))
      for (let round = 0; round < 12; round++) {
        yield* traffic.run(60)
        yield* spends(traffic, round)
        const keepers = [yield* keeper(killedAt(random)), yield* keeper(killedAt(random)), yield* keeper()]
        yield* Effect.forEach(
          keepers,
          (one) => Effect.ignore(Effect.forEach([1, 2, 3], () => one.step(random.whole(1, 40)), { discard: true })),
          { concurrency: "unbounded", discard: true }
        )
      }
      yield* counted
      const { ledger, sums } = yield* Model.byDay
      assert.deepStrictEqual(sums, ledger)
      const lines = new Set(Object.keys(sums).map((key) => key.split(" ").at(-1)))
      for (const line of ["earned", "redeemed", "given_back", "expired", "orders_down", "correction_debits"])
        assert.isTrue(lines.has(line), line)
      // Merges leave no line, because both members' entries are of one day.
      assert.isFalse(lines.has("moved"))
      assert.isTrue(traffic.members.some(({ merged, state }) => merged.length > 0 && state.units.length > 0))
      assert.deepStrictEqual(yield* Model.placesBySums, Model.byPlace(traffic.members))
      assert.deepStrictEqual(yield* Model.earnedBySums, Model.byEarned(traffic.members, monthIn))
      assert.deepStrictEqual(yield* Model.walletsBySums, Model.inWallets(traffic.members))
      assert.isBelow(Math.min(0, ...Object.values(yield* Model.placesBySums)), 0, "a balance below zero")
    })
  )

  it.effect("are counted up to a place, however much comes after it", () =>
    Effect.gen(function* () {
      yield* counted
      const [feed, store, finance] = [yield* Feed, yield* FinanceStore.FinanceStore, yield* keeper()]
      const { position } = yield* store.progress
      yield* new Traffic("until", RandomOf.make(7, "until")).run(60)
      const next = yield* Effect.repeat(feed.read(position, 10), { until: ({ length }) => length === 10 })
      yield* finance.catchUp({ limit: 4, until: next[5]!.position })
      assert.deepStrictEqual((yield* store.progress).position, next[7]!.position)
    })
  )
})
