/** Older orders without a business day, moved after a handover, and whose they are (contract/people.md *Limited to restaurants*). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as OwnEvents from "../../../src/capabilities/events/OwnEvents.ts"
import * as OwnEntries from "../../../src/capabilities/members/OwnEntries.ts"
import type { Place } from "../../../src/core/account/Places.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"

const places = [
  {
    location_id: "sold",
    franchisees: [
      { from: "2026-01-01", franchisee_id: "former" },
      { from: "2026-07-01", franchisee_id: "harbour" }
    ]
  }
]
const of = (franchisee: string) => new Restaurants({ franchisee_ids: [franchisee] }, places)
const accrued: Place = { _tag: "Place", location: "sold", day: undefined, at: Date.UTC(2026, 5, 20) }
const accounts = { orderPlace: () => Effect.succeed(accrued), reservationPlace: () => Effect.succeed(undefined) }
const programs = { get: () => Testing.demoProgram } as never
const movedAt = Date.UTC(2026, 6, 14)

it.effect("an older order that was moved after a handover is of the day on which it accrued", () =>
  Effect.gen(function* () {
    const event = {
      type: "proto.order.accrued.v1",
      programid: Testing.demoProgram.id,
      time: new Date(movedAt).toISOString(),
      data: { order_id: "old", location_id: "sold", moved: true, entries: [] }
    } as never
    const row = { locationId: "sold", occurredAt: movedAt, operation: "accrual", orderId: "old" } as never
    const seen = (restaurants: Restaurants) =>
      Effect.gen(function* () {
        const isThere = OwnEvents.at(programs, restaurants, undefined)?.(event) === true
        const events = yield* OwnEvents.own(accounts, restaurants, isThere ? [{ event } as never] : [])
        const entries = yield* OwnEntries.at(accounts, Testing.demoProgram, restaurants)([{ row } as never])
        return [events.length, entries.length]
      })
    assert.deepStrictEqual(yield* seen(of("former")), [1, 1])
    assert.deepStrictEqual(yield* seen(of("harbour")), [0, 0])
  })
)
