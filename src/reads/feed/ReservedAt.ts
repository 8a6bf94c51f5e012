/** The holds of reservations, which their ids find. */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, rowsOf } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { Reserved } from "../../core/account/domain/AccountEvent.ts"
import * as ReservationId from "../../core/account/ReservationId.ts"
import { madeHolds } from "./FeedSql.ts"

const eventsRows = rowsOf(
  Schema.Struct({ account: Schema.Number, seq: Schema.Number, version: Schema.Number, events: Schema.String })
)

/** The events that made these reservations, also those of archived months. */
export const reservedAt = (
  query: Query,
  reservations: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Reserved>, Refused> => {
  const places = reservations.flatMap((id) => ReservationId.placeOf(id) ?? [])
  if (places.length === 0) return Effect.succeed([])
  const asked = [int8s(places.map(({ account }) => account)), int8s(places.map(({ seq }) => seq))]
  return Effect.map(eventsRows(query(madeHolds, asked)), (rows) =>
    rows.flatMap((row) => decodeEvents(row).filter((event): event is Reserved => event.type === "reserved"))
  )
}
