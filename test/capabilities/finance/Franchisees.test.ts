/** A balance goes with its restaurant, and a closed month stays whose it was (contract/finance.md *Franchisees*, *Roll-forward*). */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Owners from "../../../src/capabilities/finance/Owners.ts"
import * as Recount from "../../../src/capabilities/finance/Recount.ts"
import * as Rows from "../../../src/capabilities/finance/Rows.ts"
import type { ClosedMonth, Row } from "../../../src/contract/admin/Finance.ts"
import { pointsLines } from "../../../src/contract/admin/Finance.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { manual } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import { Traffic } from "../../reads/rollups/Traffic.ts"
import * as Books from "./Books.ts"

const day = 86_400_000
const id = Books.books(4).id
const admin = { authorization: "Bearer proto-dev-admin-key" }

type Owned = readonly [from: string, franchisee: string | undefined]
const owned = (location_id: string, entries: ReadonlyArray<Owned>) => ({
  location_id,
  franchisees: entries.map(([from, franchisee_id]) => ({ from, franchisee_id }))
})
const own = (location: string, ...entries: ReadonlyArray<Owned>) =>
  TestServer.send(
    "/admin/api/v1/locations",
    { ...owned(location, entries), name: location },
    { method: "PUT", headers: admin }
  )

const shown = (rows: ReadonlyArray<Row>) => rows.map((row) => [row.franchisee_id, Books.pointsOf(row)] as const)

const closed = (period: string) =>
  Effect.map(Books.close(id, period), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as ClosedMonth
  })

const earned = { base: 100, promotions: 20, orders_down: -30, correction_debits: -10, redeemed: -60, given_back: 60 }
const ofBrand = [undefined, { opening: 0, gift_credits: 50, expired: -20, closing: 30 }] as const

const tokenOf = (limits: object) =>
  Effect.map(
    TestServer.send("/admin/api/v1/tokens", { name: "Books", scopes: ["finance:read"], ...limits }, { headers: admin }),
    ({ body, status }) => {
      assert.strictEqual(status, 201, JSON.stringify(body))
      return { authorization: `Bearer ${body["secret"]}` }
    }
  )

