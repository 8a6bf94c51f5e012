/** Records that 0.3.0 wrote are in the sums of finance as any other (contract/finance.md *Roll-forward*, *Places*). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import { initialState } from "../../../src/core/account/domain/State.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import { fold } from "../../core/account/domain/Scenario.ts"
import * as Journals from "../../journals/Journals.ts"
import * as Expected from "./Expected.ts"
import { Memory, type MemoryRecord } from "./Memory.ts"

const { definitions, journals } = Journals.read("0.3.0")
const zones = definitions.map((versions) => versions.map((json) => Journals.programOf(json).zone))

const memory = new Memory(
  zones.flatMap((own, place) => own.map((zone, version) => ({ program: `${place}`, version: version + 1, zone })))
)

/** The records of a journal by their time, and the last state of each account. */
const recordsOf = ({ accounts, programs }: Journals.Journal) => {
  const states = new Map<number, State>()
  const records = accounts.flatMap(({ account, records }) => {
    let state = initialState
    return records.map(({ events, program: version }, place): MemoryRecord => {
      state = fold(state, { events, seq: place + 1 })
      states.set(account, state)
      return {
        account,
        at: Math.max(...events.map(({ at }) => at)),
        events,
        program: `${programs}`,
        seq: place + 1,
        version
      }
    })
  })
  return { records: records.toSorted((one, other) => one.at - other.at), states }
}

const sumBy = (
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  nameOf: (row: Readonly<Record<string, unknown>>) => string
) => Expected.byLine(rows.map((row) => ({ line: nameOf(row), points: Number(row["points"]) })))

it.effect("balances, lots of months and what is below zero are those of the states", () =>
  Effect.gen(function* () {
    const finance = Context.get(yield* Layer.build(memory.layer), Finance)
    const lines = new Set<unknown>()
    for (const [place, journal] of journals.entries()) {
      const { records, states } = recordsOf(journal)
      memory.open(records)
      yield* finance.catchUp({ limit: 7 })
      const balances = [...states.values()].flatMap(({ units }) => units)
      const ofUnits = (points: (balance: (typeof balances)[number]) => number) =>
        Expected.byLine(balances.map((balance) => ({ line: balance.unit, points: points(balance) })))
      const days = memory.days.rows.filter(({ span }) => Number(span) === 1)
      for (const { line } of days) lines.add(line)
      const isBalance = ({ line }: Readonly<Record<string, unknown>>) => !String(line).match(/_here$|^below_zero$/)
      const of = ({ unit }: Readonly<Record<string, unknown>>) => String(unit)
      assert.deepStrictEqual(
        sumBy(days.filter(isBalance), of),
        ofUnits(({ posted }) => posted),
        `journal ${place}`
      )
      assert.deepStrictEqual(
        sumBy(
          days.filter(({ line }) => line === "below_zero"),
          of
        ),
        ofUnits(({ posted }) => Math.min(0, posted)),
        `journal ${place}`
      )
      assert.deepStrictEqual(
        sumBy(memory.cohorts.rows, of),
        ofUnits(({ lots }) => Lots.total(lots)),
        `journal ${place}`
      )
    }
    for (const line of ["base", "promotions", "orders_up", "redeemed", "given_back", "expired", "card_resets"])
      assert.isTrue(lines.has(line), line)
  })
)
