/** Entries of a member at some restaurants (contract/people.md *Limited to restaurants*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Bounds from "../../../src/capabilities/members/Bounds.ts"
import * as OwnEntries from "../../../src/capabilities/members/OwnEntries.ts"
import type { LedgerQuery, LedgerRow } from "../../../src/core/journal/Records.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"

const newest = Bounds.guestPages * Bounds.guestPage + 10

/** A guest's ledger: the oldest five entries are at `east`, all others at `west`. */
const ledger = ({ beforeN = newest + 1, limit, occurredUntil = newest }: LedgerQuery) => {
  const first = Math.min(beforeN - 1, occurredUntil)
  return Effect.succeed(
    Array.from({ length: Math.min(limit, Math.max(0, first)) }, (_, index): LedgerRow => {
      const n = first - index
      const locationId = n <= 5 ? "east" : "west"
      return { n, operation: "accrual", unit: "points", amount: 1, occurredAt: n, orderId: `o-${n}`, locationId }
    })
  )
}
const asked = { owners: [{ program: Testing.demoProgram.id, member: "ada", account: 1 }] }
const none = { orderPlace: () => Effect.succeed(undefined), reservationPlace: () => Effect.succeed(undefined) }
const shown = OwnEntries.at(none, Testing.demoProgram, new Restaurants({ location_ids: ["east"] }, []))

describe("entries at some restaurants", () => {
  it.effect("are found behind more entries of others than one request reads, from where it ended", () =>
    Effect.gen(function* () {
      const first = yield* OwnEntries.page(ledger, asked, shown, undefined, 3)
      assert.deepStrictEqual(first.entries, [])
      assert.isDefined(first.reached)
      const second = yield* OwnEntries.page(ledger, asked, shown, first.reached, 3)
      assert.deepStrictEqual(
        second.entries.map(({ row }) => row.n),
        [5, 4, 3]
      )
      const all = yield* OwnEntries.page(ledger, asked, shown, first.reached, 10)
      assert.deepStrictEqual([all.entries.length, all.reached], [5, undefined])
    })
  )
})