layer(Books.layer(), { excludeTestServices: true })("rows by franchisee", (it) => {
  it.effect("hand a restaurant's balance over with it, amid a month, and each adds up", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("franchisees", RandomOf.make(1, "franchisees"))
      traffic.now = Date.UTC(2026, 8, 5, 12)
      const member = yield* Books.example(traffic, "ida")
      traffic.now = Date.UTC(2026, 8, 28, 12)
      yield* traffic.act(member, { type: "accrue", order: Books.order(traffic, "later", "west", 500) })
      yield* own("west", ["2026-01-01", "ada"], ["2026-09-27", "harbour"])
      yield* own("east", ["2026-09-01", "ada"])
      yield* Books.counted

      const september = yield* Books.rollForward("2026-09-01", "2026-10-01", "franchisee")
      assert.deepStrictEqual(shown(september.rows), [
        ofBrand,
        ["ada", { opening: 0, ...earned, handed_over: -80, closing: 0 }],
        ["harbour", { opening: 0, base: 50, promotions: 20, handed_over: 80, closing: 150 }]
      ])
      // The restaurant of the redemption, `east`, was Ada's.
      assert.deepStrictEqual(
        september.rows.map(({ given_back_here, redeemed_here }) => [redeemed_here, given_back_here]),
        [
          [0, 0],
          [-60, 60],
          [0, 0]
        ]
      )
      assert.deepStrictEqual(Books.worthOf(september.rows[1]!)["handed_over"], -320)
      const before = yield* Books.rollForward("2026-09-10", "2026-09-27", "franchisee")
      const after = yield* Books.rollForward("2026-09-27", "2026-10-05", "franchisee")
      assert.deepStrictEqual(shown(before.rows).slice(1), [["ada", { opening: 80, closing: 80 }]])
      assert.deepStrictEqual(shown(after.rows).slice(1), [
        ["ada", { opening: 80, handed_over: -80, closing: 0 }],
        ["harbour", { opening: 0, base: 50, promotions: 20, handed_over: 80, closing: 150 }]
      ])
    })
  )

  it.effect("are kept with a closed month, and a later word about its days counts in the next", () =>
    Effect.gen(function* () {
      const kept = yield* closed("2026-09")
      assert.deepStrictEqual(shown(kept.statement.franchisees)[2], [
        "harbour",
        { opening: 0, base: 50, promotions: 20, handed_over: 80, closing: 150 }
      ])
      // Late by its day, it is of a restaurant that was Harbour's then.
      const late = new Traffic("late", RandomOf.make(1, "late"))
      late.now = Date.UTC(2026, 8, 29, 12)
      const member = yield* late.enroll("jo", Books.books(4))
      yield* late.act(member, { type: "accrue", order: Books.order(late, "late-order", "west", 100) })
      late.now = Date.UTC(2026, 9, 10)
      yield* late.act(member, manual(5, { adjustment: "october" }))
      yield* Books.counted
      yield* own("west", ["2026-01-01", "ada"], ["2026-09-20", "quay"], ["2026-10-20", "harbour"])
      const told = yield* Books.rollForward("2026-09-01", "2026-10-01", "franchisee")
      assert.deepStrictEqual(told.rows, kept.statement.franchisees)
      const october = yield* closed("2026-10")
      assert.deepStrictEqual(shown(october.statement.franchisees), [
        [undefined, { opening: 30, gift_credits: 5, closing: 35 }],
        ["ada", { opening: 0, closing: 0 }],
        ["harbour", { opening: 150, late: 30, closing: 180 }],
        ["quay", { opening: 0, closing: 0 }]
      ])
      const faults: Array<ReadonlyArray<string>> = []
      yield* Recount.run((found) => Effect.sync(() => void faults.push(found.faults)))
      assert.deepStrictEqual(faults, [[], []])
    })
  )

  it.effect("are of a franchisee's own token, and nobody else's", () =>
    Effect.gen(function* () {
      const path = `roll-forward?program_id=${id}&from=2026-09-01&until=2026-10-15&by=franchisee`
      const ada = yield* Books.get(path, yield* tokenOf({ franchisee_ids: ["ada"] }))
      assert.deepStrictEqual(
        (ada.body["rows"] as ReadonlyArray<Row>).map(({ franchisee_id }) => franchisee_id),
        ["ada"]
      )
      // A limit to one restaurant of hers is no limit to all of them.
      const one = yield* Books.get(path, yield* tokenOf({ franchisee_ids: ["ada"], location_ids: ["east"] }))
      assert.deepStrictEqual(
        (one.body["rows"] as ReadonlyArray<Row>).map(({ franchisee_id, location_id }) => [franchisee_id, location_id]),
        [[undefined, "east"]]
      )
      // The closed months, and not the name of somebody who works for the business.
      const closings = (headers: Record<string, string>) =>
        Effect.map(
          TestServer.send(`/admin/api/v1/finance/closings/${id}`, undefined, { method: "GET", headers }),
          ({ body }) => (body["closings"] as ReadonlyArray<object>).map((one) => Object.keys(one))
        )
      const own = ["period", "closed_at", "sha256"]
      const limited = yield* closings(yield* tokenOf({ franchisee_ids: ["ada"] }))
      assert.isAbove(limited.length, 0)
      for (const names of limited) assert.sameMembers(names, own)
      for (const names of yield* closings(admin)) assert.sameMembers(names, [...own, "closed_by"])
      // Nor with the month itself, however its rows are asked for.
      for (const by of ["", "&by=franchisee", "&by=location"]) {
        const asked = `roll-forward?program_id=${id}&from=2026-09-01&until=2026-10-01${by}`
        const { body } = yield* Books.get(asked, yield* tokenOf({ franchisee_ids: ["ada"] }))
        assert.sameMembers(Object.keys(body["closed"] as object), own, by)
        assert.include(Object.keys((yield* Books.get(asked)).body["closed"] as object), "closed_by")
      }
      // Somebody who is limited has the months of each restaurant.
      const months = `roll-forward?program_id=${id}&from=2026-09-01&until=2026-11-01&by=month`
      const monthly = yield* Books.get(months, yield* tokenOf({ location_ids: ["east"] }))
      assert.deepStrictEqual(
        (monthly.body["rows"] as ReadonlyArray<Row>).map(({ location_id, month }) => [location_id, month]),
        [
          ["east", "2026-09"],
          ["east", "2026-10"]
        ]
      )
    })
  )
})

