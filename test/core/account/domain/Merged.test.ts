/**
 * contract/members.md *Merging*: one member is merged into another, with
 * lots, rewards, counters and identities, both or neither.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Unit } from "../../../../src/contract/Values.ts"
import { decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "../../../../src/core/account/Codec.ts"
import type { LotShare } from "../../../../src/core/account/domain/Lots.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import { plain, unitOf } from "../../../../src/core/account/domain/State.ts"
import { makeClaimKey } from "../../../../src/core/journal/Hashing.ts"
import {
  accrue,
  adjust,
  cancel,
  capture,
  day,
  entries,
  expire,
  issue,
  manual,
  reserve,
  reverse,
  Scenario,
  second,
  start,
  status
} from "./Scenario.ts"

const claimKey = makeClaimKey("secret")
const stampsFile = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "..", "..", "rules", "program.stamps.json"), "utf8")
) as { readonly stamp_card: object }
const stamps = (resets: boolean) =>
  Testing.programOf({ ...stampsFile, stamp_card: { ...stampsFile.stamp_card, resets } })
const year = 365 * day

const ada = () => new Scenario()
const ben = () => new Scenario(Testing.demoProgram, "ben", 2)
const cem = () => new Scenario(Testing.demoProgram, "cem", 3)

const lotsOf = (one: Scenario, unit: Unit = "points"): ReadonlyArray<LotShare> =>
  Lots.toArray(unitOf(one.state, unit).lots)

/** Points by when they were earned, days after the start, and when they expire. */
const dated = (one: Scenario): ReadonlyArray<readonly [points: number, earned: number, expires: number | null]> =>
  lotsOf(one).map(([, points, expires, earned]) => [
    points,
    (earned - start) / day,
    expires === null ? null : (expires - start) / day
  ])

/** Number of the entry that brought a merged member's points. */
const broughtBy = (one: Scenario): number =>
  one.ledger.find((entry) => entry.op === "adjustment" && entry.reset === true)?.n ?? 0

/** Replay and a snapshot give the state as it is. */
const isKept = (...all: ReadonlyArray<Scenario>): void => {
  for (const one of all) {
    const state = plain(one.state)
    assert.deepStrictEqual(plain({ ...one.replayed, at: one.state.at }), state)
    const restored = decodeSnapshot(claimKey, SNAPSHOT_VERSION, encodeSnapshot(claimKey, one.state, "hash"))
    assert.deepStrictEqual(restored === undefined ? undefined : plain(restored.state), state)
    const { lots, posted } = unitOf(one.state, "points")
    assert.strictEqual(Lots.total(lots), Math.max(0, posted))
  }
}

