/** Guests of earlier moves who are not in the files of this one (contract/moving.md *Guests of earlier moves*). */
import { Effect } from "effect"
import type { MovedBefore, MovedGuests } from "../../contract/admin/MovedGuests.ts"
import type { Names } from "./Names.ts"

/** Gets a page of guests of earlier moves. */
export type Pages<E, R = never> = (cursor: string | undefined) => Effect.Effect<MovedGuests, E, R>

export interface Absent {
  readonly guests: number
  /** Points that moves have brought them. */
  readonly units: ReadonlyMap<string, bigint>
}

/** Looks through all guests of earlier moves once. `seen`: those of the files. `each` gets every one who is missing there. */
export const absent = Effect.fnUntraced(function* <E, R>(
  pages: Pages<E, R>,
  seen: Names,
  each: (one: MovedBefore) => void = () => undefined
) {
  const units = new Map<string, bigint>()
  let guests = 0
  let cursor: string | undefined
  do {
    const page: MovedGuests = yield* pages(cursor)
    for (const one of page.guests) {
      if (seen.has(one.moved_as)) continue
      guests++
      for (const { amount, unit } of one.points) units.set(unit, (units.get(unit) ?? 0n) + BigInt(amount))
      each(one)
    }
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return { guests, units } satisfies Absent
})
