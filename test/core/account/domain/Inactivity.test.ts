/** Points that end together when nothing was earned for a time (contract/points.md *Lots*, *Expiration*). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { PointExpiration } from "../../../../src/contract/ProgramFile.ts"
import { nextDueAt } from "../../../../src/core/account/domain/Due.ts"
import { plain, unitOf } from "../../../../src/core/account/domain/State.ts"
import * as View from "../../../../src/core/account/domain/View.ts"
import * as Rows from "../../../../src/core/account/Rows.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import { accrue, adjust, capture, day, expire, manual, reserve, reverse, Scenario, second, start } from "./Scenario.ts"

const { point_expiration: _, ...never } = Testing.demoProgram.file
const under = (point_expiration: Omit<PointExpiration, "warning_days">): Program =>
  Testing.programOf({ ...never, point_expiration: { ...point_expiration, warning_days: [] } })

const idle = under({ type: "after_inactivity", days: 10 })
const earned = under({ type: "after_earned", days: 10 })

/** Points that are listed as expiring: `[points, days from the start]`. */
const expiring = ({ now, program, state }: Scenario): ReadonlyArray<readonly [number, number]> =>
  View.expiring(View.view(state, program, now), now).map(({ amount, at }) => [amount, (at - start) / day])

const dueDay = ({ program, state }: Scenario): number | undefined => {
  const at = nextDueAt(state, program)
  return at === null ? undefined : (at - start) / day
}

/** The state of its records is the same. A decision without events is no record. */
const isWhole = ({ replayed, state }: Scenario): void =>
  assert.deepStrictEqual(plain(replayed), plain({ ...state, at: replayed.at, seq: replayed.seq }))

