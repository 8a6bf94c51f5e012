/**
 * `GET /members` over HTTP: fresh, page by page, by tiers whose period ends by itself, and of the caller's programmes.
 * Holds contract/members.md *Searching*; contract/operators.md *Lists*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { body, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { MemberList } from "../../../src/contract/admin/MemberList.ts"
import { pathOf } from "../../../src/contract/admin/Members.ts"
import { pathOf as mergeOf } from "../../../src/contract/admin/Merge.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { stamps } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"

/** The last evening of the year in New York, where the demo's tier policy is. */
const start = Date.UTC(2026, 11, 31, 23)
const limited = "token-of-coffee-stamps"
const tokens = [{ token_sha256: hash("sha256", limited), scopes: ["admin:read"] as const, programs: ["coffee-stamps"] }]
/** A service and a database of the test's own. Its rollups include a record only when the test says so. */
const served = Effect.provide(
  Layer.suspend(() =>
    Rollups.layer.pipe(
      Layer.provideMerge(RollupStore.layer),
      Layer.provideMerge(PgFeed.layer),
      Layer.provideMerge(
        TestServer.layerFor(
          PgJournal.layer,
          Programs.layerFrom([Testing.demoProgram, stamps]),
          Pools.layer,
          tokens,
          start,
          RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
        )
      ),
      Layer.provideMerge(TestDatabase.layer),
      Layer.fresh
    )
  )
)

const asked = (path: string, key = "proto-dev-admin-key") =>
  TestServer.send(path, undefined, { method: "GET", headers: { authorization: `Bearer ${key}` } })
const list = (query: string) =>
  Effect.map(asked(`/admin/api/v1/members?${query}`), ({ body }) => body as unknown as MemberList)
const namesOf = ({ members }: MemberList) => members.map(({ member_id }) => member_id)
const names = (query: string) => Effect.map(list(query), namesOf)
const advance = (by: string) =>
  TestServer.send("/admin/api/v1/clock", { advance: by }, { headers: { authorization: "Bearer proto-dev-admin-key" } })
/** Lets the rollups read on until the list of a tier has a member: other transactions may hold the feed back. */
const counted = (tier_id: string) =>
  Effect.flatMap(Rollups, ({ catchUp }) => Effect.andThen(catchUp(), names(`tier_id=${tier_id}`))).pipe(
    Effect.repeat({ until: (found) => found.length > 0 })
  )

