/** The operators' reads: as counted anew from every record, by whatever filters; and never by a scan. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../src/database/Database.ts"
import { Feed } from "../../src/feed/Feed.ts"
import * as PgFeed from "../../src/feed/PgFeed.ts"
import * as Position from "../../src/feed/Position.ts"
import { JournalUnavailable } from "../../src/journal/Records.ts"
import * as PgJournal from "../../src/journal/postgres/PgJournal.ts"
import { Programs } from "../../src/program/Programs.ts"
import type { ListQuery } from "../../src/rollups/RollupReads.ts"
import * as RollupReads from "../../src/rollups/RollupReads.ts"
import { Rollups } from "../../src/rollups/Rollups.ts"
import * as RollupStore from "../../src/rollups/RollupStore.ts"
import * as RandomOf from "../model/Random.ts"
import * as Scenario from "../reconcile/Scenario.ts"
import * as TestDatabase from "../TestDatabase.ts"
import { modelOf } from "./Model.ts"
import { demo, identityOf, stamps, start, Traffic } from "./Traffic.ts"

const programs = [demo, stamps]
const day = 86_400_000
const all = Layer.mergeAll(RollupReads.layer, Rollups.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom(programs)),
  Layer.provideMerge(TestDatabase.layer)
)

layer(all, { excludeTestServices: true })("the operators' reads", (it) => {
  it.effect("list and sum up what the records say, page by page", () =>
    Effect.gen(function* () {
      const random = RandomOf.make(5, "queries")
      const traffic = new Traffic("m", RandomOf.make(5, "traffic"))
      yield* traffic.run(320)
      yield* Scenario.countRollups
      const [feed, reads] = [yield* Feed, yield* RollupReads.RollupReads]
      const records = yield* feed.read(Position.beginning, 10_000)
      const identities = new Map(traffic.members.map((one) => [one.account, one.identities.map(identityOf)]))
      const model = modelOf(() => ({ records, programs, identities: (account) => identities.get(account) ?? [] }))
      const kinds = yield* reads.kinds()
      assert.sameDeepMembers([...kinds], [...(yield* model.kinds())])
      assert.isAbove(kinds.length, 4)

      const pageAll = Effect.fnUntraced(function* (query: ListQuery) {
        let after: ListQuery["after"]
        for (let pages = 0; ; pages++) {
          const page = yield* reads.list({ ...query, after })
          assert.deepStrictEqual(page, yield* model.list({ ...query, after }), JSON.stringify({ ...query, after }))
          const last = page.at(-1)
          if (page.length < query.limit || last === undefined) return pages
          after = { account: last.account, key: query.search === undefined ? String(last.joined) : last.member }
        }
      })
      const some = <A>(value: () => A): A | undefined => (random.next() < 0.5 ? value() : undefined)
      let pages = 0
      for (let round = 0; round < 60; round++) {
        pages += yield* pageAll({
          kinds: kinds.filter(() => random.next() < 0.7),
          joinedFrom: some(() => start + random.whole(0, 30) * day),
          joinedUntil: some(() => start + random.whole(10, 400) * day),
          search: some(() => random.pick(["m", "m-1", "m-12", "m-99", "card-m-3", "card-m-17", "card", "x"])),
          limit: random.whole(1, 6)
        })
      }
      assert.isAbove(pages, 15)

      for (const { id, primaryUnit } of programs) {
        for (let round = 0; round < 5; round++) {
          const at = start + random.whole(0, 300) * day
          const asked = {
            program: id,
            primaryUnit,
            day: { start: at - (at % day), end: at - (at % day) + 30 * day },
            expiring: { from: at, until: at + 200 * day }
          }
          const [found, expected] = [yield* reads.figures(asked), yield* model.figures(asked)]
          assert.sameDeepMembers([...found.kinds], [...expected.kinds])
          assert.sameDeepMembers([...found.points], [...expected.points])
          assert.deepStrictEqual({ ...found, kinds: [], points: [] }, { ...expected, kinds: [], points: [] })
        }
      }
    })
  )

  it.effect("say how far they are, where records are not counted yet", () =>
    Effect.gen(function* () {
      const reads = yield* RollupReads.RollupReads
      const asked = {
        program: demo.id,
        primaryUnit: "points",
        day: { start, end: start + day },
        expiring: { from: start, until: start }
      }
      yield* Scenario.countRollups
      assert.isUndefined((yield* reads.figures(asked)).asOf)
      const traffic = new Traffic("late", RandomOf.make(6, "traffic"))
      traffic.now += 77_000
      yield* traffic.enroll("late-1")
      assert.strictEqual((yield* reads.figures(asked)).asOf, start + 77_000)
      yield* Scenario.countRollups
      assert.isUndefined((yield* reads.figures(asked)).asOf)
      yield* Scenario.byHand(
        `UPDATE rollup_ladders SET sorted_to = 0, since = ${start} WHERE program_id = '${demo.id}'`
      )
      assert.strictEqual((yield* reads.figures(asked)).asOf, start)
    })
  )
})

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodes = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** Pages of an index that lead to a stretch of it, and those that hold what a page of a list needs. */
const pagesBesideRows = 8