describe("a merge moves points with their dates", () => {
  it("posts −x and +x, and spends the lots of both first in, first out", () => {
    const from = ben()
      .given(accrue("b1", 600))
      .wait(2 * day)
      .given(accrue("b2", 400))
    const into = ada().wait(day).given(accrue("a1", 500))
    const { from: gives, into: takes } = into.merge(from)
    assert.deepStrictEqual(
      [gives, takes].map(({ events }) => entries(events).map(({ amount, op, unit }) => [op, unit, amount])),
      [[["adjustment", "points", -100]], [["adjustment", "points", 100]]]
    )
    assert.deepStrictEqual(
      [from.balance(), into.balance()],
      [
        [0, 0],
        [150, 0]
      ]
    )
    assert.deepStrictEqual(dated(into), [
      [60, 0, 365],
      [50, 1, 366],
      [40, 2, 367]
    ])
    isKept(from, into)
    into.given(manual(-70))
    assert.deepStrictEqual(dated(into), [
      [40, 1, 366],
      [40, 2, 367]
    ])
    isKept(into)
  })

  it("a lot expires at its own instant, against the entry that brought it", () => {
    const from = ben().given(manual(60, { expires: start + 20 * day }))
    const into = ada().given(accrue("a1", 500))
    into.merge(from)
    const [expired] = entries(into.wait(21 * day).when(expire).events)
    assert.deepInclude(expired, { op: "expiration", amount: -60, related: broughtBy(into), at: start + 20 * day })
    assert.deepStrictEqual(dated(into), [[50, 0, 365]])
  })

  it("a hole of either is filled with the other's oldest points: the sum of both balances stays", () => {
    const owing = ben().given(accrue("b1", 500), manual(-50), adjust("b1", "full_refund", -500))
    assert.deepStrictEqual(owing.balance(), [-50, 0])
    const into = ada().given(accrue("a1", 500)).wait(day).given(accrue("a2", 500))
    into.merge(owing)
    assert.deepStrictEqual(
      [owing.balance(), into.balance()],
      [
        [0, 0],
        [50, 0]
      ]
    )
    assert.deepStrictEqual(dated(into), [[50, 1, 366]])
    const other = ada().given(accrue("a1", 500), manual(-50), adjust("a1", "full_refund", -500))
    const from = ben().given(accrue("b1", 300)).wait(day).given(accrue("b2", 300))
    other.merge(from)
    assert.deepStrictEqual(other.balance(), [10, 0])
    assert.deepStrictEqual(dated(other), [[10, 1, 366]])
    isKept(owing, into, other, from)
    const third = cem().given(accrue("c1", 100), manual(-10), adjust("c1", "full_refund", -100))
    const fourth = ben().given(accrue("b1", 100), manual(-10), adjust("b1", "full_refund", -100))
    third.merge(fourth)
    assert.deepStrictEqual(third.balance(), [-20, 0])
    assert.deepStrictEqual(lotsOf(third), [])
  })

  it("counts for no metric: counters of both are added up", () => {
    const from = ben().given(accrue("b1", 3_000), manual(50, { qualifies: true }), manual(40))
    const into = ada().given(accrue("a1", 2_000))
    into.merge(from)
    const { credited, lifetime, qualified } = unitOf(into.state, "points")
    assert.deepStrictEqual([lifetime, qualified, credited], [590, 550, 590])
    const left = unitOf(from.state, "points")
    assert.deepStrictEqual([left.lifetime, left.qualified, left.credited], [0, 0, 0])
    assert.isTrue(
      entries(into.records.at(-1)?.events ?? []).every(
        (entry) => entry.op === "adjustment" && entry.reset === true && entry.period === undefined
      )
    )
  })

  it("what qualified in an earlier tier period does not come back", () => {
    const from = ben().given(accrue("b1", 3_000)).wait(year)
    const into = ada().wait(year).given(accrue("a1", 2_000))
    into.merge(from)
    assert.deepInclude(unitOf(into.state, "points"), { lifetime: 500, qualified: 200 })
    const late = ada().given(accrue("a1", 2_000)).wait(year)
    late.merge(ben().wait(year).given(accrue("b1", 3_000)))
    assert.deepInclude(unitOf(late.state, "points"), { lifetime: 500, qualified: 300 })
  })
})