describe("after_inactivity", () => {
  it("each accrual that earned moves the date of all points; entries tell none", () => {
    const ada = new Scenario(idle).given(accrue("1", 1000))
    assert.deepStrictEqual(expiring(ada), [[100, 10]])
    ada.wait(6 * day).given(accrue("2", 500))
    assert.deepStrictEqual([expiring(ada), dueDay(ada)], [[[150, 16]], 16])
    assert.deepStrictEqual(
      ada.ledger.map((event) => Rows.entry(event).expiresAt),
      [undefined, undefined]
    )
    assert.deepStrictEqual(ada.wait(10 * day - 1).posts(expire), [])
    assert.deepStrictEqual(ada.wait(1).posts(expire), [
      ["expiration", "points", -100],
      ["expiration", "points", -50]
    ])
    assert.deepStrictEqual([expiring(ada), dueDay(ada)], [[], undefined])
    isWhole(ada)
  })

  it("an order that earned nothing moves nothing, nor do credits, redemptions, refunds and voids", () => {
    const ada = new Scenario(idle).given(accrue("1", 3000))
    ada.wait(day).given(accrue("2", 50), accrue("3", 500, { channel: "kiosk" }), manual(50))
    ada.given(reserve(1), capture(1), reverse(1), adjust("1", "partial_refund", -1000))
    assert.deepStrictEqual(expiring(ada), [[250, 10]])
    ada.given(accrue("4", 100))
    assert.deepStrictEqual(expiring(ada), [[260, 11]])
    ada.given(adjust("4", "void", -100))
    assert.deepStrictEqual(expiring(ada), [[250, 11]])
    isWhole(ada)
  })

  it("months end on the month's last day", () => {
    const monthly = under({ type: "after_inactivity", months: 1 })
    const ada = new Scenario(monthly)
    ada.now = Date.parse("2027-01-31T12:00:00Z")
    ada.given(accrue("1", 1000))
    assert.strictEqual(nextDueAt(ada.state, ada.program), Date.parse("2027-02-28T12:00:00Z"))
  })

  it("a first credit begins a date as an accrual does, and so does one after the date has passed", () => {
    const ada = new Scenario(idle).given(manual(50))
    assert.deepStrictEqual(expiring(ada), [[50, 10]])
    ada.wait(12 * day).given(manual(70, { adjustment: "second" }))
    assert.deepStrictEqual(ada.balance(), [70, 0])
    assert.deepStrictEqual(expiring(ada), [[70, 22]])
    isWhole(ada)
  })

  it("a credit with a date of its own keeps it, and spending takes lots by earned date as ever", () => {
    const ada = new Scenario(idle).given(accrue("1", 1000), manual(50, { expires: start + 3 * day }))
    assert.deepStrictEqual(expiring(ada), [
      [50, 3],
      [100, 10]
    ])
    ada.wait(2 * day).given(accrue("2", 1000))
    assert.deepStrictEqual(expiring(ada), [
      [50, 3],
      [200, 12]
    ])
    assert.deepStrictEqual(ada.wait(day).posts(manual(-100)), [
      ["expiration", "points", -50],
      ["manual", "points", -100]
    ])
    assert.deepStrictEqual(expiring(ada), [[100, 12]])
  })

  it("what returns has the date of then: it expires at once if that has passed, and lives if it was moved", () => {
    const spent = () => new Scenario(idle).given(accrue("1", 1000), reserve(1), capture(1))
    const late = spent().wait(11 * day)
    assert.deepStrictEqual(late.posts(reverse(1)), [
      ["reversal", "points", 100],
      ["expiration", "points", -100]
    ])
    isWhole(late)
    const moved = spent()
      .wait(5 * day)
      .given(accrue("2", 1000))
      .wait(6 * day)
    assert.deepStrictEqual(moved.posts(reverse(1)), [["reversal", "points", 100]])
    assert.deepStrictEqual(expiring(moved), [[200, 15]])
    isWhole(moved)
  })

  it("what open holds need does not expire under them, and does the moment a hold ends", () => {
    const ada = new Scenario(idle)
      .given(accrue("1", 2500))
      .wait(10 * day - second)
      .given(reserve(1))
    assert.deepStrictEqual(ada.wait(second).posts(expire), [["expiration", "points", -150]])
    assert.deepStrictEqual(ada.wait(second).posts(reverse(1)), [["expiration", "points", -100]])
    isWhole(ada)
  })

  describe("what a hold keeps past the date has it as its own", () => {
    /** 100 points that a hold keeps, two seconds past their date. */
    const held = (points = 100) =>
      new Scenario(idle)
        .given(accrue("1", points * 10))
        .wait(10 * day - second)
        .given(reserve(1))
        .wait(2 * second)

    it("no accrual revives it: it ends with the hold, and is not listed meanwhile", () => {
      for (const end of [reverse(1), expire]) {
        const ada = held().given(accrue("2", 500))
        assert.deepStrictEqual(ada.balance(), [150, 100])
        assert.deepStrictEqual(expiring(ada), [[50, 20 + second / day]])
        ada.wait(end === expire ? 200 * second : second)
        assert.deepStrictEqual(ada.posts(end), [["expiration", "points", -100]])
        // The instant at which the hold ended.
        const ended = ada.records.flatMap(({ events }) => events).find(({ type }) => /released|hold_expired/.test(type))
        assert.strictEqual(ada.ledger.at(-1)?.at, ended?.at)
        assert.deepStrictEqual(ada.balance(), [50, 0])
        isWhole(ada)
      }
    })

    it("a credit that begins a date revives nothing", () => {
      const ada = held().given(manual(70))
      assert.deepStrictEqual(ada.posts(reverse(1)), [["expiration", "points", -100]])
      assert.deepStrictEqual(ada.balance(), [70, 0])
      isWhole(ada)
    })

    it("its capture takes it, and a reversal of that returns nothing that lives", () => {
      const captured = held().given(capture(1)).wait(day).given(accrue("2", 500))
      assert.deepStrictEqual(captured.posts(reverse(1)), [
        ["reversal", "points", 100],
        ["expiration", "points", -100]
      ])
      assert.deepStrictEqual(captured.balance(), [50, 0])
      isWhole(captured)
      const earned = held().given(accrue("2", 500), capture(1))
      assert.deepStrictEqual(earned.lots(), [[2, 50]])
      isWhole(earned)
    })

    it("a part that was captured before the date lives where it was moved, beside the part that has it", () => {
      const parts = () =>
        new Scenario(idle)
          .given(accrue("1", 2000), reserve(1), capture(1))
          .wait(10 * day - second)
          .given(reserve(2))
          .wait(2 * second)
          .given(accrue("2", 500))
      const ada = parts()
      assert.deepStrictEqual(ada.posts(reverse(1)), [["reversal", "points", 100]])
      assert.deepStrictEqual(ada.lots(), [
        [1, 100],
        [1, 100],
        [3, 50]
      ])
      // A refund takes all parts of the order's lot.
      const refunded = parts().given(reverse(1))
      assert.deepStrictEqual(refunded.posts(adjust("1", "full_refund", -2000)), [["adjustment", "points", -200]])
      isWhole(refunded)
      assert.deepStrictEqual(ada.posts(reverse(2)), [["expiration", "points", -100]])
      assert.deepStrictEqual(ada.balance(), [150, 0])
      isWhole(ada)
    })

    it("a correction returns nothing to it that lives", () => {
      const ada = held().given(accrue("2", 500), adjust("1", "partial_refund", -600), adjust("1", "correction", 600))
      assert.deepStrictEqual(ada.balance(), [90, 100])
      assert.deepStrictEqual(ada.posts(reverse(1)), [["expiration", "points", -40]])
      assert.deepStrictEqual(ada.balance(), [50, 0])
      isWhole(ada)
    })
  })

  it("a merge takes the later date of both", () => {
    for (const [first, then] of [
      [0, 4],
      [4, 0]
    ] as const) {
      const [ada, ben] = [new Scenario(idle), new Scenario(idle, "ben", 2)]
      ada.wait(first * day).given(accrue("a", 1000))
      ben.wait(then * day).given(accrue("b", 500))
      ada.merge(ben)
      assert.deepStrictEqual(expiring(ada), [[150, 14]])
      assert.deepStrictEqual(ada.wait(20 * day).posts(expire).length, 2)
      isWhole(ada)
    }
  })

  it("an order whose points have expired so counts them: a refund takes nothing twice", () => {
    const ada = new Scenario(idle)
      .given(accrue("1", 1000))
      .wait(11 * day)
      .given(accrue("2", 500))
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -400)), [["adjustment", "points", 0]])
    assert.deepStrictEqual(ada.balance(), [50, 0])
    isWhole(ada)
  })

  it("a correction after the date has passed begins one anew for what is new; what it returns had expired", () => {
    const ada = new Scenario(idle).given(accrue("1", 1000), adjust("1", "partial_refund", -600)).wait(11 * day)
    // 40 expired; 60 that the refund took return and expire, and 100 are new.
    ada.given(adjust("1", "correction", 1600))
    assert.deepStrictEqual(ada.given(expire).balance(), [100, 0])
    assert.deepStrictEqual(expiring(ada), [[100, 21]])
    isWhole(ada)
    const only = new Scenario(idle).given(accrue("1", 1000), adjust("1", "partial_refund", -600)).wait(11 * day)
    only.given(adjust("1", "correction", 600))
    assert.deepStrictEqual(only.balance(), [0, 0])
    isWhole(only)
  })
})