describe("the operators' list of members", () => {
  it.effect(
    "finds a moved order with its guest now and before, and that of a merged guest with the one who stays",
    () =>
      Effect.gen(function* () {
        const key = { headers: { authorization: "Bearer proto-dev-admin-key" } }
        const { id: program_id } = Testing.demoProgram
        for (const member of ["ada", "ben", "cem"]) yield* enroll(member)
        yield* earn("ada", "T-0", 3_000)
        const path = `${pathOf(program_id, "ada")}/orders/T-0/move`
        assert.strictEqual((yield* TestServer.send(path, { to: "ben", reason: "wrong card" }, key)).status, 200)
        assert.deepStrictEqual(yield* names("search=t-0"), ["ada", "ben"])
        const merge = { from: "ben", into: "cem", reason: "two cards" }
        assert.strictEqual((yield* TestServer.send(mergeOf(program_id), merge, key)).status, 200)
        const { catchUp } = yield* Rollups
        const found = yield* Effect.andThen(catchUp(), names("search=T-0")).pipe(
          Effect.repeat({ until: (all) => all.length > 2 })
        )
        assert.deepStrictEqual(found, ["ada", "ben", "cem"])
      }).pipe(served)
  )

  it.effect("finds a part of a recent order's number, in any case, but not of a guest who was erased", () =>
    Effect.gen(function* () {
      const { id: program_id } = Testing.demoProgram
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* earn("ada", "Till7-2026-0042", 3_000)
      yield* earn("ben", "Till8-2026-0042", 3_000)
      const { catchUp } = yield* Rollups
      yield* Effect.andThen(catchUp(), names("search=2026-0042")).pipe(
        Effect.repeat({ until: (all) => all.length > 1 })
      )
      for (const [search, expected] of [
        ["0042", ["ada", "ben"]],
        ["-0042", ["ada", "ben"]],
        ["TILL7-", ["ada"]],
        ["till8-2026-0042", ["ben"]],
        ["042", []],
        ["l8-2026", []]
      ] as const)
        assert.deepStrictEqual(yield* names(`search=${search}`), [...expected], search)
      yield* TestServer.send("/platform/v1/members/erase", { member_id: "ben", program_id, reason: "asked" })
      for (const search of ["0042", "Till8-2026-0042", "ben"])
        assert.notInclude(yield* names(`search=${search}`), "ben", search)
    }).pipe(served)
  )

  it.effect("has a member just enrolled, and a status just changed, at once, as the platform's has", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const { id: program_id } = Testing.demoProgram
      const facts = {
        member_id: "ada",
        program_id,
        display_name: "Ada King",
        email: "ada@example.org",
        phone: "+493012345678"
      }
      yield* TestServer.send("/platform/v1/members", facts, { method: "PUT" })
      for (const search of ["ad", "card-ada", "king"]) {
        assert.deepStrictEqual(yield* names(`search=${search}`), ["ada"], search)
        const path = `/platform/v1/members?program_id=${program_id}&search=${search}`
        const platform = yield* asked(path, "proto-dev-token")
        assert.deepStrictEqual(namesOf(platform.body as unknown as MemberList), ["ada"], search)
      }
      const [member] = (yield* list("")).members
      assert.deepInclude(member, { ...facts, tier_id: "starter", status: "active" })
      assert.deepStrictEqual(
        member?.balances.map(({ amount }) => amount),
        [0]
      )
      // Before the first figures a member has the lowest tier.
      assert.deepStrictEqual(yield* names("search=ada&tier_id=starter"), ["ada"])
      assert.deepStrictEqual(yield* names("search=ada&tier_id=regular"), [])
      const status = `/admin/api/v1/members/${program_id}/ada/status`
      const headers = { authorization: "Bearer proto-dev-admin-key" }
      yield* TestServer.send(status, { status: "suspended", reason: "test" }, { headers })
      assert.deepStrictEqual(yield* names("status=active"), [])
      assert.deepStrictEqual(yield* names("status=suspended"), ["ada"])
    }).pipe(served)
  )

  it.effect("pages without a gap or a repetition, and takes a cursor for its own filters alone", () =>
    Effect.gen(function* () {
      for (const name of ["ada", "ben"]) yield* enroll(name)
      // A name that is found too, before the members whose ids begin so: a later page begins at an id of its own.
      yield* TestServer.send(
        "/platform/v1/members",
        { member_id: "ada", program_id: Testing.demoProgram.id, display_name: "Ca" },
        { method: "PUT" }
      )
      yield* advance("P1D")
      for (const name of ["cara", "carl", "dina"]) yield* enroll(name)
      for (const [query, expected] of [
        ["status=active", ["dina", "carl", "cara", "ben", "ada"]],
        ["search=ca", ["ada", "cara", "carl"]],
        ["search=card-dina", ["dina"]],
        ["joined_until=2027-01-01T00:00:00Z", ["ben", "ada"]],
        ["joined_from=2027-01-01T00:00:00Z&search=ca", ["cara", "carl"]],
        ["status=closed", []]
      ] as const) {
        const found: Array<string> = []
        for (let cursor: string | undefined = ""; cursor !== undefined; ) {
          const page: MemberList = yield* list(`limit=1&${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
          found.push(...namesOf(page))
          cursor = page.next_cursor
        }
        assert.deepStrictEqual(found, [...expected], query)
      }
      const { next_cursor } = yield* list("limit=1")
      const status = (query: string) => Effect.map(asked(`/admin/api/v1/members?${query}`), (answer) => answer.status)
      assert.strictEqual(yield* status(`status=active&cursor=${next_cursor}`), 400)
      assert.strictEqual(yield* status(`limit=2&cursor=${next_cursor}`), 200)
    }).pipe(served)
  )

  it.effect("filters by a tier until its period is over, without any event", () =>
    Effect.gen(function* () {
      for (const name of ["ada", "ben"]) yield* enroll(name)
      const order = Testing.order("order-1", 9_000, Testing.placedAt(start))
      yield* body(Testing.call("accrual.post", { context: Testing.context(), member_id: "ada", order }))
      yield* counted("regular")
      assert.deepStrictEqual(yield* names("tier_id=regular"), ["ada"])
      assert.deepStrictEqual(yield* names("tier_id=starter"), ["ben"])
      // New Year in New York.
      yield* advance("PT6H")
      assert.deepStrictEqual(yield* names("tier_id=regular"), [])
      assert.deepStrictEqual(yield* names("tier_id=starter"), ["ben", "ada"])
      assert.deepStrictEqual((yield* list("search=ada")).members[0]?.tier_id, "starter")
    }).pipe(served)
  )

  it.effect("has the members of the caller's programmes alone", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      assert.deepStrictEqual((yield* asked("/admin/api/v1/members", limited)).body["members"], [])
      assert.deepStrictEqual((yield* asked("/admin/api/v1/members?search=ada", limited)).body["members"], [])
      const status = (query: string, key?: string) =>
        Effect.map(asked(`/admin/api/v1/members?${query}`, key), (answer) => answer.status)
      assert.strictEqual(yield* status("program_id=demo-foodservice", limited), 403)
      assert.strictEqual(yield* status("program_id=unknown", limited), 403)
      assert.strictEqual(yield* status("program_id=unknown"), 404)
      assert.strictEqual(yield* status("", "proto-dev-token"), 403)
      assert.strictEqual(yield* status("sort=name"), 422)
    }).pipe(served)
  )
})