describe("what one of both had goes on under the other", () => {
  it("an order is refunded and corrected to the same numbers as without the merge", () => {
    const alone = ben().given(accrue("b1", 1_000), manual(-30))
    const from = ben().given(accrue("b1", 1_000), manual(-30))
    const into = ada().wait(day).given(accrue("a1", 300))
    into.merge(from)
    alone.wait(day)
    for (const change of [adjust("b1", "partial_refund", -400), adjust("b1", "correction", 700)]) {
      const [adjustment] = entries(into.when(change).events)
      assert.strictEqual(adjustment?.amount, entries(alone.when(change).events)[0]?.amount)
      isKept(into)
    }
    assert.deepStrictEqual(into.balance(), [alone.balance()[0] + 30, 0])
    into.given(adjust("b1", "full_refund", 0), adjust("a1", "full_refund", 0))
    assert.deepStrictEqual(into.balance(), [-30, 0])
    into.refuses(adjust("b1", "correction", 100), "invalid_state")
    assert.deepInclude(into.ledger.at(-2), { related: broughtBy(into), order: "b1" })
  })

  it("a clawback takes the order's own lot, whoever earned at the same instant", () => {
    const from = ben().given(accrue("b1", 600), accrue("b2", 500))
    const into = ada().given(accrue("a1", 400))
    into.merge(from)
    into.given(adjust("b2", "partial_refund", -300)).wait(year)
    into.given(expire)
    assert.deepStrictEqual(into.balance(), [0, 0])
    // 20 of b2's points were left to expire: a refund of all posts nothing more, and neither does one of b1's or a1's.
    for (const order of ["b2", "b1", "a1"]) into.given(adjust(order, "full_refund", 0))
    assert.deepStrictEqual(into.balance(), [0, 0])
  })

  it("a captured reservation is reversed: its lots come back with their dates", () => {
    const from = ben()
      .given(manual(60, { expires: start + 20 * day }))
      .wait(day)
      .given(manual(60))
    from.given(reserve(1), capture(1)).wait(day)
    const into = ada()
      .wait(2 * day)
      .given(accrue("a1", 300))
    into.merge(from)
    assert.deepStrictEqual(into.decide(capture(1)), { _tag: "DoneBefore", seq: 5, account: 2 })
    const [reversal] = entries(into.when(reverse(1)).events)
    assert.deepInclude(reversal, { op: "reversal", amount: 100, related: broughtBy(into) })
    assert.deepStrictEqual(dated(into), [
      [60, 0, 20],
      [60, 1, 366],
      [30, 2, 367]
    ])
    isKept(into)
    assert.deepStrictEqual(into.decide(reverse(1)), { _tag: "DoneBefore", seq: into.state.seq })
  })

  it("open wallet rewards go along, and used ones come back with their reversal", () => {
    const from = ben().given(
      issue("open", { expires: start + 9 * day }),
      issue("used"),
      issue("gone"),
      cancel("gone"),
      reserve(1, { issued: "used" }),
      capture(1)
    )
    const into = ada().given(issue("own"))
    const { from: gives } = into.merge(from)
    assert.deepStrictEqual(
      gives.events.filter(({ type }) => type.startsWith("reward_")).map((event) => "issued" in event && event.issued),
      ["open"]
    )
    const wallet = () => into.state.rewards.map(({ at, issued, n, status }) => [issued, n, status, at - start])
    assert.deepStrictEqual(wallet(), [
      ["own", 1, "issued", 0],
      ["open", 2, "issued", 0]
    ])
    assert.isFalse(from.state.rewards.some((reward) => reward.status === "issued"))
    assert.deepStrictEqual(into.decide(cancel("gone")), { _tag: "DoneBefore", seq: 5, account: 2 })
    into.given(reverse(1), reserve(2, { issued: "used" }), reserve(3, { issued: "open" }), capture(2), capture(3))
    isKept(from, into)
    const expiring = ada()
    expiring.merge(ben().given(issue("open", { expires: start + 9 * day })))
    assert.deepInclude(expiring.wait(10 * day).when(expire).events[0], { type: "reward_expired", issued: "open" })
  })

  it("identities go along in their order", () => {
    const into = ada()
    const from = ben().given({ type: "change_identities", add: ["ben's card"], remove: [] })
    into.merge(from)
    assert.deepStrictEqual(into.state.identities, ["ada's", "ben's", "ben's card"])
    assert.deepStrictEqual(from.state.identities, [])
  })

  it("an order may name either member", () => {
    const into = ada()
    into.merge(ben())
    into.given(accrue("1", 500, { member_id: "ben" }), accrue("2", 500, { member_id: "ada" }))
    into.refuses(accrue("3", 500, { member_id: "cem" }), "conflict")
  })

  it("through a chain of merges, and with the points of several", () => {
    const [a, b, c] = [ada(), ben(), cem()]
    a.given(accrue("a1", 600), manual(200), reserve(1), capture(1)).wait(day)
    b.wait(day).given(accrue("b1", 500), accrue("b2", 100))
    b.merge(a)
    b.given(adjust("a1", "partial_refund", -100)).wait(day)
    const other = new Scenario(Testing.demoProgram, "dee", 4).given(accrue("d1", 700))
    c.wait(2 * day).given(accrue("c1", 100))
    c.merge(other)
    c.merge(b)
    assert.deepStrictEqual(c.balance(), [60 + 200 - 100 - 10 + 50 + 10 + 70 + 10, 0])
    isKept(a, b, c)
    c.given(reverse(1), adjust("a1", "correction", 100), adjust("d1", "full_refund", 0))
    assert.deepStrictEqual(c.balance(), [60 + 200 + 50 + 10 + 10, 0])
    for (const order of ["a1", "b1", "b2", "c1"]) c.given(adjust(order, "full_refund", 0))
    assert.deepStrictEqual(c.balance(), [200, 0])
    isKept(c)
    assert.deepStrictEqual(a.state.mergedInto, { account: 2, member: "ben", seq: 4 })
    assert.deepStrictEqual(b.state.mergedInto?.member, "cem")
  })
})

