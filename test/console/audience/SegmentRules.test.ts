/**
 * Rules as the console's page edits them say the same as the rules that were sent
 * (contract/engagement.md *Rules of segments*).
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Rule } from "../../../src/capabilities/segments/Rules.ts"
import { conditionsOf, ruleOf } from "../../../src/capabilities/segments/Rules.ts"
import { usualFrequency } from "../../../src/console/audience/automation.ts"
import { incomplete, newCondition, newGroup } from "../../../src/console/audience/segmentRules.ts"
import type { Fault } from "../../../src/console/audience/segmentWire.ts"
import { faultsByItem, groupOf, write } from "../../../src/console/audience/segmentWire.ts"
import { decodeRules } from "../../../src/contract/platform/Rules.ts"
import type { Random } from "../../model/Random.ts"
import * as RandomOf from "../../model/Random.ts"

const parts: ReadonlyArray<(random: Random) => object> = [
  () => ({ status: ["active"] }),
  () => ({ statuses: ["active", "closed"] }),
  () => ({ tier: ["vip"] }),
  () => ({ tier_ids: ["vip", "regular"] }),
  ({ pick }) => ({ balance: pick([{ at_least: 0 }, { unit: "points", at_least: 1, at_most: 9 }, { at_most: -1 }]) }),
  () => ({ minimum_available_balance: 0 }),
  ({ pick }) => ({ consent: pick([{ purpose: "marketing" }, { purpose: "marketing", channel: "sms" }]) }),
  ({ pick }) => ({ has: pick(["email", "phone", "birth_date"]) }),
  ({ pick }) => ({
    attribute: pick([
      { name: "a", equals: "1" },
      { name: "a", in: ["1", 1, true] },
      { name: "b", equals: 0 }
    ])
  }),
  () => ({ attributes: { a: 1, c: false } }),
  ({ pick }) => ({ profile: pick([{ has_email: false }, { has_phone: true, marketing_consent: false }]) }),
  () => ({ profile: { has_email: true, attributes: { a: "1" } } }),
  ({ pick }) => ({
    event: pick([
      { type: "visit" },
      { type: "visit", minimum_count: 2, within_days: 7, minimum_value: 0, property: { name: "p", equals: true } }
    ])
  }),
  ({ pick }) => ({
    order: pick([{}, { minimum_count: 2 }, { minimum_spend: 0, within_days: 1, location_id: "location-1" }])
  }),
  () => ({ inactive_days: 30 }),
  () => ({ joined_within_days: 30 }),
  () => ({ birthday_within_days: 0 }),
  ({ pick }) => ({
    expiring: pick([
      { amount: 1, within_days: 7 },
      { unit: "points", amount: 2, within_days: 7 }
    ])
  }),
  () => ({ in_segment: "other" })
]

const someRules = (random: Random, depth: number): object => {
  const own = Array.from({ length: random.whole(1, 3) }, () => random.pick(parts)(random))
  const inner = () => Array.from({ length: random.whole(1, 3) }, () => someRules(random, depth - 1))
  const combinators = [
    () => ({ all: inner() }),
    () => ({ any: inner() }),
    () => ({ not: someRules(random, depth - 1) })
  ]
  const combined = depth === 0 ? [] : [random.pick(combinators)()]
  return Object.assign({}, ...(random.whole(0, 2) === 0 ? combined : [...own, ...combined]), depth === 0 ? own[0] : {})
}

const decoded = (rules: object): Rule => ruleOf(Result.getOrThrow(decodeRules(rules)))

/** A condition of one value, as text. */
const atomsOf = (condition: ReturnType<typeof conditionsOf>[number]): ReadonlyArray<string> =>
  condition.type === "attribute"
    ? condition.values.map((value) => JSON.stringify([condition.name, value]))
    : [JSON.stringify(condition)]

const holds = (rule: Rule, isTrue: (atom: string) => boolean): boolean => {
  switch (rule.type) {
    case "all":
      return rule.rules.every((one) => holds(one, isTrue))
    case "any":
      return rule.rules.some((one) => holds(one, isTrue))
    case "not":
      return !holds(rule.rule, isTrue)
    default:
      return atomsOf(rule).some(isTrue)
  }
}

describe("the rules of a segment on the page", () => {
  it("say the same as those that were sent, in either spelling and however deep", () => {
    const random = RandomOf.make(1, "rules on the page")
    for (let round = 0; round < 500; round++) {
      const sent = someRules(random, random.whole(0, 3))
      const before = decoded(sent)
      const group = groupOf(Result.getOrThrow(decodeRules(sent)))
      const after = decoded(write(group).rules)
      const context = JSON.stringify([sent, write(group).rules])
      assert.deepStrictEqual(incomplete(group), [], context)
      const atoms = new Set(conditionsOf(before).flatMap(atomsOf))
      assert.deepStrictEqual(new Set(conditionsOf(after).flatMap(atomsOf)), atoms, context)
      for (let member = 0; member < 16; member++) {
        const truths = new Set([...atoms].filter(() => random.whole(0, 1) === 1))
        const isTrue = (atom: string) => truths.has(atom)
        assert.strictEqual(holds(after, isTrue), holds(before, isTrue), context)
      }
    }
  })

  it("have one condition for who has ordered at a location, but not lately", () => {
    const at = (location_id: string, within_days: number) => ({
      all: [{ order: { location_id } }, { not: { order: { location_id, within_days } } }]
    })
    const lapsed = at("forum", 45)
    const group = groupOf({ all: [{ status: ["active"] }, lapsed] })
    const [, item] = group.items
    assert.deepInclude(item, { kind: "condition", content: { about: "inactive", days: 45, location: "forum" } })
    assert.deepStrictEqual(write(group).rules, { all: [{ status: ["active"] }, lapsed] })
    assert.strictEqual(groupOf(lapsed).items.length, 1)
    // Two locations, or more than that, are conditions of their own.
    for (const other of [
      { all: [lapsed.all[0]!, at("harbour", 45).all[1]!] },
      { all: [{ order: { location_id: "forum", minimum_count: 2 } }, lapsed.all[1]!] },
      { ...lapsed, status: ["active" as const] }
    ])
      assert.isAbove(JSON.stringify(groupOf(other)).split('"about"').length, 2, JSON.stringify(other))
    assert.deepStrictEqual(usualFrequency(undefined, { all: [lapsed] }), { times: 1, days: 300 })
  })

  it("have a fault at the innermost item that it is about", () => {
    const order = newCondition("order")
    const none = newGroup("none", [newCondition("has"), order])
    const root = newGroup("all", [none])
    const { places } = write(root)
    const at = (path: string): Fault => ({ path, message: "is wrong" })
    const byItem = faultsByItem(places, [at("/all/0/not/any/1/order/within_days"), at("/all/0/not"), at("")])
    assert.deepStrictEqual(byItem.get(order.id), [at("/order/within_days")])
    assert.deepStrictEqual(byItem.get(none.id), [at("/not")])
    assert.deepStrictEqual(byItem.get(root.id), [at("")])
  })

  it("are incomplete where a group is empty or a condition says nothing", () => {
    const tier = newCondition("tier")
    const empty = newGroup("any")
    assert.deepStrictEqual(incomplete(newGroup("all", [newCondition("order"), tier, empty])), [
      { id: tier.id, about: "tier", missing: "tier" },
      { id: empty.id, missing: "group" }
    ])
  })
})
