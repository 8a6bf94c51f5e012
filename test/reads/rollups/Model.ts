/**
 * Expected answers of the operators' reads, counted anew for each question from
 * every record: what the reads of tables are held against, and what serves the
 * service in memory.
 */
import { Effect, Layer, Option } from "effect"
import { MemoryStorage } from "../../../src/core/journal/MemoryJournal.ts"
import type { StoredRecord } from "../../../src/core/journal/Records.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { Change, read } from "../../../src/reads/rollups/Change.ts"
import * as Ladder from "../../../src/reads/rollups/Ladder.ts"
import type { Kind } from "../../../src/reads/rollups/RollupReads.ts"
import { RollupReads } from "../../../src/reads/rollups/RollupReads.ts"
import type { Sum } from "../../../src/reads/rollups/Sums.ts"
import { quarterOf } from "../../../src/reads/rollups/Sums.ts"

export interface Journalled {
  readonly records: ReadonlyArray<StoredRecord>
  readonly programs: ReadonlyArray<Program>
}

export const countedOf = ({ programs, records }: Journalled): Change => {
  const ladders = new Map(programs.map((program) => [program.id, Ladder.ladderOf(program)]))
  const change = new Change(new Map(), (program) => ladders.get(program) ?? Ladder.none)
  for (const record of records) change.record(read(record))
  return change
}

/** The sums of a table's rows that are wanted, column by column. */
const total = (sums: Sum, isWanted: (key: ReadonlyArray<string>) => boolean): ReadonlyArray<number> => {
  const columns: Array<number> = []
  for (const [name, amounts] of sums) {
    if (!isWanted(name.split("\u0000"))) continue
    for (const [place, amount] of amounts.entries()) columns[place] = (columns[place] ?? 0) + Number(amount)
  }
  return columns
}

/** The orders of a programme and a range that count, and their spend net of refunds. */
const salesOf = (change: Change, program: string, range: { readonly start: number; readonly end: number }) => {
  const { adjusted, orders } = change.orders.toJson()
  const changes = new Map(adjusted.map((one) => [`${one.account} ${one.order_id}`, one]))
  let [count, eligibleSpend] = [0, 0]
  for (const { account, accrued, at, order_id, program_id } of orders) {
    const { closes = false, delta = 0 } = changes.get(`${account} ${order_id}`) ?? {}
    const left = accrued + delta
    if (program_id !== program || at < range.start || at >= range.end || closes || (accrued > 0 && left <= 0)) continue
    count++
    eligibleSpend += Math.max(0, left)
  }
  return { orders: count, eligibleSpend }
}

export const modelOf = (journalled: () => Journalled): RollupReads["Service"] => {
  const kindsIn = (wanted: ReadonlyArray<string> | undefined): ReadonlyArray<Kind> => {
    const kinds = new Map<string, Kind>()
    for (const { program, status, tier } of countedOf(journalled()).members.values()) {
      const name = JSON.stringify([program, status, tier])
      if (wanted?.includes(program) === false) continue
      kinds.set(name, { program, status, tier, members: (kinds.get(name)?.members ?? 0) + 1 })
    }
    return [...kinds.values()]
  }
  return {
    kinds: (programs) => Effect.sync(() => kindsIn(programs)),
    asOf: () => Effect.succeed(undefined),
    figures: ({ day, expiring, primaryUnit, program }) =>
      Effect.sync(() => {
        const change = countedOf(journalled())
        const { sums } = change
        const units = new Set([...sums.rollup_points.keys()].map((name) => name.split("\u0000")[1] ?? ""))
        const [, , issued = 0, redeemed = 0, reversed = 0, expired = 0, adjusted = 0] = total(
          sums.rollup_activity,
          ([of, unit, location, quarter]) =>
            of === program &&
            unit === primaryUnit &&
            location === "" &&
            Number(quarter) >= day.start &&
            Number(quarter) < day.end
        )
        return {
          asOf: undefined,
          kinds: kindsIn([program]),
          points: [...units].flatMap((unit) => {
            const [posted, reserved] = total(sums.rollup_points, ([of, one]) => of === program && one === unit)
            const [amount = 0] = total(
              sums.rollup_lots,
              ([of, one, quarter]) =>
                of === program &&
                one === unit &&
                Number(quarter) >= quarterOf(expiring.from) &&
                Number(quarter) <= quarterOf(expiring.until)
            )
            return posted === undefined || reserved === undefined ? [] : [{ unit, posted, reserved, expiring: amount }]
          }),
          sales: salesOf(change, program, day),
          activity: { issued, redeemed: redeemed - reversed, expired, adjusted }
        }
      })
  }
}

/** Over the journal in memory; without one it answers nothing. */
export const layer: Layer.Layer<RollupReads, never, Programs> = Layer.effect(
  RollupReads,
  Effect.gen(function* () {
    const programs = yield* Programs
    const storage = Option.getOrUndefined(yield* Effect.serviceOption(MemoryStorage))
    return RollupReads.of(
      modelOf(() => {
        if (storage === undefined) throw new Error("this test has no journal in memory")
        return { records: storage.tables.log, programs: programs.all() }
      })
    )
  })
)
