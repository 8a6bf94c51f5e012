/** Tiers that last through the following period (contract/points.md *Tier periods*). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { ProgramFile } from "../../../../src/contract/ProgramFile.ts"
import * as Metrics from "../../../../src/core/account/domain/Metrics.ts"
import { plain } from "../../../../src/core/account/domain/State.ts"
import { inForceAs, type Program } from "../../../../src/core/rules/Program.ts"
import * as Tiers from "../../../../src/core/rules/Tiers.ts"
import * as Ladder from "../../../../src/reads/rollups/Ladder.ts"
import { figuresOf } from "../../../../src/reads/rollups/Member.ts"
import { accrue, adjust, day, manual, Scenario } from "./Scenario.ts"

const { promotions: _, ...demo } = Testing.demoProgram.file
type Retention = "period" | "following_period"
const policyOf = (retention: Retention) => ({
  metric_id: demo.tier_policy?.metric_id ?? "",
  period: { type: "annual", starts_month: 1, starts_day: 1, time_zone: "UTC" } as const,
  retention
})
const fileOf = (retention: Retention): ProgramFile => ({
  ...demo,
  tier_policy: policyOf(retention)
})
const lasting = Testing.programOf(fileOf("following_period"))
const yearly = Testing.programOf(fileOf("period"))

const at = (timestamp: string): number => Date.parse(timestamp)
const newYear = at("2027-01-01T00:00:00Z")

const tierOf = ({ now, program, state }: Scenario): string | undefined => Metrics.tierOf(state, program, now)?.tier_id
/** The same by what the rollups keep of a member. */
const listedTierOf = ({ now, program, state }: Scenario): string | undefined =>
  Ladder.tierAt(program, now, Ladder.keyOf(Ladder.ladderOf(program), figuresOf(state)))

const goTo = (scenario: Scenario, instant: number): Scenario => {
  scenario.now = instant
  return scenario
}

/** Both must tell this tier. */
const isIn = (scenario: Scenario, tier: string): void => {
  assert.deepStrictEqual([tierOf(scenario), listedTierOf(scenario)], [tier, tier])
}

describe("retention: following_period", () => {
  it("a tier lasts through the period after that in which it was reached, to its last instant", () => {
    const ada = goTo(new Scenario(lasting), newYear - 1).given(accrue("1", 15_000))
    isIn(ada, "vip")
    isIn(goTo(ada, newYear), "vip")
    ada.given(accrue("2", 1000))
    isIn(ada, "vip")
    isIn(goTo(ada, at("2027-12-31T23:59:59.999Z")), "vip")
    isIn(goTo(ada, at("2028-01-01T00:00:00Z")), "starter")
  })

  it("its multiplier earns meanwhile, by the present period's figure the progress is told, never below 0", () => {
    const ada = goTo(new Scenario(lasting), newYear - 1).given(accrue("1", 6000))
    goTo(ada, newYear)
    assert.deepStrictEqual(ada.posts(accrue("2", 1000)), [["accrual", "points", 120]])
    const amounts = Metrics.qualification(ada.state, ada.program, ada.now)
    assert.deepStrictEqual(amounts, { present: 120, reached: 600 })
    assert.deepStrictEqual(Tiers.progress(lasting, 120, 600), {
      current_tier_id: "regular",
      qualification_metric_id: lasting.tiers[0]?.qualification_metric_id ?? "",
      current_amount: 120,
      progress_bps: 0,
      is_top_tier: false,
      next_tier_id: "vip",
      remaining_to_next: 1380
    })
  })

  it("what was earned on 31 December and refunded on 2 January keeps nobody in a tier", () => {
    for (const between of [[], [accrue("2", 100)]]) {
      const ada = goTo(new Scenario(lasting), newYear - day).given(accrue("1", 15_000))
      goTo(ada, newYear + day).given(...between)
      isIn(ada, "vip")
      ada.given(adjust("1", "full_refund", -15_000))
      isIn(ada, "starter")
      assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
    }
  })

  it("a correction of an order of the last period reaches a tier by it", () => {
    const ada = goTo(new Scenario(lasting), newYear - day).given(accrue("1", 4000))
    goTo(ada, newYear + day).given(accrue("2", 100), adjust("1", "correction", 1000))
    isIn(ada, "regular")
  })

  it("an order of an older period changes neither figure", () => {
    const ada = goTo(new Scenario(lasting), newYear - day).given(accrue("1", 15_000))
    goTo(ada, at("2027-06-01T00:00:00Z")).given(accrue("2", 6000))
    goTo(ada, at("2028-06-01T00:00:00Z")).given(adjust("1", "void", -15_000))
    isIn(ada, "regular")
  })

  it("a period without an entry is a last period, too: nothing of the one before it counts", () => {
    const ada = goTo(new Scenario(lasting), newYear - day).given(accrue("1", 15_000))
    isIn(goTo(ada, at("2028-06-01T00:00:00Z")), "starter")
    ada.given(accrue("2", 100))
    isIn(ada, "starter")
  })

  it("a late order counts in the period of its own time with dated_by placed_at, in that of the posting without", () => {
    const { earning } = lasting.file
    const dated = Testing.programOf({ ...lasting.file, earning: { ...earning, dated_by: "placed_at" } })
    const late = (id: string) => accrue(id, 15_000, Testing.placedAt(newYear - day))
    const figures = ({ now, program, state }: Scenario) => Metrics.qualification(state, program, now)
    for (const before of [[], [accrue("1", 100)]]) {
      for (const first of [[], [accrue("2", 100)]]) {
        const ada = goTo(new Scenario(dated), newYear - 2 * day).given(...before)
        goTo(ada, newYear + day).given(...first, late("3"))
        const present = first.length * 10
        assert.deepStrictEqual(figures(ada), { present, reached: 1500 + before.length * 10 })
        isIn(ada, "vip")
        ada.given(adjust("3", "full_refund", -15_000))
        assert.deepStrictEqual(figures(ada), { present, reached: Math.max(present, before.length * 10) })
        assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
      }
    }
    const posted = goTo(new Scenario(lasting), newYear + day).given(late("3"))
    assert.deepStrictEqual(figures(posted), { present: 1500, reached: 1500 })
    isIn(goTo(posted, at("2028-06-01T00:00:00Z")), "vip")
    const own = goTo(new Scenario(dated), newYear + day).given(late("3"))
    isIn(goTo(own, at("2028-06-01T00:00:00Z")), "starter")
  })

  it("a merge adds up both periods' figures, and later refunds reach them", () => {
    const early = goTo(new Scenario(lasting, "ben", 2), newYear - day).given(accrue("b1", 8000))
    const ada = goTo(new Scenario(lasting), newYear - day).given(accrue("a1", 7000))
    goTo(ada, newYear + day)
      .given(accrue("a2", 100))
      .merge(early)
    isIn(ada, "vip")
    ada.given(adjust("b1", "full_refund", -8000))
    isIn(ada, "regular")
    ada.given(adjust("a1", "full_refund", -7000))
    isIn(ada, "starter")
    assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
  })

  it("a changed retention takes over when the running period ends, with the figures that are kept anyway", () => {
    const published = at("2026-10-01T00:00:00Z")
    const versions = [
      { publishedAt: 0, tierPolicy: policyOf("period") },
      { publishedAt: published, tierPolicy: policyOf("following_period") }
    ]
    const changed: Program = inForceAs(lasting, versions, false)
    const ada = new Scenario(yearly).given(accrue("1", 15_000)).under(changed)
    isIn(goTo(ada, newYear), "vip")
    isIn(ada.under(yearly), "starter")
    const back = inForceAs(yearly, [...versions, { publishedAt: newYear + day, tierPolicy: policyOf("period") }], false)
    isIn(goTo(ada.under(back), at("2027-12-31T23:59:59Z")), "vip")
    ada.given(accrue("2", 15_000))
    isIn(goTo(ada, at("2028-01-01T00:00:00Z")), "starter")
  })

  it("programs/get does not show it", () => {
    assert.notProperty(lasting.definition.tier_policy, "retention")
  })
})