layer(Books.layer(), { excludeTestServices: true })("rows of a closed month by place", (it) => {
  it.effect("are of whose the restaurants were, whatever is said of its days since", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("kept owners", RandomOf.make(1, "kept owners"))
      traffic.now = Date.UTC(2026, 8, 5, 12)
      yield* Books.example(traffic, "ida")
      yield* own("west", ["2026-01-01", "ada"])
      yield* own("east", ["2026-01-01", "ada"], ["2026-09-27", "quay"])
      yield* Books.counted
      yield* closed("2026-09")
      const limits = {
        ada: { franchisee_ids: ["ada"] },
        harbour: { franchisee_ids: ["harbour"] },
        both: { franchisee_ids: ["ada", "quay"] },
        east: { franchisee_ids: ["ada", "quay"], location_ids: ["east"] },
        grill: { franchisee_ids: ["ada"], brand_ids: ["grill"] },
        cafe: { franchisee_ids: ["ada"], brand_ids: ["cafe"] }
      }
      const seen = Effect.fnUntraced(function* (who: keyof typeof limits, from: string, until: string) {
        const path = `roll-forward?program_id=${id}&from=${from}&until=${until}`
        const { body, status } = yield* Books.get(path, yield* tokenOf(limits[who]))
        assert.strictEqual(status, 200, JSON.stringify(body))
        return (body["rows"] as ReadonlyArray<Row>).map(({ location_id }) => location_id)
      })
      const september = (who: keyof typeof limits) => seen(who, "2026-09-01", "2026-10-01")
      assert.deepStrictEqual(yield* september("ada"), ["west"])

      yield* own("east", ["2026-01-01", "ada"])
      for (const from of ["2026-09-10", "2026-01-01"]) {
        yield* own("west", ["2025-01-01", "ada"], [from, "harbour"])
        assert.deepStrictEqual(yield* september("ada"), ["west"], from)
        assert.deepStrictEqual(yield* september("harbour"), [], from)
      }
      // The other limits hold as well. A statement keeps no brands.
      const ofBrand = {
        ...owned("west", [["2026-01-01", "harbour"]]),
        brands: [{ from: "2026-01-01", brand_id: "grill" }]
      }
      yield* TestServer.send("/admin/api/v1/locations", { ...ofBrand, name: "west" }, { method: "PUT", headers: admin })
      assert.deepStrictEqual(yield* september("both"), ["east", "west"])
      assert.deepStrictEqual(yield* september("east"), ["east"])
      assert.deepStrictEqual(yield* september("grill"), ["west"])
      assert.deepStrictEqual(yield* september("cafe"), [])

      // Days that no statement answers go by what is said now, and the next month is whose it will be closed as.
      assert.deepStrictEqual(yield* seen("harbour", "2026-09-10", "2026-09-20"), ["west"])
      assert.deepStrictEqual(yield* seen("ada", "2026-10-01", "2026-11-01"), ["east"])
      assert.deepStrictEqual(yield* seen("harbour", "2026-10-01", "2026-11-01"), ["west"])
    })
  )
})

const first = Date.UTC(2026, 0, 1)
const days = 40
const dayOf = (number: number) => new Date(first + number * day).toISOString().slice(0, 10)
/** The last is the brand. */
const franchisees = ["ada", "harbour", "quay", ""] as const
const program = { currency: "EUR", primaryUnit: "points", units: ["points"] } as const