/** Rows that a node read of its table. */
const readOf = (node: Plan): number => {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  return (node["Actual Rows"] + removed) * node["Actual Loops"]
}

/** Many enough that a stretch of an index is many pages. */
const members = 30_000
/** Members of 12 kinds, of which every other one begins with `b`, with a record and an identity each. */
const filled = [
  `INSERT INTO member_rollups SELECT n, 1, 'p', CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END || n,
      (ARRAY['active', 'suspended', 'closed'])[1 + n % 3]::member_status, n * 1000::bigint, 'tier-' || n % 2, n % 4, NULL, '[]'
    FROM generate_series(1, ${members}) n`,
  `INSERT INTO accounts SELECT account, 1, NULL, 0, status, program_id, member_id, to_timestamp(joined / 1000) FROM member_rollups`,
  `INSERT INTO members SELECT account, ('[{"value": "card-' || account || '"}]')::jsonb FROM member_rollups`,
  `INSERT INTO profiles (account, program_id, member_id, display_name, name_key, email, email_key, created_at, updated_at)
    SELECT account, 'p', member_id, 'Name ' || account, 'name ' || account, 'M' || account || '@x', 'm' || account || '@x', 1, 1
    FROM member_rollups`,
  `INSERT INTO journal SELECT account, 1, joined, '3', gen_random_uuid(), 1, 1, 1, NULL, NULL, '[]', '{}', '[]' FROM member_rollups`,
  `INSERT INTO rollup_members SELECT program_id, status, tier_period, tier_id, count(*) FROM member_rollups
    GROUP BY program_id, status, tier_period, tier_id`,
  `INSERT INTO rollup_lots SELECT 'p', 'points', n * 900000::bigint, 1 FROM generate_series(1, ${members}) n`,
  `INSERT INTO rollup_activity SELECT 'p', 'points', '', n * 900000::bigint, 1, 1, 1, 1, 1, 1, 1 FROM generate_series(1, ${members}) n`,
  "INSERT INTO rollup_points VALUES ('p', 'points', 1, 1)"
]

