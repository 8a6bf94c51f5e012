/** Journals that earlier versions wrote keep their meaning: they fold to the states that those versions had. */
import { assert, describe, it } from "@effect/vitest"
import type { OrderAdjustment } from "../../src/contract/protocol/Order.ts"
import type { Unit } from "../../src/contract/Values.ts"
import type { Action } from "../../src/core/account/domain/Action.ts"
import { decide } from "../../src/core/account/domain/Decide.ts"
import { nextDueAt } from "../../src/core/account/domain/Due.ts"
import type { State } from "../../src/core/account/domain/State.ts"
import { initialState, unitOf } from "../../src/core/account/domain/State.ts"
import type { Program } from "../../src/core/rules/Program.ts"
import { fold, type Past, recalledFor } from "../core/account/domain/Scenario.ts"
import type { Json } from "../core/rules/Builders.ts"
import * as Journals from "./Journals.ts"

/** Parts of `found` that `expected` has, too; `found` may have more fields. */
const known = (found: unknown, expected: unknown): unknown => {
  if (Array.isArray(found) && Array.isArray(expected)) return found.map((one, place) => known(one, expected[place]))
  if (typeof found !== "object" || typeof expected !== "object" || found === null || expected === null) return found
  const fields = found as Json
  return Object.fromEntries(Object.entries(expected).map(([name, field]) => [name, known(fields[name], field)]))
}

const holds = (found: unknown, expected: unknown, detail: string): void =>
  assert.deepStrictEqual(known(JSON.parse(JSON.stringify(found)), expected), expected, detail)

const fresh = Journals.fieldsOf(initialState)

/** Folds an account's records, and compares state and due instant after each of them. */
const replayed = ({ account, records }: Journals.JournalAccount, programs: ReadonlyArray<Program>, of: string) => {
  let state = initialState
  let expected: Json = {}
  for (const [place, { changed, due, events, program }] of records.entries()) {
    const detail = `${of}, account ${account}, record ${place + 1}`
    state = fold(state, { events, seq: place + 1 })
    assert.strictEqual(nextDueAt(state, programs[program]), due, detail)
    if (changed === undefined) continue
    expected = { ...expected, ...changed }
    const found = Journals.fieldsOf(state)
    holds(found, expected, detail)
    for (const name of Object.keys(found))
      if (!(name in expected)) assert.deepStrictEqual(found[name], fresh[name], `${detail}: ${name} is new`)
  }
  return state
}

const pastOf = ({ accounts }: Journals.Journal, number: number): Past => {
  const { account, merged, records } = accounts.find((one) => one.account === number)!
  return {
    account,
    records: records.map(({ events }, place) => ({ events, seq: place + 1 })),
    merged: merged.map((one) => pastOf({ accounts } as Journals.Journal, one))
  }
}

/** Metrics of an order on each account of the guest, by its records; undefined if it accrued there twice. */
const inMetrics = (past: Past, order: string): Record<string, number> | undefined => {
  const sums: Record<string, number> = {}
  for (const { events } of allOf(past)) {
    for (const event of events) {
      if (event.type !== "posted" || (event.op !== "accrual" && event.op !== "adjustment")) continue
      if (event.order !== order) continue
      const { amount, op, unit } = event
      if (op === "accrual" && sums[unit] !== undefined) return undefined
      sums[unit] = (sums[unit] ?? 0) + (op === "adjustment" ? (event.counts ?? amount) : amount)
    }
  }
  return sums
}

/** All records, those of merged members first. */
const allOf = ({ merged, records }: Past): Past["records"] => [...merged.flatMap(allOf), ...records]

const lifetimeOf = (state: State, unit: string): number => unitOf(state, unit as Unit).lifetime

const refunded = (original_order_id: string): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: "refund",
    original_order_id,
    type: "full_refund",
    reason: "test",
    occurred_at: "2026-07-14T10:00:00Z",
    order_total_delta: { amount: 0, currency: "USD" },
    eligible_spend_delta: { amount: 0, currency: "USD" }
  }
})

describe.each(["0.3.0"])("journals that %s wrote", (version) => {
  const { definitions, journals } = Journals.read(version)
  const all = definitions.map((versions) => versions.map(Journals.programOf))

  it("fold to the same states, which are due at the same instants, and so do their orders", () => {
    for (const [place, journal] of journals.entries()) {
      const states = new Map(
        journal.accounts.map((one) => [one.account, replayed(one, all[journal.programs]!, `journal ${place}`)])
      )
      for (const [account, order] of journal.orders) {
        const adjustment = { original_order_id: order.order } as OrderAdjustment
        const past = pastOf(journal, account)
        const recalled = recalledFor(states.get(account)!, { type: "adjust_order", adjustment }, past)
        holds(recalled.order, order, `journal ${place}, order ${order.order}`)
      }
    }
  })

  it("leave nothing in metrics of an order that is refunded now, whatever its earlier adjustments counted", () => {
    let [adjusted, mended] = [0, 0]
    for (const [place, journal] of journals.entries()) {
      const program = all[journal.programs]!.at(-1)!
      for (const [account, { order }] of journal.orders) {
        const past = pastOf(journal, account)
        const before = inMetrics(past, order)
        if (before === undefined) continue
        const state = past.records.reduce(fold, initialState)
        const action = refunded(order)
        const recalled = recalledFor(state, action, past)
        const cards = Array.from({ length: 20 }, (_, n) => ({ issued: `new-${n}`, code: `NEW-${n}` }))
        const decision = decide(state, action, { now: state.at, program, recalled, cards })
        const detail = `journal ${place}, order ${order}`
        if (decision._tag !== "Decided") throw new Error(`${detail}: ${JSON.stringify(decision)}`)
        const after = { ...past, records: [...past.records, { events: decision.events, seq: state.seq + 1 }] }
        const left = inMetrics(after, order) ?? {}
        for (const [unit, counted] of Object.entries(before)) {
          assert.strictEqual(left[unit], 0, `${detail}: ${unit}`)
          const changed = lifetimeOf(decision.state, unit) - lifetimeOf(state, unit)
          assert.strictEqual(changed, 0 - counted, `${detail}: lifetime of ${unit}`)
          adjusted++
          if (counted !== 0 && recalled.order?.closed === true) mended++
        }
      }
    }
    assert.isAbove(adjusted, 500)
    assert.isAbove(mended, 10, "orders that 0.3.0 closed and went on counting")
  })
})
