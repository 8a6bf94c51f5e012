/** Where an order or a reservation was made, which never changes: read from its first record alone. */
import * as Effect from "effect/Effect"
import type { JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import type { Recorded } from "./Codec.ts"
import * as PastRecords from "./PastRecords.ts"
import * as ReservationId from "./ReservationId.ts"

type Deps = Pick<AccountDeps, "journal" | "recent">

export interface Place {
  readonly _tag: "Place"
  readonly location: string
  /** Of an order its business day, YYYY-MM-DD. */
  readonly day: string | undefined
  /** When it was recorded, ms. */
  readonly at: number
}

const placeIn = <A>(
  { events }: Recorded,
  find: (event: Recorded["events"][number]) => A | undefined
): A | undefined => {
  for (const event of events) {
    const found = find(event)
    if (found !== undefined) return found
  }
  return undefined
}

/** Place of an order; undefined: it has not accrued. */
export const ofOrder = Effect.fnUntraced(function* (
  deps: Deps,
  program: string,
  id: string
): Effect.fn.Return<Place | undefined, JournalUnavailable> {
  const claimed = yield* PastRecords.claimedBy(deps, program, { type: "order", id })
  if (claimed === undefined) return undefined
  const record = yield* PastRecords.read(deps, claimed.account, claimed.seq)
  return placeIn(record, (event): Place | undefined =>
    event.type === "posted" && event.op === "accrual" && event.order === id
      ? { _tag: "Place", location: event.location ?? "", day: event.business, at: event.at }
      : undefined
  )
})

/** Place of a reservation; undefined: there is none. */
export const ofReservation = Effect.fnUntraced(function* (
  deps: Deps,
  id: string
): Effect.fn.Return<Place | undefined, JournalUnavailable> {
  const made = ReservationId.placeOf(id)
  if (made === undefined) return undefined
  const [text] = yield* deps.journal.records(made.account, made.seq, 1)
  if (text?.seq !== made.seq) return undefined
  return placeIn(yield* PastRecords.read(deps, made.account, made.seq), (event): Place | undefined =>
    event.type === "reserved" && event.reservation === id
      ? { _tag: "Place", location: event.location, day: undefined, at: event.at }
      : undefined
  )
})
