/** Journals that earlier versions wrote keep their meaning: they fold to the states that those versions had. */
import { assert, describe, it } from "@effect/vitest"
import { nextDueAt } from "../../src/account/domain/Due.ts"
import { initialState } from "../../src/account/domain/State.ts"
import type { OrderAdjustment } from "../../src/contract/protocol/Order.ts"
import type { Program } from "../../src/program/Program.ts"
import type { Json } from "../program/Builders.ts"
import { fold, type Past, recalledFor } from "../account/domain/Scenario.ts"
import * as Journals from "./Journals.ts"

/** What `found` has of everything that `expected` has; it may have more fields. */
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
})
