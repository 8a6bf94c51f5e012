/** Pages of the operators' list: as counted anew from every record, by whatever filters; and never by a scan. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool, storageUnavailable } from "../../../src/base/database/Pools.ts"
import type { ListQuery } from "../../../src/capabilities/members/ListedMembers.ts"
import * as ListedMembers from "../../../src/capabilities/members/ListedMembers.ts"
import * as MemberSearch from "../../../src/capabilities/members/MemberSearch.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import type { Identity } from "../../../src/core/journal/Records.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import type { MemberRollup } from "../../../src/reads/rollups/Member.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as Plans from "../../base/database/Plans.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { countedOf } from "../../reads/rollups/Model.ts"
import { demo, identityOf, stamps, start, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const programs = [demo, stamps]
const day = 86_400_000
const all = Layer.mergeAll(Rollups.layer, PeoplePool.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom(programs)),
  Layer.provideMerge(TestDatabase.layer)
)

const keyOf = ({ program, tier }: Pick<MemberRollup, "program" | "tier">) => ({ program, ...tier })

/** Newest first, or by rank and member id with a search. */
const order = (rankOf: ((one: MemberRollup) => number) | undefined) => (a: MemberRollup, b: MemberRollup) => {
  if (rankOf === undefined) return b.joined - a.joined || b.account - a.account
  if (rankOf(a) !== rankOf(b)) return rankOf(a) - rankOf(b)
  return a.member === b.member ? a.account - b.account : a.member < b.member ? -1 : 1
}

/** All that the list must have, of all members. */
const expectedOf = (
  members: ReadonlyArray<MemberRollup>,
  identities: ReadonlyMap<number, ReadonlyArray<Identity>>,
  lastOrders: ReadonlyMap<number, number>,
  query: Omit<ListQuery, "limit">
) => {
  const { joinedFrom = -Infinity, joinedUntil = Infinity, search, status, tiers } = query
  const isWhole = ({ account, member }: MemberRollup) =>
    member === search?.wanted ||
    search?.ordered.includes(account) === true ||
    identities.get(account)?.some(({ value }) => value === search?.wanted) === true
  const isFound = (one: MemberRollup) => search === undefined || isWhole(one) || one.member.startsWith(search.wanted)
  const rankOf = (one: MemberRollup) =>
    search !== undefined && isWhole(one) ? MemberSearch.ranks.whole : MemberSearch.ranks.beginning
  const keys = tiers?.map((tier) => JSON.stringify(tier))
  return members
    .filter(({ joined, program }) => query.programs.includes(program) && joined >= joinedFrom && joined <= joinedUntil)
    .filter((member) => status === undefined || member.status === status)
    .filter((member) => keys?.includes(JSON.stringify(keyOf(member))) ?? true)
    .filter(isFound)
    .toSorted(order(search === undefined ? undefined : rankOf))
    .map((one) => ({ one, ...one }))
    .map(({ account, joined, member, one, program, status, tier: { period, tier }, units }) => ({
      ...{
        account,
        program,
        member,
        status,
        joined,
        tier,
        period,
        displayName: undefined,
        email: undefined,
        phone: undefined,
        lastOrder: lastOrders.get(account),
        rank: rankOf(one)
      },
      balances: JSON.stringify(units.map(({ posted, reserved, unit }) => [unit, posted, reserved]))
    }))
}

layer(all, { excludeTestServices: true })("the operators' list", (it) => {
  it.effect("lists what the records say, page by page", () =>
    Effect.gen(function* () {
      const random = RandomOf.make(5, "queries")
      const traffic = new Traffic("m", RandomOf.make(5, "traffic"))
      yield* traffic.run(320)
      yield* Scenario.countRollups
      const records = yield* (yield* Feed).read(Position.beginning, 10_000)
      const identities = new Map(traffic.members.map((one) => [one.account, one.identities.map(identityOf)]))
      const members = [...countedOf({ records, programs }).members.values()]
      const keys = [...new Map(members.map((one) => [JSON.stringify(keyOf(one)), keyOf(one)])).values()]
      const { query } = yield* PeoplePool
      const lastOrders = new Map(
        (yield* query("SELECT account, last_order FROM rollup_buyers")).map((row) => [
          Number(row["account"]),
          Number(row["last_order"])
        ])
      )
      assert.isAbove(lastOrders.size, 5)
      const some = <A>(value: () => A): A | undefined => (random.next() < 0.5 ? value() : undefined)
      const ids = programs.map(({ id }) => id)
      let pages = 0
      for (let round = 0; round < 80; round++) {
        const wanted = some(() => random.pick(["m", "m-1", "m-12", "m-99", "card-m-3", "card-m-17", "card", "x"]))
        const ordered = random.next() < 0.3 ? [random.pick(members).account] : []
        const wantedPrograms = ids.filter(() => random.next() < 0.8)
        const asked = {
          programs: wantedPrograms,
          status: random.next() < 0.3 ? random.pick(["active", "suspended", "closed"] as const) : undefined,
          tiers:
            random.next() < 0.3
              ? keys.filter(({ program }) => wantedPrograms.includes(program) && random.next() < 0.5)
              : undefined,
          joinedFrom: some(() => start + random.whole(0, 30) * day),
          joinedUntil: some(() => start + random.whole(10, 400) * day),
          search: wanted === undefined ? undefined : { programs: ids, wanted, ordered }
        }
        const limit = random.whole(1, 6)
        const expected = expectedOf(members, identities, lastOrders, asked)
        let after: ListQuery["after"]
        for (let from = 0; from <= expected.length; from += limit, pages++) {
          const page = yield* ListedMembers.list(query, { ...asked, after, limit })
          assert.deepStrictEqual(page, expected.slice(from, from + limit), JSON.stringify({ ...asked, after }))
          const last = page.at(-1)
          if (last === undefined) break
          after = { ...last, key: wanted === undefined ? String(last.joined) : last.member }
        }
      }
      assert.isAbove(pages, 15)
    })
  )
})

