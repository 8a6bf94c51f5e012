/** Stamp cards whose unit or threshold a publication changes (contract/points.md *Stamp cards*). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { ProgramFile } from "../../../../src/contract/ProgramFile.ts"
import { plain } from "../../../../src/core/account/domain/State.ts"
import { inForceAs, type Program } from "../../../../src/core/rules/Program.ts"
import { accrue, adjust, day, manual, Scenario, start } from "./Scenario.ts"

const folder = path.join(import.meta.dirname, "..", "..", "rules")
const stamps: ProgramFile = JSON.parse(fs.readFileSync(path.join(folder, "program.stamps.json"), "utf8"))
const { stamp_card: ofStamps, ...without } = stamps
if (ofStamps === undefined) throw new Error("the programme of stamps has a card")
const card = { ...ofStamps, resets: false }

type Card = typeof card | undefined
const visits = [
  ...stamps.accounts.filter(({ unit }) => unit === "stamps"),
  { unit: "visits", unit_label: "Visits", is_primary: false } as const
]

/** The programme after so many publications, one each day: its card is that of the last. */
const carded = (...cards: ReadonlyArray<Card>): Program => {
  const last = cards.at(-1)
  const account_earning = [
    { unit: "stamps", mode: "per_order", amount: 1, multiplier_eligible: false },
    { unit: "visits", mode: "per_order", amount: 1, multiplier_eligible: false }
  ] as const
  const file = { ...without, accounts: visits, account_earning }
  const versions = cards.map((stampCard, n) => ({ publishedAt: n === 0 ? 0 : start + n * day, stampCard }))
  return inForceAs(Testing.programOf(last === undefined ? file : { ...file, stamp_card: last }), versions, false)
}

const of = (threshold: number, unit: "stamps" | "visits" = "stamps"): typeof card => ({ ...card, unit, threshold })

let orders = 0
const visit = () => accrue(`v${orders++}`, 400, {}, "coffee-stamps")

/** How many rewards each visit issues. */
const issued = (ada: Scenario, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, () => ada.when(visit()).events.filter(({ type }) => type === "reward_issued").length)

const visitor = (program: Program, count: number): Scenario => {
  const ada = new Scenario(program)
  issued(ada, count)
  return ada
}

/** The cards of accounts before records said which card they count. */
const unsaid = (ada: Scenario): Scenario => {
  for (const [index, { events, seq }] of ada.records.entries()) {
    const before = events.map((event) => {
      if (event.type !== "posted") return event
      const { card: _, ...rest } = event
      return rest
    })
    ada.records[index] = { seq, events: before }
  }
  ada.state = ada.replayed
  return ada
}

describe.each([
  ["as records say", (ada: Scenario) => ada],
  ["of before records said it", unsaid]
])("a changed card, %s", (_, recorded) => {
  it("issues nothing by itself: what a lower threshold would have filled is taken as filled", () => {
    const ada = recorded(visitor(carded(of(10)), 9))
      .wait(day)
      .under(carded(of(10), of(2)))
    assert.deepStrictEqual(issued(ada, 5), [1, 0, 1, 0, 1])
    assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
  })

  it("a higher threshold fills by all that was credited", () => {
    const ada = recorded(visitor(carded(of(2)), 9))
      .wait(day)
      .under(carded(of(2), of(10)))
    assert.deepStrictEqual(issued(ada, 11), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  })

  it("another unit takes what was credited of it as filled", () => {
    const ada = recorded(visitor(carded(of(5)), 9))
      .wait(day)
      .under(carded(of(5), of(3, "visits")))
    assert.deepStrictEqual(issued(ada, 4), [0, 0, 1, 0])
  })

  it("a first card does so too, and one that comes back", () => {
    assert.deepStrictEqual(
      issued(
        recorded(visitor(carded(undefined), 9))
          .wait(day)
          .under(carded(undefined, of(2))),
        3
      ),
      [1, 0, 1]
    )
    const ada = recorded(visitor(carded(of(2)), 3))
      .wait(day)
      .under(carded(of(2), undefined))
    assert.deepStrictEqual(issued(ada, 6), [0, 0, 0, 0, 0, 0])
    ada.wait(day).under(carded(of(2), undefined, of(2)))
    assert.deepStrictEqual(issued(ada, 3), [1, 0, 1])
  })

  it("whatever happens between publication and the next credit issues nothing", () => {
    const ada = recorded(visitor(carded(of(10)), 9))
      .wait(day)
      .under(carded(of(10), of(2)))
    const { events } = ada.when({
      type: "issue_reward",
      issued: "gift",
      reward: "free-coffee",
      artifact: { type: "code", value: "c" }
    })
    assert.lengthOf(events, 1)
    assert.deepStrictEqual(issued(ada.wait(day), 3), [1, 0, 1])
  })
})

describe("a card that is the same", () => {
  it("goes on where it was: another reward or lifetime is no other card", () => {
    const same = { ...of(10), reward_ttl_seconds: 60 }
    const ada = visitor(carded(of(10)), 9)
      .wait(day)
      .under(carded(of(10), same))
    assert.deepStrictEqual(issued(ada, 2), [1, 0])
  })

  it("stamps of a filled card that a refund took are earned again first, also for the new card", () => {
    const ada = visitor(carded(of(4)), 3)
    ada.given(accrue("last", 400, {}, "coffee-stamps"), adjust("last", "void", -400))
    ada.wait(day).under(carded(of(4), of(2)))
    // Three of four are left; two cards of two count as filled.
    assert.deepStrictEqual(issued(ada, 4), [0, 0, 1, 0])
  })

  it("members who enrol later know no other", () => {
    const changed = carded(of(10), of(2))
    const ada = new Scenario(changed)
    ada.now = start + 2 * day
    assert.deepStrictEqual(issued(ada, 3), [0, 1, 0])
  })

  it("a merge adds up the cards that each would have filled", () => {
    const [ada, ben] = [visitor(carded(of(10)), 5), new Scenario(carded(of(10)), "ben", 2)]
    issued(ben, 5)
    ada.wait(day).under(carded(of(10), of(2)))
    ben.under(ada.program)
    const { into } = ada.merge(ben)
    // Two cards and a stamp each: the merge fills a fifth card, and no other.
    assert.lengthOf(
      into.events.filter(({ type }) => type === "reward_issued"),
      1
    )
    assert.deepStrictEqual(issued(ada, 3), [0, 1, 0])
    assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
  })
})

it("after any publications, a credit issues at most what it fills by itself and what was open", () => {
  const step = fc.oneof(
    fc.record({ stamps: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ threshold: fc.integer({ min: 1, max: 12 }) })
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const cards = [of(10)]
      const ada = new Scenario(carded(...cards))
      let credited = 0
      for (const [n, one] of steps.entries()) {
        ada.wait(day)
        if ("threshold" in one) {
          cards.push(of(one.threshold))
          // One publication a day: those that change nothing too.
          while (start + cards.length * day <= ada.now) cards.push(of(one.threshold))
          ada.under(carded(...cards))
          continue
        }
        const { threshold } = cards.at(-1)!
        const { events } = ada.when(manual(one.stamps, { unit: "stamps", adjustment: `m${n}` }))
        const rewards = events.filter(({ type }) => type === "reward_issued").length
        const wanted = Math.floor((credited + one.stamps) / threshold) - Math.floor(credited / threshold)
        assert.strictEqual(rewards, wanted)
        credited += one.stamps
      }
    })
  )
})
