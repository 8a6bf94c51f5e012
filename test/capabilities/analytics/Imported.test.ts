/** Points that came from elsewhere are no gifts (contract/engagement.md *Analytics*). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import type { Analytics } from "../../../src/contract/platform/Analytics.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../operators/Operators.ts"

/** Noon in New York, the programme's zone. */
const now = Date.UTC(2026, 9, 31, 16)

/** Points of a line of finance, on a day of the programme's zone. */
const counted = (day: string, line: string, points: number, location = "", span = 1) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    query(`INSERT INTO finance_days (program_id, span, start, unit, location_id, line, points)
      VALUES ('demo-foodservice', ${span}, ${Date.parse(day)}, 'points', '${location}', '${line}', ${points})`)
  )

const analytics = (query: string) =>
  Effect.gen(function* () {
    const { secret } = yield* Operators.issue({ scopes: ["platform:read"] })
    const { body, status } = yield* TestServer.send(
      `/platform/v1/analytics?program_id=demo-foodservice&${query}`,
      undefined,
      { method: "GET", headers: Operators.bearer(secret) }
    )
    assert.strictEqual(status, 200, JSON.stringify(body))
    const { loyalty } = body as unknown as Analytics
    return loyalty.ledger_by_bucket.flatMap(({ imported, start }) =>
      imported === undefined ? [] : [[start.slice(0, 10), imported] as const]
    )
  })

it.effect("tells what imports and moves brought apart from other adjustments, by day, and by restaurant", () =>
  Effect.gen(function* () {
    yield* counted("2026-10-29", "migration_credits", 5_000)
    yield* counted("2026-10-29", "migration_debits", -200)
    yield* counted("2026-10-29", "bonus_credits", 70)
    yield* counted("2026-10-31", "migration_credits", 300, "east")
    // The month's row has the same points again.
    yield* counted("2026-10-01", "migration_credits", 5_300, "", 31)
    assert.deepStrictEqual(yield* analytics("from=2026-10-28T04:00:00Z"), [
      ["2026-10-29", 4_800],
      ["2026-10-31", 300]
    ])
    assert.deepStrictEqual(yield* analytics("from=2026-10-01T04:00:00Z&bucket=month"), [["2026-10-01", 5_100]])
    assert.deepStrictEqual(yield* analytics("from=2026-10-28T04:00:00Z&location_id=east"), [["2026-10-31", 300]])
    assert.deepStrictEqual(yield* analytics("from=2026-10-30T04:00:00Z&until=2026-10-31T04:00:00Z"), [])
  }).pipe(Effect.provide(Operators.layer()), (test) => Effect.andThen(TestClock.setTime(now), test))
)
