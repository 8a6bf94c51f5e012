/** contract/events.md *Event types*: what an event tells of a record, and that one of before 0.4 stays as it was told. */
import { assert, describe, it } from "@effect/vitest"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import type { TierChanged } from "../../../src/core/account/domain/NoticeEvents.ts"
import { eventsOf } from "../../../src/reads/feed/Event.ts"

const at = Date.parse("2026-07-01T12:00:00Z")

const dataOf = (...events: ReadonlyArray<AccountEvent>) => {
  const record = {
    account: 64,
    announced: 1,
    at,
    hash: "hash",
    seq: 1,
    balances: "[]",
    reply: '{"type":"none"}',
    events
  }
  const facts = { holds: new Map(), rewards: new Map(), firstAccruals: new Map([[64, 1]]), withArtifacts: false }
  const [event] = eventsOf({ ...record, program: "demo", member: "ada" }, { ...facts, currencyOf: () => "USD" })
  return event?.data as Readonly<Record<string, unknown>>
}

const change = (from: string, to: string, places?: TierChanged["places"]): TierChanged => ({
  type: "tier_changed",
  at,
  from,
  to,
  amount: 0,
  ...(places === undefined ? undefined : { places })
})

describe("the event tier.changed", () => {
  it("tells whether the tier is a higher or a lower one", () => {
    assert.strictEqual(dataOf(change("starter", "vip", [0, 2]))["direction"], "up")
    assert.strictEqual(dataOf(change("vip", "regular", [2, 1]))["direction"], "down")
  })

  it("tells of two changes at one instant from where to where they lead together", () => {
    const both = dataOf(change("vip", "starter", [2, 0]), change("starter", "regular", [0, 1]))
    assert.deepStrictEqual([both["from_tier_id"], both["to_tier_id"], both["direction"]], ["vip", "regular", "down"])
  })

  it("has no direction if the record has none", () => {
    assert.notProperty(dataOf(change("starter", "vip")), "direction")
  })
})

describe("the event member.enrolled", () => {
  const enrolled = { type: "enrolled", at, program: "demo", member: "ada", identity: "key" } as const

  it("tells where the member was enrolled, if the record does", () => {
    assert.strictEqual(dataOf({ ...enrolled, via: "import" })["via"], "import")
    assert.notProperty(dataOf(enrolled), "via")
  })
})

describe("the event order.accrued", () => {
  const accrual = { type: "posted", at, n: 1, op: "accrual", unit: "points", amount: 10, order: "o" } as const

  it("is of a first order if the record says so", () => {
    assert.isTrue(dataOf({ ...accrual, n: 7, first: true })["first_order"])
    assert.isFalse(dataOf({ ...accrual, first: false })["first_order"])
    assert.isFalse(dataOf({ ...accrual, orders: 0 })["first_order"])
    assert.isFalse(dataOf({ ...accrual, orders: 1 })["first_order"])
  })

  it("of an older record is of a first order if that was the member's first accrual", () => {
    assert.isTrue(dataOf(accrual)["first_order"])
    assert.isFalse(dataOf({ ...accrual, n: 2 })["first_order"])
  })
})
