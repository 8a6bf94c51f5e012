/** A connector's health in a word, and figures of its kept deliveries (contract/events.md *Delivery*). */
import { assert, describe, it } from "@effect/vitest"
import { stateOf } from "../../../src/console/developers/connectorState.ts"
import { attemptsByHour, delayOf, delays } from "../../../src/console/developers/deliveryFigures.ts"
import type { Delivery } from "../../../src/contract/platform/Deliveries.ts"

const noon = Date.parse("2026-11-25T12:00:00.000Z")
const minute = 60_000
const hour = 60 * minute

const attempt = (at: number, status: number, duration_ms = 100) => ({
  at: new Date(at).toISOString(),
  status,
  duration_ms
})

const delivery = (status: Delivery["status"], ...attempts: Delivery["attempts"]): Delivery => ({
  event_id: "event",
  event_type: "proto.member.enrolled.v1",
  status,
  attempts
})

const all = (...deliveries: ReadonlyArray<Delivery>) => ({ deliveries, isAll: true })

describe("the time of a delivery", () => {
  it("is from its first attempt to the end of the one that succeeded", () => {
    const late = delivery("delivered", attempt(noon, 500), attempt(noon + 5_000, 503), attempt(noon + minute, 204))
    assert.strictEqual(delayOf(late), minute + 100)
    assert.isUndefined(delayOf(delivery("pending", attempt(noon, 500))))
    assert.isUndefined(delayOf(delivery("pending")))
  })

  it("begins anew with a replay of what was delivered, not with one of what failed", () => {
    const again = delivery("delivered", attempt(noon, 204), attempt(noon + hour, 204))
    assert.strictEqual(delayOf(again), 100)
    assert.strictEqual(delays([again]).atOnce, 1)
    assert.strictEqual(delayOf(delivery("delivered", attempt(noon, 500), attempt(noon + hour, 204))), hour + 100)
  })

  it("counts in the first bar whose bound it is below", () => {
    const took = (ms: number) => delivery("delivered", attempt(noon, 500), attempt(noon + ms - 100, 200))
    const told = delays([took(999), took(1_000), took(10 * minute), took(2 * hour)])
    assert.deepStrictEqual(told.bars, [1, 1, 0, 0, 1, 1])
    assert.strictEqual(told.count, 4)
    assert.strictEqual(told.atOnce, 0)
  })
})

describe("attempts by hour", () => {
  const now = noon + 30 * minute

  it("are all attempts of the last 24 hours, whatever came of the delivery", () => {
    const hours = attemptsByHour(
      {
        delivered: all(delivery("delivered", attempt(noon - hour, 500), attempt(noon + minute, 204))),
        failed: all(delivery("failed", attempt(noon - 48 * hour, 500), attempt(noon - minute, 500))),
        pending: all(delivery("pending", attempt(noon + minute, 500)))
      },
      now
    )
    assert.strictEqual(hours?.length, 24)
    assert.deepStrictEqual(hours?.at(-1), { at: new Date(noon).toISOString(), succeeded: 1, failed: 1 })
    assert.deepStrictEqual(hours?.at(-2), { at: new Date(noon - hour).toISOString(), succeeded: 0, failed: 2 })
  })

  it("start at the first hour with all successes kept, and are not drawn where attempts are unknown", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => delivery("delivered", attempt(noon - 90 * minute + n, 204)))
    const kept = { delivered: all(...many), failed: all(), pending: all() }
    assert.deepStrictEqual(
      attemptsByHour(kept, now)?.map(({ at }) => at),
      [noon - hour, noon].map((at) => new Date(at).toISOString())
    )
    assert.isUndefined(attemptsByHour(kept, noon - minute))
    assert.isUndefined(attemptsByHour({ ...kept, failed: { deliveries: [], isAll: false } }, now))
    const cut = delivery("pending", ...Array.from({ length: 20 }, (_, n) => attempt(noon - 5 * hour + n + 1, 500)))
    assert.strictEqual(attemptsByHour({ delivered: all(), failed: all(), pending: all(cut) }, now)?.length, 5)
  })
})

describe("a connector's state", () => {
  const at = (ms: number) => new Date(ms).toISOString()
  const said = (enabled: boolean, health: object, now?: number) =>
    stateOf({ enabled, health: { waiting: 0, ...health } }, now)

  it("is who disabled it, else that it fails, else that it is behind", () => {
    assert.strictEqual(said(false, {}), "disabled")
    assert.strictEqual(said(false, { disabled_reason: "gone", failing_since: at(noon) }), "stopped")
    assert.strictEqual(said(true, { waiting: 3, failing_since: at(noon) }), "failing")
    assert.strictEqual(said(true, { waiting: 3 }), "behind")
    assert.strictEqual(said(true, {}), "delivering")
  })

  it("is behind with a change that is unread for more than a minute, except in a sandbox, whose clock stands", () => {
    const health = { undelivered_since: at(noon) }
    assert.strictEqual(said(true, health, noon + minute), "delivering")
    assert.strictEqual(said(true, health, noon + minute + 1), "behind")
    assert.strictEqual(said(true, health), "delivering")
  })
})
