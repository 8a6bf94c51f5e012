/** The model must be able to find fault: with a service that loses, doubles, forgets or invents. */
import { assert, describe, it } from "@effect/vitest"
import { order } from "../../src/app/testing/Testing.ts"
import type { Entry } from "./Guest.ts"
import { Guest } from "./Guest.ts"
import type { Exchange } from "./History.ts"

const program_id = "demo-foodservice"
const member_id = "ada"
const at = "2026-07-14T10:00:00.000Z"

const context = (request_id: string) =>
  ({ protocol_version: "1.0", profile: "foodservice/1.0", request_id, processed_at: at }) as const

const balances = (amount: number, reserved = 0) => [
  {
    account_id: "points:ada",
    member_id,
    program_id,
    unit: "points" as const,
    amount,
    reserved,
    available: amount - reserved,
    as_of: at
  }
]

const entry = (n: number, amount: number, facts: Partial<Entry>): Entry => ({
  entry_id: `ent_1_${n}`,
  member_id,
  program_id,
  account_id: "points:ada",
  operation: "accrual",
  unit: "points",
  amount,
  occurred_at: at,
  ...facts
})

const sent = { attempts: 1, sentAt: Date.parse(at), answeredAt: Date.parse(at) } as const

const enrolled: Exchange = {
  ...sent,
  operation: "member.enroll",
  payload: { program_id, member_id, identity: { type: "loyalty_id", value: "card", issuer: "x" } },
  key: "key-enrol",
  answer: {
    status: 201,
    body: {
      context: context("r-1"),
      member: { member_id, program_id, status: "active", joined_at: at, identities: [] },
      balances: balances(0)
    }
  }
}

const earned = (n: number, balance: number, points = 100): Exchange => ({
  ...sent,
  operation: "accrual.post",
  payload: { member_id, order: order(`order-${n}`, 1_000) },
  key: `key-earn-${n}`,
  answer: {
    status: 201,
    body: {
      context: context(`r-${n}`),
      entry: entry(n, points, { order_id: `order-${n}` }),
      balances: balances(balance)
    }
  }
})

const debited = (amount: number, answer: Exchange["answer"]): Exchange =>
  ({
    ...sent,
    operation: "ledger.manual_adjustment",
    payload: {
      member_id,
      program_id,
      adjustment_id: "adjustment-1",
      amount,
      classification: "gift",
      reason: "test",
      qualifies_for_tier: false
    },
    key: "key-debit",
    answer
  }) as Exchange

const guestAfter = (...exchanges: ReadonlyArray<Exchange>): Guest => {
  const guest = new Guest(member_id)
  for (const exchange of exchanges) guest.take(exchange)
  return guest
}

const ledger = [entry(2, 100, { order_id: "order-2" }), entry(1, 100, { order_id: "order-1" })]

/** The model's ledger after two accruals. */
const faultsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const guest = guestAfter(enrolled, earned(1, 100), earned(2, 200))
  guest.checkLedger(entries)
  return guest.faults
}

describe("the model of the contract", () => {
  it("finds nothing wrong where nothing is", () => {
    assert.deepStrictEqual(faultsOf(ledger), [])
  })

  it("finds a lost entry, a doubled one, an unexplained one, and several together", () => {
    assert.deepStrictEqual(faultsOf(ledger.slice(1)), ["lost: accrual 100 order-2"])
    const again = entry(3, 100, { order_id: "order-2" })
    assert.deepStrictEqual(faultsOf([again, ...ledger]), ["doubled: accrual 100 order-2"])
    assert.deepStrictEqual(faultsOf([entry(3, 5, { operation: "manual", adjustment_id: "x" }), ...ledger]), [
      "doubled: manual 5 x"
    ])
    assert.deepStrictEqual(faultsOf([again, ledger[0]!]).toSorted(), [
      "doubled: accrual 100 order-2",
      "lost: accrual 100 order-1"
    ])
  })

  it("finds entries out of order, with other ids, and changed since", () => {
    assert.isAbove(faultsOf(ledger.toReversed()).length, 0)
    assert.isAbove(faultsOf([{ ...ledger[0]!, entry_id: "ent_1_9" }, ledger[1]!]).length, 0)
    assert.isAbove(faultsOf([{ ...ledger[0]!, location_id: "elsewhere" }, ledger[1]!]).length, 0)
    assert.deepStrictEqual(faultsOf([{ ...ledger[0]!, amount: 99 }, ledger[1]!]), [
      "lost: accrual 100 order-2",
      "doubled: accrual 99 order-2"
    ])
  })

  it("finds a wrong balance, wrong points, and a refusal without a reason", () => {
    assert.lengthOf(guestAfter(enrolled, earned(1, 101)).faults, 1)
    assert.lengthOf(guestAfter(enrolled, earned(1, 99, 99)).faults, 2)
    assert.lengthOf(guestAfter(enrolled, { ...earned(1, 100), answer: { status: 409, code: "conflict" } }).faults, 1)
    const refused = debited(-101, { status: 409, code: "insufficient_balance" })
    assert.deepStrictEqual(guestAfter(enrolled, earned(1, 100), refused).faults, [])
    assert.lengthOf(guestAfter(enrolled, earned(1, 100), { ...refused, ...debited(-100, refused.answer) }).faults, 1)
  })

  it("finds a key that did something twice", () => {
    const first = earned(1, 100)
    const replayed = { ...first, answer: { ...first.answer, body: { ...bodyOf(first), context: context("r-9") } } }
    assert.deepStrictEqual(guestAfter(enrolled, first, replayed as Exchange).faults, [])
    const twice = { ...earned(1, 200), key: first.key }
    assert.lengthOf(guestAfter(enrolled, first, twice).faults, 1)
    // Neither the first entry nor the balance of now.
    assert.lengthOf(guestAfter(enrolled, first, { ...twice, key: "key-another" }).faults, 2)
  })
})

const bodyOf = ({ answer }: Exchange): object => ("body" in answer ? answer.body : {})