layer(PgFeed.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })(
  "no filter of the operators' lists, and no figure,",
  (it) => {
    it.effect("reads more than a page of each kind of member, whatever statistics there are", () =>
      Effect.gen(function* () {
        yield* Scenario.byHand(...filled)
        const { clientConfig } = yield* Database
        const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: RollupReads.session })
        let plans: Array<Plan> = []
        const reads = RollupReads.make(
          (statement, parameters) =>
            Effect.gen(function* () {
              const { rows } = yield* connection.query(
                `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
                parameters
              )
              const [explained] = (rows[0]?.["QUERY PLAN"] ?? []) as ReadonlyArray<{ readonly Plan: Plan }>
              if (explained !== undefined) plans.push(explained.Plan)
              return (yield* connection.query(statement, parameters)).rows
            }).pipe(Effect.mapError((cause) => new JournalUnavailable({ cause }))),
          yield* Feed
        )
        const kinds = yield* reads.kinds()
        assert.strictEqual(kinds.length, 12)
        const limit = 21
        const queries: Readonly<Record<string, Omit<ListQuery, "kinds" | "limit">>> = {
          all: {},
          "a later page": { after: { account: 2_000, key: "2000000" } },
          "a later page of a time": {
            joinedFrom: 1_000,
            joinedUntil: 29_000_000,
            after: { account: 99, key: "99000" }
          },
          "joined within little": { joinedFrom: 1_000_000, joinedUntil: 1_010_000 },
          "joined before nearly all": { joinedUntil: 3_000 },
          "a prefix of many": { search: "b" },
          "a prefix of few": { search: "b2999" },
          "the beginning of many names": { search: "Name" },
          "the beginning of many names, behind a page": { search: "name", after: { account: 1_000, key: "a1000" } },
          "the beginning of few names": { search: "NAME 2999" },
          "an e-mail address": { search: "m777@x" },
          "an identity": { search: "card-77" },
          "the last digits of a card": { search: "2977" },
          "a word within few names": { search: "29990" },
          "an order": { search: "order-1", found: [1, 2, 3] },
          "nothing there": { search: "c" },
          "a prefix, behind a page": { search: "a", after: { account: 1_000, key: "a1000" } },
          "a prefix and joined within little": { search: "a", joinedFrom: 1_000_000, joinedUntil: 1_010_000 }
        }
        const members = (search: string) =>
          Effect.map(reads.list({ search, kinds, limit }), (found) => found.map(({ displayName }) => displayName))
        const few = ["Name 2999", ...Array.from({ length: 10 }, (_, n) => `Name ${29_990 + n}`)]
        assert.sameMembers([...(yield* members("NAME 2999"))], few)
        assert.deepStrictEqual(yield* members("m777@X"), ["Name 777"])
        assert.lengthOf(yield* members("name"), limit)
        for (const statistics of ["none", "fresh"]) {
          if (statistics === "fresh") yield* connection.query("ANALYZE")
          for (const [name, query] of Object.entries(queries)) {
            for (const some of [kinds, kinds.slice(0, 2)]) {
              plans = []
              yield* reads.list({ ...query, kinds: some, limit })
              const what = `${name}, ${some.length} kinds, statistics: ${statistics}`
              const scans = plans.flatMap(nodes).filter((node) => node["Node Type"].endsWith("Scan"))
              const big = ["member_rollups", "accounts", "members", "journal"]
              const read = scans.filter((node) => big.includes(node["Relation Name"] ?? ""))
              assert.isFalse(
                read.some((node) => node["Node Type"] === "Seq Scan"),
                what
              )
              const rows = read.reduce((sum, node) => sum + readOf(node), 0)
              assert.isAtMost(rows, (some.length + 2) * limit + 40, what)
              for (const node of read.filter((one) => one["Relation Name"] === "member_rollups")) {
                const pages = node["Shared Hit Blocks"] + node["Shared Read Blocks"]
                assert.isAtMost(pages, (node["Actual Rows"] + pagesBesideRows) * node["Actual Loops"], what)
              }
            }
          }
          plans = []
          const asked = { program: "p", primaryUnit: "points", day: { start: 0, end: 9_000_000 } }
          yield* reads.figures({ ...asked, expiring: { from: 900_000, until: 90_000_000 } })
          const rows = plans.flatMap(nodes).filter((node) => node["Relation Name"]?.startsWith("rollup_") === true)
          assert.isAtMost(
            rows.reduce((sum, node) => sum + readOf(node), 0),
            150
          )
        }
      })
    )
  }
)
