/** The rollups hold what the journal says, whatever is killed on the way, and whichever node keeps them. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import type { Random } from "../../model/Random.ts"
import * as RandomOf from "../../model/Random.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Scenario from "../reconcile/Scenario.ts"
import { demo, stamps, Traffic } from "./Traffic.ts"

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    Effect.forEach([demo, stamps], (program) =>
      ProgramWrites.write(connection, program, { by: "test", source: "file" }, 0, 0)
    )
  )
)
const all = Layer.mergeAll(
  PgFeed.layer,
  PgJournal.layer,
  RollupStore.layer,
  Programs.layer.pipe(Layer.provide(published))
)

/** Somebody who keeps rollups, over a store that a test may break. */
const keeper = Effect.fnUntraced(function* (
  broken: (store: RollupStore.RollupStore["Service"]) => RollupStore.RollupStore["Service"] = (store) => store,
  programs: ReadonlyArray<Program> = [demo, stamps]
) {
  const store = Layer.succeed(RollupStore.RollupStore, broken(yield* RollupStore.RollupStore))
  const context = yield* Layer.build(
    Layer.fresh(Rollups.layer).pipe(
      Layer.provide(Layer.mergeAll(store, Programs.layerFrom(programs), Layer.succeed(Feed, yield* Feed)))
    )
  )
  return Context.get(context, Rollups)
})

/** Counts everything. */
const counted = Effect.flatMap(keeper(), (rollups) => Effect.provideService(Scenario.countRollups, Rollups, rollups))

const isSound = Effect.gen(function* () {
  assert.deepStrictEqual((yield* Scenario.verify()).found, [])
})

const lost = new JournalUnavailable({ cause: new Error("the connection is lost") })

/** Killed before or after a change was written, or by an answer that never came, now and then. */
const killedAt =
  (random: Random) =>
  (store: RollupStore.RollupStore["Service"]): RollupStore.RollupStore["Service"] => ({
    ...store,
    progress: Effect.suspend(() => (random.next() < 0.1 ? Effect.fail(lost) : store.progress)),
    members: (...asked) => (random.next() < 0.1 ? Effect.fail(lost) : store.members(...asked)),
    write: (...change) => {
      const chance = random.next()
      if (chance < 0.1) return Effect.fail(lost)
      return chance < 0.3 ? Effect.andThen(store.write(...change), Effect.fail(lost)) : store.write(...change)
    }
  })