describe("stamp cards", () => {
  const cardsOf = (program: Scenario["program"]) => {
    const from = new Scenario(program, "ben", 2).given(manual(15, { unit: "stamps" }))
    const into = new Scenario(program).given(manual(7, { unit: "stamps" }))
    const { into: takes } = into.merge(from)
    isKept(from, into)
    const issued = takes.events.flatMap((event) => (event.type === "reward_issued" ? [event.card] : []))
    return { into, issued, takes }
  }

  it("a card that the stamps of both fill is issued at once, and none twice", () => {
    const { into, issued, takes } = cardsOf(stamps(false))
    assert.deepStrictEqual([issued, takes.cards.length, into.balance("stamps")], [[2], 1, [22, 0]])
    assert.deepStrictEqual(into.when(manual(7, { unit: "stamps" })).cards, [])
    assert.strictEqual(into.when(manual(1, { unit: "stamps" })).cards.length, 1)
  })

  it("a card that resets takes its stamps", () => {
    const { into, issued } = cardsOf(stamps(true))
    assert.deepStrictEqual([issued, into.balance("stamps")], [[2], [2, 0]])
  })
})

describe("a merge is refused", () => {
  const refused = (from: Scenario, into: Scenario) => {
    const before = [plain(from.state), plain(into.state)]
    assert.deepInclude(into.decideMerge(from), { _tag: "Refusal", code: "invalid_state" })
    assert.deepStrictEqual([plain(from.state), plain(into.state)], before)
  }

  it("while either has an open hold, and not once it has ended", () => {
    const held = () => ben().given(manual(200), reserve(1))
    refused(held(), ada())
    const into = ada().given(manual(200), reserve(1))
    refused(ben(), into)
    into.wait(121 * second).merge(held())
    assert.deepStrictEqual(into.balance(), [400, 0])
  })

  it("where either is closed", () => {
    refused(ben().given(status("closed")), ada())
    refused(ben(), ada().given(status("closed")))
    ada().merge(ben().given(status("suspended")))
  })

  it("once more, and back", () => {
    const [a, b] = [ada(), ben()]
    a.merge(b)
    refused(b, a)
    refused(a, b)
    refused(b, cem())
    refused(cem(), b)
    b.refuses(status("active"), "invalid_state")
    b.refuses(status("closed"), "invalid_state")
    b.refuses({ type: "change_identities", add: ["new"], remove: [] }, "invalid_state")
    cem().merge(a)
  })

  it("in a retired programme", () => {
    const retired = { ...Testing.demoProgram, isRetired: true }
    assert.deepInclude(ada().under(retired).decideMerge(ben()), { _tag: "Refusal", code: "program_retired" })
  })

  it("where an amount would leave the exact range", () => {
    const most = Number.MAX_SAFE_INTEGER
    refused(ben().having(most), ada().given(manual(1)))
    // Redeemed points still count in the metrics.
    refused(ben().having(most).given(reserve(1), capture(1)), ada().given(manual(50)))
  })

  it("where the member would have too many identities", () => {
    const many = (prefix: string) => Array.from({ length: 60 }, (_, n) => `${prefix}${n}`)
    const into = ada().given({ type: "change_identities", add: many("a"), remove: [] })
    refused(ben().given({ type: "change_identities", add: many("b"), remove: [] }), into)
  })
})
