/** The fault kit's own check of contract/engagement.md *Triggers*: it finds what is lost, doubled and wrong. */
import { assert, describe, it } from "@effect/vitest"
import type { Credit, Guest } from "./Automations.ts"
import { expected, faultsOf } from "./Automations.ts"

/** Four friends of a referrer, one member who is its own, and one without. */
const guests: ReadonlyArray<Guest> = [
  { member: "r", referredBy: undefined, orders: [] },
  ...["a", "b", "c", "d"].map((member) => ({ member, referredBy: "r", orders: [500, 1_000, 1_500] })),
  { member: "own", referredBy: "own", orders: [500] },
  { member: "none", referredBy: undefined, orders: [1_500] }
]
const reports = new Map([...expected(guests)].map(([id, { report }]) => [id, report]))
const credits: ReadonlyArray<Credit> = [...expected(guests)].flatMap(([campaign, { given }]) =>
  [...given].flatMap(([member, count]) =>
    Array.from({ length: count }, (_, n) => ({ member, campaign, adjustment: `${campaign}-${member}-${n}` }))
  )
)

describe("the check of automations", () => {
  it("expects what each trigger gives", () => {
    assert.deepStrictEqual(
      [...reports].map(([id, { issued, skipped }]) => [id, issued, ...skipped.map(({ code, count }) => [code, count])]),
      [
        ["first-order", 6, ["already_reached", 8]],
        ["large-order", 9],
        ["twice", 10, ["frequency_reached", 4]],
        ["referrer", 3, ["frequency_reached", 1], ["no_referrer", 1], ["own_referrer", 1]]
      ]
    )
    assert.deepStrictEqual(faultsOf(guests, reports, credits), [])
  })

  it("finds a credit that is missing, given twice, beyond the frequency, or of another member", () => {
    assert.deepStrictEqual(faultsOf(guests, reports, credits.slice(1)), [
      "lost: first-order a was given 0 times, not 1"
    ])
    const more = (member: string, campaign: string) => [...credits, { member, campaign, adjustment: "more" }]
    const doubled = (member: string, campaign: string) => faultsOf(guests, reports, more(member, campaign))
    assert.deepStrictEqual(doubled("a", "first-order"), ["doubled: first-order a was given 2 times, not 1"])
    assert.deepStrictEqual(doubled("r", "referrer"), ["doubled: referrer r was given 4 times, not 3"])
    assert.deepStrictEqual(doubled("r", "twice"), ["doubled: twice r was given 1 times, not 0"])
  })

  it("finds a report that counts another outcome than the orders have", () => {
    const [[id = "", report] = []] = reports
    if (report === undefined) throw new Error("there is a campaign")
    const faults = faultsOf(guests, new Map([...reports, [id, { ...report, issued: report.issued + 1 }]]), credits)
    assert.lengthOf(faults, 1)
    assert.match(faults[0] ?? "", /^wrong: first-order reports .*"issued":7/)
  })
})
