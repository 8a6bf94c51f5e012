/** The audit of a caller who is limited to restaurants (contract/operators.md *Audit*). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "./Operators.ts"

const program_id = "demo-foodservice"
const server = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer)
const served = Layer.provideMerge(server, TestDatabase.layer)

const day = (at: number) => new Date(Date.now() + at * 86_400_000).toISOString().slice(0, 10)

const give = (location_id: string, reason: string, headers: Record<string, string> = Operators.root) =>
  Operators.post(
    `/members/${program_id}/ada/adjustments`,
    {
      adjustment_id: `adj-${reason}`,
      amount: 10,
      classification: "gift",
      reason,
      qualifies_for_tier: false,
      location_id,
      ...(headers === Operators.root ? {} : { known_by: "card-ada" })
    },
    headers
  )

interface Entry {
  readonly action: string
  readonly reason?: string
  readonly source_ip?: string
}

const entries = (headers: Record<string, string>, query = "") =>
  Effect.map(Operators.get(`/audit${query}`, headers), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body["entries"] as ReadonlyArray<Entry>
  })

const told = (found: ReadonlyArray<Entry>) => found.map(({ action, reason }) => reason ?? action)

layer(served, { excludeTestServices: true })("the audit of a limited caller", (it) => {
  it.effect("has own acts and adjustments at its restaurants on its days, and nothing else in any filter", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const spans = [
        { from: day(-30), franchisee_id: "old" },
        { from: day(-2), franchisee_id: "new" }
      ]
      for (const [location_id, franchisees] of [["sold", spans]] as const)
        yield* TestServer.send(
          `${Operators.api}/locations`,
          { location_id, name: location_id, franchisees },
          { method: "PUT", headers: Operators.root }
        )
      for (const [place, reason] of [
        ["east", "east-1"],
        ["west", "west-1"],
        ["sold", "sold-1"]
      ] as const)
        assert.strictEqual((yield* give(place, reason)).status, 201)
      const limited = (limits: object, scopes: ReadonlyArray<string> = ["audit:read", "points:give", "members:read"]) =>
        Effect.map(Operators.issue({ scopes, ...limits }), ({ secret }) => Operators.bearer(secret))
      const east = yield* limited({ location_ids: ["east"] })
      assert.strictEqual((yield* give("east", "east-2", east)).status, 201)
      const all = yield* entries(east)
      assert.deepStrictEqual(told(all), ["east-2", "east-1"])
      assert.deepStrictEqual(
        all.map(({ source_ip }) => source_ip !== undefined),
        [true, false]
      )
      const own = yield* limited({ location_ids: ["east"] }, ["audit:own", "points:give", "members:read"])
      assert.strictEqual((yield* give("east", "east-3", own)).status, 201)
      assert.deepStrictEqual(told(yield* entries(own)), ["east-3"])
      assert.deepStrictEqual(told(yield* entries(yield* limited({ franchisee_ids: ["new"] }))), ["sold-1"])
      for (const limits of [{ franchisee_ids: ["old"] }, { brand_ids: ["none"] }])
        assert.deepStrictEqual(told(yield* entries(yield* limited(limits))), [])
      for (const query of ["?action=token.create", "?actor=root&subject=ada&action=member.status", "?subject=west"])
        assert.deepStrictEqual(yield* entries(east, query), [])
      const text = String((yield* Operators.get("/audit.csv", east)).body["text"])
      assert.include(text, "east-1")
      for (const other of ["west-1", "sold-1"]) assert.notInclude(text, other)
      const page = yield* Operators.get("/audit?limit=1", east)
      const next = `/audit?limit=1&cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`
      assert.strictEqual((yield* Operators.get(next)).status, 400)
      assert.lengthOf(
        yield* entries(east, `?limit=1&cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`),
        1
      )
    })
  )
})