layer(all.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })("the rollups", (it) => {
  it.effect(
    "are what the accounts come to, though their keeper is killed between any two steps and others count beside it",
    () =>
      Effect.gen(function* () {
        const seed = 20_261_125
        const random = RandomOf.make(seed, "kills")
        const traffic = new Traffic("kills", RandomOf.make(seed, "traffic"))
        for (let round = 0; round < 8; round++) {
          yield* traffic.run(40)
          const keepers = [yield* keeper(killedAt(random)), yield* keeper(killedAt(random)), yield* keeper()]
          yield* Effect.forEach(
            keepers,
            (one) =>
              Effect.ignore(Effect.forEach([1, 2, 3, 4], () => one.step(random.whole(1, 40)), { discard: true })),
            { concurrency: "unbounded", discard: true }
          )
          yield* isSound
        }
        yield* counted
        yield* isSound
        const [row] = yield* Scenario.byHand(
          "SELECT (SELECT sum(seq) FROM member_rollups) AS counted, (SELECT count(*) FROM journal) AS written, (SELECT count(*) FROM rollup_lots)::int AS lots, (SELECT count(*) FROM journal WHERE events LIKE '%merged_in%')::int AS merges"
        )
        assert.strictEqual(String(row?.["counted"]), String(row?.["written"]))
        assert.isAbove(Number(row?.["lots"]), 20)
        assert.isAbove(Number(row?.["merges"]), 0)
      })
  )

  it.effect("are kept by no node that was declared dead", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("dead-node", RandomOf.make(2, "traffic"))
      yield* counted
      const old = yield* Layer.build(
        Layer.fresh(RollupStore.layer).pipe(
          Layer.provide(
            Layer.effect(
              Database,
              Effect.map(Database, (database) => ({ ...database, holder: "old" }))
            )
          )
        )
      )
      const store = Context.get(old, RollupStore.RollupStore)
      yield* Scenario.byHand(
        "INSERT INTO nodes (id, address, protocol, version) VALUES ('old', '127.0.0.1:1', 1, 'test')"
      )
      yield* traffic.enroll("dead-node-1")
      const rollups = yield* keeper(() => store)
      while ((yield* rollups.step(10)) !== "changed") yield* Effect.yieldNow
      yield* Scenario.byHand("UPDATE nodes SET dead = true WHERE id = 'old'")
      yield* traffic.enroll("dead-node-2")
      const steps = new Set<string>()
      while (!steps.has("replaced")) steps.add(yield* rollups.step(10))
      assert.isFalse(steps.has("changed"))
      yield* Scenario.byHand("DELETE FROM nodes")
      yield* counted
      yield* isSound
    })
  )

  it.effect("sort members by a ladder that was published, in steps, and count what happens meanwhile", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("ladder", RandomOf.make(3, "traffic"))
      yield* traffic.run(200)
      yield* counted
      const tiers = demo.file.tiers.map((tier, place) => ({ ...tier, minimum: place * 40 }))
      const other = Testing.programOf({ ...demo.file, tiers })
      const kinds = Scenario.byHand(
        "SELECT tier_id, sum(members)::int AS members FROM rollup_members WHERE tier_id <> '' GROUP BY tier_id ORDER BY tier_id"
      )
      const before = yield* kinds
      const random = RandomOf.make(3, "kills")
      for (let round = 0; round < 20; round++) {
        const rollups = yield* keeper(killedAt(random), [other, stamps])
        yield* Effect.ignore(rollups.step(5))
        if (round < 10) yield* traffic.run(4)
      }
      yield* (yield* keeper(undefined, [other, stamps])).catchUp()
      yield* isSound
      const [pending] = yield* Scenario.byHand(
        "SELECT count(*)::int AS pending FROM rollup_ladders WHERE sorted_to IS NOT NULL"
      )
      assert.strictEqual(pending?.["pending"], 0)
      assert.notDeepEqual(yield* kinds, before)
      yield* counted
      yield* isSound
    })
  )

  it.effect("tell of each promotion and location what the entries of accruals say", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("promotions", RandomOf.make(5, "traffic"))
      yield* traffic.run(120)
      yield* counted
      const figures = "uses, points, spend FROM sums ORDER BY 1, 2"
      for (const span of [900_000, 86_400_000]) {
        const told =
          yield* Scenario.byHand(`WITH sums AS (SELECT promotion_id AS id, location_id AS place, sum(uses)::int AS uses,
            sum(points)::int AS points, sum(spend)::int AS spend FROM rollup_promotions WHERE span = ${span} GROUP BY 1, 2)
          SELECT id, place, ${figures}`)
        const wanted =
          yield* Scenario.byHand(`WITH sums AS (SELECT p->>'id' AS id, e->>'location' AS place, count(*)::int AS uses,
            sum((p->>'amount')::int)::int AS points, sum((e->>'spend')::int)::int AS spend
            FROM journal, json_array_elements(events::json) e, json_array_elements(e->'promotions') p
            WHERE e->>'op' = 'accrual' GROUP BY 1, 2)
          SELECT id, place, ${figures}`)
        assert.deepStrictEqual(told, wanted)
        assert.isAbove(told.length, 4)
      }
    })
  )

  it.effect("are found wherever they differ from the journal, and made again", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("damage", RandomOf.make(4, "traffic"))
      yield* traffic.run(60)
      yield* counted
      const one = (table: string) => `ctid = (SELECT ctid FROM ${table} LIMIT 1)`
      yield* Scenario.byHand(
        `UPDATE rollup_members SET members = members + 1 WHERE ${one("rollup_members")}`,
        "UPDATE rollup_points SET posted = posted - 1 WHERE unit = 'points'",
        "UPDATE rollup_points SET reserved = reserved + 1 WHERE unit = 'stamps'",
        `DELETE FROM rollup_lots WHERE ${one("rollup_lots")}`,
        "INSERT INTO rollup_lots VALUES ('demo-foodservice', 'points', 900000, 7)",
        `UPDATE rollup_activity SET issued = issued + 1, orders = orders + 1 WHERE ${one("rollup_activity")}`,
        "UPDATE member_rollups SET joined = joined - 1 WHERE member_id = 'damage-0'",
        `UPDATE member_rollups SET points_posted = points_posted + 1 WHERE ctid = (SELECT ctid FROM member_rollups
          WHERE points_posted IS NOT NULL AND member_id <> 'damage-0' LIMIT 1)`,
        `UPDATE rollup_joined SET members = members + 1 WHERE ${one("rollup_joined")}`,
        `UPDATE rollup_sales SET spend = spend + 1 WHERE ${one("rollup_sales")}`,
        `UPDATE rollup_rewards SET captured = captured + 1 WHERE ${one("rollup_rewards")}`,
        `UPDATE rollup_promotions SET uses = uses + 1 WHERE ${one("rollup_promotions")}`,
        `UPDATE rollup_member_lots SET amount = amount + 1 WHERE ${one("rollup_member_lots")}`,
        `UPDATE rollup_orders SET delta = delta - 1 WHERE ctid = (SELECT ctid FROM rollup_orders
          WHERE account NOT IN (SELECT account FROM journal WHERE events LIKE '%merged_%') LIMIT 1)`,
        `UPDATE rollup_orders SET is_closed = NOT is_closed WHERE ctid = (SELECT o.ctid FROM rollup_orders o
          JOIN journal j ON j.account = o.account WHERE j.events LIKE '%merged_in%' LIMIT 1)`,
        "INSERT INTO rollup_orders (account, order_id, program_id, at, business, accrued, earned_by) VALUES (1000000, 'o', 'p', 0, 0, 1, 1000000)",
        "INSERT INTO rollup_buyers VALUES (1000000, 'p', 1, 1, 0)",
        "UPDATE rollup_buyers SET orders = 0 WHERE account = 1000000",
        `UPDATE rollup_merges SET into_account = 0 WHERE ${one("rollup_merges")}`,
        "INSERT INTO rollup_merges VALUES (1000001, 1)"
      )
      const named = (yield* Scenario.verify()).found.map(({ message, table }) => `${table} ${message.split(" ")[0]}`)
      assert.deepStrictEqual(named.toSorted(), [
        "member_rollups balances",
        "member_rollups joined",
        "rollup_activity orders",
        "rollup_buyers is",
        "rollup_buyers is",
        "rollup_buyers is",
        "rollup_joined members",
        "rollup_lots amount",
        "rollup_lots amount",
        "rollup_member_lots amount",
        "rollup_members members",
        "rollup_merges into_account",
        "rollup_merges into_account",
        "rollup_orders delta",
        "rollup_orders exists;",
        "rollup_orders is",
        "rollup_points posted",
        "rollup_points reserved",
        "rollup_promotions uses",
        "rollup_rewards captured",
        "rollup_sales spend"
      ])
      const { found, hasRemadeRollups } = yield* Scenario.rebuild
      assert.deepStrictEqual([hasRemadeRollups, found], [true, []])
      yield* counted
      yield* isSound
      assert.isFalse((yield* Scenario.rebuild).hasRemadeRollups)
    })
  )
})
