/**
 * A trigger as the console's form edits it says the same as the trigger that was sent
 * (contract/engagement.md *Triggers*).
 */
import { assert, describe, it } from "@effect/vitest"
import {
  birthdaysAhead,
  delayOf,
  draftOf,
  isFrequencyComplete,
  triggerOf,
  usualFrequency,
  withReceiver
} from "../../../src/console/audience/automation.ts"
import type { Trigger } from "../../../src/contract/platform/Triggers.ts"

const triggers: ReadonlyArray<Trigger> = [
  { on: "member.enrolled" },
  { on: "member.enrolled", include_imports: true },
  { on: "tier.changed", once: "event", delay_seconds: 5_400 },
  { on: "tier.changed", direction: "down" },
  { on: "points.expiring", once: { days: 30 } },
  {
    on: "order.accrued",
    where: { location_ids: ["forum"], minimum_spend: { amount: 2_000, currency: "EUR" }, first_order: true },
    delay_seconds: 90
  },
  { on: "order.accrued", to: "referrer", delay_seconds: 86_400 }
]

const never = { times: undefined, days: undefined }

describe("the form of a trigger", () => {
  it.for(triggers)("leaves a trigger as it is: %o", (trigger) => {
    assert.deepStrictEqual(triggerOf(draftOf(trigger), "EUR"), trigger)
  })

  it("begins with a higher tier, and asks for a direction only of a change of tier", () => {
    const draft = draftOf(undefined)
    assert.deepStrictEqual(triggerOf(draft, "EUR"), { on: "member.enrolled" })
    assert.deepStrictEqual(triggerOf({ ...draft, on: "tier.changed", withImports: true }, "EUR"), {
      on: "tier.changed",
      direction: "up"
    })
  })

  it("shows a delay in the longest unit that says it exactly", () => {
    assert.deepStrictEqual([172_800, 5_400, 61].map(delayOf), [
      { value: 2, unit: "days" },
      { value: 90, unit: "minutes" },
      { value: 61, unit: "seconds" }
    ])
  })

  it("gives to a referrer after 14 days, for an order, also if it said something else before", () => {
    const draft = withReceiver(draftOf({ on: "tier.changed", once: "event" }), "referrer")
    assert.deepStrictEqual(triggerOf(draft, "EUR"), {
      on: "order.accrued",
      to: "referrer",
      delay_seconds: 1_209_600
    })
    assert.deepStrictEqual(draftOf({ on: "order.accrued", to: "referrer" }).delay, { value: 14, unit: "days" })
  })

  it("says no delay to a referrer, where none is meant, because its default is another", () => {
    const draft = { ...draftOf({ on: "order.accrued", to: "referrer" }), delay: delayOf(0) }
    assert.strictEqual(triggerOf(draft, "EUR").delay_seconds, 0)
  })

  it("forgets which orders count once another event is chosen", () => {
    const draft = { ...draftOf({ on: "order.accrued", where: { first_order: true } }), on: "points.expiring" as const }
    assert.deepStrictEqual(triggerOf(draft, "EUR"), { on: "points.expiring" })
  })
})

describe("birthdays", () => {
  it("are looked for so many days ahead, where everybody in the segment must have one", () => {
    assert.strictEqual(birthdaysAhead({ birthday_within_days: 0 }), 0)
    assert.strictEqual(birthdaysAhead({ all: [{ status: ["active"] }, { all: [{ birthday_within_days: 6 }] }] }), 6)
    for (const rules of [undefined, { any: [{ birthday_within_days: 0 }] }, { not: { birthday_within_days: 0 } }])
      assert.isUndefined(birthdaysAhead(rules))
  })
})

describe("the usual frequency", () => {
  it("is once in 300 days for birthdays and absence, wherever the segment asks for them", () => {
    const once = { times: 1, days: 300 }
    assert.deepStrictEqual(usualFrequency(undefined, { birthday_within_days: 0 }), once)
    assert.deepStrictEqual(usualFrequency(undefined, { all: [{ any: [{ inactive_days: 60 }] }] }), once)
    assert.deepStrictEqual(usualFrequency(undefined, { not: { inactive_days: 60 } }), never)
    assert.deepStrictEqual(usualFrequency(undefined, { tier: ["vip"] }), never)
  })

  it("is there for a referrer, who must have one, and for no other trigger", () => {
    const referrer = draftOf({ on: "order.accrued", to: "referrer" })
    assert.isTrue(isFrequencyComplete(usualFrequency(referrer, undefined), true))
    assert.deepStrictEqual(usualFrequency(draftOf(undefined), { inactive_days: 60 }), never)
  })

  it("has both numbers or neither, and both where it is required", () => {
    assert.isTrue(isFrequencyComplete(never, false))
    assert.isFalse(isFrequencyComplete(never, true))
    assert.isFalse(isFrequencyComplete({ times: 1, days: undefined }, false))
  })
})
