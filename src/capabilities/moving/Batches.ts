/** Sends the guests of a move some at a time: the second pass over its files, as often as needed. */
import { Effect } from "effect"
import type { GuestMoved, MovedIn, MoveIn } from "../../contract/admin/MoveIn.ts"
import * as Bounds from "./Bounds.ts"
import type { CheckContext, Sent } from "./Checks.ts"
import { checked } from "./Checks.ts"
import { guestsOf } from "./Joined.ts"
import type { Parts, Piece } from "./Parts.ts"
import type { Divided } from "./Rows.ts"

/** Sends guests to the service or the database that they move to. */
export type Send<E, R> = (asked: MoveIn) => Effect.Effect<MovedIn, E, R>

/** Groups of guests that a request takes, by their number and by the length of their text. */
const batchesOf = (guests: ReadonlyArray<Sent>): ReadonlyArray<ReadonlyArray<Sent>> => {
  const batches: Array<Array<Sent>> = []
  let length = Infinity
  for (const one of guests) {
    const own = JSON.stringify(one.guest).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= Bounds.sentGuests || length + own > Bounds.sentLength) {
      batches.push([one])
      length = own
    } else {
      last.push(one)
      length += own
    }
  }
  return batches
}

export interface Pass {
  readonly parts: Parts<Piece>
  readonly divided: Pick<Divided, "files" | "hasLots" | "hasLostLots">
  readonly checks: Omit<CheckContext, "files">
}

/** Sends all guests, and tells what became of each batch. */
export const sendAll = <E, R>(
  { checks, divided, parts }: Pass,
  send: Send<E, R>,
  asked: Omit<MoveIn, "guests">,
  told: (batch: ReadonlyArray<Sent>, guests: ReadonlyArray<GuestMoved>) => Effect.Effect<void>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const { files, hasLostLots, hasLots } = divided
    const { leave, program, report } = checks
    for (let part = 0; part < Bounds.parts; part++) {
      const joined = guestsOf(parts.rows(part), {
        ...{ files, hasLots, hasLostLots, primary: program.primaryUnit },
        ...{ report, leave }
      })
      const guests = joined.map((one) => checked(one, { ...checks, files }))
      yield* Effect.forEach(
        batchesOf(guests),
        (batch) =>
          Effect.flatMap(send({ ...asked, guests: batch.map(({ guest }) => guest) }), (answer) =>
            told(batch, answer.guests)
          ),
        { concurrency: Bounds.sentAtOnce, discard: true }
      )
    }
  })