const members = 30_000
/** Members of three statuses and eight tiers. Every other key begins with `b`. */
const filled = [
  `INSERT INTO member_rollups SELECT n, 1, 'p', CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END || n,
      (ARRAY['active', 'suspended', 'closed'])[1 + n % 3]::member_status, n * 1000::bigint, 'tier-' || n % 2, n % 4, NULL, '[]'
    FROM generate_series(1, ${members}) n`,
  `INSERT INTO accounts SELECT account, 1, NULL, 0, status, program_id, member_id, to_timestamp(joined / 1000) FROM member_rollups`,
  `INSERT INTO members SELECT account, ('[{"value": "card-' || account || '"}]')::jsonb FROM member_rollups`,
  `INSERT INTO profiles (account, program_id, member_id, display_name, name_key, email, email_key, created_at, updated_at)
    SELECT account, 'p', member_id, 'Name ' || account, 'name ' || account, 'M' || account || '@x', 'm' || account || '@x', 1, 1
    FROM member_rollups`,
  `INSERT INTO journal SELECT account, 1, joined, '3', gen_random_uuid(), 1, 1, 1, NULL, NULL, '[]', '{}', '[]' FROM member_rollups`
]
const tier = [{ program: "p", tier: "tier-0", period: 0 }]
const limit = 21
const search = (wanted: string, ordered: ReadonlyArray<number> = []) => ({
  search: { programs: ["p"], wanted, ordered }
})
/** The last row of a page. */
const behind = (account: number, key: string) => ({
  after: { account, key, rank: MemberSearch.ranks.beginning }
})

/** Rows of large tables that a page needs. */
const ofPage = 200
/** The same where a search finds many: it counts `Bounds.fewFound` of them in several ways. */
const ofMany = 16_000

const filters: ReadonlyArray<readonly [name: string, query: Partial<ListQuery>, most?: number]> = [
  ["all", {}],
  ["a later page", behind(2_000, "2000000")],
  ["a later page of a time", { joinedFrom: 1_000, joinedUntil: 29_000_000, ...behind(99, "99000") }],
  ["joined within little", { joinedFrom: 1_000_000, joinedUntil: 1_010_000 }],
  ["joined before nearly all", { joinedUntil: 3_000 }],
  ["a status", { status: "closed" }],
  ["a tier", { tiers: tier }],
  ["a prefix of many", search("b"), ofMany],
  ["a prefix of few", search("b2999")],
  ["the beginning of many names", search("Name"), ofMany],
  ["the beginning of many names, behind a page", { ...search("name"), ...behind(1_000, "a1000") }, ofMany],
  ["the beginning of few names", search("NAME 2999")],
  ["an e-mail address", search("m777@x")],
  ["an identity", search("card-77")],
  ["the last digits of a card", search("2977")],
  ["a word within few names", search("29990")],
  ["an order", search("order-1", [1, 2, 3])],
  ["nothing there", search("c")],
  ["a misspelt name that all have", search("Nmae"), ofMany],
  ["a prefix, behind a page", { ...search("a"), ...behind(1_000, "a1000") }, ofMany],
  ["a prefix and joined within little", { ...search("a"), joinedFrom: 1_000_000, joinedUntil: 1_010_000 }, ofMany],
  ["a prefix and a status", { ...search("a"), status: "closed" }, ofMany],
  ["a prefix and a tier", { ...search("a"), tiers: tier }, ofMany],
  ["the beginning of many names and a tier", { ...search("name"), tiers: tier }, ofMany]
]

layer(TestDatabase.layer, { excludeTestServices: true })("no filter of the operators' list", (it) => {
  it.effect("reads more than a page of each kind of member", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(...filled, "ANALYZE")
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: { jit: "off" } })
      const explaining = Plans.explaining(connection)
      const { nodes } = explaining
      const list = (query: Partial<ListQuery>) =>
        ListedMembers.list(
          (statement, parameters) => Effect.mapError(explaining.query(statement, parameters), () => storageUnavailable),
          { programs: ["p"], limit, ...query }
        )
      const names = (wanted: string) =>
        Effect.map(list(search(wanted)), (found) => found.map(({ displayName }) => displayName))
      const few = ["Name 2999", ...Array.from({ length: 10 }, (_, n) => `Name ${29_990 + n}`)]
      assert.sameMembers([...(yield* names("NAME 2999"))], few)
      assert.deepStrictEqual(yield* names("m777@X"), ["Name 777"])
      assert.lengthOf(yield* names("name"), limit)
      for (const [name, query, most = ofPage] of filters) {
        nodes.length = 0
        yield* list(query)
        const large = ["member_rollups", "accounts", "members", "profiles", "journal"]
        const read = nodes.filter((node) => large.includes(node["Relation Name"] ?? ""))
        assert.isAtMost(
          read.reduce((sum, node) => sum + Plans.readBy(node), 0),
          most,
          name
        )
      }
    })
  )
})
