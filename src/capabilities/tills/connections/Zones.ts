/** Time zones of locations, kept for a moment: each transaction of a till asks for its restaurant's. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../../base/database/Pools.ts"
import { firstOf, optional } from "../../../base/database/Values.ts"
import type { Refused } from "../../../contract/Refused.ts"
import * as Bounds from "./Bounds.ts"

const zoneRow = firstOf(Schema.Struct({ time_zone: optional(Schema.String) }))

interface Known {
  readonly zone: string | undefined
  /** ms. */
  readonly until: number
}

export class Zones {
  private readonly query: Query
  private readonly now: () => number
  private readonly known = new Map<string, Known>()

  constructor(query: Query, now: () => number) {
    this.query = query
    this.now = now
  }

  /** The zone of a location; undefined: it is not listed, or has none. */
  of(location: string): Effect.Effect<string | undefined, Refused> {
    const known = this.known.get(location)
    if (known !== undefined && this.now() < known.until) return Effect.succeed(known.zone)
    return Effect.map(
      zoneRow(this.query("SELECT time_zone FROM locations WHERE location_id = $1", [PgTypes.text(location)])),
      (row) => {
        // Tills may name any number of restaurants where unknown ones are accepted.
        if (this.known.size >= Bounds.knownZones) this.known.clear()
        this.known.set(location, { zone: row?.time_zone, until: this.now() + Bounds.zoneMs })
        return row?.time_zone
      }
    )
  }
}
