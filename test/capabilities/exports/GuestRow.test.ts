/** Columns of a guest that its figures alone do not give. Holds contract/exports.md *Guests*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as GuestRow from "../../../src/capabilities/exports/GuestRow.ts"
import type { StoredMember } from "../../../src/capabilities/members/ProfileStore.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { inactiveAt } from "../../../src/core/rules/Expiration.ts"
import * as Periods from "../../../src/core/rules/Periods.ts"
import { accrue, day, Scenario } from "../../core/account/domain/Scenario.ts"

const { promotions: _, ...demo } = Testing.demoProgram.file
const policy = {
  metric_id: demo.tier_policy?.metric_id ?? "",
  period: { type: "annual", starts_month: 1, starts_day: 1, time_zone: "UTC" }
} as const
const lasting = Testing.programOf({ ...demo, tier_policy: { ...policy, retention: "following_period" } })
const idle = Testing.programOf({
  ...demo,
  point_expiration: { type: "after_inactivity", days: 90, warning_days: [] }
})

const stored: StoredMember = {
  ...{ account: 1, program: demo.program_id, member: "ada", status: "active", joined: 0, externalId: "k-1" },
  ...{ displayName: null, email: null, phone: null, birthDate: null, consents: [] },
  ...{ attributes: undefined, updatedAt: undefined }
}

const rowOf = ({ now, program, state }: Scenario, identities: GuestRow.Leaving["identities"] = []) =>
  GuestRow.rowOf({ state, stored, identities }, program, now)

describe("a guest's row", () => {
  it("names the tier that the last period keeps, until the end of this one, and none that its figures give", () => {
    const ada = new Scenario(lasting)
    ada.now = Date.parse("2026-12-30T00:00:00Z")
    ada.given(accrue("1", 15_000))
    assert.strictEqual(rowOf(ada).tier_id, null)
    ada.wait(10 * day)
    const end = fromMillis(Periods.periodEnd(lasting, ada.now))
    const { tier_id, tier_until, ...rest } = rowOf(ada)
    assert.deepStrictEqual([tier_id, tier_until], ["vip", end])
    assert.propertyVal(rest, "period_sum:points", 0)
  })

  it("has the latest earning that gives points without a date of their own theirs", () => {
    const ada = new Scenario(idle).given(accrue("1", 1500)).wait(40 * day)
    const { last_earned_at, lots } = rowOf(ada)
    assert.notProperty(lots[0], "expires_at")
    assert.strictEqual(inactiveAt(idle, Date.parse(last_earned_at ?? "")), ada.state.idle)
  })

  it("dates lots whose programme has another rule by now", () => {
    const ada = new Scenario(idle).given(accrue("1", 1500))
    const plain = Testing.programOf({ ...demo, program_id: idle.id })
    const { lots } = GuestRow.rowOf({ state: ada.state, stored, identities: [] }, plain, ada.now)
    assert.deepInclude(lots[0], { expires_at: fromMillis(ada.state.idle ?? 0) })
  })

  it("has no identity that follows from an id", () => {
    const card = { type: "loyalty_id", value: "k-1" }
    const external = (value: string) => ({ type: "external", value })
    const all = [card, external("k-1"), external("ada"), external("k-2")]
    const { identities } = rowOf(new Scenario(lasting).given(accrue("1", 500)), all)
    assert.deepStrictEqual(identities, [card, external("k-2")])
  })
})