/** Random changes by day, place and line, and the owner of each place on each day. */
const chain = (random: RandomOf.Random) => {
  const changes = ["", "east", "north", "west"].flatMap((place) =>
    Array.from({ length: random.whole(0, 40) }, () => ({
      day: random.whole(0, days - 1),
      place,
      line: random.pick(pointsLines),
      points: random.whole(-90, 100)
    }))
  )
  const entries = ["east", "north", "west"].map((place) => {
    const from = new Set(Array.from({ length: random.whole(0, 4) }, () => random.whole(0, days - 1)))
    return [place, [...from].toSorted((a, b) => a - b).map((at) => [at, random.pick(franchisees)] as const)] as const
  })
  const owners = entries.map(([place, all]) =>
    owned(
      place,
      all.map(([at, who]) => [dayOf(at), who === "" ? undefined : who])
    )
  )
  const ownerOf = (place: string, at: number) =>
    new Map(entries).get(place)?.findLast(([from]) => from <= at)?.[1] ?? ""
  return { changes, owners, ownerOf }
}
type Chain = ReturnType<typeof chain>

/** The rows of days, by what the service does. */
const rowsIn = ({ changes, owners }: Chain, from: number, until: number) => {
  const range = { from: first + from * day, until: first + until * day }
  const found = Owners.ownersOf(owners, range)
  const cuts = Rows.cutsOf(range, [], Owners.handoversOf(found))
  const parts = changes
    .filter((one) => one.day < until)
    .map(({ day: at, line, place, points }) => {
      const segment = at < from ? 0 : cuts.findLastIndex((cut) => cut <= first + at * day) + 1
      return { unit: "points", place, line: segment === 0 ? "opening" : line, segment, points }
    })
  const periods = Rows.periodsOf(cuts, [], false)
  return Rows.rowsOf(program, Owners.byFranchisee(parts, found, cuts), periods, "franchisee")
}

/** The points of a franchisee's row, by a walk over the days. The model knows nothing of handovers. */
const modelOf = ({ changes, ownerOf }: Chain, who: string, from: number, until: number) => {
  const expected: Record<string, number> = { opening: 0, closing: 0 }
  const add = (name: string, points: number) => {
    expected[name] = (expected[name] ?? 0) + points
  }
  for (const { day: at, line, place, points } of changes) {
    if (at < from && ownerOf(place, from - 1) === who) add("opening", points)
    if (at < until && ownerOf(place, until - 1) === who) add("closing", points)
    if (at >= from && at < until && ownerOf(place, at) === who) add(line, points)
  }
  return Object.fromEntries(Object.entries(expected).filter(([name, points]) => points !== 0 || name in balances))
}
const balances: Readonly<Record<string, number>> = { opening: 0, closing: 0 }

describe("sums of franchisees", () => {
  it("are those of a model that follows each point from day to day, for any range", () => {
    const seed = 20_261_130
    const random = RandomOf.make(seed, "owners")
    for (let round = 0; round < 500; round++) {
      const where = `seed ${seed}, round ${round}`
      const made = chain(random)
      const from = random.whole(0, days - 2)
      const until = random.whole(from + 1, days - 1)
      const rows = rowsIn(made, from, until)
      const handed = rows.map((row) => Books.pointsOf(row)["handed_over"] ?? 0)
      assert.strictEqual(
        handed.reduce((sum, points) => sum + points, 0),
        0,
        where
      )
      for (const who of franchisees) {
        const row = rows.find(({ franchisee_id = "" }) => franchisee_id === who)
        const { handed_over = 0, ...points } = row === undefined ? balances : Books.pointsOf(row)
        assert.deepStrictEqual(points, modelOf(made, who, from, until), where)
        const { closing = 0, ...rest } = points
        const sum = Object.values(rest).reduce((all, one) => all + one, handed_over)
        assert.strictEqual(sum, closing, where)
      }
    }
  })
})
