/** The values of a point in a range, by the programme's versions (contract/finance.md *Money*). */
import { Effect } from "effect"
import type { PointValueSince } from "../../contract/admin/Finance.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import * as Reads from "./RollForwardReads.ts"
import type { Range } from "./Rows.ts"

const isSame = (one: PointValue | undefined, other: PointValue | undefined): boolean =>
  one?.points === other?.points && one?.worth.amount === other?.worth.amount

/** The value on the first day, then each change in the range, each with its first day; of one day's versions the last counts. */
export const pointValuesOf = (
  { values }: Pick<Reads.Facts, "values">,
  range: Range
): ReadonlyArray<PointValueSince> => {
  const ofDays = values.filter(({ from }, at) => from < range.until && values[at + 1]?.from !== from)
  const changes = ofDays.filter(({ point }, at) => at === 0 || !isSame(point, ofDays[at - 1]?.point))
  const first = changes.findLastIndex(({ from }) => from <= range.from)
  return changes.slice(Math.max(first, 0)).map(({ from, point }) => ({
    ...(from === -Infinity ? undefined : { since: new Date(from).toISOString().slice(0, 10) }),
    ...(point === undefined ? undefined : { value: point })
  }))
}

/** The same by the versions up to one, which never change; undefined: by all. */
export const read = <E>(query: Reads.Query<E>, program: string, range: Range, version: number | undefined) =>
  Effect.map(Reads.facts(query, program, version), (facts) => pointValuesOf(facts, range))