describe("a changed type leaves dates where they stand", () => {
  it("lots that had a date keep it, and those that never expired go on so", () => {
    const ada = new Scenario(Testing.programOf(never)).given(accrue("1", 1000)).under(earned).given(accrue("2", 500))
    ada.wait(day).under(idle).given(accrue("3", 200))
    assert.deepStrictEqual(expiring(ada), [
      [50, 10],
      [20, 11]
    ])
    ada.wait(30 * day).given(expire)
    assert.deepStrictEqual(ada.balance(), [100, 0])
    isWhole(ada)
  })

  it("the account's date stays for the lots without one, and accruals of the new type do not move it", () => {
    const ada = new Scenario(idle)
      .given(accrue("1", 1000))
      .wait(2 * day)
      .under(earned)
      .given(accrue("2", 500))
    assert.deepStrictEqual(expiring(ada), [
      [100, 10],
      [50, 12]
    ])
    ada.under(Testing.programOf(never)).given(accrue("3", 200))
    assert.deepStrictEqual(ada.wait(20 * day).posts(expire), [
      ["expiration", "points", -100],
      ["expiration", "points", -50]
    ])
    assert.deepStrictEqual(ada.balance(), [20, 0])
    isWhole(ada)
  })

  it("a shorter time moves no date back", () => {
    const ada = new Scenario(idle).given(accrue("1", 1000)).under(under({ type: "after_inactivity", days: 3 }))
    ada.wait(day).given(accrue("2", 500))
    assert.deepStrictEqual(expiring(ada), [[150, 10]])
    ada.wait(8 * day).given(accrue("3", 500))
    assert.deepStrictEqual(expiring(ada), [[200, 12]])
  })
})