/** Action of a guest, by the order's or the entry's number. */
type Step =
  | { readonly type: "order"; readonly spend: number }
  | { readonly type: "refund"; readonly of: number; readonly spend: number }
  | { readonly type: "void"; readonly of: number }
  | { readonly type: "credit"; readonly amount: number }
  | { readonly type: "wait"; readonly days: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("order" as const), spend: fc.integer({ min: 100, max: 12_000 }) }),
    fc.record({
      type: fc.constant("refund" as const),
      of: fc.nat({ max: 12 }),
      spend: fc.integer({ min: 1, max: 6000 })
    }),
    fc.record({ type: fc.constant("void" as const), of: fc.nat({ max: 12 }) }),
    fc.record({ type: fc.constant("credit" as const), amount: fc.integer({ min: 1, max: 800 }) }),
    fc.record({ type: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 300 }) })
  ),
  { maxLength: 30 }
)

/** The rule word for word: every point of every year is kept for ever, by the year of its order. */
class Model {
  readonly years = new Map<number, number>()
  readonly orders: Array<{
    readonly year: number
    readonly bps: number
    spend: number
    kept: number
    closed: boolean
  }> = []

  add(year: number, points: number): void {
    this.years.set(year, (this.years.get(year) ?? 0) + points)
  }

  tier(year: number): readonly [id: string, bps: number] {
    const best = Math.max(this.years.get(year) ?? 0, this.years.get(year - 1) ?? 0)
    return best >= 1500 ? ["vip", 15_000] : best >= 500 ? ["regular", 12_000] : ["starter", 10_000]
  }

  order(year: number, spend: number): void {
    const bps = this.tier(year)[1]
    const kept = Math.floor((spend * 10 * bps) / 1_000_000)
    this.orders.push({ year, bps, spend, kept, closed: false })
    this.add(year, kept)
  }

  refund(of: number, spend: number, closes: boolean): void {
    const order = this.orders[of]!
    order.spend = Math.max(0, order.spend - spend)
    order.closed ||= closes
    const kept = order.closed || order.spend < 100 ? 0 : Math.floor((order.spend * 10 * order.bps) / 1_000_000)
    this.add(order.year, kept - order.kept)
    order.kept = kept
  }
}

describe("the tier at each moment", () => {
  it("is the model's, through orders, refunds, credits and turns of the year", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ada = new Scenario(lasting)
        const model = new Model()
        for (const [index, step] of all.entries()) {
          const year = new Date(ada.now).getUTCFullYear()
          if (step.type === "wait") ada.wait(step.days * day)
          else if (step.type === "credit") {
            ada.given(manual(step.amount, { adjustment: `m${index}`, qualifies: true }))
            model.add(year, step.amount)
          } else if (step.type === "order") {
            ada.given(accrue(`o${model.orders.length}`, step.spend))
            model.order(year, step.spend)
          } else {
            const order = model.orders[step.of]
            if (order === undefined || order.closed) continue
            const spend = step.type === "void" ? order.spend : Math.min(step.spend, order.spend)
            if (step.type === "refund" && spend === 0) continue
            ada.given(adjust(`o${step.of}`, step.type === "void" ? "void" : "partial_refund", -spend))
            model.refund(step.of, spend, step.type === "void")
          }
          isIn(ada, model.tier(new Date(ada.now).getUTCFullYear())[0])
        }
        assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
      }),
      { numRuns: 1000 }
    )
  })
})
