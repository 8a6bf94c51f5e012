/**
 * The statements of nodes on a real PostgreSQL, and what a database stays: contract/databases.md *Live or sandbox*,
 * *Nodes*, *Beats of a node*, *Versions*.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as Durability from "../../../src/base/database/Durability.ts"
import * as Environment from "../../../src/base/database/Environment.ts"
import { sessionName } from "../../../src/base/database/SessionName.ts"
import type { Membership } from "../../../src/core/cluster/Membership.ts"
import type { Holder } from "../../../src/core/cluster/Moves.ts"
import * as PgSessions from "../../../src/core/cluster/PgSessions.ts"
import { partitionCount } from "../../../src/core/cluster/Placement.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { append, record } from "../journal/Records.ts"

/** Partitions that a node has, which nothing needs to drain. */
class Mine implements Holder {
  readonly partitions = new Set<number>()

  claimed(partitions: ReadonlyArray<number>): void {
    for (const partition of partitions) {
      assert.isFalse(this.partitions.has(partition), "a partition is claimed once")
      this.partitions.add(partition)
    }
  }

  drain(partitions: ReadonlyArray<number>): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const partition of partitions) this.partitions.delete(partition)
    })
  }

  placed(): void {}
}

const start = Effect.fnUntraced(function* (id: string, environment: Environment.Environment = "live") {
  const scope = yield* Scope.make()
  const membership = yield* Scope.provide(PgSessions.make({ environment, id, address: `${id}:1` }), scope)
  const mine = new Mine()
  yield* Effect.forkIn(Effect.andThen(membership.joined, membership.hold(mine)), scope)
  return { id, membership, mine, scope }
})

const stop = ({ scope }: { readonly scope: Scope.Closeable }) => Scope.close(scope, Exit.void)

const session = (name: string) =>
  Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make({ ...clientConfig, applicationName: name }))

/** Waits until something holds, for as long as a test may take. */
const eventually = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(look, { until: (isSo) => isSo, schedule: Schedule.spaced("20 millis") })

const current = ({ membership }: { readonly membership: Membership }) =>
  eventually(Effect.sync(() => membership.node.isCurrent()))

const owned = ({ mine }: { readonly mine: Mine }, count: number) =>
  eventually(Effect.sync(() => mine.partitions.size === count))

/** Partitions of each owner, by the table. */
const owners = Effect.scoped(
  Effect.flatMap(session("lotbook test"), (sql) =>
    Effect.map(
      sql.query("SELECT coalesce(owner, '-') AS owner, count(*)::int AS count FROM partitions GROUP BY owner"),
      ({ rows }) => Object.fromEntries(rows.map(({ count, owner }) => [owner, Number(count)]))
    )
  )
)

