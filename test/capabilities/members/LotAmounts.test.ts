/** The original amounts of lots (contract/operators.md *One member*), over random histories. */
import { assert, describe, it } from "@effect/vitest"
import * as Shown from "../../../src/capabilities/members/Lots.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import type { Guest } from "../../journals/RandomJournals.ts"
import * as Random from "../../model/Random.ts"
import { History } from "../../reads/finance/History.ts"
import { programs } from "../../reads/finance/HistoryPrograms.ts"

const originOf = (
  guests: ReadonlyArray<Guest>,
  guest: Guest,
  n: number
): { readonly guest: Guest; readonly n: number } => {
  if (n > 0) return { guest, n }
  const by = guest.state.merged.find(({ lowest }) => n >= lowest)!
  return originOf(guests, guests.find(({ account }) => account === by.account)!, n - by.shift)
}

/** Each lot with points left, and the entry that made it. */
const lotsOf = ({ guests }: History) =>
  guests.flatMap((guest) =>
    guest.state.units.flatMap(({ lots }) =>
      Lots.toArray(lots).map(([number, left]) => {
        const origin = originOf(guests, guest, number)
        const events = origin.guest.records.flatMap((record) => record.events)
        const entry = events.find((event) => event.type === "posted" && event.n === origin.n)
        if (entry?.type !== "posted") return assert.fail(`no entry made lot ${number}`)
        return { entry, left }
      })
    )
  )

describe("lots", () => {
  it("have at most as many points left as were put into them, through merges, moves in and corrections", () => {
    let moved = 0
    for (let seed = 1; seed <= 3_000; seed++) {
      const random = Random.make(seed, "lots")
      const history = new History(random, programs[seed % programs.length]!.versions).play(random.whole(3, 16))
      for (const { entry, left } of lotsOf(history)) {
        // An order that moved with another guest: its lot may be filled later.
        if (entry.op === "accrual" && entry.earned !== undefined) continue
        assert.isAtMost(left, Shown.putInto(entry), `seed ${seed}: ${JSON.stringify(entry)}`)
        if ("counted" in entry && left < Shown.putInto(entry)) moved++
      }
    }
    assert.isAbove(moved, 100)
  })
})