/** Action of a guest, and its programme. */
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("earn" as const), points: fc.integer({ min: 0, max: 300 }) }),
    fc.record({
      type: fc.constant("credit" as const),
      points: fc.integer({ min: 1, max: 300 }),
      days: fc.option(fc.integer({ min: 1, max: 9 }))
    }),
    fc.record({ type: fc.constant("debit" as const), share: fc.integer({ min: 1, max: 100 }) }),
    fc.record({ type: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ type: fc.constant("publish" as const), program: fc.constantFrom("idle", "earned", "never") })
  ),
  { maxLength: 40 }
)
const programs: Readonly<Record<string, Program>> = { idle, earned, never: Testing.programOf(never) }

/** The rules word for word: a list of lots, and a date. */
class Model {
  lots: Array<{ points: number; readonly ends: number | "with account" | "never" }> = []
  date = 0
  readonly expired: Array<readonly [points: number, at: number]> = []

  endOf({ ends }: { readonly ends: number | "with account" | "never" }): number {
    return ends === "with account" ? this.date : ends === "never" ? Infinity : ends
  }

  settle(now: number): void {
    const due = this.lots.filter((lot) => this.endOf(lot) <= now)
    for (const lot of due.toSorted((a, b) => this.endOf(a) - this.endOf(b)))
      this.expired.push([lot.points, this.endOf(lot)])
    this.lots = this.lots.filter((lot) => this.endOf(lot) > now)
  }

  add(points: number, now: number, program: string, own?: number): void {
    if (points === 0) return
    if (own !== undefined) this.lots.push({ points, ends: own })
    else if (program === "earned") this.lots.push({ points, ends: now + 10 * day })
    else if (program === "never") this.lots.push({ points, ends: "never" })
    else {
      if (this.date <= now) this.date = now + 10 * day
      this.lots.push({ points, ends: "with account" })
    }
  }

  earn(points: number, now: number, program: string): void {
    if (points > 0 && program === "idle") this.date = Math.max(this.date, now + 10 * day)
    this.add(points, now, program)
  }

  take(points: number): void {
    for (let rest = points; rest > 0; ) {
      const [first] = this.lots
      const part = Math.min(rest, first!.points)
      first!.points -= part
      rest -= part
      if (first!.points === 0) this.lots.shift()
    }
  }
}

describe("balances, dates and expirations", () => {
  it("are the model's at each moment, through changes of the type", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const flat = (program: Program) => ({ ...program, tiers: [] })
        const ada = new Scenario(flat(idle))
        const model = new Model()
        let program = "idle"
        for (const [n, step] of all.entries()) {
          model.settle(ada.now)
          if (step.type === "wait") ada.wait(step.days * day)
          else if (step.type === "publish") {
            program = step.program
            ada.under(flat(programs[program]!))
          } else if (step.type === "earn") {
            ada.given(accrue(`o${n}`, step.points * 10))
            model.earn(step.points < 10 ? 0 : step.points, ada.now, program)
          } else if (step.type === "credit") {
            const own = step.days === null ? undefined : ada.now + step.days * day
            ada.given(manual(step.points, { adjustment: `m${n}`, ...(own === undefined ? {} : { expires: own }) }))
            model.add(step.points, ada.now, program, own)
          } else {
            const balance = model.lots.reduce((sum, { points }) => sum + points, 0)
            const taken = Math.ceil((balance * step.share) / 100)
            if (taken === 0) continue
            ada.given(manual(-taken, { adjustment: `m${n}` }))
            model.take(taken)
          }
          model.settle(ada.now)
          const shown = View.view(ada.state, ada.program, ada.now)
          assert.strictEqual(
            unitOf(shown, "points").posted,
            model.lots.reduce((sum, { points }) => sum + points, 0)
          )
          const listed = new Map<number, number>()
          for (const lot of model.lots) {
            const at = model.endOf(lot)
            if (at !== Infinity) listed.set(at, (listed.get(at) ?? 0) + lot.points)
          }
          assert.deepStrictEqual(
            View.expiring(shown, ada.now).map(({ amount, at }) => [at, amount]),
            [...listed].sort(([a], [b]) => a - b)
          )
          assert.strictEqual(nextDueAt(shown, ada.program), [...listed.keys()].sort((a, b) => a - b)[0] ?? null)
        }
        ada.given(expire)
        const posted = ada.ledger
          .filter(({ op }) => op === "expiration")
          .map(({ amount, at }) => [-amount, at] as const)
        const byTime = (list: ReadonlyArray<readonly [number, number]>) =>
          list.toSorted(([a, one], [b, other]) => one - other || a - b)
        assert.deepStrictEqual(byTime(posted), byTime(model.expired))
        isWhole(ada)
      }),
      { numRuns: 1000 }
    )
  })
})