const query = (statement: string, values: ReadonlyArray<unknown> = []) =>
  Effect.scoped(
    Effect.flatMap(session("lotbook test"), (sql) =>
      Effect.map(sql.query(statement, values, false), ({ rows }) => rows)
    )
  )

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("a node of a database in doubt", (it) => {
  it.effect("awaits storage until commits are confirmed as durable, whatever its beats say", () =>
    Effect.gen(function* () {
      let isConfirmed = true
      const durability = { ...Durability.none, isConfirmed: () => isConfirmed }
      const one = yield* Effect.updateService(start("doubting"), Database, (database) => ({ ...database, durability }))
      yield* current(one)
      assert.isFalse(one.membership.node.isAwaitingStorage())
      isConfirmed = false
      assert.isTrue(one.membership.node.isAwaitingStorage())
      assert.isTrue(one.membership.node.isAdmitting())
      yield* stop(one)
    })
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("nodes of two versions", (it) => {
  it.effect(
    "a newer protocol owns nothing beside an older one, which does not join again once the newer one owned",
    () =>
      Effect.gen(function* () {
        const join = (id: string, protocol: number, version: string) =>
          query("INSERT INTO nodes (id, address, protocol, version) VALUES ($1, '127.0.0.1:1', $2, $3)", [
            id,
            PgTypes.int4(protocol),
            version
          ])
        const claim = (id: string) =>
          query("UPDATE partitions SET owner = $1 WHERE partition = 7 RETURNING partition", [id])
        const oldest = Effect.map(
          query("SELECT oldest FROM migrations WHERE name = '0042_newer_versions.sql'"),
          ([row]) => row?.["oldest"]
        )
        yield* join("older", 1, "0.2.0")
        yield* join("newer", 2, "0.3.0")
        assert.deepStrictEqual(yield* claim("newer"), [])
        assert.deepStrictEqual(yield* claim("older"), [{ partition: 7 }])
        assert.strictEqual(yield* oldest, "0.2.0")
        yield* query("DELETE FROM nodes WHERE id = 'older'")
        assert.deepStrictEqual(yield* claim("newer"), [{ partition: 7 }])
        assert.strictEqual(yield* oldest, "0.3.0", "0.2.0 refuses its start by it")
        const { reason } = yield* Effect.flip(join("again", 1, "0.2.0"))
        assert.match(String(reason.cause), /version 0\.2\.0 cannot read all that it wrote: start the newer version/)
        yield* query("UPDATE partitions SET owner = NULL")
        yield* Effect.flip(join("again", 1, "0.2.0"))
        yield* join("next", 2, "0.3.0")
        yield* query("DELETE FROM nodes")
      })
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("nodes on PostgreSQL", (it) => {
  it.effect("two claim all 256 partitions once, and one that stops gives its own to the other", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([start("aaaaaaaaaaaa"), start("bbbbbbbbbbbb")], { concurrency: 2 })
      yield* Effect.all([current(one), current(other)])
      yield* Effect.all([owned(one, 128), owned(other, 128)])
      yield* eventually(Effect.map(owners, (found) => found[one.id] === 128 && found[other.id] === 128))
      assert.strictEqual(new Set([...one.mine.partitions, ...other.mine.partitions]).size, partitionCount)
      const firsts = yield* Effect.all([one.membership.joined, other.membership.joined])
      assert.deepStrictEqual(firsts.toSorted(), [false, true], "just one is the first")
      yield* one.membership.handOver
      assert.strictEqual(one.mine.partitions.size, 0)
      yield* stop(one)
      yield* owned(other, partitionCount)
      yield* stop(other)
      assert.deepStrictEqual(yield* owners, { "-": partitionCount })
      assert.deepStrictEqual(yield* query("SELECT id FROM nodes"), [])
    })
  )

  it.effect(
    "the end of a dead node ends its sessions on this database and no other; its appends are refused before",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const former = yield* start("cccccccccccc")
          yield* owned(former, partitionCount)
          const database = yield* Database
          const built = yield* Layer.build(
            Layer.provide(Layer.fresh(PgJournal.layer), Layer.succeed(Database, { ...database, holder: former.id }))
          )
          const journal = Context.get(built, Journal)
          const committed = yield* append(journal, record(1, 1))
          assert.strictEqual(committed._tag, "committed")
          const lane = yield* session(sessionName("journal", former.id))
          const bystander = yield* session(sessionName("journal", "dddddddddddd"))
          // A restored copy on the same server names the nodes of the database that it was copied from.
          const elsewhere = yield* PgConnection.make({
            ...database.clientConfig,
            database: "postgres",
            applicationName: sessionName("journal", former.id)
          })
          yield* query("UPDATE nodes SET dead = true WHERE id = $1", [former.id])
          assert.strictEqual((yield* append(journal, record(1, 2)))._tag, "unavailable")
          assert.strictEqual((yield* Effect.flip(former.membership.lost))._tag, "NodeLost")
          assert.isFalse(former.membership.node.isAdmitting())
          yield* stop(former)

          const next = yield* start("ffffffffffff")
          yield* owned(next, partitionCount)
          assert.deepStrictEqual(yield* owners, { ffffffffffff: partitionCount })
          assert.isTrue(Exit.isFailure(yield* Effect.exit(lane.query("SELECT 1"))))
          assert.strictEqual((yield* bystander.query("SELECT 1")).rowCount, 1)
          assert.strictEqual((yield* elsewhere.query("SELECT 1")).rowCount, 1, "another database of the server")
          const outcome = yield* append(journal, record(1, 2))
          assert.notStrictEqual(outcome._tag, "committed", "its row is gone")
          yield* stop(next)
        })
      )
  )

  it.effect("one whose sessions were ended goes on as the same node, with its partitions", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const node = yield* start("abababababab")
        yield* owned(node, partitionCount)
        const sql = yield* session("lotbook test")
        const backends = Effect.map(
          sql.query("SELECT pid FROM pg_stat_activity WHERE right(application_name, length($1)) = $1 ORDER BY pid", [
            node.id
          ]),
          ({ rows }) => rows.map((found) => Number(found["pid"]))
        )
        const before = yield* backends
        assert.lengthOf(before, 2)
        const [changes] = yield* query("SELECT sum(epoch)::int AS changes FROM partitions")
        yield* sql.query("SELECT pg_terminate_backend(pid) FROM unnest($1::text::int[]) AS t (pid)", [
          `{${before.join()}}`
        ])
        yield* eventually(
          Effect.map(backends, (after) => after.length === 2 && after.every((pid) => !before.includes(pid)))
        )
        const [beat] = yield* query("SELECT beat::int AS beat FROM nodes")
        yield* eventually(
          Effect.map(
            query("SELECT beat::int AS beat FROM nodes"),
            ([row]) => Number(row?.["beat"]) > Number(beat?.["beat"])
          )
        )
        yield* current(node)
        const [later] = yield* query("SELECT sum(epoch)::int AS changes FROM partitions")
        assert.deepStrictEqual(later, changes)
        yield* stop(node)
      })
    )
  )

  it.effect("a sandbox takes one alone", () =>
    Effect.gen(function* () {
      const first = yield* start("eeeeeeeeeee1", "sandbox")
      yield* current(first)
      const second = yield* start("eeeeeeeeeee2", "sandbox")
      yield* Effect.sleep("600 millis")
      assert.strictEqual(second.membership.node.role(), "joining")
      assert.deepStrictEqual(yield* query("SELECT id FROM nodes"), [{ id: first.id }])
      yield* stop(first)
      yield* owned(second, partitionCount)
      yield* stop(second)
    })
  )

  it.effect("the time of the newest beat outlives the node that sent it", () =>
    Effect.gen(function* () {
      const node = yield* start("eeeeeeeeeee3")
      yield* current(node)
      const [row] = yield* query("SELECT beat_at::float8 AS at FROM nodes")
      yield* stop(node)
      const [kept] = yield* query("SELECT at::float8 AS at FROM newest_beat")
      assert.isAtLeast(Number(kept?.["at"]), Number(row?.["at"]))
    })
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("the kind of a database", (it) => {
  it.effect("is that of its first start, and the other is refused with what to do", () =>
    Effect.gen(function* () {
      yield* Environment.settle("sandbox")
      yield* Environment.settle("sandbox")
      const refused = yield* Effect.flip(Environment.settle("live"))
      assert.match(refused.message, /is a sandbox database: start with --sandbox-clock, or use another/)
      yield* query("UPDATE installation SET environment = 'live'")
      const other = yield* Effect.flip(Environment.settle("sandbox"))
      assert.match(other.message, /is a live database: start without --sandbox-clock, or use another/)
    })
  )
})
