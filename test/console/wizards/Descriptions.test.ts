/** Wizards: each answer is a valid part of a programme or a campaign, of its own unit, and reckoned by real orders alone. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Draft } from "../../../src/console/programme/draft.ts"
import type { Answers } from "../../../src/console/wizards/answers.ts"
import { faultOf, isAnswered, noAnswers } from "../../../src/console/wizards/answers.ts"
import { besideOf, promotionsIn } from "../../../src/console/wizards/beside.ts"
import { campaignWizards } from "../../../src/console/wizards/campaignWizards.ts"
import { monthCost } from "../../../src/console/wizards/monthCost.ts"
import type { ProgramWizard } from "../../../src/console/wizards/programWizards.ts"
import { programWizards } from "../../../src/console/wizards/programWizards.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import { decodeRules } from "../../../src/contract/platform/Rules.ts"
import * as ProgramFile from "../../../src/core/rules/ProgramFile.ts"

const draft: Draft = { ...(Testing.demoProgram.file as unknown as Draft) }
const judged = { digits: 2, today: "2026-12-31" }

const answersOf = (starts: Partial<Answers>): Answers => ({
  ...noAnswers,
  ...starts,
  on: { products: [], categories: ["coffee"] },
  reward: "free-bowl",
  last: "2026-12-31",
  total: "500"
})

const made = (name: ProgramWizard["name"], more: Partial<Answers> = {}, of = draft): Draft => {
  const one = wizard(name)
  return one.make(of, { ...answersOf(one.starts), ...more }, "USD")
}

const wizard = (name: ProgramWizard["name"]): ProgramWizard => {
  const found = programWizards.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no wizard ${name}`)
  return found
}

const lastOf = (program: Draft) => {
  const found = promotionsIn(program).at(-1)
  if (found === undefined) throw new Error("there is no promotion")
  return found
}

const faults = (program: Draft) => {
  const validated = ProgramFile.validateDraft(program)
  return Result.isFailure(validated) ? validated.failure : []
}

describe("the wizards of the programme", () => {
  it("ask three questions each, and make a valid programme of the answers", () => {
    for (const one of programWizards) {
      const answers = answersOf(one.starts)
      assert.isTrue(
        one.asks.every((question) => isAnswered(question, answers, judged)),
        one.name
      )
      assert.isFalse(
        one.asks.every((question) => isAnswered(question, { ...noAnswers, stamps: "", times: 1, perDay: 0 }, judged)),
        one.name
      )
      assert.deepStrictEqual(faults(made(one.name)), [], one.name)
      assert.deepStrictEqual(faults(made(one.name, { earns: "most" })), [], one.name)
    }
  })

  it("make a card of stamps of their own, and never of points", () => {
    const { stamp_card: _, ...without } = draft
    const { accounts, stamp_card } = made("coffeeStamps", {}, without)
    const { unit } = stamp_card as { readonly unit: string }
    const account = (accounts as ReadonlyArray<{ readonly unit: string; readonly is_primary: boolean }>).find(
      (one) => one.unit === unit
    )
    assert.isFalse(account?.is_primary)
    const [coffee] = programWizards
    assert.isFalse(coffee?.isOffered({ ...without, stamp_card }))
  })

  it("cap what an order of catering earns by the base rate", () => {
    const { limits } = made("cateringCap", { earns: "most" })
    const { points_per_order } = limits as { readonly points_per_order: number }
    const { rate } = Testing.demoProgram.file.earning
    assert.strictEqual(points_per_order, Math.floor((50_000 * rate.amount) / rate.spend.amount))
    const again = made("cateringCap", { earns: "nothing" }, { ...draft, limits })["limits"] as object
    assert.notProperty(again, "points_per_order")
    const both = { ...(limits as object), order_total: { amount: 60_000, currency: "USD" } }
    const kept = made("cateringCap", { earns: "nothing" }, { ...draft, limits: both })["limits"] as object
    assert.propertyVal(kept, "points_per_order", points_per_order)
  })
})

describe("the wizards of campaigns", () => {
  it("make what the contract takes, with rules that it takes", () => {
    for (const one of campaignWizards) {
      const answers = answersOf(one.starts)
      assert.isTrue(
        one.asks.every((question) => isAnswered(question, answers, judged)),
        one.name
      )
      const segment = one.segment?.(answers)
      const facts = { name: one.name, ...(segment && { segment_id: "one" }), ...one.campaign(answers, "UTC") }
      assert.isTrue(Result.isSuccess(strictDecoder(CampaignFacts)(facts)), one.name)
      const month = one.month?.(answers)
      for (const rules of [segment?.rules, month?.rules, month?.but])
        if (rules !== undefined) assert.isTrue(Result.isSuccess(decodeRules(rules)), one.name)
    }
  })
})

describe("answers of wizards", () => {
  const asked = [...programWizards, ...campaignWizards].flatMap(({ asks }) => asks)

  it("take whole numbers alone, up to the contract's bounds", () => {
    for (const question of asked) {
      if (question.is !== "number") continue
      const { least, most, name } = question
      const fault = (value: number | string) => faultOf(question, { ...noAnswers, [name]: value }, judged)
      assert.isUndefined(fault(least), name)
      assert.isUndefined(fault(""), name)
      for (const wrong of [least + 0.5, least - 1, Number.NaN, ...(most === undefined ? [] : [most + 1])])
        assert.match(fault(wrong) ?? "", /^A whole number from \d/, `${name} ${wrong}`)
    }
  })

  it("make what the contract takes of the highest numbers too", () => {
    const highest = Object.fromEntries(
      asked.flatMap((one) => (one.is === "number" && one.most !== undefined ? [[one.name, one.most]] : []))
    )
    for (const one of programWizards) assert.deepStrictEqual(faults(made(one.name, highest)), [], one.name)
    for (const one of campaignWizards) {
      const answers = { ...answersOf(one.starts), ...highest }
      const facts = { name: one.name, ...(one.segment && { segment_id: "one" }), ...one.campaign(answers, "UTC") }
      assert.isTrue(Result.isSuccess(strictDecoder(CampaignFacts)(facts)), one.name)
      const month = one.month?.(answers)
      for (const rules of [one.segment?.(answers).rules, month?.but])
        if (rules !== undefined) assert.isTrue(Result.isSuccess(decodeRules(rules)), one.name)
    }
  })

  it("refuse a day that is over, and what is no amount of the currency", () => {
    const past = (last: string) => faultOf({ is: "last" }, { ...noAnswers, last }, judged)
    assert.isUndefined(past("2026-12-31"))
    assert.isString(past("2026-12-30"))
    const amount = (total: string) => faultOf({ is: "total" }, { ...noAnswers, total }, judged)
    for (const right of ["", "500", "0.5", "1,234.50"]) assert.isUndefined(amount(right), right)
    for (const wrong of ["0", "-1", "1.2345", "much"]) assert.isString(amount(wrong), wrong)
  })
})

describe("the sentences of promotions and limits", () => {
  const told = {
    ...{ currency: "USD", pointsBy: () => 500, soldOf: (id: string) => id },
    ...{ rewardOf: (id: string) => id, pointsOf: (points: number) => `${points} points` },
    ...{ worthOfReward: () => undefined, worthOfPoints: () => undefined }
  }
  it("say that a cap of points is one of every order", () => {
    const one = wizard("cateringCap")
    const said = one.says({ ...answersOf(one.starts), earns: "most" }, told)
    assert.include(said, "No order earns more than 500 points")
  })
})

describe("what the programme has already", () => {
  const today = "2026-12-01"

  it("is offered to be changed, with its answers, and keeps all else of it", () => {
    const drafted = made("happyHour", { times: 3, days: ["fri"] })
    const [known, ...others] = wizard("happyHour").known?.(drafted, today) ?? []
    assert.deepStrictEqual(others, [])
    assert.deepInclude(known, {
      name: "Happy hour",
      answers: { times: 3, days: ["fri"], from: "15:00", until: "17:00" }
    })
    const described = promotionsIn(drafted).with(-1, { ...lastOf(drafted), description: "After work" })
    const changed = wizard("happyHour").make(
      { ...drafted, promotions: described },
      answersOf({ times: 4 }),
      "USD",
      known?.id
    )
    assert.strictEqual(promotionsIn(changed).length, promotionsIn(drafted).length)
    assert.deepInclude(lastOf(changed), {
      promotion_id: known?.id ?? "",
      description: "After work",
      effect: { multiply_bps: 40_000 }
    })
    assert.deepStrictEqual(faults(changed), [])
    // A sentence of three answers does not say this.
    const firsts = promotionsIn(drafted).with(-1, { ...lastOf(drafted), who: { first_order: true } })
    assert.deepStrictEqual(wizard("happyHour").known?.({ ...drafted, promotions: firsts }, today), [])
  })

  it("of a product of the month is one that is not over", () => {
    const drafted = made("productOfMonth", { last: "2026-12-31", points: 7 })
    const known = (day: string) => wizard("productOfMonth").known?.(drafted, day) ?? []
    assert.deepStrictEqual(known("2027-01-01"), [])
    assert.deepStrictEqual(
      known("2026-12-31").map(({ answers }) => answers),
      [{ points: 7, last: "2026-12-31", on: { products: [], categories: ["coffee"] } }]
    )
  })

  it("fills the fields of the catering cap", () => {
    const now = (more: Partial<Answers>) => wizard("cateringCap").now?.(made("cateringCap", more), "USD")
    assert.deepStrictEqual(now({ total: "750.50", perDay: 3 }), { total: "750.50", perDay: 3 })
    assert.deepStrictEqual(now({ total: "500", earns: "most" }), { total: "500.00", earns: "most", perDay: 5 })
  })

  it("is found among campaigns by what they are, whatever their names", () => {
    const wizardOf = (name: string) => {
      const found = campaignWizards.find((one) => one.name === name)
      if (found === undefined) throw new Error(`there is no wizard ${name}`)
      return found
    }
    for (const one of campaignWizards) {
      const campaign = one.campaign(answersOf(one.starts), "UTC")
      const rules = one.segment?.(answersOf(one.starts)).rules
      assert.deepStrictEqual(
        campaignWizards.filter((other) => other.isSameAs(campaign, rules)).map(({ name }) => name),
        [one.name]
      )
    }
    assert.isFalse(wizardOf("winBack").isSameAs({}, { not: { inactive_days: 30 } }))
  })
})

describe("promotions beside the one that a wizard makes", () => {
  const own = (more: Partial<Answers> = {}) => made("productOfMonth", { points: 10, ...more }, withOthers([]))
  const withOthers = (promotions: ReadonlyArray<object>): Draft => ({ ...draft, stacking: "best", promotions })
  const beside = (other: object, more: Partial<Answers> = {}) => {
    const before = withOthers([{ promotion_id: "other", name: "Other", ...other }])
    return besideOf(before, made("productOfMonth", { points: 10, ...more }, before), "2026-12-01")
  }
  const none = { atTimes: [], isExcluded: false }

  it("outdo it where they give as much on each of its orders, for every guest", () => {
    assert.deepStrictEqual(besideOf(withOthers([]), own(), "2026-12-01"), none)
    for (const other of [
      { effect: { add: 10 } },
      { effect: { add_per_item: 12 }, on: { category_ids: ["coffee", "tea"] } },
      { effect: { add: 20, unit: "points" }, when: { from: "2026-11-01", until: "2026-12-31" } }
    ])
      assert.strictEqual(beside(other).outdoneBy, "Other", JSON.stringify(other))
  })

  it("are named where they may give more, and not where they never do", () => {
    for (const other of [
      { effect: { multiply_bps: 20_000 } },
      { effect: { add: 10 }, who: { first_order: true } },
      { effect: { add: 10 }, limits: { per_member: { count: 1, every: "day" } } },
      { effect: { add: 10 }, when: { until: "2026-12-30" } },
      { effect: { add_per_item: 4 } }
    ])
      assert.deepStrictEqual(beside(other), { ...none, atTimes: ["Other"] }, JSON.stringify(other))
    for (const other of [
      { effect: { add: 9 } },
      { effect: { add: 50 }, on: { category_ids: ["tea"] } },
      { effect: { add: 50 }, enabled: false },
      { effect: { add: 50, unit: "stamps" } },
      { effect: { add: 50 }, when: { until: "2026-11-30" } },
      { effect: { add: 50 }, when: { from: "2027-01-01" } }
    ])
      assert.deepStrictEqual(beside(other), none, JSON.stringify(other))
    const all = { ...withOthers([{ promotion_id: "other", name: "Other", effect: { add: 50 } }]), stacking: "all" }
    assert.deepStrictEqual(besideOf(all, made("productOfMonth", {}, all), "2026-12-01"), none)
  })

  it("do not matter for products that earn nothing: it would give nothing either", () => {
    const on = { products: [], categories: ["alcohol"] }
    assert.isTrue(beside({ effect: { add: 1 } }, { on }).isExcluded)
    const { stamp_card: _, ...without } = draft
    assert.isTrue(besideOf(without, made("coffeeStamps", { on }, without), "2026-12-01").isExcluded)
  })
})

describe("the cost of a month", () => {
  const orders = (points: number, days: number, rewards?: number) => ({
    total: 100,
    count: 100,
    from: "2026-11-01T00:00:00.000Z",
    until: new Date(Date.parse("2026-11-01T00:00:00.000Z") + days * 86_400_000).toISOString(),
    before: [],
    after: [{ unit: "points" as const, amount: points }],
    untried: [],
    ...(rewards === undefined
      ? undefined
      : {
          card_after: {
            ...{ reward_id: "r", name: "R", rewards: 1, most_for_one_order: 1 },
            cost: { amount: rewards, currency: "USD" }
          }
        })
  })

  it("is what the orders would have earned more, as of thirty days", () => {
    assert.deepStrictEqual(monthCost(orders(1_000, 15), orders(1_500, 15), "points"), {
      ...{ orders: 100, of: 100, points: 1_000, rewards: 0 }
    })
    assert.deepStrictEqual(monthCost(orders(10, 60, 200), orders(10, 60, 1_200), "points"), {
      ...{ orders: 100, of: 100, points: 0, rewards: 500 }
    })
    const of41 = (points: number) => ({ ...orders(points, 30), total: 4_100 })
    assert.deepStrictEqual(monthCost(of41(1_000), of41(1_010), "points"), {
      ...{ orders: 100, of: 4_100, points: 410, rewards: 0 }
    })
  })

  it("is not told of no orders, nor of those of less than a week", () => {
    const none = { total: 0, count: 0, before: [], after: [], untried: [] }
    assert.strictEqual(monthCost(none, none, "points"), "none")
    assert.strictEqual(monthCost(orders(1, 6), orders(2, 6), "points"), "few days")
  })
})
